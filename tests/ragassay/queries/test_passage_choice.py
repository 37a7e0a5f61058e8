"""Which passages are asked about."""

from ragassay.queries.passage_choice import chosen

PASSAGES = [{"passage_id": f"{name}#{number}", "document_id": name} for name in "ab" for number in (1, 2)]


def test_documents_take_turns():
    found = chosen(PASSAGES, 3)
    assert len({one["document_id"] for one in found[:2]}) == 2 and len({one["passage_id"] for one in found}) == 3
    assert chosen(list(reversed(PASSAGES)), 3) == found and len(chosen(PASSAGES, 9)) == 4
