"""A library of 100,000 photos: every view shows the right photos at any scroll position."""

import pytest

from house import page as pages
from house.large_library import make_large, name_at
from house.page_grid import VISIBLE, wait_for_photos, click_timeline, selected_count, wait_for_pictures, tile
from house.person import wait_for

COUNT = 100_000


@pytest.fixture(scope="module")
def large(house):
    yield from make_large(house, COUNT)


@pytest.fixture(scope="module")
def page(large, browser):
    with pages.Page(large.broker, large.owner, browser) as page:
        yield page


def test_R21_R22_a_hundred_thousand_photos_are_browsed_and_thousands_selected(large, window):
    large.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    seen = wait_for_pictures(window)
    assert seen == [[at, name_at(large, at)] for at in range(len(seen))], "the newest, at once"
    wait_for_photos(window, COUNT)
    window.locator("progress.loading").wait_for(state="hidden")
    # Each position shows its own photo after jumps and after fast scrolling.
    for part in (0.5, 0.98, 0.02, 0.75, 0.25):
        click_timeline(window, part)
        seen = wait_for_pictures(window)
        assert seen == [[at, name_at(large, at)] for at, _ in seen]
        assert abs(seen[0][0] / COUNT - part) < 0.02
    window.evaluate("""async () => {
      const grid = document.querySelector('.grid')
      for (let n = 0; n < 120; n++) { grid.scrollTop += 4000; await new Promise(requestAnimationFrame) }
    }""")
    seen = wait_for_pictures(window)
    assert seen == [[at, name_at(large, at)] for at, _ in seen]
    # A range over years, and then a whole month.
    click_timeline(window, 0.3)
    first = wait_for_pictures(window)[3][0]
    window.locator(f"#tile-{first}").click()
    click_timeline(window, 0.42)
    last = wait_for_pictures(window)[5][0]
    window.locator(f"#tile-{last}").click(modifiers=["Shift"])
    assert selected_count(window) == last - first + 1 > 10_000, "more than one message holds"
    click_timeline(window, 0.9)
    wait_for_pictures(window)
    before = selected_count(window)
    window.get_by_role("button", name="Select all of").first.click()
    month = selected_count(window) - before
    assert month > 400
    window.get_by_role("button", name="Selected").click()
    wait_for_pictures(window)
    window.locator(".grid").evaluate("grid => grid.scrollTo(0, 0)")
    wait_for(lambda: [place for place, _ in window.evaluate(VISIBLE)[0]][:1] == [0], "the beginning")
    seen = wait_for_pictures(window)
    assert [name for _, name in seen] == [name_at(large, first + at) for at, _ in seen]
    assert window.locator(".tile").first.get_attribute("aria-setsize") == str(before + month)
    total = selected_count(window)
    window.get_by_role("button", name=f"Allow {total:,} photos").click()
    assert large.app.hear_request() == "limited"
    assert large.app.count() == total
    newest = large.app.call("FetchAssets", limit=100)["assets"]
    assert [a["filename"] for a in newest] == [name_at(large, first + at) for at in range(100)]


MILLION = 1_000_000


# A simulated library: photos without pictures, ten minutes apart. The page answers itself, because
# a route in Python takes four times as long.
A_MILLION = """([total, revision]) => {
  const ask = window.fetch
  window.fetch = async (url, options) => {
    if (url.endsWith('/thumbnail')) return new Response('{}', { status: 404 })
    if (!url.endsWith('/call/FetchOwnedColumns')) return ask(url, options)
    const { skip, limit } = JSON.parse(options.body), end = Math.min(total, skip + 20 * limit)
    const each = make => Array.from({ length: end - skip }, (_, n) => make(skip + n))
    return Response.json({
      identifiers: each(i => i.toString(16).padStart(32, '0')).join(''), dates: each(i => 1_700_000_000 - i * 600),
      offsets: each(() => 0),
      widths: each(() => 4000), heights: each(() => 3000), seconds: each(() => 0), marks: each(() => 0),
      versions: each(() => 1),
      names: each(i => `IMG_${String(i).padStart(7, '0')}.jpg`), next: end < total ? end : null, total, revision,
      selected: 0 })
  }
}"""


