"""`make release`: a finished run becomes an immutable folder that a stranger can verify. It is built under a hidden
name and renamed when it is whole. Everything in it follows from results, ledger, configuration and day, so that the
same run gives the same bytes. Without a signature by a key of ssh, digests only show accidents."""

import contextlib
import datetime
import importlib.metadata
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from ragassay.base import plain_yaml, tables
from ragassay.base.atomic import building
from ragassay.base.errors import AssayError
from ragassay.base.pipeline import INSTALLED, LIBRARY, PIPELINE, matching
from ragassay.base.stage import log
from ragassay.base.tables import key_names
from ragassay.base.terminal import aligned
from ragassay.config.services import without_services
from ragassay.config.settings import NAME
from ragassay.release import contents, descriptions, gathering, ledger_extract
from ragassay.release.gathering import NotReleasable
from ragassay.release.published_tables import OptedOut, PublishedTables, copy_prompts, models
from ragassay.release.redaction import Licences, LongRuns, Redaction
from ragassay.release.verification import readme
from ragassay.release.verification.checks import NAMESPACE
from ragassay.release.verification.facts import NO_LICENCE, facts, licence_of, texts_by_source
from ragassay.release.verification.release_folder import MANIFEST, SIGNATURE, SUMS, TABLES, ReleaseFolder, write_sums
from ragassay.schemas.release import PUBLISHED_TEXTS, RECORDED_ANSWERS
from ragassay.schemas.report import ASKED_CALLS, CALLS

RESULTS, LEDGER = Path("results"), Path("ledger")
BROUGHT_ROWS = ("passages", "queries", "query_log", "targets")  # tables that hold what users bring, by its name
STATE = ("table", "column", "state", "cells")  # of texts
FOOTER = "ragassay/base/parquet_footer.py"  # which what verifies a release imports
LOCKS = ["requirements.lock", "envs/slurm.lock", "envs/gpu.lock", "envs/setup.py"]  # the last one names torch


