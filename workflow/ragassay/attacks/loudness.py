"""How loud poisoned passages are: what tells them from the clean ones that their questions find, without any defence.

An attack whose texts differ from all clean ones by their length alone, or by how many of the question's words they
repeat, is found by a ruler; a defence that finds it has shown little.
"""

from ragassay.text.words import tokens


def question_words(question: str, text: str) -> float:
    """The share of the question's words, each counted once, that the text has; 0 if the question has none."""
    wanted = _words(question)
    return len(wanted & _words(text)) / len(wanted) if wanted else 0.0


def length(text: str) -> int:
    """In words."""
    return len(text.split())


def _words(text):
    return {word.lower() for word in tokens(text)}