def test_a_library_taller_than_the_browsers_limit_is_fully_reachable(large, window):
    revision = large.owner.library(large.library)["revision"]
    window.evaluate(A_MILLION, [MILLION, revision])
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    wait_for_photos(window, MILLION)
    grid = window.get_by_role("listbox")

    def look():
        """Return the visible positions, or None if there is a gap or a wrong name."""
        seen = window.evaluate(VISIBLE)[0]
        places = [place for place, _ in seen]
        return (
            places
            if seen and seen == [[place, f"IMG_{place:07}.jpg"] for place in range(places[0], places[-1] + 1)]
            else None
        )

    def stands(is_there, what):
        def found():
            places = look()
            return places if places and is_there(places) else None

        return wait_for(found, what)

    def current():
        return int((grid.get_attribute("aria-activedescendant") or "tile--1").removeprefix("tile-"))

    grid.focus()
    window.keyboard.press("End")
    stands(lambda places: places[-1] == MILLION - 1, "the oldest")
    assert current() == MILLION - 1
    for key in ("ArrowUp", "PageUp", "ArrowLeft", "Space"):
        window.keyboard.press(key)
        stands(lambda places: current() in places, "the current one")
    assert MILLION - 200 < current() < MILLION - 10
    window.keyboard.press("Shift+End")
    stands(lambda places: places[-1] == MILLION - 1, "the oldest")
    assert 10 < selected_count(window) < 200
    window.keyboard.press("Home")
    stands(lambda places: places[0] == 0, "the newest")
    assert current() == 0
    # The browser's own scroll to the end, as by a key outside the list.
    window.locator(".grid").evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
    stands(lambda places: places[-1] == MILLION - 1, "the oldest")
    for part in (0.98, 0.5, 0.03, 0.25):
        click_timeline(window, part)
        first = stands(lambda places: abs(places[0] / MILLION - part) < 0.01, f"{part} of the way")[0]
        assert window.get_by_role("slider").get_attribute("aria-valuetext") == window.evaluate(
            "seconds => new Date(seconds * 1000).toLocaleDateString('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' })",
            1_700_000_000 - first * 600,
        )
    # A scrolled pixel moves the photos by one pixel, at any distance from the top.
    top = tile(window, first + 12).bounding_box()["y"]
    window.mouse.move(600, 500)
    window.mouse.wheel(0, 40)
    wait_for(lambda: tile(window, first + 12).bounding_box()["y"] == top - 40, "as much to have been scrolled")
    passed = window.evaluate("""async () => {
      const grid = document.querySelector('.grid'),
        first = () => Math.min(...[...document.querySelectorAll('.tile')].map(tile => tile.dataset.at))
      const before = first()
      for (let n = 0; n < 160; n++) { grid.scrollTop += 15000; await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame) }
      return first() - before
    }""")
    rows = 160 * 15000 / tile(window, stands(lambda places: True, "the photos")[0]).bounding_box()["height"]
    assert 0.9 < passed / rows / 5 < 1.1
    before = selected_count(window)
    places = look()
    start, box, edge = places[8], tile(window, places[8]).bounding_box(), window.locator(".grid").bounding_box()
    window.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    window.mouse.down()
    window.mouse.move(box["x"] + box["width"] / 2, edge["y"] + edge["height"] - 10)
    wait_for(lambda: selected_count(window) > before + 100, "the drag to have left the screen that it began on")
    window.mouse.up()
    painted = selected_count(window) - before
    places = stands(lambda places: start + painted - 1 in places, "where it ended")
    marks = [tile(window, place).get_attribute("aria-selected") for place in places]
    assert marks == ["true" if start <= place < start + painted else "false" for place in places]
