"""A folder for a small scope study."""

import pytest

from scope_study import Study


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY", "test-key")
    return Study(tmp_path)
