"""Where a hostile server may send a fetcher, what its robots.txt may be, and pages and feeds that are meant for whoever
reads them: more behaviours of the form of `attackers/behaviour.py`. What a crawl may make of pages and feeds stands in
`attackers/reading.py`.
"""

import gzip

from attackers.behaviour import PAGE, answer, drip, forever, head
from attackers.bodies import compressed

# {4} and {6} are the ports of the victims.
PRIVATE = """127.0.0.1:{4} [::1]:{6} [::ffff:127.0.0.1]:{4} [::ffff:7f00:1]:{4} 0x7f.1:{4} 0x7f000001:{4}
2130706433:{4} 017700000001:{4} 0177.0.0.1:{4} %31%32%37.0.0.1:{4} 127.1:{4} 127.0.0.2:{4}
127.0.0.1.:{4} 0.0.0.0:{4} 0:{4} [::]:{6} [::127.0.0.1]:{4} [64:ff9b::7f00:1]:{4}
[64:ff9b:1::7f00:1]:{4} [2002:7f00:1::]:{4} [2001:0:7f00:1::]:{4} [fe80::1%25lo]:{6} [::1%25lo]:{6}
localhost:{4} LOCALHOST:{4} ①②⑦.⓪.⓪.①:{4} 127。0。0。1:{4} 169.254.169.254 [::ffff:169.254.169.254]
[fd00:ec2::254] 10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 198.18.0.1 224.0.0.1 [ff02::1]
255.255.255.255 [fc00::1] [fec0::1] 192.0.2.1 [2001:db8::1] 240.0.0.1 [100::1] 0xa9fea9fe 169.254.43518
private.test metadata.test:{4}""".split()
SCHEMES = """file:///etc/passwd file://localhost/etc/passwd ftp://127.0.0.1/ javascript:alert(1) data:text/html,x
gopher://127.0.0.1:{4}/x ws://127.0.0.1:{4}/ about:blank mailto:a@example.org jar:http://127.0.0.1:{4}!/x
chrome://settings view-source:http://127.0.0.1:{4}/ unix:/var/run/docker.sock""".split()
BAD = """http://user:secret@{h}/ http://root@127.0.0.1:{4}/ http://{h}:0/ http://{h}:99999/ http://{h}:port/ http://[::1/
http://[]@ http://[a:b]/ http://.../ http://a..b/ http://-/ http://{h}%00.example.org/ https://:80/""".split()
BAD += ["/" + "x" * 5000, "http://two words/"]
FORBIDDING = [
    "User-agent: *\nDisallow: /", "\ufeffUSER-AGENT: Ragassay\r\ndisallow:/\r\n", "user agent: *\rdisallow: *",
    "User-agent: ragassay/0.1\nDisallow: /", "User-agent: ragassay/1 (+https://a.example/)\rDisallow: /",
]  # fmt: skip
DELAYS = ["Crawl-delay: 86400", "Crawl-delay: 1e12", "Request-rate: 1/1h", "Crawl-delay: 60.5"]
CODECS = "undefined idna punycode unicode_escape rot13 zlib utf-7".split()
NO_CHARACTERS = ["&#55357;&#56832;", "&#xD83D;&#xDE00;", "&#55357;", "&#x110000;", "&#0;", f"&#{'9' * 5000};"]
NO_CHARACTERS += ["&amp;#55357;", "<![CDATA[&#xDE00;]]>"]
NO_ADDRESSES = [
    "http://[]@",
    "//[]@",
    "http://[a:b]/",
    "//[a:b]/",
    "http://[::1",
    "http://a.example:port/",
    "file:///x",
]


def filled(text: str, place, host: str = "") -> str:
    return text.replace("{4}", str(place.victims[0])).replace("{6}", str(place.victims[1])).replace("{h}", host)


