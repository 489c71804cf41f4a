"""Search by name in every view of a library; results are shown from the first one."""

import pytest

from house import page as pages
from house.page_views import browse
from house.person import wait_for


@pytest.fixture
def long_library(make_scene, browser):
    """A library of several screens."""
    scene = make_scene(90)
    page = pages.Page(scene.broker, scene.owner, browser)
    scene.window = page.open_window()
    yield scene
    assert scene.window.problems == []
    page.end()


def names_on_screen(window):
    """Return the names of the photos on the screen, from the top."""
    return window.evaluate("""() => {
      const box = document.querySelector('.grid').getBoundingClientRect()
      return [...document.querySelectorAll('.tile')]
        .filter(tile => tile.getBoundingClientRect().bottom > box.top && tile.getBoundingClientRect().top < box.bottom)
        .sort((a, b) => a.dataset.at - b.dataset.at)
        .map(tile => (tile.getAttribute('aria-label') ?? '').split(', ').at(-1))
    }""")


def select(window):
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").first.wait_for()


def scroll(window, pixels):
    """Scroll, and return after the next frames are drawn."""
    window.locator(".grid").evaluate(
        """async (grid, pixels) => {
      grid.scrollTop += pixels
      for (const frame of [1, 2, 3]) await new Promise(requestAnimationFrame)
    }""",
        pixels,
    )


def test_R75_search_results_start_at_the_top_and_the_library_keeps_its_place(long_library):
    window = long_library.window
    long_library.app.begin_request()
    select(window)
    wait_for(
        lambda: names_on_screen(window) and names_on_screen(window)[0] == long_library.newest_first[0], "the library"
    )
    tiles = window.get_by_role("option")
    for number in (0, 1, 2):
        tiles.nth(number).click()
    scroll(window, 900)
    wait_for(
        lambda: names_on_screen(window)[0] not in long_library.newest_first[:10] and all(names_on_screen(window)),
        "the photos below",
    )
    left = names_on_screen(window)
    window.get_by_role("button", name="Selected 3").click()
    wait_for(lambda: names_on_screen(window) == long_library.newest_first[:3], "all that is selected")
    window.get_by_role("button", name="All", exact=True).click()
    wait_for(lambda: names_on_screen(window) == left, "the photos that were looked at before")
    search = window.get_by_role("searchbox")
    search.fill("PICTURE-08")
    wait_for(lambda: names_on_screen(window) == [f"picture-{n:03}.jpg" for n in range(89, 79, -1)], "what was found")
    # The keyboard starts at the first result.
    window.get_by_role("listbox").focus()
    window.keyboard.press("Space")
    wait_for(lambda: tiles.first.get_attribute("aria-selected") == "false", "the first to be taken away")
    search.fill("")
    wait_for(lambda: names_on_screen(window) == left, "the photos that were looked at before")


def test_every_view_finds_names_in_any_normalization(scene, page):
    name = "Cafe\u0301 de Flore.jpg"
    scene.album.add(20, name=name)
    wait_for(lambda: scene.owner.library(scene.library)["assets"] == 7, "the photo")
    scene.allow()
    window = page.open_window()
    search, tiles = window.get_by_role("searchbox"), window.get_by_role("option")

    def find():
        wait_for(lambda: tiles.count() == 7, "the photos")
        search.fill("caf\u00e9 DE")
        wait_for(
            lambda: tiles.count() == 1 and name in (tiles.first.get_attribute("aria-label") or ""),
            "the one that was looked for",
        )
        search.fill("2024-01-21")
        wait_for(lambda: tiles.count() == 1, "the one of that day")
        search.fill("january 2024")
        wait_for(lambda: tiles.count() > 1, "those of that month")
        search.fill("nowhere")
        window.locator(".grid-empty").get_by_text("No photo fits.").wait_for()

    browse(window)
    find()
    window.get_by_role("button", name="Close").click()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="See as this app").click()
    find()
    search.fill("")
    window.get_by_role("button", name="Favourites").click()
    window.locator(".grid-empty").get_by_text("No photo fits.").wait_for()
    window.get_by_role("button", name="Close").click()
    window.get_by_text("Selected photos", exact=True).first.click()
    window.get_by_role("button", name="Change selection").click()
    find()
    assert window.problems == []
