"""A real browser, headless, that starts nothing of its own in the background."""

import contextlib

import pytest
from selenium import webdriver

import programs

FLAGS = ["headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"]
FLAGS += ["disable-background-networking", "disable-component-update", "disable-dev-shm-usage"]


@contextlib.contextmanager
def chromium(folder):
    """A browser whose profile is in this folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = programs.browser()
    for flag in [*FLAGS, f"user-data-dir={folder / 'profile'}"]:
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=programs.driver(options.binary_location))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def browser(tmp_path):
    """A browser of the test's own."""
    with chromium(tmp_path) as driver:
        yield driver


@pytest.fixture(scope="module")
def shared_browser(tmp_path_factory):
    """One for all tests of a module, which have to leave it as it was."""
    with chromium(tmp_path_factory.mktemp("browser")) as driver:
        yield driver
