"""Tokens for an album or dates, which photos join and leave while a connection lasts (R155)."""

import base64

import pytest

from house.person import wait_for
from house.pictures import day, jpeg, microseconds
from house.tokens import attenuated

pytestmark = pytest.mark.library("own")


def holder(scene, *caveats, token=None):
    """A process of its own with an attenuated token of the app."""
    app = scene.broker.app(uid=scene.app.uid)
    app.use(attenuated(token or scene.app.token, *caveats))
    app.new_connection()
    return app


def dates(first, end):
    """Caveats for the pictures of these days, without the last one."""
    return [f"createdFrom = {int(day(first).timestamp())}", f"createdBefore = {int(day(end).timestamp())}"]


def album_of(scene, title):
    return next(a["localIdentifier"] for a in scene.app.call("FetchAlbums")["albums"] if a["title"] == title)


def edit_album(scene, album, **edit):
    """Add or remove pictures."""
    chosen = {kind: scene.owner.naming(scene.library, map(scene.name, names)) for kind, names in edit.items()}
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, **chosen)


def test_R155_photos_join_and_leave_the_album_of_a_token_while_its_holder_observes(scene):
    album = scene.make_album("Trips", 0, 1)["album"]
    scene.allow()
    known = scene.app.identifiers()
    app = holder(scene, f"album = {album_of(scene, 'Trips')}")
    assert set(app.names()) == {scene.pictures[0], scene.pictures[1]}
    assert app.album_rows() == [("Trips", 2, True)]
    app.observe()
    edit_album(scene, album, add=[2])
    wait_for(lambda: app.events(), "the arrival")
    assert [a["filename"] for e in app.events() for a in e["inserted"]] == [scene.pictures[2]]
    assert app.count() == 3
    edit_album(scene, album, remove=[0])
    for method, parameters in (
        ("GetResources", {}),
        ("OpenResource", {"role": "original"}),
        ("ReadBytes", {"role": "original", "offset": 0, "length": 16}),
        ("GetThumbnail", {"maxPixels": 64}),
    ):
        refused = app.refusal(method, asset=known[scene.pictures[0]], **parameters)
        assert refused.parameters["code"] == 3201, method
    wait_for(lambda: len(app.events()) > 1, "the removal")
    assert app.events()[1]["removed"] == [known[scene.pictures[0]]]
    assert not any(e.get("resynchronize") for e in app.events())
    assert scene.app.count() == len(scene.pictures), "the app itself lost nothing"
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    assert app.names() == [] and app.call("FetchAlbums")["albums"] == []
    wait_for(lambda: len(app.events()) > 2, "the removal of the rest")
    assert set(app.events()[2]["removed"]) == {known[scene.pictures[1]], known[scene.pictures[2]]}


def test_R155_dates_that_an_app_or_a_file_sets_move_photos_into_a_tokens_range_and_out(scene):
    scene.allow()
    known = scene.app.identifiers()
    app = holder(scene, *dates(1, 3))
    assert set(app.names()) == {scene.pictures[1], scene.pictures[2]}
    app.observe()
    date = lambda name, number: scene.app.change(
        "setCreationDate", assets=[known[scene.name(name)]], creationDate=microseconds(day(number))
    )
    date(0, 1)
    assert app.count() == 3
    date(1, 9)
    assert app.count() == 2
    scene.album.put("new.jpg", jpeg(day(2)))
    scene.album.put("elsewhere.jpg", jpeg(day(12)))
    scene.owner.rescan(scene.library)
    wait_for(lambda: app.count() == 3, "the new photo")
    told = lambda kind: [x if kind == "removed" else x["filename"] for e in app.events() for x in e[kind]]
    wait_for(lambda: len(told("inserted")) == 2, "the events")
    assert told("inserted") == [scene.pictures[0], "new.jpg"] and told("removed") == [known[scene.pictures[1]]]
    # Its own holder can move a photo out, and is answered.
    app.change("setCreationDate", assets=[known[scene.pictures[2]]], creationDate=microseconds(day(20)))
    assert set(app.names()) == {scene.pictures[0], "new.jpg"}
    # The end is exclusive, and the beginning is not.
    assert holder(scene, *dates(20, 21)).names() == [scene.pictures[2]]
    assert holder(scene, *dates(19, 20)).names() == []


