"""An owner's tasks beside prompts: marks, trash, rules, offers, albums, and progress."""

import base64
import json
import os
import re
from datetime import datetime

import pytest

from house import page as pages
from house.broker import Album
from house.page import send_request, headers
from house.page_views import browse, shown_names, wait_until_clickable
from house.pictures import day, jpeg
from house.person import Refused, wait_for
from house.plugins import install_halting


def marked(scene, key):
    return [a["filename"] for a in scene.owner.call("FetchOwnedAssets", library=scene.library)["assets"] if a[key]]


def test_R13_many_photos_are_marked_at_once_and_the_marks_undone(scene, window):
    scene.allow()
    browse(window)
    bar = window.locator(".marking")
    assert not bar.is_visible()
    tiles = window.get_by_role("option")
    tiles.nth(1).hover()
    tiles.nth(1).locator(".tile-check").click()
    # After a first selected photo, clicks select, and Shift extends the selection.
    tiles.nth(3).click(modifiers=["Shift"])
    bar.get_by_text("3 photos selected").wait_for()
    chosen = scene.newest_first[1:4]
    bar.get_by_role("button", name="Hide from every app").click()
    wait_for(lambda: marked(scene, "hidden") == chosen, "the marks")
    assert scene.app.names() == [n for n in scene.newest_first if n not in chosen]
    wait_for(
        lambda: bar.get_by_role("button", name="Hide from every app").get_attribute("aria-pressed") == "true",
        "the page to know it",
    )
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.newest_first[0]}, neverShare=True)
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: marked(scene, "hidden") == [], "the marks to be taken back")
    assert marked(scene, "neverShare") == scene.newest_first[:1], "the mark from elsewhere stays"
    wait_for(
        lambda: bar.get_by_role("button", name="Hide from every app").get_attribute("aria-pressed") == "false",
        "the page to know it",
    )
    bar.get_by_role("button", name="Favourite").click()
    wait_for(lambda: marked(scene, "favorite") == chosen, "the favourites")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: marked(scene, "favorite") == [], "the favourites to be taken back")
    bar.get_by_role("button", name="Select none").click()
    bar.wait_for(state="hidden")
    tiles.nth(1).click()
    window.locator("dialog.viewer").wait_for()


def test_a_double_click_on_the_only_selected_photo_opens_it_and_keeps_it_selected(scene, window):
    browse(window)
    tiles, bar = window.get_by_role("option"), window.locator(".marking")
    tiles.nth(1).locator(".tile-check").click()
    bar.get_by_text("1 photo selected").wait_for()
    window.wait_for_timeout(700)
    tiles.nth(1).dblclick()
    window.locator("dialog.viewer").wait_for()
    window.keyboard.press("Escape")
    window.locator("dialog.viewer").wait_for(state="detached")
    assert tiles.nth(1).get_attribute("aria-selected") == "true" and bar.get_by_text("1 photo selected").is_visible()


def test_an_owner_edits_caption_date_and_place_in_the_large_view(scene, window):
    shown = scene.newest_first[1]

    def details():
        asset = scene.owner.identifier(scene.library, shown)
        return scene.owner.call("GetOwnedDetails", library=scene.library, asset=asset)

    before = details()
    browse(window)
    window.get_by_role("option").nth(1).click()
    viewer = window.locator("dialog.viewer")
    edit = viewer.get_by_role("button", name="Edit caption, date and place")
    edit.click()
    dialog = window.locator("dialog.dialog")
    dialog.get_by_label("Caption").fill("The lake")
    dialog.get_by_label("Place:").fill("47.37")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("A place is two numbers").wait_for()
    dialog.get_by_label("Place:").fill("47.37, -8.5")
    dialog.get_by_role("button", name="Save").click()
    dialog.wait_for(state="detached")
    viewer.get_by_role("paragraph").filter(has_text="The lake").wait_for()
    now = details()
    assert now["caption"] == "The lake" and now["location"] == {"latitude": 47.37, "longitude": -8.5}
    edit_made = scene.owner.newest_decision(library=scene.library)
    assert set(edit_made["photo"]["after"]["fields"]) == {"caption", "location"}, "an untouched field stays"
    edit.click()
    assert dialog.get_by_label("Place:").input_value() == "47.37, -8.5"
    dialog.get_by_label("Place:").fill("")
    dialog.get_by_label("Taken").fill("2001-02-03T04:05:06")
    dialog.get_by_role("button", name="Save").click()
    dialog.wait_for(state="detached")
    now = details()
    assert now.get("location") is None and now["caption"] == "The lake"
    assert now["creationDate"] == window.evaluate("() => new Date('2001-02-03T04:05:06').getTime() * 1000")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: details()["creationDate"] == before["creationDate"], "the date to be as before")
    assert details()["location"] == {"latitude": 47.37, "longitude": -8.5}


