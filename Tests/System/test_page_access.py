"""Accessibility of the owner's page: screen reader, narrow and wide windows, font sizes."""

import pytest

from house import page as pages
from house.page_focus import has_focus, tab_to
from house.page_layout import WIDE, check_header, check_every_view
from house.page_views import announcement, open_app
from house.person import wait_for
from house.pictures import day, jpeg
from house.soak import WHOLE


def test_a_new_prompt_is_announced_on_every_page(scene, window):
    second, third = scene.broker.app(scene.app.uid), scene.broker.app(scene.app.uid)
    second.introduce("org.example.second", name="Second")
    third.introduce("org.example.third", name="Third")
    scene.app.begin_request()
    select = window.get_by_role("button", name="Select photos")
    select.wait_for()
    window.get_by_role("navigation").get_by_role("link", name="Libraries").click()
    window.get_by_role("article", name=scene.library).wait_for()
    assert announcement(window) == ""
    second.begin_request()
    wait_for(lambda: announcement(window) == "Second waits for your answer", "the announcement")
    assert window.locator(".toast").count() == 0, "the header says it to whoever sees it"
    window.get_by_role("navigation").get_by_role("link", name="Requests").click()
    wait_for(lambda: select.first.is_enabled(), "it to take an answer")
    select.first.click()
    wait_for(lambda: window.get_by_role("option").count() == 6, "the photos")
    window.get_by_role("option").first.click()
    third.begin_request()
    toast = window.locator(".toast", has_text="Third waits for your answer")
    toast.wait_for()
    wait_for(lambda: announcement(window) == "Third waits for your answer. Requests: F6", "the announcement")
    # The toast's link asks before it discards the unsaved selection.
    toast.get_by_role("button", name="Requests").click()
    dialog = window.get_by_role("dialog", name="Leave without saving?")
    dialog.get_by_role("button", name="Go on selecting").click()
    assert window.get_by_role("option", selected=True).count() == 1
    window.get_by_role("button", name="Cancel").click()
    window.get_by_role("dialog").get_by_role("button", name="Leave").click()
    window.get_by_role("article", name="Request of Third").wait_for()


def test_a_hidden_page_notifies_of_a_new_prompt(scene, window):
    # The headless browser has no notifications and is never hidden.
    window.evaluate("""() => {
      window.noted = []
      window.Notification = class {
        static permission = 'default'
        static requestPermission() { this.permission = 'granted'; return Promise.resolve(this.permission) }
        constructor(...parts) { noted.push(parts) }
      }
    }""")
    second = scene.broker.app(scene.app.uid)
    second.introduce("org.example.second", name="Second")
    for name in ("Apps", "Requests"):
        window.get_by_role("navigation").get_by_role("link", name=name).click()
    ask = window.get_by_role("button", name="Notify me in this browser")
    ask.click()
    ask.wait_for(state="detached")
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").wait_for()
    window.wait_for_timeout(300)
    assert window.evaluate("noted") == [], "the person sees the page"
    window.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    second.begin_request()
    wait_for(lambda: window.evaluate("noted.length") == 1, "the notification")
    [(title, shown)] = window.evaluate("noted")
    assert title == "PhotoBroker" and shown["body"] == "Second waits for your answer"


def test_the_large_view_announces_the_next_photo(scene, window):
    scene.app.begin_request()
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
        wait_for(lambda: announcement(window) == f"{name}, {number} of 6, {words}", f"photo {number} to be told")

    tells(2, "selected")
    window.keyboard.press("ArrowRight")
    tells(3, "not selected")
    assert window.locator("dialog.viewer #announcer").count() == 1, "where it is heard"
    window.get_by_role("button", name="Previous").press("Enter")
    tells(2, "selected")


def test_a_narrow_photo_in_a_narrow_window_is_selected_by_a_click_at_its_centre(make_scene, browser):
    scene = make_scene(4)
    # All three stand in one row, whose height follows its widest photo.
    for number, name, width, height in ((9, "tall.jpg", 40, 120), (8, "usual.jpg", 64, 48), (7, "wide.jpg", 320, 96)):
        scene.album.put(name, jpeg(day(number), width=width, height=height), day(number).timestamp())
    scene.owner.wait_for_library(scene.library, 7)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window(size=(320, 640))
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