def test_R155_a_token_of_an_album_and_dates_tells_of_nothing_else(scene):
    scene.make_album("Trips", 0, 1)
    other = scene.make_album("Other", 2)["album"]
    scene.allow()
    known = scene.app.identifiers()
    holders = [
        holder(scene, f"album = {album_of(scene, 'Trips')}"),
        holder(scene, *dates(0, 2)),
        holder(scene, f"album = {album_of(scene, 'Trips')}", *dates(0, 9), f"assets = {known[scene.pictures[0]]}"),
    ]
    state = lambda app: [
        app.call("FetchPersistentChanges")["event"],
        app.call("FetchAlbums"),
        app.call("FetchVersions"),
        app.call("DescribeAccess", level="readWrite"),
        app.fetch(),
    ]
    before = [state(app) for app in holders]
    for app in holders:
        app.observe()
    edit_album(scene, other, add=[3])
    scene.mark(2, favorite=True)
    scene.mark(3, hidden=True)
    scene.app.change("setCreationDate", assets=[known[scene.pictures[2]]], creationDate=microseconds(day(30)))
    scene.album.put("new.jpg", jpeg(day(12)))
    scene.owner.rescan(scene.library)
    wait_for(lambda: "new.jpg" in scene.app.names(), "the new photo")
    assert [state(app) for app in holders] == before
    scene.mark(0, favorite=True)
    for app in holders:
        wait_for(lambda: app.events(), "the event")
        assert [[a["filename"] for a in e["changed"]] for e in app.events()] == [[scene.pictures[0]]]


