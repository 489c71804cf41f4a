"""Every answer to every kind of prompt in a browser, and every real photograph."""

import base64
import os
import shutil
from types import SimpleNamespace

import pytest

from house import page as pages
from house.broker import BROKER, Album, Broker
from house.person import wait_for

KEY = {"PHPhotoLibraryPreventAutomaticLimitedAccessAlert": None}


@pytest.mark.parametrize("answer, status", [("Allow adding", "authorized"), ("Decline", "denied")])
def test_R25_the_add_only_prompt_is_separate_and_shows_no_photos(scene, window, answer, status):
    scene.take_additions()
    scene.app.begin_request("addOnly")
    card = window.get_by_role("article")
    card.get_by_text("Journal would like to add photos").wait_for()
    assert card.get_by_role("button", name="Select photos").count() == 0
    card.get_by_role("button", name=answer).click()
    assert scene.app.hear()["status"] == status
    window.get_by_text("Nothing is waiting for you").wait_for()


def test_R56_a_life_cycle_prompt_is_kept_or_changed_on_the_page(make_scene, browser):
    scene = make_scene(4, introduce=False)
    scene.app.introduce(**KEY)
    scene.limit_earlier(0, 1)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window()
        assert scene.app.names() == [scene.pictures[1], scene.pictures[0]]
        card = window.get_by_role("article")
        card.get_by_text("sees the photos that you chose").wait_for()
        card.get_by_role("button", name="Change selection…").click()
        window.get_by_role("option", selected=True).nth(1).wait_for()
        window.get_by_role("option").nth(0).click()
        # The app's selection is unchanged until the person saves.
        assert len(scene.app.names()) == 2
        window.get_by_role("button", name="Save 3 photos").click()
        wait_for(lambda: len(scene.app.names()) == 3, "the change")
        window.get_by_text("Nothing is waiting for you").wait_for()
        # A new life cycle prompts again, and one click keeps the selection.
        scene.app.new_connection()
        other = scene.broker.app(uid=scene.app.uid)
        other.name, other.own_token, other.token = scene.app.name, scene.app.own_token, scene.app.token
        scene.app.end()
        other.use(other.own_token, other.token)

        def asks_again():
            other.new_connection()
            other.names()
            return scene.owner.prompts()

        wait_for(asks_again, "the question of the next life cycle")
        window.get_by_role("button", name="Keep selection").click()
        window.get_by_text("Nothing is waiting for you").wait_for()
        assert len(other.names()) == 3 and window.problems == []
    finally:
        page.end()


def test_R28_R29_the_prompt_is_in_the_persons_language_with_verified_facts(make_scene, browser):
    scene = make_scene(2, introduce=False)
    scene.app.introduce(localizations={"de": {"NSPhotoLibraryUsageDescription": "Zeigt gewählte Fotos."}})
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        german, english = page.open_window(language="de-AT"), page.open_window()
        scene.app.begin_request()
        for window, words, verified, claimed, user in (
            (german, "Zeigt gewählte Fotos.", "Geprüft", "Eigene Angabe", f"läuft als Benutzer {scene.app.uid}"),
            (
                english,
                "Shows the photos that you choose.",
                "Verified",
                "Says of itself",
                f"runs as user {scene.app.uid}",
            ),
        ):
            card = window.get_by_role("article")
            assert card.locator("blockquote p").inner_text() == words
            facts = card.locator(".facts > div")
            # Facts that the system verifies stand apart from the app's own claims.
            assert user in facts.filter(has_text=verified).inner_text()
            assert "org.example.journal" in facts.filter(has_text=claimed).inner_text()
            assert window.problems == []
        german.get_by_role("button", name="Ablehnen").click()
        assert scene.app.hear_request() == "denied"
    finally:
        page.end()


def test_R62_an_apps_selection_page_is_changed_or_left_alone(scene, window):
    scene.limit(0, 1)
    scene.app.begin("PresentLimitedLibraryPicker")
    window.get_by_text("asks which photos it may see").wait_for()
    window.get_by_role("button", name="Not now").click()
    assert scene.app.hear()["added"] == []
    scene.app.begin("PresentLimitedLibraryPicker")
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    window.get_by_role("option").nth(0).click()
    window.get_by_role("button", name="Save 3 photos").click()
    assert len(scene.app.hear()["added"]) == 1
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1], scene.newest_first[0]}


