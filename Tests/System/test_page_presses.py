"""A press acts on the control that the person saw, and only once."""

import base64
import os
import time

import pytest

from house.broker import Album
from house.page import stop_clock
from house.person import wait_for
from house.pictures import day, jpeg
from house.soak import WHOLE


def page_box(element):
    """Return the element's box in page coordinates, because a waiting click may scroll."""
    return element.evaluate("""e => {
      const { x, y, width, height } = e.getBoundingClientRect()
      return { x: x + scrollX, y: y + scrollY, width, height }
    }""")


def scroll_to(element):
    """Scroll without waiting for the element to rest: a list that is redrawn replaces it."""
    element.evaluate("e => e.scrollIntoView({ block: 'nearest' })")


def middle(element):
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture
def open_stopped_window(scene, page):
    """Factory of windows with stopped clocks."""
    windows = []

    def open(page=page, size=(1000, 800)):
        window = page.open_window(size=size)
        window.set_default_timeout(20_000)
        window.get_by_role("heading", name="Requests").wait_for()
        stop_clock(window)
        windows.append(window)
        return window

    yield open
    for window in windows:
        assert window.problems == []


def is_clickable(control):
    return control.get_attribute("aria-disabled") is None


def wait_until_clickable(window, control):
    """Run the page's clock until the control takes presses and has not been redrawn for 0.5 s."""
    wait_until_at_rest(control, lambda: window.clock.run_for(600))


def wait_until_at_rest(control, wait=lambda: None):
    """Wait until the control takes presses and has not been redrawn for 0.5 s: a redrawn one takes none at first."""
    control.wait_for()
    wait()
    began = time.monotonic()

    def rests():
        nonlocal began
        if not is_clickable(control):
            wait()
            began = time.monotonic()
        return time.monotonic() > began + 0.5

    wait_for(rests, "it to take presses")


WAYS = ["pointer 0", "pointer 250", "pointer 400", "key twice", "key held"]


def press_ways(*once):
    """Return all ways in a soak, in a gate those that would do harm here without a guard."""
    return WAYS if WHOLE else once


def press_twice(window, button, way, is_answered):
    """Press twice at one place or with one key, or hold a key.

    A second press that comes later waits for the answer to the first.
    """
    pause = {"pointer 0": 0, "pointer 250": 250}.get(way, 400)
    scroll_to(button)
    x, y = middle(button)

    def press():
        window.mouse.click(x, y) if way.startswith("pointer") else window.keyboard.press("Enter")

    def press_first():
        nonlocal x, y
        window.evaluate("addEventListener('click', event => { window.pressed = event }, true)")
        press()
        while window.evaluate("pressed.defaultPrevented"):
            # The page refuses a press on a row that moved since, for example under a late picture.
            wait_until_clickable(window, button)
            x, y = middle(button)
            press()

    def answered():
        # A redraw waits for the end of the press, which is a timer of the page. Little of the
        # page's time may pass between the presses.
        wait_for(lambda: window.clock.run_for(1 if pause else 20) or is_answered(), "the first press to be answered")

    if not way.startswith("pointer"):
        button.focus()
    if way == "key held":
        window.keyboard.down("Enter")
        answered()
        for _ in range(39):
            window.keyboard.down("Enter")
            window.clock.run_for(30)
        window.keyboard.up("Enter")
    else:
        press_first()
        began = window.evaluate("performance.now()")
        if pause:
            answered()
            passed = window.evaluate("performance.now()") - began
            assert passed < pause, "the answer took longer than the pause between both presses"
            window.clock.run_for(int(pause - passed))
        press()
        answered()
    window.clock.run_for(700)


def count_calls(window, method):
    """Return how often the page has called a method."""
    window.evaluate("true")
    return sum(url.endswith(f"/call/{method}") for url in window.requests)


def actions(scene):
    return [
        decision["action"]
        for decision in scene.owner.call("ListDecisions", library=scene.library, limit=5)["decisions"]
    ]


def is_denied(scene):
    return all(
        grant["status"] != "authorized" for grant in scene.owner.call("ListGrants", library=scene.library)["grants"]
    )


