"""The owner's page when things go wrong: two windows, a broker that restarts, a slow storage, apps that die, strangers, hostile
words, a person who walks away."""
import http.server
import json
import subprocess
import threading
import time
import unicodedata
from datetime import datetime, timedelta, timezone

import pytest

from house import page as pages
from house.person import as_user, wait_for
from house.pictures import jpeg
from test_rclone import far, networked, remote  # noqa: F401


def open_app(window):
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("heading", name="Decisions").wait_for()


def ask(scene):
    scene.app.begin("RequestAuthorization", level="readWrite")


def is_wider_than_its_window(window):
    return window.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth")


def test_what_one_window_changes_appears_in_the_other(scene, page):
    scene.limit(0)
    first, second = page.window(), page.window(language="de-DE")
    open_app(first)
    second.get_by_role("link", name="Apps").click()
    second.locator("a.row", has_text="1 Foto").wait_for()
    first.get_by_role("button", name="Change selection").click()
    first.get_by_role("option", selected=True).wait_for()
    first.get_by_role("option", selected=False).nth(1).click()
    first.get_by_role("option", selected=False).nth(1).click()
    first.get_by_role("button", name="Save 3 photos").click()
    second.locator("a.row", has_text="3 Fotos").wait_for()
    second.locator("a.row").click()
    second.get_by_role("heading", name="3 ausgewählte Fotos").wait_for()
    first.get_by_role("heading", name="3 selected photos").wait_for()
    second.get_by_role("button", name="Zugriff entziehen").click()
    second.get_by_role("dialog").get_by_role("button", name="Zugriff entziehen").click()
    first.get_by_role("radio", name="Nothing", exact=False).and_(first.locator(":checked")).wait_for()
    assert first.problems == [] and second.problems == []


def test_many_windows_leave_each_other_room(scene, page):
    """A browser opens six connections for all of its windows; each window waits for changes and wants pictures."""
    first = page.window()
    others = []
    for _ in range(7):
        window = first.context.new_page()
        window.goto(page.link())
        window.wait_for_selector("main")
        others.append(window)
    ask(scene)
    for window in [first, *others]:
        window.bring_to_front()
        window.get_by_role("button", name="Select photos").wait_for()
    others[-1].get_by_role("button", name="Select photos").click()
    wait_for(lambda: others[-1].locator(".tile.loaded").count() == 6, "the pictures")
    scene.app.process.kill()
    scene.app.waiting = False


def test_a_selection_outlasts_a_restart_of_the_broker(own_scene, browser):
    own_scene.limit(0)
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.window()
        open_app(window)
        window.get_by_role("button", name="Change selection").click()
        window.get_by_role("option", selected=True).wait_for()
        window.get_by_role("option").nth(0).click()
        own_scene.broker.stop()
        window.get_by_text("The broker is not answering. This page goes on").wait_for()
        window.get_by_role("option").nth(1).click()
        window.get_by_role("button", name="Save 3 photos").click()
        window.get_by_text("Nothing was changed; try again").wait_for()
        own_scene.broker.start()
        for person in own_scene.broker.people:
            person.new_connection()
        window.get_by_text("The broker is not answering. This page goes on").wait_for(state="hidden")
        own_scene.owner.wait_for_library(own_scene.library, 6)
        window.get_by_role("button", name="Save 3 photos").click()
        window.get_by_role("heading", name="3 selected photos").wait_for()
        assert own_scene.owner.grant(own_scene.library, own_scene.app.name)["selected"] == 3
    finally:
        page.end()


def test_pictures_come_once_the_broker_is_back(own_scene, browser):
    """What could not be asked for is asked for again, without a click."""
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.window()
        window.route("**/thumbnail", lambda route: route.abort())
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.get_by_role("option").nth(5).wait_for()
        window.wait_for_timeout(1500)
        assert window.locator(".tile.loaded").count() == 0 and window.locator(".tile.awaited").count() == 6
        window.unroute("**/thumbnail")
        wait_for(lambda: window.locator(".tile.loaded:not(.blank)").count() == 6, "the pictures")
    finally:
        page.end()


