"""Limited mode, albums, changes and errors over the wire, as far as no other file tests them.

R14, R40, R45 to R50, R95, R113 to R115, R137, R142.
"""

import os

import pytest

from house.broker import Album
from house.person import wait_for
from house.pictures import real_photographs
from house.plugins import install_shared

ABSENT = "%032x" % 7


def make_album(app, title):
    return app.change("createAlbum", text=title)["createdAlbums"][0]


def albums(app):
    return {a["title"]: a for a in app.call("FetchAlbums")["albums"]}


# Albums


def full_access_app(scene, name="org.example.full"):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce(name)
    scene.owner.set(scene.library, other.name, "authorized", albumPolicy="full")
    assert other.request() == "authorized"
    return other


@pytest.mark.library("shared")
def test_R49_R50_full_access_fetches_and_changes_every_album(scene):
    one, two = full_access_app(scene), full_access_app(scene, "org.example.second")
    album = make_album(one, "Holiday")
    known = two.identifiers()
    wait_for(lambda: "Holiday" in albums(two), "the album of the other")
    seen = albums(two)["Holiday"]
    assert seen["canEdit"] and seen["localIdentifier"] != album, "each app has its own names"
    two.change("addToAlbum", album=seen["localIdentifier"], assets=[known[p] for p in scene.pictures[:2]])
    two.change("renameAlbum", album=seen["localIdentifier"], text="Summer")
    wait_for(lambda: "Summer" in albums(one), "the new title")
    assert albums(one)["Summer"]["count"] == 2 and set(one.names(album=album)) == set(scene.pictures[:2])
    one.change("removeFromAlbum", album=album, assets=[one.identifiers()[scene.pictures[0]]])
    assert two.names(album=seen["localIdentifier"]) == [scene.pictures[1]]
    two.change("deleteAlbum", album=seen["localIdentifier"])
    assert albums(one) == albums(two) == {} and one.count() == len(scene.pictures)


def test_R47_R48_an_own_album_stays_visible_after_full_access_without_its_hidden_members(scene):
    other = full_access_app(scene)
    scene.owner.set(scene.library, scene.app.name, "authorized")
    scene.app.request()
    known = scene.app.identifiers()
    mine = make_album(scene.app, "Mine")
    scene.app.change("addToAlbum", album=mine, assets=[known[p] for p in scene.pictures[:3]])
    theirs = make_album(other, "Theirs")
    other.change("addToAlbum", album=theirs, assets=[other.identifiers()[p] for p in scene.pictures[:3]])
    scene.owner.set(scene.library, scene.app.name, "limited", albumPolicy="own")
    scene.select(1, 5)
    scene.app.request()
    wait_for(lambda: list(albums(scene.app)) == ["Mine"], "its own album alone")
    assert albums(scene.app)["Mine"]["count"] == 1
    assert scene.app.names(album=mine) == [scene.pictures[1]]
    # It can use its own album, and may reuse the title of an invisible one.
    scene.app.change("addToAlbum", album=mine, assets=[known[scene.pictures[5]]])
    twin = make_album(scene.app, "Theirs")
    scene.app.change("renameAlbum", album=mine, text="Still mine")
    assert sorted(albums(scene.app)) == ["Still mine", "Theirs"]
    assert scene.app.refusal("FetchAssets", options={"album": theirs}).parameters["code"] == 3201
    scene.app.change("deleteAlbum", album=twin)
    assert list(albums(scene.app)) == ["Still mine"]


def test_R46_the_2020_policy_shows_and_creates_no_albums(scene):
    other = full_access_app(scene)
    make_album(other, "Holiday")
    scene.limit(0)
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="none")
    assert albums(scene.app) == {}
    refused = scene.app.refusal("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])
    assert (refused.parameters["code"], refused.reason) == (3311, "accessUserDenied")


def test_R137_a_policys_changed_answer_reaches_a_running_app(scene):
    scene.limit(0)
    make_album(scene.app, "Mine")
    scene.app.observe()
    shown = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="none")
    wait_for(lambda: any(e["albumsChanged"] for e in scene.app.events()), "the event")
    wait_for(lambda: albums(scene.app) == {}, "the policy's answer")
    gone = scene.app.call("FetchPersistentChanges", since=shown)["event"]
    assert gone["albumsChanged"] and not gone["resynchronize"], "a token tells it as well"
    assert not scene.app.call("FetchPersistentChanges", since=gone["changeToken"])["event"]["albumsChanged"], "and once"
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="own")
    wait_for(lambda: list(albums(scene.app)) == ["Mine"], "the policy's answer")
    assert scene.app.call("FetchPersistentChanges", since=gone["changeToken"])["event"]["albumsChanged"]