def test_R155_an_invisible_album_gives_the_answers_of_none(scene):
    album = scene.make_album("Trips", 0, 1)["album"]
    scene.allow()
    known, hidden = scene.app.identifiers(), album_of(scene, "Trips")
    scene.limit(0, 1, 2)
    holders = [holder(scene, f"album = {identifier}") for identifier in (hidden, "0" * 32)]
    for app in holders:
        app.observe()

    def answers(app):
        return [
            app.fetch(),
            app.count(),
            app.call("FetchAlbums")["albums"],
            app.call("DescribeAccess", level="readWrite"),
            app.refusal("GetResources", asset=known[scene.pictures[0]]).parameters,
            app.refusal("GetThumbnail", asset=known[scene.pictures[0]], maxPixels=64).parameters,
            app.call("FetchPersistentChanges")["event"]["inserted"],
            app.events(),
        ]

    assert answers(holders[0]) == answers(holders[1])
    assert holders[0].fetch() == []
    edit_album(scene, album, add=[2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    assert scene.app.count() == 3
    assert answers(holders[0]) == answers(holders[1]) and holders[0].events() == []


def test_R155_the_album_of_a_token_is_known_after_a_start(scene):
    scene.make_album("Trips", 0, 1)
    scene.allow()
    app = holder(scene, f"album = {album_of(scene, 'Trips')}")
    assert app.count() == 2
    token = app.call("FetchPersistentChanges")["event"]["changeToken"]
    scene.broker.stop()
    scene.broker.start()
    app.new_connection()
    assert app.count() == 2
    refused = app.refusal("FetchPersistentChanges", since=token)
    assert refused.parameters["code"] == 3105, "the app compares with FetchVersions"


@pytest.mark.parametrize(
    "caveat",
    [
        "album = Trips",
        "album = ",
        "album = " + "A" * 32,
        "album = " + "0" * 32 + "," + "1" * 32,
        "createdFrom = 2026-07-01",
        "createdFrom = -",
        "createdFrom = -0",
        "createdFrom = 99999999999999999999999999",
        "createdBefore = 253402300800",
        "createdBefore = -62135596801",
        "created = 1",
    ],
)
def test_R155_a_garbled_album_or_date_is_refused(scene, caveat):
    scene.allow()
    app = scene.broker.app(uid=scene.app.uid)
    assert app.refusal("Attach", token=attenuated(scene.app.token, caveat)).error == "TokenRefused"
    app.call("Attach", token=attenuated(scene.app.token, "createdFrom = -62135596800", "createdBefore = 253402300799"))
    assert app.count() == len(scene.pictures)


def test_R155_changes_of_an_album_reach_all_tokens_of_which_a_grant_has_few(scene):
    album = scene.make_album("Trips", 0)["album"]
    scene.allow()
    identifier = album_of(scene, "Trips")
    app = holder(scene, f"album = {identifier}")
    connections = [f"c{number}" for number in range(7)]
    for number, connection in enumerate(connections):
        token = attenuated(scene.app.token, f"album = {identifier}", f"createdFrom = {number}")
        app.call("Attach", on=connection, token=token)
        assert app.call("CountAssets", on=connection)["count"] == 1
    ninth = attenuated(scene.app.token, "createdFrom = 9")
    assert "8 different sets" in app.refusal("Attach", on="ninth", token=ninth).parameters["message"]
    for number in range(10):
        edit_album(scene, album, add=[1])
        assert {app.call("CountAssets", on=connection)["count"] for connection in connections} == {2}
        edit_album(scene, album, remove=[1])
    assert {app.call("CountAssets", on=connection)["count"] for connection in connections} == {1}


def test_R155_the_command_line_narrows_and_mints_by_album_and_dates(scene, house):
    scene.make_album("Trips", 0, 1)
    scene.allow()
    album = album_of(scene, "Trips")
    folder = house.make_folder(f"live-tokens-{scene.owner.uid}", scene.owner.uid)
    run = lambda *arguments, **more: scene.broker.photobroker(scene.owner.uid, "token", *arguments, **more)
    place = (scene.library, scene.app.name, "see-and-change", "--file")
    run("mint", *place, folder / "child", "--name", "frame", "--album", album)
    assert holder(scene, token=(folder / "child").read_text().strip()).count() == 2
    run("mint", *place, folder / "whole")
    times = ("--created-from", "2024-01-02T00:00Z", "--created-before", "2024-01-03T00:00Z")
    run("narrow", folder / "whole", "--album", album, *times, "--file", folder / "narrow")
    assert holder(scene, token=(folder / "narrow").read_text().strip()).names() == [scene.pictures[1]]
    shown = run("inspect", folder / "narrow").stdout
    assert album in shown and "from 2024-01-0" in shown and "before 2024-01-0" in shown
    assert base64.urlsafe_b64decode((folder / "narrow").read_text().strip() + "===").count(b"createdFrom = ") == 1
    run("narrow", folder / "whole", "--created-from", "2024-01-02T00:00:00.5Z", "--file", folder / "rounded")
    rounded = base64.urlsafe_b64decode((folder / "rounded").read_text().strip() + "===")
    assert b"createdFrom = 1704153601" in rounded, "to the smaller range"
    for arguments, why in (
        (("--album", "Trips"), "no identifier of an album"),
        (("--created-from", "soon"), "takes a date such as"),
        (("--created-from", "2024-02-01", "--created-before", "2024-01-01"), "must be before"),
        (("--created-before", "0001-01-01T00:00+14:00"), "years 1 to 9999"),
    ):
        refused = run("narrow", folder / "whole", *arguments, "--file", folder / "none", expect=None)
        assert refused.returncode != 0 and why in refused.stderr, refused.stderr
        assert not (folder / "none").exists()
    refused = run("narrow", folder / "narrow", "--created-from", "2025-01-01", "--file", folder / "none", expect=None)
    assert "allow nothing" in refused.stderr
