"""A month that is added later gives what building all months at once gives, and only the new month is asked for."""

from project import TINY, snakemake
from ragassay.release import ledger_extract

STAGES = ("extract_claims", "recover_claims", "remove_supported_claims", "write_questions", "judge_scope")
TABLES = (
    "documents clusters claims questions scope_votes scope_labels selected_questions rejects/questions calls".split()
)


def targets(*shards):
    return [f"results/selected_questions/authors/careful/{shard}.parquet" for shard in shards]


def files(project, folder, ending):
    return {path.relative_to(project): path.read_bytes() for path in sorted((project / folder).rglob(f"*{ending}"))}


def test_an_added_month_gives_the_same_bytes_at_the_price_of_the_new_month(tiny, project):
    shards = project / "tests/tiny/shards.tsv"
    every = shards.read_text().splitlines(keepends=True)
    shards.write_text("".join(every[:3]))
    snakemake(project, *targets("2026-01", "2026-02"), *TINY)
    tables, asked = files(project, "results", ".parquet"), files(project, "ledger", ".jsonl")
    assert asked and not any("2026-09" in str(path) for path in [*tables, *asked])
    shards.write_text("".join(every))
    snakemake(project, *targets("2026-01", "2026-02", "2026-09"), *TINY)
    now = files(project, "ledger", ".jsonl")
    assert {path: now[path] for path in asked} == asked, "nothing of the first months is asked again"
    assert all("2026-09" in str(path) for path in now.keys() - asked.keys())
    made = files(project, "results", ".parquet")
    assert {path: made[path] for path in tables} == tables, "nor made again"
    whole = files(tiny, "results", ".parquet")
    compared = [path for path in made if path.as_posix().removeprefix("results/").startswith(tuple(TABLES))]
    assert len(compared) > 30 and {path: made[path] for path in compared} == {path: whole[path] for path in compared}
    for stage in STAGES:
        for folder in {path.parent for path in now if path.parts[1] == stage}:
            assert ledger_extract.rows(project / folder) == ledger_extract.rows(tiny / folder), folder
