"""The owner's page for everyone: by keyboard alone, told to a screen reader, checked by axe, light and dark, wide and narrow."""
import time

import pytest

from house import page as pages
from house.broker import Album
from house.person import wait_for
from test_page_owner import browse
from test_page_strangers import is_wider_than_its_window

WIDE, NARROW = (1280, 860), (390, 800)


def ask(scene, app=None, **parameters):
    (app or scene.app).begin("RequestAuthorization", level="readWrite", **parameters)


def has_focus(locator):
    return locator.evaluate("e => e === document.activeElement")


def tab_to(window, locator, key="Tab"):
    """Presses Tab until it is there and takes an answer, as one does who cannot point."""
    for _ in range(60):
        if locator.count() and has_focus(locator.first):
            return wait_for(lambda: locator.first.is_enabled(), "it to take an answer")
        window.keyboard.press(key)
    raise AssertionError(f"no way by {key} to {locator}; the focus is on {window.evaluate('() => document.activeElement.outerHTML.slice(0, 200)')}")


def is_focus_visible(window):
    """Whether what has the focus looks different from what it looks like without."""
    return window.evaluate("""() => {
      const at = document.activeElement, style = getComputedStyle(at)
      if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) return true
      const around = at.closest('.search, .choice, .switch'), current = at.querySelector?.('.current')
      if (around && getComputedStyle(around).outlineStyle !== 'none') return true
      return current !== null && current !== undefined && getComputedStyle(current, '::after').borderTopStyle === 'solid'
    }""")


def announced(window):
    return window.locator("#announcer").inner_text()


def test_keyboard_answers_a_question(scene, page):
    window = page.window()
    ask(scene)
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
    wait_for(lambda: announced(window) == "All photos allowed: Journal. Undo: F6", "the announcement")


def test_keyboard_denies_and_every_stop_shows_its_focus(scene, page):
    window = page.window()
    ask(scene)
    deny = window.get_by_role("button", name="Don’t allow")
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


def test_a_question_that_comes_is_told_wherever_somebody_is(scene, page):
    window = page.window()
    second, third = scene.broker.app(scene.app.uid), scene.broker.app(scene.app.uid)
    second.introduce("org.example.second", name="Second")
    third.introduce("org.example.third", name="Third")
    ask(scene)
    select = window.get_by_role("button", name="Select photos")
    select.wait_for()
    window.get_by_role("navigation").get_by_role("link", name="Libraries").click()
    window.get_by_role("article", name=scene.library).wait_for()
    assert announced(window) == ""
    ask(scene, second)
    wait_for(lambda: announced(window) == "Second waits for your answer", "the announcement")
    assert window.locator(".toast").count() == 0, "the header says it to whoever sees it"
    window.get_by_role("navigation").get_by_role("link", name="Requests").click()
    wait_for(lambda: select.first.is_enabled(), "it to take an answer")
    select.first.click()
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    window.get_by_role("option").first.click()
    ask(scene, third)
    toast = window.locator(".toast", has_text="Third waits for your answer")
    toast.wait_for()
    wait_for(lambda: announced(window) == "Third waits for your answer. Requests: F6", "the announcement")
    # What is selected here is lost by nobody's leaving but their own.
    toast.get_by_role("button", name="Requests").click()
    dialog = window.get_by_role("dialog", name="Leave without saving?")
    dialog.get_by_role("button", name="Go on selecting").click()
    assert window.get_by_role("option", selected=True).count() == 1
    window.get_by_role("button", name="Cancel").click()
    window.get_by_role("dialog").get_by_role("button", name="Leave").click()
    window.get_by_role("article", name="Request of Third").wait_for()
    assert window.problems == []


def test_the_large_view_tells_which_photo_came(scene, page):
    window = page.window()
    ask(scene)
    tab_to(window, window.get_by_role("button", name="Select photos"))
    window.keyboard.press("Enter")
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    window.keyboard.press("ArrowRight")
    window.keyboard.press("Space")
    window.keyboard.press("Enter")
    window.locator("dialog.viewer").wait_for()

    def tells(number, words):
        name = window.locator(f"#tile-{number - 1}").get_attribute("aria-label")
        assert scene.newest_first[number - 1] in name
        wait_for(lambda: announced(window) == f"{name}, {number} of 6, {words}", f"photo {number} to be told")
    tells(2, "selected")
    window.keyboard.press("ArrowRight")
    tells(3, "not selected")
    assert window.locator("dialog.viewer #announcer").count() == 1, "where it is heard"
    window.get_by_role("button", name="Previous").press("Enter")
    tells(2, "selected")
    assert window.problems == []


