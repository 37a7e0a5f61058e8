"""A pipeline of LlamaIndex: pip install llama-index-core llama-index-retrievers-bm25"""

import csv
from pathlib import Path

from keyword_model import complete
from llama_index.core import PromptTemplate
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever


class Model(CustomLLM):
    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, formatted=False, **settings):
        return CompletionResponse(text=complete(prompt))

    def stream_complete(self, prompt, formatted=False, **settings):
        yield self.complete(prompt)


with Path("data/documents.csv").open(newline="") as file:
    nodes = [TextNode(id_=row["doc_id"], text=row["text"]) for row in csv.DictReader(file)]
retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=3)
prompt = PromptTemplate("{query_str}\n{context_str}")
engine = RetrieverQueryEngine.from_args(retriever, llm=Model(), text_qa_template=prompt)


def ask(question):
    response = engine.query(question)
    passages = [{"id": node.node_id, "text": node.text, "score": node.score} for node in response.source_nodes]
    return {"answer": response.response, "passages": passages}
