"""Owners' albums, and the policy that shares some of them with apps."""

import json
import os
import threading

import pytest

from house.broker import Album
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.plugins import SHARED, RecordingPolicy
from house.scene import Scene


def test_R48_shared_read_shows_selected_photos_of_shared_albums_only(scene):
    scene.limit(0, 1)
    scene.make_album("Private", 0, 1)
    family = scene.make_album("Family", 1, 2, 3)
    scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])
    scene.set_album_policy("shared-read")
    assert scene.app.album_rows() == [("Mine", 0, True)], "nothing is shared yet"
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=family["album"], shared=True)
    assert scene.app.album_rows() == [("Family", 1, False), ("Mine", 0, True)]
    album = scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    assert scene.app.names(album=album) == [scene.pictures[1]], "the asset filter holds"
    step = {"kind": "renameAlbum", "album": album, "text": "Ours"}
    assert scene.app.refusal("PerformChanges", changes=[step]).parameters["code"] == 3311
    scene.set_album_policy("own")
    wait_for(lambda: scene.app.album_rows() == [("Mine", 0, True)], "the rule of 2021 to be back")


def test_R167_albums_are_fetched_by_identifier(scene):
    scene.allow()
    albums = [
        scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": title}])["createdAlbums"][0]
        for title in ("One", "Two", "Three")
    ]
    private = scene.make_album("Private", 0)["album"]

    def titles(**parameters):
        return [album["title"] for album in scene.app.call("FetchAlbums", **parameters)["albums"]]

    assert titles(identifiers=[albums[1], albums[0], albums[0]]) == ["One", "Two"]
    assert titles(identifiers=[]) == titles(identifiers=[private, "x", "0" * len(albums[0])]) == []
    assert scene.app.refusal("FetchAlbums", identifiers=["x"] * 1_001).parameters == {
        "parameter": "identifiers",
        "problem": "the list has 0 to 1000 entries",
    }
    page = scene.app.call("FetchAlbums", identifiers=albums[:2], limit=1)
    assert titles(identifiers=albums[:2], limit=1, cursor=page["cursor"]) == ["Two"]


def test_R167_a_wrong_word_is_refused_with_the_right_ones(scene):
    scene.allow()
    for method, parameters, words in [
        ("FetchAssets", {"options": {"sort": "date"}}, ["creationDate", "album"]),
        ("FetchAssets", {"options": {"mediaTypes": ["photo"]}}, ["image", "video"]),
        ("GetAuthorizationStatus", {"level": "read"}, ["addOnly", "readWrite"]),
        ("OpenResource", {"asset": scene.app.fetch()[0]["localIdentifier"], "role": "picture"}, ["original"]),
        ("PerformChanges", {"changes": [{"kind": "remove"}]}, ["delete", "setCaption"]),
    ]:
        said = scene.app.refusal(method, **parameters).parameters.get("problem", method)
        assert set(words) <= set(said.replace("it is none of: ", "").split(" (")[0].split(", ")), said


@pytest.mark.library("shared")
def test_R137_unsharing_or_deleting_an_album_reaches_a_running_app(scene):
    scene.limit(0)
    scene.set_album_policy("shared-read")
    album = scene.make_album("Family", 0, shared=True)["album"]
    assert scene.app.album_rows() == [("Family", 1, False)]
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, shared=False)
    assert scene.app.album_rows() == []
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, shared=True)
    assert scene.app.album_rows() == [("Family", 1, False)]
    assert scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True).get("album") is None
    assert scene.app.album_rows() == []


