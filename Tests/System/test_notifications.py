"""R147: desktop notifications of requests, and the page opened from them, on a real session bus."""

import os
import shutil

import pytest
from jeepney import message_bus

from house.person import PICKER, wait_for


@pytest.fixture
def session(scene):
    if shutil.which("dbus-daemon") is None:
        assert not os.environ.get("CI"), "dbus-daemon is not installed"
        pytest.skip("dbus-daemon is not installed")
    from house.desktop import Desktop

    desktop = Desktop(scene.house, scene.owner.uid)
    tellers = []

    def tell(*options, **environment):
        from house.desktop import Teller

        tellers.append(Teller(scene.broker, desktop, *options, **environment))
        return tellers[-1]

    desktop.tell = tell
    yield desktop
    for teller in tellers:
        teller.end()
    desktop.end()


def test_a_prompt_is_notified_opens_the_page_and_is_withdrawn_when_answered(scene, session, page):
    session.tell()
    scene.app.begin_request()
    number = session.wait_for_notice("Journal would like to see and change your photos")
    notice = session.shown[number]
    assert notice["app"] == "PhotoBroker" and notice["timeout"] == 0
    assert notice["text"] == f"Library “{scene.library}” · user {scene.app.uid}"
    assert notice["actions"][::2] == ["default", "decide"]
    assert session.opened_pages() == [], "nothing opens by itself"
    session.press(number + 1000)
    session.press(number)
    opened = wait_for(session.opened_pages, "the page to open")
    assert opened == [str(session.runtime / "photobroker-open.html")], (
        "a file of the person's, no link on a command line"
    )
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    assert scene.app.hear_request() == "denied"
    wait_for(lambda: not session.shown, "the notification to go away")
    assert len(session.notices) == 1


def test_a_click_reported_by_another_program_opens_nothing(scene, session, page):
    session.tell()
    scene.app.begin_request()
    number = session.wait_for_notice("Journal would like to see and change your photos")
    with session.stranger() as stranger:
        session.press(number, bus=stranger)
        # The bus delivers it, if at all, before its reply.
        stranger.send_and_get_reply(message_bus.GetId())
    session.press(number)
    wait_for(session.opened_pages, "the page to open")
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    assert scene.app.hear_request() == "denied"
    wait_for(lambda: not session.shown, "the notification to go away")
    assert len(session.opened_pages()) == 1


def test_pickers_are_notified_too_and_in_german(scene, session):
    scene.take_additions()
    session.tell(LANG="de_DE.UTF-8")
    scene.app.begin(PICKER + "Present")
    session.wait_for_notice("Journal bittet um Fotos")
    scene.owner.call("AnswerPicker", picker=scene.owner.call("ListPickers")["pickers"][0]["picker"])
    scene.app.hear()
    wait_for(lambda: not session.shown, "the notification to go away")
    scene.app.begin_request(level="addOnly")
    session.wait_for_notice("Journal möchte Fotos hinzufügen")
    scene.owner.answer(scene.owner.wait_for_prompt(), "allow")
    scene.app.hear()


def test_R62_the_selection_page_appears_in_the_session_without_an_open_page(scene, session):
    scene.limit(0)
    session.tell()
    scene.app.begin("PresentLimitedLibraryPicker")
    number = session.wait_for_notice("Journal asks which photos it may see")
    session.press(number)
    wait_for(session.opened_pages, "the page to open")
    selector = scene.owner.naming(scene.library, [scene.pictures[1]])
    scene.owner.answer(scene.owner.wait_for_prompt("selection"), "select", selector=selector)
    assert len(scene.app.hear()["added"]) == 1
    wait_for(lambda: not session.shown, "the notification to go away")


def test_R157_an_app_that_is_paused_by_its_allowance_is_notified(scene, session):
    session.tell()
    scene.limit(0, 1)
    scene.set_terms(photosPerDay=1)
    first, second = (asset["localIdentifier"] for asset in scene.app.fetch())
    scene.app.call("ReadBytes", asset=first, offset=0, length=10)
    assert scene.app.refusal("ReadBytes", asset=second, offset=0, length=10).reason == "accessUserDenied"
    session.wait_for_notice("Journal is paused: it took more photos than it may in a day")
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    wait_for(lambda: not session.shown, "the notification to go away")


