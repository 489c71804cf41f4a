"""A library of 100,000 photos: every view shows the right photos at any scroll position."""

import os
import sqlite3

import pytest

from house import page as pages
from house.broker import BROKER, Broker
from house.person import wait_for
from house.plugins import install_halting

COUNT = 100_000
# The number of real files; all other photos share their bytes.
FILES = 25
FIRST, STEP = 1_100_000_000_000_000, 5_000_000_000


def multiply(scene, count):
    """Add rows up to `count` photos to the stopped broker's store, as if indexed.

    The file `unlisted` blocks the storage's scan, which would find only the real files.
    """
    broker = scene.broker
    (scene.album.folder / "unlisted").write_text("")
    broker.stop()
    database = sqlite3.connect(broker.state / "state.db")
    (library,) = database.execute("SELECT id FROM libraries").fetchone()
    known = dict(database.execute("SELECT locator, asset FROM resources"))
    database.execute("CREATE TEMP TABLE originals (number INTEGER PRIMARY KEY, asset INTEGER)")
    database.executemany(
        "INSERT INTO originals VALUES (?, ?)", [(n, known[name]) for n, name in enumerate(scene.pictures)]
    )
    numbers = f"WITH RECURSIVE n(i) AS (SELECT {FILES} UNION ALL SELECT i + 1 FROM n WHERE i < {count - 1})"
    database.execute(
        f"""{numbers} INSERT INTO assets (id, identifier, created, added, modified, media_type, subtypes, flags, width, height, duration,
          version, file_name, edited, facts_version)
        SELECT {library << 32} + i + 1000, randomblob(16), {FIRST} + i * {STEP}, i, i, 1, 0, i % 50 = 0, 64, 48, 0, 1, printf('IMG_%06d.jpg', i), 0, 1
        FROM n"""
    )
    database.execute(
        f"""{numbers} INSERT INTO resources (asset, place, role, locator, file_name, content_type, size, content_version, identity_hint, digest)
        SELECT {library << 32} + i + 1000, r.place, r.role, r.locator, printf('IMG_%06d.jpg', i),
          r.content_type, r.size, r.content_version, r.identity_hint, r.digest
        FROM n JOIN originals o ON o.number = n.i % {FILES} JOIN resources r ON r.asset = o.asset"""
    )
    database.execute("UPDATE libraries SET next_number = ?", (count + 1000,))
    database.execute("DELETE FROM catalogues")
    database.commit()
    database.close()
    for path in broker.state.iterdir():
        os.chown(path, BROKER, BROKER)
    broker.start()
    for person in broker.people:
        person.new_connection()


def make_large(house, count):
    """A library of `count` photos, with a broker of its own."""
    from conftest import Scene

    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    scene = Scene(broker, FILES, backend=install_halting(house))
    scene.count = count
    multiply(scene, count)
    wait_for(lambda: scene.owner.library(scene.library)["assets"] == count, "the library")
    yield scene
    broker.end()


@pytest.fixture(scope="module")
def large(house):
    yield from make_large(house, COUNT)


# Returns the visible photos by position, and those with a wrong or missing picture.
VISIBLE = r"""() => {
  const box = document.querySelector('.grid').getBoundingClientRect()
  const seen = [], wrong = []
  for (const tile of document.querySelectorAll('.grid .tile')) {
    const at = tile.getBoundingClientRect()
    if (at.bottom <= box.top || at.top >= box.bottom) continue
    seen.push([Number(tile.dataset.at), (tile.getAttribute('aria-label') ?? '').split(', ').find(part => /\.\w{3,4}$/.test(part))])
    if (!tile.classList.contains('loaded') || tile.classList.contains('blank') || !tile.querySelector('img')?.naturalWidth) wrong.push(tile.id)
  }
  return [seen.sort((a, b) => a[0] - b[0]), wrong]
}"""


SETTLED = f"() => {{ const [seen, wrong] = ({VISIBLE})(); return seen.length > 0 && wrong.length === 0 && seen }}"


def settled(window):
    """Wait until every visible photo has its picture; return positions and names, without a gap."""
    seen = window.wait_for_function(SETTLED, polling=100).json_value()
    assert [at for at, _ in seen] == list(range(seen[0][0], seen[-1][0] + 1))
    return seen


def name_at(scene, at):
    return scene.newest_first[at] if at < FILES else f"IMG_{scene.count - 1 - (at - FILES):06}.jpg"


def jump(window, part):
    """Click beside the timeline at this fraction of its height."""
    box = window.get_by_role("slider").bounding_box()
    window.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * part)


def selected(window):
    return int(window.locator(".chooser-foot strong").inner_text().split()[0].replace(",", ""))


@pytest.fixture(scope="module")
def page(large, browser):
    page = pages.Page(large.broker, large.owner, browser)
    yield page
    page.end()


@pytest.fixture
def window(page):
    window = page.window()
    yield window
    assert window.problems == []
    window.context.close()


