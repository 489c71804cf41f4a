"""The owner's page by keyboard alone."""

import time

from house import page as pages
from house.broker import Album
from house.page_focus import has_focus, is_focus_visible, tab_to
from house.page_views import announcement, browse, open_app
from house.person import wait_for


def test_the_keyboard_answers_a_prompt(scene, page):
    window = page.open_window()
    scene.app.begin_request()
    allow = window.get_by_role("button", name="Allow all")
    allow.wait_for()
    tab_to(window, allow)
    assert is_focus_visible(window)
    window.keyboard.press("Enter")
    dialog = window.get_by_role("dialog")
    dialog.wait_for()
    assert dialog.evaluate("e => e.contains(document.activeElement)"), "the focus goes into the dialog"
    window.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert has_focus(allow), "and back to where it was"
    window.keyboard.press("Enter")
    tab_to(window, dialog.get_by_role("button", name="Allow all"))
    window.keyboard.press("Enter")
    assert scene.app.hear()["status"] == "authorized"
    window.get_by_text("Nothing is waiting for you").wait_for()
    wait_for(lambda: announcement(window) == "All photos allowed: Journal. Undo: F6", "the announcement")


def test_the_keyboard_denies_and_every_stop_shows_its_focus(scene, page):
    window = page.open_window()
    scene.app.begin_request()
    deny = window.get_by_role("button", name="Decline")
    deny.wait_for()
    window.keyboard.press("Tab")
    stops = 0
    while not has_focus(deny):
        assert is_focus_visible(window), window.evaluate("() => document.activeElement.outerHTML.slice(0, 200)")
        window.keyboard.press("Tab")
        stops += 1
        assert stops < 40
    wait_for(lambda: deny.is_enabled(), "it to take an answer")
    window.keyboard.press("Space")
    assert scene.app.hear()["status"] == "denied"


def test_a_shrinking_range_restores_the_covered_photos(scene, window):
    scene.app.begin_request()
    tab_to(window, window.get_by_role("button", name="Select photos"))
    window.keyboard.press("Enter")
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    tile = window.get_by_role("option").nth

    def press(*keys):
        for key in keys:
            window.keyboard.press(key)

    def selected():
        return [at for at in range(6) if tile(at).get_attribute("aria-selected") == "true"]

    press("Home", "Space", *["Shift+ArrowRight"] * 3)
    assert selected() == [0, 1, 2, 3]
    press(*["Shift+ArrowLeft"] * 2)
    assert selected() == [0, 1]
    wait_for(lambda: announcement(window) == "Unselected. 2 photos in all", "the announcement")
    press("Shift+End")
    assert selected() == [0, 1, 2, 3, 4, 5]
    wait_for(lambda: announcement(window) == "Selected. 6 photos in all", "the announcement")
    press("Shift+Home")
    assert selected() == [0]
    wait_for(lambda: announcement(window) == "Unselected. 1 photo in all", "the announcement")
    # A range keeps the earlier selection beyond its ends.
    press(
        "End",
        "Space",
        "ArrowLeft",
        "ArrowLeft",
        "Space",
        "Shift+End",
        "Shift+ArrowLeft",
        "Shift+ArrowLeft",
        "Shift+ArrowLeft",
    )
    assert selected() == [0, 2, 3, 5]
    # Photos selected by Ctrl+A do not belong to the range, so a shorter range keeps them.
    press("Control+a", "Shift+ArrowRight")
    assert selected() == [0, 1, 2, 3, 4, 5]
    # A deselecting range restores photos when it shrinks.
    press("Home", "Space", "Shift+End", "Shift+ArrowLeft", "Shift+ArrowLeft")
    assert selected() == [4, 5]
    # Without an anchor the range begins at the current photo.
    press("Control+Shift+A", "Home", "ArrowRight", "Space", "Space", "Shift+ArrowRight")
    press("Control+Shift+A")
    assert selected() == []
    tile(0).click()
    tile(4).click(modifiers=["Shift"])
    assert selected() == [0, 1, 2, 3, 4]
    tile(2).click(modifiers=["Shift"])
    assert selected() == [0, 1, 2]