@pytest.mark.library("shared")
def test_the_command_line_manages_the_owners_albums(scene):
    def photobroker(*words):
        return scene.broker.photobroker(scene.owner.uid, "--quiet", *words).stdout.strip()

    album = photobroker("album", "create", scene.library, "Walks", "--last", "2")
    photobroker("album", "rename", scene.library, album, "Long walks")
    photobroker("album", "remove", scene.library, album, "--last", "1")
    photobroker("album", "share", scene.library, album)
    listed = scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]
    assert [(a["title"], a["count"], a["shared"], a.get("creator")) for a in listed] == [("Long walks", 1, True, None)]
    assert "Long walks" in photobroker("album", "list", scene.library)
    photobroker("--yes", "album", "delete", scene.library, album)
    assert scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"] == []


def test_an_owner_makes_an_album_of_a_folder_with_takeouts_title(own_scene):
    scene = own_scene
    for number, name in enumerate(("Photos from 2020/a.jpg", "Lissabon/a.jpg", "Lissabon/b.jpg", "Porto/c.jpg")):
        scene.album.put(f"Google Photos/{name}", jpeg(day(number), note=name.encode()))
    told = {"title": "Lisbon", "description": "", "access": "protected"}
    scene.album.put("Google Photos/Lissabon/Metadaten.json", json.dumps(told).encode())
    scene.owner.wait_for_library(scene.library, len(scene.pictures) + 4)
    listed = lambda: scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]
    assert listed() == [], "no file makes an album"
    command = ("album", "create", scene.library, told["title"], "--glob", "Google Photos/Lissabon/*")
    album = scene.broker.photobroker(scene.owner.uid, "--quiet", *command).stdout.strip()
    assert [(a["title"], a["count"]) for a in listed()] == [("Lisbon", 2)]
    told = scene.broker.photobroker(scene.owner.uid, "asset", "list", scene.library, "--album", album).stdout
    assert "a.jpg" in told and "b.jpg" in told and "c.jpg" not in told


def test_R146_the_command_line_lists_and_selects_album_members_and_marked_photos(scene):
    def run(*words, status=0):
        done = scene.broker.photobroker(scene.owner.uid, *words, expect=status)
        return done.stdout + done.stderr

    def listed(*words):
        return [
            asset["filename"] for asset in json.loads(run("asset", "list", scene.library, "--json", *words))["assets"]
        ]

    trip = scene.make_album("Trip", 0, 1, 2, 3)["album"]
    for mark, name in (("hidden", 1), ("neverShare", 2)):
        scene.owner.call(
            "MarkAssets", library=scene.library, selector={"filename": scene.pictures[name]}, **{mark: True}
        )
    newest = scene.pictures[3::-1]
    assert listed("--album", trip) == newest and listed("--album", trip, "--last", "1") == newest[:1]
    assert listed("--hidden") == [scene.pictures[1]] and listed("--album", trip, "--never-share") == [scene.pictures[2]]
    assert listed("--album", "Trip") == newest, "by its title"
    assert "No such album" in run("asset", "list", scene.library, "--album", "Trap", status=66)
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    run("--yes", "request", "answer", prompt["prompt"], "select", "--album", trip, "--last", "2")
    assert scene.app.hear_request() == "limited"
    assert scene.owner.names(scene.library, app=scene.app.name) == [scene.pictures[3], scene.pictures[1]], (
        "what is never shared is not offered"
    )
    run("--yes", "grant", "select", scene.library, scene.app.name, "--album", trip)
    assert scene.owner.names(scene.library, app=scene.app.name) == [
        scene.pictures[3],
        scene.pictures[1],
        scene.pictures[0],
    ]
    run("--yes", "grant", "unselect", scene.library, scene.app.name, "--hidden")
    assert scene.owner.names(scene.library, app=scene.app.name) == [scene.pictures[3], scene.pictures[0]]
    run("--yes", "asset", "mark", scene.library, "--only-hidden", "--no-hidden")
    assert listed("--hidden") == []
    for kind in ({"album": trip}, {"hidden": False}, {"neverShare": True}):
        rule = {
            "library": scene.library,
            "name": "r",
            "uid": scene.app.uid,
            "level": "readWrite",
            "answer": "select",
            "select": [kind],
        }
        assert scene.owner.refusal("Apply", rules=[rule]).reason["code"] == "ruleByName", kind