def test_R12_settings_confirm_full_access(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    open_app(window)
    everything = window.get_by_role("radio", name="Full access")
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


def test_an_app_connecting_and_disconnecting_redraws_only_its_status(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    open_app(window)
    window.get_by_text("Connected now, 1 connection").wait_for()
    revoke = window.get_by_role("button", name="Revoke access")
    tab_to(window, revoke)
    window.evaluate(
        "() => { for (const part of ['level', 'more']) document.querySelector(`.part-${part}`).firstElementChild.dataset.kept = '1' }"
    )
    scene.app.new_connection()
    window.get_by_text("Not connected").wait_for()
    wait_for(lambda: has_focus(revoke), "the focus to be where it was")
    assert window.locator("[data-kept]").count() == 2
    assert window.problems == []


def test_the_timeline_is_a_slider_with_a_value(make_scene, browser):
    scene = make_scene(120)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window(size=(900, 500))
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


def test_the_title_names_the_page(scene, page):
    scene.take_additions()
    scene.limit(0)
    window = page.open_window()
    said = []
    for name in ("Requests", "Apps", "Activity", "Libraries"):
        window.get_by_role("navigation").get_by_role("link", name=name).click()
        window.get_by_role("heading", name=name, level=1).wait_for()
        said.append(window.title())
    assert said == [f"{name} – PhotoBroker" for name in ("Requests", "Apps", "Activity", "Libraries")]
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("listbox").wait_for()
    assert window.title() == f"{scene.library} – PhotoBroker"
    scene.app.begin_request("addOnly")
    wait_for(lambda: window.title() == f"(1) {scene.library} – PhotoBroker", "what waits to be counted")
    assert window.problems == []


UNDER_THE_HEADER = """() => {
  const at = document.activeElement, top = document.querySelector('.top')
  if (at === document.body || top.contains(at)) return false
  const { top: from, bottom: to } = at.getBoundingClientRect()
  return to <= top.getBoundingClientRect().bottom || from >= innerHeight ? at.outerHTML.slice(0, 120) : false
}"""


@pytest.mark.parametrize("size", [(320, 640), (640, 360), WIDE] if WHOLE else [(320, 640)])
def test_the_header_never_covers_the_focus(scene, page, size):
    scene.limit(0, 1)
    for name in (2, 3, 4):
        scene.select(name)
    window = page.open_window(size=size)
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


def test_all_search_controls_are_visible_in_a_narrow_window(scene, page):
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="A walk along the lake and back", add={"last": 2})
    window = page.open_window("de-DE", (720, 780))
    window.get_by_role("link", name="Mediatheken").click()
    window.locator(".library .primary").click()
    window.locator(".tile").nth(5).wait_for()
    window.locator(".chooser-bar select").wait_for()
    for width in (720, 640, 360):
        window.set_viewport_size({"width": width, "height": 780})
        for control in window.locator(".chooser-bar").locator("button, select, input").all():
            box = control.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, control.evaluate("e => e.outerHTML")
        assert window.locator(".search input").evaluate("e => e.clientWidth") > 90


@pytest.mark.parametrize("motion, seconds", [("reduce", 0), ("no-preference", 0.18)])
def test_animations_are_off_on_request(scene, page, motion, seconds):
    window = page.open_window(reduced_motion=motion)
    scene.owner.set(scene.library, scene.app.name, "authorized")
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    tile = window.get_by_role("option").first
    tile.wait_for()
    assert (
        tile.locator("img").evaluate(
            "e => Math.max(...getComputedStyle(e).transitionDuration.split(',').map(parseFloat))"
        )
        == seconds
    )


@pytest.mark.parametrize(
    "language, width",
    [(language, width) for language in ("en-GB", "de-DE") for width in (768, 390, 320)]
    if WHOLE
    else [("en-GB", 390), ("de-DE", 320)],
)
def test_a_narrow_window_cuts_nothing_off(scene, page, language, width):
    check_every_view(scene, page.open_window(language=language, size=(width, 700)))


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_fits_at_every_width(scene, page, language):
    window = page.open_window(language=language, size=(1300, 800))
    check_header(scene, window)
    assert window.problems == []


def test_the_large_view_shows_a_photos_caption(scene, page):
    """The latest caption is shown as plain text, and a photo without one shows none."""
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(other)
    asset = other.named(scene.newest_first[1])["localIdentifier"]
    other.call(
        "PerformChanges", changes=[{"kind": "setCaption", "assets": [asset], "text": "By the lake <b>at noon</b>"}]
    )
    window = page.open_window()
    scene.app.begin_request()
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


def test_R59_never_share_photos_in_a_selection_are_not_counted_and_not_lost(scene, page):
    scene.limit(0, 1, 2)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name="Change selection").click()
    foot = window.locator("footer")
    foot.get_by_text("3 photos selected").wait_for()
    # The asset is marked while the page is open, and then before the page opens.
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
            scene.owner.call(
                "MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=False
            )
            foot.get_by_text("3 photos selected").wait_for()
    window.get_by_role("option", name=scene.pictures[3]).click()
    window.get_by_role("button", name="Save 3 photos").click()
    wait_for(lambda: len(scene.app.names()) == 3, "the selection")
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=False)
    wait_for(lambda: len(scene.app.names()) == 4, "what comes back")
    assert window.problems == []


def test_R13_a_selected_hidden_photo_is_marked_as_seen_by_no_app(scene, page):
    def hide(hidden):
        scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, hidden=hidden)

    hide(True)
    scene.app.begin_request()
    window = page.open_window()
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


def test_R59_a_selection_prompt_saves_the_displayed_number(scene, page):
    scene.limit(0, 1, 2)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, neverShare=True)
    scene.app.begin("PresentLimitedLibraryPicker")
    window = page.open_window()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("button", name="Save 2 photos").click()
    window.get_by_role("heading", name="Requests").wait_for()
    assert scene.owner.grant(scene.library, scene.app.name)["visible"] == 2 and window.problems == []


def test_photos_keep_room_and_the_focus_is_visible_in_a_low_window(scene, page):
    """The window is as low as one of 1,280 x 1,024 at a zoom of 400 %."""
    window = page.open_window(size=(320, 256))
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(5).wait_for()
    for _ in range(2):
        window.keyboard.press("ArrowDown")
    top, bottom = window.locator(".tile.current").evaluate(
        "e => { const { top, bottom } = e.getBoundingClientRect(); return [top, bottom] }"
    )
    box = window.locator(".grid").bounding_box()
    assert box["height"] > 150 and max(0, box["y"]) <= top and bottom <= min(256, box["y"] + box["height"])
    assert window.problems == []
