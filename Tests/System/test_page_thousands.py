"""A library of thousands of photos on the page: search, pick, select and edit at any position."""

import re

import pytest

from house.large_library import make_large, name_at
from house.page import Page
from house.page_grid import VISIBLE, wait_for_photos, click_timeline, selected_count, wait_for_pictures, tile
from house.person import PICKER, wait_for
from house.pickers import filenames
from house.soak import WHOLE

# In a gate only test_page_large has more photos.
COUNT = 100_000 if WHOLE else 25_000
CHOSEN = COUNT // 5


@pytest.fixture(scope="module")
def large(house):
    yield from make_large(house, COUNT)


@pytest.fixture(scope="module")
def page(large, browser):
    with Page(large.broker, large.owner, browser) as page:
        yield page


@pytest.fixture
def picker(large, window):
    """Factory of pickers for an app without permission; each returns once all photos are listed."""
    app = large.broker.app(uid=large.app.uid)
    app.introduce(f"org.example.attach-{app.process.pid}", name="Mailer")

    def begin(**configuration):
        app.begin(PICKER + "Present", **configuration)
        window.get_by_role("button", name="Pick…").click()
        wait_for_photos(window, COUNT)
        return app

    yield begin
    app.end()


def test_R76_one_photo_of_thousands_is_found_by_name(large, window, picker):
    app = picker(selectionLimit=1)
    search = window.get_by_role("searchbox")
    search.fill("IMG_0200")
    wait_for_photos(window, 100)
    search.fill("no such photo")
    window.locator(".grid-empty").get_by_text("No photo fits.").wait_for()
    search.fill("img_020042")
    wait_for_photos(window, 1)
    assert wait_for_pictures(window) == [[0, "IMG_020042.jpg"]]
    tile(window, 0).click()
    # A picked photo stays picked while a search hides it.
    search.fill("")
    wait_for_photos(window, COUNT)
    window.get_by_role("button", name="Give 1 photo", exact=True).click()
    assert filenames(app.hear()) == ["IMG_020042.jpg"]


def test_R80_an_ordered_pick_across_years_keeps_its_order_and_limit(large, window, picker):
    app = picker(selectionLimit=3, ordered=True)
    places = []
    for part in (0.8, 0.1, 0.5, 0.3):
        click_timeline(window, part)
        places.append(wait_for_pictures(window)[4][0])
        tile(window, places[-1]).click()
    assert window.locator("footer").get_by_role("status").filter(has_text="At most 3 can be picked").is_visible()
    click_timeline(window, 0.1)
    wait_for_pictures(window)
    assert tile(window, places[1]).get_attribute("data-number") == "2"
    tile(window, places[1]).click()
    tile(window, places[1] + 1).click()
    window.get_by_role("button", name="Give 3 photos").click()
    assert filenames(app.hear()) == [name_at(large, place) for place in (places[0], places[2], places[1] + 1)]


@pytest.fixture
def limited_thousands(large):
    """The large library with an app that sees a fifth of the photos."""
    large.owner.set(large.library, large.app.name, "limited")
    everything = {"all": True}
    large.owner.call("EditSelection", library=large.library, app=large.app.name, remove=everything)
    large.owner.call("EditSelection", library=large.library, app=large.app.name, add={"last": CHOSEN})
    assert large.app.request() == "limited"
    return large


def open_app(window):
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text=f"{CHOSEN:,} photos").click()
    window.get_by_role("heading", name=f"{CHOSEN:,} selected photos").wait_for()


def test_R51_a_selection_of_thousands_is_changed_in_settings_and_viewed_as_its_app(limited_thousands, window):
    open_app(window)
    window.get_by_role("button", name="See as this app").click()
    wait_for_photos(window, CHOSEN)
    click_timeline(window, 0.7)
    seen = wait_for_pictures(window)
    assert seen == [[place, name_at(limited_thousands, place)] for place, _ in seen]
    window.get_by_role("button", name="Close").click()
    window.get_by_role("button", name="Change selection").click()
    wait_for_photos(window, COUNT)
    wait_for(lambda: selected_count(window) == CHOSEN, "what is selected")
    # Shift deselects several months, and a click adds a photo beyond the selection.
    click_timeline(window, 0.1)
    first = wait_for_pictures(window)[2][0]
    assert tile(window, first).get_attribute("aria-selected") == "true"
    tile(window, first).click()
    click_timeline(window, 0.15)
    last = wait_for_pictures(window)[2][0]
    tile(window, last).click(modifiers=["Shift"])
    click_timeline(window, 0.5)
    beyond = wait_for_pictures(window)[0][0]
    tile(window, beyond).click()
    left = CHOSEN - (last - first + 1) + 1
    window.get_by_role("button", name=f"Save {left:,} photos").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("1 photo is added").wait_for()
    dialog.get_by_text(f"{last - first + 1:,} photos are unselected").wait_for()
    dialog.get_by_role("button", name="Save").click()
    window.get_by_role("heading", name=f"{left:,} selected photos").wait_for()
    assert limited_thousands.app.count() == left
    newest = [asset["filename"] for asset in limited_thousands.app.call("FetchAssets", limit=1000)["assets"]]
    assert newest == [name_at(limited_thousands, place) for place in range(1000)]