def test_R131_only_owners_edit_albums_and_bad_edits_change_nothing(scene):
    album = scene.make_album("Mine", 0)["album"]
    stranger = scene.broker.owner()
    assert stranger.refusal("ListOwnedAlbums", library=scene.library).error == "NotFound"
    assert stranger.refusal("EditOwnedAlbum", library=scene.library, album=album, title="x").error == "NotFound"
    for edit in ({}, {"title": ""}, {"title": "a\u202eb"}, {"title": "x" * 1025}, {"delete": True}):
        assert scene.owner.refusal("EditOwnedAlbum", library=scene.library, **edit).error == "Refused", edit
    for none in ("0" * 32, "x", "Mine"):
        assert (
            scene.owner.refusal("EditOwnedAlbum", library=scene.library, album=none, title="x").error == "NotFound"
        ), none
    assert [a["title"] for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]] == ["Mine"]


def test_an_owners_album_survives_a_restart(own_scene):
    own_scene.make_album("Kept", 0, 2, shared=True)
    own_scene.broker.restart()
    album = own_scene.owner.call("ListOwnedAlbums", library=own_scene.library)["albums"][0]
    assert (album["title"], album["count"], album["shared"]) == ("Kept", 2, True)


def test_R40_R129_an_album_change_asks_the_policy_about_that_album_only_and_delays_no_one(
    own_scene,
):
    scene = own_scene
    asked = RecordingPolicy(scene.broker)
    scene.limit(0, 1)
    scene.set_album_policy("asked")
    for number in range(5):
        scene.make_album(f"Hidden {number}", 0)
    family = scene.make_album("Family", 0, shared=True)["album"]
    assert scene.app.album_rows() == [("Family", 1, False)]
    mine = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])["createdAlbums"][0]
    asked.new_questions()

    scene.owner.call(
        "EditOwnedAlbum", library=scene.library, album=family, add=scene.owner.naming(scene.library, [scene.name(1)])
    )
    scene.app.call(
        "PerformChanges",
        changes=[{"kind": "addToAlbum", "album": mine, "assets": [scene.app.fetch()[0]["localIdentifier"]]}],
    )
    assert asked.new_questions() == [], "of members no policy is told"
    assert scene.app.album_rows() == [("Family", 2, False), ("Mine", 1, True)]
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=family, title="All")
    assert asked.new_questions() == [["All"]]
    scene.app.call("PerformChanges", changes=[{"kind": "renameAlbum", "album": mine, "text": "Own"}])
    assert asked.new_questions() == [["Own"]]
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=family, shared=False)
    assert scene.app.album_rows() == [("Own", 1, True)], "and what was said of the others still holds"
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=family, shared=True)
    assert scene.app.album_rows() == [("All", 2, False), ("Own", 1, True)]
    asked.new_questions()

    # While the policy decides about an invisible album, the app keeps its view.
    asked.gate.write_text("shut")
    owner = scene.broker.owner(uid=scene.owner.uid)
    making = threading.Thread(
        target=lambda: owner.call("EditOwnedAlbum", library=scene.library, title="Gate", shared=True)
    )
    making.start()
    wait_for(lambda: asked.new_questions() == [["Gate"]], "the policy to be asked")
    assert scene.app.album_rows() == [("All", 2, False), ("Own", 1, True)]
    assert scene.app.names(album=scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"]) and making.is_alive()
    asked.gate.write_text("")
    making.join(20)
    assert [t for t, *_ in scene.app.album_rows()] == ["All", "Gate", "Own"], "the owner is answered when it holds"


def test_R129_wrong_options_are_refused_at_once_during_a_slow_policy_call(own_scene):
    scene = own_scene
    asked = RecordingPolicy(scene.broker)
    scene.limit(0, 1)
    scene.set_album_policy("asked")
    family = scene.make_album("Family", 0, shared=True)["album"]
    assert scene.app.album_rows() == [("Family", 1, False)]
    album = scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    asked.new_questions()
    asked.gate.write_text("shut")
    owner = scene.broker.owner(uid=scene.owner.uid)
    making = threading.Thread(
        target=lambda: owner.call("EditOwnedAlbum", library=scene.library, album=family, title="Gate")
    )
    making.start()
    try:
        wait_for(lambda: asked.new_questions() == [["Gate"]], "the policy to be asked")
        for method in ("FetchAssets", "CountAssets"):
            for wrong in ({"sort": "nonsense"}, {"mediaTypes": ["smell"]}, {"smartAlbum": "nonsense"}):
                assert scene.app.refusal(method, options={"album": album, **wrong}).error == "InvalidParameter", (
                    method,
                    wrong,
                )
        assert making.is_alive(), "the policy had answered by then"
    finally:
        asked.gate.write_text("")
        making.join(20)
    assert scene.app.album_rows() == [("Gate", 1, False)]


def test_R114_an_invalid_token_or_cursor_is_refused_at_once_during_a_slow_policy_call(own_scene):
    """A string that could be a valid cursor waits for the policy; an impossible one does not."""
    scene = own_scene
    asked = RecordingPolicy(scene.broker)
    scene.limit(0, 1)
    scene.set_album_policy("asked")
    family = scene.make_album("Family", 0, shared=True)["album"]
    assert scene.app.album_rows() == [("Family", 1, False)]
    album = scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    waiting = scene.broker.app(uid=scene.app.uid)
    waiting.use(scene.app.own_token, scene.app.token)
    waiting.count()
    asked.new_questions()
    asked.gate.write_text("shut")
    owner = scene.broker.owner(uid=scene.owner.uid)
    making = threading.Thread(
        target=lambda: owner.call("EditOwnedAlbum", library=scene.library, album=family, title="Gate")
    )
    making.start()
    try:
        wait_for(lambda: asked.new_questions() == [["Gate"]], "the policy to be asked")
        waiting.begin("FetchPersistentChanges", since=token)
        for method, parameters, reason in (
            ("FetchPersistentChanges", {"since": token[:-4] + "AAAA"}, "persistentChangeTokenExpired"),
            ("FetchAlbums", {"cursor": "none"}, "cursor"),
            ("FetchAssets", {"cursor": "none", "options": {"album": album}}, "cursor"),
        ):
            refusal = scene.app.refusal(method, **parameters)
            assert refusal.parameters.get("reason", refusal.parameters.get("parameter")) == reason, method
        with pytest.raises(Refused) as refused:
            scene.app.watch("expired", "ObserveChanges", since="none")
        assert refused.value.reason == "persistentChangeTokenExpired"
        assert making.is_alive() and not waiting.has_answered(), "the policy had answered by then"
    finally:
        asked.gate.write_text("")
        making.join(20)
    assert waiting.hear()["event"]["albumsChanged"]


def test_R40_R71_a_change_of_an_invisible_album_is_never_reported_later(own_scene):
    scene = own_scene
    asked = RecordingPolicy(scene.broker)
    scene.limit(0, 1)
    scene.set_album_policy("asked")
    assert scene.app.album_rows() == []
    scene.app.observe()
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    asked.new_questions()
    asked.gate.write_text("shut")
    owner = scene.broker.owner(uid=scene.owner.uid)
    making = threading.Thread(
        target=lambda: owner.call("EditOwnedAlbum", library=scene.library, title="Gate", shared=True)
    )
    making.start()
    wait_for(lambda: asked.new_questions() == [["Gate"]], "the policy to be asked")

    before = len(scene.app.events())
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[0]}, favorite=True)
    wait_for(lambda: len(scene.app.events()) > before, "the change to be told while the policy ponders")
    event = scene.app.call("FetchPersistentChanges", since=token)["event"]
    assert (len(event["changed"]), event["albumsChanged"]) == (1, False)
    assert scene.app.call("FetchVersions")["changeToken"] == event["changeToken"]
    assert making.is_alive(), "the policy has not answered yet"
    asked.gate.write_text("")
    making.join(20)
    later = scene.app.call("FetchPersistentChanges", since=event["changeToken"])["event"]
    assert later["albumsChanged"] and scene.app.album_rows() == [("Gate", 0, False)]
    wait_for(lambda: len(scene.app.events()) > before + 1, "the album to be told of")
    assert [(len(e["changed"]), e["albumsChanged"]) for e in scene.app.events()[before:]] == [(1, False), (0, True)]
    scene.broker.restart()
    again = scene.app.call("FetchPersistentChanges", since=later["changeToken"])["event"]
    assert not again["albumsChanged"] and not again["resynchronize"] and again["changed"] == []


