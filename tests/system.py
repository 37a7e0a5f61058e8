"""Programs outside Python that some tests need."""

import os
import shutil

import pytest


def require(program: str) -> str:
    """The program's path; without it the test is skipped, or fails where REQUIRE_SYSTEM_TESTS=1 asks for all tests."""
    path = shutil.which(program)
    if path is None and os.environ.get("REQUIRE_SYSTEM_TESTS") == "1":
        pytest.fail(f"needs {program}, and REQUIRE_SYSTEM_TESTS=1 does not let it be skipped")
    if path is None:
        pytest.skip(f"needs {program}")
    return path
