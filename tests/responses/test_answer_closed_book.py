"""answer_closed_book: the responder gets the question and nothing of the document."""

from scripts.responses.answer_closed_book import answer_closed_book
from study import question
from tools.loopback import Loopback


def test_questions_are_asked_alone_and_every_answer_is_a_row(study):
    texts = ["Who rowed?", "A mute one?"]
    study.write(questions=[question("a", number, "in_scope", text) for number, text in enumerate(texts)])
    with Loopback(respond="answers:answer") as server:
        study.asks(server.url)
        prompts = {"prompt": "answer_closed_book"}
        [rows] = study.run(answer_closed_book, ["questions"], ["closed_book_answers"], prompts)
        assert server.summary()["billed"] == 2
    assert "Who rowed?" in rows[0]["text"] and "<document" not in rows[0]["text"]
    assert [(row["doc_id"], row["responder"], row["truncated"]) for row in rows] == [("a", "m", False)] * 2
    assert rows[1]["text"] == ""
