"""The page's settings: access, rules, plugins, libraries and co-owners."""

import json
import re


from house import page as pages
from house.page_views import open_app
from house.person import wait_for
from house.pictures import day, jpeg


def test_rules_are_listed_removed_and_restored(scene, window):
    scene.owner.call(
        "Apply",
        rules=[
            {
                "library": scene.library,
                "name": "frames",
                "uid": scene.app.uid,
                "level": "readWrite",
                "answer": "deny",
                "identifier": "org.example.frame",
            }
        ],
    )
    window.get_by_role("link", name="Apps").click()
    row = window.locator("[data-rule=frames]")
    assert "declines" in row.inner_text() and "org.example.frame" in row.inner_text()
    row.get_by_role("button", name="Remove the rule frames").click()
    row.wait_for(state="detached")
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(
        lambda: [r["name"] for r in scene.owner.call("ListRules", library=scene.library)["rules"]] == ["frames"],
        "the rule to be back",
    )


def test_a_rule_names_its_album_by_title(scene, window):
    album = scene.make_album("Frame", 0)["album"]
    rule = {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "live": True}
    scene.owner.call("Apply", rules=[{**rule, "answer": "select", "select": [{"album": album}]}])
    window.get_by_role("link", name="Apps").click()
    row = window.locator("[data-rule=frames]")
    row.get_by_text("in the album “Frame”").wait_for()
    assert scene.library in row.inner_text() and album not in window.locator("main").inner_text()
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    window.locator("[data-decision]").get_by_text("in the album “Frame”").first.wait_for()
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    window.get_by_role("link", name="Apps").click()
    row.get_by_text("an album that is gone").wait_for()


def test_libraries_show_their_state_and_plugins_their_libraries(scene, window):
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=scene.library)
    for words in ("6 photos", "directory", "Online", "Programs of these users may ask:"):
        card.get_by_text(words).first.wait_for()
    window.get_by_text(f"Storage of {scene.library}").wait_for()
    window.get_by_text("All that are installed are listed for administrators.").wait_for()
    assert not [url for url in window.requests if url.endswith("/ListPlugins")], "what is not permitted is not asked"
    card.get_by_role("button", name="Look again").click()
    window.get_by_text("Looking at every file again").first.wait_for()


def test_R93_an_apps_page_shows_level_expiry_albums_and_connection(scene, window):
    scene.limit(0, 1)
    open_app(window)
    window.get_by_text(re.compile("Connected now")).wait_for()
    window.get_by_label(re.compile("^Ends")).select_option("7")
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name).get("expires"), "the expiry")
    window.get_by_label(re.compile("^Albums")).select_option("own")
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["albumPolicy"] == "own", "the album policy")
    window.get_by_role("radio", name=re.compile("Full access")).click()
    window.get_by_role("dialog").get_by_role("button", name="Allow all").click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["status"] == "authorized", "all photos")
    window.get_by_label(re.compile("^Albums")).wait_for(state="detached")  # all albums (R49)
    window.get_by_role("radio", name=re.compile("No access")).click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["status"] == "denied", "no access")


def test_R10_an_add_only_app_has_its_own_pause_and_end(scene, window):
    scene.limit(0)
    scene.allow(level="addOnly")
    open_app(window)
    adding, reading = (
        window.get_by_role("group", name="Details of adding"),
        window.get_by_role("group", name="Details", exact=True),
    )

    def grant(level="addOnly"):
        return scene.owner.grant(scene.library, scene.app.name, level)

    adding.get_by_role("switch", name=re.compile("^Pause")).click()
    wait_for(lambda: grant()["paused"], "the pause")
    assert not grant("readWrite")["paused"]
    # The page takes a second press at the same place for a part of the first.
    window.wait_for_timeout(500)
    reading.get_by_role("switch", name=re.compile("^Pause")).click()
    wait_for(lambda: grant("readWrite")["paused"], "the other pause")
    window.wait_for_timeout(500)
    adding.get_by_role("switch", name=re.compile("^Pause")).click()
    wait_for(lambda: not grant()["paused"], "the end of the pause")
    assert grant("readWrite")["paused"]
    adding.get_by_label(re.compile("^Ends")).select_option("7")
    wait_for(lambda: grant().get("expires"), "the end")
    assert grant("readWrite").get("expires") is None


