"""The owner's page with a larger font size of the browser: no width cuts anything off."""

import pytest

from house.page import start_browser
from house.page_layout import check_header, check_every_view
from house.soak import WHOLE

SIZE = 24


@pytest.fixture(scope="module")
def browser(house, playwright):
    """A browser with a default font size half again as large as usual."""
    with start_browser(playwright, house, None, f"--blink-settings=defaultFontSize={SIZE}") as browser:
        yield browser


@pytest.mark.parametrize(
    "language, width",
    [(language, width) for language in ("en-GB", "de-DE") for width in (1280, 360)]
    if WHOLE
    else [("en-GB", 1280), ("de-DE", 360)],
)
def test_large_letters_are_not_cut_off(scene, page, language, width):
    window = page.open_window(language=language, size=(width, 800))
    assert window.evaluate("() => getComputedStyle(document.documentElement).fontSize") == f"{SIZE}px"
    check_every_view(scene, window)
    assert window.problems == []


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_fits_large_letters_at_every_width(scene, page, language):
    window = page.open_window(language=language, size=(1300, 800))
    check_header(scene, window)
    assert window.problems == []
