"""The ledger: whatever happens to its bytes, it loads, and nothing that was not written is ever taken for an answer."""

import json
import random
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import calls
from ragassay.calls.ledger.journal import LedgerError, decode, encode
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Usage

KEYS = [f"{number:032x}" for number in range(1000)]


def fill(folder, calls):
    """A ledger with that many calls; its one file."""
    with closing(Ledger(folder)) as ledger:
        for number, key in enumerate(KEYS[:calls]):
            sent = ledger.intent(key, [0, 1], worst=0.5)
            if number % 5 == 4:
                ledger.failed(sent, "connection", "gone", lost=True)
                continue
            ledger.done(sent, body(key))
            ledger.settled(sent, Usage(7, 2, 3), 0.001, answers=2)
    (file,) = folder.glob("*.jsonl")
    return file


def body(key):
    return json.dumps({"answer to": key, "text": 'größer\n"as quoted" \u2028 \0'}, ensure_ascii=False)


def load(folder):
    """key -> bodies of a ledger, and the ledger, closed."""
    with closing(Ledger(folder)) as ledger:
        return {key: list(ledger.bodies(key)) for key in KEYS if list(ledger.bodies(key))}, ledger


def alone(tmp_path, content):
    folder = tmp_path / "damaged"
    folder.mkdir(exist_ok=True)
    (folder / "1.jsonl").write_bytes(content)
    return folder


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none() | st.lists(st.text())))
def test_a_record_comes_back_as_it_was_written(record):
    line = encode(record)
    assert line.count(b"\n") == 1
    assert decode(line[:-1]) == record


def test_what_is_written_is_found_by_another_process(tmp_path):
    fill(tmp_path, 10)
    bodies, ledger = load(tmp_path)
    assert bodies == {key: [([0, 1], body(key))] for number, key in enumerate(KEYS[:10]) if number % 5 != 4}
    assert (ledger.counts["requests"], ledger.counts["replies"], ledger.counts["failures"]) == (10, 8, 2)
    assert (ledger.counts["prompt"], ledger.counts["cached"], ledger.counts["completion"]) == (56, 16, 24)
    assert (ledger.counts["samples"], ledger.dollars) == (16, 0.008)
    assert (ledger.possibly_billed_twice, ledger.dollars_at_risk, ledger.damaged) == (4, 1.0, 0)
    assert ledger.excess == 1.0


def test_answers_that_cost_more_than_their_limit_on_tokens_allows_are_seen_by_the_next_process(tmp_path):
    with closing(Ledger(tmp_path)) as ledger:
        for key, worst, dollars in zip(KEYS, (0.5, 0.5, 0.0), (2.0, 1.0, 1.0), strict=False):
            sent = ledger.intent(key, [0], worst)
            ledger.done(sent, body(key))
            ledger.settled(sent, Usage(7, 2, 3), dollars, answers=1)
    assert ledger.excess == load(tmp_path)[1].excess == 4.0


def test_counts_that_no_reply_can_have_are_none_in_an_old_ledger_either(tmp_path):
    with closing(Ledger(tmp_path)) as ledger:
        sent = ledger.intent(KEYS[0], [0], worst=0.5)
        ledger.done(sent, body(KEYS[0]))
        ledger.settled(sent, Usage(9, 0, 10**30), 1.3e21, answers=1)
    _, again = load(tmp_path)
    assert (again.dollars, again.excess, again.counts["completion"], again.counts["samples"]) == (0.5, 1.0, 0, 1)


def test_every_byte_prefix_loads(tmp_path):
    content = fill(tmp_path / "whole", 5).read_bytes()
    whole, _ = load(tmp_path / "whole")
    for size in range(len(content)):
        loaded, ledger = load(alone(tmp_path, content[:size]))
        *written, torn = content[:size].split(b"\n")
        assert ledger.damaged == (torn != b"")
        assert ledger.counts["requests"] + ledger.counts["replies"] <= len(written)
        assert all(loaded[key] == whole[key] for key in loaded)
        assert len(loaded) == sum(b'"t":"d"' in line for line in written)


def test_no_single_bit_flip_is_accepted(tmp_path):
    content = fill(tmp_path / "whole", 400).read_bytes()
    whole = [decode(line) for line in content.splitlines()]
    draw = random.Random(1)
    for _ in range(10_000):
        at = draw.randrange(len(content))
        start = content.rfind(b"\n", 0, at) + 1
        number = content.count(b"\n", 0, start)
        stop = content.find(b"\n", content.find(b"\n", at) + 1) + 1 or len(content)  # the end of the next line
        flipped = bytearray(content[start:stop])
        flipped[at - start] ^= 1 << draw.randrange(8)
        decoded = [record for record in map(decode, bytes(flipped).split(b"\n")) if record]
        assert decoded in ([], whole[number + 1 : number + 2])


def test_a_flipped_bit_costs_its_line_and_at_most_the_next(tmp_path):
    content = fill(tmp_path / "whole", 20).read_bytes()
    whole, _ = load(tmp_path / "whole")
    draw = random.Random(2)
    for at in [draw.randrange(len(content)) for _ in range(200)] + [content.index(b"\n")]:
        flipped = bytearray(content)
        flipped[at] ^= 1 << draw.randrange(8)
        loaded, ledger = load(alone(tmp_path, bytes(flipped)))
        assert ledger.damaged >= 1
        assert len(loaded) >= len(whole) - 1
        assert all(loaded[key] == whole[key] for key in loaded)


