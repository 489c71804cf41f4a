"""Take a picture of every page: light and dark, wide and narrow, English and German.

The pictures are for people; nothing compares them.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import asyncvarlink
from playwright.sync_api import sync_playwright

from house.broker import Album, Broker, House
from house.page import Page, start_browser
from house.person import as_user, wait_for
from house.pictures import real_photographs
from house.plugins import install_halting

# Publishable photographs, named in Examples/screenshots/ATTRIBUTION.md, each with its age in days.
PHOTOGRAPHS = [
    ("webp/denali.webp", 2),
    ("gps/IMG_9398-2.jpg", 2),
    ("cameras/mongolels.jpg", 3),
    ("png/chelsea.png", 4),
    ("gps/IMG_6263.jpg", 4),
    ("gps/IMG_20180725_163423-tiny.jpg", 6),
    ("sidecar/IMG_5910.jpg", 6),
    ("unicode/fin de journée.jpg", 7),
    ("png/paris_icc_exif_xmp.png", 40),
    ("gps/empty_gps.jpg", 40),
    ("motion/seine_sdr_gainmap_srgb.jpg", 41),
    ("duplicates/IMG_8943.jpg", 42),
]
# Each language, scheme and width occurs with each of the others at least once.
SCENES = [
    ("en-GB", "light", (1400, 900)),
    ("de-DE", "dark", (800, 900)),
    ("de-DE", "light", (320, 720)),
    ("de-DE", "dark", (1400, 900)),
    ("en-GB", "light", (800, 900)),
    ("en-GB", "dark", (320, 720)),
]
# Pictures for the README: the scheme and size of each.
SHOWN = {
    "requests": ("light", (1000, 900)),
    "selection": ("light", (1180, 760)),
    "app": ("dark", (1000, 900)),
    "agent": ("light", (1000, 900)),
}
SHOWN_BYTES = 120_000


def fill(album, photographs):
    now = time.time()
    for number, (name, days) in enumerate(PHOTOGRAPHS):
        small = album.folder.parent / "small.jpg"
        subprocess.run(
            ["vipsthumbnail", photographs / name, "--size", "1600x1600", "-o", f"{small}[Q=88,strip]"], check=True
        )
        album.put(f"IMG_{2041 - number}.jpg", small.read_bytes(), now - days * 86_400 - number * 5_000)
        small.unlink()


def chosen(scenes):
    """Return the scenes with the given tags, such as de-dark-800; without tags, all of them."""
    wanted = [argument for argument in sys.argv[2:] if not argument.startswith("--")]
    known = [tag(scene) for scene in scenes]
    if unknown := [name for name in wanted if name not in known]:
        raise SystemExit(f"no scene is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [scene for scene in scenes if not wanted or tag(scene) in wanted]


def tag(scene):
    language, scheme, size = scene
    return f"{language[:2]}-{scheme}-{size[0]}"


def click_alone(window, number):
    """Select a photo, after a pause, since two quick clicks count as a double click."""
    window.wait_for_timeout(600)
    tile = window.locator(f"[data-at='{number}']")
    # A narrow window has no tiles for photos far below.
    if tile.count():
        tile.click()


def cancel(window):
    """Leave an unsaved selection, and confirm the page's question."""
    window.locator(".chooser-actions .plain").click()
    window.locator("dialog .primary").click()
    window.locator(".chooser").wait_for(state="detached")


def camera(page, folder, scene):
    """Return a window and a function that takes its picture."""
    language, scheme, size = scene
    window = page.open_window(language, size, scheme)

    def keep(name, whole=False):
        window.wait_for_timeout(900)
        target = folder / f"{name}-{tag(scene)}.png"
        window.screenshot(path=target, full_page=whole)
        print(target, flush=True)

    return window, keep