def test_photos_are_marked_by_keyboard(scene, window):
    browse(window)
    window.get_by_role("listbox").focus()
    for key in ("Home", "Space", "Shift+ArrowRight"):
        window.keyboard.press(key)
    never = window.locator(".marking").get_by_role("button", name="Never share")
    for _ in range(12):
        if never.evaluate("e => e === document.activeElement"):
            break
        window.keyboard.press("Tab")
    window.keyboard.press("Enter")
    wait_for(lambda: marked(scene, "neverShare") == scene.newest_first[:2], "the marks")


def test_R142_a_photo_deleted_by_an_app_is_restored_from_the_trash(scene, window):
    scene.limit(0, 1, 2)
    os.chmod(scene.album.folder, 0o770)
    known = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    for name in scene.pictures[:3]:
        scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [known[name]]}])
    wait_for(
        lambda: not any((scene.album.folder / name).exists() for name in scene.pictures[:3]), "the files to be moved"
    )
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Trash").click()
    rows = window.locator("[data-trashed]")
    wait_for(lambda: rows.count() == 3, "the deleted photos")
    wait_for(lambda: rows.filter(has_text="deleted by Journal, ").count() == 3, "who did that, and when")
    shown = "all => all.map(image => [image.naturalWidth, image.naturalHeight])"
    wait_for(lambda: rows.locator("img").evaluate_all(shown) == [[64, 48]] * 3, "their pictures")
    rows.filter(has_text=scene.pictures[0]).get_by_role("button", name=f"Restore: {scene.pictures[0]}").click()
    wait_for(lambda: rows.count() == 2, "the first to be back")
    assert scene.app.names() == [scene.pictures[0]] and (scene.album.folder / scene.pictures[0]).exists()
    window.get_by_role("button", name="Restore all").click()
    window.get_by_role("heading", name="Nothing is in the trash").wait_for()
    assert {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()} == known


def test_R43_an_apps_page_shows_its_additions(scene, window):
    scene.let_broker_add()
    scene.allow(level="addOnly")
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("heading", name="Decisions").wait_for()
    added = window.get_by_role("heading", name="What it added")
    assert not added.is_visible(), "nothing yet"
    for number in range(2):
        scene.app.call(
            "AddAsset",
            filename=f"mine-{number}.jpg",
            contents=base64.b64encode(jpeg(day(40 + number), b"mine")).decode(),
            level="addOnly",
        )
    window.get_by_text("2 photos that are still there").wait_for()
    assert added.is_visible() and sorted(i.get_attribute("alt") for i in window.locator(".part-added img").all()) == [
        "mine-0.jpg",
        "mine-1.jpg",
    ]


def test_short_months_stand_side_by_side(scene, window):
    for number in (40, 70, 100):
        scene.album.add(number)
    scene.owner.wait_for_library(scene.library, 9)
    browse(window)
    place = lambda locator: locator.bounding_box()
    sparse = [place(window.get_by_role("heading", name=f"{month} 2024")) for month in ("April", "March", "February")]
    tiles = [place(window.locator(f"#tile-{number}")) for number in range(4)]
    assert len({box["y"] for box in sparse}) == 1 and len({box["y"] for box in tiles[:3]}) == 1
    for left, right, heading in zip(tiles, tiles[1:3], sparse[1:]):
        assert left["x"] + left["width"] < right["x"] and abs(heading["x"] - right["x"]) < 4, (
            "each under its own heading"
        )
    assert (
        place(window.get_by_role("heading", name="January 2024"))["y"] > tiles[0]["y"] and tiles[3]["y"] > tiles[0]["y"]
    )
    grid = window.get_by_role("listbox")
    grid.focus()
    current = lambda: grid.get_attribute("aria-activedescendant")
    for key, there in [("Home", "tile-0"), ("ArrowRight", "tile-1"), ("ArrowDown", "tile-"), ("Home", "tile-0")]:
        window.keyboard.press(key)
        wait_for(lambda: (current() or "").startswith(there), f"{there} by {key}")
        assert key != "ArrowDown" or int(current().removeprefix("tile-")) >= 3
    window.set_viewport_size({"width": 400, "height": 800})

    def is_narrow():
        # A heading that is laid out again has no place.
        boxes = [place(window.get_by_role("heading", name=f"{month} 2024")) for month in ("April", "March")]
        return all(boxes) and boxes[1]["y"] > boxes[0]["y"]

    wait_for(is_narrow, "one below the other in a narrow window")