def test_R137_questions_to_a_busy_policy_are_merged_into_one(own_scene):
    scene = own_scene
    asked = RecordingPolicy(scene.broker)
    scene.limit(0)
    scene.set_album_policy("asked")
    assert scene.app.album_rows() == []
    asked.new_questions()
    asked.gate.write_text("shut")
    owners = [scene.broker.owner(uid=scene.owner.uid) for _ in range(4)]
    first = threading.Thread(target=lambda: scene.make_album("Gate", shared=True))
    first.start()
    wait_for(lambda: asked.new_questions() == [["Gate"]], "the policy to be asked")
    others = [
        threading.Thread(
            target=lambda o=o, n=n: o.call("EditOwnedAlbum", library=scene.library, title=f"Later {n}", shared=True)
        )
        for n, o in enumerate(owners)
    ]
    for thread in others:
        thread.start()
    looking = scene.broker.owner(uid=scene.owner.uid)
    wait_for(lambda: len(looking.call("ListOwnedAlbums", library=scene.library)["albums"]) == 5, "all to be made")
    assert asked.new_questions() == [] and all(t.is_alive() for t in others)
    asked.gate.write_text("")
    for thread in [first, *others]:
        thread.join(20)
    assert asked.new_questions() == [[f"Later {n}" for n in range(4)]]
    assert [t for t, *_ in scene.app.album_rows()] == ["Gate", *(f"Later {n}" for n in range(4))]