def test_R4_a_decision_is_forgotten_and_the_app_may_ask_again(scene, window):
    scene.limit(0)

    def status():
        grants = scene.owner.call("ListGrants", library=scene.library)["grants"]
        return next((grant["status"] for grant in grants if grant["level"] == "readWrite"), "notDetermined")

    open_app(window)
    window.get_by_role("button", name="Remove the decision").click()
    wait_for(lambda: status() == "notDetermined", "the decision to be forgotten")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: status() == "limited", "the decision to be back")
    open_app(window)
    window.get_by_role("button", name="Remove the decision").click()
    wait_for(lambda: status() == "notDetermined", "the decision to be forgotten")
    scene.app.begin_request()
    window.get_by_role("link", name="Requests").click()
    window.get_by_role("button", name="Decline").click()
    assert scene.app.hear()["status"] == "denied"


def test_users_are_shown_by_number_and_account_name(scene, window):
    scene.limit(0, 1)
    scene.broker.owner(0).set(scene.library, scene.app.name, "restricted")
    open_app(window)
    window.locator("[data-decision]", has_text=re.compile(r"user .?0 \(root\)")).first.wait_for()
    assert (
        f"runs as user {scene.app.uid}" in window.locator(".part-head").inner_text()
        and f"{scene.app.uid} (" not in window.locator("main").inner_text()
    )
    listed = scene.broker.photobroker(scene.owner.uid, "decisions", scene.library).stdout
    assert "administrator, user 0 (root)" in listed and f"user {scene.owner.uid} (" not in listed


def in_pages(window, method, part):
    """Serve a list in two pages, the first of them empty."""

    def answer(route):
        asked = json.loads(route.request.post_data)
        if asked.pop("cursor", None) is None:
            return route.fulfill(json={part: [], "cursor": "the rest"})
        route.fulfill(response=route.fetch(post_data=json.dumps(asked)))

    window.route(f"**/call/{method}", answer)


def test_paged_lists_are_read_to_their_end(scene, window):
    scene.limit(0, 1)
    in_pages(window, "ListTokens", "tokens")
    in_pages(window, "ListLibraries", "libraries")
    open_app(window)
    window.locator("[data-token]").first.wait_for()
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="Revoke all access").click()
    window.get_by_role("dialog").get_by_role("button", name="Revoke access").click()
    window.get_by_role("heading", name="Access is revoked").wait_for()
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "denied", (
        "the library on the second page is among all"
    )


def test_R132_everything_is_revoked_at_once_and_restored(scene, window):
    scene.limit(0, 1)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce(identifier="org.example.second")
    scene.owner.set(scene.library, other.name, "authorized", level="addOnly")

    def statuses():
        return sorted(grant["status"] for grant in scene.owner.call("ListGrants", library=scene.library)["grants"])

    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="Revoke all access").click()
    window.get_by_role("dialog").get_by_role("button", name="Back").click()
    assert statuses() == ["authorized", "limited"]
    window.get_by_role("button", name="Revoke all access").click()
    window.get_by_role("dialog").get_by_role("button", name="Revoke access").click()
    window.get_by_role("heading", name="Access is revoked").wait_for()
    assert statuses() == ["denied", "denied"] and scene.app.is_refused()
    window.get_by_role("dialog").get_by_role("button", name="Close").click()
    window.get_by_role("button", name="Revoke all access").wait_for(state="hidden")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: statuses() == ["authorized", "limited"], "both decisions to be back")


def test_R39_a_switch_shares_originals_of_edited_photos(scene, window):
    window.get_by_role("link", name="Libraries").click()
    switch = window.get_by_role("switch", name=re.compile("Originals of edited photos"))
    for wanted in (True, False):
        switch.click()
        wait_for(lambda: scene.owner.library(scene.library)["sharesOriginals"] == wanted, "the switch")


