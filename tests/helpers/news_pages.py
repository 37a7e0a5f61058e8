"""Pages as a news site would send them, made from the articles of the demo corpus: a head full of scripts and meta, a
menu, teasers of other articles, the article in paragraphs with notices between them, comments, a footer. The same
number always gives the same page.
"""

import html
import json
import random

from project import ROOT

SECTIONS = "News Politics Business Sport Science Culture Food Travel".split()


def articles() -> list[dict]:
    """Title, date, topic and paragraphs of every demo article."""
    rows = []
    for path in sorted((ROOT / "resources/demo/articles").glob("*/*.md")):
        _, header, text = path.read_text().split("---\n", 2)
        fields = dict(line.split(": ", 1) for line in header.strip().split("\n"))
        rows.append(fields | {"paragraphs": text.strip().split("\n\n")})
    return rows


def page(number: int, stories: list[dict]) -> tuple[str, str]:
    """Address and HTML of one page: the article of that number, with others around it."""
    chance = random.Random(number)
    article, others = stories[number % len(stories)], chance.sample(stories, 20)
    title, scripts = html.escape(article["title"]), [_script(chance) for _ in range(6)]
    menu = "".join(f'<li><a href="/{name.lower()}"><span>{name}</span></a></li>' for name in SECTIONS)
    byline = f'<div class="byline">By <a rel="author" href="/staff/7">A Reporter</a> {_time(article)}</div>'
    comments = "".join(f"<div><span>Reader</span><p>{html.escape(one['paragraphs'][-1])}</p></div>" for one in others)
    text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} - The Courier</title>
<link rel="canonical" href="{article["url"]}"><meta property="og:title" content="{title}">
<meta property="og:site_name" content="The Courier">
<meta property="article:published_time" content="{article["date"]}">
<script type="application/ld+json">{json.dumps(_linked_data(article))}</script>
{"".join(scripts)}<style>.body{{margin:1px;color:#010203}}</style></head><body class="article">
<header><a href="/">The Courier</a><nav><ul class="menu">{menu}</ul></nav></header>
<div class="layout"><main><article><h1>{title}</h1>{byline}
<ul class="share"><li><a href="#s1">Share</a></li><li><a href="#s2">Send</a></li></ul>
{_body(article, chance)}</article>{_teasers("Related stories", others[:8])}
<section id="comments" class="comments"><h2>Comments</h2>{comments}</section></main>
<aside>{_teasers("Most read", others[8:])}<div class="newsletter"><p>Our morning letter.</p></div></aside></div>
<footer><a href="/about">About us</a><p>All rights reserved by The Courier of Port Alder.</p></footer></body></html>"""
    return f"{article['url']}?page={number}", text


def _linked_data(article):
    kind = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": article["title"]}
    return kind | {"datePublished": article["date"], "publisher": {"@type": "Organization", "name": "The Courier"}}


def _script(chance):
    values = [chance.randrange(10**9) for _ in range(500)]
    return f"<script>window.parts=window.parts||[];window.parts.push({json.dumps(values)});</script>\n"


def _time(article):
    return f'<time datetime="{article["date"]}">{article["date"][:10]}</time>'


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


def _teasers(heading, others):
    parts = [f'<section class="teasers related"><h2>{heading}</h2><ul>']
    for other in others:
        title, lead = html.escape(other["title"]), html.escape(other["paragraphs"][0][:120])
        picture = '<picture><source srcset="/img/320/i.jpg 320w"><img src="/i.jpg" alt=""></picture>'
        parts.append(
            f'<li class="teaser"><div class="card"><a href="{other["url"]}"><figure>{picture}</figure>'
            f'<h3><span class="kicker">{other["topic"]}</span> {title}</h3></a><p class="lead">{lead} ...</p>'
            f"<div><button>Save</button>{_time(other)}</div></div></li>"
        )
    return "\n".join([*parts, "</ul></section>"])
