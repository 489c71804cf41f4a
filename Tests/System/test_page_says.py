"""The page states an app's real access: in prompts, selections, settings and afterwards."""

import base64
import re
import time

import pytest

from house import page as pages
from house.broker import Album
from house.page_views import open_app
from house.person import PICKER, wait_for
from house.pictures import day, jpeg

KEEP = {"PHPhotoLibraryPreventAutomaticLimitedAccessAlert": None}


def grant(scene):
    return scene.owner.grant(scene.library, scene.app.name)


def undo(window):
    window.locator(".toast").get_by_role("button", name="Undo").click()
    window.get_by_text("Undone").first.wait_for()


def test_R74_a_picker_shows_the_apps_existing_access(scene, window):
    scene.app.begin(PICKER + "Present", selectionLimit=1, library=scene.library)
    card = window.get_by_role("article")
    card.get_by_text("It receives only what you pick, and sees nothing else of your library.").wait_for()
    # An open card follows later decisions.
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0, 1)
    card.get_by_text("Beside that it sees 2 selected photos already.").wait_for()
    assert card.get_by_text("nothing else").count() == 0
    card.get_by_role("button", name="Pick…").click()
    foot = window.locator("footer")
    window.get_by_role("option").nth(0).click()
    foot.get_by_text("Journal receives 1 photo", exact=True).wait_for()
    scene.owner.set(scene.library, scene.app.name, "authorized")
    window.locator(".chooser-title").get_by_text("Beside that it sees all photos already.").wait_for()
    window.get_by_role("button", name="Give 1 photo").click()
    assert len(scene.app.hear()["results"]) == 1


def test_a_changed_card_accepts_clicks_again_and_a_new_count_delays_none(scene, window):
    scene.app.begin(PICKER + "Present", selectionLimit=1, library=scene.library)
    card = window.get_by_role("article")
    cancel = card.get_by_role("button", name="Cancel")
    card.get_by_text("It receives only what you pick").wait_for()
    window.wait_for_timeout(700)
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0)
    # The card's meaning changed, so it takes no press at first.
    card.get_by_text("Beside that it sees 1 selected photo already.").wait_for()
    wait_for(lambda: cancel.get_attribute("aria-disabled") is None, "the card to take presses")
    scene.select(1)
    card.get_by_text("Beside that it sees 2 selected photos already.").wait_for()
    assert cancel.get_attribute("aria-disabled") is None
    cancel.click()
    assert scene.app.hear()["results"] == []
    assert window.locator(".toast").get_by_text("Nothing was done").count() == 0


def test_R43_a_prompt_shows_the_number_of_the_apps_additions(scene, window):
    scene.let_broker_add()
    scene.allow(level="addOnly")

    def ask(agent):
        agent.connection("asks").send("io.photobroker.Library.RequestAuthorization", {"level": "readWrite"})

    scene.app.run(ask)
    card = window.get_by_role("article")
    card.get_by_role("button", name="Select photos").wait_for()
    assert not card.get_by_text("With access it sees").is_visible()

    def add(number):
        scene.app.call(
            "AddAsset",
            filename=f"mine-{number}.jpg",
            contents=base64.b64encode(jpeg(day(40 + number), b"mine")).decode(),
            level="addOnly",
        )

    for number in range(2):
        add(number)
    card.get_by_text("With access it sees 2 photos").wait_for()
    window.wait_for_timeout(700)
    card.get_by_role("button", name="Select photos").click()
    window.locator(".chooser-title").get_by_text("and 2 photos").wait_for()
    add(2)
    window.locator(".chooser-title").get_by_text("and 3 photos").wait_for()


