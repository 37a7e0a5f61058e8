"""A pipeline of Haystack: pip install haystack-ai"""

import csv
import os
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # it would report to its makers how it is used

from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from keyword_model import complete


@component
class Model:
    @component.output_types(answer=str)
    def run(self, prompt: str):
        return {"answer": complete(prompt)}


store = InMemoryDocumentStore()
with Path("data/documents.csv").open(newline="") as file:
    store.write_documents([Document(id=row["doc_id"], content=row["text"]) for row in csv.DictReader(file)])
pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=3))
template = "{{ question }}\n{% for passage in passages %}{{ passage.content }}\n{% endfor %}"
pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
pipeline.add_component("model", Model())
pipeline.connect("retriever.documents", "prompt.passages")
pipeline.connect("prompt.prompt", "model.prompt")


def ask(question):
    inputs = {"retriever": {"query": question}, "prompt": {"question": question}}
    outputs = pipeline.run(inputs, include_outputs_from={"retriever"})
    documents = outputs["retriever"]["documents"]
    passages = [{"id": document.id, "text": document.content, "score": document.score} for document in documents]
    return {"answer": outputs["model"]["answer"], "passages": passages}
