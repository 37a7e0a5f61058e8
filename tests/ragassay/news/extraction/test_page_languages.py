"""The language of a text."""

import pytest

from ragassay.news.extraction.page import language_of

TEXTS = {
    "en": "The bridge will be 640 metres long and is to open in spring, the mayor said on Monday.",
    "de": "Die Brücke wird 640 Meter lang und soll im Frühjahr eröffnet werden, sagte die Bürgermeisterin am Montag.",
    "fr": "Le pont mesurera 640 mètres et doit ouvrir au printemps, a déclaré la maire lundi matin.",
    "es": "El puente tendrá 640 metros y se abrirá en primavera, dijo la alcaldesa el lunes por la mañana.",
    "pl": "Most będzie miał 640 metrów długości i zostanie otwarty wiosną, powiedziała burmistrz w poniedziałek.",
    "ja": "橋の長さは六百四十メートルで、春に開通する予定だと市長が月曜日に述べた。",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items(), ids=TEXTS)
def test_the_language_and_how_sure_it_is(language, text):
    found, confidence = language_of(text)
    assert found == language and 0.9 < confidence <= 1


def test_the_middle_of_a_text_counts():
    assert language_of("\n\n".join([TEXTS["en"], *[TEXTS["de"]] * 8, TEXTS["en"]]))[0] == "de"


@pytest.mark.parametrize("text", ["", "1234 5678", "\ufffd", "x"])
def test_nobody_is_sure_about_nothing(text):
    assert language_of(text)[1] < 0.5