@pytest.mark.parametrize(
    "language, asks, also, switch",
    [
        (
            "en-GB",
            "Journal would like to see and change your photos",
            "Edit what it sees, delete it (to the trash), add photos",
            "May add photos",
        ),
        (
            "de-DE",
            "Journal möchte Ihre Fotos sehen und ändern",
            "Bearbeiten, löschen (in den Papierkorb), Fotos hinzufügen",
            "Darf Fotos hinzufügen",
        ),
    ],
)
def test_R42_R43_a_prompt_explains_that_read_access_includes_editing_and_adding(
    scene, page, language, asks, also, switch
):
    scene.let_broker_add()
    window = page.open_window(language=language)
    scene.app.begin_request()
    card = window.get_by_role("article")
    card.get_by_role("heading", name=asks).wait_for()
    card.get_by_text(also).wait_for()
    wait_for(lambda: card.locator("[data-answer=allow]").is_enabled(), "it to take an answer")
    card.locator("[data-answer=allow]").click()
    dialog = window.get_by_role("dialog")
    dialog.wait_for()
    dialog.locator(".plain").click()
    card.locator("[data-answer=select]").click()
    window.locator(".chooser-head").get_by_text(also).wait_for()
    window.get_by_role("option").nth(0).click()
    window.locator(".chooser-actions .primary").click()
    token = scene.app.hear()
    scene.app.take(token)
    # The app's access is as the page said.
    [photo] = scene.app.fetch()
    scene.app.call(
        "PerformChanges", changes=[{"kind": "setFavorite", "assets": [photo["localIdentifier"]], "favorite": True}]
    )
    scene.app.call(
        "PerformChanges",
        changes=[{"kind": "createAsset", "filename": "own.jpg", "contents": base64.b64encode(jpeg(day(900))).decode()}],
    )
    window.locator("header [data-path='/apps']").click()
    window.locator("a.row").first.click()
    adds = window.get_by_role("switch", name=re.compile("^" + switch))
    adds.wait_for()
    wait_for(lambda: adds.is_checked() and adds.is_disabled(), "adding to come along")
    # During the pause the switch shows the separate decision on adding.
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
    wait_for(lambda: adds.is_enabled() and not adds.is_checked(), "the switch to be that of adding alone")
    assert window.problems == []


@pytest.mark.parametrize(
    "language, seen, chosen",
    [
        (
            "en-GB",
            "With access it sees 2 photos that it added itself",
            "Only what you select, and 2 photos that it added itself.",
        ),
        (
            "de-DE",
            "Mit Zugriff sieht sie 2 Fotos, die sie selbst hinzugefügt hat",
            "Nur, was Sie auswählen, und 2 Fotos, die sie selbst hinzugefügt hat.",
        ),
    ],
)
def test_R43_a_prompt_explains_that_own_additions_join_the_selection(scene, page, language, seen, chosen):
    scene.let_broker_add()
    scene.allow(level="addOnly")
    for number, name in enumerate(["own-0.jpg", "own-1.jpg"]):
        scene.app.call(
            "AddAsset", filename=name, contents=base64.b64encode(jpeg(day(900 + number), name.encode())).decode()
        )
    window = page.open_window(language=language)
    scene.app.begin_request()
    card = window.get_by_role("article")
    card.get_by_text(seen).wait_for()
    wait_for(lambda: card.locator("[data-answer=select]").is_enabled(), "it to take an answer")
    card.locator("[data-answer=select]").click()
    window.locator(".chooser-title").get_by_text(chosen).wait_for()
    window.get_by_role("option").nth(2).click()
    window.locator(".chooser-actions .primary").click()
    scene.app.take(scene.app.hear())
    assert len(scene.app.names()) == 3 and {"own-0.jpg", "own-1.jpg"} < set(scene.app.names())
    assert window.problems == []