def test_a_slow_storage_is_waited_for_visibly_and_holds_nothing_else_up(far, browser):  # noqa: F811
    page = pages.Page(far.broker, far.owner, browser)
    try:
        window = page.window()
        far.remote.freeze()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.locator(".tile.awaited").nth(4).wait_for()
        window.get_by_role("option").first.dblclick()
        window.get_by_text("Fetching the photo…").wait_for()
        window.keyboard.press("Escape")
        window.get_by_role("button", name="Close").click()
        # Pictures are under way; the page answers all the same.
        start = time.monotonic()
        open_link = window.get_by_role("link", name="Activity")
        open_link.click()
        window.get_by_role("heading", name="Activity", level=1).wait_for()
        assert time.monotonic() - start < 5
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.locator(".tile.awaited").nth(4).wait_for()
        far.remote.thaw()
        wait_for(lambda: window.locator(".tile.loaded:not(.blank)").count() == 5, "the pictures", 60)
        assert window.problems == []
    finally:
        far.remote.thaw()
        page.end()


def test_indexing_shows_how_far_it_is(make_scene, browser):
    scene = make_scene(6)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.window()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_text("6 photos").wait_for()
        for number in range(400):
            scene.album.add(100 + number)
        window.get_by_text("406 photos").wait_for(timeout=60_000)
        assert window.problems == []
    finally:
        page.end()


def test_an_app_that_dies_leaves_a_question_that_can_be_answered(scene, page):
    """The answer holds when the app comes back, which asks nobody again."""
    window, other = page.window(), page.window()
    ask(scene)
    other.get_by_role("button", name="Select photos").wait_for()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(0).click()
    scene.app.process.kill()
    scene.app.waiting = False
    wait_for(lambda: scene.owner.call("ListApps")["apps"][0]["connections"] == 0, "the broker to notice")
    window.wait_for_timeout(1000)
    window.get_by_role("option").nth(1).click()
    window.get_by_role("button", name="Allow 2 photos").click()
    window.get_by_text("Nothing is waiting for you").wait_for()
    other.get_by_text("Nothing is waiting for you").wait_for()
    again = scene.broker.app(scene.app.uid)
    again.own_token = scene.app.own_token
    again.use(again.own_token)
    assert again.request() == "limited"
    assert again.names() == scene.newest_first[:2]
    assert window.problems == [] and other.problems == []


@pytest.fixture
def short_page(scene, browser):
    page = pages.Page(scene.broker, scene.owner, browser, "--lock-seconds", "3")
    yield page
    page.end()


def test_a_page_that_nobody_touches_locks_and_shows_nothing_any_more(scene, short_page):
    scene.limit(0, 1)
    window = short_page.window()
    open_app(window)
    window.get_by_role("button", name="Change selection").click()
    wait_for(lambda: window.locator(".tile.loaded").count() == 6, "the pictures")
    for _ in range(5):
        window.wait_for_timeout(1000)
        window.mouse.move(300 + _, 300)
    assert window.locator(".tile").count() == 6, "moving the mouse keeps it open"
    window.get_by_role("heading", name="This page is locked").wait_for(timeout=10_000)
    assert window.locator("img:not([src='/icon.svg'])").count() == 0
    text = window.locator("html").inner_text()
    assert scene.library not in text and scene.pictures[0] not in window.content()
    assert window.title() == "PhotoBroker"
    # The server has forgotten it too: going back shows nothing.
    window.go_back()
    window.wait_for_timeout(500)
    window.get_by_role("heading", name="This page is locked").wait_for()


def test_locking_by_hand_ends_the_session(scene, page):
    window = page.window()
    secrets = []
    window.on("request", lambda request: secrets.append(request.headers.get("x-photobroker-session")))
    window.get_by_role("link", name="Apps").click()
    wait_for(lambda: any(secrets) or window.wait_for_timeout(100), "a request with the secret", 30)
    window.get_by_role("button", name="Lock").click()
    window.get_by_role("heading", name="This page is locked").wait_for()
    secret = next(s for s in secrets if s)
    answer = window.evaluate("""async secret => (await fetch('/call/ListLibraries', { method: 'POST', body: '{}',
      headers: { 'Content-Type': 'application/json', 'X-PhotoBroker-Session': secret } })).status""", secret)
    assert answer == 401


