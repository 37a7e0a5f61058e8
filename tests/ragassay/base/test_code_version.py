"""code_version: what changes the version of a script and what does not."""

import json
import os
import subprocess
import sys

import pytest

from ragassay.base import code_version as module
from ragassay.base.code_version import all_parsed, code_version, modules

SCRIPT = '''"""What it does."""

from lib import used


def stage(x):
    """Doc."""
    return used.f(x)  # why
'''


@pytest.fixture
def tree(tmp_path):
    files = {
        "scripts/stage/script.py": SCRIPT,
        "lib/__init__.py": "",
        "lib/used.py": "from lib.deep import g\n\n\ndef f(x):\n    return g(x)\n",
        "lib/deep.py": "def g(x):\n    return x + 1\n",
        "lib/unused.py": "A = 1\n",
        "lib/variant.py": "A = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


VERSION = """
import pathlib, sys
from ragassay.base.code_version import code_version
print(code_version(*sys.argv[2:], root=pathlib.Path(sys.argv[1])))
"""


def version(tree, *also):
    """In a process of its own, as each run of Snakemake is."""
    command = [sys.executable, "-c", VERSION, str(tree), "stage/script.py", *also]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def changes(tree, name, old, new, *also):
    before = version(tree, *also)
    text = (tree / name).read_text()
    assert old in text
    (tree / name).write_text(text.replace(old, new))
    return version(tree, *also) != before


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("scripts/stage/script.py", "used.f(x)", "used.f(x) + 1", True),
        ("lib/used.py", "return g(x)", "return g(x + 1)", True),
        ("lib/deep.py", "x + 1", "x + 2", True),
        ("lib/deep.py", "x + 1", "x - 1", True),
        ("lib/deep.py", "x + 1", "x + 1.0", True),
        ("lib/unused.py", "A = 1", "A = 2", False),
        ("scripts/stage/script.py", "# why", "# for another reason", False),
        ("scripts/stage/script.py", "Doc.", "Another docstring.", False),
        (
            "scripts/stage/script.py",
            "return used.f(x)",
            "return (\n        used.f(\n            x\n        )\n    )",
            False,
        ),
        ("scripts/stage/script.py", "from lib import used", "from lib import used, unused", True),
    ],
)
def test_only_what_can_change_a_result_changes_the_version(tree, name, old, new, expected):
    assert changes(tree, name, old, new) is expected


def test_a_module_imported_inside_a_function_counts(tree):
    script = tree / "scripts/stage/script.py"
    script.write_text(SCRIPT.replace("    return used", "    import lib.unused\n    return used"))
    assert changes(tree, "lib/unused.py", "A = 1", "A = 2")


def test_a_neighbour_of_the_script_counts(tree):
    (tree / "scripts/stage/neighbour.py").write_text("B = 1\n")
    (tree / "scripts/stage/script.py").write_text("import neighbour\n" + SCRIPT)
    assert changes(tree, "scripts/stage/neighbour.py", "B = 1", "B = 2")


def test_a_variant_loaded_by_name_counts_when_it_is_named(tree):
    assert not changes(tree, "lib/variant.py", "A = 1", "A = 2")
    assert changes(tree, "lib/variant.py", "A = 2", "A = 3", "lib.variant")


def test_a_missing_variant_and_a_relative_import_are_errors(tree):
    with pytest.raises(FileNotFoundError, match=r"no module lib\.nowhere"):
        code_version("stage/script.py", "lib.nowhere", root=tree)
    (tree / "scripts/stage/script.py").write_text("from . import neighbour\n")
    with pytest.raises(ImportError, match=r"script\.py:1: relative import"):
        code_version("stage/script.py", root=tree)


def test_the_place_of_the_project_does_not_count(tree, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "copy"
    subprocess.run(["cp", "-r", str(tree), str(elsewhere)], check=True)
    assert version(elsewhere) == version(tree)


def test_circular_imports_end(tree):
    (tree / "lib/deep.py").write_text("import lib.used\n\n\ndef g(x):\n    return x\n")
    assert tree / "lib/deep.py" in modules(tree / "scripts/stage/script.py", root=tree)


def test_what_came_of_a_file_is_kept_by_its_content_and_what_is_damaged_is_computed_again(tree, monkeypatch):
    monkeypatch.chdir(tree)
    first = version(tree)
    assert not (tree / ".snakemake").exists(), "outside a project nothing is kept"
    (tree / ".snakemake").mkdir()
    assert version(tree) == first
    kept = sorted((tree / ".snakemake/code_versions").iterdir())
    assert len(kept) == len(modules(tree / "scripts/stage/script.py", root=tree))
    script = tree / "scripts/stage/script.py"
    before = script.stat()
    script.write_text(SCRIPT.replace("used.f(x)", "used.f(y)"))
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert version(tree) != first, "neither size nor time of a file tell that it stayed the same"
    script.write_text(SCRIPT)
    for file in kept:
        file.write_text(file.read_text()[:-1])
    assert version(tree) == first


def test_what_a_wheel_brings_is_not_parsed_again_and_counts_for_what_it_was_made_of_alone(tree, monkeypatch):
    monkeypatch.chdir(tree)  # which is no project
    fresh = code_version("stage/script.py", root=tree)
    shipped = tree / "parsed.json"
    shipped.write_text(json.dumps(all_parsed(tree)))
    parsed = []
    monkeypatch.setattr(module, "SHIPPED", shipped)
    monkeypatch.setattr(module, "_parsed", lambda path, content: parsed.append(path) or ((), content.hex()))
    for cached in (module._shipped, module._read, module._imports):
        cached.cache_clear()
    assert code_version("stage/script.py", root=tree) == fresh and not parsed
    (tree / "lib/deep.py").write_text("def g(x):\n    return x + 2\n")
    assert code_version("stage/script.py", root=tree) != fresh and parsed == [tree / "lib/deep.py"]
    module._shipped.cache_clear()
    module._read.cache_clear()