def test_R93_an_app_is_listed_once_under_its_widest_access(scene, window):
    def listed():
        return {
            section.get_by_role("heading").inner_text(): section.locator("a.row strong").all_inner_texts()
            for section in window.locator("section.group").all()
            if section.locator("a.row").count() > 0
        }

    def introduce(name, *decided):
        app = scene.broker.app(uid=scene.app.uid)
        app.introduce(f"org.example.{name.lower()}", name=name)
        for level, status in decided:
            scene.owner.set(scene.library, app.name, status, level=level)
        return app

    introduce("Studio", ("readWrite", "authorized"), ("addOnly", "authorized"))
    introduce("Cleaner", ("readWrite", "denied"), ("addOnly", "authorized"))
    introduce("Frame", ("readWrite", "limited"), ("addOnly", "denied"))
    introduce("Spy", ("readWrite", "denied"), ("addOnly", "denied"))
    resting = introduce("Resting", ("readWrite", "limited"), ("addOnly", "authorized"))
    window.get_by_role("link", name="Apps").click()
    expected = {
        "Full access1": ["Studio"],
        "Selected photos2": ["Frame", "Resting"],
        "Add only1": ["Cleaner"],
        "No access1": ["Spy"],
    }
    wait_for(
        lambda: {title.replace("\n", ""): sorted(names) for title, names in listed().items()} == expected,
        "each app once",
    )
    # An app whose full grant is paused is listed by its remaining access.
    scene.owner.call("PauseGrant", library=scene.library, app=resting.name, level="readWrite", paused=True)
    expected["Add only2"] = ["Cleaner", "Resting"]
    del expected["Add only1"]
    wait_for(
        lambda: {title.replace("\n", ""): sorted(names) for title, names in listed().items()} == expected,
        "what it may still do",
    )


def test_R131_an_answer_is_announced_with_its_undo(scene, window):
    scene.take_additions()
    for level, answer, says, status in (
        ("readWrite", "Decline", "Declined: Journal", "denied"),
        ("readWrite", "Allow all", "All photos allowed: Journal", "authorized"),
        ("addOnly", "Allow adding", "Adding allowed: Journal", "authorized"),
        ("readWrite", "Select photos…", "Saved for Journal", "limited"),
    ):
        scene.app.begin("RequestAuthorization", level=level)
        button = window.get_by_role("button", name=answer)
        button.wait_for()
        wait_for(button.is_enabled, "it to take an answer")
        button.click()
        if answer == "Allow all":
            window.get_by_role("dialog").get_by_role("button", name="Allow all").click()
        if answer == "Select photos…":
            window.get_by_role("option").nth(0).click()
            window.get_by_role("button", name="Allow 1 photo").click()
        assert scene.app.hear()["status"] == status
        window.locator(".toast").get_by_text(says).wait_for()
        undo(window)
        # The undo restores notDetermined, so the app may ask again.
        scene.app.begin("RequestAuthorization", level=level)
        window.get_by_role("article").wait_for()
        scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
        assert scene.app.hear()["status"] == "denied"
        window.get_by_role("article").wait_for(state="detached")
        scene.owner.set(scene.library, scene.app.name, "notDetermined", level=level)
        window.evaluate("document.querySelector('.toasts').replaceChildren()")


def test_R56_a_kept_selection_has_no_undo_and_a_paused_app_is_not_shown_as_seeing_it(make_scene, browser):
    scene = make_scene(4, introduce=False)
    scene.app.introduce(**KEEP)
    scene.limit_earlier(0, 1)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window()
        assert len(scene.app.names()) == 2
        card = window.get_by_role("article")
        card.get_by_text("sees the photos that you chose").wait_for()
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
        card.get_by_role("heading", name="Journal is paused and sees nothing. Keep what you chose for it?").wait_for()
        card.get_by_role("button", name="Keep selection").click()
        window.locator(".toast").get_by_text("Nothing changes for Journal").wait_for()
        assert window.locator(".toast").get_by_role("button").count() == 0
        assert window.problems == []
    finally:
        page.end()