def test_album_order_is_set_and_read_back(scene):
    scene.allow()
    known = scene.app.identifiers()
    ordered = [scene.pictures[n] for n in (3, 0, 4, 1)]
    album = make_album(scene.app, "Order")
    scene.app.change("addToAlbum", album=album, assets=[known[p] for p in ordered])

    def read(limit=100, **options):
        return [a["filename"] for a in scene.app.fetch(limit=limit, album=album, sort="album", **options)]

    assert read(ascending=True) == read(limit=1, ascending=True) == read(limit=3, ascending=True) == ordered
    assert read() == ordered[::-1]
    scene.app.change(
        "moveInAlbum", album=album, assets=[known[ordered[3]], known[ordered[1]]], before=known[ordered[0]]
    )
    assert read(limit=2, ascending=True) == [ordered[n] for n in (3, 1, 0, 2)]
    scene.app.change("moveInAlbum", album=album, assets=[known[ordered[3]]])
    assert read(ascending=True) == [ordered[n] for n in (1, 0, 2, 3)]
    for wrong in (
        {"assets": [known[scene.pictures[5]]]},
        {"assets": [known[ordered[0]]], "before": known[scene.pictures[5]]},
        {"assets": [known[ordered[0]]], "before": known[ordered[0]]},
    ):
        assert (
            scene.app.refusal("PerformChanges", changes=[{"kind": "moveInAlbum", "album": album, **wrong}]).parameters[
                "code"
            ]
            == 3300
        )
    assert (
        scene.app.refusal(
            "PerformChanges",
            changes=[{"kind": "moveInAlbum", "album": album, "assets": [known[ordered[0]]], "before": ABSENT}],
        ).parameters["code"]
        == 3201
    )
    assert scene.app.refusal("FetchAssets", options={"sort": "album"}).error == "InvalidParameter"
    # R40: in limited mode albums keep their order, and a cursor survives assets that left.
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0, 4)
    scene.app.request()
    assert read(limit=1, ascending=True) == [ordered[0], ordered[2]] or read(ascending=True) == [
        scene.pictures[0],
        scene.pictures[4],
    ]


def test_R95_album_identifiers_survive_a_restart_and_a_revocation(own_scene):
    scene = own_scene
    scene.allow()
    album = make_album(scene.app, "Mine")
    scene.broker.restart()
    assert albums(scene.app)["Mine"]["localIdentifier"] == album
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    scene.allow()
    assert albums(scene.app)["Mine"]["localIdentifier"] == album


# Cloud-shared


def test_R45_another_librarys_shared_photos_are_absent_in_limited_mode_by_every_route(own_broker):
    house = own_broker.house
    owner, app = own_broker.owner(), own_broker.app()
    album = Album(house, f"shared-{owner.uid}", owner.uid)
    for number, name in enumerate(["own-0.jpg", "own-1.jpg", "shared/theirs-2.jpg"]):
        album.add(number, name)
    os.chmod(album.folder, 0o755)
    owner.call(
        "AddLibrary",
        name="mixed",
        backend=install_shared(house),
        options={"path": str(album.folder)},
        offeredTo=[app.uid],
    )
    owner.wait_for_library("mixed", 3)
    app.introduce()
    owner.set("mixed", app.name, "authorized", albumPolicy="full")
    app.request()
    sources = {a["filename"]: a["sourceType"] for a in app.fetch()}
    assert sources == {"own-0.jpg": "userLibrary", "own-1.jpg": "userLibrary", "theirs-2.jpg": "cloudShared"}
    known = app.identifiers()
    mine = make_album(app, "All of them")
    app.change("addToAlbum", album=mine, assets=list(known.values()))
    theirs = known["theirs-2.jpg"]
    owner.set("mixed", app.name, "limited")
    owner.call("EditSelection", library="mixed", app=app.name, add={"all": True})
    owner.call("EditSelection", library="mixed", app=app.name, add={"filename": "theirs-2.jpg"})
    app.request()
    assert sorted(app.names()) == ["own-0.jpg", "own-1.jpg"] and app.count() == 2
    assert sorted(app.names(album=mine)) == ["own-0.jpg", "own-1.jpg"] and albums(app)["All of them"]["count"] == 2
    assert app.names(identifiers=[theirs]) == []
    for method, parameters in [
        ("GetResources", {}),
        ("OpenResource", {}),
        ("ReadBytes", {"offset": 0, "length": 1}),
        ("GetThumbnail", {"maxPixels": 64}),
    ]:
        assert app.refusal(method, asset=theirs, **parameters).parameters["code"] == 3201, method
    assert app.call("GetCloudIdentifiers", localIdentifiers=[theirs])["mappings"][0]["reason"] == "identifierNotFound"
    assert (
        app.refusal("PerformChanges", changes=[{"kind": "addToAlbum", "album": mine, "assets": [theirs]}]).parameters[
            "code"
        ]
        == 3201
    )


