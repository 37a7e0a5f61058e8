"""Fifty people label at once while the server is killed and the log of their clicks is damaged, and one person labels
among connections that only wait.
"""

import random

from crowd import Crowd
from hostile_clients import connected, is_cut_off
from people import Serving, give, project, sample
from ragassay.people.page.connections import MOST

PEOPLE, EACH, KILLS = 50, 6, 3


def test_fifty_people_lose_and_double_nothing_through_kills_and_damage(tmp_path):
    """What a flipped bit hit is read as it was; what was cut off is named and labelled again."""
    items = sample(scope=EACH, defusion=0, groups=PEOPLE // 2)
    crowd, chance = Crowd(project(tmp_path, items, training_items=0), PEOPLE), random.Random(1)
    for _ in range(KILLS):
        crowd.work(kill_after=chance.randrange(40, 80))
        crowd.damage(chance, flips=4, cuts=2)
    crowd.work()
    outcome = crowd.outcome()
    assert outcome.pop("confirmed") >= PEOPLE * EACH
    assert outcome == {"lost": 0, "doubled": 0, "unnamed": 0, "refused": 0}
    assert len(crowd.flipped | crowd.cut) == KILLS * 6
    labelled = {(person.name, item) for person in crowd.people for _, item, _ in person.confirmed}
    assert len(labelled) == PEOPLE * EACH, "all of them finish"


def test_connections_that_wait_keep_nobody_from_labelling(tmp_path):
    with Serving(project(tmp_path, sample(scope=4, defusion=0), training_items=0)) as running:
        anna, waiting = running.person("Anna"), []
        for _ in range(3):
            waiting += connected(running.port, MOST // 2, b"POST /clicks/label HTTP/1.1\r\nhost: ")
            anna.connection.close()  # as a browser does with a connection that was ended
            assert give(anna)[0] == 200
        assert sum(map(is_cut_off, waiting)) >= MOST // 2
        for connection in waiting:
            connection.close()
