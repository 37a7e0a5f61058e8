"""Texts that try to run in a page: each sets `window.hacked` if any part of it runs."""

from itertools import product

HACK = "window.hacked=(window.hacked||0)+1"
# What a text may have to end first, where it is put into markup, a script or an attribute.
OPENINGS = (
    "",
    "</script>",
    "</style>",
    "</title>",
    "</textarea>",
    "-->",
    "]]>",
    '">',
    "'>",
    "`>",
    "*/",
    "\\u003c/script>",
)
TAGS = (
    f"<script>{HACK}</script>",
    f"<img src=x onerror={HACK}>",
    f"<svg onload={HACK}>",
    f"<svg><script>{HACK}</script></svg>",
    f"<body onload={HACK}>",
    f"<details open ontoggle={HACK}>",
    f"<input autofocus onfocus={HACK}>",
    f"<video src=x onerror={HACK}></video>",
    f"<iframe srcdoc='<script>parent.{HACK}</script>'></iframe>",
    f"<iframe src=javascript:parent.{HACK}></iframe>",
    f"<object data=javascript:{HACK}></object>",
    f"<a href=javascript:{HACK}>x</a>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={HACK}>",
    f"<style>@import 'javascript:{HACK}';</style>",
    f"<base href=javascript:{HACK}//>",
    f"<template shadowrootmode=open><script>{HACK}</script></template>",
    f"<marquee onstart={HACK}>",
    f"<meta http-equiv=refresh content=0;url=javascript:{HACK}>",
)
OTHERS = (f"{{{{{HACK}}}}}", f"${{{HACK}}}")
PAYLOADS = [opening + tag for opening, tag in product(OPENINGS, TAGS)] + list(OTHERS)
