"""Folders, co-owners and plugins that are added on the page."""

import contextlib
import os
import re
import shlex

import pytest

from house import page as pages
from house.broker import Album
from house.page_focus import tab_to
from house.page_layout import CUT_OFF, OVERLAPPING, is_wider_than_its_window
from house.person import wait_for
from house.plugins import write_program

NARROW = (390, 800)
DESCRIBES = (
    'channel.sendall(json.dumps({"parameters": {"kit": 1, "plugins": '
    '[{"protocol": "storage", "name": "odd", "summary": "Odd.", "options": []}]}}).encode() + b"\\0")'
)


def check_layout(window):
    assert not is_wider_than_its_window(window)
    assert window.evaluate(CUT_OFF) == [] and window.evaluate(OVERLAPPING) == []


def check_accessibility(window):
    from axe_playwright_python.sync_playwright import Axe

    window.wait_for_timeout(350)
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in Axe().run(window).response["violations"]] == []


# Presses the answer of each question in the same turn of the event loop in which it appears.
PRESSES_EARLY = """() => {
  window.pressed = []
  new MutationObserver(() => {
    for (const button of document.querySelectorAll('dialog .actions button[aria-disabled]')) {
      if (window.pressed.includes(button)) continue
      window.pressed.push(button)
      button.click()
    }
  }).observe(document.body, { subtree: true, childList: true })
}"""


def open_window(page, **options):
    window = page.open_window(**options)
    window.evaluate(PRESSES_EARLY)
    return window


def confirm(button):
    """Press the answer of a question, which took no press when it appeared."""
    button.wait_for()
    assert button.evaluate("button => window.pressed.includes(button)")
    wait_for(lambda: button.get_attribute("aria-disabled") is None, "the answer to take a press")
    button.click()


@pytest.fixture
def newcomer(broker, browser):
    """An owner without a library, whose desktop names a folder of pictures, and their page."""
    owner = broker.owner()
    album = Album(broker.house, f"bilder-{owner.uid}", owner.uid)
    album.fill(3)
    album.put("words.jpg", b"no picture at all")
    home = broker.house.make_folder(f"home-{owner.uid}", owner.uid, mode=0o755)
    (home / ".config").mkdir()
    (home / ".config/user-dirs.dirs").write_text(f'# Written by a desktop\nXDG_PICTURES_DIR="{album.folder}"\n')
    with pages.Page(broker, owner, browser, HOME=str(home), TZ="Europe/Zurich") as page:
        yield owner, album, page


def wait_for_proposal(folder, album):
    wait_for(lambda: folder.input_value() == str(album.folder), "the desktop's folder")


def test_a_first_run_leads_through_adding_a_folder_by_keyboard(newcomer):
    owner, album, page = newcomer
    window = open_window(page, language="de-DE", size=NARROW, bypass_csp=True)
    window.get_by_role("heading", name="Noch keine Mediathek").wait_for()
    wait_for_proposal(window.get_by_role("textbox", name="Ordner"), album)
    name = window.get_by_role("textbox", name="Name der Mediathek")
    assert name.input_value() == "photos"
    check_layout(window)
    check_accessibility(window)
    tab_to(window, name)
    window.keyboard.press("Control+a")
    window.keyboard.type(f"fotos-{owner.uid}")
    window.keyboard.press("Enter")
    dialog = window.get_by_role("dialog", name=f"Diesen Ordner als „fotos-{owner.uid}“ unter den Broker stellen?")
    dialog.get_by_text(str(album.folder)).wait_for()
    check_accessibility(window)
    # Nothing is added before the answer.
    assert owner.call("ListLibraries")["libraries"] == []
    add = dialog.get_by_role("button", name="Hinzufügen")
    assert add.evaluate("button => window.pressed.includes(button)")
    wait_for(lambda: add.get_attribute("aria-disabled") is None, "the answer to take a key")
    tab_to(window, add)
    window.keyboard.press("Enter")
    window.wait_for_url(f"**/#/photos/fotos-{owner.uid}")
    wait_for(lambda: window.get_by_role("option").count() == 3, "the pictures")
    library = owner.wait_for_library(f"fotos-{owner.uid}", 3)
    # As the command line adds it: for the owner alone, in the time zone of this machine's user.
    assert library["offeredTo"] == [owner.uid] and library["coOwners"] == [] and library["backend"] == "directory"
    assert library["options"] == {"path": str(album.folder)} and library["timeZone"] == "Europe/Zurich"
    assert owner.newest_decision()["action"] == "add" and owner.newest_decision()["undoable"]
    assert window.problems == []


