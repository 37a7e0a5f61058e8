"""A stranger verifies a release: an untouched one passes, and whatever is changed in it is found."""

import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import ROOT
from publishing.hostile import CLAIMS, TRICKS
from publishing.sealing import with_column
from ragassay.release.__main__ import main
from ragassay.release.publishing import sign
from ragassay.release.verification import checks
from ragassay.release.verification.digests import batches, logical_digest
from ragassay.release.verification.release_folder import MANIFEST, ReleaseFolder, present, write_sums
from releases import key_of

LABELS = "tables/scope_labels/authors/careful/2026-01.parquet"
SELECTED = "tables/selected_questions/authors/careful/2026-01.parquet"


def verify(folder, *arguments):
    """As a stranger does: an empty environment, no library but pyarrow on the path, another working directory."""
    command = [sys.executable, str(folder / "verify.py"), *map(str, arguments)]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("command", ["verify", "replay", "rehydrate"])
def test_a_name_that_no_file_can_have_is_one_line(command, capsys):
    assert main([command, "r" * 300, "--memory", "64"]) == 1
    assert re.fullmatch(r"release: .*File name too long.*\n", capsys.readouterr().err)


def test_an_untouched_release_passes_twice(published):
    for _ in range(2):
        done = verify(published)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert f"2026-09: {len(list((published / 'tables').iterdir()))} tables, " in done.stdout


def test_no_single_changed_byte_goes_unseen(release):
    """In every kind of file, at a random place."""
    kinds = {}
    for name in [*present(release), "SHA256SUMS"]:
        if (release / name).stat().st_size:
            kinds.setdefault(name if "/" not in name else name.split("/")[1] + name[-4:], []).append(name)
    chance = random.Random(1)
    assert len(kinds) > 40
    for names in kinds.values():
        path = release / chance.choice(names)
        content = path.read_bytes()
        at = chance.randrange(len(content))
        path.write_bytes(content[:at] + bytes([content[at] ^ chance.randrange(1, 256)]) + content[at + 1 :])
        assert list(checks.problems(release)), path
        path.write_bytes(content)
    assert not list(checks.problems(release))


@pytest.mark.parametrize("text", ["def problems(", "!= listed[name]", "yield from", "sha256"])
def test_a_verifier_that_was_changed_finds_itself_or_breaks(release, text):
    path = next(path for path in sorted(release.rglob("*.py")) if text in path.read_text())
    content = path.read_bytes()
    at = content.index(text.encode())
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    assert verify(release).returncode != 0


def stray(folder):
    (folder / "tables/notes.txt").write_text("mine")
    return "tables/notes.txt: found a file that SHA256SUMS does not list; remove it"


def missing(folder):
    (folder / LABELS).unlink()
    return f"{LABELS}: no such file, but SHA256SUMS lists it"


def exchanged(folder):
    one, other = folder / LABELS, folder / LABELS.replace("-01", "-02")
    one.write_bytes(other.read_bytes())
    return f"{LABELS}: found the digest "


def empty_folder(folder):
    (folder / "tables/other").mkdir()
    return "tables/other: found a file that SHA256SUMS does not list"


def emptied_folder(folder):
    """It had one file, so that the folder is left without any."""
    path = next(path for path in sorted(folder.rglob("*.parquet")) if len(list(path.parent.iterdir())) == 1)
    path.unlink()
    return f"{path.relative_to(folder)}: no such file, but SHA256SUMS lists it"