def test_rules_are_made_on_the_page_and_answer_at_once(scene, window):
    scene.owner.call(
        "MarkAssets",
        library=scene.library,
        selector=scene.owner.naming(scene.library, scene.pictures[:2]),
        favorite=True,
    )
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="New rule…").click()
    dialog = window.get_by_role("dialog")
    # No app has asked yet: the user is known from the library's offer, an app only by identifier.
    dialog.get_by_label("For", exact=True).select_option(label="Another app…")
    dialog.get_by_label("Answer").select_option(label="Select the favourites")
    # An invalid value is reported where it was entered, and the input stays.
    for number, identifier, words in (
        ("", "", "A user is a name or a number"),
        ("9999999999", "", "This machine has no user 9999999999."),
        ("no-such-user", "", "This machine has no user no-such-user."),
        (str(scene.app.uid), "<b> x", "An identifier has"),
    ):
        dialog.get_by_label("User name or number").fill(number)
        dialog.get_by_label("Identifier").fill(identifier)
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text(words).wait_for()
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []
    dialog.get_by_label("Identifier").fill("org.example.journal")
    dialog.get_by_role("button", name="Save").click()
    row = window.locator("[data-rule=rule-1]")
    row.wait_for()
    assert "lets it see a selection" in row.inner_text()
    assert scene.app.request() == "limited"
    assert set(scene.app.names()) == set(scene.pictures[:2])
    window.get_by_role("button", name="New rule…").click()
    dialog.get_by_label("For", exact=True).select_option(label=f"Any app of user {scene.app.uid}")
    dialog.get_by_role("button", name="Save").click()
    window.locator("[data-rule=rule-2]").wait_for()
    made = {rule["name"]: rule for rule in scene.owner.call("ListRules", library=scene.library)["rules"]}
    assert (made["rule-2"]["answer"], made["rule-2"]["uid"], made["rule-2"].get("identifier")) == (
        "deny",
        scene.app.uid,
        None,
    )
    window.locator(".toast").get_by_role("button", name="Undo").click()
    window.locator("[data-rule=rule-2]").wait_for(state="detached")
    assert [rule["name"] for rule in scene.owner.call("ListRules", library=scene.library)["rules"]] == ["rule-1"]


def test_forms_fit_a_narrow_window(scene, page):
    window = page.open_window(language="de-DE", size=(320, 800))

    def fits():
        return window.get_by_role("dialog").evaluate("""e => [...e.querySelectorAll('input, select, button')].filter(e => e.offsetParent)
            .every(field => field.getBoundingClientRect().right <= e.getBoundingClientRect().right - 8)""")

    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="Neue Regel …").click()
    window.get_by_role("dialog").get_by_label("Für", exact=True).select_option(label="Eine andere App …")
    assert fits()
    window.keyboard.press("Escape")
    window.get_by_role("link", name="Mediatheken").click()
    window.get_by_role("button", name="Anderen anbieten …").click()
    assert fits()
    window.get_by_role("dialog").get_by_label("Benutzername oder -nummer").fill("no such user")
    window.get_by_role("dialog").get_by_role("button", name="Sichern").click()
    window.get_by_role("dialog").get_by_text("Diese Maschine hat keinen Benutzer").wait_for()
    assert window.problems == []


def test_the_page_names_the_commands_for_terminal_only_tasks(scene, window):
    """Each command on the page exists."""
    scene.limit(0)
    window.get_by_role("link", name="Libraries").click()
    window.get_by_text("Plugins are upgraded").wait_for()
    told = window.locator(".terminal code").all_inner_texts()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_text("A token can be given out").wait_for()
    told += window.locator(".terminal code").all_inner_texts()
    assert {command.split()[1] for command in told} == {"library", "plugin", "administrator", "token"}
    for command in told:
        assert "usage: photobroker" in scene.broker.photobroker(scene.owner.uid, *command.split()[1:]).stdout


def test_R127_a_library_is_offered_and_withdrawn_on_the_page(scene, window):
    scene.allow()
    other = scene.house.fresh_uid()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Offer to others…").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("User name or number").fill("no-such-user")
    dialog.get_by_role("button", name="Add").click()
    dialog.get_by_text("This machine has no user no-such-user.").wait_for()
    # A name stands for its number.
    dialog.get_by_label("User name or number").fill("daemon")
    dialog.get_by_role("button", name="Add").click()
    dialog.locator("[data-user='1']").get_by_text("User 1 (daemon)").wait_for()
    dialog.locator("[data-user='1']").get_by_role("button", name="Remove").click()
    dialog.get_by_label("User name or number").fill(str(other))
    dialog.get_by_role("button", name="Save").click()
    wait_for(
        lambda: set(scene.owner.library(scene.library)["offeredTo"]) == {scene.owner.uid, scene.app.uid, other},
        "the offer",
    )
    window.get_by_text(re.compile(f"Programs of these users may ask:.*{other}")).wait_for()
    window.get_by_role("button", name="Offer to others…").click()
    row = dialog.locator(f"[data-user='{scene.app.uid}']")
    assert "Journal" in row.inner_text()
    row.get_by_role("button", name="Remove").click()
    # The toast of the offer would take back the offer.
    window.locator(".toast").wait_for(state="detached")
    dialog.get_by_role("button", name="Save").click()
    wait_for(lambda: scene.app.uid not in scene.owner.library(scene.library)["offeredTo"], "the withdrawal")
    assert scene.app.is_refused()
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(
        lambda: set(scene.owner.library(scene.library)["offeredTo"]) == {scene.owner.uid, scene.app.uid, other},
        "the withdrawal to be taken back",
    )