def test_R22_selecting_by_heading_and_by_shift_is_announced(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    tiles = window.get_by_role("option")
    tiles.nth(5).wait_for()
    read = lambda words: wait_for(lambda: window.locator("#announcer").inner_text() == words, words)
    month = window.get_by_role("button", name="Select all of January 2024")
    month.click()
    read("Selected. 6 photos in all")
    month.click()
    read("Unselected. 0 photos in all")
    tiles.nth(1).click()
    tiles.nth(3).click(modifiers=["Shift"])
    read("Selected. 3 photos in all")


def test_several_prompts_wait_side_by_side_and_are_answered_separately(scene, window):
    others = []
    for number in range(3):
        other = scene.broker.app(uid=scene.app.uid)
        other.introduce(identifier=f"org.example.app-{number}", name=f"App {number}")
        other.begin("RequestAuthorization", level="readWrite")
        others.append(other)
    cards = window.get_by_role("article")
    wait_for(lambda: cards.count() == 3, "the questions")
    cards.filter(has_text="App 1").get_by_role("button", name="Decline").click()
    assert others[1].hear()["status"] == "denied"
    wait_for(lambda: cards.count() == 2, "the others")
    assert not window.get_by_role("article", name="App 1").is_visible()


def test_R59_albums_favourites_days_and_the_large_view_lead_to_a_selection(scene, window):
    scene.owner.call(
        "MarkAssets",
        library=scene.library,
        selector=scene.owner.naming(scene.library, [scene.pictures[3]]),
        favorite=True,
    )
    scene.owner.call(
        "EditOwnedAlbum",
        library=scene.library,
        title="Lake",
        add=scene.owner.naming(scene.library, [scene.pictures[1], scene.pictures[4]]),
    )
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    tiles = window.locator(".tile")
    window.get_by_label("Album", exact=True).select_option(label="Lake (2)")
    wait_for(lambda: tiles.count() == 2, "the album")
    tiles.first.click()
    window.get_by_label("Album", exact=True).select_option(label="All albums")
    window.get_by_role("button", name="Favourites").click()
    wait_for(lambda: tiles.count() == 1, "the favourite")
    tiles.first.hover()
    tiles.first.locator(".tile-zoom").click()
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(scene.pictures[3]).wait_for()
    viewer.get_by_role("button", name="Select").click()
    viewer.get_by_role("button", name="Close").click()
    window.get_by_role("group", name="Show").get_by_role("button", name="All").click()
    window.get_by_role("button", name="Days").click()
    window.get_by_role("button", name="Select all of Saturday, 6 January 2024").click()
    window.get_by_role("button", name="Allow 3 photos").click()
    assert scene.app.hear()["status"] == "limited"
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {
        scene.pictures[3],
        scene.pictures[4],
        scene.pictures[5],
    }


@pytest.fixture(scope="module")
def real(house, photographs):
    """A library of the real photographs, and an app that may request access to it."""
    if not photographs:
        pytest.skip("../shared/photos is not there")
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    owner, app = broker.owner(), broker.app()
    album = Album(house, "real", owner.uid)
    shutil.copytree(photographs, album.folder, dirs_exist_ok=True)
    for path in album.folder.rglob("*"):
        os.chown(path, owner.uid, BROKER)
        path.chmod(0o750 if path.is_dir() else 0o640)
    owner.add_library("real", album.folder, [app.uid])
    app.introduce(name="Mailer")
    yield SimpleNamespace(
        house=house,
        broker=broker,
        owner=owner,
        app=app,
        album=album,
        assets={a["filename"]: a for a in owner.assets("real")},
    )
    broker.end()


@pytest.fixture(scope="module")
def real_page(real, browser):
    page = pages.Page(real.broker, real.owner, browser)
    yield page
    page.end()


def browse(window, count):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    wait_for(lambda: window.locator(f".tile[aria-setsize='{count}']").count(), "the library")


def test_every_real_photo_shows_its_picture_or_its_name(real, real_page):
    count = real.owner.library("real")["assets"]
    window = real_page.open_window(size=(1280, 5000))
    browse(window, count)
    tiles = window.locator(".tile")
    seen = {}
    while len(seen) < count:
        wait_for(lambda: window.locator(".tile:not(.loaded)").count() == 0, "the pictures", 90)
        for at, label, is_blank in tiles.evaluate_all(
            "all => all.map(e => [e.dataset.at, e.getAttribute('aria-label'), e.classList.contains('blank')])"
        ):
            seen[at] = (label, is_blank)
        window.locator(".grid").evaluate("grid => { grid.scrollTop += grid.clientHeight }")
    blank = sorted(label for label, is_blank in seen.values() if is_blank)
    assert len(blank) <= count * 0.1, blank
    assert window.problems == []


# One file of each kind: HEIC, RAW, Live Photo, motion photos, AVIF, rotated ones, and a name in
# another script.
KINDS = [
    "IMG_8062.HEIC",
    "test.dng",
    "IMG_7943.HEIC",
    "sample_MP.heic",
    "pixel-motion-photo-shortened.jpg",
    "paris_icc_exif_xmp.avif",
    "test image öüóőúéáű-.,.jpg",
    "denali.webp",
    "chelsea.png",
]


def test_R75_every_kind_of_photo_is_shown_upright_and_picked(real, real_page):
    window = real_page.open_window(size=(1280, 900))
    real.app.begin("io.photobroker.Picker.Present", selectionLimit=0, ordered=True)
    window.get_by_role("button", name="Pick…").click()
    search, viewer = window.get_by_role("searchbox"), window.locator("dialog.viewer")
    for name in KINDS:
        asset = real.assets[name]
        search.fill(name)
        tile = window.get_by_role("option", name=name)
        wait_for(lambda: window.get_by_role("option").count() == tile.count() > 0, "the photo to be found")
        # A Live Photo's video is not a separate asset.
        assert tile.count() == sum(a == name for a in real.assets) and asset["mediaType"] == "image"
        tile.hover()
        tile.locator(".tile-zoom").click()
        viewer.locator(".viewer-name").get_by_text(name, exact=True).wait_for()
        picture = viewer.locator(".viewer-picture")
        wait_for(
            lambda: (
                picture.evaluate("e => e.complete && Math.max(e.naturalWidth, e.naturalHeight)") > 0
                and not viewer.locator(".viewer-wait").inner_text()
            ),
            f"the picture of {name}",
            60,
        )
        width, height = picture.evaluate("e => [e.naturalWidth, e.naturalHeight]")
        assert abs(width / height - asset["pixelWidth"] / asset["pixelHeight"]) < 0.05, (name, width, height, asset)
        viewer.get_by_role("button", name="Select").click()
        viewer.get_by_role("button", name="Close").click()
    window.get_by_role("button", name=f"Give {len(KINDS)} photos").click()
    results = real.app.hear()["results"]
    assert [result["filename"] for result in results] == KINDS
    whole = next(real.album.folder.rglob(KINDS[0])).read_bytes()
    # A pick has no places: the file's metadata is overwritten, its picture is not.
    offset = len(whole) - 100_000
    piece = real.app.call("io.photobroker.Picker.ReadItem", item=results[0]["item"], offset=offset, length=100_000)
    assert base64.b64decode(piece["data"]) == whole[offset:] and piece["isLast"]
    assert window.problems == []


def test_the_pages_of_owners_pass_an_automated_check_for_accessibility(scene, page):
    from axe_playwright_python.sync_playwright import Axe

    scene.limit(0, 1)
    os.chmod(scene.album.folder, 0o770)
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Lake", add={"last": 2})
    gone = scene.app.fetch()[0]["localIdentifier"]
    scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [gone]}])
    window = page.open_window(bypass_csp=True)
    found = {}

    def check(what):
        window.wait_for_timeout(350)
        if bad := [(v["id"], v["nodes"][0]["html"][:200]) for v in Axe().run(window).response["violations"]]:
            found[what] = bad

    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Offer to others…").click()
    check("offering")
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Trash").click()
    window.locator("[data-trashed]").wait_for()
    check("trash")
    window.go_back()
    window.get_by_role("button", name="Browse").click()
    window.locator(".tile").first.wait_for()
    window.get_by_role("listbox").focus()
    window.keyboard.press("Space")
    window.locator(".marking").wait_for()
    check("marking")
    window.get_by_role("button", name="Add to album…").click()
    check("adding to an album")
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Albums…").click()
    window.locator("[data-album]").wait_for()
    check("albums")
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Close").click()
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("button", name="New rule…").click()
    check("rule")
    assert found == {}