def test_the_page_follows_the_indexing_of_a_new_folder(newcomer):
    from playwright.sync_api import Error

    owner, album, page = newcomer
    window = open_window(page)
    name = f"photos-{owner.uid}"
    # The library stays in the middle of its indexing until a later change.
    held = [{"state": "indexing", "toIndex": 40, "indexed": 10, "assets": 9, "skipped": 1}]

    def hold(route):
        # The window closes during a call that waits for changes.
        with contextlib.suppress(Error):
            response = route.fetch()
            told = response.json()
            for library in (told.get("libraries") or {}).get("libraries", []):
                for facts in held:
                    library.update(facts)
            route.fulfill(response=response, json=told)

    window.route("**/wait", hold)
    # The call that waits already would tell of the library as it is.
    window.reload()
    window.evaluate(PRESSES_EARLY)
    wait_for_proposal(window.get_by_role("textbox", name="Folder"), album)
    window.get_by_role("textbox", name="Name of the library").fill(name)
    window.get_by_role("button", name="Add", exact=True).click()
    confirm(window.get_by_role("dialog").get_by_role("button", name="Add"))
    dialog = window.get_by_role("dialog", name=f"Reading “{name}”")
    dialog.get_by_text("25%, 10 of 40 files").wait_for()
    dialog.get_by_text("9 photos · 1 file skipped").wait_for()
    held.clear()
    album.add(3)
    window.wait_for_url(f"**/#/photos/{name}")
    assert window.problems == []
    window.unroute_all(behavior="ignoreErrors")


def test_folders_that_cannot_be_added_are_refused_in_plain_words(newcomer, broker):
    owner, album, page = newcomer
    other = broker.owner()
    theirs = Album(broker.house, f"theirs-{other.uid}", other.uid)
    theirs.fill(1)
    taken = f"taken-{other.uid}"
    other.add_library(taken, theirs.folder, [], 1)
    shown = broker.house.make_folder(f"shown-{other.uid}", other.uid, mode=0o755)
    window = open_window(page)
    path, name = window.get_by_role("textbox", name="Folder"), window.get_by_role("textbox", name="Name of the library")
    wait_for_proposal(path, album)
    status = window.locator(".folder-form .status")
    button = window.get_by_role("button", name="Add", exact=True)
    own = f"photos-{owner.uid}"
    for typed, called, words, wrong in (
        ("", own, "Type the whole path of a folder", path),
        ("Pictures", own, "Type the whole path of a folder", path),
        ("~root", own, "Type the whole path of a folder", path),
        ("/nowhere", own, "There is no such folder on this machine", path),
        ("/" + "x" * 5_000, own, "There is no such folder on this machine", path),
        (str(album.folder / "words.jpg"), own, "There is no such folder on this machine", path),
        (str(theirs.folder), own, "This folder is closed to you", path),
        (str(album.folder), "", "A library’s name has up to 64", name),
        (str(album.folder), "My photos", "A library’s name has up to 64", name),
    ):
        path.fill(typed)
        name.fill(called)
        button.click()
        status.get_by_text(words).wait_for()
        wait_for(lambda: wrong.evaluate("e => e === document.activeElement"), f"the focus after {typed[:20]}")
        assert window.get_by_role("dialog").count() == 0
    for typed, called, words, wrong in (
        (str(shown), own, f"does not belong to its owner, user {owner.uid}", path),
        (str(album.folder), taken, "A library has this name already", name),
    ):
        path.fill(typed)
        name.fill(called)
        button.click()
        confirm(window.get_by_role("dialog").get_by_role("button", name="Add"))
        status.get_by_text(words).wait_for()
        wait_for(lambda: wrong.evaluate("e => e === document.activeElement"), f"the focus after {typed[:20]}")
    # A question that is answered by Back adds nothing.
    name.fill(own)
    button.click()
    window.get_by_role("dialog").get_by_role("button", name="Back").click()
    assert owner.call("ListLibraries")["libraries"] == [] and window.problems == []