STRANGER = """
import http.client, json, os, sys
port, pid, file = int(sys.argv[1]), sys.argv[2], sys.argv[3]
told = {}
def ask(method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Host": f"127.0.0.1:{port}", **{k.replace("_", "-"): v for k, v in headers.items()}}
    connection.request(method, path, body, headers)
    return connection.getresponse().status
page = {"Origin": f"http://127.0.0.1:{port}", "Content_Type": "application/json", "Sec_Fetch_Site": "same-origin"}
told["call"] = [ask("POST", f"/call/{m}", "{}", **page) for m in ("ListLibraries", "ListApps", "FetchOwnedColumns", "SetGrant")]
told["guess"] = ask("POST", "/call/ListLibraries", "{}", X_PhotoBroker_Session="0" * 64, **page)
told["session"] = ask("POST", "/session", json.dumps({"code": "0" * 64}), **page)
told["thumbnail"] = ask("POST", "/thumbnail", "{}", **page)
told["wait"] = ask("POST", "/wait", "{}", **page)
told["unread"] = []
for path in (f"/proc/{pid}/mem", f"/proc/{pid}/environ", f"/proc/{pid}/fd", f"/proc/{pid}/maps", file):
    try:
        if os.path.isdir(path): os.listdir(path)
        else: open(path, "rb").read(1)
        told["unread"].append(path)
    except OSError: pass
print(json.dumps(told))
"""


@pytest.mark.parametrize("same_user", [False, True], ids=["another user", "another program of the owner"])
def test_a_stranger_gets_nothing_from_the_open_page(scene, page, same_user):
    """Loopback knows no users: whoever connects needs the secret, which is in the memory of the page and of the server alone."""
    window = page.window()
    window.get_by_role("link", name="Libraries").click()
    port = page.link().split(":")[2].split("/")[0]
    uid = scene.owner.uid if same_user else scene.house.fresh_uid()
    secret = scene.house.folder / f"open-{uid}"
    secret.write_text("x")
    secret.chmod(0o600)
    result = subprocess.run(
        as_user(uid, ["/usr/bin/python3", "-c", STRANGER, port, page.server.pid, secret]), capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told == {"call": [401] * 4, "guess": 401, "session": 401, "thumbnail": 401, "wait": 401, "unread": []}


EVIL = """<!doctype html><title>evil</title><body><script>
const target = TARGET, found = []
const note = (what, value) => found.push([what, value])
window.finished = (async () => {
  for (const mode of ['cors', 'no-cors']) for (const path of ['/', '/main.js', '/call/ListLibraries', '/wait', '/thumbnail'])
    for (const method of ['GET', 'POST']) {
      try {
        const response = await fetch(target + path, { method, mode, body: method === 'POST' ? '{}' : undefined })
        if (response.type !== 'opaque' || (await response.text()).length) note(method + ' ' + mode + ' ' + path, response.status)
      } catch {}
    }
  await new Promise(done => { const image = new Image(); image.onload = () => { note('image', 1); done() }; image.onerror = done; image.src = target + '/icon.svg' })
  await new Promise(done => { const script = document.createElement('script'); script.onload = () => { note('script', 1); done() }; script.onerror = done; script.src = target + '/text.js'; document.body.append(script) })
  const frame = document.createElement('iframe')
  frame.src = target + '/'
  await new Promise(done => { frame.onload = done; setTimeout(done, 1500); document.body.append(frame) })
  try { if (frame.contentDocument?.querySelector('#page')) note('frame', 1) } catch {}
  const opened = window.open(target + '/#' + '0'.repeat(64))
  await new Promise(done => setTimeout(done, 1500))
  try { if (opened && !opened.closed && opened.document) note('window', opened.document.title) } catch {}
  return found
})()
</script>"""


def test_another_site_and_a_rebound_name_get_nothing(scene, page):
    """A web page in the same browser, at another port, and at a name that was rebound to loopback."""
    scene.limit(0)
    window = page.window()
    origin = page.link().split("/#")[0]
    port = origin.rsplit(":", 1)[1]

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = EVIL.replace("TARGET", json.dumps(f"http://{self.path[1:]}:{port}")).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for target in ("127.0.0.1", "rebound.example"):
            other = window.context.new_page()
            other.goto(f"http://rebound.example:{server.server_port}/{target}")
            assert other.evaluate("() => window.finished") == [], target
            frames = [f for f in other.frames if f != other.main_frame]
            assert all("PhotoBroker" not in (f.content() if f.url.startswith(origin) else "") for f in frames)
            other.close()
    finally:
        server.shutdown()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").wait_for()


WORDS = [
    "<img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>", "{{7*7}} ${7*7} javascript:alert(1) &lt;b&gt;",
    "\u202eevil reversed\u202c \u2066isolate", "W" * 300, "مرحبا بالعالم صور <b>", "e\u0301" * 40 + "\u200b\u200d", "Z̸̢̛a̷l̶g̵o̴" * 8,
]


@pytest.mark.parametrize("number", range(len(WORDS)), ids=["markup", "templates", "overrides", "huge", "right to left", "combining", "stacked"])
def test_hostile_words_are_text_everywhere(scene, page, number):
    words = WORDS[number]
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    app = scene.broker.app(scene.app.uid)
    # An app's words with direction characters are refused to begin with; names of files may have them.
    said = "".join(c for c in words if unicodedata.category(c) != "Cf")
    app.introduce(
        identifier="org.example.hostile", name=said.encode()[:128].decode(errors="ignore").strip(),
        NSPhotoLibraryUsageDescription=said, NSPhotoLibraryAddUsageDescription=said)
    filename = words[:80].replace("/", "∕").encode()[:200].decode(errors="ignore") + ".jpg"
    scene.album.add(40, filename)
    scene.owner.wait_for_library(scene.library, 7)
    window = page.window(size=(700, 860))
    window.on("dialog", lambda dialog: window.problems.append("a script ran"))
    app.begin("RequestAuthorization", level="readWrite")
    card = window.get_by_role("article").filter(has=window.locator("blockquote"))
    card.wait_for()
    shown = " ".join(said.split())
    assert " ".join(card.locator("blockquote p").inner_text().split()) == shown
    assert not is_wider_than_its_window(window)
    card.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(6).wait_for()
    assert not is_wider_than_its_window(window)
    first = window.get_by_role("option").first
    assert filename in first.get_attribute("aria-label")
    first.click()
    window.keyboard.press("Enter")
    window.locator("dialog.viewer .viewer-name").get_by_text(filename, exact=True).wait_for()
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Allow 1 photo").click()
    assert app.hear()["status"] == "limited"
    for tab in ("Apps", "Activity", "Libraries"):
        window.get_by_role("link", name=tab).click()
        window.get_by_role("heading", name=tab, level=1).wait_for()
        window.wait_for_timeout(300)
        assert not is_wider_than_its_window(window), tab
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text="1 photo").click()
    window.get_by_role("heading", name="Decisions").wait_for()
    assert not is_wider_than_its_window(window)
    assert window.evaluate("() => window.ran") is None
    assert window.locator("#page script, #page b, img[src='x']").count() == 0
    assert window.problems == []