def test_R136_a_missing_plugin_takes_down_only_its_library_or_albums_and_is_named(own_broker):
    """Both plugins are missing at the broker's start and come back later."""
    house = own_broker.house
    asked = RecordingPolicy(own_broker)
    scene = Scene(own_broker, 3)
    scene.limit(0, 1)
    scene.set_album_policy("asked")
    scene.make_album("Family", 0, shared=True)
    assert scene.app.album_rows() == [("Family", 1, False)]
    (house.programs / "passing.plugin").write_text(SHARED)
    (house.programs / "passing.plugin").chmod(0o755)
    owner, app = own_broker.owner(), own_broker.app()
    album = Album(house, f"passing-{owner.uid}", owner.uid)
    album.fill(2)
    os.chmod(album.folder, 0o755)
    owner.call(
        "AddLibrary", name="passing", backend="passing", options={"path": str(album.folder)}, offeredTo=[app.uid]
    )
    owner.wait_for_library("passing", 2)
    app.introduce()
    owner.set("passing", app.name, "authorized")
    app.request()
    asset = app.fetch()[0]["localIdentifier"]
    plugins = [house.programs / "passing.plugin", house.programs / "asked.plugin"]
    for path in plugins:
        path.rename(path.with_suffix(".away"))
    try:
        own_broker.restart()
        for person in (scene.owner, owner, scene.app, app):
            person.new_connection()

        def told():
            library = owner.library("passing")
            return library["state"] == "offline" and "passing" in (library.get("problem") or "")

        wait_for(told, "the library to say what is missing")
        assert app.count() == 2, "what is known stays known"
        assert app.refusal("OpenResource", asset=asset).reason == "libraryVolumeOffline"
        scene.owner.wait_for_library(scene.library, 3)
        assert (
            scene.app.album_rows() == []
            and scene.app.refusal("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}]).parameters[
                "code"
            ]
            == 3311
        )
        assert sorted(scene.app.names()) == scene.pictures[:2] and scene.app.digest(
            scene.app.fetch()[0]["localIdentifier"]
        )
        assert "asked" in own_broker.log.split("an album policy does not answer")[-1].splitlines()[0]
    finally:
        for path in plugins:
            path.with_suffix(".away").rename(path)
    own_broker.restart()
    for person in (owner, scene.app):
        person.new_connection()
    owner.wait_for_library("passing", 2)
    wait_for(lambda: scene.app.album_rows() == [("Family", 1, False)], "the policy again")
    asked.new_questions()


