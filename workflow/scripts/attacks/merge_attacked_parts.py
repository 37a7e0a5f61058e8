"""Join what targets' questions found by BM25 in the parts of a corpus under attack with what is planted: the ranking
that one search of all of it would give.
"""

from ragassay.base.stage import log, run
from ragassay.corpora.corpus import FrequencyError
from ragassay.schemas.attacks import PART_RETRIEVED
from ragassay.search.neighbours import check_ids, merged, of_parts
from ragassay.studies.poisoning.attacks import attacked_corpus, attacked_words


def merge_attacked_parts(
    passages, parts, queries, word_counts, poisoned_passages, retrieved, options, count, tried=None
):
    """`options` are those of Bm25, and `titles`, which planted passages do not have."""
    number, asked = check_ids(passages), attacked_corpus.asked(queries, tried)
    options = {name: value for name, value in options.items() if name != "titles"}
    poison_ids, poison = attacked_corpus.poisoned(poisoned_passages)
    frequencies = attacked_words.frequencies(word_counts, asked["text"], poison)
    if (clean := frequencies.passages - len(poison)) != number:
        problem = f"found the words of {clean} passages, expected those of all {number} in the parts"
        raise FrequencyError(f"{word_counts}: {problem}; remove it and run again")
    rankings = of_parts(PART_RETRIEVED, passages, parts)
    rankings += attacked_words.of_poison(asked, poison_ids, poison, frequencies, options, count)
    attacked_corpus.write(retrieved, merged(rankings, count), poisoned_passages)
    log.info("%d poisoned passages and %d parts for %d queries", len(poison), len(parts), len(asked["text"]))


if __name__ == "__main__":
    run(merge_attacked_parts, snakemake)