def test_R45_R71_a_photo_that_becomes_cloud_shared_leaves_limited_views_with_an_event(own_broker):
    house = own_broker.house
    owner, app = own_broker.owner(), own_broker.app()
    album = Album(house, f"moved-{owner.uid}", owner.uid)
    for number, name in enumerate(["own-0.jpg", "own-1.jpg", "shared/theirs-2.jpg"]):
        album.add(number, name)
    os.chmod(album.folder, 0o755)
    owner.call(
        "AddLibrary",
        name="moving",
        backend=install_shared(house),
        options={"path": str(album.folder)},
        offeredTo=[app.uid],
    )
    owner.wait_for_library("moving", 3)
    app.introduce()
    owner.set("moving", app.name, "limited")
    owner.call("EditSelection", library="moving", app=app.name, add={"all": True})
    app.request()
    moved = app.identifiers()["own-1.jpg"]
    token = app.call("FetchPersistentChanges")["event"]["changeToken"]
    app.observe()
    (album.folder / "own-1.jpg").rename(album.folder / "shared/own-1.jpg")
    wait_for(lambda: any(moved in e["removed"] for e in app.events()), "the event")
    assert app.names() == ["own-0.jpg"] and app.count() == 1
    assert app.refusal("OpenResource", asset=moved).parameters["code"] == 3201
    changes = app.call("FetchPersistentChanges", since=token)["event"]
    assert changes["removed"] == [moved] and not changes["changed"]
    (album.folder / "shared/own-1.jpg").rename(album.folder / "own-1.jpg")
    wait_for(lambda: any(a["localIdentifier"] == moved for e in app.events() for a in e["inserted"]), "it to be back")
    assert sorted(app.names()) == ["own-0.jpg", "own-1.jpg"]


# Smart albums


def test_R40_smart_albums_hold_their_kind_within_the_selection(scene):
    photographs = real_photographs()
    if photographs is None:
        pytest.skip("the real photographs, with bursts, Live Photos and videos, are not beside this checkout")
    files = [
        *sorted((photographs / "burst").iterdir())[:3],
        *(photographs / "live").iterdir(),
        photographs / "video/video_rotate.mp4",
    ]
    for file in files:
        scene.album.put(file.name, file.read_bytes())
    wait_for(lambda: scene.owner.library(scene.library)["assets"] >= len(scene.pictures) + 4, "the photographs")
    scene.owner.wait_for_library(scene.library)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[0]}, favorite=True)
    scene.allow()
    everything = {a["filename"]: set(a.get("mediaSubtypes") or []) for a in scene.app.fetch()}
    names = ("favorites", "videos", "screenshots", "bursts", "livePhotos", "recentlyAdded")
    found = {name: set(scene.app.names(smartAlbum=name)) for name in names}
    assert found["favorites"] == {scene.pictures[0]} and "video_rotate.mp4" in found["videos"]
    assert found["bursts"] == {n for n, s in everything.items() if "burst" in s} != set()
    assert found["livePhotos"] == {n for n, s in everything.items() if "livePhoto" in s} != set()
    assert found["screenshots"] == {n for n, s in everything.items() if "screenshot" in s}
    assert found["recentlyAdded"] == set(everything)
    chosen = [scene.pictures[1], sorted(found["bursts"])[0], sorted(found["livePhotos"])[0]]
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(*chosen)
    scene.app.request()
    for name in names:
        assert set(scene.app.names(smartAlbum=name)) == found[name] & set(chosen), name
        assert scene.app.count(smartAlbum=name) == len(found[name] & set(chosen)), name


