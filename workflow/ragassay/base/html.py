"""What all pages share: autoescaped templates, and a content-security policy that allows exactly a page's own style
and script, by their hashes. Whatever text reaches a page, nothing in it can run or be fetched."""

import base64
import hashlib

import jinja2

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


def _digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
