"""The owner's page checked by axe, and without colours."""

import pytest

from house import page as pages
from house.page_layout import WIDE
from house.person import wait_for
from house.soak import WHOLE

NARROW = (390, 800)


def check(window, what, found):
    from axe_playwright_python.sync_playwright import Axe

    window.wait_for_timeout(350)
    result = Axe().run(window)
    for violation in result.response["violations"]:
        node = violation["nodes"][0]
        found.append((what, violation["id"], node["html"][:160], node.get("failureSummary", "")[:240]))


# Layout depends on the width and colours on the scheme, so two runs cover all four. Most views are
# also checked wide and light in test_page.
@pytest.mark.parametrize("size, scheme", [(NARROW, "dark"), (WIDE, "light")] if WHOLE else [(NARROW, "dark")])
def test_axe_finds_nothing_on_any_page(scene, page, size, scheme):
    scene.limit(0, 2)
    scene.owner.call(
        "MarkAssets",
        library=scene.library,
        selector={"identifiers": [scene.owner.identifier(scene.library, scene.pictures[1])]},
        favorite=True,
        hidden=True,
    )
    for asset in scene.app.fetch():
        scene.app.digest(asset["localIdentifier"])
    other, picker = scene.broker.app(scene.app.uid), scene.broker.app(scene.app.uid)
    other.introduce(identifier="org.example.second")
    other.begin_request()
    picker.introduce("org.example.attach", name="Mailer")
    picker.begin("io.photobroker.Picker.Present", selectionLimit=3)
    window = page.open_window(bypass_csp=True, scheme=scheme, size=size)
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


def test_axe_finds_nothing_in_german_and_in_every_selection_view(make_scene, browser):
    scene = make_scene(5, introduce=False)
    scene.app.introduce(PHPhotoLibraryPreventAutomaticLimitedAccessAlert=None)
    scene.limit_earlier(0, 1)
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Lake", add={"last": 2}, shared=True)
    scene.owner.call(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="shared-read"
    )
    assert len(scene.app.names()) == 2
    page = pages.Page(scene.broker, scene.owner, browser)
    found = []
    try:
        window = page.open_window(language="de-DE", bypass_csp=True)
        window.get_by_role("button", name="Auswahl behalten").wait_for()
        check(window, "keep or change", found)
        window.get_by_role("button", name="Auswahl ändern …").click()
        photos = window.get_by_role("listbox")
        photos.get_by_role("option", selected=True).nth(1).wait_for()
        photos.get_by_role("option").nth(0).click()
        photos.get_by_role("option", selected=True).last.click()
        check(window, "selection", found)
        window.get_by_role("button", name="2 Fotos sichern").click()
        window.get_by_role("dialog").get_by_text("1 Foto wird abgewählt").wait_for()
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


def test_colour_is_never_the_only_signal(scene, page):
    """In shades of grey, every state still differs in shape or text."""
    scene.limit(0, 1)
    window = page.open_window()
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
    assert "+1 added" in words and "−1 unselected" in words


def test_states_are_visible_in_forced_colours(scene, page):
    scene.limit(0, 1)
    scene.app.digest(scene.app.fetch()[0]["localIdentifier"])
    window = page.open_window(forced_colors="active", reduced_motion="reduce")

    def state(element):
        return element.evaluate(
            "e => [e.checked, ...['aria-current', 'aria-pressed', 'aria-selected'].map(name => e.getAttribute(name))].join()"
        )

    def look(element):
        # A redrawn control is dimmed until it takes presses.
        wait_for(lambda: element.get_attribute("aria-disabled") is None, "it to take presses")
        window.mouse.move(2, 2)
        window.evaluate("() => document.activeElement.blur()")
        # Playwright would wait until the control is not redrawn any more.
        element.evaluate("e => e.scrollIntoView({ block: 'center' })")
        # A picture of the window, because the element may be redrawn meanwhile.
        return window.screenshot(clip=element.bounding_box())

    def is_told(element):
        """Return whether the element's appearance changes with a press."""
        before, was = look(element), state(element)
        element.click()
        wait_for(lambda: state(element) != was, "the other state")
        return look(element) != before

    here = window.get_by_role("link", name="Apps")
    assert is_told(here)
    window.locator("a.row").click()
    window.locator(".bar:not(.none)").wait_for()
    none, some = (
        window.locator(place).first.evaluate("e => getComputedStyle(e).backgroundColor")
        for place in (".bar.none", ".bar:not(.none)")
    )
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
        assert float(window.locator(control).evaluate("e => parseFloat(getComputedStyle(e).borderTopWidth)")) >= 1, (
            control
        )
    assert window.problems == []