# Changes


def test_R14_R113_a_change_request_is_atomic_has_dry_runs_and_checks_versions(scene):
    scene.allow()
    first, second = scene.app.fetch()[:2]
    one, two = first["localIdentifier"], second["localIdentifier"]
    before = scene.app.fetch()
    scene.app.call(
        "PerformChanges",
        dryRun=True,
        changes=[
            {"kind": "setFavorite", "assets": [one], "favorite": True},
            {"kind": "createAlbum", "text": "Dry"},
            {"kind": "delete", "assets": [two]},
        ],
    )
    assert scene.app.fetch() == before and albums(scene.app) == {}, "a dry run changes nothing"
    for dry in (True, False):
        refused = scene.app.refusal(
            "PerformChanges",
            dryRun=dry,
            changes=[
                {"kind": "setFavorite", "assets": [one], "favorite": True},
                {"kind": "createAlbum", "text": "Half"},
                {"kind": "setFavorite", "assets": [ABSENT], "favorite": True},
            ],
        )
        assert (refused.parameters["code"], refused.reason) == (3201, "identifierNotFound")
        assert scene.app.fetch() == before and albums(scene.app) == {}, "all or nothing"
    scene.app.change("setCaption", assets=[one], text="seen")
    scene.app.change("setFavorite", assets=[one], favorite=True, versions=[scene.app.fetch()[0]["version"]])
    refused = scene.app.refusal(
        "PerformChanges",
        changes=[
            {
                "kind": "setFavorite",
                "assets": [two, one],
                "favorite": False,
                "versions": [second["version"], first["version"]],
            }
        ],
    )
    assert (refused.parameters["code"], refused.reason) == (3301, "operationInterrupted"), (
        "an edit against an older version"
    )
    assert scene.app.fetch()[0]["isFavorite"] and scene.app.fetch()[1] == second
    scene.app.change("createAlbum", text="Mine")
    mine = albums(scene.app)["Mine"]["localIdentifier"]
    stale = {"assets": [two, one], "album": mine, "versions": [second["version"], first["version"]]}
    for kind in ("addToAlbum", "removeFromAlbum", "moveInAlbum"):
        present = [a["version"] for a in (scene.app.fetch()[1], scene.app.fetch()[0])]
        if kind == "moveInAlbum":
            scene.app.change("addToAlbum", assets=[two, one], album=mine, versions=present)
        refused = scene.app.refusal("PerformChanges", changes=[{"kind": kind, **stale}])
        assert (refused.parameters["code"], refused.reason) == (3301, "operationInterrupted"), kind
        scene.app.change(kind, **{**stale, "versions": present})
    for wrong in (
        {"kind": "setCaption", "assets": [one], "text": "\x07"},
        {"kind": "setFavorite", "assets": [], "favorite": True},
    ):
        refused = scene.app.refusal("PerformChanges", changes=[wrong])
        assert refused.parameters.get("code") == 3300 or refused.error == "InvalidParameter"


