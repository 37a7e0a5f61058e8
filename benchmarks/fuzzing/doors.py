"""Where content from outside enters: for each door how such content looks when all is well, and what reads it. Whatever
a reader raises beside an error of its kind, and whatever it lets in that is not to be stored, is a finding.
"""

from fuzzing import inputs
from fuzzing.door import Door, grown, in_file, values
from fuzzing.files import (
    MANIFEST,
    arrow,
    asked,
    click_file,
    configuration,
    corpus,
    documents,
    grants,
    imported,
    ledger,
    parquet,
    register,
    release,
    signed,
    vectors,
)
from fuzzing.fitted_files import fitted_folder, gated, guarded, made, numbers, probed
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
    "JSON lines": Door(values(inputs.DOCUMENTS, lines=True), in_file("x.jsonl", documents)),
    "CSV": Door(grown("csv"), in_file("x.csv", documents)),
    "texts with headers": Door(grown("header"), in_file("x.md", documents)),
    "Parquet": Door(parquet, in_file("x.parquet", documents)),
    "Arrow": Door(arrow, in_file("x.arrow", documents)),
    "corpora": Door(values(inputs.DOCUMENTS, lines=True), in_file("x.jsonl", corpus)),
    "vectors of numpy": vectors("npy"),
    "vectors of safetensors": vectors("safetensors"),
    "logs of queries": Door(values(inputs.SPANS), in_file("x.jsonl", asked)),
    "ledgers": Door(signed(inputs.LEDGER), in_file("x.jsonl", ledger)),
    "registers of money": Door(values(inputs.REGISTER), in_file("money.json", register)),
    "registers of grants": Door(
        values([{"jobs": {"host 1 ab": [1.0, 2], "host 2 cd": [0.5]}}]), in_file("grants.json", grants)
    ),
    "clicks": Door(values(inputs.CLICKS), click),
    "logs of clicks": Door(signed(inputs.EVENTS_OF_CLICKS), in_file("x.jsonl", click_file)),
    "imports as CSV": Door(grown("labels"), imported(_label_files.read_csv)),
    "imports of Label Studio": Door(values([inputs.STUDIO]), imported(_label_files.read_label_studio)),
    "configuration": Door(grown("configuration"), in_file("x.yaml", configuration)),
    "releases": Door(values([MANIFEST]), in_file("manifest.json", release)),
    "gates": fitted_folder("gate.json", lambda: made() / "gate/gate.json", gated),
    "guards": fitted_folder("guard.json", lambda: made() / "trustrag/guard.json", guarded),
    "chains of guards": fitted_folder("guard.json", lambda: made() / "chain/guard.json", guarded),
    "probes": fitted_folder("card.json", lambda: made() / "probes/card.json", probed),
    "weights of probes": numbers(lambda: made() / "probes/card.json", probed),
}