def open_offer(scene, window):
    """Open the dialog once the page knows that the app's user has no offer."""
    window.get_by_role("link", name="Libraries").click()
    offered = window.get_by_role("button", name="Offer to others…")
    offered.wait_for()
    wait_for(
        lambda: str(scene.app.uid) not in window.locator("main").inner_text(), "the page to know that it was withdrawn"
    )
    offered.click()
    return window.get_by_role("dialog")


@pytest.mark.parametrize("way", ["Enter", "Enter twice", "Save"])
def test_R127_a_resumed_offer_names_paused_access_first(scene, window, way):
    scene.allow()
    scene.owner.call("OfferLibrary", name=scene.library, remove=[scene.app.uid])
    assert scene.app.is_refused()
    dialog = open_offer(scene, window)
    number, save = dialog.get_by_label("User name or number"), dialog.get_by_role("button", name="Save")
    number.wait_for()
    # The clock stands still: on a slow machine the second press would count as deliberate.
    pages.stop_clock(window)
    number.fill(str(scene.app.uid))
    if way == "Save":
        save.dblclick()
    else:
        for _ in way.split():
            number.press("Enter")
    said = dialog.get_by_text("Holds again what was decided on:")
    wait_for(lambda: window.clock.run_for(1) or said.count(), "the page to say what comes back")
    assert "Journal · Full access" in dialog.get_by_role("listitem").all_inner_texts()
    dialog.get_by_text("Save again if you mean that.").wait_for()
    window.clock.run_for(700)
    assert scene.app.uid not in scene.owner.library(scene.library)["offeredTo"] and scene.app.is_refused()
    # A user without earlier grants needs no confirmation.
    other = scene.house.fresh_uid()
    number.fill(str(other))
    number.press("Enter")
    wait_for(
        lambda: (
            window.clock.run_for(50) or {scene.app.uid, other} <= set(scene.owner.library(scene.library)["offeredTo"])
        ),
        "the offer, which was pressed for again",
    )
    wait_for(lambda: window.clock.run_for(50) or not dialog.count(), "the dialog to close")


def test_R127_a_resumed_offer_names_each_apps_regained_access(scene, window):
    """Apps of the same name are told apart, each with the access that it regains."""
    seeming, later = (scene.broker.app(uid=scene.app.uid) for _ in range(2))
    for app, identifier in ((seeming, "org.example.seeming"), (later, "org.example.later")):
        app.introduce(identifier, name="Journal")
    scene.limit(0, 1)
    scene.owner.set(scene.library, seeming.name, "authorized", level="addOnly")
    scene.owner.set(scene.library, later.name, "denied")
    scene.owner.call("OfferLibrary", name=scene.library, remove=[scene.app.uid])
    dialog = open_offer(scene, window)
    dialog.get_by_label("User name or number").fill(str(scene.app.uid))
    dialog.get_by_role("button", name="Add").click()

    def regained():
        return sorted(dialog.locator(".regained li").all_inner_texts())

    user = f"user {scene.app.uid}"
    wait_for(lambda: len(regained()) == 2, "what comes back")
    assert regained() == [
        f"Journal · {user} · org.example.journal · 2 photos",
        f"Journal · {user} · org.example.seeming · Add only",
    ]
    # A decision made elsewhere appears in the dialog, and Save takes no press for a moment.
    save = dialog.get_by_role("button", name="Save")
    wait_until_clickable(save)
    # The page itself looks, because the moment is over before a slow machine asks.
    save.evaluate(
        """save => {
      window.rests = new Promise(tell => new MutationObserver((_, observer) => {
        if (document.querySelectorAll('.regained li').length < 3) return
        observer.disconnect()
        setTimeout(() => tell(save.getAttribute('aria-disabled')))
      }).observe(document.body, { childList: true, subtree: true }))
    }"""
    )
    scene.owner.set(scene.library, later.name, "authorized")
    assert window.evaluate("() => window.rests") == "true"
    assert f"Journal · {user} · org.example.later · Full access" in regained()
    wait_until_clickable(dialog.get_by_role("button", name="Save"))
    # An offer made elsewhere appears in the dialog, and saving keeps it.
    other = scene.house.fresh_uid()
    scene.owner.call("OfferLibrary", name=scene.library, add=[other])
    dialog.locator(f"[data-user='{other}']").wait_for()
    dialog.get_by_role("button", name="Save").click()
    dialog.wait_for(state="detached")
    wait_for(
        lambda: set(scene.owner.library(scene.library)["offeredTo"]) == {scene.owner.uid, scene.app.uid, other},
        "the offer",
    )
    window.get_by_role("button", name="Offer to others…").click()
    dialog.wait_for()
    scene.owner.call("RemoveLibrary", name=scene.library)
    dialog.wait_for(state="detached")


