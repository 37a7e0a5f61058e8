"""How loud poisoned passages are: what tells them from the clean ones that their questions find, without any defence.

An attack whose texts differ from all clean ones by their length alone, or by how many of the question's words they
repeat, is found by a ruler; a defence that finds it has shown little.
"""

from ragassay.text.words import content, tokens


def question_words(question: str, text: str) -> float:
    """The share of the question's words, each counted once, that the text has; 0 if the question has none."""
    return _share(_words(tokens(question)), _words(tokens(text)))


def content_words(question: str, text: str) -> float:
    """The same of the question's content words alone: function words are in all texts and hide the others."""
    return _share(_words(content(question)), _words(content(text)))


def length(text: str) -> int:
    """In words."""
    return len(text.split())


def _share(wanted, present):
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _words(words):
    return {word.lower() for word in words}
