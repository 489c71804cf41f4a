"""The owner's page, clicked through in Debian's chromium against the real broker."""

import json
import subprocess

from house import page as pages
from house.page import send_request, processes_of
from house.person import as_user, wait_for


def request_status(scene):
    return scene.app.hear()["status"]


def test_R21_R22_an_app_sees_only_the_photos_selected_on_the_page(scene, window):
    scene.app.begin_request()
    card = window.get_by_role("article")
    card.get_by_role("button", name="Select photos").click()
    options = window.get_by_role("option")
    options.nth(0).click()
    options.nth(2).click()
    window.get_by_role("button", name="Allow 2 photos").click()
    assert request_status(scene) == "limited"
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {scene.newest_first[0], scene.newest_first[2]}
    window.get_by_text("Nothing is waiting for you").wait_for()


def test_R21_allow_all_asks_for_confirmation_and_deny_does_not(scene, page):
    window = page.open_window()
    scene.app.begin_request()
    window.get_by_role("button", name="Allow all").click()
    window.get_by_role("dialog").get_by_role("button", name="Allow all").click()
    assert request_status(scene) == "authorized"
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    scene.app.begin_request()
    window.get_by_role("button", name="Decline").click()
    assert request_status(scene) == "denied"


def test_a_prompt_answered_elsewhere_disappears_in_both_windows(scene, page):
    first, second = page.open_window(), page.open_window(language="de-DE")
    scene.app.begin_request()
    first.get_by_role("button", name="Select photos").wait_for()
    second.get_by_role("button", name="Ablehnen").wait_for()
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    first.get_by_text("Nothing is waiting for you").wait_for()
    second.get_by_text("Nichts wartet auf Sie").wait_for()
    assert request_status(scene) == "denied"


def test_the_keyboard_alone_selects_and_saves(scene, page):
    window = page.open_window()
    scene.app.begin_request()
    select = window.get_by_role("button", name="Select photos")
    select.focus()
    wait_for(lambda: select.is_enabled(), "it to take an answer")
    window.keyboard.press("Enter")
    window.get_by_role("option").nth(3).wait_for()
    window.keyboard.press("Space")
    window.keyboard.press("ArrowRight")
    window.keyboard.press("Shift+ArrowRight")
    done = window.get_by_role("button", name="Allow 3 photos")
    done.wait_for()
    for _ in range(20):
        window.keyboard.press("Shift+Tab")
        if done.evaluate("e => e === document.activeElement"):
            break
    window.keyboard.press("Enter")
    assert request_status(scene) == "limited"
    assert scene.owner.names(scene.library, app=scene.app.name) == scene.newest_first[:3]


def test_R22_a_drag_selects_passed_photos_and_deselects_left_ones(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    options = window.get_by_role("option")
    options.nth(5).wait_for()
    chosen = window.get_by_role("option", selected=True)

    def move(number):
        box = options.nth(number).bounding_box()
        window.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    move(1)
    window.mouse.down()
    move(2)
    move(4)
    assert chosen.count() == 4
    move(3)
    window.mouse.up()
    assert chosen.count() == 3
    move(5)
    assert chosen.count() == 3, "the button is up"
    window.get_by_role("button", name="Allow 3 photos").click()
    assert scene.app.hear_request() == "limited"
    assert scene.app.names() == scene.newest_first[1:4]


def test_R51_settings_change_a_selection_after_a_review(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    window.get_by_role("option").nth(0).click()
    window.get_by_role("option").nth(5).click()
    window.get_by_role("button", name="Save 2 photos").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("1 photo is added").wait_for()
    dialog.get_by_text("1 photo is unselected").wait_for()
    assert window.get_by_text("Saving…").count() == 0, "nothing is saved yet"
    dialog.get_by_role("button", name="Save").click()
    window.get_by_role("heading", name="2 selected photos").wait_for()
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {scene.pictures[1], scene.pictures[5]}


def test_an_edit_from_elsewhere_appears_without_reloading(scene, page):
    scene.limit(0)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text="1 photo").wait_for()
    scene.select(1, 2)
    window.locator("a.row", has_text="3 photos").wait_for()


def test_see_as_this_app_shows_exactly_the_apps_fetch(scene, page):
    scene.limit(1, 4)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="See as this app").click()
    options = window.get_by_role("option")
    options.nth(1).wait_for()
    labels = [options.nth(n).get_attribute("aria-label") for n in range(options.count())]
    assert [label.split(", ")[-1] for label in labels] == scene.app.names()