def test_R14_R142_edits_are_stored_and_leave_the_files_unchanged(own_scene):
    scene = own_scene
    scene.allow()
    asset = scene.app.fetch()[0]
    path = scene.album.folder / asset["filename"]
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    scene.app.call(
        "PerformChanges",
        changes=[
            {"kind": "setFavorite", "assets": [asset["localIdentifier"]], "favorite": True},
            {"kind": "setCreationDate", "assets": [asset["localIdentifier"]], "creationDate": 1_000_000_000_000_000},
            {"kind": "setLocation", "assets": [asset["localIdentifier"]], "latitude": -90.0, "longitude": 180.0},
        ],
    )
    scene.broker.kill()
    scene.broker.start()
    scene.app.new_connection()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library)
    scene.owner.rescan(scene.library)
    now = scene.app.named(asset["filename"])
    kept = (now["isFavorite"], now["creationDate"], now["creationDateOrigin"], now["latitude"])
    assert kept == (True, 1_000_000_000_000_000, "edited", -90.0)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_R142_a_deletion_goes_to_the_trash_and_its_owner_restores_it(scene):
    scene.limit(0, 1)
    known = scene.app.identifiers()
    album = make_album(scene.app, "Mine")
    scene.app.change("addToAlbum", album=album, assets=list(known.values()))
    path = scene.album.folder / scene.pictures[0]
    os.chmod(scene.album.folder, 0o770)
    content = path.read_bytes()
    scene.app.change("delete", assets=[known[scene.pictures[0]]])
    assert scene.app.names() == [scene.pictures[1]]
    trash = wait_for(lambda: scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"], "the trash")
    assert [a["filename"] for a in trash] == [scene.pictures[0]]
    wait_for(lambda: not path.exists(), "the file to be moved")
    scene.app.observe()
    identifier = trash[0]["identifier"]
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[identifier], dryRun=True) == {
        "restored": 1
    }
    told = scene.broker.photobroker(scene.owner.uid, "asset", "restore", scene.library, identifier, "--preview").stdout
    assert "1 asset would be restored" in told
    assert scene.owner.call("FetchTrashedAssets", library=scene.library)["total"] == 1 and not path.exists(), (
        "a dry run changes nothing"
    )
    assert (
        scene.owner.refusal("RestoreAssets", library=scene.library, identifiers=[ABSENT], dryRun=True).error
        == "NotFound"
    )
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[identifier]) == {"restored": 1}
    assert path.read_bytes() == content
    assert scene.app.identifiers() == known and set(scene.app.names(album=album)) == set(scene.pictures[:2])
    wait_for(scene.app.events, "the event")
    assert [a["filename"] for a in scene.app.events()[0]["inserted"]] == [scene.pictures[0]]
    assert scene.app.digest(known[scene.pictures[0]])
    assert scene.owner.call("FetchTrashedAssets", library=scene.library) == {"assets": [], "total": 0}
    for identifier in (trash[0]["identifier"], ABSENT):
        assert scene.owner.refusal("RestoreAssets", library=scene.library, identifiers=[identifier]).error == "NotFound"
    stranger = scene.broker.owner()
    for method, more in [("FetchTrashedAssets", {}), ("RestoreAssets", {"identifiers": [trash[0]["identifier"]]})]:
        assert stranger.refusal(method, library=scene.library, **more).error == "NotFound"
    root = scene.broker.owner(0)
    assert root.refusal("FetchTrashedAssets", library=scene.library).error == "NotPermitted", (
        "an administrator does not see"
    )


# Errors


@pytest.mark.library("shared")
def test_R114_a_failed_resource_request_says_why(scene):
    scene.limit(0)
    asset = scene.app.fetch()[0]["localIdentifier"]
    for method, parameters, reason in [
        ("OpenResource", {"asset": ABSENT}, "identifierNotFound"),
        ("ReadBytes", {"asset": ABSENT, "offset": 0, "length": 1}, "identifierNotFound"),
        ("GetThumbnail", {"asset": ABSENT, "maxPixels": 64}, "identifierNotFound"),
        ("OpenResource", {"asset": asset, "role": "raw"}, "missingResource"),
    ]:
        refused = scene.app.refusal(method, **parameters)
        assert refused.error == "PhotosError" and refused.parameters["message"].endswith("."), refused
        assert refused.reason == reason, refused


@pytest.mark.library("shared")
def test_R115_a_failed_library_access_says_why(scene):
    for status, code, reason in [("denied", 3311, "accessUserDenied"), ("restricted", 3310, "accessRestricted")]:
        (scene.broker.owner(0) if status == "restricted" else scene.owner).set(scene.library, scene.app.name, status)
        for method, parameters in [
            ("FetchAssets", {}),
            ("CountAssets", {}),
            ("FetchAlbums", {}),
            ("GetResources", {"asset": ABSENT}),
        ]:
            refused = scene.app.refusal(method, **parameters)
            assert (refused.parameters["code"], refused.reason) == (code, reason), (method, refused)
            assert refused.parameters["message"]
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    refused = other.refusal("FetchPersistentChanges", since="A" * 40)
    assert (refused.parameters["code"], refused.reason) == (3105, "persistentChangeTokenExpired")
