"""Feeds that are meant to break their readers: more behaviours for `attackers/behaviour.py`. What a crawl may make of
each stands in `attackers/reading.py`.
"""

from attackers.behaviour import answer, ends

CODECS = "undefined idna punycode unicode_escape rot13 zlib utf-7".split()


async def feed(out, body: bytes, content_type="application/rss+xml"):
    await out.send(answer(body, content_type=content_type))


def rss(items: str) -> bytes:
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'.encode()


def item(dice, more="") -> str:
    return f"<item><link>/{dice.random()}</link>{more}</item>"


@ends("ok")
async def feed_in_no_charset(out, dice, place):
    """Declares what Python can decode and the web does not know; some of these codecs raise whatever they are told."""
    name, text = dice.choice(CODECS), item(dice, "<title>caf\xe9</title>").encode("latin-1")
    head = f'<?xml version="1.0" encoding="{name}"?>'.encode() if dice.random() < 0.5 else b""
    content_type = "application/rss+xml" if head else f"application/rss+xml; charset={name}"
    await feed(out, head + b"<rss><channel>" + text + b"</channel></rss>", content_type)


@ends("ok")
async def feed_behind_blank_lines(out, dice, place):
    await feed(out, dice.choice([b"\n", b"\r\n", b" \n"]) * dice.randint(100_000, 1_000_000) + rss(item(dice))[21:])


@ends("ok")
async def feed_of_no_characters(out, dice, place):
    bad = ["&#55357;&#56832;", "&#xD83D;&#xDE00;", "&#55357;", "&#x110000;", "&#0;", f"&#{'9' * 5000};"]
    bad += ["&amp;#55357;", "<![CDATA[&#xDE00;]]>"]
    await feed(out, rss("".join(item(dice, f"<title>{text}</title>") for text in dice.sample(bad, 4))))


@ends("ok")
async def feed_of_too_many_entries(out, dice, place):
    await feed(out, rss("".join(item(dice) for _ in range(dice.randint(2001, 6000)))))


@ends("ok")
async def feed_of_no_addresses(out, dice, place):
    bad = ["http://[]@", "//[]@", "http://[a:b]/", "//[a:b]/", "http://[::1", "http://a.example:port/", "file:///x"]
    await feed(out, rss("".join(f"<item><link>{link}</link></item>" for link in dice.sample(bad, 4))))


@ends("ok")
async def feed_that_takes_for_ever(out, dice, place):
    """What makes a reader's time grow with the square of its length."""
    author = item(dice, f"<author>{'a.' * dice.randint(300_000, 1_000_000)}</author>")
    lines = b"<!-- -->" + b"\n" * dice.randint(500_000, 2_000_000) + rss(item(dice))[21:]
    await feed(out, dice.choice([rss(author), lines]))
