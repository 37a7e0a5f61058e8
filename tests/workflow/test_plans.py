"""Plans: the papers' settings and many shards build their graph; a wrong configuration stops before any job."""

import re

import pytest

from project import TINY, copy_project, planned, snakemake

ASKING = {"extract_claims", "recover_claims", "remove_supported_claims", "write_questions", "judge_scope"}
ASKING |= {"respond", "answer_closed_book", "judge_defusion"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A copy of the project for tests that change no file of it."""
    return copy_project(tmp_path_factory.mktemp("shared") / "project")


def test_the_papers_settings_build_their_graph(shared, monkeypatch):
    for name in ("OPENAI_API_KEY", "TOGETHER_API_KEY"):
        monkeypatch.setenv(name, "not needed for a plan")
    assert planned(shared, "--configfile", "config/paper/scope.yaml")["render_front"] == 1


def test_the_default_plan_is_small_and_trains_no_language_model(shared):
    """Of these, thirteen ask and measure the demo's three services."""
    plan = planned(shared)
    assert 0 < sum(plan.values()) <= 297 and "train_detector" in plan and "train_demo_lm" not in plan


def test_a_plan_that_imports_what_jobs_alone_need_fails(project):
    """Every plan of these tests goes without (see `forks`), since each such library costs every run a second."""
    with (project / "workflow/ragassay/plan/documents.py").open("a") as file:
        file.write("\nimport torch\n")
    refused = snakemake(project, "--dry-run", *TINY, check=False)
    assert refused.returncode == 1 and "needs the package torch" in refused.stdout


@pytest.mark.parametrize("model", ["results/models/demo-lm", "resources/demo/demo-lm"])
def test_the_weights_of_a_model_are_inputs_and_made_first_where_the_workflow_makes_them(shared, model):
    """In whatever part it is: here as generator, judge and responder."""
    roles = dict.fromkeys(("generators", "judges", "responders"), "[demo-lm]")
    own = "".join(f"  {role}: {names}\n" for role, names in roles.items())
    (shared / "own.yaml").write_text(f"models: {{demo-lm: {{model: {model}}}}}\nscope:\n{own}")
    plan = snakemake(shared, "results/metrics/responses.parquet", "--dry-run", *TINY, "own.yaml").stdout
    asking = re.findall(r"^rule (\w+):\n    input: ([^\n]*)", plan, re.M)
    made = model.startswith("results/")
    weights = model if made else f"{model}/model.safetensors"
    needing = {rule for rule, files in asking if weights in files.split(", ")}
    assert needing >= ASKING and ("rule train_demo_lm" in plan) == made


def test_so_many_shards_are_so_many_jobs_and_the_gathers(project):
    (project / "data").mkdir()
    rows = ["shard\tdocuments"]
    for number in range(200):
        (project / f"data/{number}.txt").write_text("A text.")
        rows.append(f"s{number:04}\tdata/{number}.txt")
    (project / "tests/tiny/shards.tsv").write_text("\n".join(rows) + "\n")
    assert planned(project, "documents", *TINY)["collect_documents"] == 200


OWN_CORPUS = """
corpora: {mine: {files: [one.csv, two.csv]}}
query_sets: {asked: {files: [one.csv]}}
retrievers:
  own: {kind: dense, encoder: minilm, titles: pair}
  elsewhere: {kind: vectors, passages: {mine: [v.npy]}, queries: {asked: [v.npy]}}
"""


def planned_over(shared, configuration, *searches):
    for name in ("one.csv", "two.csv", "v.npy"):
        (shared / name).write_text("id,text\n1,A text.\n")
    (shared / "own.yaml").write_text(configuration)
    return planned(shared, *searches, "--configfile", "own.yaml")


def test_a_corpus_of_two_files_is_embedded_counted_and_searched_in_two_parts(shared):
    searches = [f"results/neighbours/mine/{name}/asked.parquet" for name in ("own", "bm25", "elsewhere")]
    read = {"read_passages": 2, "read_queries": 1, "join_passages": 1}
    dense = {"embed_passages": 2, "search_dense": 2, "merge_neighbours": 1}
    words = {"count_words": 2, "add_word_counts": 1, "search_part": 2, "merge_parts": 1}
    assert planned_over(shared, OWN_CORPUS, *searches) == read | dense | words | {"search_vectors": 1}


def test_without_held_out_documents_a_corpus_is_searched_in_its_parts(shared):
    sets = "{sets: {s: {corpus: mine, in_knowledge: asked, far: [asked], synthetic: null}}}"
    own = OWN_CORPUS.replace(
        "  elsewhere", "  near: {kind: dense, encoder: minilm, index: {factory: Flat}}\n  elsewhere"
    )
    searches = [f"results/neighbours/mine.held_out/{name}/asked.parquet" for name in ("own", "bm25", "near")]
    plan = planned_over(shared, f"{own}relevance: {sets}\n", *searches)
    read = {"read_passages": 2, "read_queries": 1, "join_passages": 1, "hold_out_documents": 1}
    read |= {"keep_known_passages": 2, "embed_passages": 4}
    dense = {"search_dense": 2, "build_index": 2, "search_index": 2, "merge_neighbours": 2}
    assert plan == read | dense | {"count_words": 2, "add_word_counts": 1, "search_part": 2, "merge_parts": 1}


def test_under_attack_each_part_is_searched_for_each_attack_and_words_are_counted_once(shared):
    (shared / "targets.csv").write_text("target_id,question,answers,target,texts\n1,Who?,A,B,It was B.\n")
    cell = "{datasets: [aimed], retrievers: [bm25], attacks: [none, poisonedrag_black]}"
    dataset = f"datasets: {{aimed: {{corpus: mine, targets: [targets.csv]}}}}\nunder_attack: {{cells: [{cell}]}}\n"
    searches = [f"results/retrieved/aimed/bm25/{attack}.parquet" for attack in ("none", "poisonedrag_black")]
    plan = planned_over(shared, OWN_CORPUS + dataset, *searches)
    wanted = {"read_passages": 2, "count_words": 2, "add_word_counts": 1, "poison_corpus": 2}
    wanted |= {"search_attacked_part": 4, "merge_attacked_parts": 2}
    assert plan == wanted | {"read_targets": 1, "collect_target_queries": 1}


EXTRA, SHARDS = "extra.yaml", "tests/tiny/shards.tsv"


@pytest.mark.parametrize(
    ("file", "content", "arguments", "message"),
    [
        (EXTRA, b"documnets: {}", ["--configfile", EXTRA], "extra.yaml: documnets: found an unknown key, expected one"),
        (EXTRA, b"a: sk-abcdef123456", ["--configfile", EXTRA], "extra.yaml: a: found what looks like a secret"),
        (EXTRA, b"", ["--config", "shards=3"], "command line: shards: found 3 (a whole number), expected text"),
        (SHARDS, b"shard\tdocuments\na\tnowhere\n", TINY, "tests/tiny/shards.tsv:2: nowhere: no such file or folder"),
        (SHARDS, b"shard\tdocuments\na\tempty\n", TINY, "empty: no documents in this folder"),
        ("config/config.yaml", b"report:\n  title: [a\n", [], "config/config.yaml:4: while parsing a flow sequence"),
    ],
)
def test_a_wrong_configuration_is_refused_in_one_line(project, file, content, arguments, message):
    """With where it stands, what was found and what was expected; other tests hold what is refused."""
    (project / "empty").mkdir()
    (project / file).write_bytes(content + b"\n")
    refused = snakemake(project, "--dry-run", *arguments, check=False)
    assert refused.returncode == 1 and message in refused.stdout
    assert "abcdef123456" not in refused.stdout and "Traceback" not in refused.stdout


def test_an_unknown_name_in_a_target_is_a_line_and_no_traceback(shared):
    names = ["documents/nope", "scope_votes/careful/nope/2026-01"]
    names += [f"detectors/{detector}/authors/careful/training" for detector in ("nope/minilm", "overlap/nope")]
    for name in names:
        refused = snakemake(shared, "--dry-run", f"results/{name}.parquet", *TINY, check=False)
        assert refused.returncode == 1 and "Traceback" not in refused.stdout
        [line] = [line for line in refused.stdout.splitlines() if f"results/{name}.parquet" in line]
        assert line.startswith(f"ragassay: command line: results/{name}.parquet: found no rule that makes it, expected")
