"""A small text to read, the demo's articles, and the way from a prompt to the reader's reply."""

import pytest

from project import ROOT
from ragassay.calls.prompts import Prompt
from ragassay.embedded.reader import respond

TEXT = (
    "The Quarrel Lock on the Osse canal opened again on 3 May 2025 after two years of repairs. Mildred Fenn, an"
    " engineer from Dray, led the work. It cost 2.4 million marks, of which the town of Dray paid 600,000. The lock"
    " is 61 metres long and lifts boats by 4.5 metres. About 900 boats used the canal in 1998. She said that the old"
    " oak gates would go to the canal museum. Captain Orlo Bray steered the first boat, the Heron, through the lock."
    " The Heron carried 40 children from the school at Dray."
)


@pytest.fixture
def text():
    return TEXT


@pytest.fixture(scope="session")
def articles():
    """The texts of the demo's articles by name."""
    files = sorted((ROOT / "resources/demo/articles").glob("*/*.md"))
    return {file.stem: file.read_text().split("---\n", 2)[2].strip() for file in files}


@pytest.fixture(scope="session")
def ask():
    prompts = {path.stem: Prompt.load(path) for path in (ROOT / "resources/prompts").glob("*.yaml")}

    def reply(task, index=0, temperature=0, seed=None, **values):
        sampling = {"temperature": temperature} | ({} if seed is None else {"seed": seed})
        words = {"fewest": 13, "most": 18} if "fewest" in prompts[task].labels else {}
        return respond(prompts[task].messages(**words, **values), sampling, index)

    return reply
