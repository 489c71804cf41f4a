"""An observer that outlives its access tells of the end once, and of the return."""

import time

import pytest

from house.person import wait_for
from house.tokens import attenuated


def observe(scene):
    scene.limit(0, 1)
    scene.app.observe(outlivesAccess=True)


def hear(app, count):
    """Wait for this number of events, and return the last."""
    wait_for(lambda: len(app.events()) >= count, f"event {count}")
    assert len(app.events()) == count and app.end_of("observer") is None
    return app.events()[-1]


def pause(scene, paused):
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=paused)


def is_empty(event):
    return not any(event[part] for part in ("inserted", "changed", "removed")) and not event["albumsChanged"]


def assert_away(event, status):
    assert event["away"] and event["status"] == status and is_empty(event) and not event["resynchronize"]


def make_hidden_changes(scene):
    """Change photos that the app does not see, and give time for an event."""
    scene.mark(2, favorite=True)
    scene.mark(3, neverShare=True)
    time.sleep(0.5)


def test_R132_R159_an_observer_hears_of_a_pause_and_of_its_end(scene):
    observe(scene)
    pause(scene, True)
    assert_away(hear(scene.app, 1), "limited")
    make_hidden_changes(scene)
    scene.mark(0, favorite=True)
    time.sleep(0.5)
    assert len(scene.app.events()) == 1, "nothing is told meanwhile"
    pause(scene, False)
    back = hear(scene.app, 2)
    assert not back["away"] and not back["resynchronize"]
    assert [a["filename"] for a in back["changed"]] == [scene.pictures[0]]
    assert back["inserted"] == back["removed"] == []
    pause(scene, True)
    assert_away(hear(scene.app, 3), "limited")
    pause(scene, False)
    back = hear(scene.app, 4)
    assert not back["away"] and is_empty(back), "a return without changes is told too"


@pytest.mark.parametrize("end", ["denied", "revoked", "forgotten"])
def test_R18_R159_an_observer_hears_of_access_that_another_decision_gives_back(scene, end):
    observe(scene)
    place = {"library": scene.library, "app": scene.app.name}
    if end == "revoked":
        scene.owner.call("Revoke", **place)
    else:
        scene.owner.set(scene.library, scene.app.name, "denied" if end == "denied" else "notDetermined")
    assert_away(hear(scene.app, 1), "notDetermined" if end == "forgotten" else "denied")
    make_hidden_changes(scene)
    assert len(scene.app.events()) == 1
    # A new decision: this observer goes on, without a call of the app.
    scene.owner.set(scene.library, scene.app.name, "authorized")
    back = hear(scene.app, 2)
    assert back["resynchronize"] and back["status"] == "authorized" and not back["away"] and is_empty(back)
    scene.mark(4, favorite=True)
    assert [a["filename"] for a in hear(scene.app, 3)["changed"]] == [scene.pictures[4]]
    since = scene.app.events()[-1]["changeToken"]
    assert scene.app.request() == "authorized"
    scene.app.new_connection()
    assert is_empty(scene.app.call("FetchPersistentChanges", since=since)["event"])


def test_R159_R160_an_observer_hears_of_the_next_answer_after_an_end(scene):
    observe(scene)
    end = int((time.time() + 1.5) * 1_000_000)
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=end)
    assert_away(hear(scene.app, 1), "notDetermined")
    scene.app.begin_request()
    scene.owner.answer(
        scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, [scene.pictures[2]])
    )
    assert scene.app.hear_request() == "limited"
    assert hear(scene.app, 2)["resynchronize"]
    scene.mark(2, favorite=True)
    assert [a["filename"] for a in hear(scene.app, 3)["changed"]] == [scene.pictures[2]]


def receives_end(app, error):
    end = wait_for(lambda: app.end_of("observer"), "the end of the observer")
    assert end["error"].rsplit(".", 1)[-1] == error


def test_R4_R159_a_holder_of_a_token_outlives_a_pause_alone(scene):
    scene.limit(0, 1)
    holder = scene.broker.app(uid=scene.app.uid)
    holder.use(scene.app.token)
    holder.observe(outlivesAccess=True)
    pause(scene, True)
    assert_away(hear(holder, 1), "limited")
    pause(scene, False)
    assert not hear(holder, 2)["away"]
    scene.owner.set(scene.library, scene.app.name, "denied")
    wait_for(lambda: holder.end_of("observer"), "its end")
    scene.owner.set(scene.library, scene.app.name, "limited")
    assert holder.refusal("Attach", token=scene.app.token).error == "TokenRefused"


def test_R125_R159_an_attenuated_token_is_not_replaced_by_a_whole_one(scene):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.use(scene.app.own_token, attenuated(scene.app.token, f"assets = {asset}"))
    scene.app.new_connection()
    scene.app.observe(outlivesAccess=True)
    scene.owner.set(scene.library, scene.app.name, "denied")
    wait_for(lambda: scene.app.end_of("observer"), "its end")
    scene.owner.set(scene.library, scene.app.name, "authorized")
    time.sleep(0.5)
    assert scene.app.events() == []


def test_R127_R159_a_withdrawn_offer_ends_it_for_good(scene):
    observe(scene)
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    receives_end(scene.app, "TokenRefused")


@pytest.mark.parametrize("paused", [False, True])
def test_R125_R159_a_revoked_token_ends_it_for_good(scene, paused):
    observe(scene)
    pause(scene, paused)
    [token] = [t for t in scene.owner.call("ListTokens", library=scene.library)["tokens"] if not t["revoked"]]
    scene.owner.call("Revoke", accessor=token["accessor"])
    wait_for(lambda: scene.app.end_of("observer"), "its end")


def test_R159_albums_that_changed_are_named(scene):
    scene.limit(0, 1)
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="full")
    first, second = scene.make_album("Sea", 0), scene.make_album("Hills", 1)
    wait_for(lambda: len(scene.app.call("FetchAlbums")["albums"]) == 2, "the albums")
    known = {a["title"]: a["localIdentifier"] for a in scene.app.call("FetchAlbums")["albums"]}
    scene.app.observe()
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=first["album"], title="The sea")
    event = hear(scene.app, 1)
    assert event["albumsChanged"] and event["albums"] == [known["Sea"]]
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=second["album"], delete=True)
    assert hear(scene.app, 2)["albums"] == [known["Hills"]]
    scene.mark(0, favorite=True)
    event = hear(scene.app, 3)
    assert not event["albumsChanged"] and event.get("albums") is None