def test_see_as_this_app_follows_decisions_made_elsewhere(scene, page):
    scene.limit(1, 4)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="See as this app").click()
    window.get_by_role("option").nth(1).wait_for()
    scene.select(2)
    window.get_by_role("option").nth(2).wait_for()
    assert window.get_by_role("option").count() == 3
    scene.owner.set(scene.library, scene.app.name, "denied")
    window.get_by_text("For this app the library is empty.").wait_for()
    assert window.get_by_role("option").count() == 0


def test_see_as_this_app_is_empty_after_the_offer_is_withdrawn(scene, page):
    scene.allow()
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="See as this app").click()
    window.get_by_role("option").nth(5).wait_for()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    window.get_by_text("For this app the library is empty.").wait_for()


def test_a_failed_change_resets_its_switch(scene, page):
    scene.allow()
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.route("**/call/SetGrant", lambda route: route.fulfill(status=503), times=1)
    window.get_by_role("radio", name="No access").click()
    window.locator(".toast").first.wait_for()
    wait_for(lambda: window.get_by_role("radio", name="Full access").is_checked(), "the choice to be what holds")
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "authorized"
    window.problems.clear()
    window.get_by_role("radio", name="No access").click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["status"] == "denied", "the access to end")


def open_selection_with_one_more(scene, page):
    """Open the selection page of an app with two photos, and choose a third without saving."""
    scene.limit(0, 1)
    scene.app.begin("PresentLimitedLibraryPicker")
    window = page.open_window()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    window.get_by_role("option").nth(0).click()
    return window


def test_R54_an_open_selection_page_restores_nothing_removed_elsewhere(scene, page):
    window = open_selection_with_one_more(scene, page)
    scene.unselect(1)
    wait_for(
        lambda: window.get_by_role("option", selected=True).count() == 2,
        "the one that was taken away, and what was chosen here",
    )
    window.get_by_role("button", name="Save 2 photos").click()
    window.get_by_text("Nothing is waiting for you").wait_for()
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {scene.pictures[0], scene.newest_first[0]}


def test_R54_a_removal_at_the_last_moment_is_shown_before_saving(scene, page):
    window = open_selection_with_one_more(scene, page)
    save = window.get_by_role("button", name="Save 3 photos")
    save.wait_for()
    scene.unselect(1)
    # The page may learn of the deselection before or after this click. Either way it shows the
    # change before it saves.
    window.locator(".chooser-actions .primary").click()
    dialog = window.get_by_role("dialog")
    gone = window.get_by_text("Nothing is waiting for you")
    dialog.or_(gone).first.wait_for()
    if dialog.is_visible():
        dialog.get_by_text("1 photo is added").wait_for()
        dialog.get_by_role("button", name="Save").click()
    gone.wait_for()
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {scene.pictures[0], scene.newest_first[0]}


def test_revoking_from_the_page_ends_access(scene, page):
    scene.limit(1)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="Revoke access").click()
    window.get_by_role("dialog").get_by_role("button", name="Revoke access").click()
    window.get_by_role("heading", name="Access is revoked").wait_for()
    assert "Ended: 1 connection, 0 transfers." in window.get_by_role("dialog").inner_text()
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "denied"


def test_the_page_continues_after_a_broker_restart(own_scene, browser):
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.open_window()
        own_scene.broker.stop()
        window.get_by_text("The broker is not answering").wait_for()
        own_scene.broker.start()
        for person in own_scene.broker.people:
            person.new_connection()
        window.get_by_text("The broker is not answering").wait_for(state="hidden")
        own_scene.app.introduce()
        own_scene.app.begin_request()
        window.get_by_role("button", name="Decline").click()
        assert own_scene.app.hear()["status"] == "denied"
    finally:
        page.end()


HOSTILE = [
    "<img src=x onerror=alert(1)>.jpg",
    "</script><script>alert(1)</script>.jpg".replace("/", "∕"),
    "a" * 240 + ".jpg",
    "\u202egpj.exe.jpg",
]


def test_hostile_names_are_text(scene, page):
    for number, name in enumerate(HOSTILE):
        scene.album.add(40 + number, name)
    scene.owner.wait_for_library(scene.library, 10)
    scene.owner.set(scene.library, scene.app.name, "authorized")
    window = page.open_window()
    window.on("dialog", lambda dialog: window.problems.append("a script ran"))
    window.goto(page.link())
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").nth(9).wait_for()
    labels = " ".join(window.get_by_role("option").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))"))
    assert HOSTILE[0] in labels
    window.get_by_role("option", name="onerror").dblclick()
    window.locator("dialog.viewer .viewer-name").get_by_text(HOSTILE[0]).wait_for()
    assert window.locator("img[src='x']").count() == 0
    assert window.problems == []