def test_the_keyboard_selects_opens_the_large_view_and_saves(scene, page):
    window = page.open_window()
    scene.app.begin_request()
    tab_to(window, window.get_by_role("button", name="Select photos"))
    window.keyboard.press("Enter")
    grid = window.get_by_role("listbox")
    grid.wait_for()
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    assert has_focus(grid), "the photos come first"
    window.keyboard.press("Space")
    wait_for(lambda: announcement(window) == "Selected. 1 photo in all", "the announcement")
    current = lambda: grid.get_attribute("aria-activedescendant")
    window.keyboard.press("End")
    assert current() == "tile-5" and is_focus_visible(window)
    window.keyboard.press("ArrowLeft")
    assert current() == "tile-4"
    window.keyboard.press("Enter")
    viewer = window.locator("dialog.viewer")
    viewer.wait_for()
    window.keyboard.press("ArrowLeft")
    viewer.locator(".viewer-name").get_by_text(scene.newest_first[3]).wait_for()
    window.keyboard.press("Space")
    window.keyboard.press("Escape")
    viewer.wait_for(state="detached")
    assert has_focus(grid) and current() == "tile-3", "back at the photo that was looked at"
    assert window.get_by_role("option", selected=True).count() == 2
    # Repeated or held, Ctrl+A still selects all.
    for _ in range(3):
        window.keyboard.down("Control")
        window.keyboard.down("a")
    window.keyboard.up("a")
    window.keyboard.up("Control")
    window.keyboard.press("Control+a")
    wait_for(lambda: announcement(window) == "Selected. 6 photos in all", "the announcement")
    assert window.get_by_role("option", selected=True).count() == 6
    window.keyboard.press("Control+Shift+a")
    wait_for(lambda: announcement(window) == "Unselected. 0 photos in all", "the announcement")
    window.keyboard.press("Home")
    window.keyboard.press("Space")
    tab_to(window, window.get_by_role("button", name="Allow 1 photo"), "Shift+Tab")
    window.keyboard.press("Enter")
    assert scene.app.hear()["status"] == "limited"
    assert scene.owner.names(scene.library, app=scene.app.name) == scene.newest_first[:1]


def test_browser_shortcuts_are_left_alone(scene, window):
    browse(window)
    grid, viewer = window.get_by_role("listbox"), window.locator("dialog.viewer")
    for key in ("Home", "ArrowRight", "ArrowRight"):
        window.keyboard.press(key)
    # Records the keys whose default action the page prevents.
    window.evaluate(
        "() => { window.taken = []; addEventListener('keydown', event => { if (event.defaultPrevented) taken.push(event.key) }) }"
    )
    for key in (
        "Control+z",
        "Meta+z",
        "Control+Enter",
        "Alt+Enter",
        "Alt+ArrowLeft",
        "Meta+ArrowRight",
        "Control+ArrowRight",
    ):
        window.keyboard.press(key)
        assert grid.get_attribute("aria-activedescendant") == "tile-2" and viewer.count() == 0, key
    assert window.evaluate("() => taken") == []
    window.keyboard.press("Control+End")
    assert grid.get_attribute("aria-activedescendant") == "tile-5"
    window.keyboard.press("Enter")
    for key in ("Control+ArrowLeft", "Alt+ArrowLeft"):
        window.keyboard.press(key)
    window.wait_for_timeout(200)
    assert viewer.locator(".viewer-name").inner_text() == scene.newest_first[5]


def test_the_keyboard_searches_and_filters(scene, page):
    scene.limit(0)
    window = page.open_window()
    tab_to(window, window.get_by_role("link", name="Apps"))
    window.keyboard.press("Enter")
    tab_to(window, window.locator("a.row"))
    window.keyboard.press("Enter")
    tab_to(window, window.get_by_role("button", name="Change selection"))
    window.keyboard.press("Enter")
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    tab_to(window, window.get_by_role("searchbox"), "Shift+Tab")
    assert is_focus_visible(window)
    window.keyboard.type(scene.pictures[2][:-4])
    wait_for(lambda: window.get_by_role("option").count() == 1, "what was searched for")
    wait_for(lambda: announcement(window) == "1 shown", "it to be told how many were found")
    window.keyboard.type("none")
    wait_for(
        lambda: (
            window.get_by_role("option").count() == 0
            and announcement(window) == window.locator(".grid-empty p").inner_text() != ""
        ),
        "it to be told that there is none",
    )
    window.keyboard.press("Control+a")
    window.keyboard.press("Delete")
    selected = window.get_by_role("group", name="Show").get_by_role("button", name="Selected")
    tab_to(window, selected, "Shift+Tab")
    window.keyboard.press("Enter")
    wait_for(lambda: window.get_by_role("option").count() == 1, "only what is selected")
    assert selected.get_attribute("aria-pressed") == "true"
    days = window.get_by_role("button", name="Days")
    tab_to(window, days)
    window.keyboard.press("Space")
    window.get_by_role("heading", name="Monday, 1 January 2024").wait_for()
    tab_to(window, window.get_by_role("button", name="Cancel"), "Shift+Tab")
    window.keyboard.press("Enter")
    window.get_by_role("heading", name="1 selected photo").wait_for()


