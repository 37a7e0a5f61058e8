"""Recognise what sites show instead of an article: a request for consent, a paywall's stub, a text shown at many
addresses. Phrases alone prove nothing: a consent wall speaks of little else; a stub is short, or ends in two
different calls to subscribe. An article declared not free (`isAccessibleForFree`) is behind a paywall."""

import re
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

CONSENT_HOSTS = ("consent", "guce", "cmp", "privacy-mgmt")  # hosts to which a site sends those who have not consented
CONSENT_SHARE, STUB_WORDS, ENDING = 1 / 3, 150, 4
SAME_TEXT_ADDRESSES = 5
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
READ = 20_000  # characters; enough for any wall
# Phrases with which sites ask for consent or for money, in eleven languages, as they stand in small letters. Each says
# so by itself; a word that news use in their own right, such as `subscribers`, is no phrase. Add a language by adding
# lines: the phrases of all languages are looked for in every text.
CONSENT = (
    # English
    *("accept cookies", "accept all", "reject all", "use cookies", "uses cookies", "of cookies", "cookie settings"),
    *("cookie preferences", "cookie policy", "cookie notice", "cookies and similar", "cookies and other"),
    *("withdraw your consent", "give your consent", "manage consent", "your consent", "privacy choices"),
    *("we value your privacy", "our partners", "legitimate interest", "manage your preferences", "privacy policy"),
    # German
    *("alle akzeptieren", "alle ablehnen", "cookies zu", "cookies akzeptieren", "verwenden cookies", "nutzen cookies"),
    *("cookie-einstellungen", "ihre einwilligung", "ihre zustimmung", "unsere partner", "datenschutzerklärung"),
    # French
    *("tout accepter", "tout refuser", "des cookies", "les cookies", "vos choix", "votre consentement"),
    *("nos partenaires", "politique de confidentialité"),
    # Spanish
    *("aceptar todo", "rechazar todo", "utilizamos cookies", "usamos cookies", "las cookies", "de cookies"),
    *("su consentimiento", "tu consentimiento", "nuestros socios", "política de privacidad"),
    # Italian
    *("accetta tutto", "rifiuta tutto", "utilizziamo cookie", "usiamo cookie", "i cookie", "dei cookie"),
    *("il tuo consenso", "il consenso", "nostri partner"),
    # Portuguese
    *("aceitar tudo", "rejeitar tudo", "os cookies", "seu consentimento", "nossos parceiros"),
    # Dutch
    *("alles accepteren", "alles weigeren", "gebruiken cookies", "plaatsen cookies", "uw toestemming"),
    *("jouw toestemming", "onze partners", "privacybeleid"),
    # Swedish, Danish, Norwegian
    *("godkänn alla", "använder cookies", "använder kakor", "ditt samtycke", "våra partner"),
    *("accepter alle", "bruger cookies", "dit samtykke", "vores partnere"),
    *("godta alle", "bruker informasjonskapsler", "ditt samtykke", "våre partnere"),
    # Polish
    *("pliki cookie", "plików cookie", "zaakceptuj wszystko", "twoją zgodę", "naszych partnerów"),
)
PAYWALL = (
    # English
    *("to continue reading", "to keep reading", "to finish reading", "to read the full", "subscribe to read"),
    *("subscribe to continue", "subscribe to unlock", "subscribe now to", "subscribe today to", "already a subscriber"),
    *("already a member", "not a subscriber", "for subscribers only", "available to subscribers"),
    *("exclusive to subscribers", "exclusive to our subscribers", "reserved for subscribers", "for paying subscribers"),
    *("reserved for our members", "exclusive to members", "start your free trial", "start your trial"),
    *("start your subscription", "unlock this article", "unlock this story", "unlock the full"),
    *("subscription required", "free articles", "sign in to read", "log in to read"),
    *("you have reached your", "you've reached your"),
    *("log in or subscribe", "sign in or subscribe", "a subscription to read", "remaining of this article"),
    # German
    *("jetzt weiterlesen", "nur für abonnenten", "exklusiv für abonnenten", "bereits abonnent", "schon abonnent"),
    *("um weiterzulesen", "artikel weiterzulesen", "zum weiterlesen", "jetzt abonnieren", "probeabo", "mit einem abo "),
    *("mit abo weiterlesen", "abo abschließen", "artikel freischalten"),
    # French
    *("réservé aux abonnés", "réservée aux abonnés", "réservé à nos abonnés", "déjà abonné", "abonnez-vous pour"),
    *("pour lire la suite", "poursuivre votre lecture", "poursuivre la lecture", "il vous reste", "je m'abonne"),
    # Spanish
    *("solo para suscriptores", "exclusivo para suscriptores", "ya eres suscriptor", "ya es suscriptor"),
    *("suscríbete para", "para seguir leyendo", "para continuar leyendo"),
    # Italian
    *("riservato agli abbonati", "riservata agli abbonati", "sei già abbonato", "abbonati per", "continuare a leggere"),
    # Portuguese
    *("exclusivo para assinantes", "já é assinante", "assine para", "para continuar lendo", "para continuar a ler"),
    # Dutch
    *("alleen voor abonnees", "exclusief voor abonnees", "al abonnee", "om verder te lezen", "verder lezen?"),
    # Swedish, Danish, Norwegian
    *("för prenumeranter", "redan prenumerant", "fortsätta läsa", "kun for abonnenter", "allerede abonnent"),
    *("læse videre", "lese videre", "lese hele saken"),
    # Polish
    *("tylko dla prenumeratorów", "tylko dla subskrybentów", "aby czytać dalej", "wykup dostęp", "wykup subskrypcję"),
)


def wall(text: str, url: str, free: bool = True) -> str | None:
    """consent_wall or paywall if the text is no article but one of these."""
    text = text[:READ].lower()
    if (urlsplit(url).hostname or "").split(".")[0] in CONSENT_HOSTS or _asks_consent(text):
        return "consent_wall"
    return "paywall" if not free or _asks_money(text) else None


def _asks_consent(text):
    asked = [phrase for phrase in CONSENT if phrase in text]
    if len(asked) < 2:
        return False
    sentences = _sentences(text)
    return sum(any(phrase in sentence for phrase in asked) for sentence in sentences) >= CONSENT_SHARE * len(sentences)


def _asks_money(text):
    calls = [phrase for phrase in PAYWALL if phrase in text]
    if not calls:
        return False
    ending = " ".join(_sentences(text)[-ENDING:])
    at_end = sum(phrase in ending for phrase in calls)
    return at_end > 1 or (at_end == 1 and len(text.split()) < STUB_WORDS)


def _sentences(text):
    """Sentences of a text in small letters, where they only end at marks and lines."""
    return [piece for line in text.split("\n") for piece in SENTENCE_END.split(line) if piece.strip()]


def repeated(pages: Iterable[tuple[str, str, str]]) -> set[str]:
    """Which pages, each an id, an address and the digest of its text, show a text that their host shows at five
    addresses or more; feed it a whole shard.
    """
    places = defaultdict(dict)  # (host, digest) -> address -> ids
    for page, address, digest in pages:
        places[urlsplit(address).hostname, digest].setdefault(address, []).append(page)
    many = (addresses for addresses in places.values() if len(addresses) >= SAME_TEXT_ADDRESSES)
    return {page for addresses in many for ids in addresses.values() for page in ids}
