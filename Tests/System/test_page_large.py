"""A library of 100,000 photos on the page: every view holds what it should, wherever it was scrolled to."""
import os
import sqlite3

import pytest

from house import page as pages
from house.broker import BROKER, Broker
from house.person import wait_for
from house.plugins import install_halting

COUNT = 100_000
# Files of their own; the other photos show the same.
FILES = 25
FIRST, STEP = 1_100_000_000_000_000, 5_000_000_000


def multiply(scene):
    """Gives the library COUNT photos, known to the broker as if it had looked into each. Its storage is being listed meanwhile, so
    that nobody finds out that they are the same few files."""
    broker = scene.broker
    (scene.album.folder / "unlisted").write_text("")
    broker.stop()
    database = sqlite3.connect(broker.state / "state.db")
    (library,) = database.execute("SELECT id FROM libraries").fetchone()
    known = dict(database.execute("SELECT locator, asset FROM resources"))
    database.execute("CREATE TEMP TABLE originals (number INTEGER PRIMARY KEY, asset INTEGER)")
    database.executemany("INSERT INTO originals VALUES (?, ?)", [(n, known[name]) for n, name in enumerate(scene.pictures)])
    numbers = f"WITH RECURSIVE n(i) AS (SELECT {FILES} UNION ALL SELECT i + 1 FROM n WHERE i < {COUNT - 1})"
    database.execute(
        f"""{numbers} INSERT INTO assets (id, identifier, created, added, modified, media_type, subtypes, flags, width, height, duration,
          version, file_name, edited)
        SELECT {library << 32} + i + 1000, randomblob(16), {FIRST} + i * {STEP}, i, i, 1, 0, i % 50 = 0, 64, 48, 0, 1, printf('IMG_%06d.jpg', i), 0
        FROM n""")
    database.execute(
        f"""{numbers} INSERT INTO resources SELECT {library << 32} + i + 1000, r.place, r.role, r.locator, printf('IMG_%06d.jpg', i),
          r.content_type, r.size, r.content_version, r.identity_hint, r.digest
        FROM n JOIN originals o ON o.number = n.i % {FILES} JOIN resources r ON r.asset = o.asset""")
    database.execute("UPDATE libraries SET next_number = ?", (COUNT + 1000,))
    database.execute("DELETE FROM catalogues")
    database.commit()
    database.close()
    for path in broker.state.iterdir():
        os.chown(path, BROKER, BROKER)
    broker.start()
    for person in broker.people:
        person.new_connection()


@pytest.fixture(scope="module")
def large(house):
    from conftest import Scene
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    scene = Scene(broker, FILES, backend=install_halting(house))
    multiply(scene)
    wait_for(lambda: scene.owner.library(scene.library)["assets"] == COUNT, "the library")
    yield scene
    broker.end()


# The photos that can be seen, by their places, and what of them is not as it should be.
VISIBLE = """() => {
  const box = document.querySelector('.grid').getBoundingClientRect()
  const seen = [], wrong = []
  for (const tile of document.querySelectorAll('.grid .tile')) {
    const at = tile.getBoundingClientRect()
    if (at.bottom <= box.top || at.top >= box.bottom) continue
    seen.push([Number(tile.dataset.at), (tile.getAttribute('aria-label') ?? '').split(', ').at(-1)])
    if (!tile.classList.contains('loaded') || tile.classList.contains('blank') || !tile.querySelector('img')?.naturalWidth) wrong.push(tile.id)
  }
  return [seen.sort((a, b) => a[0] - b[0]), wrong]
}"""


def settled(window):
    """What can be seen once every photo of the screen has its picture: places and names, without a hole between them."""
    def look():
        seen, wrong = window.evaluate(VISIBLE)
        return seen if seen and not wrong else None
    seen = wait_for(look, "a picture in every place of the screen")
    assert [at for at, _ in seen] == list(range(seen[0][0], seen[-1][0] + 1))
    return seen


def name_at(scene, at):
    return scene.newest_first[at] if at < FILES else f"IMG_{COUNT - 1 - (at - FILES):06}.jpg"


def jump(window, part):
    """Goes where a click beside the timeline goes: this part of the way down."""
    box = window.get_by_role("slider", name="Timeline").bounding_box()
    window.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * part)


def selected(window):
    return int(window.locator(".chooser-foot strong").inner_text().split()[0].replace(",", ""))


def test_R21_R22_a_hundred_thousand_photos_are_looked_through_and_thousands_selected(large, browser):
    page = pages.Page(large.broker, large.owner, browser)
    try:
        window = page.window()
        large.app.begin("RequestAuthorization", level="readWrite")
        window.get_by_role("button", name="Select photos").click()
        seen = settled(window)
        assert seen == [[at, name_at(large, at)] for at in range(len(seen))], "the newest, at once"
        wait_for(lambda: window.evaluate("document.querySelector('.tile').getAttribute('aria-setsize')") == str(COUNT), "all of it")
        window.locator("progress.loading").wait_for(state="hidden")
        # Wherever the timeline leads, and after however fast a scroll, each place shows its own photo.
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
        # From one photo to another one of years before, and a month beside it.
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
        wait_for(lambda: window.evaluate(VISIBLE)[0][0][0] == 0, "the beginning")
        seen = settled(window)
        assert [name for _, name in seen] == [name_at(large, first + at) for at, _ in seen]
        assert window.locator(".tile").first.get_attribute("aria-setsize") == str(before + month)
        total = selected(window)
        window.get_by_role("button", name=f"Allow {total:,} photos").click()
        assert large.app.hear_request() == "limited"
        assert large.app.count() == total
        newest = large.app.call("FetchAssets", limit=100)["assets"]
        assert [a["filename"] for a in newest] == [name_at(large, first + at) for at in range(100)]
        assert window.problems == []
    finally:
        page.end()
