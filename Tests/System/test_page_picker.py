"""The picker in a browser, from the app's call to the bytes that it receives."""

import base64
import hashlib
import json

import pytest

from house import page as pages
from house.broker import Album
from house.client_functions import load
from house.person import PICKER, Refused, wait_for
from house.pickers import filenames
from house.pictures import day
from house.remotes import picture


@pytest.fixture
def picking(scene, page):
    """The scene with the owner's page open and an app without permission."""
    scene.picker = scene.broker.app(uid=scene.app.uid)
    scene.picker.introduce(
        "org.example.attach", name="Mailer", NSPhotoLibraryUsageDescription=None, NSPhotoLibraryAddUsageDescription=None
    )
    scene.window = page.open_window()
    yield scene
    assert scene.window.problems == []


def begin(scene, **configuration):
    """Open a picker for the app and its page for the person; return the photos on it."""
    scene.picker.begin(PICKER + "Present", **configuration)
    card = scene.window.get_by_role("article")
    card.get_by_text("Mailer asks you to pick").wait_for()
    assert card.get_by_text("sees nothing else of your library").is_visible()
    card.get_by_role("button", name="Pick…").click()
    scene.window.get_by_role("heading", name="Pick for Mailer").wait_for()
    options = scene.window.get_by_role("option")
    options.first.wait_for()
    return options


def photo(scene, number):
    return scene.window.get_by_role("option", name=scene.pictures[number])


def drag(scene, *numbers):
    mouse = scene.window.mouse
    for place, number in enumerate(numbers):
        box = photo(scene, number).bounding_box()
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if place == 0:
            mouse.down()
    mouse.up()


def finish(scene, button):
    scene.window.get_by_role("button", name=button, exact=True).click()
    if button == "Cancel":
        scene.window.get_by_role("dialog").get_by_text("the app receives nothing new").wait_for()
        scene.window.get_by_role("button", name="Leave").click()
    reply = scene.picker.hear()
    scene.window.get_by_text("Nothing is waiting for you").wait_for()
    return reply


def chosen(scene):
    return scene.window.locator("[role=option][aria-selected=true]").count()


def test_R72_R74_R76_one_photo_is_picked_and_its_bytes_arrive(picking):
    begin(picking)
    foot = picking.window.locator("footer")
    assert "Mailer receives nothing" in foot.inner_text()
    photo(picking, 1).click()
    photo(picking, 4).click()
    assert chosen(picking) == 1, "single selection: the second takes the place of the first"
    assert "Mailer receives 1 photo and nothing else" in foot.inner_text()
    reply = finish(picking, "Give 1 photo")
    assert reply["cancelled"] is False and filenames(reply) == [picking.pictures[4]]
    piece = picking.picker.call(PICKER + "ReadItem", item=reply["results"][0]["item"], offset=0, length=524_288)
    original = (picking.album.folder / picking.pictures[4]).read_bytes()
    assert hashlib.sha256(base64.b64decode(piece["data"])).digest() == hashlib.sha256(original).digest()
    assert picking.owner.prompts() == [] and picking.owner.call("ListGrants", app=picking.picker.name)["grants"] == []


def test_R149_a_pick_leaves_with_what_its_page_says(picking):
    begin(picking)
    switches = picking.window.get_by_role("switch")
    assert [switch.is_checked() for switch in switches.all()] == [False, True, True], "places, captions, files"
    for number in range(3):
        switches.nth(number).click()
    photo(picking, 1).click()
    with picking.window.expect_request("**/call/AnswerPicker") as sent:
        reply = finish(picking, "Give 1 photo")
    terms = json.loads(sent.value.post_data)["terms"]
    assert terms == {"location": True, "captions": False, "files": False}
    assert reply["withheld"] == ["captions", "files"]


def test_R75_R81_several_are_picked_by_clicks_and_keys_without_the_deselected_ones(picking):
    begin(picking, selectionLimit=0)
    for number in (5, 3, 0):
        photo(picking, number).click()
    photo(picking, 3).click()
    assert picking.window.locator(".tile[data-number]").count() == 0, "check marks, no numbers"
    picking.window.keyboard.press("End")
    picking.window.keyboard.press("ArrowLeft")
    picking.window.keyboard.press("Space")
    assert filenames(finish(picking, "Give 3 photos")) == [picking.pictures[n] for n in (5, 0, 1)]


