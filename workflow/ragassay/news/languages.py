"""Tell the language of a text with py3langid's model, with a confidence between 0 and 1."""

import functools

from py3langid.langid import MODEL_FILE, LanguageIdentifier

SAMPLED = 300  # characters; more cost time and change next to nothing


@functools.cache
def _identifier():
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def language_of(text: str) -> tuple[str, float]:
    """ISO 639 code and confidence, judged by a piece from the middle, where captions and notices are rare."""
    start = max(0, (len(text) - SAMPLED) // 2)
    language, confidence = _identifier().classify(text[start : start + SAMPLED])
    return language, round(confidence, 4)
