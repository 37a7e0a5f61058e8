"""Which targets an attack is tried on: a fixed draw, none that the attacker knows."""

from ragassay.studies.poisoning.attacks.questions import known, tried

IDS = [f"t{number}" for number in range(20)]


def test_the_same_few_are_drawn_whatever_the_order():
    assert tried(IDS, 5) == tried(IDS[::-1], 5) == tried(IDS)[:5] and len(set(tried(IDS))) == 20
    assert tried(IDS) != IDS and tried(IDS[:3], 5) == tried(IDS[:3])


def test_what_the_attacker_knows_is_not_measured():
    assert sorted(known(IDS, 0.5) + tried(IDS, known=0.5)) == sorted(IDS)
    assert tried(IDS, 4, known=0.25) == tried(IDS)[5:9] and known(IDS, 0) == []
