"""Which addresses of objects a configuration may have, and where their copies lie."""

import pytest

from ragassay.base.address import is_address, is_copy, is_place, local, of_copy, stays_inside

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
    copy = local(address)
    assert is_copy(copy) and stays_inside(copy)
    assert of_copy(copy.removeprefix("fetched/")) == address


@pytest.mark.parametrize("address", OTHERS)
def test_what_is_no_address_of_one_object_is_refused(address):
    assert not is_address(address) and local(address) == address
    assert not is_place(address) or "://" not in address


@pytest.mark.parametrize("path", ["texts/a.csv", "fetched", "fetched/a.csv", "fetched/s3/b", "other/s3/b/a.csv"])
def test_a_path_of_the_project_is_none(path):
    assert is_place(path) and not is_address(path) and not is_copy(path) and local(path) == path