def closed_folder(newcomer, broker):
    """A folder with a picture that only its owner can read."""
    owner, album, _ = newcomer
    closed = broker.house.make_folder(f"it's closed-{owner.uid}", owner.uid)
    os.link(album.folder / "picture-000.jpg", closed / "picture.jpg")
    (album.folder / "picture-000.jpg").unlink()
    os.chown(closed / "picture.jpg", owner.uid, owner.uid)
    return closed


def add_closed(window, owner, closed):
    window.get_by_role("textbox", name="Folder").fill(str(closed))
    window.get_by_role("textbox", name="Name of the library").fill(f"photos-{owner.uid}")
    window.get_by_role("button", name="Add", exact=True).click()
    confirm(window.get_by_role("dialog").get_by_role("button", name="Add"))
    return window.get_by_role("dialog", name="Let the broker read this folder?")


def test_the_page_lets_the_broker_into_a_closed_folder(newcomer, broker):
    owner, _, page = newcomer
    closed = closed_folder(newcomer, broker)
    window = open_window(page, size=NARROW, bypass_csp=True)
    dialog = add_closed(window, owner, closed)
    dialog.get_by_text(str(closed)).wait_for()
    check_layout(window)
    check_accessibility(window)
    confirm(dialog.get_by_role("button", name="Let it read"))
    window.get_by_role("option", name="picture.jpg").first.wait_for()
    assert [a["filename"] for a in owner.assets(f"photos-{owner.uid}")] == ["picture.jpg"]
    assert window.problems == []


def test_a_folder_that_stays_closed_comes_with_the_command_that_opens_it(newcomer, broker):
    owner, _, page = newcomer
    window = open_window(page, size=NARROW)
    add_closed(window, owner, closed_folder(newcomer, broker)).get_by_role("button", name="Back").click()
    status = window.locator(".folder-form .status")
    status.get_by_text("The broker could not read this folder. It runs as a user of its own").wait_for()
    check_layout(window)
    program, *words = shlex.split(status.locator("code").inner_text())
    assert program == "photobroker"
    broker.photobroker(owner.uid, *words, "--yes", "--wait")
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=f"photos-{owner.uid}")
    card.get_by_text("1 photo ·").first.wait_for()
    assert window.problems == []


def test_a_second_folder_is_added_from_libraries_and_no_folder_twice(scene, page):
    window = open_window(page)
    album = Album(scene.house, f"more-{scene.owner.uid}", scene.owner.uid)
    album.fill(2)
    link = album.folder.parent / f"link-{scene.owner.uid}"
    link.symlink_to(scene.album.folder)
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Add a folder…").click()
    dialog = window.get_by_role("dialog", name="Put a folder of photos under the broker")
    path = dialog.get_by_role("textbox", name="Folder")
    dialog.get_by_role("textbox", name="Name of the library").fill(f"more-{scene.owner.uid}")
    for same in (scene.album.folder, link, f"{scene.album.folder}/../{link.name}/"):
        path.fill(str(same))
        dialog.get_by_role("button", name="Add").click()
        dialog.get_by_text(f"This folder is your library “{scene.library}” already.").wait_for()
        path.fill("")
        dialog.get_by_role("button", name="Add").click()
        dialog.get_by_text("Type the whole path").wait_for()
    path.fill(str(album.folder))
    dialog.get_by_role("button", name="Add").click()
    confirm(window.get_by_role("dialog", name=re.compile("Put this folder")).get_by_role("button", name="Add"))
    window.wait_for_url(f"**/#/photos/more-{scene.owner.uid}")
    scene.owner.wait_for_library(f"more-{scene.owner.uid}", 2)
    window.get_by_role("button", name="Close").click()
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    window.get_by_role("button", name=re.compile("^Undo: Added the library")).first.click()
    wait_for(lambda: scene.owner.library(f"more-{scene.owner.uid}") is None, "the library to be gone again")
    assert window.problems == []


