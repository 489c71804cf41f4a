"""The owner's page in a browser over a large library, and fresh thumbnails against vipsthumbnail.
Run by scripts/bench-page."""

import argparse
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/System"))
from house.broker import Broker, House  # noqa: E402
from house.made import make  # noqa: E402
from house.page import Page, missing_requirement, start_browser  # noqa: E402

# Runs in the page. In every frame it samples 8 times 6 points of the grid, and counts the photos'
# tiles there and the tiles with a loaded picture.
SAMPLER = """
() => {
  const grid = document.querySelector('.grid')
  const seen = { frames: 0, late: 0, longest: 0, blank: 0, bare: 0, places: 0, pictures: 0, from: performance.now() }
  let before
  // After the frame was drawn: what it shows.
  const after = new MessageChannel()
  after.port1.onmessage = () => look()
  const frame = now => {
    if (!window.sampled) return
    const gap = before === undefined ? 0 : now - before
    if (gap > 25) seen.late += Math.round(gap / (1000 / 60)) - 1
    seen.longest = Math.max(seen.longest, gap)
    before = now
    seen.frames += 1
    after.port2.postMessage(0)
    requestAnimationFrame(frame)
  }
  const look = () => {
    const box = grid.getBoundingClientRect()
    let places = 0, pictures = 0
    for (let i = 0; i < 8; i++) for (let j = 0; j < 6; j++) {
      const at = document.elementFromPoint(box.left + 30 + (box.width - 120) * (i + .5) / 8,
        box.top + box.height * (j + .5) / 6)
      const tile = at?.closest('.tile')
      if (tile) { places += 1; if (tile.classList.contains('loaded')) pictures += 1 }
    }
    seen.places += places
    seen.pictures += pictures
    if (places === 0) seen.blank += 1
    else if (pictures === 0) seen.bare += 1
  }
  window.sampled = seen
  requestAnimationFrame(frame)
}
"""
STOP = """() => {
  const seen = window.sampled
  window.sampled = undefined
  seen.seconds = (performance.now() - seen.from) / 1000
  return seen
}
"""
# Scrolls through the whole library in the given number of seconds, and back again.
SWEEP = """
async seconds => {
  const grid = document.querySelector('.grid')
  const all = grid.scrollHeight - grid.clientHeight
  const start = performance.now()
  for (;;) {
    const now = await new Promise(requestAnimationFrame)
    const part = (now - start) / 1000 / seconds
    if (part >= 2) return
    grid.scrollTop = all * (part < 1 ? part : 1 - .64 * (part - 1))
  }
}
"""
VISIBLE = """
() => {
  const box = document.querySelector('.grid')?.getBoundingClientRect()
  if (!box) return [0, 0]
  const tiles = [...document.querySelectorAll('.grid .tile')].filter(tile => {
    const at = tile.getBoundingClientRect()
    return at.bottom > box.top && at.top < box.bottom
  })
  return [tiles.length, tiles.filter(tile => tile.classList.contains('loaded')).length]
}
"""


ROWS = []


def show(what, value, goal=""):
    ROWS.append((what, goal, value))
    print(f"   {what:66} {value:>26}   {goal and 'goal ' + goal}".rstrip(), flush=True)