def redirect(location: str, dice) -> list[bytes]:
    status = dice.choice(["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    raw = answer(b"moved", status=status, location="LOCATION")
    return [raw.replace(b"LOCATION", location.encode())]


def private(dice, place) -> str:
    text = filled(dice.choice(PRIVATE), place)
    return dice.choice([f"http://{text}/", f"http://{text}/latest/meta-data", f"//{text}/x", f"https://{text}/"])


def to_own(dice, place) -> list[bytes]:
    """A redirect to a host that is the user's own and not for others to open."""
    return redirect(f"http://own.test:{place.victims[0]}/admin?delete={dice.random()}", dice)


def redirect_to_long_name(dice, place):
    """Which the name server of this suite knows at a private address."""
    labels = [dice.choice("abc") * 62 for _ in range(3)] + ["d" * dice.randint(50, 63)]
    return redirect(f"http://{'.'.join(labels)}/", dice)


def redirect_between_hosts(dice, place):
    """Ping-pong with another host of this server."""
    here, there = "redirect_between_hosts", "redirect_between_hosts_again"
    names = (there, here) if there in place.host else (here, there)
    return redirect(f"http://{place.host.replace(*names)}/", dice)


def redirect_to_forbidden(dice, place):
    return redirect(f"http://{place.host.replace('redirect_to_forbidden', 'robots_forbid')}/final", dice)


def redirect_to_port(dice, place):
    return redirect(f"http://public.test:{dice.choice([22, 25, 110, 143, 465, 993])}/", dice)


def rules(text: str) -> list[bytes]:
    return [answer(text.encode(), content_type="text/plain")]


def robots_broken(dice, place):
    status = dice.choice(["500 No", "503 Busy", "429 Slow", "502 No", "200 OK"])
    coding = "br" if status == "200 OK" else None
    return [answer(b"User-agent: *\nAllow: /\n", status=status, content_encoding=coding)]


def robots_costly(dice, place):
    """Rules that would take a parser that gives each rule to each robot hours and gigabytes."""
    size = dice.randint(3000, 12_000)
    return rules("".join(f"User-agent: r{n}\n" for n in range(size)) + "Disallow: /x\nAllow: /y\n" * size)


def robots_stars(dice, place):
    """Patterns that would take a parser that makes regular expressions of them for ever."""
    return rules("User-agent: *\n" + f"Disallow: /{'*a' * dice.randint(20, 200)}*b$\n" * dice.randint(1, 500))


def robots_forbid(dice, place):
    text = dice.choice(FORBIDDING)
    body = text.encode("utf-16") if dice.random() < 0.3 and text.isascii() else text.encode()
    return [answer(body, content_type="text/plain")]


def busy(dice, place):
    """Asked twice: the second time it is not asked at all."""
    status = dice.choice(["429 Slow", "503 Busy"])
    after = dice.choice(["3600", "9" * 50, "Fri, 31 Dec 9999 23:59:59 -0000"])
    return [answer(b"later", status=status, retry_after=after)]


def text(dice, body: str, kind="application/rss+xml") -> list[bytes]:
    packed = gzip.compress(body.encode(), 1)
    if dice.random() < 0.5 and len(body) < 90 * len(packed):
        return [answer(packed, content_type=kind, content_encoding="gzip")]
    return [answer(body.encode(), content_type=kind)]


def deep_xml(dice, place):
    depth = dice.randint(10_000, 300_000)
    return text(dice, "<rss>" + "<a>" * depth + "</a>" * depth + "</rss>")


def entity_expansion(dice, place):
    count = dice.randint(5, 30)
    names = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, count))
    start = f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "ha">{names}]>'
    return text(dice, f"{start}<rss><channel><title>&e{count - 1};</title></channel></rss>")


def external_entity(dice, place):
    where = dice.choice(["file:///etc/passwd", filled("http://127.0.0.1:{4}/", place)])
    start = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "{where}"><!ENTITY % y SYSTEM "{where}"> %y;]>'
    return text(dice, f"{start}<rss><channel><title>&x;</title></channel></rss>")


def paragraphs(dice, place):
    return text(dice, "<html><body>" + "<p>a few words here</p>" * dice.randint(150_000, 190_000), "text/html")


def rss(items: str) -> bytes:
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'.encode()


def item(dice, more="") -> str:
    return f"<item><link>/{dice.random()}</link>{more}</item>"


def feed(body: bytes, content_type="application/rss+xml") -> list[bytes]:
    return [answer(body, content_type=content_type)]


def feed_in_no_charset(dice, place):
    """Declares what Python can decode and the web does not know; some of these codecs raise whatever they are told."""
    name, title = dice.choice(CODECS), item(dice, "<title>caf\xe9</title>").encode("latin-1")
    first = f'<?xml version="1.0" encoding="{name}"?>'.encode() if dice.random() < 0.5 else b""
    content_type = "application/rss+xml" if first else f"application/rss+xml; charset={name}"
    return feed(first + b"<rss><channel>" + title + b"</channel></rss>", content_type)


def feed_behind_blank_lines(dice, place):
    return feed(dice.choice([b"\n", b"\r\n", b" \n"]) * dice.randint(100_000, 1_000_000) + rss(item(dice))[21:])


def feed_of_no_characters(dice, place):
    return feed(rss("".join(item(dice, f"<title>{bad}</title>") for bad in dice.sample(NO_CHARACTERS, 4))))


def feed_of_too_many_entries(dice, place):
    return feed(rss("".join(item(dice) for _ in range(dice.randint(2001, 6000)))))