def test_what_a_range_leaves_again_is_as_it_was(scene, page):
    window = page.window()
    ask(scene)
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
    wait_for(lambda: announced(window) == "Taken away. 2 photos in all", "the announcement")
    press("Shift+End")
    assert selected() == [0, 1, 2, 3, 4, 5]
    wait_for(lambda: announced(window) == "Selected. 6 photos in all", "the announcement")
    press("Shift+Home")
    assert selected() == [0]
    wait_for(lambda: announced(window) == "Taken away. 1 photo in all", "the announcement")
    # What was selected before the range began stays so.
    press("End", "Space", "ArrowLeft", "ArrowLeft", "Space", "Shift+End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft")
    assert selected() == [0, 2, 3, 5]
    # All of them by another way are no part of the range.
    press("Control+a", "Shift+ArrowRight")
    assert selected() == [0, 1, 2, 3, 4, 5]
    # One that takes away gives back likewise.
    press("Home", "Space", "Shift+End", "Shift+ArrowLeft", "Shift+ArrowLeft")
    assert selected() == [4, 5]
    # Without a press to begin with it begins where the keys are.
    press("Control+Shift+A", "Home", "ArrowRight", "Space", "Space", "Shift+ArrowRight")
    press("Control+Shift+A")
    assert selected() == []
    tile(0).click()
    tile(4).click(modifiers=["Shift"])
    assert selected() == [0, 1, 2, 3, 4]
    tile(2).click(modifiers=["Shift"])
    assert selected() == [0, 1, 2]
    assert window.problems == []


def test_keyboard_selects_looks_closer_and_saves(scene, page):
    window = page.window()
    ask(scene)
    tab_to(window, window.get_by_role("button", name="Select photos"))
    window.keyboard.press("Enter")
    grid = window.get_by_role("listbox")
    grid.wait_for()
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    assert has_focus(grid), "the photos come first"
    window.keyboard.press("Space")
    wait_for(lambda: announced(window) == "Selected. 1 photo in all", "the announcement")
    current = lambda: grid.get_attribute("aria-activedescendant")  # noqa: E731
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
    # However often, or long, it is pressed.
    for _ in range(3):
        window.keyboard.down("Control")
        window.keyboard.down("a")
    window.keyboard.up("a")
    window.keyboard.up("Control")
    window.keyboard.press("Control+a")
    wait_for(lambda: announced(window) == "Selected. 6 photos in all", "the announcement")
    assert window.get_by_role("option", selected=True).count() == 6
    window.keyboard.press("Control+Shift+a")
    wait_for(lambda: announced(window) == "Taken away. 0 photos in all", "the announcement")
    window.keyboard.press("Home")
    window.keyboard.press("Space")
    tab_to(window, window.get_by_role("button", name="Allow 1 photo"), "Shift+Tab")
    window.keyboard.press("Enter")
    assert scene.app.hear()["status"] == "limited"
    assert scene.owner.names(scene.library, app=scene.app.name) == scene.newest_first[:1]


def test_keys_of_the_browser_are_left_to_it(scene, page):
    window = page.window()
    browse(window)
    grid, viewer = window.get_by_role("listbox"), window.locator("dialog.viewer")
    for key in ("Home", "ArrowRight", "ArrowRight"):
        window.keyboard.press(key)
    # What the page took is not what the browser gets.
    window.evaluate("() => { window.taken = []; addEventListener('keydown', event => { if (event.defaultPrevented) taken.push(event.key) }) }")
    for key in ("Control+z", "Meta+z", "Control+Enter", "Alt+Enter", "Alt+ArrowLeft", "Meta+ArrowRight", "Control+ArrowRight"):
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
    assert window.problems == []


def test_a_narrow_photo_in_a_narrow_window_is_selected_by_a_press_in_its_middle(make_scene, browser):
    from house.pictures import day, jpeg
    scene = make_scene(4)
    # In one row, which is as low as its widest photo makes it.
    for number, name, width, height in ((9, "tall.jpg", 40, 120), (8, "usual.jpg", 64, 48), (7, "wide.jpg", 320, 96)):
        scene.album.put(name, jpeg(day(number), width=width, height=height), day(number).timestamp())
    scene.owner.wait_for_library(scene.library, 7)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.window(size=(320, 640))
        scene.app.begin_request()
        window.get_by_role("button", name="Select photos").click()
        tall = window.get_by_role("option", name="tall.jpg")
        tall.hover()
        tall.click()
        window.get_by_role("button", name="Allow 1 photo").click()
        assert scene.app.hear_request() == "limited" and scene.app.names() == ["tall.jpg"]
        assert window.problems == []
    finally:
        page.end()