def shoot(page, folder, scene):
    window, keep = camera(page, folder, scene)
    window.mailer = page.mailer
    window.wait_for_selector("article")
    keep("requests", True)
    window.locator("[data-answer=allow]").first.click()
    keep("allow-all")
    window.keyboard.press("Escape")
    window.locator("article", has_text="Framed").locator("[data-answer=select]").click()
    window.wait_for_selector("[role=option]")
    for number in (0, 2, 3, 7):
        click_alone(window, number)
    window.locator(".grid").evaluate("grid => grid.scrollTo(0, 0)")
    wait_for(lambda: window.locator(".tile:not(.loaded)").count() == 0, "the pictures")
    window.mouse.move(5, 5)
    keep("selection")
    window.locator(".tab").nth(3).click()
    keep("selected-only")
    window.locator(".tab").nth(0).click()
    window.locator(".search input").fill("nowhere")
    keep("nothing-found")
    window.locator(".search input").fill("")
    window.locator("[role=option]").first.wait_for()
    window.locator(".grid-list").focus()
    window.keyboard.press("Home")
    window.keyboard.press("Enter")
    window.wait_for_selector("dialog.viewer")
    keep("large")
    window.keyboard.press("Escape")
    cancel(window)
    for path in ("/apps", "/activity", "/libraries"):
        window.locator(f"nav a[data-path='{path}']").click()
        keep(path[1:], True)
    shoot_owner(window, keep)
    shoot_app(window, keep)
    window.locator("nav a[data-path='/activity']").click()
    window.locator(".tab").nth(1).click()
    window.wait_for_selector("[data-decision]")
    keep("decisions", True)
    window.locator("nav a[data-path='/']").click()
    window.locator("article", has_text="Mailer").locator("button.primary").click()
    window.wait_for_selector("[role=option]")
    for number in (1, 4, 2):
        click_alone(window, number)
    window.mouse.move(5, 5)
    keep("picker")
    cancel(window)
    wait_for(lambda: ask_to_pick(window.mailer), "the next picker")
    window.locator("nav a[data-path='/libraries']").click()
    window.locator("article .primary").first.click()
    window.locator(".tab").nth(2).click()
    window.locator("[role=option]").first.dblclick()
    keep("film")
    window.locator(".film-play").click()
    window.wait_for_selector("video")
    keep("film-playing")
    window.keyboard.press("Escape")
    window.locator(".chooser-actions .plain").last.click()
    window.route("**/wait", lambda route: route.abort())
    window.wait_for_selector(".banner")
    keep("away")
    window.locator(".top .round").click()
    keep("locked")


def shoot_empty(page, folder, scene):
    """Show the pages of an owner without a library or requests."""
    window, keep = camera(page, folder, scene)
    for path in ("/", "/apps", "/activity", "/libraries"):
        window.locator(f"nav a[data-path='{path}']").click()
        keep(f"empty-{path[1:] or 'requests'}", True)


def shoot_app(window, keep):
    window.locator("nav a[data-path='/apps']").click()
    window.locator("a.row", has_text="Journal").first.click()
    window.wait_for_selector(".part-history h2")
    keep("app", True)
    window.locator(".part-head .danger").click()
    keep("revoke")
    window.keyboard.press("Escape")
    window.locator(".part-selection .primary").click()
    window.locator("[role=option][aria-selected=true]").first.wait_for()
    for number in (0, 1, 2):
        click_alone(window, number)
    keep("change")
    window.locator(".chooser-actions .primary").click()
    keep("review")
    window.keyboard.press("Escape")
    cancel(window)
    window.locator(".part-selection .plain").click()
    window.wait_for_selector("[role=option]")
    keep("sees")
    window.locator(".chooser-actions .plain").click()
    window.locator("nav a[data-path='/apps']").click()
    window.locator("a.row", has_text="Wallpaper").click()
    window.wait_for_selector(".part-history h2")
    keep("app-full", True)


def shoot_owner(window, keep):
    """Show an owner's pages that concern no single app."""
    window.locator("article.library .actions .plain").nth(1).click()
    keep("offering")
    window.keyboard.press("Escape")
    window.locator("article.library .actions .plain").nth(2).click()
    window.wait_for_selector("[data-trashed]")
    keep("trash", True)
    window.locator(".back").click()
    window.wait_for_selector("[role=option]")
    for key in ("Space", "Shift+ArrowRight", "Shift+ArrowRight"):
        window.keyboard.press(key)
    keep("marking")
    window.locator(".marking .actions .plain").nth(3).click()
    keep("add-to-album")
    window.keyboard.press("Escape")
    window.locator(".chooser-actions .plain").first.click()
    window.wait_for_selector("[data-album]")
    keep("albums")
    window.keyboard.press("Escape")
    window.locator(".chooser-actions .plain").last.click()
    window.locator("nav a[data-path='/apps']").click()
    window.locator(".group .panel-head .plain").click()
    keep("rule")
    window.keyboard.press("Escape")