def test_a_torn_end_damages_no_other_file(tmp_path):
    torn = fill(tmp_path, 3)
    torn.write_bytes(torn.read_bytes()[:-20])
    fill(tmp_path / "more", 10).rename(tmp_path / "2-more.jsonl")
    bodies, ledger = load(tmp_path)
    assert (len(bodies), ledger.damaged) == (8, 1)


def test_the_first_reply_wins_whoever_got_it(tmp_path):
    first, second = Ledger(tmp_path), Ledger(tmp_path)
    with closing(first), closing(second):
        early, late = (ledger.intent(KEYS[0], [0]) for ledger in (first, second))
        second.done(late, "second file, first reply")
        first.done(early, "first file, second reply")
    bodies, _ = load(tmp_path)
    assert [body for _, body in bodies[KEYS[0]]] == ["second file, first reply", "first file, second reply"]


def killed(tmp_path):
    """A ledger whose process was killed after one reply and in the middle of another request."""
    with closing(Ledger(tmp_path)) as ledger:
        ledger.done(ledger.intent(KEYS[0], [0, 1], worst=0.25), "a reply")
        ledger.intent(KEYS[1], [0, 1, 2], worst=0.5)


def test_a_reply_without_its_cost_waits_to_be_settled(tmp_path):
    killed(tmp_path)
    ledger = Ledger(tmp_path)
    [(sent, reply)] = ledger.unsettled()
    assert (sent.key, sent.samples, sent.worst, reply) == (KEYS[0], [0, 1], 0.25, "a reply")
    assert (ledger.dollars, ledger.dollars_at_risk, ledger.possibly_billed_twice) == (0.0, 0.75, 3)
    with closing(ledger):
        ledger.settled(sent, Usage(5, 0, 5), 0.125, answers=2, late=True)
    for known in (ledger, Ledger(tmp_path)):
        assert (list(known.unsettled()), known.dollars, known.dollars_at_risk) == ([], 0.125, 0.5)


def test_a_reply_that_two_processes_settle_is_paid_once(tmp_path):
    killed(tmp_path)
    both = [Ledger(tmp_path), Ledger(tmp_path)]
    for ledger in both:
        with closing(ledger):
            for sent, _ in ledger.unsettled():
                ledger.settled(sent, Usage(5, 0, 5), 0.125, answers=2, late=True)
    # The clock of the one that settled was behind: its file is read first.
    for file in sorted(tmp_path.glob("*.jsonl"))[1:]:
        file.rename(tmp_path / f"0-{file.name}")
    ledger = Ledger(tmp_path)
    assert (ledger.dollars, ledger.counts["prompt"], list(ledger.unsettled())) == (0.125, 5, [])


def test_a_reply_that_its_own_process_settles_after_another_is_paid_once(tmp_path):
    alive = Ledger(tmp_path)
    sent = alive.intent(KEYS[0], [0])
    alive.done(sent, "a reply")
    hasty = Ledger(tmp_path)
    for waiting, _ in hasty.unsettled():
        hasty.settled(waiting, Usage(5, 0, 5), 0.125, answers=1, late=True)
    alive.settled(sent, Usage(5, 0, 5), 0.125, answers=1)
    alive.close()
    hasty.close()
    assert (Ledger(tmp_path).dollars, Ledger(tmp_path).counts["samples"]) == (0.125, 1)


def test_the_sum_of_dollars_does_not_depend_on_their_order(tmp_path):
    prices = [0.1, 0.2, 0.3, 1e-7, 123.456, 0.7]
    sums = set()
    for number in range(20):
        ledger = Ledger(tmp_path / str(number))
        random.Random(number).shuffle(prices)
        with closing(ledger):
            for key, price in zip(KEYS, prices, strict=False):
                ledger.settled(ledger.intent(key, [0]), Usage(1, 0, 1), price, answers=1)
        sums.add(ledger.dollars)
    assert len(sums) == 1


def test_a_body_that_changed_on_disk_is_not_used(tmp_path):
    file = fill(tmp_path, 1)
    ledger = Ledger(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"answer to", b"answer by"))
    with closing(ledger), pytest.raises(LedgerError, match="changed while it was in use"):
        list(ledger.bodies(KEYS[0]))


def test_nothing_is_made_by_reading(tmp_path):
    ledger = Ledger(tmp_path / "none")
    assert list(ledger.bodies(KEYS[0])) == []
    ledger.close()
    assert list(tmp_path.iterdir()) == []


def large(folder, requests):
    """The folder of a ledger with three records for each of so many requests."""
    folder.mkdir()
    with (folder / "1.jsonl").open("wb") as file:
        for number in range(requests):
            key, name = f"{number:032x}", f"{number:016x}"
            file.write(encode({"t": "i", "id": name, "k": key, "s": [0], "at": number, "w": 0.0}))
            file.write(encode({"t": "d", "id": name, "k": key, "s": [0], "at": number, "body": "x" * 800}))
            file.write(encode({"t": "u", "id": name, "p": 200, "c": 0, "o": 20, "usd": 0.001, "n": 1}))
    return folder


def test_a_large_ledger_is_read_with_work_in_proportion_to_it(tmp_path):
    """`benchmarks/calls.py` reads a million records."""
    small, big = large(tmp_path / "small", 1_000), large(tmp_path / "big", 8_000)
    assert calls(lambda: Ledger(big)) <= 8.2 * calls(lambda: Ledger(small))
    with closing(Ledger(big)) as ledger:
        assert list(ledger.bodies(f"{7_000:032x}")) == [([0], "x" * 800)]
    assert (ledger.counts["replies"], ledger.dollars) == (8_000, 8.0)