def pages(caller, method, **parameters):
    """Return the titles on each page, and check that each fits into a message."""
    found, cursor = [], None
    while True:
        page = caller.call(method, **parameters, **({"cursor": cursor} if cursor else {}))
        assert len(json.dumps(page, ensure_ascii=False).encode()) < 1 << 20
        found.append(page["albums"])
        cursor = page.get("cursor")
        if cursor is None:
            return found


def test_R40_album_pages_fit_a_message_and_stay_correct_during_changes(scene):
    scene.allow()
    most = scene.app.call("GetLimits")["limits"]["albumsPerApp"]
    wanted = [f"{number:04}" + '"' * 1_020 for number in range(most)]
    for start in range(0, most, 200):
        scene.app.call(
            "PerformChanges", changes=[{"kind": "createAlbum", "text": title} for title in wanted[start : start + 200]]
        )
    for caller, method, place in [
        (scene.app, "FetchAlbums", {}),
        (scene.owner, "ListOwnedAlbums", {"library": scene.library}),
        (scene.owner, "ListOwnedAlbums", {"library": scene.library, "app": scene.app.name}),
    ]:
        whole = pages(caller, method, **place)
        assert len(whole) > 1 and [a["title"] for page in whole for a in page] == wanted
        few = pages(caller, method, **place, limit=100)
        assert [len(page) for page in few] == [100] * 5 + [most - 500] and sum(few, []) == sum(whole, [])
        assert caller.refusal(method, **place, limit=0).parameters["parameter"] == "limit"
        assert caller.refusal(method, **place, limit=1_001).parameters["parameter"] == "limit"
        caller.refusal(method, **place, cursor="x")
    listed = json.loads(scene.broker.photobroker(scene.owner.uid, "album", "list", scene.library, "--json").stdout)[
        "albums"
    ]
    assert [a["title"] for a in listed] == wanted
    # The page's last album goes, and neighbours appear: the next page still begins after it.
    first = scene.app.call("FetchAlbums", limit=10)
    scene.app.call(
        "PerformChanges",
        changes=[
            {"kind": "deleteAlbum", "album": first["albums"][-1]["localIdentifier"]},
            {"kind": "deleteAlbum", "album": first["albums"][0]["localIdentifier"]},
            {"kind": "createAlbum", "text": "0000"},
            {"kind": "createAlbum", "text": "0010"},
        ],
    )
    then = scene.app.call("FetchAlbums", limit=10, cursor=first["cursor"])
    assert [a["title"] for a in then["albums"]] == ["0010", *wanted[10:19]]
    # A cursor is valid for one app only.
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(app=other)
    assert (
        other.refusal("FetchAlbums", cursor=first["cursor"]).parameters
        == other.refusal("FetchAlbums", cursor="x").parameters
    )


