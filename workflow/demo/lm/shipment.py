"""The demo's language model as it is shipped in resources/demo/demo-lm, so that no run of the default trains it.

`make demo-lm` trains it again by the rule train_demo_lm and calls this module, which puts it there and writes a recipe
into the card's head: a digest over what the demo's articles teach and how. A test compares the recipe with today's
articles, prompts and settings.
"""

import re
import shutil
from pathlib import Path

from demo.lm import course
from demo.lm.lessons import read_facts
from ragassay.base.atomic import building, write_text
from ragassay.base.errors import AssayError
from ragassay.calls.prompts import Prompt
from ragassay.config import schema
from ragassay.config.settings import checked, read
from ragassay.documents.sources import document_files, records

TRAINED, SHIPPED, CARD = Path("results/models/demo-lm"), Path("resources/demo/demo-lm"), "README.md"
ARTICLES, FACTS = "resources/demo/articles", "resources/demo/facts.csv"
CONFIG = "config/config.yaml"
PROMPTS = [f"resources/prompts/{name}.yaml" for name in ("answer_closed_book", "respond_passages")]
LINE = re.compile(r"^recipe: (\w+)$", re.MULTILINE)


class ShippedError(AssayError):
    """The shipped model does not belong to the demo's articles, lessons and settings."""


def recipe(root: Path) -> str:
    """The recipe of today's articles, prompts and settings in the project `root`."""
    settings = checked(read(root / CONFIG), [], schema.merged())["demo_lm"]
    articles = [record.fields | {"doc_id": record.file} for record in records(document_files(root / ARTICLES))]
    prompts = [Prompt.load(root / path) for path in PROMPTS]
    material = course.course(
        articles, read_facts(root / FACTS, articles), bool, prompts, settings["vocabulary"], settings["seed"]
    )
    return course.recipe(material, {name: value for name, value in settings.items() if name != "trained_on"})


def check(root: Path) -> None:
    """Raises ShippedError if the shipped model was trained on other articles or lessons, or in another way."""
    found, expected = LINE.search((root / SHIPPED / CARD).read_text(encoding="utf-8")), recipe(root)
    if not found or found[1] != expected:
        told = f"the recipe {found[1]}" if found else "no recipe"
        raise ShippedError(
            f"{SHIPPED / CARD}: found {told}, expected {expected}, that of the demo's articles, lessons, tokenizer and"
            " training settings as they are now; run `make demo-lm`"
        )


def ship(root: Path) -> None:
    """Put the model that was trained into the place of the shipped one."""
    with building(root / SHIPPED) as folder:
        for path in (root / TRAINED).iterdir():
            if not path.name.startswith("."):
                shutil.copyfile(path, folder / path.name)
        card = (folder / CARD).read_text(encoding="utf-8")
        write_text(folder / CARD, card.replace("tags: [demo]\n", f"tags: [demo]\nrecipe: {recipe(root)}\n"))


if __name__ == "__main__":
    ship(Path.cwd())