def test_R149_a_library_says_with_what_access_begins(scene, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Terms at first").click()
    dialog = window.get_by_role("dialog")
    assert not dialog.get_by_role("switch", name=re.compile("Places")).is_checked()
    dialog.get_by_role("switch", name=re.compile("Captions")).click()
    dialog.get_by_role("switch", name=re.compile("May change")).click()
    dialog.get_by_role("combobox", name=re.compile("^Files")).select_option("512")
    dialog.get_by_role("button", name="Save").click()
    terms = {"captions": False, "files": False, "pixels": 512, "changes": False, "deletions": "ask"}
    wait_for(lambda: scene.owner.library(scene.library)["defaultTerms"] == terms, "the terms")


def test_R149_an_apps_page_sets_the_size_of_its_pictures(scene, window):
    scene.allow()
    terms = lambda: scene.owner.grant(scene.library, scene.app.name)["terms"]
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("link", name=re.compile("Journal")).click()
    choice = window.get_by_role("combobox", name=re.compile("^Files"))
    choice.select_option("1024")
    window.locator(".toast").get_by_text("Journal gets pictures up to 1,024 pixels").wait_for()
    assert (terms()["files"], terms()["pixels"]) == (False, 1_024)
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: terms()["files"], "the files to be back")
    scene.set_terms(files=False, pixels=700)
    wait_for(lambda: choice.locator("option:checked").inner_text() == "Pictures up to 700 pixels", "the other size")
    choice.select_option("0")
    wait_for(lambda: terms()["files"], "the files")


def test_a_switch_refuses_and_allows_deletions_by_apps(scene, window):
    window.get_by_role("link", name="Libraries").click()
    switch = window.get_by_role("switch", name=re.compile("Deleting by apps"))
    switch.wait_for()
    assert switch.is_checked()
    for wanted, words in ((False, "apps delete no photos"), (True, "apps may delete photos")):
        switch.click()
        wait_for(lambda: scene.owner.library(scene.library)["appsDelete"] == wanted, "the switch")
        window.locator(".toast").get_by_text(f"{scene.library}: {words}").wait_for()
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: scene.owner.library(scene.library)["appsDelete"] is False, "it to be taken back")


def test_tokens_are_listed_and_revoked_individually(scene, window):
    scene.limit(0, 1)

    def live():
        return [
            t["accessor"]
            for t in scene.owner.call("ListTokens", app=scene.app.name)["tokens"]
            if t.get("library") and not t["revoked"]
        ]

    open_app(window)
    tokens = window.locator(".part-tokens")
    [accessor] = live()
    row = tokens.locator("li", has_text=accessor[:12])
    row.get_by_role("button", name="Revoke").click()
    row.wait_for(state="detached")
    assert accessor not in live()
    assert scene.app.is_refused()


