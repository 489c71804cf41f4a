"""Limited mode: calls answer as if the library held the selection alone."""

import hashlib
import uuid

import pytest

from house.person import Refused, wait_for
from house.pictures import day, microseconds

pytestmark = pytest.mark.library("shared")


def test_R38_R41_limited_and_full_access_answer_in_the_same_shape(scene):
    scene.allow()
    full = scene.app.fetch()
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0, 3)
    limited = scene.app.fetch()
    chosen = {scene.pictures[0], scene.pictures[3]}
    assert limited == [a for a in full if a["filename"] in chosen]


def test_R39_only_selected_photos_are_fetched_or_opened(scene):
    scene.allow()
    identifiers = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(2)
    for filename, identifier in identifiers.items():
        if filename == scene.pictures[2]:
            path = scene.album.folder / filename
            assert scene.app.digest(identifier) == hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            for name, parameters in calls_on(identifier):
                assert scene.app.refusal(name, **parameters).parameters["code"] == 3201, (name, filename)


def calls_on(identifier):
    return [
        ("GetResources", {"asset": identifier}),
        ("OpenResource", {"asset": identifier, "role": "original"}),
        ("ReadBytes", {"asset": identifier, "offset": 0, "length": 16}),
        ("GetThumbnail", {"asset": identifier, "maxPixels": 64}),
        ("PerformChanges", {"changes": [{"kind": "setFavorite", "assets": [identifier], "favorite": True}]}),
        ("PerformChanges", {"changes": [{"kind": "delete", "assets": [identifier]}]}),
    ]


def test_R40_an_unselected_identifier_answers_like_an_unknown_one(scene):
    scene.allow()
    hidden = scene.app.named(scene.pictures[5])["localIdentifier"]
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0)
    never = uuid.uuid4().hex
    for (name, one), (_, other) in zip(calls_on(hidden), calls_on(never)):
        first, second = scene.app.refusal(name, **one), scene.app.refusal(name, **other)
        assert (first.name, first.parameters) == (second.name, second.parameters), name
    assert scene.app.fetch(identifiers=[hidden, never]) == []
    assert scene.app.count(identifiers=[hidden, never]) == 0


def test_R40_counts_pages_search_and_order_cover_the_selection_only(make_scene):
    scene = make_scene(30)
    chosen = [scene.pictures[n] for n in (1, 2, 7, 11, 12, 19, 28)]
    scene.limit(*chosen)
    newest = chosen[::-1]
    assert scene.app.names() == newest
    assert scene.app.names(ascending=True) == chosen
    assert scene.app.call("CountAssets") == {"count": 7, "images": 7, "videos": 0}
    for limit in (1, 2, 3, 7, 8):
        assert [a["filename"] for a in scene.app.fetch(limit=limit)] == newest
    assert scene.app.names(text="picture-01") == [n for n in newest if "picture-01" in n]
    assert scene.app.names(text="picture-02") == [n for n in newest if "picture-02" in n]
    assert scene.app.names(smartAlbum="recentlyAdded") == newest
    assert scene.app.names(smartAlbum="favorites") == []
    assert scene.app.names(sort="filename", ascending=True) == sorted(chosen)
    assert scene.app.call("DescribeAccess", level="readWrite")["visible"] == 7


def test_R40_an_empty_selection_looks_like_an_empty_library(scene):
    scene.limit()
    assert scene.app.fetch() == []
    assert scene.app.call("CountAssets") == {"count": 0, "images": 0, "videos": 0}
    assert scene.app.call("FetchAlbums") == {"albums": []}


@pytest.mark.library("own")
def test_R40_a_cursor_stays_correct_while_the_library_changes(make_scene):
    scene = make_scene(12)
    scene.allow()
    first = scene.app.call("FetchAssets", limit=4)
    scene.album.add(100, "newer.jpg")
    (scene.album.folder / scene.pictures[10]).unlink()
    wait_for(lambda: scene.app.count() == 12 and "newer.jpg" in scene.app.names(), "the changes")
    rest, cursor = [], first["cursor"]
    while cursor:
        page = scene.app.call("FetchAssets", limit=4, cursor=cursor)
        rest += [a["filename"] for a in page["assets"]]
        cursor = page.get("cursor")
    assert rest == scene.newest_first[4:], "neither twice nor left out"


def test_R40_a_cursor_is_valid_for_its_grant_only(make_scene):
    scene = make_scene(8)
    scene.allow()
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(app=other)
    cursor = scene.app.call("FetchAssets", limit=2)["cursor"]
    assert scene.app.call("FetchAssets", limit=2, cursor=cursor)["assets"]
    refused = other.refusal("FetchAssets", limit=2, cursor=cursor)
    garbled = other.refusal("FetchAssets", limit=2, cursor=cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB"))
    assert (refused.name, refused.parameters) == (garbled.name, garbled.parameters)
    assert scene.app.refusal("FetchAssets", limit=2, cursor=cursor, options={"ascending": True}).name == refused.name


@pytest.mark.library("own")
def test_R42_metadata_is_visible_within_the_selection_only(scene):
    for number in (0, 1, 2):
        scene.owner.call(
            "MarkAssets", library=scene.library, selector={"filename": scene.pictures[number]}, favorite=True
        )
    scene.limit(1, 4)
    assert scene.app.names(favorite=True) == [scene.pictures[1]]
    assert scene.app.count(favorite=True) == 1
    assert scene.app.names(favorite=False) == [scene.pictures[4]]


def test_filters_combine(make_scene):
    scene = make_scene(10)
    scene.allow()
    assert (
        scene.app.names(createdFrom=microseconds(day(3)), createdBefore=microseconds(day(6))) == scene.newest_first[4:7]
    )
    assert scene.app.names(createdFrom=microseconds(day(3)), text="004") == [scene.pictures[4]]
    assert scene.app.names(mediaTypes=["video"]) == []
    assert scene.app.count(mediaTypes=["image"]) == 10
    for asset in scene.app.fetch():
        assert asset["creationDate"] == microseconds(day(int(asset["filename"][8:11])))
        if scene.house.has_media:
            assert (asset["pixelWidth"], asset["pixelHeight"], asset["creationDateOrigin"]) == (64, 48, "offset")


@pytest.mark.library("own")
def test_R46_R47_album_policies_rule_limited_access(scene):
    scene.limit(0, 1)
    created = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])["createdAlbums"]
    assert len(created) == 1
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.call("PerformChanges", changes=[{"kind": "addToAlbum", "album": created[0], "assets": [asset]}])
    albums = scene.app.call("FetchAlbums")["albums"]
    assert [(a["title"], a["count"], a["canEdit"]) for a in albums] == [("Mine", 1, True)]
    assert scene.app.names(album=created[0]) == [scene.pictures[0]]
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    assert other.call("FetchAlbums")["albums"] == [], "R48: no others"
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="none")
    wait_for(lambda: scene.app.call("FetchAlbums")["albums"] == [], "the rule of 2020")
    refused = scene.app.refusal("PerformChanges", changes=[{"kind": "createAlbum", "text": "Another"}])
    assert refused.parameters["code"] == 3311