def test_R138_the_browser_has_an_ordinary_users_rights(page, browser):
    page.open_window()
    processes = processes_of(browser)
    assert len(processes) > 2, "its own, and one for the page at least"
    assert set().union(*processes.values()) == {str(browser.uid)} and browser.uid > 0
    assert browser.uid != page.owner.uid, "who shows the page cannot read the owner's photos otherwise"


def test_the_page_requests_only_its_own_server_and_sets_no_cookie(scene, page):
    scene.limit(0)
    window = page.open_window()
    for tab in ("Apps", "Activity", "Libraries"):
        window.get_by_role("link", name=tab).click()
        window.get_by_role("heading", name=tab, level=1).wait_for()
    origin = page.link().split("#")[0]
    strangers = [url for url in window.requests if not url.startswith((origin, "blob:" + origin[:-1]))]
    assert strangers == []
    assert window.context.cookies() == []


def test_the_page_server_rejects_requests_of_other_origins(scene, page):
    host, code = page.address_and_code()
    port = host.split(":")[1]
    good = {
        "Host": host,
        "Origin": f"http://{host}",
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/json",
    }
    body = json.dumps({"code": code})
    wrong = [
        {"Host": f"rebound.example:{port}", "Origin": f"http://rebound.example:{port}"},
        {"Host": f"localhost:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Content-Type": "text/plain"},
        {"Host": f"127.0.0.1.evil.example:{port}"},
        {"Host": f"127.0.0.1:{port}@evil"},
        *(
            {"Host": f"{other}:{port}", "Origin": f"http://{other}:{port}"}
            for other in ("127.1", "127.0.0.01", "127.0.0.256", "128.0.0.1", "0.0.0.0", "2130706433", "[::1]")
        ),
        # Each address of loopback is an origin of its own.
        {"Origin": f"http://127.0.0.1:{port}"},
    ]
    for change in wrong:
        assert send_request(host, "POST", "/session", {**good, **change}, body)[0].status == 403, change
    for path in ("/call/ListApps", "/wait", "/thumbnail"):
        assert send_request(host, "POST", path, {**good, "X-PhotoBroker-Session": "0" * 64}, "{}")[0].status == 401
        assert send_request(host, "POST", path, good, "{}")[0].status == 401
    assert send_request(host, "GET", "/", {"Host": f"rebound.example:{port}"})[0].status == 403
    assert (
        send_request(host, "GET", "/", {"Host": host, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})[
            0
        ].status
        == 403
    )
    response, _ = send_request(host, "GET", "/", {"Host": host})
    policy = response.getheader("Content-Security-Policy")
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert response.getheader("Cache-Control") == "no-store"
    # Through a tunnel the browser's port differs, so another port passes the check of Host and
    # Origin; only the code is refused.
    assert (
        send_request(
            host, "POST", "/session", {**good, "Host": "127.0.0.1:9", "Origin": "http://127.0.0.1:9"}, '{"code":"0"}'
        )[0].status
        == 401
    )
    # The refused attempts did not use up the code; the first success does.
    response, data = send_request(host, "POST", "/session", good, body)
    assert response.status == 200
    session = json.loads(data)["session"]
    assert send_request(host, "POST", "/session", good, body)[0].status == 401
    opened = {**good, "X-PhotoBroker-Session": session}
    assert send_request(host, "POST", "/call/ListApps", opened, "{}")[0].status == 200
    for method in ("BackUp", "MintToken", "OpenPage", "ServePage", "SetAdministrators"):
        assert send_request(host, "POST", f"/call/{method}", opened, "{}")[0].status == 404, method
    assert send_request(host, "POST", "/call/ListApps", opened, "[" * (1 << 20) + "x")[0].status == 413
    assert send_request(host, "POST", "/lock", opened, "{}")[0].status == 200
    assert send_request(host, "POST", "/call/ListApps", opened, "{}")[0].status == 401