def test_R120_a_rule_names_its_app_and_confirms_full_access(scene, window):
    seeming = scene.broker.app(uid=scene.app.uid)
    seeming.introduce("org.example.seeming", name="Journal · user 0")
    impostor = scene.broker.app(uid=scene.app.uid)
    impostor.introduce("org.example.impostor", name="Journal")
    for app in (scene.app, seeming, impostor):
        scene.owner.set(scene.library, app.name, "denied")
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").nth(2).wait_for()
    window.get_by_role("button", name="New rule…").click()
    dialog = window.get_by_role("dialog").first
    listed = dialog.get_by_label("For", exact=True).locator("option").all_inner_texts()
    user = f"user {scene.app.uid}"
    assert {
        f"Journal · {user} · org.example.journal",
        f"Journal · {user} · org.example.impostor",
        f"Journal · user 0 · {user}",
    } <= set(listed), listed
    dialog.get_by_label("For", exact=True).select_option(label=f"Journal · {user} · org.example.impostor")
    assert "org.example.impostor" in dialog.locator(".facts").inner_text()
    dialog.get_by_label("For", exact=True).select_option(label=f"Journal · {user} · org.example.journal")
    assert (
        "org.example.journal" in dialog.locator(".facts").inner_text()
        and "impostor" not in dialog.locator(".facts").inner_text()
    )
    dialog.get_by_label("Answer").select_option(label="Allow all")

    def rules():
        return [
            (rule["answer"], rule["uid"], rule.get("identifier"))
            for rule in scene.owner.call("ListRules", library=scene.library)["rules"]
        ]

    for answer, meant in (("Back", []), ("Allow all", [("allow", scene.app.uid, "org.example.journal")])):
        wait_until_clickable(dialog.get_by_role("button", name="Save"))
        dialog.get_by_role("button", name="Save").click()
        asked = window.get_by_role("dialog").filter(
            has=window.get_by_role("heading", name="Allow all photos without asking?")
        )
        assert f"every program of {user} that calls itself org.example.journal" in asked.inner_text()
        asked.get_by_role("button", name=answer).click()
        asked.wait_for(state="detached")
        wait_for(lambda: rules() == meant, answer)
    # A rule for any app of a user asks for confirmation too.
    window.get_by_role("button", name="New rule…").click()
    dialog.get_by_label("For", exact=True).select_option(label=f"Any app of {user}")
    dialog.get_by_label("Answer").select_option(label="Allow all")
    dialog.get_by_role("button", name="Save").click()
    asked = window.get_by_role("dialog").filter(
        has=window.get_by_role("heading", name="Allow all photos without asking?")
    )
    assert f"Any app of {user}" in asked.inner_text() and len(rules()) == 1
    asked.get_by_role("button", name="Allow all").click()
    wait_for(lambda: ("allow", scene.app.uid, None) in rules(), "the rule for all of them")
    # The source of the decisions is settings, not a file of rules.
    assert {
        d["source"]
        for d in scene.owner.call("ListDecisions", library=scene.library)["decisions"]
        if d["action"] == "rule"
    } == {"settings"}
    # A rule stops answering for an app whose access is revoked, and the rule's row says so.
    later = scene.broker.app(uid=scene.app.uid)
    later.introduce("org.example.later", name="Later")
    assert later.request() == "authorized"
    scene.owner.call("Revoke", app=later.name)
    window.locator("[data-rule=rule-2]").get_by_text("org.example.later, which it answers, was given less").wait_for()
    again = scene.broker.app(uid=scene.app.uid)
    again.introduce("org.example.later", name="Later")
    again.begin("RequestAuthorization", level="readWrite")
    assert scene.owner.wait_for_prompt()["app"]["app"] == again.name


@pytest.mark.parametrize("answer", ["Decline", "Allow all"])
def test_a_new_rule_announces_the_prompts_that_it_answers_and_undo_keeps_them(scene, window, answer):
    scene.app.begin_request()
    scene.owner.wait_for_prompt()
    window.get_by_role("article").wait_for()
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="New rule…").click()
    dialog = window.get_by_role("dialog").first
    dialog.get_by_label("For", exact=True).select_option(label=f"Journal · user {scene.app.uid}")
    dialog.get_by_label("Answer").select_option(label=answer)
    dialog.get_by_role("button", name="Save").click()
    asked = window.get_by_role("dialog").filter(has_text="One request that waits is answered by it at once.")
    asked.wait_for()
    assert scene.owner.prompts() != [] and scene.owner.call("ListRules", library=scene.library)["rules"] == []
    asked.last.get_by_role("button", name=answer if answer == "Allow all" else "Save").click()
    status = "authorized" if answer == "Allow all" else "denied"
    assert scene.app.hear_request() == status
    toast = window.locator(".toast")
    toast.get_by_text("One request was answered.").wait_for()
    toast.get_by_role("button", name="Undo").click()
    window.locator(".toast").get_by_text("What it answered stays.").wait_for()
    assert scene.owner.grant(scene.library, scene.app.name, "readWrite")["status"] == status
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []
    assert window.problems == []


