"""Ways to open the page: the desktop's file, a tunnel, and no other."""

import http.server
import os
import re
import socket
import subprocess
import threading

import pytest

from house.page import Page
from house.person import as_user, wait_for
from house.remotes import SFTP, free_port


@pytest.fixture
def tunnel(house):
    """A real ssh server, and a function that forwards a local port through it."""
    if SFTP.missing:
        assert not os.environ.get("CI"), SFTP.missing
        pytest.skip(SFTP.missing)
    server = SFTP(house, "tunnel")
    clients = []

    def forward(host):
        local = free_port()
        command = [
            "ssh",
            "-N",
            "-L",
            f"{local}:{host}",
            "-p",
            str(server.port),
            "-i",
            str(server.folder / "client"),
            "-F",
            "/dev/null",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            "-o",
            "ExitOnForwardFailure=yes",
            "photos@127.0.0.1",
        ]
        clients.append(
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )

        def answers():
            assert clients[-1].poll() is None, "ssh ended"
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", local)) == 0

        wait_for(answers, "the tunnel")
        return local

    yield forward
    for client in clients:
        client.kill()
        client.wait()
    server.stop()


def blank_window(page):
    window = page.open_window().context.new_page()
    window.problems = []
    window.on("pageerror", lambda error: window.problems.append(str(error)))
    return window


@pytest.fixture
def owners_page(scene, owners_browser):
    page = Page(scene.broker, scene.owner, owners_browser)
    yield page
    page.end()


def test_the_file_opened_by_the_desktop_leads_to_the_page(scene, owners_page):
    folder = scene.house.make_folder(f"runtime-{scene.owner.uid}", scene.owner.uid)
    programs = scene.house.make_folder(f"desktop-{scene.owner.uid}", scene.owner.uid, mode=0o755)
    (programs / "xdg-open").write_text("#!/bin/sh\nexit 0\n")
    (programs / "xdg-open").chmod(0o755)
    subprocess.run(
        as_user(scene.owner.uid, [scene.house.programs / "photobroker", "--socket", scene.broker.admin_socket, "open"]),
        cwd="/",
        check=True,
        capture_output=True,
        timeout=30,
        env={"PATH": f"{programs}:/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(folder)},
    )
    window = blank_window(owners_page)
    window.goto(f"file://{folder}/photobroker-open.html")
    window.get_by_role("heading", name="Requests").wait_for()
    assert window.url.startswith("http://127.") and not re.search(r"[0-9a-f]{64}", window.url), (
        "the code is not in the history"
    )
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("article", name=scene.library).wait_for()
    # The link works once; the same file then opens a locked page.
    again = blank_window(owners_page)
    again.goto(f"file://{folder}/photobroker-open.html")
    again.get_by_role("heading", name="This page is locked").wait_for()
    assert window.problems == again.problems == []


def test_the_page_works_through_a_tunnel_at_another_port(scene, page, tunnel):
    printed = scene.broker.photobroker(scene.owner.uid, "open", "--print").stdout.splitlines()
    link = next(line for line in printed if line.startswith("http://127."))
    host, code = link.removeprefix("http://").split("/#")
    local = tunnel(host)
    window = blank_window(page)
    window.goto(f"http://127.0.0.1:{local}/#{code}")
    window.get_by_role("heading", name="Requests").wait_for()
    assert window.url.startswith(f"http://127.0.0.1:{local}/")
    scene.app.begin_request()
    window.get_by_role("button", name="Decline").click()
    assert scene.app.hear_request() == "denied"
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").first.wait_for()
    wait_for(
        lambda: window.locator(".tile.loaded").count() == 6 or not scene.house.has_media,
        "the pictures, through the tunnel",
    )
    # The server refuses a host name, also through the tunnel.
    assert blank_window(page).goto(f"http://localhost:{local}/").status == 403
    assert window.problems == []


LEFT_BEHIND = {
    "/": "<!doctype html><script>navigator.serviceWorker.register('/worker.js')</script>",
    "/worker.js": """
addEventListener('install', event => event.waitUntil(skipWaiting()))
addEventListener('activate', event => event.waitUntil(clients.claim()))
const page = '<!doctype html><script>document.title = "taken: " + location.hash</script>'
addEventListener('fetch', event => event.respondWith(new Response(page, { headers: { 'Content-Type': 'text/html' } })))""",
}


class EarlierServer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
        self.end_headers()
        self.wfile.write(LEFT_BEHIND.get(self.path, "").encode())

    def log_message(self, *_):
        pass


def test_another_programs_service_worker_at_the_port_is_not_used(scene, browser):
    """A service worker stays in the browser after the program at its address and port has ended."""
    context = browser.new_context(locale="en-GB")
    window = context.new_page()
    pages = []
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EarlierServer)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        window.goto(f"http://127.0.0.1:{server.server_port}/")
        window.wait_for_function("navigator.serviceWorker.controller !== null")
        server.shutdown()
        thread.join()
        server.server_close()
        window.goto("about:blank")
        window.goto(f"http://127.0.0.1:{server.server_port}/#code")
        assert window.title() == "taken: #code", "it answers where nobody listens any more"
        hosts = []
        for _ in range(2):
            pages.append(Page(scene.broker, scene.owner, browser, "--port", str(server.server_port)))

            def of_the_next():
                link = pages[-1].link()
                return link if link.split("/")[2] not in hosts else None

            link = wait_for(of_the_next, "a link to the next one, which is not where the last one is")
            hosts.append(link.split("/")[2])
            fresh = context.new_page()
            fresh.goto(link)
            fresh.get_by_role("heading", name="Requests").wait_for()
    finally:
        context.close()
        for page in pages:
            page.end()