def prepare_states(broker, owner):
    """Prepare an administrator with offers and with libraries in different states."""
    steward, diary = broker.owner(), broker.app()
    broker.photobroker(0, "administrator", "add", str(steward.uid))
    owner.call("OfferLibrary", name="photos", add=[steward.uid])
    for name in ("camera", "arriving", "disk"):
        album = Album(broker.house, name, steward.uid)
        album.fill(40)
        if name == "arriving":
            (album.folder / "picture-025.jpg.halt").write_text("")
            steward.call(
                "AddLibrary", name=name, backend=install_halting(broker.house), options={"path": str(album.folder)}
            )
        else:
            steward.add_library(name, album.folder, [diary.uid], 40)
    album.folder.rename(album.folder.with_name("disk-away"))
    steward.call("RescanLibrary", name="disk")
    wait_for(lambda: steward.library("disk")["state"] == "offline", "the disk to be missed")
    diary.introduce("org.example.diary", name="Diary", PHPhotoLibraryPreventAutomaticLimitedAccessAlert=None)
    entry = {"library": "camera", "app": diary.name, "level": "readWrite", "status": "limited"}
    steward.call("Apply", grants=[{**entry, "select": [{"last": 12}]}])
    diary.request(library="camera")
    diary.names()
    steward.wait_for_prompt("keepSelection")
    return steward


def shoot_states(page, folder, scene):
    window, keep = camera(page, folder, scene)
    window.wait_for_selector("article")
    keep("keep-or-change", True)
    window.locator("nav a[data-path='/libraries']").click()
    window.wait_for_selector("[data-offer]")
    window.wait_for_selector("[data-plugin]")
    keep("libraries-states", True)
    window.locator("[data-offer] button").first.click()
    keep("decline")


def introduce_others(broker, owner, uid):
    for name, level, status in [
        ("Wallpaper", "readWrite", "authorized"),
        ("Scanner", "addOnly", "authorized"),
        ("Cleaner", "readWrite", "denied"),
    ]:
        app = broker.app(uid)
        app.introduce(identifier=f"org.example.{name.lower()}", name=name)
        owner.set("photos", app.name, status, level=level)
    notes = broker.app(uid)
    notes.introduce(identifier="org.example.notes", name="Notes")
    notes.begin("io.photobroker.Picker.Present", selectionLimit=2)
    picker = wait_for(lambda: owner.call("ListPickers")["pickers"], "the picker")[0]
    owner.call(
        "AnswerPicker", picker=picker["picker"], assets=[asset["identifier"] for asset in owner.assets("photos")[:2]]
    )
    scanner = broker.app(uid)
    scanner.introduce(
        identifier="org.example.scan", name="Scan", NSPhotoLibraryAddUsageDescription="Saves what you scan."
    )
    scanner.begin("RequestAuthorization", level="addOnly")


def ask_to_pick(app):
    """Open a picker once the previous one is answered; return whether one was opened."""
    if app.waiting and not app.has_answered():
        return False
    if app.waiting:
        app.hear()
    app.begin("io.photobroker.Picker.Present", selectionLimit=0, ordered=True)
    return True


def use_agent(broker, owner, user):
    """Let an agent's server ask for photos and look at two of them, as its model would."""
    home = broker.house.make_folder(f"agent-{broker.house.fresh_uid()}", user)
    command = [broker.programs / "photobroker", "mcp", "--app-socket", broker.app_socket]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(as_user(user, command), env=environment, cwd="/", **pipes) as server:

        def send(number, method, **parameters):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            print(json.dumps(message), file=server.stdin, flush=True)

        def call(number, tool, **arguments):
            send(number, "tools/call", name=tool, arguments=arguments)
            return json.loads(server.stdout.readline())["result"]["content"][0]

        client = {"name": "Trip Planner", "version": "1"}
        send(0, "initialize", protocolVersion="2025-11-25", clientInfo=client, capabilities={})
        server.stdout.readline()
        call(1, "ask_for_access", wait_seconds=0)
        owner.answer(owner.wait_for_prompt(), "select", selector={"last": 12})
        photos = json.loads(call(2, "list_photos")["text"])["photos"]
        for number, photo in enumerate(photos[:2]):
            call(3 + number, "look", photo=photo["id"])
        server.stdin.close()


