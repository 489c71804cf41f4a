"""An open page follows changes from the command line: marks, albums, trash, rules, photos.

Requests that the page sends by itself do not delay its lock.
"""

import json
import os
import re
import time

import pytest

from house import page as pages
from house.page import send_request, headers
from house.page_views import browse, shown_names, zoom_in
from house.person import wait_for
from house.pictures import captioned, day, jpeg


@pytest.fixture
def run_command(scene):
    return lambda *arguments, **more: scene.broker.photobroker(scene.owner.uid, *arguments, **more).stdout


def labels(window):
    return window.locator(".tile").evaluate_all("all => all.map(e => e.getAttribute('aria-label') ?? '')")


def test_marks_set_elsewhere_appear(scene, window, run_command):
    browse(window)
    one, two, three = scene.pictures[:3]
    run_command("asset", "mark", scene.library, "--name", one, "--favorite")
    wait_for(lambda: any("favourite" in label and one in label for label in labels(window)), "the favourite")
    run_command("asset", "mark", scene.library, "--name", two, "--hidden")
    wait_for(lambda: any("hidden" in label and two in label for label in labels(window)), "the hidden one")
    run_command("asset", "mark", scene.library, "--name", three, "--never-share")
    window.get_by_role("button", name="Never shared").click()
    wait_for(lambda: [three in label for label in labels(window)] == [True], "the one never to be shared")
    run_command("asset", "mark", scene.library, "--name", three, "--no-never-share")
    window.locator(".grid-empty").get_by_text("No photo fits.").wait_for()


def test_a_mark_set_on_the_page_is_not_fetched_again(scene, window):
    browse(window)
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    tile = window.get_by_role("option").nth(1)
    tile.hover()
    tile.locator(".tile-check").click()
    asked = len([url for url in window.requests if url.endswith("FetchOwnedColumns")])
    window.locator(".marking").get_by_role("button", name="Favourite").click()
    wait_for(lambda: "favourite" in labels(window)[1], "the mark")
    # The page fetches the next change; a fetch for its own mark would have come before.
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[0]}, favorite=True)
    wait_for(lambda: "favourite" in labels(window)[5], "the other mark")
    assert len([url for url in window.requests if url.endswith("FetchOwnedColumns")]) == asked + 1


def test_albums_edited_elsewhere_appear(scene, window, run_command):
    browse(window)
    albums = window.get_by_label("Album", exact=True)
    options = lambda: albums.locator("option").all_inner_texts()
    assert not albums.is_visible()
    run_command("album", "create", scene.library, "Lake", "--name", scene.pictures[0])
    wait_for(lambda: options() == ["All albums", "Lake (1)"], "the album")
    album = scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"][0]["album"]
    albums.select_option(label="Lake (1)")
    wait_for(lambda: shown_names(window) == [scene.pictures[0]], "its photo")
    run_command("album", "add", scene.library, album, "--name", scene.pictures[1])
    wait_for(lambda: shown_names(window) == [scene.pictures[1], scene.pictures[0]], "the photo that joined it")
    run_command("album", "rename", scene.library, album, "Sea")
    wait_for(lambda: options() == ["All albums", "Sea (2)"], "its other title")
    assert albums.input_value() == album and len(shown_names(window)) == 2, "what was chosen stays"
    run_command("album", "delete", scene.library, album, "--yes")
    wait_for(lambda: len(shown_names(window)) == 6, "all of the library, since the album is gone")
    assert not albums.is_visible()


def test_a_photo_that_replaces_another_appears_at_an_equal_count(scene, window):
    browse(window)
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    held = []
    window.route("**/wait", lambda route: held.append(route))
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[0]}, favorite=True)
    wait_for(lambda: window.evaluate("true") and held, "the page to wait for what comes next")
    (scene.album.folder / scene.pictures[0]).unlink()
    scene.owner.wait_for_library(scene.library, 5)
    scene.album.add(40, "other.jpg")
    scene.owner.wait_for_library(scene.library, 6)
    window.unroute("**/wait")
    wait_for(
        lambda: set(shown_names(window)) == {*scene.pictures[1:], "other.jpg"}, "the one in the place of the other"
    )


