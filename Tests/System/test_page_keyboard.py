"""An owner's tasks beside prompts, by keyboard alone: rules, trash, offers, decisions, and undo."""

import os

from house.page_focus import has_focus, is_focus_visible, tab_to
from house.person import wait_for


def press_key(window, locator, key="Enter", back=False):
    """Move the focus to the control, check that the focus is visible, and press the key."""
    locator.wait_for()
    tab_to(window, locator, "Shift+Tab" if back else "Tab")
    assert is_focus_visible(window), locator
    window.keyboard.press(key)


def press_focused(window, locator, key="Enter"):
    """Press a control that received the focus from a removed one; retry while it takes no key."""

    def is_taken():
        window.evaluate("() => document.querySelector('.toasts').replaceChildren()")
        press_key(window, locator, key)
        return window.locator(".toast").get_by_text("only just came or moved").count() == 0

    wait_for(is_taken, "a press to be taken")


def undo_by_key(window):
    press_key(window, window.locator(".toast").get_by_role("button", name="Undo"))


def wait_for_focus(window):
    """Wait until an element has the focus after the focused one was removed."""
    wait_for(
        lambda: window.evaluate("() => document.activeElement !== document.body"), "something to have the focus", 10
    )


def test_a_rule_is_made_undone_and_removed(scene, page):
    def rules():
        return [rule["name"] for rule in scene.owner.call("ListRules", library=scene.library)["rules"]]

    window = page.open_window()
    press_key(window, window.get_by_role("link", name="Apps"))
    press_key(window, window.get_by_role("button", name="New rule…"))
    dialog = window.get_by_role("dialog")
    tab_to(window, dialog.get_by_label("For", exact=True))
    window.keyboard.press("End")
    tab_to(window, dialog.get_by_label("Identifier"))
    window.keyboard.type("org.example.journal")
    tab_to(window, dialog.get_by_label("User name or number"), "Shift+Tab")
    window.keyboard.press("Control+a")
    window.keyboard.type(str(scene.app.uid))
    press_key(window, dialog.get_by_role("button", name="Save"))
    row = window.locator("[data-rule=rule-1]")
    row.wait_for()
    undo_by_key(window)
    row.wait_for(state="detached")
    assert rules() == []
    scene.owner.call(
        "Apply",
        rules=[
            {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "deny"}
        ],
    )
    press_key(window, window.get_by_role("button", name="Remove the rule frames"))
    wait_for(lambda: rules() == [], "the end of the rule")
    wait_for_focus(window)
    undo_by_key(window)
    wait_for(lambda: rules() == ["frames"], "the rule to be back")
    assert window.problems == []


def test_a_key_leads_to_the_latest_undo_and_back(scene, page):
    def rules():
        return [rule["name"] for rule in scene.owner.call("ListRules", library=scene.library)["rules"]]

    scene.owner.call(
        "Apply",
        rules=[
            {"library": scene.library, "name": name, "uid": scene.app.uid, "level": "readWrite", "answer": "deny"}
            for name in ("frames", "more")
        ],
    )
    window = page.open_window()
    press_key(window, window.get_by_role("link", name="Apps"))
    press_key(window, window.get_by_role("button", name="Remove the rule frames"))
    wait_for(lambda: rules() == ["more"], "the end of the rule")
    undo = window.locator(".toast").get_by_role("button", name="Undo")
    undo.wait_for()
    wait_for_focus(window)
    before = window.evaluate_handle("() => document.activeElement")
    window.keyboard.press("F6")
    assert has_focus(undo) and is_focus_visible(window) and undo.get_attribute("aria-keyshortcuts") == "F6"
    window.keyboard.press("F6")
    assert window.evaluate("before => document.activeElement === before", before), "back to where it was"
    window.keyboard.press("F6")
    window.keyboard.press("Enter")
    wait_for(lambda: rules() == ["frames", "more"], "the rule to be back")
    assert window.problems == []


def test_R142_a_photo_is_restored_from_the_trash(scene, page):
    scene.limit(0, 1)
    os.chmod(scene.album.folder, 0o770)
    scene.app.call(
        "PerformChanges",
        changes=[{"kind": "delete", "assets": [scene.app.named(scene.pictures[0])["localIdentifier"]]}],
    )
    window = page.open_window()
    press_key(window, window.get_by_role("link", name="Libraries"))
    press_key(window, window.get_by_role("button", name="Trash"))
    press_key(window, window.get_by_role("button", name=f"Restore: {scene.pictures[0]}"))
    window.get_by_role("heading", name="Nothing is in the trash").wait_for()
    wait_for(lambda: scene.app.count() == 2, "the photo to be back")
    wait_for_focus(window)
    assert window.problems == []


def test_R31_an_offer_is_declined_accepted_and_undone(scene, offered):
    other, page = offered

    def declined():
        return [offer["declined"] for offer in other.call("ListOffers")["offers"] if offer["library"] == scene.library]

    window = page.open_window()
    press_key(window, window.get_by_role("link", name="Libraries"))
    row = window.locator(f"[data-offer={scene.library}]")
    press_key(window, row.get_by_role("button", name="Accept"))
    wait_for(lambda: other.call("ListOffers")["offers"][0]["accepted"], "the library to be accepted at first")
    row.get_by_text("Accepted", exact=True).wait_for()
    press_focused(window, row.get_by_role("button", name="Decline"))
    press_key(window, window.get_by_role("dialog").get_by_role("button", name="Decline"))
    wait_for(lambda: declined() == [True], "the library to be declined")
    wait_for_focus(window)
    undo_by_key(window)
    wait_for(lambda: declined() == [False], "the library to be accepted again")
    other.call("AnswerOffer", library=scene.library, accept=False)
    press_focused(window, row.get_by_role("button", name="Accept"), "Space")
    wait_for(lambda: declined() == [False], "the library to be accepted")
    assert window.problems == []


def test_R131_a_decision_is_undone(scene, page):
    scene.limit(0, 1)
    scene.select(2)
    window = page.open_window()
    press_key(window, window.get_by_role("link", name="Apps"))
    press_key(window, window.locator("a.row"))
    window.get_by_role("heading", name="3 selected photos").wait_for()
    press_key(window, window.locator(".part-history [data-decision]").get_by_role("button", name="Undo").first)
    window.get_by_role("heading", name="2 selected photos").wait_for()
    assert scene.app.count() == 2
    wait_for_focus(window)
    assert window.problems == []


def test_an_undo_by_keyboard_returns_the_focus(scene, window):
    press_key(window, window.get_by_role("link", name="Libraries"))
    press_key(window, window.get_by_role("button", name="Browse"))
    window.get_by_role("option").nth(2).wait_for()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Control+a")

    def barred():
        return sum(
            asset["neverShare"]
            for asset in scene.owner.call("FetchOwnedAssets", library=scene.library, limit=10)["assets"]
        )

    never = window.get_by_role("button", name="Never share", exact=True)
    press_key(window, never)
    wait_for(lambda: barred() == 6, "the mark")
    undo = window.locator(".toast").get_by_role("button", name="Undo")
    undo.wait_for()
    left = window.evaluate_handle("() => document.activeElement")
    window.keyboard.press("F6")
    assert has_focus(undo)
    window.keyboard.press("Enter")
    wait_for(lambda: barred() == 0, "the mark to be taken back")
    window.locator(".toast").get_by_text("Undone").wait_for()
    assert window.evaluate("left => document.activeElement === left && left.matches('.place *')", left), (
        "back where it was done"
    )
