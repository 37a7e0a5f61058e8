"""Search a corpus that an attack has planted texts in: they are embedded apart and merged into the clean ranking, so an
attack costs its own size, not the corpus's."""

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.search.nearest import comparable, nearest
from ragassay.search.neighbours import merged, of_best
from ragassay.studies.poisoning.attacks.attacked_corpus import asked, poisoned


def search(
    queries, neighbours, poisoned_passages, encoder, query_encoder, embeddings, similarity, count, tried=None
) -> pa.Table:
    """Rows like those of the table neighbours. A poisoned passage has no title, whatever titles the clean ones are
    searched with.
    """
    names, texts = poisoned(poisoned_passages)
    questions = asked(queries, tried)
    clean = tables.read(NEIGHBOURS, neighbours)
    rankings = [clean.filter(pc.is_in(clean["query_id"], pa.array(questions["query_id"])))]
    if texts:
        of_passages = Embedder(Encoder(**encoder), embeddings)
        of_queries = of_passages if query_encoder == encoder else Embedder(Encoder(**query_encoder), embeddings)
        wanted = comparable(of_queries.embed(questions["text"], "query"), similarity)
        given = (comparable(block, similarity) for block in of_passages.stream(texts, "passage"))
        positions, scores = nearest(wanted, given, count)
        rankings += of_best(questions["query_id"], names, list(zip(positions, scores, strict=True)))
    together = merged(rankings, count)
    log.info("%d poisoned passages for %d queries", len(texts), len(set(together["query_id"].to_pylist())))
    return together