def test_R75_a_limit_holds_and_is_shown(picking):
    begin(picking, selectionLimit=2)
    assert picking.window.get_by_text("At most 2 can be picked.").is_visible()
    for number in (0, 1, 2):
        photo(picking, number).click()
    assert chosen(picking) == 2
    assert (
        picking.window.locator("footer").get_by_role("status").filter(has_text="At most 2 can be picked").is_visible()
    )
    # The large view enforces the limit too.
    picking.window.get_by_role("listbox").press("Enter")
    viewer = picking.window.locator("dialog.viewer")
    picking.window.locator(".toast").evaluate_all("all => all.forEach(e => e.remove())")
    viewer.get_by_role("button", name="Select", exact=True).click()
    viewer.locator(".toast").get_by_text("At most 2 can be picked").wait_for()
    viewer.get_by_role("button", name="Close").click()
    photo(picking, 0).click()
    photo(picking, 3).click()
    assert filenames(finish(picking, "Give 2 photos")) == [picking.pictures[1], picking.pictures[3]]


@pytest.mark.parametrize("kind, words", [("image", "Photos only."), ("video", "Videos only.")])
def test_R75_only_the_requested_kinds_are_shown(picking, photographs, kind, words):
    if not photographs:
        pytest.skip("../shared/photos is not there")
    picking.album.put("clip.webm", (photographs / "video/small.webm").read_bytes(), 1_760_000_000)
    picking.owner.wait_for_library(picking.library, 7)
    begin(picking, mediaTypes=[kind], selectionLimit=0)
    assert picking.window.get_by_text(words).is_visible()
    options = picking.window.get_by_role("option")
    wait_for(lambda: options.count() == (6 if kind == "image" else 1), "only that kind")
    labels = options.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert all(label.startswith("Photo" if kind == "image" else "Video") for label in labels)
    options.first.click()
    assert len(finish(picking, "Give 1 photo" if kind == "image" else "Give 1 video")["results"]) == 1
    # The decision counts items, a word for photos and videos.
    picking.window.get_by_role("link", name="Activity").click()
    picking.window.get_by_role("button", name="Decisions").click()
    row = picking.window.locator("[data-decision]", has_text="Picked").first
    row.get_by_text("1 item", exact=True).wait_for()
    assert "1 photo" not in row.inner_text()


def test_R75_a_range_is_filled_from_its_start_up_to_the_limit(picking):
    begin(picking, selectionLimit=3)
    photo(picking, 0).click()
    photo(picking, 4).click(modifiers=["Shift"])
    assert {number for number in range(6) if photo(picking, number).get_attribute("aria-selected") == "true"} == {
        0,
        1,
        2,
    }
    for number in (0, 1, 2):
        photo(picking, number).click()
    drag(picking, 1, 5)
    assert {number for number in range(6) if photo(picking, number).get_attribute("aria-selected") == "true"} == {
        1,
        2,
        3,
    }
    finish(picking, "Give 3 photos")


def test_R86_a_preselected_item_of_any_kind_is_shown_and_can_be_deselected(picking, photographs):
    if not photographs:
        pytest.skip("../shared/photos is not there")
    picking.album.put("clip.webm", (photographs / "video/small.webm").read_bytes(), 1_760_000_000)
    picking.owner.wait_for_library(picking.library, 7)
    several = {"identifiers": True, "selectionLimit": 2}
    begin(picking, **several)
    for number in (0, 1):
        photo(picking, number).click()
    before = [result["localIdentifier"] for result in finish(picking, "Give 2 photos")["results"]]
    options = begin(picking, **several, mediaTypes=["video"], preselected=before)
    wait_for(lambda: options.count() == 3 and chosen(picking) == 2, "the video, and the two that were selected")
    photo(picking, 1).click()
    picking.window.get_by_role("option", name="clip.webm").click()
    kept, video = finish(picking, "Give 2 photos and videos")["results"]
    assert kept["localIdentifier"] == before[0] and video["filename"] == "clip.webm"


