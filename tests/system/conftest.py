"""A real browser, headless, that starts nothing of its own in the background."""

import pytest
from selenium import webdriver

from system import require

FLAGS = ["headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"]
FLAGS += ["disable-background-networking", "disable-component-update", "disable-dev-shm-usage"]


@pytest.fixture
def browser(tmp_path):
    options = webdriver.ChromeOptions()
    options.binary_location = require("chromium")
    for flag in [*FLAGS, f"user-data-dir={tmp_path / 'profile'}"]:
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=require("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()
