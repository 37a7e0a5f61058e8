"""Waiting for what has to happen, for as long as the machine takes; pytest ends a test that waits in vain."""

import time

from selenium.webdriver.support.ui import WebDriverWait


def until(condition) -> None:
    while not condition():
        time.sleep(0.01)


def patiently(browser) -> WebDriverWait:
    """To call `until` of, with a function of the browser."""
    return WebDriverWait(browser, float("inf"), 0.02)