def test_R13_marks_are_set_in_the_large_view(scene, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").first.dblclick()
    viewer = window.locator("dialog.viewer")
    for label, key in (("Favourite", "favorite"), ("Hide from every app", "hidden"), ("Never share", "neverShare")):
        viewer.get_by_role("button", name=label).click()
        wait_for(lambda: scene.owner.call("FetchOwnedAssets", library=scene.library, limit=1)["assets"][0][key], label)
        wait_for(lambda: viewer.get_by_role("button", name=label).get_attribute("aria-pressed") == "true", label)
    viewer.get_by_role("button", name="Close").click()
    window.get_by_role("button", name="Never shared").click()
    wait_for(lambda: window.get_by_role("option").count() == 1, "only the marked one")


def test_R131_every_decision_is_in_the_persons_language(scene, page):
    """The German list contains no English word of the broker."""
    app, uid, call = scene.app.name, scene.app.uid, scene.owner.call
    own = {"library": scene.library, "app": app, "level": "readWrite"}
    scene.limit(0, 1, 2)
    scene.unselect(2)
    call("PauseGrant", **own, paused=True)
    call("PauseGrant", **own, paused=False)
    call("SetGrant", **own, expires=4_000_000_000_000_000)
    call("SetGrant", **own, albumPolicy="shared-read")
    scene.owner.set(scene.library, app, "authorized", level="addOnly")
    scene.owner.set(scene.library, app, "notDetermined", level="addOnly")
    for marks in (
        {"hidden": True},
        {"hidden": False, "favorite": True},
        {"neverShare": True},
        {"neverShare": False, "favorite": False},
    ):
        call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[5]}, **marks)
    album = call("EditOwnedAlbum", library=scene.library, title="See", add={"last": 3}, shared=True)["album"]["album"]
    call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    call("OfferLibrary", name=scene.library, add=[4242])
    call("DelegateLibrary", name=scene.library, coOwners=[4243], administratorsSee=True, administratorsDecide=True)
    call("ShareOriginals", name=scene.library, share=True)
    for allows in False, True:
        call("AllowDeletions", name=scene.library, allow=allows)
    call("SetDefaultTerms", name=scene.library, terms={"captions": False})
    call("SetDefaultTerms", name=scene.library, terms={}, standard=True)
    rule = {
        "library": scene.library,
        "name": "frames",
        "uid": uid,
        "level": "readWrite",
        "answer": "allow",
        "albumPolicy": "full",
        "lifetime": 7200,
    }
    call("Apply", rules=[rule])
    call("RemoveRule", library=scene.library, name="frames")
    call("SetUpLibrary", name=scene.library, cloudMapping="content", options={"rescanSeconds": "60"})
    call("Revoke", accessor=call("MintToken", **own)["accessor"])
    call("Revoke", library=scene.library)
    call("UndoDecision", decision=call("ListDecisions", library=scene.library, limit=1)["decisions"][0]["decision"])
    told = call("ListDecisions", library=scene.library, limit=100)["decisions"]

    window = page.open_window(language="de-DE")
    window.get_by_role("link", name="Verlauf").click()
    window.get_by_role("button", name="Entscheidungen").click()
    window.locator(f"[data-decision='{told[-1]['decision']}']").wait_for()
    listed = "\n".join(window.locator("[data-decision]").all_inner_texts())
    broker = {
        word
        for decision in told
        for word in re.findall(r"[A-Za-z]{3,}", f"{decision['action']} {decision['before']} {decision['after']}")
    }
    # Names, and words that German shares.
    kept = {"frames", "content", "rescanSeconds", *re.findall(r"[A-Za-z]{3,}", app), "org", "example", "journal"}
    assert {word for word in broker - kept if re.search(rf"\b{word}\b", listed)} <= {"album"}
    for words in (
        "3 ausgewählte Fotos, löscht, ohne zu fragen → 2 ausgewählte Fotos, löscht, ohne zu fragen",
        "pausiert",
        "bis 02.10.2096",
        "Alben: Eigene und die, die Sie teilen",
        "1 ausgeblendet, 1 kein Favorit → 1 eingeblendet, 1 Favorit",
        f"angeboten: Benutzer {scene.owner.uid}, {uid}",
    ):
        assert words in listed, words
    assert window.problems == []


def test_settings_pass_an_automated_check_for_accessibility(scene, page):
    from axe_playwright_python.sync_playwright import Axe

    scene.limit(0, 2)
    scene.app.names()
    scene.owner.call(
        "Apply",
        rules=[
            {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "deny"}
        ],
    )
    window = page.open_window(bypass_csp=True)
    found = {}

    def check(what):
        window.wait_for_timeout(400)
        if bad := [(v["id"], v["nodes"][0]["html"][:200]) for v in Axe().run(window).response["violations"]]:
            found[what] = bad

    window.get_by_role("link", name="Apps").click()
    window.locator("[data-rule=frames]").wait_for()
    check("rules")
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("img", name=re.compile("handed over")).wait_for()
    check("handed over")
    window.get_by_role("button", name="Decisions").click()
    window.locator("[data-decision]").first.wait_for()
    check("decisions")
    scene.app.begin("io.photobroker.Picker.Present", selectionLimit=3, ordered=True)
    window.get_by_role("link", name="Requests").click()
    window.get_by_role("button", name="Pick…").click()
    window.get_by_role("option").nth(2).click()
    check("picker")
    window.get_by_role("button", name="Cancel").click()
    window.get_by_role("button", name="Leave").click()
    assert scene.app.hear()["cancelled"] is True
    assert found == {}


