"""The version of a script: a hash over its syntax tree and those of every first-party module that it imports, so that
editing one module re-runs exactly the rules that use it, and docstrings and formatting re-run nothing. A module
loaded by a computed name must be named in `also`; hence no registry that imports all variants, and empty
`__init__.py` files."""

import ast
import contextlib
import functools
import hashlib
import json
import os
from pathlib import Path

from ragassay.base.pipeline import INSTALLED, LIBRARY, PIPELINE, WORKFLOW

SHIPPED = PIPELINE / "parsed.json"  # in a wheel
STORE = Path(".snakemake/code_versions")  # in the project's folder
OWN = Path(__file__).read_bytes()


def code_version(script: str, *also: str, root: Path = WORKFLOW) -> str:
    """The version of `scripts/<script>`; `also` names modules that it loads by a computed name
    (`ragassay.studies.poisoning.attacks.naive`).
    """
    return _version(modules(root / "scripts" / script, *also, root=root), root)


def module_version(name: str, root: Path = WORKFLOW) -> str:
    """The version of a module and all that it imports, for results that depend on code at run time."""
    return _version(modules(_required(root, name), root=root), root)


def _version(paths, root):
    digest = hashlib.sha256()
    for name, path in sorted((_name(path, root), path) for path in paths):
        digest.update(f"{name}\0{_read(path, path.stat().st_mtime_ns)[1]}\0".encode())
    return digest.hexdigest()[:16]


@functools.cache  # many scripts import the same
def _name(path, root):
    """The same in a clone and in an installation."""
    return path.relative_to(root if path.is_relative_to(root) else LIBRARY.parent).as_posix()


def modules(script: Path, *also: str, root: Path = WORKFLOW) -> list[Path]:
    """The script and all first-party files that it imports, directly or not, sorted."""
    paths, todo = set(), [script, *(_required(root, name) for name in also)]
    while todo:
        path = todo.pop()
        if path not in paths:
            paths.add(path)
            todo += _imports(path, path.stat().st_mtime_ns, root)
    return sorted(paths)


def _required(root, name):
    path = _module(root, name)
    if path is None:
        raise FileNotFoundError(f"no module {name} under {root}")
    return path


@functools.cache  # many files import the same
def _module(root, name):
    base = f"{_folder(root, name)}/{name.replace('.', '/')}"
    return next((path for path in map(Path, (f"{base}.py", f"{base}/__init__.py")) if path.is_file()), None)


def _folder(root, name):
    """Where to look for a module: an installed library lies beside the pipeline, not in it."""
    of_library = INSTALLED and root == WORKFLOW and name.split(".")[0] == LIBRARY.name
    return LIBRARY.parent if of_library else root


@functools.cache  # many files lie in one
def _listed(folder):
    return {entry.name.removesuffix(".py") for entry in os.scandir(folder)} | {LIBRARY.name}


@functools.cache
def _imports(path, changed, root):
    names, _ = _read(path, changed)
    files = []
    for folder in (root, path.parent):
        here = _listed(folder)
        files += [_module(folder, name) for name in names if name.partition(".")[0] in here]
    return tuple(file for file in files if file is not None and file != path)


@functools.cache
def _read(path, _changed):
    """The names that a file imports, with the packages around them, and a hash of its tree."""
    content = path.read_bytes()
    digest = _digest(content)
    if digest in _shipped():
        return _shipped()[digest]
    stored = STORE / digest
    try:
        return json.loads(stored.read_bytes())
    except (OSError, ValueError):  # not stored, or cut off when the machine went down
        parsed = _parsed(path, content)
    with contextlib.suppress(OSError):  # nothing is lost but time
        STORE.mkdir(exist_ok=True)
        unfinished = stored.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(parsed))
        unfinished.replace(stored)
    return parsed


def _digest(content):
    return hashlib.sha256(OWN + content).hexdigest()


@functools.cache
def _shipped():
    return json.loads(SHIPPED.read_bytes()) if SHIPPED.exists() else {}


def all_parsed(root: Path = WORKFLOW) -> dict[str, tuple]:
    """What a wheel holds, so that a new project parses nothing: a digest of each file -> what came of it."""
    contents = {path: path.read_bytes() for path in sorted(root.rglob("*.py"))}
    return {_digest(content): _parsed(path, content) for path, content in contents.items()}


def _parsed(path, content):
    tree, names = ast.parse(content, filename=str(path)), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ImportError(
                    f"{path}:{node.lineno}: relative import; a script runs as a copy elsewhere, import by full name"
                )
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    parents = {".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)}
    return sorted(parents), hashlib.sha256(_dump(tree).encode()).hexdigest()


def _dump(node):
    """Like ast.dump, but without docstrings and empty fields, so that it is the same under every Python."""
    if isinstance(node, list):
        return "[" + ",".join([_dump(item) for item in node if not _is_bare_string(item)]) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if value is not None and value != []:
            fields.append(f"{name}={_dump(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _is_bare_string(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