def test_R127_an_offer_names_the_rules_that_will_answer(scene, window):
    newcomer = scene.broker.app()
    scene.owner.call(
        "Apply",
        rules=[
            {"library": scene.library, "name": "frames", "uid": newcomer.uid, "level": "readWrite", "answer": "allow"}
        ],
    )
    window.get_by_role("link", name="Apps").click()
    window.locator("[data-rule=frames]").wait_for()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Offer to others…").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("User name or number").fill(str(newcomer.uid))
    dialog.get_by_label("User name or number").press("Enter")
    dialog.get_by_text("Rules answer without asking you:").wait_for()
    assert dialog.locator(f"[data-user='{newcomer.uid}'] li").all_inner_texts() == [
        "frames · allows · any app · See and change"
    ]
    window.wait_for_timeout(600)
    assert newcomer.uid not in scene.owner.library(scene.library)["offeredTo"], "it is said before"
    dialog.get_by_role("button", name="Save").click()
    wait_for(lambda: newcomer.uid in scene.owner.library(scene.library)["offeredTo"], "the offer")


def test_R127_access_withdrawn_meanwhile_is_not_offered_again(scene, window):
    withdrawn, offered = scene.house.fresh_uid(), scene.house.fresh_uid()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[withdrawn])
    window.get_by_role("link", name="Libraries").click()
    window.get_by_text(f"Programs of these users may ask: {scene.owner.uid}, {withdrawn}").wait_for()
    window.get_by_role("button", name="Offer to others…").click()
    dialog = window.get_by_role("dialog")
    dialog.locator(f"[data-user='{withdrawn}']").wait_for()
    with window.expect_response("**/wait"):
        scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    dialog.get_by_label("User name or number").fill(str(offered))
    dialog.get_by_role("button", name="Save").click()
    wait_for(
        lambda: set(scene.owner.library(scene.library)["offeredTo"]) == {scene.owner.uid, offered}, "the new user alone"
    )


def test_an_empty_result_is_shown_even_with_photos_in_the_trash(scene, window):
    scene.allow()
    scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [scene.app.fetch()[0]["localIdentifier"]]}])
    browse(window)
    window.get_by_role("option").nth(4).wait_for()
    window.get_by_role("button", name="Favourites").click()
    window.locator(".grid-empty").get_by_text("No photo fits.").wait_for()


def test_R48_see_as_this_app_shows_albums_with_the_members_visible_to_it(scene, window):
    scene.limit(0, 1)
    scene.make_album("Private", 0, 1)
    scene.make_album("Family", 1, 2, 3, shared=True)
    scene.owner.call(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="shared-read"
    )
    seen = scene.owner.call("ListOwnedAlbums", library=scene.library, app=scene.app.name)["albums"]
    told = scene.app.call("FetchAlbums")["albums"]
    assert [(a["title"], a["count"]) for a in seen] == [(a["title"], a["count"]) for a in told] == [("Family", 1)]
    listed = scene.broker.photobroker(scene.owner.uid, "album", "list", scene.library, "--app", scene.app.name).stdout
    assert "Family" in listed and "Private" not in listed
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="See as this app").click()
    albums = window.get_by_label("Album", exact=True)
    albums.wait_for()
    assert albums.locator("option").all_inner_texts() == ["All albums", "Family (1)"]
    albums.select_option(label="Family (1)")
    wait_for(lambda: shown_names(window) == [scene.pictures[1]], "what the app sees of it")
    scene.owner.set(scene.library, scene.app.name, "denied")
    assert scene.owner.call("ListOwnedAlbums", library=scene.library, app=scene.app.name)["albums"] == []


def test_R48_an_albums_message_counts_added_and_removed_members(scene, window):
    scene.make_album("Lake", 0)
    scene.make_album("Sea", 1)
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.locator(".tile").nth(5).wait_for()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Control+a")
    toast, dialog, albums = (
        window.locator(".toast"),
        window.get_by_role("dialog"),
        window.get_by_label("Album", exact=True),
    )

    def add():
        window.get_by_role("button", name="Add to album…").click()
        dialog.get_by_label("Album").select_option(label="Lake")
        dialog.get_by_role("button", name="Add").click()
        window.locator("dialog").wait_for(state="detached")

    add()
    toast.get_by_text("5 photos added: Lake").wait_for()
    add()
    toast.get_by_text("All of them are in this album already.").wait_for()
    # All six photos are still selected, and one of them is in this album.
    albums.select_option(label="Sea (1)")
    wait_for(lambda: len(shown_names(window)) == 1, "its photo")
    window.get_by_role("button", name="Remove from album").click()
    toast.get_by_text("1 photo removed from the album").wait_for()
    wait_for(lambda: shown_names(window) == [], "it to be gone")
    window.get_by_role("button", name="Remove from album").click()
    toast.get_by_text("None of the selected photos is in this album.").wait_for()


