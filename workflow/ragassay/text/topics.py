"""Topics of texts: groups of similar words, each named by its most typical ones. To see which topics queries moved to,
or where a defence costs most; not a model of what a corpus is about."""

import numpy as np

from ragassay.base.errors import AssayError

SHOWN = 3  # words in a topic's name
OPTIONS = {"token_pattern": r"(?u)\b[^\W\d_]{3,}\b", "stop_words": "english", "sublinear_tf": True}
MOST_COMMON = 0.5  # words that more passages have tell no topics apart


class TopicError(AssayError):
    """These texts have no words."""


def topics(
    texts: list[str], count: int, seed: int = 0, most_common: float = MOST_COMMON
) -> tuple[np.ndarray, list[str]]:
    """The number of the topic of each text, and the names of at most `count` topics. Words that more than a share
    `most_common` of the texts have do not count.
    """
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    different = len(set(texts))
    vectorizer = TfidfVectorizer(max_df=most_common if different > 2 else 1.0, **OPTIONS)
    try:
        vectors = vectorizer.fit_transform(texts)
    except ValueError as error:
        problem = f"found no words in {different} texts"
        raise TopicError(f"{problem}, expected some; set relevance.drift.topics to 0") from error
    rows = {tuple(row.indices) + tuple(np.round(row.data, 9)) for row in vectors}
    model = KMeans(min(count, len(rows)), n_init=4, random_state=seed).fit(vectors)
    words = vectorizer.get_feature_names_out()
    names = [", ".join(words[np.argsort(-centre, kind="stable")[:SHOWN]]) for centre in model.cluster_centers_]
    return model.labels_, [f"{name} ({at})" if name in names[:at] else name for at, name in enumerate(names)]
