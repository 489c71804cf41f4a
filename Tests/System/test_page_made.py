"""The page over a made library of thousands of photos and videos, each with a file of its own.

People select, while another window changes something, the broker restarts, an app dies or the
storage stalls. In a soak the library has more than 100,000 files; in a gate test_page_large has as
many photos.
"""

import contextlib
import math
import os
import pathlib
import signal
from types import SimpleNamespace

import pytest

from house import made, page as pages
from house.broker import Broker
from house.page_grid import VISIBLE, wait_for_photos, click_timeline, selected_count, tile
from house.person import Refused, children, wait_for
from house.pickers import filenames
from house.soak import WHOLE

# The first test waits until all files are indexed.
pytestmark = pytest.mark.timeout(900)
FILES, CHOSEN = (105_000, 5_000) if WHOLE else (6_000, 1_000)
ASKS = {"PHPhotoLibraryPreventAutomaticLimitedAccessAlert": None}


@pytest.fixture(scope="module")
def library(house):
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    owner, app = broker.owner(), broker.app()
    folder = made.make(house, "made", owner.uid, "--rows", FILES, "--files", FILES)
    owner.call("AddLibrary", name="made", options={"path": str(folder)}, offeredTo=[app.uid])
    count = owner.wait_for_library("made", seconds=800)["assets"]
    assert count > FILES * 0.95
    yield SimpleNamespace(broker=broker, owner=owner, uid=app.uid, count=count, name="made")
    broker.end()


@pytest.fixture(scope="module")
def page(library, browser):
    with pages.Page(library.broker, library.owner, browser) as page:
        yield page


@pytest.fixture
def windows(page):
    """Factory of windows, which must have no problems at the end."""
    opened = []

    def open_window(**options):
        opened.append(page.open_window(**options))
        return opened[-1]

    yield open_window
    for window in opened:
        window.context.close()
    assert [window.problems for window in opened] == [[] for _ in opened]


@pytest.fixture
def make_app(library):
    """Factory of apps for one test; a limited app sees the newest photos."""
    apps = []

    def make(status=None, **manifest):
        app = library.broker.app(uid=library.uid)
        apps.append(app)
        app.introduce(f"org.example.app-{app.process.pid}", **manifest)
        if status:
            # By a file, so that a prompt about the selection comes as in a later life cycle.
            entry = {"library": library.name, "app": app.name, "level": "readWrite", "status": status}
            selected = {"select": [{"last": CHOSEN}]} if status == "limited" else {}
            library.owner.call("Apply", grants=[{**entry, **selected, "terms": {"deletions": "allow"}}])
        if status:
            assert app.request() == status
        return app

    yield make
    # An app's end closes its pickers, also after a failed test.
    for app in apps:
        app.end()
        # The owner cannot remove an app without a prompt or grant.
        with contextlib.suppress(Refused):
            library.owner.call("RemoveApp", app=app.name)


def settled(window):
    """Wait until each visible photo has its picture or is known to have none; return them all."""

    def look():
        seen, wrong = window.evaluate(VISIBLE)
        blank = set(window.evaluate("() => [...document.querySelectorAll('.grid .tile.blank')].map(tile => tile.id)"))
        return seen if seen and not set(wrong) - blank else None

    seen = wait_for(look, "a picture in every place of the screen", 60)
    assert [place for place, _ in seen] == list(range(seen[0][0], seen[-1][0] + 1))
    return seen


def names_by_local_time(library):
    """Return all file names, newest first by the clock at the place of capture, as the page lists them."""
    undated, unknown_zone = 32, 128

    def clock(date, offset, marks, _):
        return -math.inf if marks & undated else date + (0 if marks & unknown_zone else 60 * offset)

    rows, skip = [], 0
    while skip is not None:
        page = library.owner.call("FetchOwnedColumns", library=library.name, skip=skip)
        rows += zip(page["dates"], page["offsets"], page["marks"], page["names"])
        skip = page.get("next")
    return [row[3] for row in sorted(rows, key=lambda row: -clock(*row))]


def videos_of(library):
    return library.owner.call("FetchOwnedAssets", library=library.name, limit=1, selector={"mediaType": "video"})[
        "total"
    ]