def shoot_readme(page, folder):
    for name, (scheme, size) in SHOWN.items():
        window = page.open_window("en-GB", size, scheme, device_scale_factor=2)
        window.wait_for_selector("article")
        if name == "selection":
            window.locator("[data-answer=select]").click()
            window.wait_for_selector("[role=option]")
            for number in (0, 1, 4, 6):
                window.locator("[role=option]").nth(number).click()
            window.mouse.move(5, 5)
        elif name in ("app", "agent"):
            window.locator("nav a[data-path='/apps']").click()
            window.locator("a.row", has_text="Journal" if name == "app" else "Trip Planner").first.click()
            window.wait_for_selector(".part-history h2")
        window.evaluate("() => document.activeElement.blur()")
        window.wait_for_timeout(5000)
        window.screenshot(path=folder / "whole.png")
        target = folder / f"{name}.jpg"
        for quality in range(86, 40, -6):
            subprocess.run(
                [
                    "vipsthumbnail",
                    folder / "whole.png",
                    "--size",
                    f"{size[0]}x",
                    "-o",
                    f"{target}[Q={quality},strip,optimize_coding]",
                ],
                check=True,
            )
            if target.stat().st_size < SHOWN_BYTES:
                break
        (folder / "whole.png").unlink()
        print(target, target.stat().st_size)


def main():
    scenes = chosen(SCENES)
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(exist_ok=True)
    bin = pathlib.Path(os.environ["PHOTOBROKER_BIN"]).resolve()
    house = House(bin, pathlib.Path(asyncvarlink.__file__).parents[1])
    broker = Broker(house).start()
    try:
        owner, journal = broker.owner(), broker.app()
        album = Album(house, "photos", owner.uid)
        photographs = real_photographs()
        if photographs is None:
            album.fill(60)
        else:
            fill(album, photographs)
            if "--readme" not in sys.argv:
                album.put("lake.mp4", (photographs / "video/sample_portrait.mp4").read_bytes(), 1_700_000_000)
        # As after `library open`: apps may delete what the owner lets them.
        album.folder.chmod(0o770)
        album.let_broker_add()
        owner.add_library("photos", album.folder, [journal.uid])
        journal.introduce()
        owner.set("photos", journal.name, "limited")
        known = owner.assets("photos")
        owner.call(
            "EditSelection",
            library="photos",
            app=journal.name,
            add={"identifiers": [a["identifier"] for a in known[1:9]]},
        )
        journal.request()
        for asset in journal.fetch()[:6]:
            journal.digest(asset["localIdentifier"])
        if "--readme" not in sys.argv:
            os.chmod(album.folder, 0o770)
            gone = [asset["localIdentifier"] for asset in journal.fetch()[-2:]]
            journal.call("PerformChanges", changes=[{"kind": "delete", "assets": gone}])
            owner.call("EditOwnedAlbum", library="photos", title="On the road", add={"last": 4})
        owner.call(
            "Apply",
            rules=[
                {
                    "library": "photos",
                    "name": "frames",
                    "uid": journal.uid,
                    "identifier": "org.example.frames",
                    "level": "readWrite",
                    "answer": "deny",
                }
            ],
        )
        if "--readme" in sys.argv:
            use_agent(broker, owner, journal.uid)
        asking = broker.app(journal.uid)
        asking.introduce(
            identifier="org.example.framed",
            name="Framed",
            NSPhotoLibraryUsageDescription="Puts the photos that you choose on the frame in your living room.",
        )
        asking.begin("RequestAuthorization", level="readWrite")
        owner.wait_for_prompt()
        with sync_playwright() as playwright:
            browser = start_browser(playwright, house)
            page = Page(broker, owner, browser)
            if "--readme" in sys.argv:
                shoot_readme(page, folder)
            else:
                introduce_others(broker, owner, journal.uid)
                nobody = Page(broker, broker.owner(), browser)
                steward = Page(broker, prepare_states(broker, owner), browser)
                page.mailer = broker.app(journal.uid)
                page.mailer.introduce(identifier="org.example.mailer", name="Mailer")
                ask_to_pick(page.mailer)
                for scene in scenes:
                    shoot(page, folder, scene)
                    shoot_empty(nobody, folder, scene)
                    shoot_states(steward, folder, scene)
                nobody.end()
                steward.end()
            page.end()
            browser.close()
    finally:
        broker.dismiss()
        broker.end()
        house.end()


main()