def test_R80_R82_R84_R85_R86_R87_R88_preselection_and_order_numbers_follow_the_options(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    begin(picking, **several)
    for number in (0, 1, 2):
        photo(picking, number).click()
    first = finish(picking, "Give 3 photos")
    known = {r["filename"]: r["localIdentifier"] for r in first["results"]}
    begin(picking, **several, ordered=True, preselected=[known[picking.pictures[n]] for n in (2, 0, 1)])
    number = lambda n: photo(picking, n).get_attribute("data-number")
    wait_for(lambda: chosen(picking) == 3, "what was selected before to be selected")
    assert [number(n) for n in (2, 0, 1)] == ["1", "2", "3"]
    photo(picking, 5).click()
    photo(picking, 0).click()
    photo(picking, 1).click()
    photo(picking, 1).click()
    assert [number(n) for n in (2, 5, 1, 0)] == ["1", "2", "3", ""]
    drawn = photo(picking, 5).locator(".tile-check").evaluate("e => getComputedStyle(e, '::after').content")
    assert drawn == '"2"', "the number is seen"
    labels = [photo(picking, n).get_attribute("aria-label") for n in (5, 0)]
    assert labels[0].endswith(", number 2") and "number" not in labels[1], "and read out"
    reply = finish(picking, "Give 3 photos")
    assert [(r.get("localIdentifier"), r.get("item") is not None) for r in reply["results"]] == [
        (known[picking.pictures[2]], False),
        (reply["results"][1]["localIdentifier"], True),
        (known[picking.pictures[1]], True),
    ]
    assert filenames(reply)[1] == picking.pictures[5], (
        "what was deselected and selected again comes anew, at its new place"
    )


def test_R80_R86_a_drag_across_a_preselected_item_keeps_its_place(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    begin(picking, **several)
    for number in (0, 1, 2):
        photo(picking, number).click()
    known = [r["localIdentifier"] for r in finish(picking, "Give 3 photos")["results"]]
    begin(picking, **several, ordered=True, preselected=known)
    wait_for(lambda: chosen(picking) == 3, "what was selected before to be selected")
    drag(picking, 2, 1, 0, 2)
    reply = finish(picking, "Give 2 photos")
    assert [(r["localIdentifier"], r.get("item")) for r in reply["results"]] == [(known[0], None), (known[1], None)]


def test_R80_R86_a_double_click_to_zoom_leaves_the_pick_unchanged(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    viewer = picking.window.locator("dialog.viewer")

    def look(n):
        photo(picking, n).dblclick()
        viewer.locator(".viewer-name").get_by_text(picking.pictures[n]).wait_for()
        picking.window.keyboard.press("Escape")
        viewer.wait_for(state="detached")

    begin(picking, **several)
    for number in (0, 1, 2):
        photo(picking, number).click()
    look(4)
    known = [r["localIdentifier"] for r in finish(picking, "Give 3 photos")["results"]]
    begin(picking, **several, ordered=True, preselected=known)
    wait_for(lambda: chosen(picking) == 3, "what was selected before to be selected")
    photo(picking, 5).click()
    for number in (0, 5, 3):
        look(number)
        assert [photo(picking, n).get_attribute("data-number") for n in (0, 1, 2, 5)] == ["1", "2", "3", "4"]
    reply = finish(picking, "Give 4 photos")
    assert [r.get("localIdentifier") for r in reply["results"]][:3] == known
    assert [r.get("item") is not None for r in reply["results"]] == [False, False, False, True], (
        "none of them comes anew"
    )
    begin(picking, selectionLimit=1)
    photo(picking, 2).click()
    look(4)
    assert filenames(finish(picking, "Give 1 photo")) == [picking.pictures[2]]


def test_R76_a_picker_for_one_photo_has_no_multiple_selection(picking):
    begin(picking, selectionLimit=1)
    window = picking.window
    assert window.get_by_role("listbox").get_attribute("aria-multiselectable") is None
    assert window.get_by_role("heading", name="January 2024").is_visible()
    assert window.get_by_role("button", name="Select all of").count() == 0
    window.get_by_role("listbox").press("Control+a")
    assert chosen(picking) == 0
    photo(picking, 1).click()
    assert filenames(finish(picking, "Give 1 photo")) == [picking.pictures[1]]


def test_R76_selecting_a_month_fills_up_to_the_limit_and_the_next_click_deselects_it(picking):
    begin(picking, selectionLimit=3)
    window = picking.window
    month = window.get_by_role("button", name="Select all of January 2024")
    month.click()
    wait_for(lambda: chosen(picking) == 3, "as many as may be picked")
    window.get_by_text("At most 3 can be picked").first.wait_for()
    month.click()
    wait_for(lambda: chosen(picking) == 0, "what it took to be taken back")
    # Two photos of the month are picked, and the month's button adds photos up to the limit.
    for number in range(3):
        photo(picking, number).click()
    photo(picking, 0).click()
    month.click()
    wait_for(lambda: chosen(picking) == 3, "it to be filled up again")
    assert len(finish(picking, "Give 3 photos")["results"]) == 3


def test_leaving_a_picker_with_picked_photos_is_confirmed(picking):
    begin(picking, selectionLimit=0, identifiers=True)
    window = picking.window
    question = window.get_by_role("dialog", name="Leave without saving?")
    for attempt in (lambda: window.get_by_role("button", name="Cancel").click(), window.go_back):
        photo(picking, 1).click()
        attempt()
        question.wait_for()
        window.get_by_role("button", name="Go on selecting").click()
        window.locator("dialog").wait_for(state="detached")
        assert chosen(picking) == 1 and window.get_by_role("heading", name="Pick for Mailer").is_visible()
        photo(picking, 1).click()
    # Leaving discards the pick. Without a pick, Cancel asks nothing.
    photo(picking, 2).click()
    window.go_back()
    question.wait_for()
    window.get_by_role("button", name="Leave").click()
    window.get_by_role("article").get_by_role("button", name="Pick…").click()
    window.get_by_role("option").first.wait_for()
    assert chosen(picking) == 0, "what was left is lost, as it was said"
    window.get_by_role("button", name="Cancel").click()
    assert picking.picker.hear()["cancelled"] is True


def test_R76_a_drag_in_a_single_photo_picker_deselects_nothing(picking):
    begin(picking, selectionLimit=1)
    drag(picking, 2, 1, 2)
    assert filenames(finish(picking, "Give 1 photo")) == [picking.pictures[2]]


def test_R89_cancelling_differs_from_giving_nothing(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    begin(picking, **several)
    photo(picking, 2).click()
    given = [r["localIdentifier"] for r in finish(picking, "Give 1 photo")["results"]]
    begin(picking, **several, preselected=given)
    photo(picking, 4).click()
    cancelled = finish(picking, "Cancel")
    assert cancelled["cancelled"] is True
    assert [(r["localIdentifier"], r.get("item")) for r in cancelled["results"]] == [(given[0], None)]
    begin(picking, **several, preselected=given)
    wait_for(lambda: chosen(picking) == 1, "the one that was selected before")
    photo(picking, 2).click()
    none = finish(picking, "Give nothing")
    assert none["cancelled"] is False and none["results"] == []
    picking.picker.begin(PICKER + "Present")
    picking.window.get_by_role("article").get_by_role("button", name="Cancel").click()
    assert picking.picker.hear() == {"results": [], "cancelled": True}


def test_a_late_cancel_still_shows_the_given_photos(picking):
    begin(picking, selectionLimit=2)
    window = picking.window
    photo(picking, 2).click()
    held = []
    window.route("**/call/AnswerPicker", lambda route: held.append((route, route.fetch())), times=1)
    window.get_by_role("button", name="Give 1 photo").click()
    wait_for(lambda: held or window.wait_for_timeout(50), "the answer to be on its way back")
    window.get_by_role("button", name="Cancel").click()
    window.get_by_text("Nothing is waiting for you").wait_for()
    route, response = held[0]
    route.fulfill(response=response)
    window.locator(".toast").get_by_text("Given to Mailer").wait_for()
    assert filenames(picking.picker.hear()) == [picking.pictures[2]]


def test_R13_a_never_share_photo_is_shown_disabled(picking):
    asset = picking.owner.identifier(picking.library, picking.pictures[3])
    picking.owner.call("MarkAssets", library=picking.library, selector={"identifiers": [asset]}, neverShare=True)
    begin(picking, selectionLimit=0)
    photo(picking, 3).click()
    picking.window.locator(".toast").get_by_text("never to be shared").wait_for()
    wait_for(lambda: "never to be shared" in picking.window.locator("#announcer").inner_text(), "it to be read out")
    assert chosen(picking) == 0
    photo(picking, 2).click()
    assert filenames(finish(picking, "Give 1 photo")) == [picking.pictures[2]]


def test_a_dead_apps_picker_closes(picking):
    begin(picking)
    picking.picker.process.kill()
    picking.window.get_by_text("or the app that asked has ended").first.wait_for()
    picking.window.get_by_text("Nothing is waiting for you").wait_for()
    picking.picker.waiting = False


def test_R93_settings_list_a_picker_only_app_separately_with_the_reason(picking):
    begin(picking)
    photo(picking, 0).click()
    finish(picking, "Give 1 photo")
    picking.window.get_by_role("link", name="Apps").click()
    picking.window.get_by_text("They need no permission.").wait_for()
    row = picking.window.locator("li.row", has_text="Mailer")
    assert "picked once" in row.inner_text() and "1 item" in row.inner_text()
    assert picking.window.locator("a.row", has_text="Mailer").count() == 0, "it has no access to settle"


def is_readable(app, item):
    try:
        return bool(app.call(PICKER + "ReadItem", item=item, offset=0, length=10)["data"])
    except Refused:
        return False


def test_R132_one_apps_picked_items_are_revoked(picking):
    begin(picking, selectionLimit=0)
    photo(picking, 0).click()
    [picked] = finish(picking, "Give 1 photo")["results"]
    assert is_readable(picking.picker, picked["item"])
    picking.window.get_by_role("link", name="Apps").click()
    picking.window.get_by_role("button", name="Revoke access: Mailer").click()
    dialog = picking.window.get_by_role("dialog")
    dialog.get_by_text("What it was given and has not read is revoked.").wait_for()
    dialog.get_by_role("button", name="Revoke access").click()
    dialog.get_by_role("heading", name="Access is revoked").wait_for()
    assert not is_readable(picking.picker, picked["item"])


def test_R132_revoking_everything_includes_picked_items_of_all_owned_libraries(picking):
    """Three libraries: one with a grant, one with picked items only, one of another owner."""
    owner, broker, window = picking.owner, picking.broker, picking.window
    picking.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="Revoke all access").wait_for()
    # The page has not heard of all of these libraries.
    window.route("**/wait", lambda route: None)
    other = broker.owner()
    apps, items = {}, {}
    for name, keeper in ((f"second-{owner.uid}", owner), (f"theirs-{owner.uid}", other)):
        album = Album(picking.house, name, keeper.uid)
        album.fill(2)
        apps[name] = broker.app()
        keeper.add_library(name, album.folder, [apps[name].uid], 2)
        if keeper is other:
            other.call("DelegateLibrary", name=name, coOwners=[owner.uid])
            broker.accept(owner.uid, name)
        apps[name].introduce("org.example.attach", name="Mailer")
        apps[name].begin(PICKER + "Present", library=name, selectionLimit=0)
        [waiting] = wait_for(lambda: owner.call("ListPickers")["pickers"], "the picker")
        owner.call(
            "AnswerPicker", picker=waiting["picker"], assets=[asset["identifier"] for asset in owner.assets(name)]
        )
        items[name] = [result["item"] for result in apps[name].hear()["results"]]

    def readable():
        return [is_readable(apps[name], item) for name in apps for item in items[name]]

    assert readable() == [True] * 4
    window.get_by_role("button", name="Revoke all access").click()
    window.get_by_role("dialog").get_by_role("button", name="Revoke access").click()
    window.get_by_role("heading", name="Access is revoked").wait_for()
    assert readable() == [False] * 4 and picking.app.is_refused()


def test_R91_R92_items_picked_from_a_remote_arrive_with_progress(far, browser):
    data = picture(31, padding=8 << 20)
    far.remote.put("far.jpg", data, day(31).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    page = pages.Page(far.broker, far.owner, browser)
    try:
        far.window = page.open_window()
        far.picker = far.broker.app(uid=far.app.uid)
        far.picker.introduce("org.example.attach", name="Mailer")
        begin(far, library=far.library)
        far.window.get_by_role("option", name="far.jpg").click()
        # The page answers at once on a slow storage, and the app is told its photo's progress.
        far.remote.freeze()
        item = finish(far, "Give 1 photo")["results"][0]["item"]
        far.picker.start(load, item=item)
        far.remote.thaw()
        told, digest = far.picker.hear()
        assert digest == hashlib.sha256(data).hexdigest()
        assert [done for _, done in told] == [False] * (len(told) - 1) + [True]
    finally:
        page.end()


def give_two_photos(picking):
    """Answer a picker without the page."""
    picking.picker.begin(PICKER + "Present", selectionLimit=0)
    picker = wait_for(lambda: picking.owner.call("ListPickers")["pickers"], "the picker to be open")[0]
    picked = [picking.owner.identifier(picking.library, picking.pictures[n]) for n in (0, 1)]
    picking.owner.call("AnswerPicker", picker=picker["picker"], assets=picked)
    picking.picker.hear()


def test_R93_an_apps_page_shows_its_loadable_picked_items_under_any_decision(picking):
    owner, window = picking.owner, picking.window
    give_two_photos(picking)
    owner.set(picking.library, picking.picker.name, "denied")
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").get_by_text("Mailer").click()
    told = window.get_by_text("2 picked items can be loaded until")
    told.wait_for()
    window.get_by_role("button", name="Revoke access").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("What it was given and has not read is revoked.").wait_for()
    dialog.get_by_role("button", name="Revoke access").click()
    window.get_by_role("dialog").get_by_role("button", name="Close").click()
    told.wait_for(state="detached")
    assert owner.call("ListPickerApps", library=picking.library, app=picking.picker.name)["apps"][0]["loadable"] == 0


def test_R93_list_and_page_show_picked_items_of_an_app_with_a_grant(picking):
    owner, window = picking.owner, picking.window
    give_two_photos(picking)
    window.get_by_role("link", name="Apps").click()
    only = window.locator("section.group").filter(has=window.get_by_role("heading", name="Picker only"))
    only.get_by_text("2 items").wait_for()
    owner.set(picking.library, picking.picker.name, "authorized")
    row = window.locator("a.row").filter(has_text="Mailer")
    row.get_by_text("picked once · 2 items").wait_for()
    only.wait_for(state="detached")
    row.click()
    head = window.locator(".part-head")
    head.get_by_text("By the picker: picked once · 2 items · last on").wait_for()
    owner.call("Revoke", library=picking.library, app=picking.picker.name)
    head.get_by_text("can be loaded until").wait_for(state="detached")
    assert head.get_by_text("By the picker: picked once · 2 items").is_visible(), "what it was given stays given"
    owner.set(picking.library, picking.picker.name, "notDetermined")
    head.get_by_text("It has no access; it will ask again.").wait_for()
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    over = window.locator("section.group").filter(has=window.get_by_role("heading", name="Apps without access"))
    over.get_by_text("picked once · 2 items").wait_for()


def test_R93_a_picker_only_app_links_to_its_page_and_shows_its_connection(picking):
    owner, window = picking.owner, picking.window
    bystander = picking.broker.app(uid=owner.uid)
    bystander.introduce("org.example.bystander", name="Bystander")
    picking.picker.begin(PICKER + "Present", selectionLimit=0)
    picker = wait_for(lambda: owner.call("ListPickers")["pickers"], "the picker to be open")[0]
    owner.call("AnswerPicker", picker=picker["picker"], assets=[owner.identifier(picking.library, picking.pictures[0])])
    picking.picker.hear()
    window.get_by_role("link", name="Apps").click()
    row = window.locator("li[data-picked]")
    undecided = window.locator("section.group").filter(has=window.get_by_role("heading", name="Not asked yet"))
    for shown in (row, undecided.get_by_role("listitem").filter(has_text="Bystander")):
        shown.get_by_text("Connected", exact=True).wait_for()
    # The row offers Revoke only while the app holds picked items.
    row.get_by_role("button", name="Revoke").wait_for()
    owner.call("Revoke", app=picking.picker.name)
    row.get_by_role("button", name="Revoke").wait_for(state="detached")
    # A denial, and then forgetting it, leave the app among those that only pick.
    for status, group in (("denied", "No access"), ("notDetermined", "Apps without access")):
        owner.set(picking.library, picking.picker.name, status)
        window.locator("section.group").filter(has=window.get_by_role("heading", name=group)).get_by_text(
            "Mailer"
        ).wait_for()
        assert row.is_visible(), status
    picking.picker.new_connection()
    row.get_by_text("Connected", exact=True).wait_for(state="detached")
    row.get_by_role("link", name="Mailer").click()
    window.get_by_role("heading", level=1, name="Mailer").wait_for()
    window.get_by_text("By the picker: picked once · 1 item").wait_for()