def test_R126_co_owners_are_named_withdrawn_and_restored_on_the_page(scene, page, browser):
    other, former = scene.broker.owner(), scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[former.uid])
    former.call("AnswerOffer", library=scene.library, accept=True)

    def co_owners():
        return scene.owner.library(scene.library)["coOwners"]

    window = open_window(page, size=NARROW, bypass_csp=True)
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Co-owners…").click()
    dialog = window.get_by_role("dialog", name=f"Who decides in “{scene.library}” beside you?")
    typed = dialog.get_by_role("textbox", name="User name or number")
    for name, words in (
        ("no-such-user", "This machine has no user no-such-user."),
        ("x" * 64, f"This machine has no user {'x' * 64}."),
        ("-1", "This machine has no user -1."),
        ("4294967295", "This machine has no user 4294967295."),
        (str(scene.owner.uid), f"User {scene.owner.uid} is the owner already."),
    ):
        typed.fill(name)
        dialog.get_by_role("button", name="Add").click()
        dialog.get_by_text(words).wait_for()
    typed.fill(str(other.uid))
    dialog.get_by_role("button", name="Add").click()
    row = dialog.locator(f"[data-user='{other.uid}']")
    row.wait_for()
    # Root, as on the command line, is a user like others.
    typed.fill("root")
    dialog.get_by_role("button", name="Add").click()
    dialog.locator("[data-user='0']").get_by_text("user 0 (root)").wait_for()
    check_layout(window)
    check_accessibility(window)
    for uid in (0, former.uid):
        remove = dialog.get_by_role("button", name=re.compile(rf"^Remove: user {uid}\b"))
        wait_for(lambda: remove.get_attribute("aria-disabled") is None, "the row to take a press")
        remove.click()
        remove.wait_for(state="detached")
    dialog.get_by_role("button", name="Save").click()
    meant = window.get_by_role("dialog", name=f"Change the co-owners of “{scene.library}”?")
    meant.get_by_text(f"until you remove them: user {other.uid}").wait_for()
    meant.get_by_text(f"at once: user {former.uid}").wait_for()
    check_accessibility(window)
    assert co_owners() == [former.uid]
    meant.get_by_role("button", name="Back").click()
    dialog.get_by_role("button", name="Save").click()
    confirm(meant.get_by_role("button", name="Save"))
    wait_for(lambda: co_owners() == [other.uid], "the new co-owner")
    assert other.library(scene.library) is None and former.library(scene.library) is None
    # The named user accepts, and leaves again, on a page of their own.
    with pages.Page(scene.broker, other, browser) as theirs:
        offered = theirs.open_window()
        offered.get_by_role("link", name="Libraries").click()
        row = offered.locator(f"[data-offer={scene.library}]")
        row.get_by_role("button", name="Accept").click()
        offered.get_by_role("article", name=scene.library).wait_for()
        assert offered.get_by_role("button", name="Co-owners…").count() == 0, "they choose nobody"
        row.get_by_role("button", name="Decline").click()
        offered.get_by_role("dialog").get_by_role("button", name="Decline").click()
        offered.get_by_role("article", name=scene.library).wait_for(state="detached")
        assert offered.problems == []
    card = window.get_by_role("article", name=scene.library)
    card.get_by_text(f"Declined being co-owners: user {other.uid}").wait_for()
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    window.get_by_role("button", name=re.compile("^Undo: Changed who decides")).first.click()
    wait_for(lambda: co_owners() == [former.uid], "the earlier co-owner")
    assert former.library(scene.library), "who had accepted"
    assert window.problems == []


def test_a_co_owner_is_told_of_the_owners_decision(scene, page):
    window = open_window(page, language="de-DE")
    window.get_by_role("link", name="Mediatheken").click()
    window.get_by_role("button", name="Miteigentümer …").click()
    other = scene.broker.owner()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Benutzername oder -nummer").fill(str(other.uid))
    dialog.get_by_role("button", name="Sichern").click()
    confirm(window.get_by_role("dialog", name=re.compile("ändern")).get_by_role("button", name="Sichern"))
    wait_for(lambda: scene.owner.library(scene.library)["coOwners"] == [other.uid], "the co-owner")
    other.call("AnswerOffer", library=scene.library, accept=True)
    told = other.call("ListDecisions", library=scene.library)["decisions"]
    assert any(d["action"] == "delegate" and d["actor"] == scene.owner.uid for d in told)
    window.locator(".toast").get_by_role("button", name="Rückgängig").click()
    wait_for(lambda: scene.owner.library(scene.library)["coOwners"] == [], "the decision to be taken back")
    assert window.problems == []