@pytest.mark.parametrize(
    "status, says", [("denied", "Its access has ended"), ("authorized", "It sees all photos by now")]
)
def test_an_open_selection_page_reports_that_the_selection_is_gone(scene, window, status, says):
    scene.limit(0, 1)
    open_app(window)
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    window.get_by_role("option").nth(0).click()
    save = window.get_by_role("button", name="Save 3 photos")
    scene.owner.set(scene.library, scene.app.name, status)
    head = window.locator(".chooser-title")
    head.get_by_text(says).wait_for()
    assert save.is_disabled() and head.get_by_text("Only what you select").count() == 0
    scene.owner.set(scene.library, scene.app.name, "limited")
    head.get_by_text("Only what you select").wait_for()
    wait_for(lambda: window.locator(".chooser-actions .primary").is_enabled(), "it to be saved again")


def test_R139_an_incomplete_activity_list_is_not_called_complete(scene, window):
    for number in range(220):
        scene.album.put(f"more-{number}.jpg", jpeg(day(number), note=b"%d" % number))
    scene.owner.wait_for_library(scene.library, 226, 60)
    scene.allow()
    assert len(scene.app.fetch(limit=226)) == 226
    open_app(window)
    received = window.locator(".part-activity")
    received.get_by_text("226 items", exact=True).wait_for()
    received.get_by_text("Which 226").wait_for()
    assert received.get_by_text("at least").count() == 0
    assert received.get_by_role("button", name="Show earlier ones").count() == 0


def test_R139_the_activity_count_stops_at_a_limit_and_says_so(scene, window):
    """The page counts up to a limit, and says that there may be more."""
    scene.allow()
    assert len(scene.app.fetch()) == 6
    line = scene.owner.call("ReadLedger", library=scene.library, limit=1)["entries"][0]
    asked = []

    def answer(route):
        asked.append(route.request.post_data_json)
        begin = int(asked[-1].get("cursor") or 0)
        end = begin + asked[-1]["limit"]
        entries = [{**line, "asset": f"{number:032x}"} for number in range(begin, end)]
        is_all = "since" not in asked[-1]
        route.fulfill(
            json={"entries": entries, "cursor": str(end), "trimmed": False}
            if is_all
            else {"entries": [], "trimmed": False}
        )

    window.route("**/call/ReadLedger", answer)
    open_app(window)
    received = window.locator(".part-activity")
    received.get_by_text("at least 20,200 items").wait_for()
    received.get_by_text("The latest 20,200").wait_for()
    assert received.get_by_role("button", name="Show earlier ones").is_visible()
    assert len([page for page in asked if page["limit"] == 1000 and "since" not in page]) == 20


def test_R134_a_receipt_points_to_the_metadata_in_the_activity(scene, window):
    scene.allow()
    assert len(scene.app.fetch()) == 6
    open_app(window)
    window.get_by_role("button", name="Revoke access").click()
    window.get_by_role("dialog").get_by_role("button", name="Revoke access").click()
    window.get_by_role("dialog").get_by_text(
        "No picture or file had been delivered. What was told of photos, such as names and dates, stands under "
        "Activity."
    ).wait_for()


def test_the_outage_message_also_disappears_from_the_selection_page(own_scene, browser):
    own_scene.limit(0)
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.open_window()
        open_app(window)
        window.get_by_role("button", name="Change selection").click()
        window.get_by_role("option", selected=True).wait_for()
        window.get_by_role("option").nth(0).click()
        own_scene.broker.stop()
        window.get_by_role("button", name="Save 2 photos").click()
        foot = window.locator("footer").get_by_text("Nothing was changed; try again")
        foot.wait_for()
        own_scene.broker.start()
        for person in own_scene.broker.people:
            person.new_connection()
        foot.wait_for(state="detached")
    finally:
        page.end()


