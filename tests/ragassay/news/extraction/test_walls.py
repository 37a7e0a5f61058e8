"""Walls are recognised in several languages, and articles about them are not taken for walls."""

import pytest

from ragassay.news.extraction.walls import CONSENT, PAYWALL, repeated, wall

URL = "https://paper.example/story"
NEWS = (
    "The bridge will be 640 metres long and is to open in spring 2029. Its price is 214 million marks, of which"
    " the state pays 140 million. Once it is open, the ferry will stop. The crews have been promised posts elsewhere."
)
LONG = "\n\n".join([NEWS] * 6)
CONSENTS = {
    "en": "We and our partners store data on your device. You can withdraw your consent at any time. Accept all",
    "de": "Wir und unsere Partner verwenden Cookies. Sie können Ihre Einwilligung jederzeit ändern. Alle akzeptieren",
    "fr": "Nos partenaires et nous utilisons des cookies. Vous pouvez retirer votre consentement. Tout accepter",
    "es": "Utilizamos cookies propias. Puede retirar su consentimiento cuando quiera. Aceptar todo",
    "it": "Noi e i nostri partner usiamo i cookie. Puoi revocare il tuo consenso. Accetta tutto",
    "nl": "Wij en onze partners gebruiken cookies. U kunt uw toestemming intrekken. Alles accepteren",
}
STUBS = {
    "en": "To continue reading this article, choose a plan.",
    "de": "Jetzt weiterlesen mit dem Abo der Zeitung.",
    "fr": "Cet article est réservé aux abonnés.",
    "es": "Contenido exclusivo para suscriptores.",
    "pt": "Já é assinante? Entre aqui.",
    "pl": "Artykuł tylko dla prenumeratorów.",
}


@pytest.mark.parametrize("text", CONSENTS.values(), ids=CONSENTS)
def test_a_question_for_consent(text):
    assert wall(text, URL) == "consent_wall"
    assert wall(LONG + "\n\n" + text, URL) is None, "an article stays one with such a notice below"


@pytest.mark.parametrize("text", STUBS.values(), ids=STUBS)
def test_a_stub_that_asks_for_money(text):
    assert wall(f"{NEWS}\n\n{text}", URL) == "paywall"
    assert wall(f"{LONG}\n\n{text}", URL) is None, "a whole article with an advertisement below"


def test_a_long_text_that_breaks_off_for_subscribers():
    end = "To continue reading, choose a plan. Already a subscriber? Sign in."
    assert wall(f"{LONG}\n\n{end}", URL) == "paywall"
    assert wall(f"{end}\n\n{LONG}", URL) is None


@pytest.mark.parametrize(
    "text",
    [
        f"{NEWS} A court told a shop not to use cookies before it has asked. {NEWS} The notice read: accept cookies.",
        f"The paper lost subscribers. {NEWS} Its paywall went up in May, and many members left.",
        NEWS,
        "",
    ],
)
def test_articles_are_no_walls(text):
    assert wall(text, URL) is None


def test_what_the_publisher_says_is_not_free_and_hosts_for_consent():
    assert wall(LONG, URL, free=False) == "paywall"
    assert wall(LONG, "https://consent.paper.example/?to=story") == "consent_wall"


def test_phrases_are_in_the_form_in_which_they_are_looked_for():
    assert [phrase for phrase in CONSENT + PAYWALL if phrase != phrase.lower() or len(phrase) <= 6] == []


def test_a_text_at_five_addresses_of_one_host_is_boilerplate():
    pages = [(n, f"https://a.example/{n}", "same") for n in range(5)]
    assert repeated(pages) == set(range(5))
    assert repeated([*pages, (9, "https://a.example/9", "other")]) == set(range(5))
    assert repeated(pages[:4]) == set()
    assert repeated([*pages[:4], (5, "https://b.example/5", "same")]) == set()
    assert repeated([*pages[:4], (5, "https://a.example/0", "same")]) == set(), "five pages, but four addresses"
