"""Where content from outside enters: for each door how such content looks when all is well, and what reads it. Whatever
a reader raises beside an error of its kind, and whatever it lets in that is not to be stored, is a finding.
"""

from fuzzing import files, inputs, servers
from fuzzing.door import Door, grown, in_file, values
from fuzzing.files import given, imported, shipped, signed, vectors
from fuzzing.fitted_files import (
    STATISTICS,
    detected,
    fitted_folder,
    gated,
    guarded,
    made,
    numbers,
    opened_recording,
    probed,
    recording,
)
from fuzzing.whole_releases import sample, whole_release
from fuzzing.wire import addresses, batch, click, error_reply, feed, judgement, page, reply, robots_file, service
from ragassay.base.errors import AssayError, Unusable
from ragassay.calls.model import Failure
from ragassay.news.feeds.feed_lists import outlines
from ragassay.news.fetching.links import NotALink
from ragassay.people import _label_files

UNUSABLE, FAILURE = (AssayError, Unusable), (AssayError, Failure)
DOORS = {
    "feeds": Door(grown("feed"), feed, UNUSABLE),
    "pages": Door(grown("page"), page, UNUSABLE),
    "robots": Door(grown("robots"), robots_file),
    "lists of feeds": Door(grown("opml"), lambda content, folder: outlines(content), UNUSABLE),
    "addresses and opt-outs": Door(grown("opt_outs"), addresses, (AssayError, NotALink)),
    "replies": Door(values(inputs.REPLIES), reply, FAILURE),
    "streams": Door(values(inputs.EVENTS, lines=True, form="data: {}\n"), reply, FAILURE),
    "errors of providers": Door(values(inputs.ERRORS), error_reply),
    "output files of batches": Door(
        values(inputs.REPLIES, lines=True, form='{"custom_id": "b-x", "response": {"status_code": 200, "body": {}}}'),
        batch,
    ),
    "lines of batches": Door(
        values([{"custom_id": "b-x", "response": {"status_code": 400, "body": {}}, "error": {}}]), batch
    ),
    "replies of services": Door(values(inputs.SERVICE), service, FAILURE),
    "streams of services": Door(values(inputs.SERVICE, lines=True, form="data: {}\n"), service, FAILURE),
    "judgements": Door(grown("judgement"), judgement),
    "JSON lines": Door(values(inputs.DOCUMENTS, lines=True), in_file("x.jsonl", files.documents)),
    "CSV": Door(grown("csv"), in_file("x.csv", files.documents)),
    "texts with headers": Door(grown("header"), in_file("x.md", files.documents)),
    "Parquet": Door(files.parquet, in_file("x.parquet", files.documents)),
    "Arrow": Door(files.arrow, in_file("x.arrow", files.documents)),
    "corpora": Door(values(inputs.DOCUMENTS, lines=True), in_file("x.jsonl", files.corpus)),
    "web pages in files": Door(grown("page"), files.parsed("html"), UNUSABLE),
    "Word files": Door(files.word, files.parsed("docx"), UNUSABLE),
    "PDF files": Door(files.parts_of_pdf, files.pdf),
    "judgements of relevance": Door(given(files.RELEVANT), in_file("x.csv", files.relevance)),
    "question sets": Door(given(files.QUESTIONS), in_file("x.csv", files.question_set)),
    "files of targets": Door(values([files.TARGETS]), in_file("x.json", files.targets)),
    "vectors of numpy": vectors("npy"),
    "vectors of safetensors": vectors("safetensors"),
    "logs of queries": Door(values(inputs.SPANS), in_file("x.jsonl", files.asked)),
    "logs of queries as CSV": Door(given(files.ASKED), in_file("x.csv", files.asked)),
    "ledgers": Door(signed(inputs.LEDGER), in_file("x.jsonl", files.ledger)),
    "registers of money": Door(values(inputs.REGISTER), in_file("money.json", files.register)),
    "registers of grants": Door(
        values([{"jobs": {"host 1 ab": [1.0, 2], "host 2 cd": [0.5]}}]), in_file("grants.json", files.grants)
    ),
    "leases": Door(values([files.HOLDER]), in_file("lease", files.lease)),
    "clicks": Door(values(inputs.CLICKS), click),
    "bodies of clicks": Door(values(inputs.CLICKS), servers.annotation_server),
    "logs of clicks": Door(signed(inputs.EVENTS_OF_CLICKS), in_file("x.jsonl", files.click_file)),
    "imports as CSV": Door(grown("labels"), imported(_label_files.read_csv)),
    "imports of Label Studio": Door(values([inputs.STUDIO]), imported(_label_files.read_label_studio)),
    "configuration": Door(grown("configuration"), in_file("x.yaml", files.configuration)),
    "tables of shards": Door(given(files.SHARDS), in_file("x.tsv", files.shards)),
    "prompts": Door(shipped(files.PROMPT), in_file("x.yaml", files.prompt)),
    "guidelines": Door(shipped(files.GUIDELINES), in_file("x.yaml", files.guidelines)),
    "releases": Door(values([files.MANIFEST]), in_file("manifest.json", files.release)),
    "whole releases": Door(sample, whole_release),
    "recordings": Door(recording, in_file("x.safetensors", opened_recording)),
    "pages of databases": Door(values(servers.PAGES, lines=True), servers.database),
    "stored pages of databases": Door(servers.stored_page, servers.stored_pages),
    "bodies for guard servers": Door(values(servers.BODIES), servers.guard_server),
    "gates": fitted_folder("gate.json", lambda: made() / "gate/gate.json", gated, STATISTICS),
    "guards": fitted_folder("guard.json", lambda: made() / "trustrag/guard.json", guarded),
    "chains of guards": fitted_folder("guard.json", lambda: made() / "chain/guard.json", guarded),
    "probes": fitted_folder("card.json", lambda: made() / "probes/card.json", probed),
    "detectors": fitted_folder("card.json", lambda: made() / "detector/card.json", detected),
    "weights of probes": numbers(lambda: made() / "probes/card.json", probed),
}