def open_app(window, app):
    window.get_by_role("link", name="Apps").click()
    window.locator(f"a.row[href*='{app.name}']").click()


def open_selection(window, library):
    window.get_by_role("button", name="Change selection").click()
    wait_for_photos(window, library.count)
    wait_for(lambda: selected_count(window) == CHOSEN, "what is selected")


def test_R21_R59_an_apps_view_shows_the_selection_in_the_owners_order(library, windows):
    window = windows()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    wait_for_photos(window, library.count)
    for part in (0.02, 0.3, 0.6, 0.97):
        click_timeline(window, part)

        # A busy machine indexes some files again, and the page follows their new facts.
        def is_same():
            seen = settled(window)
            return [name for _, name in seen] == names_by_local_time(library)[seen[0][0] :][: len(seen)]

        wait_for(is_same, "the page to show what the broker has")
    videos = videos_of(library)
    window.get_by_role("group", name="Show").get_by_role("button", name="Videos").click()
    wait_for_photos(window, videos)
    assert library.count // 100 < videos < library.count // 10


def test_R56_a_life_cycle_prompt_is_kept_and_changed(library, windows, make_app):
    window = windows()
    first, second = make_app("limited", name="First", **ASKS), make_app("limited", name="Second", **ASKS)
    assert first.count() == second.count() == CHOSEN
    card = window.get_by_role("article").filter(has_text="Second")
    card.get_by_role("button", name="Keep selection").click()
    card.wait_for(state="detached")
    window.get_by_role("article").filter(has_text="First").get_by_role("button", name="Change selection…").click()
    wait_for_photos(window, library.count)
    wait_for(lambda: selected_count(window) == CHOSEN, "what is selected")
    click_timeline(window, 0.6)
    tile(window, settled(window)[2][0]).click()
    assert first.count() == CHOSEN, "as it is until it is saved"
    window.get_by_role("button", name=f"Save {CHOSEN + 1:,} photos").click()
    wait_for(lambda: first.count() == CHOSEN + 1, "the change")
    window.get_by_text("Nothing is waiting for you").wait_for()
    assert second.count() == CHOSEN


def in_german(number):
    return f"{number:,}".replace(",", ".")


def test_R51_a_change_in_one_window_appears_in_the_other(library, windows, make_app):
    app = make_app("limited", name="Journal")
    here, there = windows(), windows(language="de-DE")
    there.get_by_role("link", name="Apps").click()
    there.locator(f"a.row[href*='{app.name}']").click()
    there.get_by_role("heading", name=f"{in_german(CHOSEN)} ausgewählte Fotos").wait_for()
    there.get_by_role("button", name="Auswahl ändern").click()
    wait_for_photos(there, library.count)
    open_app(here, app)
    open_selection(here, library)
    click_timeline(here, 0.8)
    place = settled(here)[0][0]
    tile(here, place).click()
    here.get_by_role("button", name=f"Save {CHOSEN + 1:,} photos").click()
    here.get_by_role("heading", name=f"{CHOSEN + 1:,} selected photos").wait_for()
    # The other window follows, although a selection is open there.
    wait_for(
        lambda: there.locator(".chooser-foot strong").inner_text().startswith(f"{in_german(CHOSEN + 1)} "),
        "the other window to follow",
    )
    click_timeline(there, 0.8)
    settled(there)
    assert tile(there, place).get_attribute("aria-selected") == "true"
    assert app.count() == CHOSEN + 1


def test_R131_a_change_of_thousands_is_undone_and_shown_as_the_app_sees_it(library, windows, make_app):
    app = make_app("limited", name="Journal")
    window = windows()
    open_app(window, app)
    open_selection(window, library)
    window.keyboard.press("Control+a")
    wait_for(lambda: selected_count(window) == library.count, "all")
    window.get_by_role("button", name=f"Save {library.count:,} photos").click()
    window.get_by_role("heading", name=f"{library.count:,} selected photos").wait_for()
    assert app.count() == library.count
    window.get_by_role("button", name="Undo", exact=True).first.click()
    window.get_by_role("heading", name=f"{CHOSEN:,} selected photos").wait_for()
    assert app.count() == CHOSEN
    window.get_by_role("button", name="See as this app").click()
    wait_for_photos(window, CHOSEN)
    names = [a["filename"] for a in app.call("FetchAssets", limit=100)["assets"]]
    assert all(name == names[place] for place, name in settled(window))