@pytest.mark.library("shared")
@pytest.mark.parametrize(
    "place, way",
    [(place, way) for place, once in (("activity", "pointer 400"), ("app", "pointer 0")) for way in press_ways(once)],
)
def test_clicking_undo_twice_restores_no_access(scene, open_stopped_window, place, way):
    scene.allow()
    window = open_stopped_window()
    if place == "activity":
        window.get_by_role("link", name="Activity").click()
        window.get_by_role("button", name="Decisions").click()
    else:
        window.get_by_role("link", name="Apps").click()
        window.locator("a.row").first.click()
    rows = window.locator("[data-decision]")
    undo = rows.first.get_by_role("button")
    wait_until_clickable(window, undo)
    assert "Allowed" in rows.first.inner_text()
    before, newest = actions(scene), rows.first.get_attribute("data-decision")
    press_twice(window, undo, way, lambda: rows.first.get_attribute("data-decision") != newest)
    assert count_calls(window, "UndoDecision") == 1
    assert actions(scene)[0] == "undo" and actions(scene)[1 : len(before) + 1] == before[:4] and is_denied(scene)
    if place == "app":
        return
    # A later, deliberate press works.
    window.clock.resume()
    rows.first.get_by_role("button").click()
    wait_for(lambda: actions(scene)[:2] == ["undo", "undo"], "what was taken back to be given")


@pytest.mark.parametrize("way", press_ways("pointer 250"))
def test_clicking_restore_twice_restores_one_photo(scene, open_stopped_window, way):
    os.chmod(scene.album.folder, 0o770)
    scene.allow()
    assets = scene.app.fetch()
    assert len(assets) > 2
    scene.app.call(
        "PerformChanges", changes=[{"kind": "delete", "assets": [asset["localIdentifier"] for asset in assets]}]
    )
    # Each moved file redraws the list, so all files must be moved first.
    wait_for(lambda: not any((scene.album.folder / name).exists() for name in scene.pictures), "the files to be moved")
    window = open_stopped_window()
    window.evaluate(f"location.hash = '/trash/{scene.library}'")
    rows = window.locator("[data-trashed]")
    rows.nth(len(assets) - 1).wait_for()
    restore = rows.nth(1).get_by_role("button")
    wait_until_clickable(window, restore)
    press_twice(window, restore, way, lambda: rows.count() == len(assets) - 1)
    assert count_calls(window, "RestoreAssets") == 1
    assert scene.owner.call("FetchTrashedAssets", library=scene.library)["total"] == len(assets) - 1


@pytest.mark.parametrize("way", press_ways("pointer 400"))
def test_clicking_remove_twice_removes_one_rule(scene, open_stopped_window, way):
    rules = [
        {
            "uid": scene.app.uid,
            "identifier": f"org.example.other-{number}",
            "library": scene.library,
            "name": f"rule-{number}",
            "level": "readWrite",
            "answer": "deny",
        }
        for number in range(4)
    ]
    scene.owner.call("Apply", rules=rules)
    window = open_stopped_window()
    window.get_by_role("link", name="Apps").click()
    rows = window.locator("[data-rule]")
    rows.nth(3).wait_for()
    remove = rows.nth(1).get_by_role("button")
    wait_until_clickable(window, remove)
    press_twice(window, remove, way, lambda: rows.count() == 3)
    assert count_calls(window, "RemoveRule") == 1
    assert [rule["name"] for rule in scene.owner.call("ListRules", library=scene.library)["rules"]] == [
        "rule-0",
        "rule-2",
        "rule-3",
    ]


def open_libraries(scene, window):
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=scene.library)
    card.get_by_text(str(scene.app.uid)).wait_for()
    card.evaluate("card => { card.dataset.first = '1' }")
    return card


# Returns whether the page knows that a library is offered to a user.
KNOWS = "async uid => (await import('/main.js')).modules['server.js'].state.libraries.some(library => library.offeredTo.includes(uid))"


@pytest.mark.library("shared")
def test_a_control_redrawn_during_a_click_is_still_clicked(scene, open_stopped_window):
    window = open_stopped_window()
    card = open_libraries(scene, window)
    trash = card.get_by_role("button", name="Trash")
    wait_until_clickable(window, trash)
    window.mouse.move(*middle(trash))
    window.mouse.down()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, scene.app.uid + 1])
    wait_for(lambda: window.evaluate(KNOWS, scene.app.uid + 1), "the page to hear of it")
    window.clock.run_for(600)
    assert card.and_(window.locator("[data-first]")).count() == 1, "drawn anew under the pointer"
    window.mouse.up()
    window.get_by_role("heading", name="Trash", exact=True).wait_for()


