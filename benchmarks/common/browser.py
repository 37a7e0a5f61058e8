"""A real browser, which shows pages from disk."""

import shutil
import sys

from selenium import webdriver

FLAGS = ["headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking"]


def program(name: str) -> str:
    """Its path; nothing is downloaded in its place."""
    return shutil.which(name) or sys.exit(f"needs {name} on the PATH")


def browser_in(folder: str) -> webdriver.Chrome:
    """Its profile is in the folder; `with` ends it."""
    options = webdriver.ChromeOptions()
    options.binary_location = program("chromium")
    for flag in [*FLAGS, f"user-data-dir={folder}/profile"]:
        options.add_argument(f"--{flag}")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(program("chromedriver")))
