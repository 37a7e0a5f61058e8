"""Pages as a news site would send them, made from the articles of the demo corpus: a head full of scripts and meta, a
menu, teasers of other articles, the article in paragraphs with notices between them, a footer. For measurements of
extraction; the same number always gives the same page.
"""

import html
import json
import random
from pathlib import Path

ARTICLES = Path(__file__).resolve().parents[2] / "resources/demo/articles"
PARTS = "latest local regional world opinion pictures".split()
SECTIONS = "News Politics Business Sport Science Culture Food Travel Weather Opinion Letters Archive".split()


def articles() -> list[dict]:
    """Title, date, topic and paragraphs of every demo article."""
    found = []
    for path in sorted(ARTICLES.glob("*/*.md")):
        _, header, text = path.read_text().split("---\n", 2)
        fields = dict(line.split(": ", 1) for line in header.strip().split("\n"))
        found.append(fields | {"paragraphs": text.strip().split("\n\n")})
    return found


def page(number: int, told: list[dict]) -> tuple[str, str]:
    """Address and HTML of one page: the article of that number, with others around it."""
    chance = random.Random(number)
    article = told[number % len(told)]
    others = chance.sample(told, 40)
    title, url = html.escape(article["title"]), f"{article['url']}?page={number}"
    return url, "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>{title} - The Courier</title>",
            _meta(article, title),
            *(_script(chance) for _ in range(6)),
            "<style>" + "".join(f".c{n}{{margin:{n}px;color:#{n:06x}}}" for n in range(300)) + "</style>",
            '</head><body class="article">',
            '<header><div class="logo"><a href="/">The Courier</a></div><nav><ul class="menu">',
            *(_menu(name) for name in SECTIONS),
            "</ul></nav></header>",
            '<div class="layout"><main><article><h1>' + title + "</h1>",
            f'<div class="byline">By <a rel="author" href="/staff/{number % 40}">A Reporter</a>'
            f' <time datetime="{article["date"]}">{article["date"][:10]}</time></div>',
            '<ul class="share"><li><a href="#s1">Share</a></li><li><a href="#s2">Send</a></li></ul>',
            _body(article, chance),
            "</article>",
            _teasers("Related stories", others[:8]),
            _comments(others[:12]),
            "</main><aside>",
            _teasers("Most read", others[8:18]),
            _teasers("From all sections", others[18:]),
            '<div class="newsletter"><p>Our morning letter, every weekday.</p><form><input name="mail"></form></div>',
            "</aside></div><footer>",
            *(f'<div class="col"><a href="/about/{name.lower()}">About {name}</a></div>' for name in SECTIONS),
            "<p>All rights reserved by The Courier of Port Alder.</p></footer>",
            _script(chance),
            "</body></html>",
        ]
    )


def _meta(article, title):
    ld = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article["title"],
        "datePublished": article["date"],
        "publisher": {"@type": "Organization", "name": "The Courier"},
    }
    return "\n".join(
        [
            f'<link rel="canonical" href="{article["url"]}">',
            f'<meta property="og:title" content="{title}">',
            '<meta property="og:site_name" content="The Courier">',
            f'<meta property="article:published_time" content="{article["date"]}">',
            *(f'<meta name="x-part-{n}" content="value {n}">' for n in range(30)),
            *(f'<link rel="preload" as="script" href="/static/part-{n}.js">' for n in range(20)),
            f'<script type="application/ld+json">{json.dumps(ld)}</script>',
        ]
    )


def _script(chance):
    values = [chance.randrange(10**9) for _ in range(500)]
    return f"<script>window.parts=window.parts||[];window.parts.push({json.dumps(values)});</script>"


def _body(article, chance):
    parts = ['<div class="story-body">']
    for number, paragraph in enumerate(article["paragraphs"]):
        words = [html.escape(word) for word in paragraph.split(" ")]
        linked = chance.randrange(len(words))
        words[linked] = f'<a href="/topic/{number}">{words[linked]}</a>'
        parts.append(f"<p>{' '.join(words)}</p>")
        if number % 3 == 1:
            parts.append('<div class="ad-slot" data-size="300x250"><span>Advertisement</span></div>')
    return "\n".join([*parts, "</div>"])


def _menu(name):
    below = "".join(f'<li><a href="/{name.lower()}/{part}"><span>{part}</span></a></li>' for part in PARTS)
    return f'<li class="menu-item"><a href="/{name.lower()}">{name}</a><ul class="sub-menu">{below}</ul></li>'


def _teasers(heading, others):
    parts = [f'<section class="teasers related"><h2>{heading}</h2><ul>']
    for other in others:
        title, lead = html.escape(other["title"]), html.escape(other["paragraphs"][0][:120])
        sizes = ", ".join(f"/img/{width}/i.jpg {width}w" for width in (320, 640, 960, 1280, 1920))
        parts.append(
            f'<li class="teaser"><div class="card"><a href="{other["url"]}"><figure><picture><source srcset="{sizes}">'
            f'<img src="/i.jpg" alt=""></picture></figure><h3><span class="kicker">{other["topic"]}</span> {title}</h3>'
            f'</a><p class="lead">{lead} ...</p><div class="tools"><button><svg viewBox="0 0 9 9"><path d="M0 0L9 9"/>'
            f'</svg></button><time datetime="{other["date"]}">{other["date"][:10]}</time></div></div></li>'
        )
    return "\n".join([*parts, "</ul></section>"])


def _comments(others):
    parts = ['<section id="comments" class="comments"><h2>Comments</h2>']
    for number, other in enumerate(others):
        said = html.escape(other["paragraphs"][-1])
        parts.append(f'<div class="comment"><span class="who">Reader {number}</span><div><p>{said}</p></div></div>')
    return "\n".join([*parts, "</section>"])