def settle(window, seconds=60):
    """Waits until every visible tile has its picture. Returns the milliseconds; None after a
    timeout."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        places, pictures = window.evaluate(VISIBLE)
        if places and places == pictures:
            return (time.monotonic() - start) * 1000
        window.wait_for_timeout(10)
    return None


def asked(window):
    return sum(url.endswith("/thumbnail") for url in window.requests)


def milliseconds(value):
    return "not within a minute" if value is None else f"{value:,.0f} ms"


def measure_first(page, library):
    """Opens the page and the library. Returns the window."""
    context = page.browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 860})
    context.set_default_timeout(60_000)
    page.contexts.append(context)
    window = context.new_page()
    window.requests = []
    window.on("request", lambda request: window.requests.append(request.url))
    link = page.link()
    start = time.monotonic()
    window.goto(link)
    window.wait_for_selector("main")
    show("from the link to the first view", milliseconds((time.monotonic() - start) * 1000), "1,000 ms")
    window.locator("nav a[data-path='/libraries']").click()
    browse = window.locator("article.library", has_text=library).get_by_role("button", name="Browse")
    browse.wait_for()
    window.wait_for_timeout(2000)
    before = asked(window)
    start = time.monotonic()
    browse.click()
    window.wait_for_selector(".grid .tile")
    show("from a click to the first photos' places", milliseconds((time.monotonic() - start) * 1000), "1,000 ms")
    window.wait_for_selector(".grid .tile.loaded")
    show("from the click to the first thumbnail", milliseconds((time.monotonic() - start) * 1000))
    settle(window)
    show("from the click to all thumbnails of the screen", milliseconds((time.monotonic() - start) * 1000))
    window.wait_for_function(
        "() => document.querySelector('.tile')?.getAttribute('aria-setsize') >= 100000", timeout=120_000
    )
    show("from the click to all photos in the grid", milliseconds((time.monotonic() - start) * 1000))
    window.wait_for_timeout(1500)
    places, _ = window.evaluate(VISIBLE)
    show("requests for the first screen, the next one fetched ahead", f"{asked(window) - before} for {places} photos")
    return window


def measure_pages(window):
    """Pages through the library, screen by screen."""
    window.locator(".grid-list").focus()
    taken, requests = [], []
    for _ in range(10):
        before = asked(window)
        window.keyboard.press("PageDown")
        taken.append(settle(window) or 60_000)
        window.wait_for_timeout(600)
        requests.append(asked(window) - before)
    show(
        "a screen further: until all its thumbnails are there, median, worst",
        f"{sorted(taken)[5]:,.0f}, {max(taken):,.0f} ms",
    )
    show("requests a screen, median", f"{sorted(requests)[5]}")


def tell_scroll(what, seen):
    expected = seen["frames"] + seen["late"]
    show(f"{what}: frames dropped", f"{seen['late']} of {expected} ({100 * seen['late'] / max(1, expected):.1f} %)")
    show(f"{what}: longest frame", milliseconds(seen["longest"]))
    show(f"{what}: frames without any photo's place", f"{seen['blank']}", "0")
    show(f"{what}: places with their picture", f"{100 * seen['pictures'] / max(1, seen['places']):.0f} %")


def measure_scroll(window, seconds):
    window.keyboard.press("Home")
    window.wait_for_timeout(1000)
    session = window.context.new_cdp_session(window)
    window.evaluate(SAMPLER)
    speed = 8_000
    session.send(
        "Input.synthesizeScrollGesture",
        {
            "x": 500,
            "y": 500,
            "yDistance": -speed * seconds // 2,
            "speed": speed,
            "gestureSourceType": "mouse",
            "preventFling": True,
        },
    )
    tell_scroll(f"wheel, {speed:,} pixels a second", window.evaluate(STOP))
    show("after it: until all thumbnails of the screen are there", milliseconds(settle(window)))
    # From the first photo, because the frame after a jump is no frame of a scroll.
    window.keyboard.press("Home")
    window.wait_for_timeout(1000)
    window.evaluate(SAMPLER)
    window.evaluate(SWEEP, seconds // 4)
    tell_scroll(f"the whole library in {seconds // 4} s and half of it back", window.evaluate(STOP))
    show("after it: until all thumbnails of the screen are there", milliseconds(settle(window)))


def proportional(pid):
    """Proportional set size in MiB."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0


def measure_memory(window, page):
    session = window.context.new_cdp_session(window)
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    show("the page's JavaScript heap", f"{metrics['JSHeapUsedSize'] / (1 << 20):.1f} MiB")
    show("elements of the document", f"{metrics['Nodes']:,.0f} nodes")
    largest = 0
    for process in pathlib.Path("/proc").iterdir():
        try:
            if process.name.isdigit() and b"--type=renderer" in (process / "cmdline").read_bytes():
                largest = max(largest, proportional(process.name))
        except OSError:
            pass
    show("the browser's largest page process", f"{largest:.0f} MiB")
    show("photobroker-web", f"{proportional(page.server.pid):.1f} MiB")


def processor_seconds(process):
    """The processor time so far of a process and its children."""
    total, ticks = 0, os.sysconf("SC_CLK_TCK")
    children = pathlib.Path(f"/proc/{process}/task").glob("*/children")
    for pid in [process, *(child for file in children for child in file.read_text().split())]:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / ticks
        except OSError:
            pass
    return total