def test_keyboard_searches_and_filters(scene, page):
    scene.limit(0)
    window = page.window()
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
    wait_for(lambda: announced(window) == "1 shown", "it to be told how many were found")
    window.keyboard.type("none")
    wait_for(lambda: window.get_by_role("option").count() == 0 and announced(window) == window.locator(".grid-empty p").inner_text() != "", "it to be told that there is none")
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


def test_keyboard_changes_settings_and_revokes(scene, page):
    scene.limit(0, 1)
    window = page.window()
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
    dialog.get_by_role("heading", name="Access has ended").wait_for()
    window.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "denied"
    focused = window.evaluate("() => document.activeElement !== document.body")
    assert focused, "the focus is not lost with the button that went"


def open_the_app(page):
    window = page.window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("heading", name="Decisions").wait_for()
    return window


def test_R12_keys_move_among_the_levels_of_access_and_decide_nothing_in_passing(scene, page):
    scene.limit(0, 1)
    window = open_the_app(page)
    level = window.locator("input[name=level]")

    def newest():
        return scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]["decision"]
    before = newest()
    tab_to(window, window.get_by_role("radio", name="Selected photos"))
    for expected in ["authorized", "denied", "limited", "authorized", "denied"]:
        window.keyboard.press("ArrowDown")
        window.wait_for_timeout(400)
        assert window.evaluate("() => document.activeElement.value") == expected and is_focus_visible(window)
        assert level.and_(window.locator(":checked")).get_attribute("value") == "limited", "what is marked is what holds"
    window.keyboard.press("ArrowUp")
    window.wait_for_timeout(400)
    assert newest() == before, "a key on the way decided something"
    window.keyboard.press("ArrowRight")
    window.keyboard.press("Space")
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["status"] == "denied", "what was chosen to hold")
    wait_for(lambda: window.evaluate("() => document.activeElement.value") == "denied", "the focus to stay where it was")
    assert window.problems == []


def test_R12_settings_ask_once_more_before_all_photos_are_given(scene, page):
    scene.limit(0, 1)
    window = open_the_app(page)
    everything = window.get_by_role("radio", name="All photos")
    everything.click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("It will see all 6 photos in this library").wait_for()
    window.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    wait_for(lambda: window.get_by_role("radio", name="Selected photos").is_checked(), "the choice to be what holds")
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "limited"
    everything.click()
    dialog.get_by_role("button", name="Allow all").click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["status"] == "authorized", "all photos")
    assert window.problems == []


def test_R12_keys_decide_nothing_in_passing_in_a_list_that_is_closed(scene, page):
    scene.limit(0, 1)
    window = open_the_app(page)
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


def test_an_app_that_comes_and_goes_has_no_more_drawn_anew_than_says_so(scene, page):
    scene.limit(0, 1)
    window = open_the_app(page)
    window.get_by_text("Connected now, 1 connection").wait_for()
    revoke = window.get_by_role("button", name="Revoke access")
    tab_to(window, revoke)
    window.evaluate("() => { for (const part of ['level', 'more']) document.querySelector(`.part-${part}`).firstElementChild.dataset.kept = '1' }")
    scene.app.new_connection()
    window.get_by_text("Not connected").wait_for()
    wait_for(lambda: has_focus(revoke), "the focus to be where it was")
    assert window.locator("[data-kept]").count() == 2
    assert window.problems == []


def test_what_is_drawn_anew_under_the_focus_keeps_it(scene, page):
    """An app that comes and goes has its page drawn anew, and a library that is indexed its card."""
    scene.limit(0, 1)
    other = Album(scene.house, f"{scene.library}-b", scene.owner.uid)
    other.fill(1)
    scene.owner.add_library(f"{scene.library}-b", other.folder, [scene.app.uid], 1)
    window = open_the_app(page)
    for control in [window.get_by_label("Ends"), window.get_by_role("switch", name="Pause"), window.get_by_role("radio", name="Selected photos")]:
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