@pytest.mark.library("shared")
def test_a_held_pointer_delays_no_updates(scene, open_stopped_window):
    window = open_stopped_window()
    card = open_libraries(scene, window)
    window.mouse.move(*middle(card.get_by_role("heading", name=scene.library)))
    window.mouse.down()
    window.clock.run_for(1200)
    for uid in (scene.app.uid + 1, scene.app.uid + 2):
        scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, uid])
        card.get_by_text(f"{scene.app.uid}, {uid}").wait_for()
    window.mouse.up()


def test_an_unfolded_list_stays_open_when_its_card_is_redrawn(scene, open_stopped_window):
    scene.album.put("broken.jpg", b"no picture")
    scene.owner.call("RescanLibrary", name=scene.library)
    window = open_stopped_window()
    card = open_libraries(scene, window)
    card.get_by_text("Skipped files").click()
    card.get_by_text("broken.jpg").wait_for()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, scene.app.uid + 1])
    card.get_by_text(str(scene.app.uid + 1)).wait_for()
    window.clock.run_for(300)
    assert card.get_by_text("broken.jpg").is_visible()


def hold_answers(window, method):
    held = []
    window.route(f"**/call/{method}", lambda route: held.append(route))
    return held


@pytest.mark.parametrize("place", ["bar", "organize"])
def test_pressing_enter_twice_creates_one_album(scene, open_stopped_window, place):
    window = open_stopped_window()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").nth(2).wait_for()
    if place == "bar":
        window.get_by_role("listbox").focus()
        window.keyboard.press("Space")
        window.get_by_role("button", name="Add to album").click()
    else:
        window.get_by_role("button", name="Albums…").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Title").fill("On the road")
    held = hold_answers(window, "EditOwnedAlbum")
    for _ in range(2):
        window.keyboard.press("Enter")
        window.clock.run_for(400)
    wait_for(lambda: window.evaluate("true") and held, "the album to be on its way")
    assert count_calls(window, "EditOwnedAlbum") == 1
    held[0].continue_()
    wait_for(lambda: scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"], "the album")
    window.clock.run_for(500)
    assert (
        count_calls(window, "EditOwnedAlbum") == 1
        and len(scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]) == 1
    )


@pytest.mark.library("shared")
def test_clicking_save_twice_makes_one_rule_and_a_late_failure_is_reported(scene, open_stopped_window):
    window = open_stopped_window()
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="New rule…").click()
    save = window.get_by_role("dialog").get_by_role("button", name="Save")
    held = hold_answers(window, "Apply")
    for _ in range(2):
        save.click()
        window.clock.run_for(700)
    wait_for(lambda: window.evaluate("true") and held, "the rule to be on its way")
    assert count_calls(window, "Apply") == 1
    window.keyboard.press("Escape")
    window.locator("dialog").wait_for(state="detached")
    held[0].fulfill(status=503)
    window.locator(".toast").get_by_text("Nothing was changed").wait_for()
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []


CANCEL = """tile => {
  const { x, y } = tile.getBoundingClientRect()
  const pen = { bubbles: true, cancelable: true, pointerType: 'pen', pointerId: 5, button: 0, buttons: 1,
    clientX: x + 20, clientY: y + 20 }
  for (const kind of ['pointerdown', 'pointercancel']) tile.dispatchEvent(new PointerEvent(kind, pen))
}"""


@pytest.mark.parametrize("end", ["cancelled", "unheard"])
def test_a_drag_ends_when_the_pointer_is_lost(scene, window, end):
    """After a cancelled pointer, or an unheard release of the button, movement selects nothing."""
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    photos = window.get_by_role("option")
    photos.nth(5).wait_for()
    x, y = middle(photos.nth(0))
    pointer = window.context.new_cdp_session(window)

    def send(kind, **more):
        pointer.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "pointerType": "mouse", **more})

    if end == "cancelled":
        photos.nth(0).evaluate(CANCEL)
    else:
        send("mouseMoved")
        send("mousePressed", button="left", buttons=1, clickCount=1)
    chosen = window.get_by_role("option", selected=True)
    assert chosen.count() == 1
    for n in range(1, 6):
        x, y = middle(photos.nth(n))
        send("mouseMoved", buttons=0)
    assert window.locator(".painting").count() == 0 and chosen.count() == 1
    scene.album.add(40)
    wait_for(lambda: photos.count() == 7, "the photo that came: nothing is drawn across any more")
    assert chosen.count() == 1


def open_app(window, app):
    window.get_by_role("link", name="Apps").click()
    window.locator(f"a.row[href*='{app.name}']").first.click()
    window.get_by_role("radio", name="No access").wait_for()