def test_R157_the_notification_names_the_limit_that_an_app_exceeded(scene, session):
    session.tell(LANG="de_DE.UTF-8")
    scene.allow()
    scene.set_terms(bytesPerDay=1)
    asset = scene.app.fetch()[0]["localIdentifier"]
    assert scene.app.refusal("ReadBytes", asset=asset, offset=0, length=10).reason == "accessUserDenied"
    session.wait_for_notice("Journal wurde pausiert: mehr Daten als erlaubt an einem Tag")


def test_an_apps_claimed_name_neither_hides_nor_formats_text(scene, session):
    session.tell()
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.rude", name="<b>A</b>& " + "x" * 100)
    app.begin_request()
    notice = wait_for(lambda: session.notices, "the notification")[0]
    assert notice["title"].startswith("<b>A</b>& xxx") and "…" in notice["title"] and len(notice["title"]) < 120
    assert "<" not in notice["text"]
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    app.hear()


def test_the_page_opens_automatically_if_configured(scene, session, page):
    session.tell("--open")
    scene.app.begin_request()
    assert len(wait_for(session.opened_pages, "the page to open")) == 1
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    scene.app.hear()


def test_without_a_screen_no_link_is_printed(scene, session, page):
    teller = session.tell("--open", DISPLAY=None)
    scene.app.begin_request()
    number = session.wait_for_notice("Journal would like to see and change your photos")
    session.press(number)
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    scene.app.hear()
    wait_for(lambda: not session.shown, "the notification to go away")
    out, err = teller.end()
    assert (out, err) == ("", "") and session.opened_pages() == []


def test_another_user_is_not_notified(scene, session):
    from house.desktop import Desktop, Teller

    other = Desktop(scene.house, scene.broker.owner().uid)
    teller = Teller(scene.broker, other)
    try:
        session.tell()
        scene.app.begin_request()
        session.wait_for_notice("Journal would like to see and change your photos")
        assert other.notices == []
        scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
        scene.app.hear()
    finally:
        teller.end()
        other.end()


def test_R62_a_second_notifier_in_a_session_ends_by_itself(scene, session):
    session.tell()
    scene.app.begin_request()
    session.wait_for_notice("Journal would like to see and change your photos")
    second = session.tell()
    assert second.process.wait(20) == 0
    assert second.end() == ("Another program shows these notifications in this session.\n", "")
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    scene.app.hear()


def test_the_notifier_continues_after_a_broker_restart(own_scene):
    from house.desktop import Desktop, Teller

    scene = own_scene
    desktop = Desktop(scene.house, scene.owner.uid)
    teller = Teller(scene.broker, desktop)
    try:
        scene.app.begin_request()
        desktop.wait_for_notice("Journal would like to see and change your photos")
        scene.broker.stop()
        scene.broker.start()
        for person in scene.broker.people:
            person.waiting = False
        owner = scene.broker.owner(scene.owner.uid)
        owner.answer(owner.wait_for_prompt(), "deny")
        wait_for(lambda: not desktop.shown, "what was answered meanwhile to go away")
    finally:
        teller.end()
        desktop.end()


def test_a_refused_notification_is_retried(scene, session):
    teller = session.tell()
    scene.app.begin_request()
    session.wait_for_notice("Journal would like to see and change your photos")
    session.is_broken = True
    picker = scene.broker.app(uid=scene.app.uid)
    picker.introduce("org.example.attach", name="Attach")
    picker.begin(PICKER + "Present")
    wait_for(lambda: session.refused, "the notification that is refused")
    assert teller.process.poll() is None
    session.is_broken = False
    third = scene.broker.app(uid=scene.app.uid)
    third.introduce("org.example.third", name="Third")
    third.begin(PICKER + "Present")
    session.wait_for_notice("Third asks you to pick photos")
    session.wait_for_notice("Attach asks you to pick photos")


def test_a_missing_desktop_or_bus_is_reported(scene, session):
    for environment, words in (
        ({"DBUS_SESSION_BUS_ADDRESS": None, "XDG_RUNTIME_DIR": None}, "no desktop to notify"),
        (
            {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"},
            "no session bus to connect to (No such file or directory)",
        ),
    ):
        teller = session.tell(**environment)
        assert teller.process.wait(20) != 0
        assert words in teller.end()[1]
    session.is_broken = True
    teller = session.tell()
    scene.app.begin_request()
    assert teller.process.wait(20) != 0
    assert "no notification service that works" in teller.end()[1]
    session.is_broken = False
    teller = session.tell()
    session.wait_for_notice("Journal would like to see and change your photos")
    session.daemon.kill()
    assert teller.process.wait(20) != 0, "it ends with the session"
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    scene.app.hear()