def measure_fresh(house, broker, count):
    """Processor time of uncached thumbnails, compared with vipsthumbnail on the same files."""
    owner = broker.owner()
    folder = make(
        house,
        "fresh",
        owner.uid,
        "--rows",
        count,
        "--files",
        count,
        "--size",
        "real",
        "--live",
        0,
        "--video",
        0,
        "--dup",
        0,
        "--burst",
        0,
    )
    owner.call("AddLibrary", name="fresh", options={"path": str(folder)}, offeredTo=[])
    owner.wait_for_library("fresh", seconds=900)
    known = owner.assets("fresh")[:count]
    queue, made, failed = list(known), [], []

    def fetch(person):
        while queue:
            asset = queue.pop()
            try:
                picture = person.call("GetOwnedThumbnail", library="fresh", asset=asset["identifier"], maxPixels=320)[
                    "data"
                ]
                made.append(len(base64.b64decode(picture)))
            except Exception as refused:
                failed.append(f"{asset['filename']}: {refused}")

    people = [owner] + [broker.owner(owner.uid) for _ in range(3)]
    before, start = processor_seconds(broker.process.pid), time.monotonic()
    threads = [threading.Thread(target=fetch, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall, mine = time.monotonic() - start, processor_seconds(broker.process.pid) - before
    mine_rate = len(made) / mine * 60
    show(
        f"{len(made):,} fresh thumbnails of 320 pixels, broker and media workers", f"{mine_rate:,.0f} a minute and core"
    )
    show("the same by the clock", f"{len(made) / wall * 60:,.0f} a minute")
    if failed:
        show("no picture of", f"{len(failed)} files, as {failed[0][:80]}")
    if not shutil.which("vipsthumbnail"):
        return show("vipsthumbnail", "skipped: not installed")
    out = house.make_folder("vipsthumbnail", 0)
    names = [asset["path"] for asset in known]
    times = os.times()
    for start in range(0, len(names), 200):
        subprocess.run(
            [
                "vipsthumbnail",
                "--size",
                "320x320",
                "--export-profile",
                "srgb",
                "--output",
                f"{out}/%s.jpg[Q=80,strip]",
                *[folder / name for name in names[start : start + 200]],
            ],
            env={"VIPS_CONCURRENCY": "1", "PATH": "/usr/bin:/bin"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    now = os.times()
    theirs = now.children_user + now.children_system - times.children_user - times.children_system
    their_rate = len(names) / theirs * 60
    show("vipsthumbnail over the same files, one thread", f"{their_rate:,.0f} a minute and core")
    show("ratio", f"{mine_rate / their_rate:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--photos", type=int, default=105_000, help="files of the library; some belong together")
    parser.add_argument("--seconds", type=int, default=60, help="of scrolling")
    parser.add_argument("--fresh", type=int, default=1_000, help="photos for the thumbnails; 0: leave them out")
    parser.add_argument("--markdown", action="store_true", help="all of it once more, as a table for the README")
    options = parser.parse_args()
    house = House(options.bin.resolve())
    if lack := missing_requirement(house):
        raise SystemExit(f"bench-page: {lack}")
    from playwright.sync_api import sync_playwright

    broker = Broker(house).start()
    try:
        if options.photos:
            owner = broker.owner()
            folder = make(house, "large", owner.uid, "--rows", options.photos, "--files", options.photos)
            owner.call("AddLibrary", name="large", options={"path": str(folder)}, offeredTo=[])
            library = owner.wait_for_library("large", seconds=3_600)
            with sync_playwright() as playwright:
                measure_browser(broker, owner, start_browser(playwright, house), library["assets"], options.seconds)
        if options.fresh:
            print(f"== thumbnails; load {os.getloadavg()[0]:.1f}", flush=True)
            measure_fresh(house, broker, options.fresh)
    finally:
        broker.dismiss()
        broker.end()
        house.end()
    if options.markdown:
        print("\n| what | goal | reached |\n|---|---|---|")
        for row in ROWS:
            print("| " + " | ".join(row) + " |")


def measure_browser(broker, owner, browser, count, seconds):
    print(f"== the page over {count:,} photos; load {os.getloadavg()[0]:.1f}", flush=True)
    page = Page(broker, owner, browser)
    try:
        window = measure_first(page, "large")
        measure_pages(window)
        measure_scroll(window, seconds)
        measure_memory(window, page)
    finally:
        page.end()
        browser.close()


if __name__ == "__main__":
    main()
