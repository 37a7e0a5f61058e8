"""What all pages share: autoescaped templates, and a content-security policy that allows exactly a page's own style
and script, by their hashes. Whatever text reaches a page, nothing in it can run or be fetched."""

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path

import jinja2
from markupsafe import Markup

from ragassay.base.pipeline import typed


def environment(loader: jinja2.BaseLoader | None = None) -> jinja2.Environment:
    options = {"undefined": jinja2.StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    templates = jinja2.Environment(loader=loader, autoescape=True, **options)
    templates.filters["typed"] = typed
    return templates


def policy(style: str, behaviour: str, nonce: str = "") -> str:
    """For a page with this style and this script and nothing else but, if there is a nonce, the style sheets that name
    it. A page that is opened as a file has no origin that a policy could allow instead.
    """
    styles = f"'{_digest(style)}'" + (f" 'nonce-{nonce}'" if nonce else "")
    allowed = f"style-src {styles}; script-src '{_digest(behaviour)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"


def page(template: str, shared: Iterable, style, behaviour: Iterable, made, filters: dict, **content) -> str:
    """A page with its style and its script, of which each file of `behaviour` is a part. `shared` are files of
    templates, that of the page among them; `made` is its provenance.
    """
    style, behaviour = Path(style).read_text().strip(), "\n".join(Path(part).read_text().strip() for part in behaviour)
    templates = environment(jinja2.DictLoader({Path(file).name: Path(file).read_text() for file in shared}))
    templates.filters |= filters
    look = {"style": Markup(style), "behaviour": Markup(behaviour), "policy": policy(style, behaviour, made.nonce)}
    return templates.get_template(template).render(**look, made=made, **content)


def _digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