def publish(
    version: str,
    configfiles: list[str],
    day: str,
    key: str | None = None,
    planned: Callable[[list[str]], list[Path]] = gathering.planned,
    confirm: Callable[[str], bool] = lambda text: True,
) -> Path:
    """Make the release in the project in this folder; returns its folder. `planned` says which tables the configuration
    has, and `confirm` gets what will be public, as a table, and may say no.
    """
    config = gathering.configuration(configfiles)
    if not re.fullmatch(NAME, version):
        expected = "expected letters, digits, '.', '_' and '-', at most 64"
        raise NotReleasable(f"VERSION: found {version!r}, {expected}; as in: make release VERSION=2026-11")
    _check_day(day)
    folder = Path(config["release"]["folder"], version)
    if folder.exists():
        remedy = "a release is never changed; give the corrected one another version"
        raise NotReleasable(f"{folder}: found a release of this version, expected none; {remedy}")
    gathering.check_licence(configfiles)
    made = planned(configfiles)
    files = gathering.table_files(RESULTS, made)
    by_name = {table.name: paths for table, paths in files.items()}
    settings, poisoned = config["release"], config["export"]["poisoned"]
    opted_out = OptedOut(config["crawl"]["opt_outs"], by_name)
    shards = gathering.shard_files(config["shards"])
    licences = Licences(config, by_name.get("documents", []), shards, by_name.get("service_passages", []))
    redaction = Redaction(licences, LongRuns(settings["run_words"]), poisoned, settings["repeats"])
    with building(folder) as place:
        written = PublishedTables(place, RESULTS, redaction, opted_out)
        _learn(redaction, files)
        switches = {"poisoned": poisoned, "vectors": settings["vectors"]}
        for table, paths in files.items():
            for path in paths:
                if contents.is_published(table.name, path.relative_to(RESULTS).with_suffix("").as_posix(), **switches):
                    written.copy(table, path)
        silent = _add_answers(written, by_name.get("calls", []), switches)
        states = [dict(zip(STATE, (*state, cells), strict=True)) for state, cells in sorted(redaction.counts.items())]
        written.add(PUBLISHED_TEXTS, "published_texts", [row for row in states if row["table"] in written.entries])
        rules = contents.replayed(redaction.withheld(), silent)
        measured = [name for name, reads in contents.MEASURED.items() if not reads & by_name.keys()]
        manifest = {"format": 1, "version": version, "signed": key is not None, "sources": licences.resolved}
        manifest |= _manifest(config, written.entries, rules, measured)
        manifest["prompts"] = copy_prompts(place, written.passes, matching("resources/prompts/*.yaml").values())
        _write(place / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        _copy_rest(place, config)
        release = ReleaseFolder(place)
        release.passes = written.passes
        for name, text in readme.documents(release, facts(release)).items():
            _write(place / name, text)
        _write(place / "sbom.cdx.json", descriptions.sbom(place / "locks", version))
        cited = manifest | {"doi": settings["doi"]}
        _write(place / "CITATION.cff", descriptions.citation(cited, day))
        _write(place / "croissant.json", descriptions.croissant(written.sums, cited, day))
        _write(place / "ro-crate-metadata.json", descriptions.ro_crate(place, cited, day))
        write_sums(place, written.sums)
        makers = f"cited as: {', '.join(settings['authors'])} (`release.authors`)"
        doi = f"doi: {settings['doi'] or 'none'} (`release.doi`)"
        if not confirm(f"{what_is_published(release, licences.brought)}\n{makers}, {doi}"):
            raise NotReleasable(f"{folder}: nothing was released, as you said")
        if key:
            sign(place, key)
    log.info("%s: %d tables, %d rows", folder, len(written.entries), written.rows)
    if left := gathering.left_behind(RESULTS, made):
        names = ", ".join(f"{name} ({count})" for name, count in left.most_common(8))
        log.info("%d tables of other runs stay behind: %s%s", left.total(), names, ", ..." if len(left) > 8 else "")
    return folder


def what_is_published(release: ReleaseFolder, brought: Iterable[str]) -> str:
    """A table: whose texts go along, how many rows, under which licence."""
    counts = Counter()
    for file in release.files.get("documents", ()):
        for (site, shard, here), count in texts_by_source(release, file).items():
            counts[site or shard, "documents", here] += count
    for table in BROUGHT_ROWS:
        for file in release.files.get(table, ()):
            name = list(release.keys(table, file).values())[-1]
            if name in brought:
                texts = release.manifest["sources"].get(name, NO_LICENCE)["texts"]
                counts[name, table, texts] += release.tables[table]["files"][file]["rows"]
    rows = [("source", "table", "rows", "licence", "texts")]
    for (source, table, here), count in sorted(counts.items()):
        licence = (licence_of(release.manifest["sources"], source, source) or NO_LICENCE)["licence"]
        rows.append((source, table, f"{count:,}", licence, "published" if here else "withheld"))
    return aligned(rows, 2)


def _check_day(text):
    with contextlib.suppress(ValueError):
        if datetime.date.fromisoformat(text).isoformat() == text:
            return
    raise NotReleasable(f"--date: found {text!r}, expected a day such as 2026-11-23")


def _learn(redaction, files):
    """All texts that may not be published are known before any other text is compared with them."""
    for table, paths in files.items():
        for path in paths if table.name in contents.TEXTS else ():
            keys = tables.keys(table, path.relative_to(RESULTS)) if key_names(table) else {}
            redaction.learn(table, keys, path)


def _add_answers(written, calls, switches):
    """Returns the rules of whose recorded answers some are withheld."""
    jobs, silent = {}, set()
    for path in calls:
        for row in tables.read(CALLS, path, ["model", "requests"]).to_pylist():
            jobs[path.relative_to(RESULTS / "calls").with_suffix("").as_posix()] = row
    for job in ledger_extract.jobs(LEDGER, jobs):
        place = f"recorded_answers/{job}"
        if contents.is_published("recorded_answers", place, **switches):
            rows = ledger_extract.rows(LEDGER / job)
            seen = written.add(RECORDED_ANSWERS, place, rows)
            if seen.missing["body"] > sum(row["body"] is None for row in rows):
                silent.add(job.split("/")[0])
            if asked := ledger_extract.asked(LEDGER / job):
                written.add(ASKED_CALLS, f"asked_calls/{job}", asked)
    return silent


def _manifest(config, entries, rules, measured):
    files = [file for entry in entries.values() for file in entry["files"]]
    parts = sorted({contents.part(file.removeprefix(f"{TABLES}/").removesuffix(".parquet")) for file in files})
    rebuilt = contents.rebuilt(parts, rules)
    return {
        **{name: config["export"][name] for name in ("title", "licence", "licence_note", "language", "poisoned")},
        **{name: config["release"][name] for name in ("authors", "run_words")},
        "models": models(config),
        "tables": {name: entries[name] for name in sorted(entries)},
        "texts": {name: sorted(contents.TEXTS[name]) for name in sorted(entries) if name in contents.TEXTS},
        "poison": [*contents.PLANTED, *contents.PLANTING],
        "references": [list(reference) for reference in contents.REFERENCES],
        "funnels": [list(funnel) for funnel in contents.FUNNELS],
        "replay": {
            "rules": rules,
            "given": [name for name in parts if name not in (*rebuilt, *measured)],
            "rebuilt": rebuilt,
            "within": {name: contents.TOLERANCE for name in measured if name in parts},
        },
    }


def _copy_rest(place, config):
    """The configuration, the locks, and what verifies the release."""
    (place / "config").mkdir()
    _write(place / "config/config.yaml", plain_yaml.dump(without_services(config)))
    shutil.copyfile(config["shards"], place / "config/shards.tsv")
    (place / "locks").mkdir()
    if INSTALLED:
        versions = sorted({f"{package.name}=={package.version}\n" for package in importlib.metadata.distributions()})
        _write(place / "locks/installed.txt", "".join(versions))
    for lock in LOCKS if not INSTALLED else ():
        shutil.copyfile(PIPELINE / lock, place / "locks" / Path(lock).name)
    shutil.copyfile(LIBRARY / "release/verify.py", place / "verify.py")
    target = place / "ragassay/release/verification"
    target.mkdir(parents=True)
    for path in sorted((LIBRARY / "release/verification").glob("*.py")):
        shutil.copyfile(path, target / path.name)
    (place / FOOTER).parent.mkdir()
    shutil.copyfile(LIBRARY.parent / FOOTER, place / FOOTER)


class NotSigned(AssayError):
    """The key cannot sign."""


def sign(folder: Path, key: str) -> None:
    """Write SHA256SUMS.sig; ssh-keygen may ask for the key's passphrase."""
    if not shutil.which("ssh-keygen"):
        raise NotSigned("signature: found no ssh-keygen on the PATH; install OpenSSH, or give no key")
    command = ["ssh-keygen", "-Y", "sign", "-f", key, "-n", NAMESPACE, str(folder / SUMS)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not (folder / SIGNATURE).is_file():
        reason = " ".join(done.stderr.split())[:160]
        raise NotSigned(f"{key}: found no key that signs ({reason}), expected a private key such as ~/.ssh/id_ed25519")


def _write(path, text):
    path.write_text(text, encoding="utf-8", newline="\n")
