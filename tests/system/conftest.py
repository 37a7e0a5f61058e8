"""A real browser, headless, that starts nothing of its own in the background."""

import pytest
from selenium import webdriver

import programs

FLAGS = ["headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"]
FLAGS += ["disable-background-networking", "disable-component-update", "disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """One for all tests: to start it takes longer than most of them."""
    options = webdriver.ChromeOptions()
    options.binary_location = programs.browser()
    for flag in [*FLAGS, f"user-data-dir={tmp_path_factory.mktemp('browser') / 'profile'}"]:
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=programs.driver(options.binary_location))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(120)  # of a busy machine
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def browser(chromium):
    """As if it had just been started."""
    chromium.set_window_size(1400, 900)
    yield chromium
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.get("about:blank")
    chromium.get_log("browser")