def test_R48_albums_are_created_filled_shared_renamed_and_deleted_on_the_page(scene, window):
    def albums():
        return {
            a["title"]: (a["count"], a["shared"])
            for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]
        }

    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").nth(5).wait_for()
    window.get_by_role("listbox").focus()
    for key in ("Space", "Shift+ArrowRight", "Shift+ArrowRight"):
        window.keyboard.press(key)
    window.get_by_role("button", name="Add to album…").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Title").fill("<b>Lake</b>")
    dialog.get_by_role("button", name="Add").click()
    wait_for(lambda: albums() == {"<b>Lake</b>": (3, False)}, "the album")
    window.locator("dialog").wait_for(state="detached")
    window.get_by_label("Album", exact=True).select_option(label="<b>Lake</b> (3)")
    wait_for(lambda: window.locator(".tile").count() == 3, "its photos")
    window.get_by_role("button", name="Select none").click()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Space")
    window.get_by_role("button", name="Remove from album").click()
    wait_for(lambda: albums() == {"<b>Lake</b>": (2, False)}, "one less")
    wait_for(lambda: window.locator(".tile").count() == 2, "the others")
    window.get_by_role("button", name="Albums…").click()
    dialog.get_by_role("checkbox", name="Shared: <b>Lake</b>").click()
    wait_for(lambda: albums() == {"<b>Lake</b>": (2, True)}, "the album to be shared")
    field = dialog.get_by_label("Title: <b>Lake</b>")
    field.fill("Sea")
    window.keyboard.press("Tab")
    wait_for(lambda: albums() == {"Sea": (2, True)}, "its other title")
    dialog.get_by_label("Title", exact=True).fill("Empty")
    dialog.get_by_role("button", name="New album").click()
    wait_for(lambda: albums() == {"Sea": (2, True), "Empty": (0, False)}, "another album")
    dialog.get_by_role("button", name="Delete: Sea").click()
    window.get_by_role("dialog").last.get_by_role("button", name="Delete", exact=True).click()
    wait_for(lambda: albums() == {"Empty": (0, False)}, "the album to be gone")
    dialog.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: albums() == {"Sea": (2, True), "Empty": (0, False)}, "the album to be back with its photos")
    dialog.get_by_label("Title: Sea").wait_for()
    dialog.get_by_role("button", name="Delete: Sea").click()
    window.get_by_role("dialog").last.get_by_role("button", name="Delete", exact=True).click()
    wait_for(lambda: albums() == {"Empty": (0, False)}, "the album to be gone again")
    dialog.get_by_role("button", name="Close").click()
    wait_for(lambda: window.locator(".tile").count() == 6, "the photos, which stay")


def test_a_late_album_does_not_replace_a_later_choice(scene, window):
    scene.make_album("First", 0, 1, 2)
    scene.make_album("Second", 4)
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    wait_for(lambda: window.locator(".tile").count() == 6, "the library")
    held = []

    def hold(route):
        if "album" in route.request.post_data_json and not held:
            held.append(route)
        else:
            route.continue_()

    window.route("**/call/FetchOwnedColumns", hold)
    albums = window.get_by_label("Album", exact=True)
    albums.select_option(label="First (3)")
    wait_for(lambda: window.evaluate("true") and held, "the question about the first album")
    albums.select_option(label="Second (1)")
    wait_for(lambda: shown_names(window) == [scene.pictures[4]], "the second album")
    with window.expect_response("**/call/FetchOwnedColumns"):
        held[0].continue_()
    window.wait_for_timeout(100)
    assert shown_names(window) == [scene.pictures[4]] and albums.locator("option:checked").inner_text() == "Second (1)"
    albums.select_option(label="All albums")
    wait_for(lambda: window.locator(".tile").count() == 6, "all of it")