def cut_list(folder):
    content = (folder / "SHA256SUMS").read_bytes()
    (folder / "SHA256SUMS").write_bytes(content[: len(content) // 2])
    return "SHA256SUMS: found no line end behind the last line; the list is cut off"


def broken_list(folder):
    content = (folder / "SHA256SUMS").read_bytes()
    (folder / "SHA256SUMS").write_bytes(content[:85] + b"<" + content[86:])
    return "SHA256SUMS:2: found "


def a_link(folder):
    target = folder.parent / "elsewhere"
    shutil.move(folder / LABELS, target)
    (folder / LABELS).symlink_to(target)
    return f"{LABELS}: found no plain file"


CHANGED = [stray, missing, exchanged, empty_folder, emptied_folder, cut_list, broken_list, a_link]


@pytest.mark.parametrize("change", CHANGED, ids=lambda one: one.__name__)
def test_files_are_those_that_were_released(release, change):
    expected = change(release)
    found = list(checks.problems(release))
    assert len(found) == 1 and found[0].startswith(expected), found


def rewrite(folder, file, rows):
    """Change a table and let every digest say that it was always so, as somebody would who wants to deceive."""
    pq.write_table(rows, folder / file)
    manifest = json.loads((folder / MANIFEST).read_text())
    entry = next(entry for entry in manifest["tables"].values() if file in entry["files"])
    entry["files"][file] = {"rows": rows.num_rows, "digest": logical_digest(rows.schema, batches(folder / file))}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    write_sums(folder)


ROWS = {
    "a deleted row": (lambda rows: rows.slice(1), "rows of questions became"),
    "rows in another order": (lambda rows: rows.take([*range(len(rows))][::-1]), "not in the order of their key"),
    "a key twice": (lambda rows: pa.concat_tables([rows.slice(0, 1), rows]), "a key comes twice"),
}
# file, column, what its cells become, and the problem
CELLS = {
    "a dangling reference": (
        *(CLAIMS, "doc_id", lambda ids: [*ids[:-1], "doc-zz"]),
        "doc_id 'doc-zz' is not in column doc_id of table documents",
    ),
    "a changed status": (
        *(SELECTED, "status", lambda cells: ["disputed" if cells[0] == "kept" else "kept", *cells[1:]]),
        "README.md:",
    ),
    "another split": (
        *(SELECTED, "split", lambda cells: [("train", "test")[at % 2] for at in range(len(cells))]),
        "are in 2 splits, expected one",
    ),
    "an unknown prompt": (
        *(LABELS, "prompt", lambda cells: ["0" * 64, *cells[1:]]),
        "is not in the prompts of manifest.json",
    ),
    "a removed text": (
        *("tables/documents/2026-01.parquet", "text", lambda cells: [None, *cells[1:]]),
        "column text of table documents has",
    ),
    "a secret": (
        *(CLAIMS, "text", lambda cells: ["my key is s" + "k-" + "a1" * 12, *cells[1:]]),
        "column text holds what looks like a secret in row 1",
    ),
    "what was paid": (
        *("tables/calls/judge_scope/authors/careful/2026-01.parquet", "requests", lambda cells: [cells[0] + 1]),
        "DATASHEET.md:",
    ),
}


@pytest.mark.parametrize("name", [*ROWS, *CELLS])
def test_what_the_tables_say_of_each_other_is_checked_whatever_the_digests_say(release, name):
    file, column, change, expected = CELLS.get(name) or (LABELS, None, *ROWS[name])
    rows = pq.read_table(release / file, partitioning=None)
    rewrite(release, file, with_column(rows, column, change(rows[column].to_pylist())) if column else change(rows))
    problems = list(checks.problems(release))
    assert any(expected in problem for problem in problems), problems


@pytest.mark.parametrize("file", ["README.md", "DATASHEET.md"])
def test_a_changed_number_of_the_card_is_found_whatever_the_digests_say(release, file):
    text = (release / file).read_text()
    counted = re.search(r"\| scope_votes \| (?:\d+ \| )?(\d+) ", text)
    other = str(int(counted[1]) + 1)
    (release / file).write_text(f"{text[: counted.start(1)]}{other}{text[counted.end(1) :]}")
    write_sums(release)
    [problem] = checks.problems(release)
    assert problem.startswith(f"{file}:") and other in problem and counted[1] in problem


def test_a_table_file_that_is_no_parquet_and_a_manifest_that_is_no_json_are_lines(release):
    no_version = "manifest.json: version: found nothing, expected text of the form [A-Za-z0-9][A-Za-z0-9._-]{0,127}"
    for file, content, expected in (
        (LABELS, "PAR1", f"{LABELS}: damaged or no Parquet file of table scope_labels"),
        (MANIFEST, "{}", no_version),
        (MANIFEST, "[" * 200_000, "found no JSON"),
    ):
        (release / file).write_text(content)
        write_sums(release)
        [problem] = checks.problems(release)
        assert expected in problem


def test_the_logical_digest_is_of_rows_and_not_of_how_they_are_packed(tmp_path):
    rows = pa.table({"id": ["a", "b", "c"], "n": [1, None, 3], "l": [["x", None], None, []], "f": [0.5, None, 2.0]})
    digests = set()
    for number, options in enumerate([{}, {"row_group_size": 1}, {"compression": "none", "use_dictionary": False}]):
        pq.write_table(rows, tmp_path / str(number), **options)
        digests.add(logical_digest(rows.schema, batches(tmp_path / str(number))))
    assert digests == {logical_digest(rows.schema, rows.to_batches(max_chunksize=2))}
    others = [rows.slice(1), rows.take([1, 0, 2]), rows.rename_columns(["id", "n", "l", "g"])]
    moved = {"n": [1, 3, None], "l": [["x"], [None], []], "id": ["ab", "", "c"]}  # the same values elsewhere
    others += [rows.set_column(rows.column_names.index(name), name, pa.array(cells)) for name, cells in moved.items()]
    assert len({logical_digest(other.schema, other.to_batches()) for other in others} | digests) == len(others) + 1


KINDS = {
    "text": (pa.string(), st.text(max_size=3)),
    "number": (pa.int64(), st.integers(-(2**40), 2**40)),
    "share": (pa.float64(), st.floats(allow_nan=False)),
    "yes": (pa.bool_(), st.booleans()),
    "names": (pa.list_(pa.string()), st.lists(st.none() | st.text(max_size=2), max_size=2)),
}
ROW = st.fixed_dictionaries({name: st.none() | values for name, (_, values) in KINDS.items()})


@given(st.lists(ROW, max_size=6), st.lists(st.integers(0, 6), max_size=3), st.data())
@settings(max_examples=60)
def test_the_logical_digest_does_not_depend_on_cuts_and_depends_on_every_cell(cells, cuts, data):
    schema = pa.schema({name: kind for name, (kind, _) in KINDS.items()})
    rows = pa.RecordBatch.from_pylist(cells, schema)
    ends = sorted({0, len(cells), *(cut for cut in cuts if cut < len(cells))})
    pieces = [rows.slice(start, end - start) for start, end in itertools.pairwise(ends)]
    assert logical_digest(schema, [rows]) == logical_digest(schema, pieces)
    if cells:
        at, name = data.draw(st.integers(0, len(cells) - 1)), data.draw(st.sampled_from(sorted(KINDS)))
        other = data.draw(ROW)[name]
        changed_rows = [*cells[:at], cells[at] | {name: other}, *cells[at + 1 :]]
        changed_digest = logical_digest(schema, [pa.RecordBatch.from_pylist(changed_rows, schema)])
        assert (changed_digest == logical_digest(schema, [rows])) == (repr(other) == repr(cells[at][name]))


def test_a_signature_is_checked_against_the_publishers_key(release, tmp_path, capsys):
    key, signers = key_of(tmp_path)
    assert list(checks.problems(release, signers)) == ["SHA256SUMS.sig: no such file; this release was not signed"]
    sign(release, str(key))
    assert not list(checks.problems(release, signers))
    assert main(["verify", str(release), "--memory", "64"]) == 0
    assert "its signature was not checked" in capsys.readouterr().out
    assert main(["verify", str(release), "--memory", "64", "--signers", str(signers)]) == 0
    assert "not checked" not in capsys.readouterr().out
    genuine = (release / "SHA256SUMS.sig").read_bytes()
    TRICKS["a forged checker"](release)  # it passes its own check, and not ours
    (release / "SHA256SUMS.sig").write_bytes(genuine)
    assert next(checks.problems(release, signers)).startswith("SHA256SUMS.sig: is no signature by a key in")
    makefile = (ROOT / "Makefile").read_text()
    assert "-I" in makefile[makefile.index("RAGASSAY :=") :].splitlines()[0]


def test_the_folder_knows_its_tables(published):
    release = ReleaseFolder(published)
    votes = release.read("scope_votes", ["question_id"])
    assert votes.column_names == ["question_id", "generator", "judge", "shard"]
    assert set(pc.unique(votes["shard"]).to_pylist()) == {"2026-01", "2026-02", "2026-09"}
    assert release.read("answers", ["text"]) is None and not release.has("scope_votes", "nothing")