def test_dates_stand_in_the_clock_of_the_place(scene, browser):
    """The photo's own offset where it has one, else the library's, else that of whoever looks."""
    when = datetime(2026, 12, 31, 23, 30)
    for hours in (-10, 9):
        scene.album.put(f"east-{hours}.jpg", jpeg(when.replace(tzinfo=timezone(timedelta(hours=hours))), note=b"%d" % hours), 1_700_000_000)
    scene.album.put("camera.jpg", jpeg(when, note=b"camera"), 1_700_000_000)
    scene.album.put("undated.jpg", jpeg(None, note=b"undated"), datetime(2027, 7, 1, 22, 30, tzinfo=timezone.utc).timestamp())
    scene.owner.wait_for_library(scene.library, 10)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.window(timezone_id="Asia/Kolkata")
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        option = window.get_by_role("option")
        option.nth(9).wait_for()
        labels = option.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
        found = {label.split(", ")[-1]: label for label in labels}
        assert "31 Dec 2026, 23:30" in found["east--10.jpg"] and "31 Dec 2026, 23:30" in found["east-9.jpg"]
        assert "2 Jul 2027, 04:00" in found["undated.jpg"], "the time of the file, which counts in UTC"
        assert "31 Dec 2026, 23:30" in found["camera.jpg"], "the camera's clock, whatever the library's zone"
        assert "1 Jan 2024, 12:00" in found[scene.pictures[0]]
        headings = window.get_by_role("heading", level=2).all_inner_texts()
        assert headings == ["July 2027", "December 2026", "January 2024"]
    finally:
        page.end()


def test_all_that_the_page_consists_of_is_asked_for_at_once(scene, page):
    """One file after the other, each named by the one before, would cost the first view a way there and back for each."""
    origin = page.link().split("#")[0]
    window = page.window()
    named = window.evaluate("() => [...document.querySelectorAll('link[rel=modulepreload], script[src]')].map(e => e.href || e.src)")
    loaded = {url for url in window.requests if url.endswith(".js")}
    assert set(named) == loaded and len(named) == len(set(named))
    assert all(window.requests.count(url) == 1 for url in loaded), "nothing is fetched twice"
    assert all(url.startswith(origin) for url in loaded)