def test_another_user_gets_no_code_and_cannot_use_one(scene, page):
    stranger = scene.broker.owner()
    assert stranger.refusal("OpenPage").error == "NotFound"
    code = scene.owner.call("OpenPage")["code"]
    assert stranger.refusal("RedeemPageCode", code=code).error == "NotFound"
    assert scene.owner.refusal("RedeemPageCode", code="0" * 64).error == "NotFound"
    scene.owner.call("RedeemPageCode", code=code)
    assert scene.owner.refusal("RedeemPageCode", code=code).error == "NotFound"


def test_pending_login_codes_are_bounded(scene, page):
    limit = 16
    codes = []
    while True:
        try:
            codes.append(scene.owner.call("OpenPage")["code"])
        except Exception as refused:
            assert refused.error == "Refused"
            break
        assert len(codes) <= limit
    scene.owner.call("RedeemPageCode", code=codes[0])
    scene.owner.call("OpenPage")


def test_a_reload_and_a_new_tab_show_the_same_view_until_the_page_is_locked(scene, page):
    scene.limit(0, 1)
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    heading = "2 selected photos"
    window.get_by_role("heading", name=heading).wait_for()
    window.reload()
    window.get_by_role("heading", name=heading).wait_for()
    with window.context.expect_page() as opened:
        window.get_by_role("link", name="Libraries").click(button="middle")
    other = opened.value
    other.get_by_role("article", name=scene.library).wait_for()
    window.get_by_role("button", name="Lock").click()
    for tab in (window, other):
        tab.get_by_role("heading", name="This page is locked").wait_for()
        tab.reload()
        tab.get_by_role("heading", name="This page is locked").wait_for()
    assert window.evaluate("() => sessionStorage.length") == 0


def test_a_rebound_name_gets_nothing(scene, known_page):
    window = known_page.open_window()
    assert window.evaluate("location.hash").startswith("#/") or window.evaluate("location.hash") == ""
    other = window.context.new_page()
    assert other.goto(f"http://rebound.example:{known_page.address_and_code()[0].split(':')[1]}/").status == 403


def test_open_writes_the_link_to_a_file_private_to_the_owner(scene, page):
    folder = scene.house.make_folder(f"runtime-{scene.owner.uid}", scene.owner.uid)
    seen = folder / "seen"
    programs = scene.house.make_folder(f"desktop-{scene.owner.uid}", scene.owner.uid, mode=0o755)
    fake = programs / "xdg-open"
    fake.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {seen}\n')
    fake.chmod(0o755)
    result = subprocess.run(
        as_user(scene.owner.uid, [scene.house.programs / "photobroker", "--socket", scene.broker.admin_socket, "open"]),
        text=True,
        cwd="/",
        capture_output=True,
        timeout=30,
        env={"PATH": f"{programs}:/usr/bin:/bin", "DISPLAY": ":9", "XDG_RUNTIME_DIR": str(folder)},
    )
    assert result.returncode == 0, result.stderr
    file = folder / "photobroker-open.html"
    assert seen.read_text() == str(file)
    assert file.stat().st_mode & 0o777 == 0o600 and file.stat().st_uid == scene.owner.uid
    assert "#" not in result.stdout and f"http://{page.address_and_code()[0]}/#" in file.read_text()


def test_without_a_desktop_link_and_tunnel_are_printed(scene, page):
    printed = scene.broker.photobroker(scene.owner.uid, "open").stdout
    host, _ = page.address_and_code()
    assert f"http://{host}/#" in printed
    assert f"ssh -N -L {host}:{host} " in printed


def test_pages_pass_an_automated_check_for_accessibility(scene, page):
    from axe_playwright_python.sync_playwright import Axe

    scene.limit(0, 2)
    other = scene.broker.app(scene.app.uid)
    other.introduce(identifier="org.example.second")
    other.begin("RequestAuthorization", level="readWrite")
    window = page.open_window(bypass_csp=True)
    window.get_by_role("button", name="Select photos").wait_for()
    found = {}

    def check(what):
        window.wait_for_timeout(350)
        result = Axe().run(window)
        bad = [
            (v["id"], v["nodes"][0]["html"][:160], v["nodes"][0].get("failureSummary", "")[:200])
            for v in result.response["violations"]
        ]
        if bad:
            found[what] = bad

    check("requests")
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(5).wait_for()
    check("selection")
    window.get_by_role("button", name="Cancel").click()
    for tab in ("Apps", "Activity", "Libraries"):
        window.get_by_role("link", name=tab).click()
        window.get_by_role("heading", name=tab, level=1).wait_for()
        check(tab)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row", has_text="2 photos").click()
    window.get_by_role("heading", name="Decisions").wait_for()
    check("app")
    assert found == {}