def test_root_installs_and_removes_a_plugin_on_the_page(own_broker, browser):
    root = own_broker.owner(0)
    house = own_broker.house
    folder = house.make_folder(f"plugins-{house.fresh_uid()}", 0, mode=0o755)
    path = write_program(folder / "odd.plugin", DESCRIBES)

    def installed():
        return [p["name"] for p in root.call("ListPlugins")["plugins"] if p["origin"] == "installed"]

    with pages.Page(own_broker, root, browser) as page:
        window = open_window(page, size=NARROW, bypass_csp=True)
        window.get_by_role("link", name="Libraries").click()
        typed = window.get_by_role("textbox", name="Path of a plugin’s file")
        button, panel = window.get_by_role("button", name="Install…"), window.locator("section.panel:not(.part-offers)")
        typed.wait_for()
        check_layout(window)
        check_accessibility(window)
        open_to_all = write_program(
            house.make_folder(f"open-{house.fresh_uid()}", 0, mode=0o777) / "odd.plugin", DESCRIBES
        )
        stranger = own_broker.owner().uid
        theirs = write_program(house.make_folder(f"theirs-{stranger}", stranger, mode=0o755) / "odd.plugin", DESCRIBES)
        os.chown(theirs, stranger, stranger)
        broken = write_program(folder / "broken.plugin", "import sys; sys.exit('I do not want to')")
        for text, words in (
            ("", "Type the whole path of a file"),
            ("odd.plugin", "Type the whole path of a file"),
            ("/" + "x" * 5_000, "There is no such file"),
            (str(folder), "There is no such file"),
            ("/etc/passwd", "libNAME.so or NAME.plugin"),
            (str(open_to_all), "go-w"),
            (str(theirs), "belongs to user"),
            (str(broken), "I do not want to"),
        ):
            typed.fill(text)
            button.click()
            panel.locator(".status").get_by_text(words).wait_for()
        assert installed() == []
        typed.fill(str(path))
        typed.press("Enter")
        dialog = window.get_by_role("dialog", name="Install “odd”?")
        dialog.get_by_text("Its processes run as the broker’s user").wait_for()
        dialog.get_by_text("odd", exact=True).wait_for()
        check_accessibility(window)
        assert installed() == []
        confirm(dialog.get_by_role("button", name="Install…"))
        row = window.locator("[data-plugin=odd]")
        row.get_by_text("Works", exact=True).wait_for()
        assert installed() == ["odd"]
        # Its latest events are there; bundled plugins are not removed.
        row.get_by_text("Events and errors").click()
        row.locator("details li").first.wait_for()
        assert window.locator("[data-plugin=directory]").get_by_role("button").count() == 0
        check_layout(window)
        row.get_by_role("button", name="Remove: odd").click()
        confirm(window.get_by_role("dialog", name="Remove “odd”?").get_by_role("button", name="Remove"))
        row.wait_for(state="detached")
        assert installed() == [] and window.problems == []


def test_administrators_and_owners_get_no_control_of_plugins(scene, browser, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_text("All that are installed are listed for administrators.").wait_for()
    assert window.get_by_role("button", name="Install…").count() == 0
    steward = scene.broker.owner()
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    try:
        with pages.Page(scene.broker, steward, browser) as page:
            theirs = page.open_window()
            theirs.get_by_role("link", name="Libraries").click()
            theirs.locator("[data-plugin=directory]").wait_for()
            assert theirs.get_by_role("button", name="Install…").count() == 0
            assert theirs.get_by_text("Events and errors").count() == 0
            assert not [url for url in theirs.requests if url.endswith("/ReadPluginLog")]
    finally:
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")
