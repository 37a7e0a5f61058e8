"""Where a hostile server may send a fetcher, what its robots.txt may be, and bodies that are meant for whoever reads
them: more behaviours for `attackers/behaviour.py`.
"""

import asyncio
import gzip

from attackers.behaviour import PAGE, answer, ends, head
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


def filled(text: str, place, host: str = "") -> str:
    return text.replace("{4}", str(place.victims[0])).replace("{6}", str(place.victims[1])).replace("{h}", host)


def redirect(location: str, dice) -> bytes:
    status = dice.choice(["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    raw = answer(b"moved", status=status, location="LOCATION")
    return raw.replace(b"LOCATION", location.encode())


def private(dice, place) -> str:
    text = filled(dice.choice(PRIVATE), place)
    return dice.choice([f"http://{text}/", f"http://{text}/latest/meta-data", f"//{text}/x", f"https://{text}/"])


@ends("refused_address")
async def redirect_to_private(out, dice, place):
    await out.send(redirect(private(dice, place), dice))


def to_own(dice, place) -> bytes:
    """A redirect to a host that is the user's own and not for others to open."""
    return redirect(f"http://own.test:{place.victims[0]}/admin?delete={dice.random()}", dice)


@ends("bad_scheme")
async def redirect_to_scheme(out, dice, place):
    await out.send(redirect(filled(dice.choice(SCHEMES), place), dice))


@ends("bad_url")
async def redirect_to_nonsense(out, dice, place):
    await out.send(redirect(filled(dice.choice(BAD), place, place.host), dice))


@ends("refused_port")
async def redirect_to_port(out, dice, place):
    await out.send(redirect(f"http://public.test:{dice.choice([22, 25, 110, 143, 465, 993])}/", dice))


@ends("refused_address")
async def redirect_to_long_name(out, dice, place):
    """Which the name server of this suite knows at a private address."""
    labels = [dice.choice("abc") * 62 for _ in range(3)] + ["d" * dice.randint(50, 63)]
    await out.send(redirect(f"http://{'.'.join(labels)}/", dice))


@ends("too_many_redirects")
async def redirect_loop(out, dice, place):
    await out.send(redirect(dice.choice(["/", "?", f"//{place.host}/", f"/{dice.random()}"]), dice))


@ends("bad_response")
async def redirect_to_nowhere(out, dice, place):
    await out.send(answer(status="302 Found"))


@ends("ok")
async def redirect_with_endless_body(out, dice, place):
    await out.send(head("302 Found", location="/final"))
    await out.forever(b"x" * 10_000)


@ends("disallowed")
async def redirect_to_forbidden(out, dice, place):
    await out.send(redirect(f"http://{place.host.replace('redirect_to_forbidden', 'robots_forbid')}/final", dice))


@ends("too_many_redirects")
async def redirect_between_hosts(out, dice, place):
    """Ping-pong with another host of this server."""
    here, there = "redirect_between_hosts", "redirect_between_hosts_again"
    names = (there, here) if there in place.host else (here, there)
    await out.send(redirect(f"http://{place.host.replace(*names)}/", dice))


async def redirect_between_hosts_again(out, dice, place):
    await redirect_between_hosts(out, dice, place)


async def rules(out, text: str, **headers):
    await out.send(answer(text.encode(), content_type="text/plain", **headers))


@ends("ok")
async def robots_endless(out, dice, place):
    await out.send(head(content_type="text/plain"))
    await out.forever(dice.choice([b"# no end\n" * 500, b"Disallow: /x\n" * 500, b"x" * 9999]))


@ends("robots_unavailable")
async def robots_slow(out, dice, place):
    await out.drip(b"User-agent: *\nDisallow: /private\n" * 20, place, dice)


@ends("robots_unavailable")
async def robots_slow_body(out, dice, place):
    await out.send(head())
    await out.forever(b"# wait\n", place.seconds / 50)


@ends("robots_unavailable")
async def robots_bomb(out, dice, place):
    await out.send(answer(compressed(31, 64, 10), content_encoding="gzip"))


@ends("robots_unavailable")
async def robots_to_private(out, dice, place):
    await out.send(redirect(private(dice, place), dice))


@ends("robots_unavailable")
async def robots_loop(out, dice, place):
    await out.send(redirect(dice.choice(["/robots.txt", f"/robots.txt?{dice.random()}"]), dice))


@ends("robots_unavailable")
async def robots_broken(out, dice, place):
    status = dice.choice(["500 No", "503 Busy", "429 Slow", "502 No", "200 OK"])
    coding = "br" if status == "200 OK" else None
    await out.send(answer(b"User-agent: *\nAllow: /\n", status=status, content_encoding=coding))


@ends("robots_unavailable")
async def robots_costly(out, dice, place):
    """Rules that would take a parser that gives each rule to each robot hours and gigabytes."""
    size = dice.randint(3000, 12_000)
    await rules(out, "".join(f"User-agent: r{n}\n" for n in range(size)) + "Disallow: /x\nAllow: /y\n" * size)


@ends("ok")
async def robots_stars(out, dice, place):
    """Patterns that would take a parser that makes regular expressions of them for ever."""
    await rules(out, "User-agent: *\n" + f"Disallow: /{'*a' * dice.randint(20, 200)}*b$\n" * dice.randint(1, 500))


@ends("ok")
async def robots_garbage(out, dice, place):
    await out.send(answer(dice.randbytes(dice.randint(0, 200_000))))


@ends("ok")
async def robots_page(out, dice, place):
    await out.send(answer(b"<html><p>There is no such file, says a status of 200.</p>" * 50))


@ends("disallowed")
async def robots_forbid(out, dice, place):
    texts = ["User-agent: *\nDisallow: /", "\ufeffUSER-AGENT: Ragassay\r\ndisallow:/\r\n", "user agent: *\rdisallow: *"]
    texts += ["User-agent: ragassay/0.1\nDisallow: /", "User-agent: ragassay/1 (+https://a.example/)\rDisallow: /"]
    body = dice.choice(texts)
    body = body.encode("utf-16") if dice.random() < 0.3 and body.isascii() else body.encode()
    await out.send(answer(body, content_type="text/plain"))


@ends("crawl_delay")
async def robots_delay(out, dice, place):
    lines = ["Crawl-delay: 86400", "Crawl-delay: 1e12", "Request-rate: 1/1h", "Crawl-delay: 60.5"]
    await rules(out, f"User-agent: *\n{dice.choice(lines)}\nAllow: /\n")


@ends("connection")
async def robots_closed(out, dice, place):
    await asyncio.sleep(0)


@ends("put_off")
async def busy(out, dice, place):
    """Asked twice: the second time it is not asked at all."""
    status, after = (
        dice.choice(["429 Slow", "503 Busy"]),
        dice.choice(["3600", "9" * 50, "Fri, 31 Dec 9999 23:59:59 -0000"]),
    )
    await out.send(answer(b"later", status=status, retry_after=after))


async def text(out, dice, kind: str, body: str):
    packed = gzip.compress(body.encode(), 1)
    if dice.random() < 0.5 and len(body) < 90 * len(packed):
        await out.send(answer(packed, content_type=kind, content_encoding="gzip"))
    else:
        await out.send(answer(body.encode(), content_type=kind))


@ends("ok")
async def deep_xml(out, dice, place):
    depth = dice.randint(10_000, 300_000)
    await text(out, dice, "application/rss+xml", "<rss>" + "<a>" * depth + "</a>" * depth + "</rss>")


@ends("ok")
async def entity_expansion(out, dice, place):
    count = dice.randint(5, 30)
    names = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, count))
    start = f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "ha">{names}]>'
    await text(out, dice, "application/rss+xml", f"{start}<rss><channel><title>&e{count - 1};</title></channel></rss>")


@ends("ok")
async def external_entity(out, dice, place):
    where = dice.choice(["file:///etc/passwd", filled("http://127.0.0.1:{4}/", place)])
    start = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "{where}"><!ENTITY % y SYSTEM "{where}"> %y;]>'
    await text(out, dice, "application/rss+xml", f"{start}<rss><channel><title>&x;</title></channel></rss>")


@ends("ok")
async def paragraphs(out, dice, place):
    await text(out, dice, "text/html", "<html><body>" + "<p>a few words here</p>" * dice.randint(150_000, 190_000))


@ends("ok")
async def deep_html(out, dice, place):
    await text(out, dice, "text/html", "<div>" * dice.randint(10_000, 300_000) + "text")


@ends("ok")
async def page(out, dice, place):
    """Nothing hostile: the fetcher must still be able to fetch."""
    await out.send(PAGE)