def expect_ignored(window, press):
    """Press at once, and wait for the page's note that nothing was done."""
    window.evaluate("() => document.querySelector('.toasts').replaceChildren()")
    press()
    window.locator(".toast").get_by_text("Nothing was done").wait_for()


def radio(window, name):
    return window.get_by_role("radio", name=name)


def status(scene, level="readWrite"):
    return scene.owner.grant(scene.library, scene.app.name, level)["status"]


LONG = ("Wide " * 26)[:127].strip()


@pytest.mark.library("shared")
@pytest.mark.parametrize("size", [(1000, 800), (360, 740)] if WHOLE else [(360, 740)])
def test_a_change_of_an_apps_name_moves_nothing_on_its_page(scene, page, size):
    scene.limit(0, 1)
    window = page.open_window(size=size)
    open_app(window, scene.app)
    heading = window.get_by_role("heading", level=1)
    whole = window.get_by_role("button", name="Whole name")
    places = [
        window.get_by_role("button", name="Revoke access"),
        window.locator("label.choice").first,
        window.locator("label.switch").first,
    ]
    wait_until_clickable(window, places[-1])
    before = [page_box(place) for place in places]
    assert whole.is_hidden()
    for name in (LONG, "\u1b05\u0e01\u0e49" * 9, "W"):
        scene.app.introduce(name=name)
        wait_for(lambda: heading.inner_text() == name, "the other name")
        window.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert [page_box(place) for place in places] == before
    scene.app.introduce(name=LONG)
    whole.click()
    wait_for(
        lambda: heading.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + 1"),
        "the whole name",
    )
    assert heading.inner_text() == LONG
    # The whole name has the full width, and the button that folds it stands below.
    folding = window.get_by_role("button", name="In one line")
    title, words = page_box(window.locator(".app-title")), page_box(heading)
    assert words["width"] == title["width"] and page_box(folding)["y"] >= words["y"] + words["height"] - 8
    folding.click()
    wait_for(lambda: page_box(places[1]) == before[1], "one line again")
    assert window.problems == []


@pytest.mark.library("shared")
def test_moved_controls_on_an_apps_page_ignore_early_clicks(scene, open_stopped_window):
    scene.limit(0, 1, 2)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    window = open_stopped_window()
    open_app(window, scene.app)
    limited, adds = radio(window, "Selected photos"), window.get_by_role("switch", name="May add photos")
    wait_until_clickable(window, limited)
    wait_until_clickable(window, adds)
    place = limited.bounding_box()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    window.get_by_text("This library is not offered").wait_for()
    assert limited.bounding_box()["y"] > place["y"] and not is_clickable(limited) and not is_clickable(adds)
    for pressed in (limited, adds):
        expect_ignored(window, lambda: window.mouse.click(*middle(window.locator("label").filter(has=pressed))))
    limited.focus()
    expect_ignored(window, lambda: window.keyboard.press("Space"))
    assert status(scene) == "denied" and radio(window, "No access").is_checked() and not adds.is_checked()
    assert window.get_by_role("dialog").count() == 0
    assert [
        grant["level"]
        for grant in scene.owner.call("ListGrants", library=scene.library)["grants"]
        if grant["status"] != "notDetermined"
    ] == ["readWrite"]
    window.clock.resume()
    limited.click()
    window.get_by_role("dialog").wait_for()


@pytest.mark.library("shared")
def test_an_earlier_selection_is_restored_only_after_confirmation(scene, window):
    scene.limit(0, 1, 2)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    open_app(window, scene.app)
    toast = window.locator(".toast")

    def press(control, after=None):
        # The page must show the current status first.
        if after:
            wait_for(
                lambda: (
                    scene.owner.grant(scene.library, scene.app.name, "readWrite")["status"] == after[0]
                    and radio(window, after[1]).is_checked()
                ),
                after[1],
            )
        wait_until_at_rest(control)
        control.click()

    press(radio(window, "Selected photos"))
    dialog = window.get_by_role("dialog", name="Give Journal its selection back?")
    dialog.get_by_text("It will see the 3 photos that were selected for it before.").wait_for()
    dialog.get_by_role("button", name="Back", exact=True).click()
    # Else the next press may meet the dialog that closes.
    dialog.wait_for(state="detached")
    wait_for(lambda: radio(window, "No access").is_checked(), "the choice to be what holds")
    assert status(scene) == "denied" and toast.count() == 0
    press(radio(window, "Selected photos"))
    dialog.get_by_role("button", name="Give back").click()
    toast.get_by_text("3 selected photos allowed: Journal").wait_for()
    assert status(scene) == "limited"
    press(radio(window, "Full access"), ("limited", "Selected photos"))
    window.get_by_role("dialog").get_by_role("button", name="Allow all").click()
    toast.get_by_text("All photos allowed: Journal").wait_for()
    # Less access needs no confirmation.
    press(radio(window, "Selected photos"), ("authorized", "Full access"))
    toast.get_by_text("3 selected photos allowed: Journal").wait_for()
    press(window.get_by_role("switch", name="Pause"), ("limited", "Selected photos"))
    toast.get_by_text("Journal: Sees nothing until you resume").wait_for()
    press(window.get_by_role("switch", name="Pause"), ("limited", "Selected photos"))
    toast.get_by_text("Journal: Resumed").wait_for()
    pause = window.get_by_role("switch", name="Pause")
    wait_for(lambda: not pause.is_checked() and is_clickable(pause), "the page to stand still")
    window.get_by_label("Ends").select_option("7")
    toast.get_by_text("Ends: ").wait_for()
    press(radio(window, "No access"))
    toast.get_by_text("Declined: Journal").wait_for()
    toast.get_by_role("button", name="Undo").click()
    wait_for(lambda: status(scene) == "limited", "what was taken away to be back")


