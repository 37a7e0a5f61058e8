"""The assay card in a real browser: it fits a phone, follows light and dark, and nothing in it runs."""

import pytest
from axe_core_python.base import AXE_SCRIPT

from payloads import PAYLOADS
from project import ROOT
from ragassay.base import tables
from ragassay.report import provenance
from ragassay.schemas.report import METRICS, metric
from ragassay.schemas.services import SERVICE_OUTCOMES
from scripts.services.render_card import render_card

pytestmark = pytest.mark.system
NAMES = ["archive", "a-service-with-a-name-of-fifty-five-letters-and-no-break"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Of two services with all that a card may hold, compared with an earlier one."""
    folder, evil = tmp_path_factory.mktemp("card"), "".join(PAYLOADS)
    rows, outcomes = [], []
    for at, name in enumerate(NAMES):
        keys = {"service": f"service:{name}"}
        for share in ("answered_out_of_scope", "refused_in_scope", "supported"):
            rows.append(metric("services", "services", keys | {"asked": evil}, share, 0.25, 8, 0.1, 0.4 + at / 10))
        rows.append(metric("services", "poison", keys | {"attack": evil}, "poison_got_through", 0.5, 20, 0.3, 0.7))
        outcomes += [
            {"asked": evil, "responder": f"service:{name}", "question_id": f"q{number}", "doc_id": f"d{number}"}
            | dict.fromkeys(("answered_out_of_scope", "refused_in_scope", "supported"), number < 2)
            for number in range(8)
        ]
    for share in ("answered_out_of_scope", "refused_in_scope"):
        pair = {"asked": evil, "first": f"service:{NAMES[0]}", "second": f"service:{NAMES[1]}"}
        rows.append(metric("services", "differences", pair, share, 0.1, 8, -0.1, 0.3))
    tables.write(METRICS, folder / "metrics.parquet", rows)
    outcomes = [dict.fromkeys(SERVICE_OUTCOMES.schema.names) | row for row in outcomes]
    tables.write(SERVICE_OUTCOMES, folder / "outcomes.parquet", outcomes)
    given = {name: folder / f"{name}.parquet" for name in ("metrics", "outcomes")}
    given |= {name: ROOT / f"workflow/report/page.{kind}" for name, kind in (("style", "css"), ("behaviour", "js"))}
    given["templates"] = [ROOT / f"workflow/report/{name}.html.j2" for name in ("card", "provenance")]
    given |= {"gates": [], "title": evil, "versions": dict.fromkeys(NAMES, evil), "report": "index.html"}
    given |= {"resamples": 20, "seed": 1, "flips": 99, "models": {}, "command": evil}
    for place, earlier in (("before", []), ("now", [folder / "before/card.json"])):
        render_card(**given, earlier=earlier, page=folder / place / "card.html", card=folder / place / "card.json")
    provenance.mark(folder, {})
    return (folder / "now/card.html").as_uri()


@pytest.fixture
def opened(page, browser):
    """A function that opens the page at a width, with all details open."""

    def of(width, scheme):
        browser.get("about:blank")
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(page)
        browser.execute_script("document.querySelectorAll('details').forEach(box => box.open = true)")
        return browser

    return of


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_serious_fault_of_accessibility_and_fits(opened, width, scheme):
    browser = opened(width, scheme)
    wide, seen = browser.execute_script("return [document.querySelector('main').scrollWidth, window.innerWidth]")
    assert seen == width and wide <= width
    browser.execute_script(AXE_SCRIPT)
    faults = browser.execute_async_script("const done = arguments[0]; axe.run().then(done)")["violations"]
    assert [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in faults if fault["impact"] != "minor"] == []


def test_nothing_in_it_runs_or_is_fetched(opened):
    browser = opened(1280, "light")
    assert browser.execute_script("return window.hacked ?? performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.querySelectorAll('section h2').length") == 6