def test_the_timeline_is_a_slider_that_says_where_it_is(make_scene, browser):
    from house import page as pages
    scene = make_scene(120)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.window(size=(900, 500))
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        slider = window.get_by_role("slider", name="Timeline")
        slider.wait_for()
        assert slider.get_attribute("aria-valuetext") == "Apr 2024"
        slider.focus()
        window.keyboard.press("End")
        wait_for(lambda: slider.get_attribute("aria-valuetext") == "Jan 2024", "the timeline to follow")
        assert int(slider.get_attribute("aria-valuenow")) <= int(slider.get_attribute("aria-valuemax"))
    finally:
        page.end()


def test_where_the_timeline_led_the_keys_go_on(make_scene, browser):
    from house import page as pages
    scene = make_scene(120)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.window(size=(900, 500))
        ask(scene)
        window.get_by_role("button", name="Select photos").click()
        grid, slider = window.get_by_role("listbox"), window.get_by_role("slider", name="Timeline")
        wait_for(lambda: grid.get_attribute("aria-activedescendant") or window.get_by_text("120 shown").is_visible(), "the photos")
        number = lambda: int((grid.get_attribute("aria-activedescendant") or "tile--1").removeprefix("tile-"))  # noqa: E731
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
        # A wheel took it away: the first key shows where the keys are, and presses nothing unseen.
        window.mouse.move(400, 350)
        window.mouse.wheel(0, -20_000)
        wait_for(lambda: slider.get_attribute("aria-valuetext") == "Apr 2024", "the view to be scrolled")
        window.keyboard.press("Space")
        assert number() == 0 and window.evaluate(is_in_view) and window.get_by_role("option", selected=True).count() == 0
        window.keyboard.press("Space")
        assert window.get_by_role("option", selected=True).count() == 1 and window.problems == []
    finally:
        page.end()


def test_what_is_drawn_while_scrolling_is_read_and_gone_through_in_its_order(make_scene, browser):
    from house import page as pages
    scene = make_scene(120)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.window(size=(900, 500))
        ask(scene)
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
            headings = window.locator(".grid-heading").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
            assert headings == sorted(headings)
        # From the photos keys go to the headings that are in sight.
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


def test_keys_come_closer_in_the_large_view(scene, page):
    window = page.window()
    browse(window)
    window.get_by_role("option").first.click()
    viewer, stage = window.locator("dialog.viewer"), window.locator(".viewer-stage")
    viewer.wait_for()
    name = viewer.locator(".viewer-name").inner_text()
    is_close = lambda: "close" in stage.get_attribute("class").split()  # noqa: E731
    window.keyboard.press("z")
    assert is_close()
    top = stage.evaluate("stage => stage.scrollTop")
    window.keyboard.press("ArrowDown")
    assert stage.evaluate("stage => stage.scrollTop") != top or stage.evaluate("stage => stage.scrollHeight <= stage.clientHeight")
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


def test_an_undo_stays_as_long_as_it_has_the_focus(scene, page):
    scene.limit(0)
    window = page.window()
    window.clock.install()
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("radio", name="Nothing").click()
    undo = window.locator(".toast").get_by_role("button", name="Undo")
    undo.focus()
    window.clock.run_for(30_000)
    assert has_focus(undo)
    window.get_by_role("radio", name="Nothing").focus()
    window.clock.run_for(2_000)
    undo.wait_for(state="detached")
    assert window.problems == []


def test_the_title_says_which_page_it_is(scene, page):
    scene.limit(0)
    window = page.window()
    said = []
    for name in ("Requests", "Apps", "Activity", "Libraries"):
        window.get_by_role("navigation").get_by_role("link", name=name).click()
        window.get_by_role("heading", name=name, level=1).wait_for()
        said.append(window.title())
    assert said == [f"{name} – PhotoBroker" for name in ("Requests", "Apps", "Activity", "Libraries")]
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("listbox").wait_for()
    assert window.title() == f"{scene.library} – PhotoBroker"
    scene.app.begin("RequestAuthorization", level="addOnly")
    wait_for(lambda: window.title() == f"(1) {scene.library} – PhotoBroker", "what waits to be counted")
    assert window.problems == []


UNDER_THE_HEADER = """() => {
  const at = document.activeElement, top = document.querySelector('.top')
  if (at === document.body || top.contains(at)) return false
  const { top: from, bottom: to } = at.getBoundingClientRect()
  return to <= top.getBoundingClientRect().bottom || from >= innerHeight ? at.outerHTML.slice(0, 120) : false
}"""