def test_a_change_elsewhere_fetches_only_the_changed_photos(scene, window, run_command):
    browse(window)
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    answers = []
    window.on("response", lambda response: answers.append(response) if "FetchOwnedColumns" in response.url else None)

    def fetched():
        window.evaluate("true")
        columns = [answer.json() for answer in answers]
        answers.clear()
        return [(page["names"], len(page["gone"]) // 32) for page in columns]

    one, two, *others = scene.pictures

    def names():
        return [name for label in labels(window) for name in (*scene.pictures, "oldest.jpg") if name in label]

    run_command("asset", "mark", scene.library, "--name", one, "--favorite")
    wait_for(lambda: any("favourite" in label and one in label for label in labels(window)), "the favourite")
    assert fetched() == [([one], 0)]
    assert names() == scene.newest_first, "each where it stood"
    (scene.album.folder / two).unlink()
    scene.owner.wait_for_library(scene.library, 5)
    wait_for(lambda: two not in names(), "the one that went")
    scene.album.add(-3, "oldest.jpg")
    scene.owner.wait_for_library(scene.library, 6)
    wait_for(lambda: names() == [*others[::-1], one, "oldest.jpg"], "the one that came, in its place")
    assert [name for names, _ in fetched() for name in names] == ["oldest.jpg"]


def test_a_file_replaced_in_place_is_redrawn(scene, window):
    """All views fetch the replaced picture again, and no other picture."""
    name = scene.pictures[0]
    scene.allow()
    scene.app.fetch()
    shapes = "all => all.map(image => `${image.naturalWidth}x${image.naturalHeight}`).sort()"

    def shows(selector, *other):
        wait_for(
            lambda: window.locator(selector).evaluate_all(shapes) == sorted(["64x48"] * (6 - len(other)) + [*other]),
            f"{selector}: {other}",
        )

    def look_at_all(*other):
        viewer = zoom_in(window, name)
        large = other[0] if other else "64x48"
        wait_for(lambda: viewer.locator("img").evaluate_all(shapes) == [large], "the large view")
        window.keyboard.press("Escape")
        window.get_by_role("button", name="Close").click()
        shows(".mosaic img", *other)
        window.get_by_role("link", name="Activity").click()
        window.get_by_text("Which 6").click()
        shows(".handed img", *other)
        browse(window)

    browse(window)
    shows(".tile img")
    look_at_all()
    shows(".tile img")
    pictures = lambda: len([url for url in window.requests if url.endswith("/thumbnail")])
    asked, identifier = pictures(), scene.owner.identifier(scene.library, name)
    scene.album.put(name, jpeg(day(0), note=b"new", width=48, height=96), time.time())
    shows(".tile img", "48x96")
    assert scene.owner.identifier(scene.library, name) == identifier and pictures() == asked + 1
    look_at_all("48x96")
    assert window.problems == []


def test_the_large_view_follows_changes_of_its_photo(scene, window):
    """An open large view follows its photo's picture and text, and its own mark."""
    name = scene.pictures[0]
    browse(window)
    viewer = zoom_in(window, name)
    picture = viewer.locator("img")

    def shape():
        return picture.evaluate("image => [image.naturalWidth, image.naturalHeight]")

    wait_for(lambda: shape() == [64, 48], "the large view")
    scene.album.put(name, captioned(jpeg(day(0), note=b"new", width=48, height=96), b"at the lake"), time.time())
    wait_for(lambda: shape() == [48, 96], "the other picture")
    viewer.get_by_text("at the lake").wait_for()
    viewer.get_by_role("button", name="Favourite").click()
    wait_for(lambda: any(asset["favorite"] for asset in scene.owner.assets(scene.library)), "the mark")
    assert viewer.is_visible() and shape() == [48, 96]


def test_R39_R162_the_large_view_names_files_that_go_along_and_a_missing_end(scene, window):
    whole = jpeg(day(40), note=b"pair")
    scene.album.put("pair.jpg", whole)
    scene.album.put("pair.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    scene.album.put("cut.jpg", jpeg(day(41), note=b"cut", detail=2_000)[:-1_000])
    scene.owner.wait_for_library(scene.library, 8)
    browse(window)
    viewer = window.locator("dialog.viewer")
    for name, words in {
        "pair.jpg": "Goes along with it: pair.xmp",
        "cut.jpg": "The end of its file is missing",
    }.items():
        window.get_by_role("option", name=name).dblclick()
        viewer.locator(".viewer-name").get_by_text(name, exact=True).wait_for()
        viewer.get_by_text(words).wait_for()
        other = {"Goes along", "The end of"} - {words[:10]}
        assert viewer.get_by_text(other.pop()).count() == 0
        viewer.get_by_role("button", name="Close").click()


def test_the_selection_page_shows_selected_photos_in_the_trash(scene, window):
    scene.limit(0, 1, 2)
    os.chmod(scene.album.folder, 0o770)
    known = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [known[scene.pictures[0]]]}])
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("heading", name="3 selected photos").wait_for()
    window.get_by_role("button", name="Change selection…").click()
    foot = window.locator(".chooser-foot")
    foot.get_by_text("and 1 in the trash").wait_for()
    assert "2 photos selected" in foot.inner_text()
    trashed = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"][0]
    wait_for(lambda: not (scene.album.folder / scene.pictures[0]).exists(), "the file to be moved")
    scene.owner.call("RestoreAssets", library=scene.library, identifiers=[trashed["identifier"]])
    foot.get_by_text("3 photos selected").wait_for()
    assert "trash" not in foot.inner_text()