def test_R43_an_app_sees_its_own_additions_only_after_confirmation(scene, window):
    scene.let_broker_add()
    scene.allow(level="addOnly")
    for number in range(2):
        scene.app.call(
            "AddAsset",
            filename=f"mine-{number}.jpg",
            contents=base64.b64encode(jpeg(day(40 + number), b"mine")).decode(),
            level="addOnly",
        )
    open_app(window, scene.app)
    window.get_by_text("2 photos that are still there").wait_for()
    radio(window, "Selected photos").click()
    dialog = window.get_by_role("dialog", name="Let Journal see what it added?")
    dialog.get_by_text("It will see the 2 photos that it added itself.").wait_for()
    dialog.get_by_role("button", name="Back", exact=True).click()
    wait_for(lambda: not radio(window, "Selected photos").is_checked(), "the choice to be what holds")
    assert not any(
        grant["level"] == "readWrite" and grant["status"] != "notDetermined"
        for grant in scene.owner.call("ListGrants", library=scene.library)["grants"]
    )
    radio(window, "Selected photos").click()
    dialog.get_by_role("button", name="Let it see").click()
    window.locator(".toast").get_by_text("2 selected photos allowed: Journal").wait_for()
    assert status(scene) == "limited"


@pytest.mark.library("shared")
def test_R10_adding_is_allowed_after_a_denial_only_after_confirmation(scene, window):
    scene.owner.set(scene.library, scene.app.name, "denied", level="addOnly")
    open_app(window, scene.app)
    adds = window.get_by_role("switch", name="May add photos")
    adds.click()
    dialog = window.get_by_role("dialog", name="Let Journal add photos?")
    dialog.get_by_role("button", name="Back", exact=True).click()
    wait_for(lambda: not adds.is_checked(), "the switch to be at what holds")
    assert status(scene, "addOnly") == "denied"
    adds.click()
    dialog.get_by_role("button", name="Allow adding").click()
    window.locator(".toast").get_by_text("Adding allowed: Journal").wait_for()
    assert status(scene, "addOnly") == "authorized"
    adds.click()
    window.locator(".toast").get_by_text("Adding declined: Journal").wait_for()
    assert status(scene, "addOnly") == "denied"


@pytest.mark.library("shared")
def test_a_switch_changed_elsewhere_ignores_early_clicks(scene, open_stopped_window):
    scene.limit(0, 1)
    window = open_stopped_window()
    open_app(window, scene.app)
    window.clock.run_for(600)
    pause = window.get_by_role("switch", name="Pause")
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
    wait_for(pause.is_checked, "the pause")
    scroll_to(pause)
    expect_ignored(window, lambda: window.mouse.click(*middle(pause)))
    assert scene.owner.grant(scene.library, scene.app.name)["paused"]
    window.clock.resume()
    pause.click()
    wait_for(lambda: not scene.owner.grant(scene.library, scene.app.name)["paused"], "the end of the pause")