# Returns whether an error's text is complete, and whether it is clipped.
CUT = """async () => {
      const { problem } = (await import('/main.js')).modules['reasons.js'],
        { h } = (await import('/main.js')).modules['dom.js']
      const text = 'A file cannot be moved into the trash (Permission denied). '.repeat(12) + 'Let the broker’s user in.'
      const line = document.querySelector('main')
        .appendChild(h('p', { class: 'problem' }, problem({ code: 'storageFailed', text }, text, 'directory')))
      const unknown = document.querySelector('main').appendChild(h('p', { class: 'problem' }, problem(undefined, text)))
      return [line, unknown].map(line => {
        const words = line.querySelector('bdi')
        const isCut = words.scrollHeight > words.clientHeight + 1 && getComputedStyle(words).overflow === 'hidden'
        return [words.textContent === text, isCut]
      })
    }"""


def test_an_errors_advice_is_shown_in_full(page):
    window = page.open_window(size=(360, 800))
    for width in (360, 1280):
        window.set_viewport_size({"width": width, "height": 800})
        assert window.evaluate(CUT) == [[True, False], [True, False]], width


def test_R93_other_libraries_are_listed_by_the_apps_access(make_scene, browser):
    scene = make_scene(2)
    others = [f"other-{number}-{scene.owner.uid}" for number in range(2)]
    for name in others:
        scene.owner.add_library(name, Album(scene.house, name, scene.owner.uid).folder, [scene.app.uid], 0)
    scene.limit(0)
    scene.owner.set(others[0], scene.app.name, "limited")
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Apps").click()
        window.locator("a.row", has_text=scene.library).click()
        head = window.locator(".part-head")
        head.get_by_text("Also in:").wait_for()
        assert head.locator("p", has_text="Also in:").locator("a").all_inner_texts() == [others[0]]
        assert head.locator("p", has_text="No access in:").locator("a").all_inner_texts() == [others[1]]
        scene.owner.set(others[0], scene.app.name, "denied")
        wait_for(
            lambda: head.locator("p", has_text="No access in:").locator("a").count() == 2, "it to have access in none"
        )
        assert head.get_by_text("Also in:").count() == 0 and window.problems == []
    finally:
        page.end()


def test_R131_expired_access_is_shown_as_expired(scene, window):
    scene.limit(0)
    scene.broker.owner(uid=0).call(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=int((time.time() + 2) * 1e6)
    )
    wait_for(lambda: grant(scene)["status"] == "restricted", "the end")
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text="ended by itself").click()
    window.get_by_text("Its access ended by itself on").wait_for()
    window.locator("[data-decision]", has_text="Ended by itself").wait_for()
    scene.owner.set(scene.library, scene.app.name, "limited")
    window.get_by_text("Its access ended by itself on").wait_for(state="detached")


def test_R121_a_rule_for_adding_offers_no_selection(scene, window):
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="New rule…").click()
    dialog = window.get_by_role("dialog")
    answer = dialog.get_by_label("Answer")
    assert answer.locator("option").all_inner_texts() == [
        "Decline",
        "Allow all",
        "Select the favourites",
        "Select the latest 100",
    ]
    answer.select_option(label="Allow all")
    dialog.get_by_label("Access").select_option(label="Add only")
    assert answer.locator("option").all_inner_texts() == ["Decline", "Allow adding"]
    assert answer.input_value() == "allow", "what was chosen stays"
    dialog.get_by_role("button", name="Save").click()
    wait_for(
        lambda: (
            [rule["level"] for rule in scene.owner.call("ListRules", library=scene.library)["rules"]] == ["addOnly"]
        ),
        "the rule",
    )


def test_R51_a_review_counts_the_removals_that_it_does_not_show(make_scene, browser):
    scene = make_scene(30)
    scene.limit(*range(30))
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window()
        open_app(window)
        window.get_by_role("button", name="Change selection").click()
        window.get_by_role("option", selected=True).nth(20).wait_for()
        window.get_by_role("listbox").focus()
        for key in ("Home", "Space", "Shift+End"):
            window.keyboard.press(key)
        window.locator(".delta button").click()
        window.get_by_role("dialog").get_by_text("and 6 more", exact=True).wait_for()
    finally:
        page.end()
