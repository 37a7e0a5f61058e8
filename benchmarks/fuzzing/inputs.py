"""What comes from outside when all is well: a grammar for each kind of text, and examples of each kind of JSON."""

import json
import random

from fuzzing.mutations import grown

COMMON = {
    "word": ["harbour", "the quay", "Änne", "1", "", "a b", "表", "\U0001f600"],
    "text": ["<<word>>", "<<word>> <<text>>", "<<word>>. <<text>>"],
    "url": ["https://a.example/1", "/x?y=1", "http://b.example:8080/<<word>>", "//c.example", "HTTP://A.EXAMPLE/%41#z"],
    "date": ["2026-10-03", "2026-10-03T10:00:00Z", "Sat, 03 Oct 2026 10:00:00 GMT", "3 Oct 2026", "1790000000", ""],
    "number": ["1", "0", "-1", "2.5", "100000000000", ""],
    "cells": ["<<word>>", "<<word>>,<<cells>>", '"<<text>>",<<cells>>', "<<date>>,<<cells>>"],
}
GRAMMARS = {
    "feed": {
        "start": [
            '<?xml version="1.0"?><rss version="2.0"><channel><title><<text>></title><<items>></channel></rss>',
            '<feed xmlns="http://www.w3.org/2005/Atom"><<entries>></feed>',
            '<?xml version="1.0" encoding="<<charset>>"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
            ' xmlns="http://purl.org/rss/1.0/"><<items>></rdf:RDF>',
        ],
        "charset": ["utf-8", "latin-1", "utf-16", "punycode", "undefined", "<<word>>"],
        "items": ["", "<<item>><<items>>", "<<item>><<item>>"],
        "item": [
            "<item><link><<url>></link></item>",
            "<item><title><<text>></title><link><<url>></link><pubDate><<date>></pubDate><<more>></item>",
        ],
        "more": ["", "<guid><<url>></guid><<more>>", "<author><<text>></author>",
        "<description>&lt;b&gt;<<text>></description>"],
        "entries": ["", '<entry><link href="<<url>>"/><updated><<date>></updated><<more>></entry><<entries>>'],
    },
    "page": {
        "start": ["<html><head><<head>></head><body><<body>></body></html>", "<!doctype html><<body>>", "<<body>>"],
        "head": [
            "", "<title><<text>></title><<head>>", '<meta charset="<<word>>"><<head>>', "<base href=<<url>>><<head>>",
            '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "<<text>>",'
            ' "datePublished": "<<date>>"}</script><<head>>',
            '<meta property="article:published_time" content="<<date>>"><<head>>',
            '<link rel=canonical href="<<url>>"><<head>>',
        ],
        "body": [
            "", "<p><<text>></p><<body>>", "<article><h1><<word>></h1><<body>></article>", "<table><tr><td><<body>>",
            "<div><<body>></div><<body>>", "<time datetime='<<date>>'><<word>></time><<body>>",
            "<ul><li><<text>><<body>></ul>",
        ],
    },
    "robots": {
        "start": ["", "<<group>><<start>>", "Sitemap: <<url>>\n<<start>>", "# <<text>>\n<<start>>"],
        "group": ["User-agent: <<agent>>\n<<rules>>"],
        "agent": ["*", "ragassay", "ragassay/0.1", "<<word>>"],
        "rules": [
            "", "Disallow: <<path>>\n<<rules>>", "Allow: <<path>>\n<<rules>>", "Crawl-delay: <<number>>\n<<rules>>",
            "Request-rate: <<number>>/<<number>>\n<<rules>>",
        ],
        "path": ["/", "", "/*", "/a$", "/<<word>>*<<path>>", "%2F<<path>>"],
    },
    "opml": {
        "start": ['<?xml version="1.0"?><opml version="2.0"><body><<outlines>></body></opml>'],
        "outlines": [
            "", '<outline text="<<word>>" xmlUrl="<<url>>"/><<outlines>>',
            '<outline title="<<word>>"><<outlines>></outline>',
            '<outline type="<<kind>>" XMLURL="<<url>>" htmlUrl="<<url>>" category="<<word>>"/><<outlines>>',
        ],
        "kind": ["rss", "atom", "include", "<<word>>"],
    },
    "csv": {"start": ["id,title,url,date,topic,text\n<<rows>>", "text\n<<rows>>"], "rows": ["", "<<cells>>\n<<rows>>"]},
    "labels": {
        "start": ["item_id,annotator,role,label,comment,labelled_at,seconds\n<<rows>>"],
        "rows": ["", "item-scope-0001,<<word>>,<<role>>,<<label>>,<<text>>,<<date>>,<<number>>\n<<rows>>"],
        "role": ["", "annotator", "adjudicator", "<<word>>"], "label": ["in_scope", "out_of_scope", "defused", ""],
    },
    "header": {
        "start": ["---\n<<lines>>---\n<<text>>", "# <<word>>\n<<text>>", "<<text>>"],
        "lines": ["", "title: <<word>>\n<<lines>>", "date: <<date>>\n<<lines>>", "url: '<<url>>'\n<<lines>>"],
    },
    "opt_outs": {"start": ["", "<<entry>>\n<<start>>"], "entry": ["# <<text>>", "<<url>>", "a.example",
    "*.a.example # x", "<<word>>"]},
    "judgement": {
        "start": ["<<text>>\nVerdict: <<verdict>>", "1. <<text>>\n2. <<text>>\n<<start>>",
        '{"verdict": "<<verdict>>"}', "<<text>>"],
        "verdict": ["yes", "no", "YES and no", "<<word>>"],
    },
    "configuration": {
        "start": ["", "scope:\n  <<scope>>\n<<start>>",
        "models:\n  <<word>>: {provider: <<word>>, model: <<word>>}\n<<start>>",
                  "crawl: {contact: <<url>>, hours_per_host: <<number>>}\n<<start>>",
                  "report: {title: <<text>>}\n<<start>>"],
        "scope": ["generators: [<<word>>]", "judges: [<<word>>, <<word>>]", "annotation: {questions: <<number>>}"],
    },
}  # fmt: skip
USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15, "prompt_tokens_details": {"cached_tokens": 4}}
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "It was Bo."}, "finish_reason": "stop"}
REPLIES = [
    {"id": "c", "model": "m", "choices": [CHOICE], "usage": USAGE},
    {"model": "m", "choices": [CHOICE, CHOICE | {"index": 1, "finish_reason": "length"}], "usage": USAGE},
    {"choices": [CHOICE | {"message": {"content": [{"type": "text", "text": "<think>a</think>b"}]}}]},
    {"error": {"code": 429, "message": "slow down", "metadata": {"reasons": ["x"]}}},
    {"promptFeedback": {"blockReason": "SAFETY"}, "error": None},
]
EVENTS = [
    {"model": "m", "choices": [{"index": 0, "delta": {"content": "It "}}]},
    {"choices": [{"index": 0, "delta": {"content": "was Bo."}, "finish_reason": "stop"}]},
    {"choices": [], "usage": USAGE},
]
SERVICE = [
    {"answer": "Bo.", "passages": [{"text": "a", "id": 1, "score": 0.5, "source": "x.md"}], "cost": {"usd": 0.01}},
    {"answer": "Bo.", "passages": ["a", "b"], "error": {"message": "no"}},
]
ERRORS = [
    {"error": {"message": "Unsupported parameter: 'n'", "type": "invalid_request_error", "param": "n", "code": "x"}},
    {"detail": [{"loc": ["body", "seed"], "msg": "extra fields", "type": "value_error"}]},
    {"message": "This model's maximum context length is 8 tokens", "code": 400},
]
CLICKS = [
    {
        "click": "0000000a",
        "item": "item-scope-0001",
        "place": "scope",
        "label": "in_scope",
        "seen": "",
        "comment": "so",
        "seconds": 3,
    },
    {"click": "0000000b", "item": "item-scope-0001", "place": "adjudication", "label": "in_scope", "seen": ""},
]
STUDIO = [
    {"data": {"item_id": "item-scope-0001"}, "annotations": [
        {"result": [{"from_name": "label", "type": "choices", "value": {"choices": ["in_scope"]}},
                    {"from_name": "comment", "type": "textarea", "value": {"text": ["so"]}}],
         "completed_by": {"email": "a@b.example"}, "created_at": "2026-11-21T09:30:00Z", "lead_time": 3.5}]},
]  # fmt: skip
DOCUMENTS = [
    {
        "id": "1",
        "title": "A",
        "url": "https://a.example/1",
        "date": "2026-10-03",
        "topic": "news",
        "text": "It was. So.",
    },
    {"id": 7, "text": "a", "date": 20261003, "topic": ["x"]},
]
MESSAGES = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "How many days?"}]}])
SPAN = {"traceId": "a", "name": "chat", "startTimeUnixNano": "1790000000000000000", "attributes": [
    {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
    {"key": "gen_ai.input.messages", "value": {"stringValue": MESSAGES}},
    {"key": "gen_ai.prompt.0.content", "value": {"stringValue": "Hi"}}]}  # fmt: skip
PARTS = {
    "kvlistValue": {
        "values": [
            {"key": "role", "value": {"stringValue": "user"}},
            {"key": "content", "value": {"stringValue": "How old?"}},
        ]
    }
}
LISTED = {"key": "gen_ai.input.messages", "value": {"arrayValue": {"values": [PARTS]}}}
EVENT = {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": "Why?"}}]}
OTHERS = [SPAN | {"traceId": "b", "attributes": [LISTED]}, SPAN | {"traceId": "c", "attributes": [], "events": [EVENT]}]
SPANS = [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]} for spans in ([SPAN], OTHERS)]
LEDGER = [
    {"t": "i", "id": "a", "k": "ab" * 32, "s": [0, 1], "w": 0.5},
    {"t": "d", "id": "a", "k": "ab" * 32, "at": 0, "s": [0, 1], "body": json.dumps(REPLIES[0])},
    {"t": "u", "id": "a", "p": 1, "c": 0, "o": 1, "usd": 0.1, "n": 2, "m": "m"},
    {"t": "f", "id": "b", "s": [0], "lost": None},
]
REGISTER = [{"/x/ledger": [0.5, 0.25], "/y/ledger": [0.0, 0.0]}]
GRANTS = [{"jobs": {"host 1 ab": [1.0, 2], "host 2 cd": [0.5]}, "next": 0.5, "learned": None}]
EVENTS_OF_CLICKS = [
    {"event": "join", "person": "Anna", "group": 1, "click": "0000000c", "at": 1790000000000},
    {"event": "label", "person": "Anna", "role": "annotator", "item": "item-scope-0001", "label": "in_scope",
    "comment": "",
     "seconds": 2, "click": "0000000d", "at": 1790000000001},
    {"event": "undo", "person": "Anna", "role": "annotator", "item": "item-scope-0001", "click": "0000000e", "at": 1},
]  # fmt: skip


def text(draw: random.Random, name: str) -> bytes:
    """A text of one of the grammars."""
    return grown(draw, COMMON | GRAMMARS[name])[:100_000].encode()
