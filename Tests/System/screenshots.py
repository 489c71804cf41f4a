"""Makes a picture of every page: light and dark, wide and narrow, English and German. Looked at by people, compared with nothing."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import asyncvarlink  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from house.broker import Album, Broker, House  # noqa: E402
from house.page import Page, start_browser  # noqa: E402
from house.pictures import ROOT, real_photographs  # noqa: E402

SUFFIXES = {".jpg", ".jpeg", ".heic", ".avif", ".png"}
LANGUAGES = [("en-GB", "light", (1280, 860)), ("en-GB", "dark", (1280, 860)), ("de-DE", "light", (420, 860))]


def shoot(page, folder, scene, names):
    language, scheme, size = scene
    tag = f"{language[:2]}-{scheme}-{size[0]}"
    window = page.window(language, size, scheme)

    def keep(name):
        window.wait_for_timeout(1500)
        window.screenshot(path=folder / f"{name}-{tag}.png")
        print(folder / f"{name}-{tag}.png")
    window.wait_for_selector("article")
    keep("requests")
    window.locator("[data-answer=select]").first.click()
    window.wait_for_selector("[role=option]")
    for number in (0, 2, 3, 7):
        window.locator("[role=option]").nth(number).click()
    window.wait_for_timeout(6000)
    window.mouse.move(5, 5)
    keep("selection")
    window.keyboard.press("Enter")
    window.wait_for_timeout(1500)
    keep("large")
    window.keyboard.press("Escape")
    window.locator(".chooser-actions .plain").click()
    for path in ("/apps", "/activity", "/libraries"):
        window.locator(f"nav a[data-path='{path}']").click()
        keep(path[1:])
    window.locator("nav a[data-path='/apps']").click()
    window.locator("a.row").first.click()
    window.wait_for_selector(".part-history h2")
    keep("app")


def main():
    folder = pathlib.Path(sys.argv[1])
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
            large = [p for p in sorted(photographs.rglob("*")) if p.suffix.lower() in SUFFIXES and p.stat().st_size > 60_000 and "damaged" not in str(p)]
            for number, path in enumerate(large[:160]):
                album.put(f"{number:03}-{path.name}", path.read_bytes(), path.stat().st_mtime)
        owner.add_library("photos", album.folder, [journal.uid])
        journal.introduce()
        owner.set("photos", journal.name, "limited")
        known = owner.assets("photos")
        owner.call("EditSelection", library="photos", app=journal.name, add={"identifiers": [a["identifier"] for a in known[4:20]]})
        journal.request()
        for asset in journal.fetch()[:6]:
            journal.digest(asset["localIdentifier"])
        asking = broker.app(journal.uid)
        asking.introduce(
            identifier="org.example.framed", name="Framed",
            NSPhotoLibraryUsageDescription="Puts the photos that you choose on the frame in your living room.")
        asking.begin("RequestAuthorization", level="readWrite")
        owner.wait_for_prompt()
        with sync_playwright() as playwright:
            browser = start_browser(playwright)
            page = Page(broker, owner, browser)
            for scene in LANGUAGES:
                shoot(page, folder, scene, known)
            page.end()
            browser.close()
    finally:
        broker.dismiss()
        broker.end()
        house.end()


main()
