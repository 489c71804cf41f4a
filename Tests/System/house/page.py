"""The owner's page in a real browser, each under a uid of its own."""

import http.client
import os
import pathlib
import socket
import subprocess

import pytest

from .person import ADMIN, Person, as_user, children, wait_for

CHROMIUM = "/usr/bin/chromium-headless-shell"


def missing_requirement(house):
    """The missing requirement of the page's tests, or an empty text."""
    if not (house.programs / "photobroker-web").exists():
        return "photobroker-web was not built: libmicrohttpd-dev is missing"
    if not pathlib.Path(CHROMIUM).exists():
        return "chromium-headless-shell is not installed"
    return ""


def require(house):
    """Skips if the page's tests cannot run; in CI this is a failure."""
    if lack := missing_requirement(house):
        assert not os.environ.get("CI"), lack
        pytest.skip(lack)


class Host(str):
    """Address and port of a page's server, and its user: others may connect less often."""

    def __new__(cls, text, uid):
        host = super().__new__(cls, text)
        host.uid = uid
        return host

    def connect(self, timeout):
        address, port = self.split(":")
        connection = socket.socket()
        connection.settimeout(timeout)
        os.fchown(connection.fileno(), self.uid, -1)
        connection.connect((address, int(port)))
        return connection


class Page:
    """One owner's page server, with browser windows."""

    def __init__(self, broker, owner, browser, *arguments, **environment):
        self.broker, self.owner, self.browser = broker, owner, browser
        # An earlier page of this owner, whose end the broker may not have noticed yet.
        self.earlier = self.registered_address()
        self.server = subprocess.Popen(
            as_user(owner.uid, [broker.programs / "photobroker-web", "--socket", broker.admin_socket, *arguments]),
            cwd="/",
            env={"PATH": "/usr/bin:/bin", **environment},
            stderr=subprocess.PIPE,
        )
        self.contexts = []
        wait_for(self.is_served, "photobroker-web to be known to the broker")

    def is_served(self):
        assert self.server.poll() is None, self.server.stderr.read().decode()
        return self.registered_address() not in (None, self.earlier)

    def registered_address(self):
        """The address and port that the broker has for a page of this owner, if any."""
        try:
            opened = self.owner.call("OpenPage")
            return opened["address"], opened["port"]
        except Exception as refused:
            assert getattr(refused, "error", "") == "NotFound", refused
            return None

    def link(self):
        """A fresh link, as `photobroker open --print` makes it."""
        owner = Person(self.broker.house, self.owner.uid, self.broker.admin_socket)
        try:
            opened = owner.call(ADMIN + "OpenPage")
        finally:
            owner.end()
        return f"http://{opened['address']}:{opened['port']}/#{opened['code']}"

    def address_and_code(self):
        """The address and port, as a browser names them, and a fresh code."""
        host, code = self.link().removeprefix("http://").split("/#")
        return Host(host, self.owner.uid), code

    def open_window(self, language="en-GB", size=(1280, 860), scheme="light", **options):
        # Animations cost a fifth of the browser's processor time, because it draws without a graphics card.
        options = {"reduced_motion": "reduce", **options}
        context = self.browser.new_context(
            locale=language, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, **options
        )
        context.set_default_timeout(45_000)
        page = context.new_page()
        page.problems = []
        page.requests = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on(
            "console", lambda line: page.problems.append(line.text) if "Content Security Policy" in line.text else None
        )
        page.on("request", lambda request: page.requests.append(request.url))
        self.contexts.append(context)
        page.goto(self.link())
        page.wait_for_selector("main, .locked")
        return page

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        for context in self.contexts:
            context.close()
        self.server.kill()
        self.server.wait()
        self.server.stderr.close()


def stop_clock(window):
    """Stops the page's clock. Afterwards only `window.clock.run_for` advances it."""
    window.clock.install()
    # In seconds.
    window.clock.pause_at(window.evaluate("Date.now()") // 1000 + 2)


# Runs the browser as another user, with its data in a folder of that user. If an option is
# repeated, its last value counts, so these values are added to Playwright's.
AS_SOMEBODY = """#!/bin/sh
for word do
  shift
  case $word in
    --blink-settings=*) word=$word{settings} ;;
    --disable-features=*) word=$word{disabled} ;;
  esac
  set -- "$@" "$word"
done
cd / && HOME={home} TMPDIR={home} exec setpriv --reuid={uid} --regid={uid} --clear-groups --no-new-privs \\
  {chromium} "$@" --user-data-dir={home}/profile
"""


def start_browser(playwright, house, uid=None, *arguments, is_frugal=False):
    """Starts a browser, by default under a fresh uid, because it shows foreign content.

    A frugal one blurs nothing, because it draws without a graphics card, and ignores the page's policy for
    windows that other sites open, which takes a second process for each window.
    """
    uid = uid or house.fresh_uid()
    program = house.folder / f"browser-{uid}"
    program.write_text(
        AS_SOMEBODY.format(
            uid=uid,
            chromium=CHROMIUM,
            home=house.make_folder(f"home-{uid}", uid),
            settings=",prefersReducedTransparency=true" if is_frugal else "",
            disabled=",CrossOriginOpenerPolicy" if is_frugal else "",
        )
    )
    program.chmod(0o755)
    browser = playwright.chromium.launch(
        executable_path=program,
        args=[
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP rebound.example 127.0.0.1",
            *arguments,
        ],
    )
    browser.uid = uid
    return browser


def processes_of(browser):
    """The user and group numbers of each of the browser's processes, by process number."""

    def family(pid):
        for child in children(pid):
            yield child
            yield from family(child)

    found = {}
    for pid in family(os.getpid()):
        try:
            lines = dict(
                line.split(":\t", 1)
                for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                if ":\t" in line
            )
        except FileNotFoundError:
            continue
        if lines["Name"].startswith("chrom"):
            found[pid] = set(lines["Uid"].split() + lines["Gid"].split())
    return found


def send_request(host, method, path, headers, body=None):
    """Send a request as the owner's browser does, on a new connection."""
    connection = http.client.HTTPConnection(host)
    connection.sock = host.connect(timeout=10)
    connection.request(method, path, body=body, headers=headers)
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response, data


def headers(host):
    return {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
