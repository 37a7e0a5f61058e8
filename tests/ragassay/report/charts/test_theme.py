"""Colours: those of the page, told apart by everybody, in light and in dark."""

import re
from itertools import combinations

import numpy as np
import pytest

from project import ROOT
from ragassay.report import theme

# How people without one kind of cone see linear RGB (Machado, Oliveira and Fernandes 2009).
VISION = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def page_colours():
    """The variables of the page in light and in dark."""
    style = (ROOT / "workflow/report/page.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    return [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in (light, dark)]


LIGHT, DARK = page_colours()


def linear(colour):
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    darker, lighter = sorted(linear(colour) @ TO_XYZ[1] for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def test_a_chart_by_itself_has_the_colours_of_the_light_page():
    assert {LIGHT[name]: name for name in theme.VARIABLES.values()} == theme.VARIABLES
    assert set(theme.VARIABLES.values()) <= DARK.keys()


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_series_can_be_told_apart_whatever_colours_somebody_sees(page, vision):
    colours = [page[theme.VARIABLES[colour]] for colour in theme.SERIES]
    seen = [lab(np.array(VISION[vision]) @ linear(colour)) for colour in colours]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 25


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_and_text_stand_out_from_the_card(page):
    assert all(contrast(page[theme.VARIABLES[colour]], page["card"]) >= 3 for colour in theme.SERIES)
    assert all(contrast(page[name], page["card"]) >= 4.5 for name in ("ink", "soft"))
