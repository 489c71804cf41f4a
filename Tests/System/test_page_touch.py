"""Touch: a drag scrolls, and a tap acts on release."""

import pytest

from house import page as pages
from house.page_views import browse
from house.person import wait_for


@pytest.fixture
def touch_scene(make_scene, browser):
    """A library of several screens in a phone-sized window with touch."""
    scene = make_scene(40)
    page = pages.Page(scene.broker, scene.owner, browser)
    scene.window = page.open_window(size=(390, 800), has_touch=True, is_mobile=True)
    yield scene
    assert scene.window.problems == []
    page.end()


def swipe(window, tile):
    box = tile.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = window.context.new_cdp_session(window)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 20 * step}]})
        window.wait_for_timeout(16)
    # A finger that rests before it lifts leaves nothing moving: a tap on a moving list only stops it.
    window.wait_for_timeout(200)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def is_scrolled(window):
    return window.locator(".grid").evaluate("grid => grid.scrollTop") > 100


def wait_for_large_view(window):
    """Return the large view, which shows the whole photo."""
    viewer = window.locator("dialog.viewer")
    viewer.wait_for()
    window.wait_for_timeout(700)
    assert viewer.locator(".viewer-stage.close").count() == 0
    return viewer


def test_a_finger_scrolls_a_library_and_a_tap_opens_a_photo(touch_scene):
    window = touch_scene.window
    browse(window)
    swipe(window, window.get_by_role("option").nth(4))
    wait_for(lambda: is_scrolled(window), "the library to be scrolled")
    assert window.locator("dialog.viewer").count() == 0
    window.get_by_role("option").nth(6).tap()
    wait_for_large_view(window).get_by_role("button", name="Close").tap()
    window.locator("dialog.viewer").wait_for(state="detached")


def test_a_finger_scrolls_an_apps_view(touch_scene):
    touch_scene.allow()
    window = touch_scene.window
    window.get_by_role("link", name="Apps").tap()
    window.locator("a.row").tap()
    window.get_by_role("button", name="See as this app").tap()
    window.get_by_role("option").nth(4).wait_for()
    swipe(window, window.get_by_role("option").nth(4))
    wait_for(lambda: is_scrolled(window), "what it sees to be scrolled")
    assert window.locator("dialog.viewer").count() == 0


def test_R22_a_tap_selects_and_a_button_on_the_photo_opens_it(touch_scene):
    window = touch_scene.window
    touch_scene.app.begin_request()
    window.get_by_role("button", name="Select photos").tap()
    tiles = window.get_by_role("option")
    tiles.nth(4).wait_for()
    swipe(window, tiles.nth(4))
    wait_for(lambda: is_scrolled(window), "the selection page to be scrolled")
    chosen = window.get_by_role("option", selected=True)
    assert chosen.count() == 0
    tile = window.get_by_role("option", name=touch_scene.newest_first[6])
    tile.tap()
    wait_for(lambda: chosen.count() == 1, "the photo to be selected")
    closer = tiles.nth(5).locator(".tile-zoom")
    assert float(closer.evaluate("e => getComputedStyle(e).opacity")) > 0.5, "it is seen without a pointer over it"
    closer.tap()
    wait_for_large_view(window).get_by_role("button", name="Close").tap()
    assert chosen.count() == 1
    # A screen reader clicks without a pointer.
    tile.dispatch_event("click")
    wait_for(lambda: chosen.count() == 0, "the photo to be taken away")
