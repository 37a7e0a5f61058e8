"""Releases that want something: to run code, to write elsewhere, to hang or fill the machine that looks at them.

Each trick is applied to a copy of an honest release and made to fit its list of digests, as its author would.
"""

import json

import pyarrow as pa
import pyarrow.parquet as pq

from publishing import forgeries as forge
from publishing.forgeries import ANSWERS, CLAIMS, CODE, CONFIG, OUTSIDE, PROMPT, SHARDS
from ragassay.release.verification.release_folder import MANIFEST, SUMS, write_sums

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)
LETTERS = str.maketrans("0123456789", "abcdefghij")
EMPTY = {"path": None, "row": "", "key": ["a"], "columns": [{"name": "a", "type": "int64", "null": False}], "files": {}}
SMK = f"import os\n{CODE}\n"
MILLION = {
    **{"datasets": ["demo"], "retrievers": ["minilm"]},
    **{"attacks": [f"a{number}" for number in range(1000)], "defences": [f"d{number}" for number in range(1000)]},
}
TRICKS = {
    # Options on Snakemake's command line, and rules that no replay runs.
    "a snakefile among the rules": forge.in_manifest(
        "replay rules", ["replay", "--snakefile", "resources/prompts/evil.smk"]
    ),
    "another folder among the rules": forge.in_manifest("replay rules", ["replay", "--directory", OUTSIDE]),
    "deletion among the rules": forge.in_manifest("replay rules", ["replay", "--delete-all-output", "--dry-run"]),
    "help among the rules": forge.in_manifest("replay rules", ["replay", "--help"]),
    "a rule that crawls": forge.in_manifest("replay rules", ["crawl_shard"]),
    "a rule that trains": forge.in_manifest("replay rules", ["extract_claims", "train_detector"]),
    "rules that are a text": forge.in_manifest("replay rules", "extract_claims"),
    "rules that are numbers": forge.in_manifest("replay rules", [1, None]),
    # Places of files.
    "a table at an absolute path": forge.moved("claims", CLAIMS, f"tables/{OUTSIDE}/x.parquet"),
    "a table above": forge.moved("claims", CLAIMS, "tables/../workflow/x.parquet"),
    "a table far above": forge.moved("claims", CLAIMS, "tables/claims/../../../../x.parquet"),
    "a table at a dot": forge.moved("claims", CLAIMS, "tables/claims/./authors/2026-01.parquet"),
    "a table in a hidden folder": forge.moved("claims", CLAIMS, "tables/claims/.git/2026-01.parquet"),
    "a table behind a backslash": forge.moved("claims", CLAIMS, "tables/claims/..\\..\\x/2026-01.parquet"),
    "a table with a null": forge.moved("claims", CLAIMS, "tables/claims/authors/2026\0-01.parquet"),
    "a table with a line end": forge.moved("claims", CLAIMS, "tables/claims/authors/2026\n-01.parquet"),
    "a table at another table's place": forge.moved("claims", CLAIMS, "tables/questions/authors/2026-09.parquet"),
    "a ledger at an absolute path": forge.moved(
        "recorded_answers", ANSWERS, f"tables/recorded_answers/{OUTSIDE}/x.parquet"
    ),
    "a ledger above": forge.moved("recorded_answers", ANSWERS, "tables/recorded_answers/../../../x.parquet"),
    "a table that nobody declared": forge.in_manifest(
        "tables evil", {"path": "evil", "row": "", "key": ["a"], "columns": [], "files": {}}
    ),
    "a declared table elsewhere": forge.in_manifest("tables claims path", "workflow/{generator}/{shard}"),
    "a path with an attribute": forge.in_manifest("tables claims path", "claims/{generator.__class__}/{shard}"),
    "a path with a width": forge.in_manifest("tables claims path", "claims/{generator:>999999999}/{shard}"),
    "a path with a pattern": forge.in_manifest("tables claims path", "(a+)+$/{generator}/{shard}"),
    "a path that is a number": forge.in_manifest("tables claims path", 7),
    # What the manifest says of itself.
    "a funnel with an attribute": forge.in_manifest("funnels", [["claims", "questions", "{0.__class__}"]]),
    "a funnel with a width": forge.in_manifest("funnels", [["claims", "questions", "{shard:>999999999}"]]),
    "references of one name": forge.in_manifest("references", [["claims"]]),
    "a part of a table above": forge.in_manifest("replay given", ["../x"]),
    "a part that nobody makes": forge.in_manifest("replay rebuilt", ["documents"]),
    "a wide tolerance": forge.in_manifest("replay within", {"metrics/detectors": 1e9}),
    "a tolerance for votes": forge.in_manifest("replay within", {"scope_votes": 1e-6}),
    "no number of rows": forge.in_manifest(f"tables claims files {CLAIMS}", {"rows": float("nan"), "digest": "0" * 64}),
    "fewer rows than none": forge.in_manifest(f"tables claims files {CLAIMS}", {"rows": -1, "digest": "0" * 64}),
    "sources that are numbers": forge.in_manifest("sources", {"default": 1}),
    "a version with a path": forge.in_manifest("version", "../../2026"),
    "a version with an escape": forge.in_manifest("version", "\x1b[2J"),
    "a signature that is missing": forge.in_manifest("signed", True),
    "texts that are a number": forge.in_manifest("texts", 1),
    "a manifest without end": forge.in_file(MANIFEST, "[" * 200_000),
    "a manifest of nothing": forge.in_file(MANIFEST, "null"),
    "a manifest that is a list": forge.in_file(MANIFEST, "[]"),
    "a manifest of 70 MB": forge.in_file(MANIFEST, json.dumps({"a": "x" * 70_000_000})),
    "numbers without end": forge.in_file(MANIFEST, '{"version": ' + "9" * 1_000_000 + "}"),
    # Prompts.
    "a prompt that is code": forge.in_file("prompts/evil.smk", SMK),
    "a prompt of nobody": forge.in_file("prompts/evil.yaml", SMK),
    "a prompt with a tag": forge.in_file(PROMPT, f'!!python/object/apply:exec ["{CODE}"]\n'),
    "a prompt of aliases": forge.in_file(PROMPT, BOMB),
    "a prompt with another text": forge.in_file(PROMPT, lambda content: content.replace(b"fact", b"lie")),
    "a prompt under another name": forge.untrue,
    # Configuration and shards.
    "a configuration of aliases": forge.in_file(CONFIG, BOMB),
    "a configuration with a tag": forge.in_file(CONFIG, f'!!python/object/apply:exec ["{CODE}"]\n'),
    "a deep configuration": forge.in_file(CONFIG, "[" * 20_000),
    "a configuration that is a list": forge.in_file(CONFIG, "[1, 2]\n"),
    "a configuration that is no text": forge.in_file(CONFIG, b"\xff\xfe\x00"),
    "a long number in base 60": forge.in_file(CONFIG, lambda content: content + b"evil: 1" + b":1" * 180_000 + b"\n"),
    "no configuration": forge.removed(CONFIG),
    "an unknown setting": forge.in_config(evil=True),
    "a million combinations": forge.in_config(
        datasets={"demo": {"corpus": "articles", "targets": ["resources/demo/attacks/targets.csv"]}},
        attacks={f"a{number}": {"kind": "prompt_injection"} for number in range(1000)},
        defences={f"d{number}": {"kind": "oracle"} for number in range(1000)},
        under_attack={"cells": [MILLION]},
    ),
    "a key for a setting": forge.in_config(
        models={"a": {"provider": "openai", "model": "x", "price": {}, "key_variable": 1}}
    ),
    "a set of queries at an absolute path": forge.with_set(f"{OUTSIDE}/queries.csv"),
    "a set of queries above": forge.with_set("../../../queries.csv"),
    "documents at an absolute path": forge.with_documents(f"{OUTSIDE}/docs"),
    "documents above": forge.with_documents("../../docs"),
    "shards that are no table": forge.in_file(SHARDS, b"\0\xff\n\0"),
    "documents below a file": forge.with_documents("Snakefile/x"),
    "documents with a long name": forge.with_documents("x" * 300),
    "documents with a longer name": forge.with_documents("x" * 200_000),
    "a million shards": forge.in_file(
        SHARDS, "shard\tdocuments\n" + "".join(f"s{n}\tdocuments{n}\n" for n in range(1_000_000))
    ),
    "a prompt of 40 MB": forge.in_file(PROMPT, "a:\n" + "- [x, y, z]\n" * 3_000_000),
    "no prompts": forge.no_prompts,
    # Lists without end, and checks that are switched off.
    "a million references": forge.in_manifest("references", [["claims", "doc_id", "documents", "doc_id"]] * 1_000_000),
    "a million funnels": forge.in_manifest("funnels", [["claims", "questions", "claims"]] * 1_000_000),
    "a funnel with an unknown key": forge.in_manifest("funnels", [["claims/{zz}", "questions", "novel_claims/{yy}"]]),
    "100,000 tables": forge.in_manifest(
        "tables", lambda tables: tables | {f"t{str(n).translate(LETTERS)}": EMPTY for n in range(100_000)}
    ),
    "100,000 names of a prompt": forge.in_manifest(
        "prompts", lambda prompts: prompts | {f"{n:064x}": PROMPT for n in range(100_000)}
    ),
    "a prompt under two names": forge.in_manifest("prompts", lambda prompts: prompts | {"0" * 64: PROMPT}),
    "no references": forge.in_manifest("references", []),
    "no funnels": forge.in_manifest("funnels", []),
    "no texts": forge.in_manifest("texts", {}),
    "texts of an unknown table": forge.in_manifest("texts", {"nope": ["text"]}),
    "no poison": forge.in_manifest("poison", []),
    "a key twice in a path": forge.in_manifest("tables claims path", "claims/{shard}/{shard}"),
    # Tables.
    "no accounts": forge.resealed("calls"),
    "accounts without a column": forge.resealed("calls", "requests"),
    "answers without a column": forge.resealed("recorded_answers", "body"),
    "accounts that nest": forge.nested_accounts,
    "empty cells where there are none": forge.nulls,
    "documents without a column": forge.resealed("documents", "url"),
    "one text 200,000 times": forge.as_table(forge.one_text_often, rows=200_000),
    "rows without end": forge.as_table(forge.many_rows, rows=60_000_000),
    "blanks without end": forge.as_table(forge.many_blanks, rows=300),
    "300 texts 200 times": forge.many_bombs,
    "a table of four bytes": forge.as_table(lambda path: path.write_bytes(b"PAR1")),
    "a table with a broken end": forge.as_table(lambda path: path.write_bytes(path.read_bytes()[:-50] + b"\xff" * 50)),
    "a table with other columns": forge.as_table(lambda path: pq.write_table(pa.table({"evil": [1]}), path)),
    # The folder.
    "a link out of it": forge.linked,
    "a pipe": forge.piped("README.md"),
    "a list that is a pipe": forge.piped(SUMS),
    "a list of a device": lambda folder: ((folder / SUMS).unlink(), (folder / SUMS).symlink_to("/dev/zero")),
    "a list of nothing": forge.in_list(lambda text: "x\n" * 1_000_000),
    "a list of files that are missing": forge.in_list(
        lambda text: "".join(f"{n:064x}  f{n}\n" for n in range(500_000))
    ),
    "a list of deep names": forge.in_list(
        lambda text: text + "".join(f"{n:064x}  {'a/' * 240}{n}\n" for n in range(100_000))
    ),
    "240 MB of line ends": lambda folder: (
        [(folder / f"x{n}").write_bytes(b"\n" * 60_000_000) for n in range(4)],
        write_sums(folder),
    ),
    "a list that leads out": forge.in_list(lambda text: f"{text}{'0' * 64}  ../../../etc/passwd\n"),
    "a list of 70 MB": forge.in_list(lambda text: "x" * 70_000_000),
    "a name with an escape": forge.in_file("tables/\x1b[2J\x1b]0;owned\x07", "x"),
    "a module in the way": lambda folder: (folder / "pyarrow.py").write_text(CODE),
    "a forged checker": forge.forged,
}