def test_an_album_that_changed_since_its_fetch_is_not_overwritten(scene):
    scene.allow()
    assets = [a["localIdentifier"] for a in scene.app.fetch()]
    mine = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])["createdAlbums"][0]

    def version():
        return next(a["version"] for a in scene.app.call("FetchAlbums")["albums"] if a["localIdentifier"] == mine)

    old = version()
    put = {"kind": "addToAlbum", "album": mine, "assets": assets[:2], "albumVersion": old}
    scene.app.call("PerformChanges", changes=[put])
    assert len(old) == 16 and version() != old
    for step in (
        put,
        {"kind": "renameAlbum", "text": "Ours"},
        {"kind": "removeFromAlbum", "assets": assets[:1]},
        {"kind": "moveInAlbum", "assets": assets[:1]},
        {"kind": "deleteAlbum"},
    ):
        for dry in (True, False):
            refused = scene.app.refusal(
                "PerformChanges", changes=[{**step, "album": mine, "albumVersion": old}], dryRun=dry
            )
            assert (refused.reason, refused.parameters["code"]) == ("operationInterrupted", 3301), step
    for wrong in ("", "0" * 15, "x" * 16):
        refused = scene.app.refusal("PerformChanges", changes=[{**put, "albumVersion": wrong}])
        assert refused.parameters["parameter"] == "changes[0].albumVersion"
    now = version()
    scene.app.call(
        "PerformChanges",
        changes=[
            {"kind": "renameAlbum", "album": mine, "text": "Ours", "albumVersion": now},
            {"kind": "removeFromAlbum", "album": mine, "assets": assets[:1], "albumVersion": now},
        ],
    )
    assert [(a["title"], a["count"]) for a in scene.app.call("FetchAlbums")["albums"]] == [("Ours", 1)]


@pytest.mark.parametrize("ascending", [True, False])
def test_R40_pages_in_album_order_skip_no_member_during_changes(own_broker, ascending):
    scene = Scene(own_broker, 20)
    scene.allow()
    app = scene.app
    assets = [asset["localIdentifier"] for asset in app.fetch()]
    album = app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Work"}])["createdAlbums"][0]
    options = {"album": album, "sort": "album", "ascending": ascending}

    def edit(kind, *members, **more):
        app.call("PerformChanges", changes=[{"kind": kind, "album": album, "assets": list(members), **more}])

    def members():
        return [asset["localIdentifier"] for asset in app.fetch(**options)]

    edit("addToAlbum", *assets)
    edits = [
        lambda every, given: edit("removeFromAlbum", given[-1]),
        lambda every, given: edit("removeFromAlbum", *given),
        lambda every, given: edit("moveInAlbum", given[-1]),
        lambda every, given: edit("moveInAlbum", given[-1], before=every[0 if ascending else -1]),
        lambda every, given: (edit("removeFromAlbum", given[-1]), edit("addToAlbum", given[-1])),
        # Moved to the end.
        lambda every, given: edit("moveInAlbum", every[5], **({} if ascending else {"before": every[-1]})),
        lambda every, given: edit("removeFromAlbum", every[5], every[6]),
        lambda every, given: edit("moveInAlbum", every[12], before=every[8]),
        lambda every, given: scene.owner.call(
            "MarkAssets",
            library=scene.library,
            selector={"filename": next(a["filename"] for a in app.fetch() if a["localIdentifier"] == given[-1])},
            hidden=True,
        ),
    ]
    for change in edits:
        every = members()
        assert len(every) == 20
        page = app.call("FetchAssets", options=options, limit=5)
        given = [asset["localIdentifier"] for asset in page["assets"]]
        change(every, given)
        now, found = members(), list(given)
        while page.get("cursor"):
            page = app.call("FetchAssets", options=options, limit=5, cursor=page["cursor"])
            found += [asset["localIdentifier"] for asset in page["assets"]]
        assert [one for one in every if one in now and one not in found] == []
        # An asset that moved behind the last page may appear twice, and no other.
        assert len(found) - len(set(found)) <= 1
        scene.owner.call("MarkAssets", library=scene.library, selector={"all": True}, hidden=False)
        if missing := [one for one in assets if one not in members()]:
            edit("addToAlbum", *missing)
