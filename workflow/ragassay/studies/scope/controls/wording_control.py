"""The question-alone control: a logistic regression on the words of questions, which sees no document.

Single words, pairs and triples, and those at the beginning apart, since templates and habits of a generator show there.
Like the overlap control it scores a question by a fit on other documents. It says how much of a label the wording alone
gives away.
"""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union

from ragassay.studies.scope.controls.overlap_control import DIGITS, one_kind, out_of_fold

FIRST_WORDS = 3


def fit(texts: list[str], out_of_scope):
    """A classifier of questions; None if they are all of one kind."""
    if one_kind(out_of_scope):
        return None
    words = {"token_pattern": r"(?u)\b\w+\b", "sublinear_tf": True}
    anywhere = TfidfVectorizer(ngram_range=(1, 3), min_df=2 if len(texts) > 50 else 1, **words)
    beginning = TfidfVectorizer(ngram_range=(1, FIRST_WORDS), preprocessor=_beginning, **words)
    model = make_pipeline(make_union(anywhere, beginning), LogisticRegression(class_weight="balanced", max_iter=1000))
    return model.fit(texts, out_of_scope)


def probabilities(model, texts: list[str]) -> list[float]:
    """How probably each question is out of scope, by its words."""
    return model.predict_proba(texts)[:, 1].round(DIGITS).tolist() if texts else []


def scores(rows: list[dict], out_of_scope, graded=None) -> list[float | None]:
    """The control's score of each row by its `text`; see `overlap_control.scores`."""
    return out_of_fold(rows, out_of_scope, lambda own: [row["text"] for row in own], fit, probabilities, graded)


def _beginning(text):
    return " ".join(text.lower().split()[:FIRST_WORDS])
