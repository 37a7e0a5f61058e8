"""Which addresses of objects a configuration may have, and where their copies lie."""

from pathlib import Path

import pytest

from ragassay.base.address import is_address, is_copy, is_place, local, of_copy, remove_copies, stays_inside

READER = "corpora.news"
ADDRESSES = [
    "s3://bucket/texts.csv",
    "s3://bucket/dt=2026-01/part-0.c000.parquet",
    "gs://bucket/a/b.jsonl",
    "abfs://container@account.dfs.core.windows.net/a.csv",
    "abfss://container@account.dfs.core.windows.net/a/b.csv",
    "hdfs://node:8020/a.csv",
    "s3://bucket/größe.csv",
]
OTHERS = [
    "s3://bucket",
    "s3://bucket/",
    "s3://bucket/folder/",
    "s3:///texts.csv",
    "s3://bucket//texts.csv",
    "s3://bucket/../texts.csv",
    "s3://bucket/a/../texts.csv",
    "s3://../texts.csv",
    "s3://bucket/.hidden/a.csv",
    "s3://bucket/a.csv?versionId=1",
    "s3://bucket/a.csv#1",
    "s3://bucket/a,b.csv",
    "s3://bucket/{a}.csv",
    "s3://bucket/%2e%2e/a.csv",
    "s3://bucket/a.csv\n",
    "s3://key:secret@bucket/a.csv",
    "s3://key@bucket/a.csv",
    "hdfs://user:pass@node/a.csv",
    "abfs://container/a.csv",
    "s3a://bucket/a.csv",
    "file:///etc/passwd",
    "https://bucket.s3.amazonaws.com/a.csv",
    "s3:/bucket/a.csv",
    "S3://bucket/a.csv",
    "s3://bucket/" + "x" * 201,
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_leads_to_a_copy_in_the_project_and_back(address):
    assert is_address(address) and is_place(address) and not stays_inside(address)
    copy = local(address, READER)
    assert is_copy(copy) and stays_inside(copy) and copy != local(address, "shards.news")
    assert of_copy(copy.removeprefix("fetched/")) == address


@pytest.mark.parametrize("address", OTHERS)
def test_what_is_no_address_of_one_object_is_refused(address):
    assert not is_address(address) and local(address, READER) == address
    assert not is_place(address) or "://" not in address


@pytest.mark.parametrize("path", ["texts/a.csv", "fetched/a.csv", "fetched/s3/b/a.csv", "other/x/s3/b/a.csv"])
def test_a_path_of_the_project_is_none(path):
    assert is_place(path) and not is_address(path) and not is_copy(path) and local(path, READER) == path


def test_copies_that_are_left_are_removed_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    remove_copies()
    for name in ("fetched/corpora.news/s3/bucket/a.csv", "fetched/mine.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    remove_copies()
    assert [str(path) for path in Path("fetched").rglob("*.csv")] == ["fetched/mine.csv"]
