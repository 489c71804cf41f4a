"""A request on the owner's page: everything about it, and its terms, on one screen."""

import re

import pytest

from house import page as pages
from house.person import wait_for

PICTURES = ["Files", "Pictures up to 2,560 pixels", "Pictures up to 1,024 pixels", "Pictures up to 512 pixels"]
ANSWERS = ["Select photos…", "Allow all", "Decline"]


def grant(scene):
    return scene.owner.grant(scene.library, scene.app.name)


def terms(scene):
    return {name: value for name, value in grant(scene)["terms"].items() if value is not None}


def switch(card, name):
    return card.get_by_role("switch", name=re.compile("^" + name))


def lower_edge(element):
    box = element.bounding_box()
    return box["y"] + box["height"]


@pytest.mark.parametrize("size, scheme", [((1280, 800), "light"), ((390, 844), "dark")])
def test_R138_R149_R151_a_request_is_answered_on_one_screen(scene, page, size, scheme):
    scene.take_changes()
    window = page.open_window(size=size, scheme=scheme)
    scene.app.begin_request()
    card = window.get_by_role("article")
    card.get_by_text("It would see what you select, or all: 6 photos").wait_for()
    # Nothing but the user is verified, so there is no shield.
    assert card.locator(".verified, .facts .icon").count() == 0
    card.get_by_text("Verified: the user alone").wait_for()
    assert card.locator(".prompt-answers button").all_inner_texts() == ANSWERS
    assert card.locator(".prompt-answers .primary").count() == 0, "no answer is the main one"
    assert lower_edge(card.locator(".prompt-answers")) <= size[1], "nothing is below the screen"
    assert not switch(card, "Places").is_checked()
    for name in ("Captions and names", "May change"):
        assert switch(card, name).is_checked()
    files = card.get_by_role("combobox", name=re.compile("^Files"))
    assert files.locator("option").all_inner_texts() == PICTURES and files.input_value() == "0"
    deletions = card.get_by_label("Deletions")
    assert deletions.input_value() == "ask" and card.get_by_label("For how long").input_value() == "always"
    wait_for(switch(card, "May change").is_enabled, "the card to take a press")
    files.select_option("1024")
    switch(card, "May change").click()
    assert deletions.is_disabled()
    card.get_by_label("For how long").select_option("day")
    card.get_by_role("button", name="Allow all").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("As you chose: without places, pictures up to 1,024 pixels, may only see, for a day.").wait_for()
    dialog.get_by_role("button", name="Allow all").click()
    assert scene.app.hear_request() == "authorized"
    assert terms(scene) == {
        "location": False,
        "captions": True,
        "files": False,
        "pixels": 1_024,
        "changes": False,
        "deletions": "ask",
    }
    assert grant(scene)["expires"]
    assert window.problems == []


def test_R158_a_request_offers_no_deletions_that_the_storage_refuses(scene, window):
    scene.take_additions()
    scene.app.begin_request()
    card = window.get_by_role("article")
    card.get_by_text("lets apps delete none of your photos").wait_for()
    assert card.get_by_label("Deletions").count() == 0 and card.get_by_label("For how long").count() == 1
    window.get_by_role("link", name="Libraries").click()
    step = f"root runs: sudo photobroker library open '{scene.album.folder}'"
    window.get_by_text(step).wait_for()


def test_R149_R153_chosen_terms_go_along_to_the_selection_page(scene, window):
    scene.take_changes()
    scene.app.begin_request()
    card = window.get_by_role("article")
    wait_for(switch(card, "Places").is_enabled, "the card to take a press")
    switch(card, "Places").click()
    switch(card, "Captions and names").click()
    card.get_by_label("Deletions").select_option("never")
    card.get_by_role("combobox", name=re.compile("^Files")).select_option("512")
    card.get_by_role("button", name="Select photos").click()
    head = window.locator(".chooser-head")
    assert switch(head, "Places").is_checked() and not switch(head, "Captions and names").is_checked()
    assert not switch(head, "Files").is_checked()
    switch(head, "Files").click()
    switch(head, "Files").click()
    window.get_by_role("button", name="Cancel").click()
    assert switch(card, "Places").is_checked()
    card.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").first.click()
    window.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear_request() == "limited"
    assert terms(scene) == {
        "location": True,
        "captions": False,
        "files": False,
        "pixels": 512,
        "changes": True,
        "deletions": "never",
        "photosPerDay": 500,
    }


def test_R160_a_request_after_an_end_begins_with_what_was_withheld(scene, window):
    scene.take_changes()
    scene.app.begin_request()
    scene.owner.answer(
        scene.owner.wait_for_prompt(), "allow", once=True, terms={"captions": False, "deletions": "never"}
    )
    assert scene.app.hear_request() == "authorized"
    scene.app.end()
    wait_for(lambda: grant(scene) is None, "the end")
    later = scene.broker.app(uid=scene.app.uid)
    later.name, later.own_token = scene.app.name, scene.app.own_token
    later.use(later.own_token)
    later.begin_request()
    card = window.get_by_role("article")
    card.wait_for()
    assert not switch(card, "Captions and names").is_checked() and not switch(card, "Places").is_checked()
    assert card.get_by_label("Deletions").input_value() == "never"


@pytest.mark.parametrize(
    "language, asks, change",
    [
        ("en-GB", "Journal would like to see your photos, and change none", "May change"),
        ("de-DE", "Journal möchte Ihre Fotos sehen und keine ändern", "Darf ändern"),
    ],
)
def test_R151_an_app_that_asks_to_see_alone_gets_no_more(make_scene, browser, language, asks, change):
    scene = make_scene(2, introduce=False)
    scene.app.introduce(readOnly=True)
    with pages.Page(scene.broker, scene.owner, browser) as page:
        window = page.open_window(language=language)
        scene.app.begin_request()
        card = window.get_by_role("article")
        card.get_by_role("heading", name=asks).wait_for()
        assert not switch(card, change).is_checked()
        prompt = scene.owner.wait_for_prompt()
        assert prompt["readOnly"]
        said = scene.broker.photobroker(scene.owner.uid, "request", "list").stdout
        assert scene.library in said and "asks to see photos" in said
        scene.owner.answer(prompt, "allow")
        assert scene.app.hear_request() == "authorized" and not grant(scene)["terms"]["changes"]
        assert "edit" not in scene.app.call("DescribeAccess", level="readWrite")["verbs"]
        assert window.problems == []
