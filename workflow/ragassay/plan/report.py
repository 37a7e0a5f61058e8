"""Settings of the report: the sections that the configuration asks for, and how they are shown."""

from ragassay.errors import unknown
from ragassay.plan.config import ConfigError
from ragassay.plan.models import shown


def sections(config: dict, registered: dict) -> list[str]:
    """The sections in their order: those that the configuration names, or all that there is something to show of."""
    named = config["report"]["sections"] or registered
    for name in named:
        if name not in registered:
            raise ConfigError(f"report.sections: {unknown('section', name, registered)}")
    return [name for name in named if registered[name].get("shown", True)]


def render_report(config: dict, explorers: dict) -> dict:
    return {"title": config["report"]["title"], "config": shown(config), "pages": explorers}