def test_R56_unselectable_photos_stay_selected_after_any_answer(make_scene, browser):
    """Never-share and trashed assets stay in the selection, and the page says so."""
    scene = make_scene(6, introduce=False)
    scene.app.introduce(PHPhotoLibraryPreventAutomaticLimitedAccessAlert=None)
    scene.limit_earlier(0, 1, 2, 3)
    os.chmod(scene.album.folder, 0o770)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        scene.app.call(
            "PerformChanges",
            changes=[{"kind": "delete", "assets": [scene.app.named(scene.pictures[3])["localIdentifier"]]}],
        )
        wait_for(lambda: not (scene.album.folder / scene.pictures[3]).exists(), "the file to be moved")
        never = {"library": scene.library, "selector": {"filename": scene.pictures[2]}}
        scene.owner.call("MarkAssets", **never, neverShare=True)
        window = page.open_window()
        window.get_by_role("button", name="Change selection…").click()
        foot = window.locator(".chooser-foot")
        foot.get_by_text("and 1 in the trash and 1 that is never shared").wait_for()
        assert "2 photos selected" in foot.inner_text()
        window.get_by_role("option").nth(0).click()
        window.get_by_role("option", selected=True).last.click()
        window.get_by_role("button", name="Save 2 photos").click()
        window.get_by_role("dialog").get_by_role("button", name="Save").click()
        window.get_by_text("Nothing is waiting for you").wait_for()
        assert set(scene.app.names()) == {scene.pictures[5], scene.pictures[1]}
        scene.owner.call("MarkAssets", **never, neverShare=False)
        [trashed] = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
        scene.owner.call("RestoreAssets", library=scene.library, identifiers=[trashed["identifier"]])
        wait_for(
            lambda: set(scene.app.names()) == {scene.pictures[n] for n in (5, 3, 2, 1)}, "both, as they were selected"
        )
        assert window.problems == []
    finally:
        page.end()


def test_the_trash_follows_additions_and_removals(scene, window, run_command):
    scene.limit(0, 1)
    os.chmod(scene.album.folder, 0o770)
    known = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Trash").click()
    window.get_by_role("heading", name="Nothing is in the trash").wait_for()
    rows = window.locator("[data-trashed]")
    for count, name in enumerate(scene.pictures[:2], 1):
        scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [known[name]]}])
        wait_for(lambda: rows.count() == count, "what the app deleted")
    wait_for(
        lambda: not any((scene.album.folder / name).exists() for name in scene.pictures[:2]), "the files to be moved"
    )
    first = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"][0]
    last = rows.nth(1).get_by_role("button")
    last.focus()
    run_command("asset", "restore", scene.library, first["identifier"])
    wait_for(lambda: rows.count() == 1, "the one that was brought back to be gone")
    assert rows.get_by_role("button").evaluate("e => e === document.activeElement"), "the focus stays where it was"


def test_rules_edited_elsewhere_appear(scene, window, run_command):
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("heading", name="Rules").wait_for()
    rule = {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "deny"}
    run_command("apply", "-", "--yes", input=json.dumps({"rules": [rule]}))
    row = window.locator("[data-rule=frames]")
    row.wait_for()
    assert "declines" in row.inner_text()
    run_command("apply", "-", "--yes", input=json.dumps({"rules": [{**rule, "answer": "allow"}]}))
    wait_for(lambda: "allows" in row.inner_text(), "the rule's other answer")
    run_command("rule", "remove", scene.library, "frames", "--yes")
    row.wait_for(state="detached")