def test_R21_R22_a_hundred_thousand_photos_are_looked_through_and_thousands_selected(large, window):
    large.app.begin("RequestAuthorization", level="readWrite")
    window.get_by_role("button", name="Select photos").click()
    seen = settled(window)
    assert seen == [[at, name_at(large, at)] for at in range(len(seen))], "the newest, at once"
    arrived(window, COUNT)
    window.locator("progress.loading").wait_for(state="hidden")
    # Each position shows its own photo after jumps and after fast scrolling.
    for part in (0.5, 0.98, 0.02, 0.75, 0.25):
        jump(window, part)
        seen = settled(window)
        assert seen == [[at, name_at(large, at)] for at, _ in seen]
        assert abs(seen[0][0] / COUNT - part) < 0.02
    window.evaluate("""async () => {
      const grid = document.querySelector('.grid')
      for (let n = 0; n < 120; n++) { grid.scrollTop += 4000; await new Promise(requestAnimationFrame) }
    }""")
    seen = settled(window)
    assert seen == [[at, name_at(large, at)] for at, _ in seen]
    # A range over years, and then a whole month.
    jump(window, 0.3)
    first = settled(window)[3][0]
    window.locator(f"#tile-{first}").click()
    jump(window, 0.42)
    last = settled(window)[5][0]
    window.locator(f"#tile-{last}").click(modifiers=["Shift"])
    assert selected(window) == last - first + 1 > 10_000, "more than one message holds"
    jump(window, 0.9)
    settled(window)
    before = selected(window)
    window.get_by_role("button", name="Select all of").first.click()
    month = selected(window) - before
    assert month > 400
    window.get_by_role("button", name="Selected").click()
    settled(window)
    window.locator(".grid").evaluate("grid => grid.scrollTo(0, 0)")
    wait_for(lambda: [place for place, _ in window.evaluate(VISIBLE)[0]][:1] == [0], "the beginning")
    seen = settled(window)
    assert [name for _, name in seen] == [name_at(large, first + at) for at, _ in seen]
    assert window.locator(".tile").first.get_attribute("aria-setsize") == str(before + month)
    total = selected(window)
    window.get_by_role("button", name=f"Allow {total:,} photos").click()
    assert large.app.hear_request() == "limited"
    assert large.app.count() == total
    newest = large.app.call("FetchAssets", limit=100)["assets"]
    assert [a["filename"] for a in newest] == [name_at(large, first + at) for at in range(100)]


def arrived(window, count):
    # A long timeout: a busy machine is slow here, and the test does not measure it.
    wait_for(lambda: window.locator(f".tile[aria-setsize='{count}']").count(), f"{count} photos", 120)


def at(window, place):
    return window.locator(f"#tile-{place}")


def picked(reply):
    return [result["filename"] for result in reply["results"]]


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
      identifiers: each(i => i.toString(16).padStart(32, '0')).join(''), dates: each(i => 1_700_000_000 - i * 600), offsets: each(() => 0),
      widths: each(() => 4000), heights: each(() => 3000), seconds: each(() => 0), marks: each(() => 0), versions: each(() => 1),
      names: each(i => `IMG_${String(i).padStart(7, '0')}.jpg`), next: end < total ? end : null, total, revision, selected: 0 })
  }
}"""


def test_a_library_that_is_higher_than_a_browser_lets_anything_be_is_reached_all_of_it(large, window):
    revision = large.owner.library(large.library)["revision"]
    window.evaluate(A_MILLION, [MILLION, revision])
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    arrived(window, MILLION)
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
    assert 10 < selected(window) < 200
    window.keyboard.press("Home")
    stands(lambda places: places[0] == 0, "the newest")
    assert current() == 0
    # The browser's own scroll to the end, as by a key outside the list.
    window.locator(".grid").evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
    stands(lambda places: places[-1] == MILLION - 1, "the oldest")
    for part in (0.98, 0.5, 0.03, 0.25):
        jump(window, part)
        first = stands(lambda places: abs(places[0] / MILLION - part) < 0.01, f"{part} of the way")[0]
        assert window.get_by_role("slider").get_attribute("aria-valuetext") == window.evaluate(
            "seconds => new Date(seconds * 1000).toLocaleDateString('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' })",
            1_700_000_000 - first * 600,
        )
    # A scrolled pixel moves the photos by one pixel, at any distance from the top.
    top = at(window, first + 12).bounding_box()["y"]
    window.mouse.move(600, 500)
    window.mouse.wheel(0, 40)
    wait_for(lambda: at(window, first + 12).bounding_box()["y"] == top - 40, "as much to have been scrolled")
    passed = window.evaluate("""async () => {
      const grid = document.querySelector('.grid'), first = () => Math.min(...[...document.querySelectorAll('.tile')].map(tile => tile.dataset.at))
      const before = first()
      for (let n = 0; n < 160; n++) { grid.scrollTop += 15000; await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame) }
      return first() - before
    }""")
    rows = 160 * 15000 / at(window, stands(lambda places: True, "the photos")[0]).bounding_box()["height"]
    assert 0.9 < passed / rows / 5 < 1.1
    before = selected(window)
    places = look()
    start, box, edge = places[8], at(window, places[8]).bounding_box(), window.locator(".grid").bounding_box()
    window.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    window.mouse.down()
    window.mouse.move(box["x"] + box["width"] / 2, edge["y"] + edge["height"] - 10)
    wait_for(lambda: selected(window) > before + 100, "the drag to have left the screen that it began on")
    window.mouse.up()
    painted = selected(window) - before
    places = stands(lambda places: start + painted - 1 in places, "where it ended")
    marks = [at(window, place).get_attribute("aria-selected") for place in places]
    assert marks == ["true" if start <= place < start + painted else "false" for place in places]
