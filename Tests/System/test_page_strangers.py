"""The owner's page against strangers: other users, programs and sites, and hostile words."""

import http.server
import json
import re
import select
import socket
import subprocess
import threading
import unicodedata

import pytest

from house import page as pages
from house.broker import Album
from house.page_layout import is_wider_than_its_window
from house.person import as_user, wait_for


STRANGER = """
import http.client, json, os, sys
host, pid, file = sys.argv[1:]
told = {}
def ask(method, path, body=None, **headers):
    connection = http.client.HTTPConnection(host, timeout=10)
    headers = {"Host": host, **{k.replace("_", "-"): v for k, v in headers.items()}}
    connection.request(method, path, body, headers)
    return connection.getresponse().status
page = {"Origin": f"http://{host}", "Content_Type": "application/json", "Sec_Fetch_Site": "same-origin"}
methods = ("ListLibraries", "ListApps", "FetchOwnedColumns", "SetGrant")
told["call"] = [ask("POST", f"/call/{m}", "{}", **page) for m in methods]
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
def test_R73_a_stranger_gets_nothing_from_the_open_page(scene, page, same_user):
    """Loopback admits every user, so each request needs the secret of page and server."""
    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    uid = scene.owner.uid if same_user else scene.house.fresh_uid()
    secret = scene.house.folder / f"open-{uid}"
    secret.write_text("x")
    secret.chmod(0o600)
    result = subprocess.run(
        as_user(uid, ["/usr/bin/python3", "-c", STRANGER, page.address_and_code()[0], page.server.pid, secret]),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told == {"call": [401] * 4, "guess": 401, "session": 401, "thumbnail": 401, "wait": 401, "unread": []}


def test_a_repeated_header_is_refused(page):
    host = page.address_and_code()[0]
    headers = [
        ("Host", host),
        ("Sec-Fetch-Site", "same-origin"),
        ("Origin", f"http://{host}"),
        ("Content-Type", "application/json"),
    ]

    def ask(line, headers):
        address, port = host.split(":")
        with socket.create_connection((address, int(port)), timeout=10) as connection:
            text = (
                line
                + "".join(f"{name}: {value}\r\n" for name, value in headers)
                + "Content-Length: 2\r\nConnection: close\r\n\r\n{}"
            )
            connection.sendall(text.encode())
            return int(connection.makefile("rb").readline().split()[1])

    # The page's own request without a session gets 401, and with a repeated header 403.
    call = "POST /call/ListLibraries HTTP/1.1\r\n"
    assert ask(call, headers) == 401
    for again in headers:
        assert ask(call, [*headers, again]) == 403, again
        assert ask(call, [again, *headers]) == 403, again


HOLDER = """
import os, selectors, socket, sys
(address, port), wanted, manner = sys.argv[1].split(":"), int(sys.argv[2]), sys.argv[3]
host = b"Host: %s\\r\\n" % sys.argv[1].encode()
begins = [
    b"", b"GET / HT", b"POST /wait HTTP/1.1\\r\\n" + host + b"X-PhotoBroker-Session: " + b"0" * 64 + b"\\r\\n",
    b"POST /session HTTP/1.1\\r\\n" + host + b"Content-Length: 1000000\\r\\n\\r\\n{",
    b"POST /session HTTP/1.1\\r\\n" + host + b"Transfer-Encoding: chunked\\r\\n\\r\\n",
]
if manner != "incomplete": begins.append(b"GET / HTTP/1.1\\r\\n" + host + b"\\r\\n")
selector = selectors.DefaultSelector()
selector.register(0, selectors.EVENT_READ)
opened = ended = told = 0
def hold():
    global opened
    connection = socket.create_connection((address, int(port)))
    connection.sendall(begins[opened % len(begins)])
    opened += 1
    selector.register(connection, selectors.EVENT_READ)