@pytest.mark.parametrize("size", [(640, 360), (320, 640), WIDE], ids=["zoomed", "narrow", "wide"])
def test_nothing_has_the_focus_under_the_header_going_forwards_or_backwards(scene, page, size):
    scene.limit(0, 1)
    for name in (2, 3, 4):
        scene.select(name)
    window = page.window(size=size)
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.locator("[data-decision]").nth(3).wait_for()
    for key in ("Tab", "Shift+Tab"):
        under, stops = [], 0
        for _ in range(90):
            window.keyboard.press(key)
            stops += 1
            if is_out := window.evaluate(UNDER_THE_HEADER):
                under.append(is_out)
            if window.evaluate("() => document.activeElement === document.body"):
                break
        assert stops > 12 and under == [], (key, under)
    assert window.problems == []


def check(window, what, found):
    from axe_playwright_python.sync_playwright import Axe
    window.wait_for_timeout(350)
    result = Axe().run(window)
    for violation in result.response["violations"]:
        node = violation["nodes"][0]
        found.append((what, violation["id"], node["html"][:160], node.get("failureSummary", "")[:240]))


# What is where goes by the width and what has which colour by the scheme: two runs see all four.
@pytest.mark.parametrize("size, scheme", [(WIDE, "light"), (NARROW, "dark")], ids=["wide-light", "narrow-dark"])
def test_axe_finds_nothing_on_any_page(scene, page, size, scheme):
    scene.limit(0, 2)
    scene.owner.call("MarkAssets", library=scene.library, selector={"identifiers": [scene.owner.identifier(scene.library, scene.pictures[1])]},
                     favorite=True, hidden=True)
    for asset in scene.app.fetch():
        scene.app.digest(asset["localIdentifier"])
    other, picker = scene.broker.app(scene.app.uid), scene.broker.app(scene.app.uid)
    other.introduce(identifier="org.example.second")
    ask(scene, other)
    picker.introduce("org.example.attach", name="Mailer")
    picker.begin("io.photobroker.Picker.Present", selectionLimit=3)
    window = page.window(bypass_csp=True, scheme=scheme, size=size)
    found = []
    window.get_by_role("button", name="Select photos").wait_for()
    window.get_by_role("button", name="Pick…").wait_for()
    check(window, "requests", found)
    window.get_by_role("button", name="Allow all").click()
    window.get_by_role("dialog").wait_for()
    check(window, "a dialog", found)
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Pick…").click()
    window.get_by_role("option").nth(5).click()
    check(window, "picker", found)
    window.get_by_role("button", name="Cancel").click()
    window.get_by_role("dialog").wait_for()
    check(window, "leaving", found)
    window.get_by_role("button", name="Leave").click()
    picker.hear()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(5).wait_for()
    window.get_by_role("option").nth(0).click()
    check(window, "selection", found)
    window.keyboard.press("Enter")
    window.locator("dialog.viewer").wait_for()
    check(window, "large view", found)
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Cancel").click()
    window.get_by_role("button", name="Leave").click()
    for tab in ("Apps", "Activity", "Libraries"):
        window.get_by_role("link", name=tab).click()
        window.get_by_role("heading", name=tab, level=1).wait_for()
        check(window, tab, found)
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").nth(4).wait_for()
    check(window, "library", found)
    window.get_by_role("button", name="Close").click()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text="2 photos").click()
    window.get_by_role("heading", name="Decisions").wait_for()
    check(window, "app", found)
    window.get_by_role("button", name="Revoke access").click()
    check(window, "revoking", found)
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Lock").click()
    window.get_by_role("heading", name="This page is locked").wait_for()
    check(window, "locked", found)
    assert found == []
    other.waiting = False


def test_axe_finds_nothing_in_german_and_where_a_selection_is_kept_changed_reviewed_and_seen_as(make_scene, browser):
    scene = make_scene(5, introduce=False)
    scene.app.introduce(PHPhotoLibraryPreventAutomaticLimitedAccessAlert=None)
    scene.limit(0, 1)
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Lake", add={"last": 2}, shared=True)
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="shared-read")
    assert len(scene.app.names()) == 2
    page = pages.Page(scene.broker, scene.owner, browser)
    found = []
    try:
        window = page.window(language="de-DE", bypass_csp=True)
        window.get_by_role("button", name="Auswahl behalten").wait_for()
        check(window, "keep or change", found)
        window.get_by_role("button", name="Auswahl ändern …").click()
        photos = window.get_by_role("listbox")
        photos.get_by_role("option", selected=True).nth(1).wait_for()
        photos.get_by_role("option").nth(0).click()
        photos.get_by_role("option", selected=True).last.click()
        check(window, "selection", found)
        window.get_by_role("button", name="2 Fotos sichern").click()
        window.get_by_role("dialog").get_by_text("1 Foto fällt weg").wait_for()
        check(window, "what is changed", found)
        window.get_by_role("dialog").get_by_role("button", name="Sichern").click()
        window.locator(".chooser").wait_for(state="detached")
        for tab in ("Apps", "Verlauf", "Mediatheken"):
            window.get_by_role("link", name=tab).click()
            window.get_by_role("heading", name=tab, level=1).wait_for()
            check(window, tab, found)
        window.get_by_role("link", name="Apps").click()
        window.locator("a.row").click()
        window.get_by_role("heading", name="2 ausgewählte Fotos").wait_for()
        check(window, "app", found)
        window.get_by_role("button", name="Wie diese App sehen").click()
        window.get_by_label("Album", exact=True).wait_for()
        check(window, "seen as the app", found)
        assert found == [] and window.problems == []
    finally:
        page.end()