def test_R80_R91_videos_of_distant_years_are_picked_in_order(library, windows, make_app):
    window = windows()
    app = make_app(name="Mailer")
    app.begin("io.photobroker.Picker.Present", selectionLimit=2, ordered=True, mediaTypes=["video"])
    window.get_by_role("button", name="Pick…").click()
    wait_for_photos(window, videos_of(library))
    places = []
    for part in (0.9, 0.05):
        click_timeline(window, part)
        places.append(settled(window)[1][0])
        tile(window, places[-1]).click()
    window.get_by_role("button", name="Give 2").click()
    reply = app.hear()
    assert len(filenames(reply)) == 2 and all(
        pathlib.PurePath(name).suffix.upper() in (".MOV", ".MP4") for name in filenames(reply)
    ), reply


def test_a_dead_apps_prompt_can_be_answered(library, windows, make_app):
    window, other, app = windows(), windows(), make_app(name="Short-lived")
    app.begin_request()
    other.get_by_role("button", name="Select photos").wait_for()
    window.get_by_role("button", name="Select photos").click()
    wait_for_photos(window, library.count)
    window.get_by_role("button", name="Select all of").first.click()
    chosen = selected_count(window)
    app.process.kill()
    app.waiting = False
    wait_for(
        lambda: all(a["connections"] == 0 for a in library.owner.call("ListApps")["apps"] if a["app"] == app.name),
        "its end",
    )
    click_timeline(window, 0.5)
    tile(window, settled(window)[0][0]).click()
    window.get_by_role("button", name=f"Allow {chosen + 1:,} photos").click()
    window.get_by_text("Nothing is waiting for you").wait_for()
    other.get_by_text("Nothing is waiting for you").wait_for()
    again = library.broker.app(uid=library.uid)
    again.own_token = app.own_token
    again.use(again.own_token)
    assert again.request() == "limited" and again.count() == chosen + 1
    again.end()


def storages(broker):
    """Yield the plugin processes among the broker's descendants."""

    def family(pid):
        for child in children(pid):
            yield child
            yield from family(child)

    for pid in family(broker.process.pid):
        try:
            name = pathlib.Path(f"/proc/{pid}/comm").read_text()
        except FileNotFoundError:
            continue
        if name.startswith("photobroker-plu"):
            yield pid


def test_a_stalled_storage_is_waited_for_and_delays_nothing_else(library, windows):
    window = windows()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    wait_for_photos(window, library.count)
    settled(window)
    stopped = list(storages(library.broker))
    assert stopped
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        click_timeline(window, 0.44)
        wait_for(lambda: window.evaluate(VISIBLE)[0], "the places")
        # The broker serves metadata without the files.
        show = window.get_by_role("group", name="Show")
        show.get_by_role("button", name="Videos").click()
        wait_for(lambda: not window.locator(f".tile[aria-setsize='{library.count}']").count(), "the videos alone")
        show.get_by_role("button", name="All").click()
        wait_for_photos(window, library.count)
        click_timeline(window, 0.44)
    finally:
        for pid in stopped:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
    settled(window)


def test_a_selection_survives_a_broker_restart(library, windows, make_app):
    app = make_app("limited", name="Journal")
    window = windows()
    open_app(window, app)
    open_selection(window, library)
    click_timeline(window, 0.7)
    tile(window, settled(window)[0][0]).click()
    library.broker.stop()
    try:
        window.get_by_text("The broker is not answering. This page goes on").wait_for()
        click_timeline(window, 0.2)
        window.get_by_role("button", name=f"Save {CHOSEN + 1:,} photos").click()
        window.get_by_text("Nothing was changed; try again").wait_for()
    finally:
        library.broker.start()
        for person in library.broker.people:
            if person.process.poll() is None:
                person.new_connection()
    window.get_by_text("The broker is not answering. This page goes on").wait_for(state="hidden")
    settled(window)
    window.get_by_role("button", name=f"Save {CHOSEN + 1:,} photos").click()
    window.get_by_role("heading", name=f"{CHOSEN + 1:,} selected photos").wait_for()
    assert app.count() == CHOSEN + 1