def test_R39_a_moved_originals_switch_ignores_early_clicks_and_can_be_undone(scene, open_stopped_window):
    window = open_stopped_window(size=(360, 800))

    def is_shared():
        return scene.owner.library(scene.library)["sharesOriginals"]

    window.get_by_role("link", name="Libraries").click()
    switch = window.get_by_role("switch", name="Originals of edited photos")
    switch.wait_for()
    wait_until_clickable(window, switch)
    place = switch.bounding_box()
    scene.owner.call("OfferLibrary", name=scene.library, add=[scene.app.uid + number for number in range(1, 12)])
    card = window.get_by_role("article", name=scene.library)
    card.get_by_text(str(scene.app.uid + 11)).wait_for()
    assert switch.bounding_box()["y"] > place["y"]
    scroll_to(switch)
    expect_ignored(window, lambda: window.mouse.click(*middle(switch)))
    assert not is_shared()
    # A press meant for the switch's previous state does not turn it back.
    wait_until_clickable(window, switch)
    scene.owner.call("ShareOriginals", name=scene.library, share=True)
    wait_for(switch.is_checked, "the switch to be turned")
    expect_ignored(window, lambda: window.mouse.click(*middle(switch)))
    assert is_shared()
    window.clock.resume()
    for wanted, words in ((False, "kept back"), (True, "shared")):
        switch.click()
        toast = window.locator(".toast")
        toast.get_by_text(f"{scene.library}: originals of edited photos {words}").wait_for()
        assert is_shared() == wanted
    toast.get_by_role("button", name="Undo").click()
    wait_for(lambda: not is_shared(), "the originals to be kept back again")


def test_rules_of_the_same_name_in_two_libraries_are_distinguished(scene, open_stopped_window, page):
    owner, other = scene.owner, f"{scene.library}-b"
    album = Album(scene.house, other, owner.uid)
    album.fill(1)
    owner.add_library(other, album.folder, [scene.app.uid], 1)

    def rule(name, library=scene.library, **more):
        return {"library": library, "name": name, "uid": scene.app.uid, "level": "readWrite", "answer": "deny", **more}

    owner.call("Apply", rules=[rule("rule-1"), rule("rule-1", other)])
    window = open_stopped_window()
    window.get_by_role("link", name="Apps").click()
    rows = window.locator("[data-rule]")
    rows.nth(1).wait_for()
    first, second = (
        window.get_by_role("button", name=f"Remove the rule rule-1, {library}", exact=True)
        for library in (scene.library, other)
    )
    wait_until_clickable(window, first)
    wait_until_clickable(window, second)
    assert second.count() == 1
    second.focus()
    owner.call("Apply", rules=[rule("aaa")])
    rows.nth(2).wait_for()
    assert not is_clickable(first) and not is_clickable(second), "both moved"
    assert second.evaluate("button => button === document.activeElement")
    wait_until_clickable(window, second)
    window.keyboard.press("Enter")

    def names():
        return sorted((rule["library"], rule["name"]) for rule in owner.call("ListRules")["rules"])

    wait_for(
        lambda: names() == [(scene.library, "aaa"), (scene.library, "rule-1")], "the other library's rule to be gone"
    )
    # A changed rule in the same place takes no press at first.
    rows.nth(2).wait_for(state="detached")
    window.clock.run_for(600)
    place = first.bounding_box()
    owner.call("Apply", rules=[rule("rule-1", identifier="org.example.spy")])
    window.get_by_text("org.example.spy").wait_for()
    assert first.bounding_box() == place
    expect_ignored(window, lambda: window.mouse.click(*middle(first)))
    assert len(names()) == 2


def test_R126_a_changed_offer_ignores_early_clicks(scene, offered, open_stopped_window):
    other, page = offered
    window = open_stopped_window(page)
    window.get_by_role("link", name="Libraries").click()
    accept = window.get_by_role("button", name="Accept").first
    accept.wait_for()
    wait_until_clickable(window, accept)
    scroll_to(accept)
    at = middle(accept)
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])
    row = window.locator(f"[data-offer={scene.library}]")
    deciding, programs = (
        row.locator(f"[data-part={part}]").get_by_role("button", name="Accept") for part in ("coOwner", "programs")
    )
    deciding.wait_for()
    assert not is_clickable(deciding) and not is_clickable(programs)
    scroll_to(deciding)
    for accept in (deciding, programs):
        expect_ignored(window, lambda: window.mouse.click(*middle(accept)))
    window.mouse.click(*at)
    window.wait_for_timeout(500)
    answers = [
        (offer["programsAnswer"], offer["coOwnerAnswer"])
        for offer in other.call("ListOffers")["offers"]
        if offer["library"] == scene.library
    ]
    assert answers == [("waiting", "waiting")] and other.library(scene.library) is None
    window.clock.resume()
    deciding.click()
    wait_for(lambda: other.library(scene.library), "what is pressed for later to be accepted")