def test_the_selection_page_follows_marks_and_albums_too(scene, window, run_command):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    window.get_by_role("option").nth(0).click()
    run_command("asset", "mark", scene.library, "--name", scene.pictures[0], "--never-share")
    wait_for(lambda: len(shown_names(window)) == 5, "the one that cannot be chosen any more to be gone")
    run_command("album", "create", scene.library, "Lake", "--name", scene.newest_first[1])
    window.get_by_label("Album", exact=True).wait_for()
    assert window.locator(".tile[aria-selected=true]").count() == 1
    window.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear_request() == "limited" and scene.app.names() == scene.newest_first[:1]


def test_the_number_of_selected_photos_visible_to_an_app_is_shown_and_updated(scene, page, run_command):
    scene.limit(0, 1, 2)
    window, german = page.open_window(), page.open_window(language="de-DE")
    window.get_by_role("link", name="Apps").click()
    german.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text="3 photos").wait_for()
    run_command("asset", "mark", scene.library, "--name", scene.pictures[1], "--hidden")
    window.locator("a.row", has_text="3 selected, 2 of them visible").wait_for()
    german.locator("a.row", has_text="3 ausgewählt, davon 2 sichtbar").wait_for()
    window.locator("a.row").click()
    window.get_by_role("heading", name="3 selected photos").wait_for()
    strip = window.locator(".part-selection .strip img")
    wait_for(lambda: strip.count() == 2, "those that it sees")
    run_command("asset", "mark", scene.library, "--name", scene.pictures[0], "--never-share")
    window.get_by_text("3 selected, 1 of them visible").wait_for()
    wait_for(lambda: strip.count() == 1, "the one that it sees")
    assert strip.first.get_attribute("alt") == scene.pictures[2]
    run_command("grant", "level", scene.library, scene.app.name, "see-and-change", "full-access")
    window.get_by_text("4 photos are visible to it").wait_for()
    run_command("grant", "pause", scene.library, scene.app.name)
    window.get_by_text("Sees nothing while it is paused.").wait_for()
    assert window.problems == [] and german.problems == []


def test_R127_an_app_is_not_listed_as_seeing_a_withdrawn_library(scene, window, run_command):
    scene.allow()
    window.get_by_role("link", name="Apps").click()
    window.locator(".group", has=window.get_by_role("heading", name="Full access")).locator("a.row").wait_for()
    run_command("library", "offer", scene.library, "--remove", str(scene.app.uid))
    row = window.locator(".group", has=window.get_by_role("heading", name="No access")).locator("a.row")
    row.get_by_text("Not offered").wait_for()
    assert window.get_by_role("heading", name="Full access").count() == 0
    row.click()
    window.get_by_text(f"This library is not offered to user {scene.app.uid}").wait_for()
    run_command("--yes", "library", "offer", scene.library, "--add", str(scene.app.uid))
    window.get_by_text(f"This library is not offered to user {scene.app.uid}").wait_for(state="detached")


def test_the_confirmation_of_full_access_closes_with_its_prompt(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Allow all").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text(re.compile("see all 6 photos")).wait_for()
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    dialog.wait_for(state="detached")
    window.locator(".toast").get_by_text("answered elsewhere").wait_for()
    assert scene.app.hear_request() == "denied"


def test_background_requests_do_not_keep_a_page_unlocked(scene, browser):
    scene.limit(0)
    server = pages.Page(scene.broker, scene.owner, browser, "--lock-seconds", "2")
    try:

        def begin():
            host, code = server.address_and_code()
            data = send_request(host, "POST", "/session", headers(host), json.dumps({"code": code}))[1]
            opened = {**headers(host), "X-PhotoBroker-Session": json.loads(data)["session"]}
            return lambda path, body="{}": send_request(host, "POST", path, opened, body)[0].status

        ask = begin()
        reads = {
            "/wait": '{"isHasty":true}',
            "/call/ReadLedger": json.dumps({"library": scene.library}),
            "/call/ListDecisions": "{}",
        }
        assert all(ask(path, body) == 200 for path, body in reads.items())
        wait_for(
            lambda: 401 in [ask(path, body) for path, body in reads.items()], "the page that only asks to be locked"
        )
        assert {ask(path, body) for path, body in reads.items()} == {401} and ask("/touch") == 401
        # The page itself reports activity.
        window = server.open_window()
        with window.expect_request("**/touch"):
            for place in range(10):
                window.mouse.move(300 + place, 300)
                window.wait_for_timeout(50)
        window.get_by_role("heading", name="This page is locked").wait_for()
    finally:
        server.end()