def test_the_keyboard_changes_settings_and_revokes(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    tab_to(window, window.get_by_role("link", name="Apps"))
    window.keyboard.press("Enter")
    tab_to(window, window.locator("a.row"))
    window.keyboard.press("Enter")
    window.get_by_role("heading", name="Decisions").wait_for()
    tab_to(window, window.get_by_role("button", name="See as this app"))
    window.keyboard.press("Enter")
    wait_for(lambda: window.get_by_role("option").count() == 2, "what it sees")
    tab_to(window, window.get_by_role("button", name="Close"), "Shift+Tab")
    window.keyboard.press("Enter")
    revoke = window.get_by_role("button", name="Revoke access")
    revoke.wait_for()
    tab_to(window, revoke)
    window.keyboard.press("Enter")
    dialog = window.get_by_role("dialog")
    tab_to(window, dialog.get_by_role("button", name="Revoke access"))
    window.keyboard.press("Enter")
    dialog.get_by_role("heading", name="Access is revoked").wait_for()
    window.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "denied"
    wait_for(
        lambda: window.evaluate("() => document.activeElement !== document.body"),
        "the focus to leave the button that went",
    )


def test_R12_arrow_keys_move_among_access_levels_without_deciding(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    open_app(window)
    level = window.locator("input[name=level]")

    def newest():
        return scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]["decision"]

    before = newest()
    tab_to(window, window.get_by_role("radio", name="Selected photos"))
    for expected in ["authorized", "denied", "limited", "authorized", "denied"]:
        window.keyboard.press("ArrowDown")
        window.wait_for_timeout(400)
        assert window.evaluate("() => document.activeElement.value") == expected and is_focus_visible(window)
        assert level.and_(window.locator(":checked")).get_attribute("value") == "limited", (
            "what is marked is what holds"
        )
    window.keyboard.press("ArrowUp")
    window.wait_for_timeout(400)
    assert newest() == before, "a key on the way decided something"
    window.keyboard.press("ArrowRight")
    window.keyboard.press("Space")
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["status"] == "denied", "what was chosen to hold")
    wait_for(
        lambda: window.evaluate("() => document.activeElement.value") == "denied", "the focus to stay where it was"
    )
    assert window.problems == []


def test_R12_keys_in_a_closed_list_decide_nothing(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    open_app(window)
    ends = window.get_by_label("Ends")
    for key in ["ArrowDown", "1", "End"]:
        tab_to(window, ends)
        window.keyboard.press(key)
        window.wait_for_timeout(700)
        assert not scene.owner.grant(scene.library, scene.app.name).get("expires"), f"{key} decided"
        window.keyboard.press("Escape")
    window.keyboard.press("ArrowDown")
    window.wait_for_timeout(300)
    window.keyboard.press("ArrowDown")
    window.keyboard.press("ArrowDown")
    window.keyboard.press("Enter")
    week = wait_for(lambda: scene.owner.grant(scene.library, scene.app.name).get("expires"), "what was chosen to hold")
    assert 6 < (week / 1e6 - time.time()) / 86_400 < 8
    assert window.problems == []


def test_a_redrawn_control_keeps_the_focus(scene, page):
    """A reconnect redraws the app's page, and indexing redraws the library's card."""
    scene.limit(0, 1)
    other = Album(scene.house, f"{scene.library}-b", scene.owner.uid)
    other.fill(1)
    scene.owner.add_library(f"{scene.library}-b", other.folder, [scene.app.uid], 1)
    window = page.open_window()
    open_app(window)
    for control in [
        window.get_by_label("Ends"),
        window.get_by_role("switch", name="Pause"),
        window.get_by_role("radio", name="Selected photos"),
    ]:
        tab_to(window, control)
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, level="readWrite", paused=True)
        window.get_by_text("Sees nothing while it is paused.").wait_for()
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, level="readWrite", paused=False)
        window.wait_for_timeout(800)
        assert has_focus(control), window.evaluate("() => document.activeElement.outerHTML")
    window.get_by_role("link", name="Libraries").click()
    trash = window.get_by_role("article", name=f"{scene.library}-b").get_by_role("button", name="Trash")
    trash.wait_for()
    tab_to(window, trash)
    card = window.get_by_role("article", name=scene.library, exact=True)
    card.get_by_text(str(scene.app.uid)).wait_for()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    card.get_by_text(str(scene.app.uid)).wait_for(state="detached")
    window.wait_for_timeout(300)
    assert has_focus(trash), window.evaluate("() => document.activeElement.outerHTML")
    assert window.problems == []