def test_no_meaning_is_in_colour_alone(scene, page):
    """In shades of grey, what is selected, added, taken away, denied and where one is still differ in shape or words."""
    scene.limit(0, 1)
    window = page.window()
    window.get_by_role("link", name="Apps").click()
    assert window.locator("nav a[aria-current=page]").count() == 1
    window.locator("a.row").click()
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    marks = window.evaluate("""() => [...document.querySelectorAll('.tile')].map(tile => [tile.getAttribute('aria-selected'),
      getComputedStyle(tile.querySelector('.tile-check .icon')).opacity])""")
    assert {tuple(m) for m in marks} == {("true", "1"), ("false", "0")}, "a tick, not a tint"
    window.get_by_role("option", selected=False).first.click()
    window.get_by_role("option", selected=True).last.click()
    words = window.locator(".delta").inner_text()
    assert "+1 added" in words and "−1 taken away" in words


def test_states_are_seen_in_the_systems_own_colours(scene, page):
    scene.limit(0, 1)
    scene.app.digest(scene.app.fetch()[0]["localIdentifier"])
    window = page.window(forced_colors="active", reduced_motion="reduce")

    def look(element):
        window.mouse.move(2, 2)
        window.evaluate("() => document.activeElement.blur()")
        return element.screenshot()

    def is_told(element, change=None):
        """Whether it looks otherwise once it was pressed."""
        before = look(element)
        (change or element.click)()
        window.wait_for_timeout(300)
        return look(element) != before
    here = window.get_by_role("link", name="Apps")
    assert is_told(here)
    window.locator("a.row").click()
    window.locator(".bar:not(.none)").wait_for()
    none, some = (window.locator(place).first.evaluate("e => getComputedStyle(e).backgroundColor") for place in (".bar.none", ".bar:not(.none)"))
    assert none != some, "days on which nothing was handed over are told apart"
    assert some != window.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert is_told(window.get_by_role("switch", name="Pause"))
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option").nth(5).wait_for()
    month = window.get_by_role("button", name="Select all of")
    assert [is_told(month), is_told(month)] == [True, True], "some, all and none of a month"
    assert is_told(window.get_by_role("option").nth(2))
    assert is_told(window.get_by_role("button", name="Videos"))
    for control in (".search", ".chooser-actions .plain", ".chooser-actions .primary"):
        assert float(window.locator(control).evaluate("e => parseFloat(getComputedStyle(e).borderTopWidth)")) >= 1, control
    assert window.problems == []


@pytest.mark.parametrize("width", [360, 640, 720])
def test_all_that_finds_photos_is_in_sight_in_a_narrow_window(scene, page, width):
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="A walk along the lake and back", add={"last": 2})
    window = page.window("de-DE", (width, 780))
    window.get_by_role("link", name="Mediatheken").click()
    window.locator(".library .primary").click()
    window.locator(".tile").nth(5).wait_for()
    window.locator(".chooser-bar select").wait_for()
    for control in window.locator(".chooser-bar").locator("button, select, input").all():
        box = control.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, control.evaluate("e => e.outerHTML")
    assert window.locator(".search input").evaluate("e => e.clientWidth") > 90


def test_motion_is_left_out_for_those_who_ask(scene, page):
    window = page.window(reduced_motion="reduce")
    scene.owner.set(scene.library, scene.app.name, "authorized")
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    tile = window.get_by_role("option").first
    tile.wait_for()
    assert tile.locator("img").evaluate("e => parseFloat(getComputedStyle(e).transitionDuration) < 0.01")