def test_a_card_without_pictures_has_space_above_its_name(scene, browser):
    steward = scene.broker.owner()
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    page = pages.Page(scene.broker, steward, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Libraries").click()
        card = window.get_by_role("article", name=scene.library, exact=True)
        name = card.get_by_role("heading", name=scene.library)
        name.wait_for()
        assert name.bounding_box()["y"] - card.bounding_box()["y"] > 16
    finally:
        page.end()
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")


def test_a_library_shows_its_owner_its_co_owners_and_its_skipped_files(scene, page, window):
    co_owner = scene.broker.owner()
    scene.album.put("words.jpg", b"no picture at all")
    (scene.album.folder / "control\x07.jpg").write_bytes(jpeg(day(7)))
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 2, "both to be skipped")
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=scene.library)
    card.get_by_text("Skipped files", exact=True).click()
    wait_for(
        lambda: (
            card.locator("details li").all_inner_texts()
            == [
                "control\\x07.jpg: its name is no UTF-8 text, has control characters, or makes the path too long; "
                "rename it",
                "words.jpg: neither a photo nor a video",
            ]
        ),
        "both to be named",
    )
    assert card.get_by_text("Owner:").count() == 0, "nobody else sees it"
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[co_owner.uid], administratorsSee=True)
    # A named user is no co-owner before accepting.
    card.get_by_text(
        f"Owner: you · Named, and not co-owners before they accept it: user {co_owner.uid} · Administrators see its "
        "photos"
    ).wait_for()
    co_owner.call("AnswerOffer", library=scene.library, accept=True)
    card.get_by_text(f"Owner: you · Co-owners: user {co_owner.uid} · Administrators see its photos").wait_for()
    for number in range(120):
        (scene.album.folder / f"{number:03}\x07.jpg").write_bytes(b"")
    wait_for(lambda: card.locator("details li").count() == 100, "the first hundred")
    card.get_by_role("button", name="Show all skipped files").click()
    wait_for(lambda: card.locator("details li").count() == 122, "all of them")
    assert card.get_by_role("button", name="Show all skipped files").count() == 0


def test_R127_unaccepted_and_declined_users_are_distinguished_from_offered_ones(scene, page, window):
    scene.allow()
    first, second = scene.broker.owner(), scene.broker.owner()
    scene.owner.call("OfferLibrary", name=scene.library, add=[first.uid, second.uid])
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=scene.library)
    users = [
        str(scene.owner.uid),
        str(scene.app.uid),
        f"{first.uid} (not accepted yet)",
        f"{second.uid} (not accepted yet)",
    ]
    card.get_by_text(f"Programs of these users may ask: {', '.join(users)}", exact=True).wait_for()
    first.call("AnswerOffer", library=scene.library, accept=True)
    scene.broker.photobroker(scene.app.uid, "library", "decline", scene.library)
    users = [str(scene.owner.uid), str(first.uid), f"{second.uid} (not accepted yet)"]
    card.get_by_text(
        f"Programs of these users may ask: {', '.join(users)} · Declined by users: {scene.app.uid}", exact=True
    ).wait_for()
    card.get_by_role("button", name="Offer to others").click()
    dialog = window.get_by_role("dialog")
    said = {
        uid: dialog.locator(f"[data-user='{uid}'] strong").text_content()
        for uid in (first.uid, second.uid, scene.app.uid)
    }
    assert said == {
        first.uid: f"user {first.uid} ",
        second.uid: f"user {second.uid} (not accepted yet)",
        scene.app.uid: f"user {scene.app.uid} (declined)",
    }
    dialog.get_by_role("button", name="Cancel").click()
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").get_by_text("Declined", exact=True).wait_for()
    window.locator("a.row").first.click()
    window.get_by_text(f"User {scene.app.uid} declined this library").wait_for()