for _ in range(wanted): hold()
print("holds", flush=True)
while True:
    for key, _ in selector.select(0.1):
        if key.fileobj == 0: sys.exit(print(ended))
        try: rest = key.fileobj.recv(4096)
        except OSError: rest = b""
        if rest: continue
        selector.unregister(key.fileobj)
        key.fileobj.close()
        ended += 1
        if manner == "stubborn": hold()
    if ended >= wanted > told: told = print("ended", flush=True) or wanted
    # Occasional bytes must not keep a connection open.
    for key in list(selector.get_map().values()):
        if key.fileobj == 0: continue
        try: key.fileobj.send(b"x")
        except OSError: pass
"""


class Holder:
    """A program that holds connections to the page's server until it is stopped."""

    def __init__(self, uid, host, wanted, manner):
        self.process = subprocess.Popen(
            as_user(uid, ["/usr/bin/python3", "-c", HOLDER, host, str(wanted), manner]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "holds\n"

    def wait_until_as_many_have_ended(self):
        assert select.select([self.process.stdout], [], [], 60)[0], "some are held for good"
        assert self.process.stdout.readline() == "ended\n"

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def browser(house, playwright):
    """A browser that keeps the page apart from windows of other sites, as the page asks."""
    with pages.start_browser(playwright, house) as browser:
        yield browser


@pytest.fixture
def holding():
    holders = []

    def hold(*arguments):
        holders.append(Holder(*arguments))
        return holders[-1]

    yield hold
    for holder in holders:
        holder.end()


@pytest.mark.parametrize(
    "same_user, manner", [(False, "stubborn"), (True, "once")], ids=["another user", "another program of the owner"]
)
def test_a_strangers_hundreds_of_connections_use_none_of_the_pages(scene, page, holding, same_user, manner):
    """Newer connections displace those without a secret, but never the owner's for another user."""
    window = page.open_window()
    uid = scene.owner.uid if same_user else scene.house.fresh_uid()
    holder = holding(uid, page.address_and_code()[0], 300, manner)
    scene.app.begin_request()
    for other in (window, page.open_window()):
        other.get_by_role("button", name="Select photos").wait_for()
    other.get_by_role("button", name="Select photos").click()
    wait_for(lambda: other.locator(".tile.loaded").count() == 6, "the pictures")
    other.get_by_role("option").first.click()
    other.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear()["status"] == "limited"
    window.get_by_text("Nothing is waiting for you").wait_for()
    if manner == "stubborn":
        holder.wait_until_as_many_have_ended()
    assert window.problems == [] and other.problems == []


def test_incomplete_requests_to_the_page_time_out(scene, page, holding):
    """Incomplete requests time out, even if there is room and a byte comes now and then."""
    holding(scene.house.fresh_uid(), page.address_and_code()[0], 5, "incomplete").wait_until_as_many_have_ended()


EVIL = """<!doctype html><title>evil</title><body><script>
const target = TARGET, found = []
const note = (what, value) => found.push([what, value])
window.finished = (async () => {
  for (const mode of ['cors', 'no-cors'])
    for (const path of ['/', '/main.js', '/call/ListLibraries', '/wait', '/thumbnail'])
    for (const method of ['GET', 'POST']) {
      try {
        const response = await fetch(target + path, { method, mode, body: method === 'POST' ? '{}' : undefined })
        if (response.type !== 'opaque' || (await response.text()).length)
          note(method + ' ' + mode + ' ' + path, response.status)
      } catch {}
    }
  await new Promise(done => { const image = new Image(); image.onload = () => { note('image', 1); done() };
    image.onerror = done; image.src = target + '/icon.svg' })
  await new Promise(done => { const script = document.createElement('script');
    script.onload = () => { note('script', 1); done() }; script.onerror = done; script.src = target + '/main.js';
    document.body.append(script) })
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


def test_another_site_and_a_rebound_name_get_nothing(scene, known_page):
    """A web page in the same browser, on another port and on a name rebound to loopback."""
    scene.limit(0)
    window = known_page.open_window()
    origin = "http://" + known_page.address_and_code()[0]
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
    "<img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>",
    "{{7*7}} ${7*7} javascript:alert(1) &lt;b&gt;",
    "\u202eevil reversed\u202c \u2066isolate",
    "W" * 300,
    "مرحبا بالعالم صور <b>",
    "e\u0301" * 40 + "\u200b\u200d",
    "Z̸̢̛a̷l̶g̵o̴" * 8,
    "Nothing to be afraid of. " * 38,
]


def test_hostile_texts_stay_text_everywhere(scene, page):
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    window = page.open_window(size=(700, 860))
    window.on("dialog", lambda dialog: window.problems.append("a script ran"))
    apps = []
    for number, words in enumerate(WORDS):
        apps.append(scene.broker.app(scene.app.uid))
        # The broker refuses manifests with direction characters, while file names may have them.
        said = "".join(c for c in words if unicodedata.category(c) != "Cf")
        apps[-1].introduce(
            identifier=f"org.example.hostile-{number}",
            name=said.encode()[:128].decode(errors="ignore").strip(),
            NSPhotoLibraryUsageDescription=said,
            NSPhotoLibraryAddUsageDescription=said,
        )
        filename = words[:80].replace("/", "∕").encode()[:200].decode(errors="ignore") + ".jpg"
        scene.album.add(40 + number, filename)
        scene.owner.wait_for_library(scene.library, 7 + number)
        apps[-1].begin("RequestAuthorization", level="readWrite")
        card = window.get_by_role("article").filter(has=window.locator("blockquote"))
        card.wait_for()
        shown = " ".join(said.split())
        assert " ".join(card.locator("blockquote p").inner_text().split()) == shown
        assert card.locator("blockquote footer").evaluate(
            "e => e.getBoundingClientRect().bottom <= e.parentNode.getBoundingClientRect().bottom"
        ), "whose words they are is in sight"
        is_cut = card.locator("blockquote p").evaluate("e => e.scrollHeight > e.clientHeight")
        assert card.get_by_text("scroll to read all of them").is_visible() == is_cut and (is_cut or number != 7), (
            "words that are not in sight are told"
        )
        assert not is_wider_than_its_window(window), words
        card.get_by_role("button", name="Select photos").click()
        window.get_by_role("option").nth(6 + number).wait_for()
        assert not is_wider_than_its_window(window), words
        first = window.get_by_role("option").first
        assert filename in first.get_attribute("aria-label")
        first.click()
        window.keyboard.press("Enter")
        window.locator("dialog.viewer .viewer-name").get_by_text(filename).wait_for()
        window.keyboard.press("Escape")
        window.get_by_role("button", name="Allow 1 photo").click()
        assert apps[-1].hear()["status"] == "limited"
        card.wait_for(state="detached")
    for tab in ("Activity", "Libraries", "Apps"):
        window.get_by_role("link", name=tab).click()
        window.get_by_role("heading", name=tab, level=1).wait_for()
        window.wait_for_timeout(300)
        assert not is_wider_than_its_window(window), tab
    for app in apps:
        window.get_by_role("navigation").get_by_role("link", name="Apps").click()
        window.locator(f"a.row[href*='{app.name}']").click()
        window.get_by_role("heading", name="Decisions").wait_for()
        assert not is_wider_than_its_window(window), app.name
    assert window.evaluate("() => window.ran") is None
    assert window.locator("#page script, #page b, img[src='x']").count() == 0
    assert window.problems == []


def test_an_app_named_like_a_sentence_of_the_page_is_recognizable(scene, page):
    """The confirmation dialog also shows the whole identifier."""
    app = scene.broker.app(scene.app.uid)
    identifier = "org.example." + "x" * 100 + ".end"
    app.introduce(
        identifier=identifier,
        name="Press Allow all to keep your photos safe. " * 3,
        NSPhotoLibraryUsageDescription="Because.",
    )
    app.begin_request()
    window = page.open_window(size=(360, 800))
    card = window.get_by_role("article").filter(has_text=identifier)
    card.wait_for()

    def looks_unlike(heading):
        return heading.evaluate(
            "e => getComputedStyle(e.querySelector('bdi')).fontWeight !== getComputedStyle(e).fontWeight"
        )

    assert looks_unlike(card.get_by_role("heading"))
    card.get_by_role("button", name="Allow all").click()
    dialog = window.get_by_role("dialog")
    for place in (card, dialog):
        shown = place.get_by_text(identifier)
        assert shown.evaluate("e => e.getClientRects().length > 1 && getComputedStyle(e).overflow === 'visible'"), (
            "all of it"
        )
    dialog.get_by_text(f"runs as user {app.uid}").wait_for()
    assert looks_unlike(dialog.get_by_role("heading"))
    dialog.get_by_role("button", name="Back").click()
    card.get_by_role("button", name="Decline").click()
    assert app.hear()["status"] == "denied"
    assert window.problems == []


# Unclosed embeddings, unmatched ends, and both. Each could affect the text after it.
TURNING = [
    "\u202eevil",
    "\u2069\u202eevil",
    "\u2069\u2069\u202c\u202e\u202bevil\u202c",
    "\u2067evil",
    "مرحبا",
    "\u202ea\u2066b\u202cc\u2069d\u202ce\u202e",
    "two\u2029\u202elines",
    "\u2066\u202e\u2069\u2069\u202eevil",
    "\u061c\u200f",
    "עברית 12",
]


def test_R138_a_names_text_direction_affects_only_itself(page):
    """Text before a name stays left of the text after it, for any name."""
    window = page.open_window(bypass_csp=True)
    turned = window.evaluate(
        """async names => {
      const { h, name } = (await import('/main.js')).modules['dom.js'],
        { t } = (await import('/main.js')).modules['text.js'],
        { outcome } = (await import('/main.js')).modules['outcomes.js'],
        { apart } = (await import('/main.js')).modules['names.js'],
        { reasonText } = (await import('/main.js')).modules['reasons.js']
      const turned = []
      for (const evil of names) {
        const ways = {
          element: [name(evil)], text: [t('outcome.albumTitled', { album: evil })], option: [apart(evil), ' (12)'],
          long: [name(evil.repeat(30).slice(0, 100))],
          outcome: [outcome(`album ${'0'.repeat(32)}, 3 assets`, { title: evil })],
          reason: [reasonText({ code: 'ruleEdited', text: 'x', values: { rule: evil } })],
        }
        for (const [way, content] of Object.entries(ways)) {
          const line = document.body.appendChild(h('p', {}, h('span', {}, 'before '), content,
            h('span', {}, ' after'), h('span', {}, ' 12')))
          line.style.cssText = 'white-space: nowrap; position: fixed; top: 0; left: 0'
          const [first, after, last] = [line.firstChild, line.lastChild.previousSibling, line.lastChild]
            .map(span => span.getBoundingClientRect())
          if (!(first.right <= after.left + 1 && after.right <= last.left + 1)) turned.push([way, escape(evil)])
          line.remove()
        }
      }
      return turned
    }""",
        TURNING,
    )
    assert turned == []


def unbalanced(text):
    """Return whether a text has unclosed or unmatched direction controls."""
    opened = []
    for character in text:
        if character in "\u202a\u202b\u202d\u202e":
            opened.append("\u202c")
        elif character in "\u2066\u2067\u2068":
            opened.append("\u2069")
        elif character in "\u202c\u2069":
            if not opened or opened.pop() != character:
                return True
    return bool(opened)


LONG = "Sommerurlaub-in-den-Bergen-" * 7
TELL = """() => {
  const texts = [], over = [], width = document.documentElement.clientWidth, boxes = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode.data)
  for (const element of document.querySelectorAll('[title], [aria-label], [alt]'))
    for (const name of ['title', 'aria-label', 'alt']) texts.push(element.getAttribute(name) ?? '')
  // The visible part of each word, clipped by every ancestor with hidden overflow.
  const front = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.getElementById('page')
  const words = document.createTreeWalker(front, NodeFilter.SHOW_TEXT)
  while (words.nextNode()) {
    const node = words.currentNode, parent = node.parentElement
    if (!node.data.trim() || !parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      || parent.closest('select, .unseen, .scrubber, .tile, .toasts')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const rect of range.getClientRects()) {
      let { left, right, top, bottom } = rect
      for (let around = parent; around && around !== document.body; around = around.parentElement) {
        const style = getComputedStyle(around)
        if (style.overflowX === 'visible') continue
        const box = around.getBoundingClientRect()
        left = Math.max(left, box.left); right = Math.min(right, box.right); top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom)
      }
      if (right - left < 1 || bottom - top < 1) continue
      if (right > width + 1) over.push(`beyond the window: ${node.data.slice(0, 40)}`)
      if (!parent.closest('.top')) boxes.push({ left, right, top: top + 3, bottom: bottom - 3, node, parent })
    }
  }
  for (const [at, one] of boxes.entries()) for (const two of boxes.slice(at + 1)) {
    if (one.node === two.node) continue
    if (Math.min(one.right, two.right) - Math.max(one.left, two.left) > 2
      && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 2)
      over.push(`${one.node.data.slice(0, 40)} | ${two.node.data.slice(0, 40)}`)
  }
  return { texts, over: [...new Set(over)].slice(0, 5), isWide: document.documentElement.scrollWidth > width }
}"""


def test_R138_long_and_right_to_left_names_stay_in_place_on_every_page_at_every_width(scene, page):
    evil = "\u2069\u202e" + LONG[:60]
    scene.album.add(40, (evil + ".jpg"))
    scene.album.add(41, LONG + ".jpg")
    scene.owner.wait_for_library(scene.library, 8)
    app = scene.broker.app(scene.app.uid)
    app.introduce(
        identifier="org.example." + "x" * 110,
        name=LONG[:128],
        NSPhotoLibraryUsageDescription=LONG * 3,
        NSPhotoLibraryAddUsageDescription=LONG,
    )
    owner = scene.owner
    owner.call("EditOwnedAlbum", library=scene.library, title=LONG, add={"last": 2})
    owner.call("EditOwnedAlbum", library=scene.library, title="مرحبا بالعالم صور", add={"last": 2})
    rule = {
        "library": scene.library,
        "name": "r" * 64,
        "uid": app.uid,
        "identifier": "org.example." + "y" * 110,
        "level": "readWrite",
    }
    owner.call("Apply", rules=[{**rule, "answer": "select", "select": [{"glob": evil + "**", "last": 3}]}])
    app.begin_request()
    prompt = owner.wait_for_prompt()
    prompt_id = prompt["prompt"]
    named = prompt["app"]["app"]
    long = f"p{scene.app.uid}".ljust(64, "p")
    album = Album(scene.house, long, owner.uid)
    album.fill(1)
    owner.add_library(long, album.folder, [], 1)
    owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", status="limited")
    for width in (320, 800, 1400):
        window = page.open_window(size=(width, 900), language="de-DE")

        def look(what):
            window.wait_for_timeout(250)
            told = window.evaluate(TELL)
            assert [text for text in told["texts"] if unbalanced(text)] == [], (what, width)
            assert not told["isWide"] and told["over"] == [], (what, width, told["over"])

        window.get_by_role("article").wait_for()
        look("requests")
        for path in (
            "/apps",
            "/activity",
            "/activity/decisions",
            "/libraries",
            f"/app/{named}/{scene.library}",
            f"/photos/{scene.library}",
            f"/photos/{long}",
            f"/trash/{long}",
            f"/prompt/{prompt_id}",
        ):
            window.evaluate(
                "path => { history.pushState(null, '', '/#' + path); dispatchEvent(new PopStateEvent('popstate')) }",
                path,
            )
            window.wait_for_selector("[role=option]" if path.startswith(("/photos", "/prompt")) else "main h1")
            if path == "/libraries":
                # A card clips its overflow, so its buttons are checked separately.
                assert window.locator(".library button").evaluate_all(
                    "all => all.every(button => button.getBoundingClientRect().right < button.closest('.library').getBoundingClientRect().right)"
                ), width
            look(path)
        window.keyboard.press("Enter")
        window.wait_for_selector("dialog.viewer")
        look("viewer")
        window.keyboard.press("Escape")
        window.evaluate(
            "path => { history.pushState(null, '', '/#' + path); dispatchEvent(new PopStateEvent('popstate')) }",
            f"/photos/{scene.library}",
        )
        window.wait_for_selector("[role=option]")
        window.get_by_role("button", name="Alben …").click()
        window.wait_for_selector("[data-album]")
        look("albums")
        assert window.problems == []
        window.context.close()
        page.contexts.remove(window.context)


def test_apps_of_the_same_name_are_distinguished_everywhere(scene, page):
    twin, third = scene.broker.app(), scene.broker.app()
    scene.owner.call("OfferLibrary", name=scene.library, add=[twin.uid, third.uid])
    scene.limit(0)
    # The names differ by a full stop, which a person may overlook.
    twin.introduce(name="Journal.")
    third.introduce("org.example.frames", name="Frames")
    for app in (twin, third):
        app.begin_request()
        scene.owner.set(scene.library, app.name, "authorized")
        assert app.hear()["status"] == "authorized"
        app.call("FetchAssets")
    scene.app.call("FetchAssets")
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text=scene.library).nth(2).wait_for()
    for app in (scene.app, twin):
        assert window.locator("a.row", has_text=f"user {app.uid}").count() == 1
        assert (
            window.get_by_role("link", name=re.compile(f"Journal.*user {app.uid} · org.example.journal")).count() == 1
        )
    assert window.locator("a.row", has_text=f"user {third.uid}").count() == 0, "there is but one of this name"
    window.get_by_role("navigation").get_by_role("link", name="Activity").click()
    for app in (scene.app, twin):
        window.locator("li", has_text=f"user {app.uid}").first.wait_for()
    names = window.get_by_label("App", exact=True).locator("option").all_inner_texts()
    assert (
        len(set(names)) == len(names)
        and f"Journal · user {scene.app.uid} · org.example.journal" in names
        and "Frames" in names
    ), names
    window.get_by_role("button", name="Decisions").click()
    for app in (scene.app, twin):
        row = window.locator("[data-decision]", has_text=f"user {app.uid} ·").first
        row.wait_for()
        row.get_by_role("button", name=f"user {app.uid} ·").wait_for()
    assert window.problems == []


def test_prompts_of_one_app_name_their_library(scene, page):
    other = f"{scene.library}-b"
    album = Album(scene.house, other, scene.owner.uid)
    album.fill(1)
    album.let_broker_add()
    scene.owner.add_library(other, album.folder, [scene.app.uid], 1)
    scene.app.begin_request(library=scene.library)
    window = page.open_window()
    window.get_by_role("article", name=f"Request of Journal, {scene.library}", exact=True).wait_for()
    # The error about an unreachable broker disappears once the broker answers.
    window.route("**/call/AnswerPrompt", lambda route: route.fulfill(status=503))
    deny = window.get_by_role("button", name="Decline")
    wait_for(lambda: deny.is_enabled(), "it to take an answer")
    deny.click()
    away = window.get_by_role("article").get_by_text("The broker is not answering")
    away.wait_for()
    another = scene.broker.app(scene.app.uid)
    another.introduce("org.example.another", name="Another")
    another.begin("RequestAuthorization", level="addOnly", library=other)
    window.get_by_role("article", name=f"Request of Another, {other}, Add only", exact=True).wait_for()
    away.wait_for(state="detached")
    window.get_by_role("button", name="Allow all").click()
    window.get_by_role("dialog").get_by_text(f"Library “{scene.library}”").wait_for()
    window.keyboard.press("Escape")
    window.get_by_role("button", name="Select photos").click()
    window.locator(".chooser-title").get_by_text(f"Library “{scene.library}”").wait_for()
    assert window.problems == []