# What can be pressed and is not wholly in the window, or is narrower than its words.
CUT_OFF = """() => [...document.querySelectorAll('nav a, .primary, .plain, .row')].filter(e => {
  const at = e.getBoundingClientRect()
  return at.width > 0 && (at.left < 0 || at.right > document.documentElement.clientWidth + 0.5 || e.scrollWidth > e.clientWidth + 1)
}).map(e => e.textContent)"""


# What of a row lies upon something else of it.
OVERLAPPING = """() => [...document.querySelectorAll('.row, .viewer-top, .form-line')].flatMap(row => {
  const boxes = [...row.children].map(e => [e, e.getBoundingClientRect()]).filter(([, at]) => at.width > 0)
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1).filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => [one.textContent, other.textContent]))
})"""


@pytest.mark.parametrize("width", [768, 390, 320])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_nothing_is_cut_off_in_a_narrow_window(scene, page, language, width):
    look_everywhere(scene, page.window(language=language, size=(width, 700)))


def look_everywhere(scene, window):
    """Walks through the page from a request on: nowhere anything is cut off."""
    scene.app.begin("RequestAuthorization", level="readWrite")

    def check(what):
        assert not is_wider_than_its_window(window), what
        assert window.evaluate(CUT_OFF) == [], what
        assert window.evaluate(OVERLAPPING) == [], what
    for path in ("/apps", "/libraries", "/"):
        window.locator(f"nav a[data-path='{path}']").click()
        window.locator({"/apps": "a.row", "/libraries": ".library", "/": ".prompt"}[path]).first.wait_for()
        check(path)
    window.locator("[data-answer=select]").click()
    # Of several there may be room for few.
    window.get_by_role("option").first.click()
    check("selection")
    window.locator(".chooser-actions .primary").click()
    assert scene.app.hear_request() == "limited"
    window.locator("nav a[data-path='/apps']").click()
    window.locator("a.row").wait_for()
    scene.owner.call("MarkAssets", library=scene.library, selector={"all": True}, hidden=True)
    scene.owner.call("Apply", rules=[{"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "deny"}])
    window.locator("[data-rule]").wait_for()
    check("an app that has access")
    window.locator("a.row").click()
    window.locator("[data-decision]").first.wait_for()
    check("what it has")
    window.locator("nav a[data-path='/activity']").click()
    window.locator(".tab").nth(1).click()
    window.locator("[data-decision]").first.wait_for()
    check("decisions")
    window.locator("nav a[data-path='/libraries']").click()
    window.locator(".library .actions button").nth(1).click()
    window.locator("dialog .form-line").wait_for()
    check("whom it is offered to")
    window.keyboard.press("Escape")
    window.locator(".library .primary").click()
    window.get_by_role("option").first.click()
    window.locator("dialog.viewer .viewer-name").wait_for()
    check("the large view")


# Whether something of the header reaches over the window's edge, or over what stands beside it.
HEADER_OVERFLOWS = """() => {
    const parts = [...document.querySelectorAll('.top .brand, .top nav, .top > .round, .top nav a')].map(e => [e, e.getBoundingClientRect()])
    const over = parts.filter(([, box]) => box.right > innerWidth + 0.5 || box.left < -0.5)
    const [brand, nav, lock] = ['.top .brand', '.top nav', '.top > .round'].map(which => document.querySelector(which).getBoundingClientRect())
    const meet = (one, other) => one.left < other.right - 0.5 && other.left < one.right - 0.5 && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5
    const wide = parts.filter(([e]) => e.matches('nav a') && e.scrollWidth > e.clientWidth + 1)
    return over.length + wide.length + [[brand, nav], [nav, lock], [brand, lock]].filter(([one, other]) => meet(one, other)).length
}"""


def look_at_the_header(scene, window):
    """At every width, with a question that waits and a library that is offered, each of which is counted there."""
    scene.app.begin("RequestAuthorization", level="readWrite")
    other = scene.broker.owner()
    album = Album(scene.house, f"album-{other.uid}", other.uid)
    album.fill(1)
    other.add_library(f"album-{other.uid}", album.folder, [scene.owner.uid], 1)
    window.get_by_role("article").wait_for()
    wait_for(lambda: window.locator(".top .badge:not(:empty)").count() == 2, "the counts")
    over = []
    for width in range(320, 1300, 7):
        window.set_viewport_size({"width": width, "height": 800})
        if is_wider_than_its_window(window) or window.evaluate(HEADER_OVERFLOWS): over.append(width)
    assert over == []


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_fits_at_every_width(scene, page, language):
    window = page.window(language=language, size=(1300, 800))
    look_at_the_header(scene, window)
    assert window.problems == []


def test_the_large_view_shows_the_text_under_a_photo(scene, page):
    """As it was set last, and nothing where there is none; words of a file are words and never markup."""
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(other)
    asset = other.named(scene.newest_first[1])["localIdentifier"]
    other.call("PerformChanges", changes=[{"kind": "setCaption", "assets": [asset], "text": "By the lake <b>at noon</b>"}])
    window = page.window()
    ask(scene)
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").first.wait_for()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Home")
    window.keyboard.press("Enter")
    viewer = window.locator("dialog.viewer")
    viewer.wait_for()
    assert viewer.locator(".viewer-words").inner_text() == ""
    window.keyboard.press("ArrowRight")
    viewer.get_by_text("By the lake <b>at noon</b>").wait_for()
    window.keyboard.press("ArrowLeft")
    wait_for(lambda: viewer.locator(".viewer-words").inner_text() == "", "no text under this one")


def test_R59_what_is_never_shared_by_now_neither_counts_nor_is_lost(scene, page):
    scene.limit(0, 1, 2)
    window = page.window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name="Change selection").click()
    foot = window.locator("footer")
    foot.get_by_text("3 photos selected").wait_for()
    # While it is open, and before it opens.
    for again in (False, True):
        scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=True)
        if again:
            window.get_by_role("button", name="Cancel").click()
            window.get_by_role("button", name="Change selection").click()
        foot.get_by_text("2 photos selected").wait_for()
        foot.get_by_text("and 1 that is never shared").wait_for()
        foot.get_by_text("No changes").wait_for()
        assert window.get_by_role("option", selected=True).count() == 2
        assert window.get_by_role("button", name="Save 2 photos").is_disabled()
        if not again:
            scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=False)
            foot.get_by_text("3 photos selected").wait_for()
    window.get_by_role("option", name=scene.pictures[3]).click()
    window.get_by_role("button", name="Save 3 photos").click()
    wait_for(lambda: len(scene.app.names()) == 3, "the selection")
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=False)
    wait_for(lambda: len(scene.app.names()) == 4, "what comes back")
    assert window.problems == []