def test_an_albums_first_members_appear_before_its_last_arrive(scene, window):
    scene.make_album("Lake", 0, 1, 2)
    newest = [scene.pictures[index] for index in (2, 1, 0)]
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    wait_for(lambda: window.locator(".tile").count() == 6, "the library")
    held = []

    def page_of_two(route):
        terms = route.request.post_data_json
        if "album" not in terms:
            route.continue_()
        elif terms["skip"] == 0:
            route.continue_(post_data=json.dumps({**terms, "limit": 2}))
        else:
            held.append(route)

    window.route("**/call/FetchOwnedColumns", page_of_two)
    albums = window.get_by_label("Album", exact=True)
    albums.select_option(label="Lake (3)")
    wait_for(lambda: window.evaluate("true") and held, "the question for the rest")
    wait_for(lambda: shown_names(window) == newest[:2], "its first members")
    held.pop().continue_()
    wait_for(lambda: shown_names(window) == newest, "all of it")
    # If the rest cannot be fetched, the first members do not pass for the whole album.
    albums.select_option(label="All albums")
    wait_for(lambda: window.locator(".tile").count() == 6, "the library again")
    albums.select_option(label="Lake (3)")
    wait_for(lambda: window.evaluate("true") and held, "the question for the rest again")
    wait_for(lambda: shown_names(window) == newest[:2], "its first members again")
    held.pop().abort()
    wait_for(lambda: window.locator(".tile").count() == 6, "all that was shown before")
    assert albums.locator("option:checked").inner_text() == "All albums"


def test_R91_a_remote_photo_shows_its_progress(broker, browser):
    owner = broker.owner()
    name = f"far-{owner.uid}"
    album = Album(broker.house, name, owner.uid)
    album.put("far.jpg", jpeg(datetime(2024, 5, 1, 12), padding=3 << 20), 1_760_000_000)
    owner.call("AddLibrary", name=name, backend=install_halting(broker.house), options={"path": str(album.folder)})
    owner.wait_for_library(name, 1)
    asset = owner.call("FetchOwnedAssets", library=name)["assets"][0]["identifier"]
    halt = album.folder / "halt"
    halt.write_text("")
    page = pages.Page(broker, owner, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.get_by_role("option").first.click()
        window.get_by_text(re.compile(r"Fetching the photo… (4\d|50)% of 3\.\d MB")).wait_for()
        told = owner.call("GetOwnedProgress", library=name, asset=asset)
        assert 0 < told["received"] < told["size"] == os.path.getsize(album.folder / "far.jpg")
        halt.unlink()
        window.locator(".viewer-picture").and_(window.locator("[src^=blob]")).wait_for()
        window.get_by_text("Fetching the photo…").wait_for(state="hidden")
        wait_for(
            lambda: owner.call("GetOwnedProgress", library=name, asset=asset) in ({}, {"received": None, "size": None}),
            "the end of it",
        )
        assert window.problems == []
    finally:
        halt.unlink(missing_ok=True)
        page.end()


def call(host, session):
    """Send the page's own background request, which does not delay its lock."""
    return send_request(host, "POST", "/wait", {**headers(host), "X-PhotoBroker-Session": session}, '{"isHasty":true}')[
        0
    ]


def test_a_closed_window_is_locked_in_ten_seconds(scene, browser):
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        first, second = page.open_window(), page.open_window()
        with first.expect_request("**/call/ListPickerApps") as asked:
            first.get_by_role("link", name="Apps").click()
        session = asked.value.all_headers()["x-photobroker-session"]
        host = pages.Host(first.url.split("/")[2], scene.owner.uid)
        assert call(host, session).status == 200
        first.close()
        wait_for(lambda: call(host, session).status == 401, "the closed window to be locked", 30)
        second.get_by_role("link", name="Apps").click()
        second.get_by_role("heading", name="Apps", level=1).wait_for()
    finally:
        page.end()


def opening_refusal(owner):
    """The error with which a page cannot be opened; None if one can."""
    try:
        owner.call("OpenPage")
    except Refused as refused:
        return refused.error


def test_the_server_exits_once_no_page_is_open(scene):
    server = pages.Page(scene.broker, scene.owner, None, "--idle-seconds", "3", "--lock-seconds", "1")
    try:
        host, code = server.address_and_code()
        response, data = send_request(host, "POST", "/session", headers(host), json.dumps({"code": code}))
        assert response.status == 200
        session = json.loads(data)["session"]
        assert call(host, session).status == 200
        # A killed browser says no goodbye; without requests the server ends by its timeouts.
        assert server.server.wait(30) == 0
        # The broker notices the end of the server's connection a moment later.
        assert wait_for(lambda: opening_refusal(scene.owner), "the page to be gone") == "NotFound"
    finally:
        server.end()


def test_additions_and_removals_appear_without_reloading_and_the_selection_stays(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    tiles = window.locator(".tile")
    wait_for(lambda: tiles.count() == 6, "the library")
    for number in (0, 3):
        tiles.nth(number).click()
    chosen = {scene.newest_first[0], scene.newest_first[3]}
    scene.album.add(40)
    wait_for(lambda: tiles.count() == 7, "the new photo")
    (scene.album.folder / scene.newest_first[1]).unlink()
    wait_for(lambda: tiles.count() == 6, "the one that is gone to be gone")
    marked = window.locator(".tile[aria-selected=true]")
    assert {
        label.split(", ")[-1] for label in marked.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    } == chosen
    window.get_by_role("button", name="Allow 2 photos").click()
    assert scene.app.hear()["status"] == "limited"
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == chosen