def test_R22_a_drag_past_the_edge_selects_everything_it_passes(limited_thousands, window):
    open_app(window)
    window.get_by_role("button", name="Change selection").click()
    wait_for_photos(window, COUNT)
    wait_for(lambda: selected_count(window) == CHOSEN, "what is selected")
    click_timeline(window, 0.6)
    start = wait_for_pictures(window)[6][0]
    box, grid = tile(window, start).bounding_box(), window.locator(".grid").bounding_box()
    window.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    window.mouse.down()
    below = grid["y"] + grid["height"] - 10
    window.mouse.move(box["x"] + box["width"] / 2, below)
    wait_for(lambda: selected_count(window) > CHOSEN + 100, "the drag to have left the screen that it began on")
    window.mouse.up()
    end = selected_count(window)
    place = max(number for number, _ in window.evaluate(VISIBLE)[0])
    window.get_by_role("button", name="Selected", exact=False).first.click()
    wait_for_photos(window, end)
    window.locator(".grid").evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
    wait_for(lambda: [number for number, _ in window.evaluate(VISIBLE)[0]][-1:] == [end - 1], "the end")
    seen = wait_for_pictures(window)
    # The selection has no gap between the drag's ends.
    last = start + end - CHOSEN - 1
    assert seen[-1] == [end - 1, name_at(limited_thousands, last)] and start < last <= place
    assert seen == [[number, name_at(limited_thousands, start + number - CHOSEN)] for number, _ in seen]
    window.get_by_role("button", name="Cancel").click()


def test_the_keyboard_alone_reaches_selects_and_opens_any_photo(limited_thousands, window):
    open_app(window)
    change = window.get_by_role("button", name="Change selection")
    # A new view takes no press at first.
    wait_for(lambda: change.is_enabled(), "it to take a press")
    change.focus()
    window.keyboard.press("Enter")
    wait_for_photos(window, COUNT)
    wait_for(lambda: selected_count(window) == CHOSEN, "what is selected")
    for key in ("End", "ArrowUp", "PageUp", "Space", "Shift+End"):
        window.keyboard.press(key)
    wait_for(lambda: window.locator(f"#tile-{COUNT - 1}.current").count(), "the oldest")
    chosen = selected_count(window) - CHOSEN
    assert 10 < chosen < 200, "a screen and a row"
    window.keyboard.press("Enter")
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(name_at(limited_thousands, COUNT - 1)).wait_for()
    window.keyboard.press("ArrowLeft")
    viewer.locator(".viewer-name").get_by_text(name_at(limited_thousands, COUNT - 2)).wait_for()
    window.keyboard.press("Space")
    window.keyboard.press("Escape")
    wait_for(lambda: selected_count(window) == CHOSEN + chosen - 1, "the one to be taken away")
    window.keyboard.press("Control+a")
    wait_for(lambda: selected_count(window) == COUNT, "all")
    window.get_by_role("button", name="Cancel").click()


def test_R75_an_unlimited_picker_states_its_maximum(large, window, picker):
    app = picker(selectionLimit=0)
    window.get_by_text("At most 1,000 can be picked.").wait_for()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Control+a")
    window.get_by_role("status").filter(has_text=re.compile("^At most 1,000 can be picked$")).wait_for()
    window.get_by_role("button", name="Give 1,000 photos").click()
    assert len(app.hear()["results"]) == 1000


def test_R75_an_oversized_pick_is_refused_by_the_limits_name_and_stays_open(large):
    app = large.broker.app(uid=large.app.uid)
    app.introduce(f"org.example.attach-{app.process.pid}")
    app.begin(PICKER + "Present", selectionLimit=0)
    waiting = wait_for(lambda: large.owner.call("ListPickers")["pickers"], "the picker")[0]
    assert waiting["selectionLimit"] == 1000
    assets = [
        asset["identifier"]
        for skip in (0, 1000)
        for asset in large.owner.call("FetchOwnedAssets", library=large.library, limit=1000, skip=skip)["assets"]
    ]
    refused = large.owner.refusal("AnswerPicker", picker=waiting["picker"], assets=assets[:1001])
    assert refused.error == "Refused" and (refused.reason["code"], refused.reason["values"]) == (
        "pickerFull",
        {"limit": "1000"},
    )
    told = large.broker.photobroker(large.owner.uid, "picker", "answer", waiting["picker"], "--all", "--yes", expect=64)
    assert "takes at most 1000" in told.stderr
    large.owner.call("AnswerPicker", picker=waiting["picker"], assets=assets[:1000])
    assert len(app.hear()["results"]) == 1000
    app.end()


def test_select_all_waits_for_the_whole_library(window):
    held, is_holding = [], True

    def arrive(route):
        if is_holding and '"skip":0' not in route.request.post_data.replace(" ", ""):
            held.append(route)
        else:
            route.continue_()

    window.route("**/call/FetchOwnedColumns", arrive)
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").first.wait_for()
    wait_for(lambda: held, "the second page to be asked for")
    window.get_by_role("listbox").focus()
    window.keyboard.press("Control+a")
    window.locator(".toast").get_by_text("Not all of it is here yet").wait_for()
    assert window.locator(".tile.selected").count() == 0
    is_holding = False
    for route in held:
        route.continue_()
    window.get_by_text(f"{COUNT:,} photos").first.wait_for()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Control+a")
    wait_for(lambda: f"{COUNT:,} photos" in window.locator(".marking").inner_text(), "all of them to be selected")
    assert window.locator(".tile.selected").count() > 0
