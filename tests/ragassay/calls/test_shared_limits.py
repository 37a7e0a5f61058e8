"""The limits of a model hold for all its jobs together, by the log of the server that they ask: from the first request,
and whichever job starts, ends or is killed, and when.
"""

import time

import pytest

from calling import replies
from clocks import until
from common.model_jobs import Jobs, most_in_a_second

pytestmark = pytest.mark.clock


def test_no_second_has_more_requests_than_its_share_when_jobs_start_end_or_are_killed(serve, tmp_path):
    server = serve(latency=0.05)
    with Jobs(server, tmp_path, concurrency=16, requests_per_minute=600) as jobs:
        jobs.start(60, 60, 4, 16)
        jobs.until_asked(12)
        jobs.processes[0].kill()
        jobs.start(8)
        jobs.until_asked(24)
        jobs.processes[1].kill()
        assert jobs.wait() == [-9, -9, 0, 0, 0]
    assert most_in_a_second(server) <= 10


@pytest.mark.parametrize("apart", [0.0, 0.3])
def test_as_many_are_in_flight_as_allowed_and_no_more_whenever_jobs_start(serve, tmp_path, apart):
    server = serve(faults={"hang": 1.0})
    with Jobs(server, tmp_path, concurrency=16, requests_per_minute=60_000) as jobs:
        jobs.start(80, 80, 80, 80, apart=apart)
        until(lambda: server.summary()["in_flight"] == 16)
    assert server.summary()["most_in_flight"] == 16


def test_what_a_killed_job_had_in_flight_goes_to_the_others_and_no_more(serve, tmp_path):
    server = serve(latency=0.1)
    with Jobs(server, tmp_path, concurrency=12) as jobs:
        jobs.start(4000, 4000, 4000)
        for killed in (0, 1):
            jobs.until_asked(40 * (killed + 1))
            jobs.processes[killed].kill()
        server.control(faults={"hang": 1.0})
        until(lambda: server.summary()["in_flight"] == 12)  # its share was 4
    assert server.summary()["most_in_flight"] == 12


def test_more_jobs_than_may_be_in_flight_take_turns(serve, tmp_path):
    server = serve(latency=0.05)
    with Jobs(server, tmp_path, concurrency=2) as jobs:
        jobs.start(1000, 1000, 1000, 1000)
        while min(replies(tmp_path / f"job{number}") for number in range(4)) < 20:
            assert [process.exitcode for process in jobs.processes] == [None] * 4  # none waits for the end of another
            time.sleep(0.2)
    assert server.summary()["most_in_flight"] <= 2


def test_a_limit_that_a_reply_names_holds_for_all_jobs_from_the_first_request(serve, tmp_path):
    server = serve(requests_per_minute=600, latency=0.2)
    with Jobs(server, tmp_path, concurrency=64) as jobs:
        jobs.start(10, 10, 10)
        assert jobs.wait() == [0] * 3
    assert most_in_a_second(server) <= 10
