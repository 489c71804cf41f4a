"""How the page is reached: from the file that a desktop opens, through a tunnel, and in no other way."""
import os
import re
import subprocess

import pytest

from house.page import Page
from house.person import as_user, wait_for
from house.remotes import SFTP, free_port


@pytest.fixture
def tunnel(house):
    """A real ssh server, and what `ssh -L` makes of a port here."""
    if SFTP.missing:
        assert not os.environ.get("CI"), SFTP.missing
        pytest.skip(SFTP.missing)
    server = SFTP(house, "tunnel")
    clients = []

    def forward(port):
        local = free_port()
        command = ["ssh", "-N", "-L", f"{local}:127.0.0.1:{port}", "-p", str(server.port), "-i", str(server.folder / "client"), "-F", "/dev/null",
                   "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "ExitOnForwardFailure=yes", "photos@127.0.0.1"]
        clients.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

        def answers():
            import socket
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


def blank(page):
    window = page.window().context.new_page()
    window.problems = []
    window.on("pageerror", lambda error: window.problems.append(str(error)))
    return window


@pytest.fixture
def owners_page(scene, owners_browser):
    page = Page(scene.broker, scene.owner, owners_browser)
    yield page
    page.end()


def test_the_file_that_the_desktop_opens_leads_to_the_page(scene, owners_page):
    folder = scene.house.make_folder(f"runtime-{scene.owner.uid}", scene.owner.uid)
    programs = scene.house.make_folder(f"desktop-{scene.owner.uid}", scene.owner.uid, mode=0o755)
    (programs / "xdg-open").write_text("#!/bin/sh\nexit 0\n")
    (programs / "xdg-open").chmod(0o755)
    subprocess.run(
        as_user(scene.owner.uid, [scene.house.programs / "photobroker", "--socket", scene.broker.admin_socket, "open"]), cwd="/", check=True,
        capture_output=True, timeout=30, env={"PATH": f"{programs}:/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(folder)})
    window = blank(owners_page)
    window.goto(f"file://{folder}/photobroker-open.html")
    window.get_by_role("heading", name="Requests").wait_for()
    assert window.url.startswith("http://127.0.0.1:") and not re.search(r"[0-9a-f]{64}", window.url), "the code is not in the history"
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("article", name=scene.library).wait_for()
    # The link is used up: the same file opens a locked page.
    again = blank(owners_page)
    again.goto(f"file://{folder}/photobroker-open.html")
    again.get_by_role("heading", name="This page is locked").wait_for()
    assert window.problems == again.problems == []


def test_the_page_works_through_a_tunnel_at_another_port(scene, page, tunnel):
    link = page.link()
    port = int(link.split(":")[2].split("/")[0])
    local = tunnel(port)
    window = blank(page)
    window.goto(link.replace(f":{port}/", f":{local}/"))
    window.get_by_role("heading", name="Requests").wait_for()
    assert window.url.startswith(f"http://127.0.0.1:{local}/")
    scene.app.begin_request()
    window.get_by_role("button", name="Don’t allow").click()
    assert scene.app.hear_request() == "denied"
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").first.wait_for()
    wait_for(lambda: window.locator(".tile.loaded").count() == 6 or not scene.house.has_media, "the pictures, through the tunnel")
    # By a name the tunnel leads nowhere.
    assert blank(page).goto(f"http://localhost:{local}/").status == 403
    assert window.problems == []
