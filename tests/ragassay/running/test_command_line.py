"""Files of the command line are refused in one line each, before Snakemake reads them."""

import pytest

from project import TINY, copy_project, planned, snakemake

BROKEN = {
    "broken.yaml": ("report: {title: a\nscope: b\n", "broken.yaml:2: while parsing a flow mapping"),
    "twice.yaml": ("report: {title: a}\nreport: {title: b}\n", "twice.yaml:2: found the key report twice, expected it"),
    "empty.yaml": ("", "empty.yaml: found nothing, expected keys with values"),
    "latin.yaml": (b"report:\n  title: \xff\n", "latin.yaml:2: found byte 0xff, which is not UTF-8; save the file"),
    "missing.yaml": (None, "missing.yaml: no such file; run this in the project's folder"),
    "code.yaml": ("__use_yte__: true\n__definitions__:\n  - open('ran', 'w')\n", "code.yaml: found __use_yte__"),
}


def refusal(project, *words):
    """What a run says that is refused, but for the line in which Snakemake names the profile."""
    done = snakemake(project, "--dry-run", *words, check=False, processes=True)
    assert done.returncode == 1, done.stdout
    profile, *lines = done.stdout.splitlines()
    assert profile.startswith("Using workflow specific profile")
    return lines


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("command_line") / "project")


@pytest.mark.parametrize("name", BROKEN)
def test_a_configuration_file_that_cannot_be_used_is_one_line(shared, name):
    content, expected = BROKEN[name]
    if content is not None:
        (shared / name).write_bytes(content.encode() if isinstance(content, str) else content)
    [line] = refusal(shared, "report", "--configfile", "tests/tiny/config.yaml", name)
    assert line.startswith(expected)
    assert not (shared / "ran").exists(), "code of a configuration file ran"


@pytest.mark.parametrize("name", ["twice.yaml", "missing.yaml"])
def test_so_is_the_projects_own(project, name):
    content, expected = BROKEN[name]
    (project / "config/config.yaml").unlink()
    if content is not None:
        (project / "config/config.yaml").write_text(content)
    [line] = refusal(project)
    assert line.startswith(expected.replace(name, "config/config.yaml"))


@pytest.mark.parametrize("target", ["question_sets", "results/report/index.html"])
def test_a_target_that_the_option_would_take_is_told_where_to_stand(shared, target):
    [line] = refusal(shared, *TINY, target)
    assert line.startswith(f"found {target} among the files of --configfile")
    assert line.endswith(f"write targets first: snakemake {target} --configfile {TINY[1]}")


def test_a_target_may_stand_after_two_dashes(shared):
    jobs = planned(shared, *TINY, "--", "question_sets")
    assert "measure_question_sets" in jobs and "render_front" not in jobs
