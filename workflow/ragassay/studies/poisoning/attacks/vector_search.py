"""What questions find by vectors in a corpus under attack: poisoned passages are searched apart and join what the clean
corpus gave, which is what one search of both would find.
"""

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.search import neighbours as found
from ragassay.search.nearest import comparable, nearest
from ragassay.studies.poisoning.attacks import joining


def search(
    queries, neighbours, poisoned_passages, encoder, query_encoder, embeddings, similarity, count, tried=None
) -> pa.Table:
    """Rows like those of the table neighbours. A poisoned passage has no title, whatever titles the clean ones are
    searched with.
    """
    (names, texts), asked = joining.poisoned(poisoned_passages), joining.asked(queries, tried)
    clean = tables.read(NEIGHBOURS, neighbours)
    rankings = [clean.filter(pc.is_in(clean["query_id"], pa.array(asked["query_id"])))]
    if texts:
        of_passages = Embedder(Encoder(**encoder), embeddings)
        of_queries = of_passages if query_encoder == encoder else Embedder(Encoder(**query_encoder), embeddings)
        wanted = comparable(of_queries.embed(asked["text"], "query"), similarity)
        given = (comparable(block, similarity) for block in of_passages.stream(texts, "passage"))
        positions, scores = nearest(wanted, given, count)
        rankings.append(found.rows(asked["query_id"], names, positions, scores))
    together = found.merged(rankings, count)
    log.info("%d poisoned passages for %d queries", len(texts), len(set(together["query_id"].to_pylist())))
    return together