def feed_of_no_addresses(dice, place):
    return feed(rss("".join(f"<item><link>{link}</link></item>" for link in dice.sample(NO_ADDRESSES, 4))))


def feed_of_a_long_author(dice, place):
    return feed(rss(item(dice, f"<author>{'a.' * dice.randint(300_000, 1_000_000)}</author>")))


def feed_that_takes_for_ever(dice, place):
    """What makes a reader's time grow with the square of its length."""
    categories = "".join(f"<category>{n}</category>" for n in range(dice.randint(20_000, 24_000)))
    lines = b"<!-- -->" + b"\n" * dice.randint(500_000, 2_000_000) + rss(item(dice))[21:]
    return feed(dice.choice([rss(item(dice, categories)), lines]))


PAGES = {  # name -> (expected class, behaviour)
    "redirect_to_private": ("refused_address", lambda dice, place: redirect(private(dice, place), dice)),
    "redirect_to_scheme": ("bad_scheme", lambda dice, place: redirect(filled(dice.choice(SCHEMES), place), dice)),
    "redirect_to_nonsense": (
        "bad_url",
        lambda dice, place: redirect(filled(dice.choice(BAD), place, place.host), dice),
    ),
    "redirect_to_port": ("refused_port", redirect_to_port),
    "redirect_to_long_name": ("refused_address", redirect_to_long_name),
    "redirect_loop": (
        "too_many_redirects",
        lambda dice, place: redirect(dice.choice(["/", "?", f"//{place.host}/", f"/{dice.random()}"]), dice),
    ),
    "redirect_to_nowhere": ("bad_response", lambda dice, place: [answer(status="302 Found")]),
    "redirect_with_endless_body": (
        "ok",
        lambda dice, place: forever(b"x" * 10_000, first=head("302 Found", location="/final")),
    ),
    "redirect_to_forbidden": ("disallowed", redirect_to_forbidden),
    "redirect_between_hosts": ("too_many_redirects", redirect_between_hosts),
    "robots_endless": (
        "ok",
        lambda dice, place: forever(
            dice.choice([b"# no end\n" * 500, b"Disallow: /x\n" * 500, b"x" * 9999]),
            first=head(content_type="text/plain"),
        ),
    ),
    "robots_slow": (
        "robots_unavailable",
        lambda dice, place: drip(b"User-agent: *\nDisallow: /private\n" * 20, place, dice),
    ),
    "robots_slow_body": (
        "robots_unavailable",
        lambda dice, place: forever(b"# wait\n", place.seconds / 50, head()),
    ),
    "robots_bomb": (
        "robots_unavailable",
        lambda dice, place: [answer(compressed(31, 64, 10), content_encoding="gzip")],
    ),
    "robots_to_private": ("robots_unavailable", lambda dice, place: redirect(private(dice, place), dice)),
    "robots_loop": (
        "robots_unavailable",
        lambda dice, place: redirect(dice.choice(["/robots.txt", f"/robots.txt?{dice.random()}"]), dice),
    ),
    "robots_broken": ("robots_unavailable", robots_broken),
    "robots_costly": ("robots_unavailable", robots_costly),
    "robots_stars": ("ok", robots_stars),
    "robots_garbage": ("ok", lambda dice, place: [answer(dice.randbytes(dice.randint(0, 200_000)))]),
    "robots_page": (
        "ok",
        lambda dice, place: [answer(b"<html><p>There is no such file, says a status of 200.</p>" * 50)],
    ),
    "robots_forbid": ("disallowed", robots_forbid),
    "robots_delay": ("crawl_delay", lambda dice, place: rules(f"User-agent: *\n{dice.choice(DELAYS)}\nAllow: /\n")),
    "robots_closed": ("connection", lambda dice, place: []),
    "busy": ("put_off", busy),
    "deep_xml": ("ok", deep_xml),
    "entity_expansion": ("ok", entity_expansion),
    "external_entity": ("ok", external_entity),
    "paragraphs": ("ok", paragraphs),
    "deep_html": ("ok", lambda dice, place: text(dice, "<div>" * dice.randint(10_000, 300_000) + "text", "text/html")),
    "page": ("ok", lambda dice, place: [PAGE]),  # nothing hostile: the fetcher must still be able to fetch
    "feed_in_no_charset": ("ok", feed_in_no_charset),
    "feed_behind_blank_lines": ("ok", feed_behind_blank_lines),
    "feed_of_no_characters": ("ok", feed_of_no_characters),
    "feed_of_too_many_entries": ("ok", feed_of_too_many_entries),
    "feed_of_no_addresses": ("ok", feed_of_no_addresses),
    "feed_of_a_long_author": ("ok", feed_of_a_long_author),
    "feed_that_takes_for_ever": ("ok", feed_that_takes_for_ever),
}
