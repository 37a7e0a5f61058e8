"""A pipeline of LangChain: pip install langchain-core rank-bm25"""

import csv
from pathlib import Path

from keyword_model import complete
from langchain_core.documents import Document
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda
from rank_bm25 import BM25Okapi

with Path("data/documents.csv").open(newline="") as file:
    documents = [Document(row["text"], id=row["doc_id"]) for row in csv.DictReader(file)]
index = BM25Okapi([document.page_content.lower().split() for document in documents])
retriever = RunnableLambda(lambda question: index.get_top_n(question.lower().strip("?").split(), documents, n=3))
chain = PromptTemplate.from_template("{question}\n{passages}") | RunnableLambda(lambda prompt: complete(prompt.text))


def ask(question):
    passages = retriever.invoke(question)
    texts = "\n".join(passage.page_content for passage in passages)
    return {
        "answer": chain.invoke({"question": question, "passages": texts}),
        "passages": [{"id": passage.id, "text": passage.page_content} for passage in passages],
    }
