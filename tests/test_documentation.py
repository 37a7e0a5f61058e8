"""What README.md, CONTRIBUTING.md and docs/ name exists: links, files, commands, settings."""

import ast
import importlib
import re

import pytest
import yaml

from project import ROOT

SECURITY = ROOT / "SECURITY.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", SECURITY, *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("benchmarks", "config", "docs", "envs", "profiles", "resources", "tests", "workflow")
MAKEFILE = (ROOT / "Makefile").read_text()
SNAKEFILE = (ROOT / "Snakefile").read_text()
RULES = "\n".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
TABLE = re.findall(r"^\| `([^`]+)` \|", (ROOT / "config/README.md").read_text(), re.MULTILINE)
SETTINGS = {tuple(row.split(".")[:depth]) for row in TABLE for depth in range(1, row.count(".") + 2)}
WITH_KEYS = {setting[:-1] for setting in SETTINGS}
EXAMPLE = re.compile(r"readings|read_documents")  # files that CONTRIBUTING.md lets its reader write

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def code(page):
    """The text that stands in the page as code, without what the page itself tells the reader to write."""
    text = page.read_text()
    blocks = re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return spans + [line for kind, block in blocks if not kind for line in block.splitlines()]


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def matches(setting, key):
    return len(setting) == len(key) and all(word in ("{name}", part) for word, part in zip(setting, key, strict=True))


def is_setting(key):
    """Whether the table of all settings has this key, or lets any key stand below one above it."""
    above = [key[:depth] for depth in range(1, len(key))]
    anything_below = any(matches(setting, part) for setting in SETTINGS - WITH_KEYS for part in above)
    return anything_below or any(matches(setting, key) for setting in SETTINGS)


def keys(value, above=()):
    for key, inner in value.items():
        yield (*above, key)
        if isinstance(inner, dict):
            yield from keys(inner, (*above, key))


@every_page
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!http)([^)]+)\)", page.read_text()):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@every_page
def test_files_exist(page):
    names = {word for text in code(page) for word in re.findall(r"[\w./{},*<>-]+", text)}
    ours = {name for name in names if name.split("/")[0] in FOLDERS and "/" in name and not EXAMPLE.search(name)}
    for name in ours:
        pattern = re.sub(r"<\w+>|\{\w+\}", "*", name.rstrip("."))
        assert any(ROOT.glob(pattern.rstrip("/"))), name


@every_page
def test_results_are_those_of_rules(page):
    for text in code(page):
        for path in re.findall(r"results/[a-z_/.-]+", text):
            assert path.split("/")[1] in ("", "readings") or "/".join(path.split("/")[:2]) in RULES + SNAKEFILE, path


@every_page
def test_commands_exist(page):
    benchmarks = re.search(r"^BENCHMARKS := (.+)$", MAKEFILE, re.MULTILINE).group(1).split()
    targets = {*re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE), *(f"bench-{name}" for name in benchmarks)}
    rules = {*re.findall(r"^rule (\w+):", SNAKEFILE + RULES, re.MULTILINE)}
    for text in code(page):
        command = text.split("#")[0]
        for target in re.findall(r"^make ([\w-]+)", command):
            assert target in targets or (target == "bench-" and "<" in command), command
        for name in re.findall(r"STUDY=(\w+)", command):
            assert name in rules, command
        for target in re.findall(r"^\.venv/bin/snakemake ([\w/.]+)", command):
            assert target in rules or target.startswith("results/"), command
        for module, word in re.findall(r"-m ragassay\.([\w.]+) ?(\w*)", command):
            place = ROOT / "workflow/ragassay" / module.replace(".", "/")
            sources = [*place.parent.glob(f"{place.name}.py"), *place.glob("*.py")]
            assert sources, command
            assert f'"{word}"' in "".join(path.read_text() for path in sources) or not word, command


@every_page
def test_settings_exist(page):
    sections = {setting[0] for setting in SETTINGS}
    named = {span for span in code(page) if re.fullmatch(r"[a-z_]+\.[a-z_.{}]+", span)}
    named = {tuple(span.split(".")) for span in named}
    for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL):
        named |= set(keys(yaml.safe_load(block)))
    assert not [key for key in named if key[0] in sections and not is_setting(key)]


def test_the_readme_stays_short_and_leads_to_every_guide():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 150
    index = text + (ROOT / "docs/README.md").read_text()
    assert not [page.name for page in PAGES if page.name not in index]
    assert "(docs/README.md)" in text


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_python_of_guides_imports_what_is_there(page):
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("ragassay"):
                assert all(hasattr(importlib.import_module(node.module), name.name) for name in node.names)


def test_every_promise_of_security_names_tests_that_there_are():
    rows = re.findall(r"^\| (?!promise|---)(.+) \| (.+) \|$", SECURITY.read_text(), re.MULTILINE)
    assert len(rows) > 10
    for promise, cell in rows:
        names = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", cell)
        assert names and len(names) == cell.count("`") // 2, promise
        for file, name in names:
            assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE), f"{file}::{name}"