def test_keys_continue_from_the_timelines_position(make_scene, browser):
    scene = make_scene(120)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window(size=(900, 500))
        scene.app.begin_request()
        window.get_by_role("button", name="Select photos").click()
        grid, slider = window.get_by_role("listbox"), window.get_by_role("slider", name="Timeline")
        wait_for(
            lambda: grid.get_attribute("aria-activedescendant") or window.get_by_text("120 shown").is_visible(),
            "the photos",
        )
        number = lambda: int((grid.get_attribute("aria-activedescendant") or "tile--1").removeprefix("tile-"))
        is_in_view = """() => {
          const tile = document.getElementById(document.querySelector('.grid-list').getAttribute('aria-activedescendant')).getBoundingClientRect()
          const grid = document.querySelector('.grid').getBoundingClientRect()
          return tile.bottom > grid.top && tile.top < grid.bottom
        }"""
        slider.focus()
        window.keyboard.press("PageDown")
        wait_for(lambda: slider.get_attribute("aria-valuetext") == "Jan 2024", "the timeline to follow")
        grid.focus()
        first = number()
        assert first > 60 and window.evaluate(is_in_view) and is_focus_visible(window)
        window.keyboard.press("ArrowRight")
        assert number() == first + 1 and window.evaluate(is_in_view)
        # After a scroll the first key only returns to the current photo and selects nothing.
        window.mouse.move(400, 350)
        window.mouse.wheel(0, -20_000)
        wait_for(lambda: slider.get_attribute("aria-valuetext") == "Apr 2024", "the view to be scrolled")
        window.keyboard.press("Space")
        assert (
            number() == 0 and window.evaluate(is_in_view) and window.get_by_role("option", selected=True).count() == 0
        )
        window.keyboard.press("Space")
        assert window.get_by_role("option", selected=True).count() == 1 and window.problems == []
    finally:
        page.end()


def test_photos_drawn_while_scrolling_are_read_in_order(make_scene, browser):
    scene = make_scene(120)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window(size=(900, 500))
        scene.app.begin_request()
        window.get_by_role("button", name="Select photos").click()
        window.get_by_text("120 shown").wait_for()
        slider, grid = window.get_by_role("slider", name="Timeline"), window.get_by_role("listbox")
        window.mouse.move(400, 350)
        for key, months in (("End", "Jan 2024"), ("Home", "Apr 2024")):
            slider.press(key)
            wait_for(lambda: slider.get_attribute("aria-valuetext") == months, "the timeline to follow")
            for step in (120, -120) * 3:
                window.mouse.wheel(0, step if key == "Home" else -step)
                window.wait_for_timeout(150)
            order = window.locator(".tile").evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.at))")
            assert order == sorted(order), order
            headings = window.locator(".grid-heading").evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().top)"
            )
            assert headings == sorted(headings)
        # Tab moves from the photos to the nearest visible heading.
        window.mouse.wheel(0, 700)
        window.wait_for_timeout(500)
        grid.focus()
        before = window.locator(".grid").evaluate("grid => grid.scrollTop")
        window.keyboard.press("Tab")
        assert window.evaluate("() => document.activeElement.closest('.grid-heading, .scrubber') !== null")
        assert abs(window.locator(".grid").evaluate("grid => grid.scrollTop") - before) < 60
        assert window.problems == []
    finally:
        page.end()


def test_keys_zoom_in_the_large_view(scene, page):
    window = page.open_window()
    browse(window)
    window.get_by_role("option").first.click()
    viewer, stage = window.locator("dialog.viewer"), window.locator(".viewer-stage")
    viewer.wait_for()
    name = viewer.locator(".viewer-name").inner_text()
    picture = viewer.locator(".viewer-picture")
    wait_for(lambda: picture.evaluate("e => e.complete && e.naturalWidth") > 0, "the picture, which gives the height")
    is_close = lambda: "close" in stage.get_attribute("class").split()
    window.keyboard.press("z")
    assert is_close()
    top = stage.evaluate("stage => stage.scrollTop")
    window.keyboard.press("ArrowDown")
    assert stage.evaluate("stage => stage.scrollTop") != top or stage.evaluate(
        "stage => stage.scrollHeight <= stage.clientHeight"
    )
    left = stage.evaluate("stage => stage.scrollLeft")
    window.keyboard.press("Shift+ArrowRight")
    assert stage.evaluate("stage => stage.scrollLeft") > left and viewer.locator(".viewer-name").inner_text() == name
    window.keyboard.press("z")
    assert not is_close()
    window.keyboard.press("+")
    window.keyboard.press("+")
    assert is_close()
    window.keyboard.press("-")
    assert not is_close()
    window.keyboard.press("+")
    window.keyboard.press("ArrowRight")
    wait_for(lambda: viewer.locator(".viewer-name").inner_text() != name, "the next photo")
    assert not is_close() and window.problems == []


def test_a_focused_undo_stays(scene, page):
    scene.limit(0)
    window = page.open_window()
    window.clock.install()
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("radio", name="No access").click()
    undo = window.locator(".toast").get_by_role("button", name="Undo")
    undo.focus()
    window.clock.run_for(30_000)
    assert has_focus(undo)
    window.get_by_role("radio", name="No access").focus()
    window.clock.run_for(2_000)
    undo.wait_for(state="detached")
    assert window.problems == []