def test_two_apps_share_no_identifier(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow()
    scene.allow(app=other)
    mine = {a["localIdentifier"] for a in scene.app.fetch()}
    theirs = {a["localIdentifier"] for a in other.fetch()}
    owners = {a["identifier"] for a in scene.owner.assets(scene.library)}
    assert len(mine) == len(theirs) == len(owners) == len(scene.pictures)
    assert not mine & theirs and not mine & owners and not theirs & owners
    assert other.refusal("GetResources", asset=next(iter(mine))).parameters["code"] == 3201


@pytest.mark.parametrize(
    "options",
    [
        {"sort": "filename; DROP TABLE assets"},
        {"mediaTypes": ["x" * 5000]},
        {"text": "%' OR 1=1 --"},
        {"text": "x" * 257},
        {"identifiers": ["0" * 32] * 1001},
        {"identifiers": ["../../etc/passwd"]},
        {"album": "' OR ''='"},
        {"smartAlbum": "everything"},
        {"place": {"south": 1e308, "west": -1e308, "north": 2.5, "east": 3}},
        {"createdFrom": -9223372036854775808},
        {"createdBefore": 9223372036854775807},
    ],
)
def test_unusual_options_give_nothing_more(scene, options):
    """An error, or an answer from the selection."""
    scene.limit(0)
    try:
        names = scene.app.names(**options)
    except Refused as refused:
        assert refused.error in {"InvalidParameter", "PhotosError"}, refused
    else:
        assert set(names) <= {scene.pictures[0]}
    assert scene.app.names() == [scene.pictures[0]]


@pytest.mark.library("own")
def test_R13_R51_a_later_never_share_photo_can_be_removed_from_selection_and_album(scene):
    """The marked assets are still members, and would return with the mark's end."""
    scene.limit(0, 1, 2)
    first, second = (scene.owner.identifier(scene.library, scene.pictures[n]) for n in (0, 1))
    album = scene.owner.call(
        "EditOwnedAlbum", library=scene.library, title="Trip", add={"identifiers": [first, second]}
    )["album"]
    mark = {"library": scene.library, "selector": {"identifiers": [first]}}
    scene.owner.call("MarkAssets", **mark, neverShare=True)
    told = scene.broker.photobroker(
        scene.owner.uid, "--yes", "grant", "unselect", scene.library, scene.app.name, "--id", first
    ).stdout
    assert "1 asset removed" in told
    edited = scene.owner.call(
        "EditOwnedAlbum", library=scene.library, album=album["album"], remove={"identifiers": [first]}
    )
    assert edited["album"]["count"] == 1
    scene.owner.call("MarkAssets", **mark, neverShare=False)
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[2]}
    # Nor can a marked asset be selected.
    scene.owner.call("MarkAssets", **mark, neverShare=True)
    assert (
        scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, add={"identifiers": [first]})[
            "added"
        ]
        == 0
    )


@pytest.mark.parametrize("choice", [["--all"], ["--id"]])
def test_R13_R51_R146_a_photo_deleted_by_another_app_can_be_deselected_and_does_not_return(own_scene, choice):
    scene = own_scene
    scene.limit(0, 1)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, 1, app=other)
    known = scene.owner.identifier(scene.library, scene.pictures[0])
    scene.app.call(
        "PerformChanges",
        changes=[{"kind": "delete", "assets": [scene.app.named(scene.pictures[0])["localIdentifier"]]}],
    )
    words = choice + ([known] if choice == ["--id"] else [])
    scene.broker.photobroker(scene.owner.uid, "--yes", "grant", "unselect", scene.library, other.name, *words)
    scene.owner.call("RestoreAssets", library=scene.library, identifiers=[known])
    wait_for(lambda: scene.pictures[0] in scene.owner.names(scene.library), "the restored photo")
    assert scene.pictures[0] not in other.names()


def test_changing_denied_access_is_refused_with_a_reason(scene):
    scene.allow()
    scene.owner.set(scene.library, scene.app.name, "denied")
    for words in (
        ["expire", scene.library, scene.app.name, "never"],
        ["policy", scene.library, scene.app.name, "none"],
        ["pause", scene.library, scene.app.name],
    ):
        told = scene.broker.photobroker(scene.owner.uid, "--yes", "grant", *words, expect=None)
        assert told.returncode != 0 and "access is “no access”" in told.stderr, told