def test_R13_a_hidden_photo_that_is_selected_is_said_to_be_seen_by_no_app(scene, page):
    def hide(hidden):
        scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, hidden=hidden)
    hide(True)
    ask(scene)
    window = page.window()
    window.get_by_role("button", name="Select photos").click()
    foot = window.locator("footer")
    window.get_by_role("option", name=scene.pictures[0]).click()
    foot.get_by_text("1 photo selected").wait_for()
    assert foot.get_by_text("hidden").count() == 0
    window.get_by_role("option", name=scene.pictures[1]).click()
    foot.get_by_text("2 photos selected").wait_for()
    foot.get_by_text("of them 1 hidden, which no app sees").wait_for()
    hide(False)
    foot.get_by_text("hidden").wait_for(state="detached")
    hide(True)
    foot.get_by_text("of them 1 hidden, which no app sees").wait_for()
    window.get_by_role("button", name="Allow 2 photos").click()
    assert scene.app.hear_request() == "limited" and scene.app.names() == [scene.pictures[0]]
    assert window.problems == []


def test_R59_an_apps_question_saves_as_many_as_it_says(scene, page):
    scene.limit(0, 1, 2)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=True)
    scene.app.begin("PresentLimitedLibraryPicker")
    window = page.window()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("button", name="Save 2 photos").click()
    window.get_by_role("heading", name="Requests").wait_for()
    assert scene.owner.grant(scene.library, scene.app.name)["visible"] == 2 and window.problems == []


def test_photos_keep_room_and_what_keys_are_at_is_seen_in_a_low_window(scene, page):
    """As low as a window of 1,280 to 1,024 that is zoomed to 400 per cent."""
    window = page.window(size=(320, 256))
    scene.app.begin("RequestAuthorization", level="readWrite")
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(5).wait_for()
    for _ in range(2):
        window.keyboard.press("ArrowDown")
    top, bottom = window.locator(".tile.current").evaluate("e => { const { top, bottom } = e.getBoundingClientRect(); return [top, bottom] }")
    box = window.locator(".grid").bounding_box()
    assert box["height"] > 150 and max(0, box["y"]) <= top and bottom <= min(256, box["y"] + box["height"])
    assert window.problems == []
