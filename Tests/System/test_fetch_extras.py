"""Captions and albums in FetchAssets, on request."""

import json

import pytest

from house.large_library import make_large
from house.pictures import day, described, jpeg
from house.tokens import attenuated

BOTH = {"captions": True, "albums": True}


def extras(app, **parameters):
    """The caption and the albums of each photo, by file name."""
    page = app.call("FetchAssets", **{**BOTH, **parameters})
    return {asset["filename"]: (asset.get("caption"), asset.get("albums")) for asset in page["assets"]}


def expected(app):
    """The same by the other methods."""
    held = {a["localIdentifier"]: app.names(album=a["localIdentifier"]) for a in app.call("FetchAlbums")["albums"]}
    return {
        asset["filename"]: (
            app.call("GetDetails", asset=asset["localIdentifier"]).get("caption"),
            sorted(album for album, names in held.items() if asset["filename"] in names),
        )
        for asset in app.fetch()
    }


def titles(app):
    found, cursor = {}, None
    while True:
        page = app.call("FetchAlbums", limit=1_000, **({"cursor": cursor} if cursor else {}))
        found |= {album["localIdentifier"]: album["title"] for album in page["albums"]}
        if not (cursor := page.get("cursor")):
            return found


def test_R167_a_fetch_has_captions_and_albums_on_request(scene):
    scene.limit(0, 1, 2)
    known = scene.app.identifiers()
    first, second = (known[name] for name in scene.pictures[:2])
    scene.app.perform(
        {"kind": "setCaption", "assets": [first], "text": 'A "lake" \\ Zürich'},
        {"kind": "createAlbum", "text": "Trips", "placeholder": "$a"},
        {"kind": "createAlbum", "text": "Best", "placeholder": "$b"},
        {"kind": "addToAlbum", "album": "$a", "assets": [first, second]},
        {"kind": "addToAlbum", "album": "$b", "assets": [first]},
    )
    # Neither a photo that the app does not see, nor an album.
    scene.make_album("Private", 0, 1, 3)
    found = extras(scene.app)
    assert found == expected(scene.app)
    named = {title: album for album, title in titles(scene.app).items()}
    assert found[scene.pictures[0]] == ('A "lake" \\ Zürich', sorted(named.values()))
    assert found[scene.pictures[1]] == (None, [named["Trips"]])
    assert found[scene.pictures[2]] == (None, [])
    # Each by itself, and neither without asking.
    assert {albums for _, albums in extras(scene.app, albums=False).values()} == {None}
    assert {caption for caption, _ in extras(scene.app, captions=None).values()} == {None}
    for parameters in ({}, {"captions": False, "albums": False}):
        page = scene.app.call("FetchAssets", **parameters)
        assert not any({"caption", "albums"} & asset.keys() for asset in page["assets"])
    # They narrow nothing: a cursor stays valid, and so do filters.
    page = scene.app.call("FetchAssets", limit=2)
    rest = scene.app.call("FetchAssets", limit=2, cursor=page["cursor"], **BOTH)
    assert [asset["filename"] for asset in rest["assets"]] == [scene.pictures[0]]
    assert rest["assets"][0]["caption"] == 'A "lake" \\ Zürich'
    assert list(extras(scene.app, options={"album": named["Best"]})) == [scene.pictures[0]]
    # An edited selection takes effect at once.
    scene.unselect(0)
    assert extras(scene.app) == {scene.pictures[1]: (None, [named["Trips"]]), scene.pictures[2]: (None, [])}


def test_R167_many_albums_make_shorter_pages_and_lose_nothing(make_scene):
    scene = make_scene(30)
    scene.allow()
    everything = list(scene.app.identifiers().values())
    for number in range(250):
        scene.app.perform(
            {"kind": "createAlbum", "text": f"Album {number}", "placeholder": "$a"},
            {"kind": "addToAlbum", "album": "$a", "assets": everything},
        )
    albums, pages, cursor = sorted(titles(scene.app)), [], None
    while cursor or not pages:
        page = scene.app.call("FetchAssets", albums=True, **({"cursor": cursor} if cursor else {}))
        assert all(asset["albums"] == albums for asset in page["assets"])
        pages.append(len(page["assets"]))
        cursor = page.get("cursor")
    # Each photo is looked for in each album, and a page takes at most 5,000 of these steps.
    assert pages == [20, 10]


@pytest.fixture
def told_scene(make_scene):
    """A limited app sees a photo whose caption is a place, one with another caption, and one without."""
    scene = make_scene(1)

    def captioned(text, number):
        caption = b"<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>" + text + b"</rdf:li></rdf:Alt>"
        return described(
            jpeg(day(number)),
            b"xmlns:dc='http://purl.org/dc/elements/1.1/'>" + caption + b"</dc:description>",
        )

    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.album.put("place.jpg", captioned(b"47.3769 N, 8.5417 E", 8))
    scene.album.put("garden.jpg", captioned(b"The garden", 7))
    scene.owner.rescan(scene.library)
    scene.limit("place.jpg", "garden.jpg", scene.pictures[0])
    return scene


def test_R150_a_fetch_has_no_caption_that_the_terms_withhold(told_scene):
    scene = told_scene
    captions = lambda app=scene.app: {name: caption for name, (caption, _) in extras(app).items()}
    assert captions() == {"place.jpg": None, "garden.jpg": "The garden", scene.pictures[0]: None}
    scene.set_terms(location=True)
    assert captions()["place.jpg"] == "47.3769 N, 8.5417 E"
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated(scene.app.token, "withholds = captions"))
    assert set(captions(helper).values()) == {None}
    scene.set_terms(captions=False)
    page = scene.app.call("FetchAssets", **BOTH)
    assert not any("caption" in asset for asset in page["assets"]) and page["withheld"] == ["captions"]


def test_R40_a_fetch_has_no_album_or_photo_that_a_token_or_a_mark_hides(scene):
    scene.allow()
    known = scene.app.identifiers()
    [first, second, third] = (known[name] for name in scene.pictures[:3])
    scene.app.perform(
        {"kind": "createAlbum", "text": "Trips", "placeholder": "$a"},
        {"kind": "createAlbum", "text": "Best", "placeholder": "$b"},
        {"kind": "createAlbum", "text": "Other", "placeholder": "$c"},
        {"kind": "addToAlbum", "album": "$a", "assets": [first, second]},
        {"kind": "addToAlbum", "album": "$b", "assets": [second]},
        {"kind": "addToAlbum", "album": "$c", "assets": [third]},
    )
    named = {title: album for album, title in titles(scene.app).items()}
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated(scene.app.token, f"album = {named['Trips']}"))
    found = extras(helper)
    assert found == expected(helper) and list(found) == [scene.pictures[1], scene.pictures[0]]
    # A token sees the albums that hold one of its photos, as in FetchAlbums.
    assert {album for _, albums in found.values() for album in albums} == {named["Trips"], named["Best"]}
    scene.mark(1, neverShare=True)
    assert extras(helper) == {scene.pictures[0]: (None, [named["Trips"]])}
    assert scene.pictures[1] not in extras(scene.app)
    # An app that sees no albums learns of none.
    scene.limit(0, 2)
    scene.set_album_policy("none")
    assert {json.dumps(albums) for _, albums in extras(scene.app).values()} == {"[]"}


@pytest.fixture(scope="module")
def many(house):
    yield from make_large(house, 150)


def test_R167_pages_with_captions_and_albums_fit_a_message(many):
    scene, count = many, 150
    scene.allow()
    everything = scene.app.fetch()
    assets = [asset["localIdentifier"] for asset in everything]
    assert len(assets) == count
    page = scene.app.call("FetchAssets", limit=1_000, captions=True)
    assert (len(page["assets"]), len(scene.app.call("FetchAssets", limit=1_000)["assets"])) == (100, count)
    caption = '"' * 1_024
    scene.app.change("setCaption", assets=assets, text=caption)
    for start in range(0, 72, 12):
        steps = []
        for number in range(start, start + 12):
            steps += [
                {"kind": "createAlbum", "text": f"Album {number}", "placeholder": f"$a{number}"},
                {"kind": "addToAlbum", "album": f"$a{number}", "assets": assets},
            ]
        scene.app.perform(*steps)
    albums = sorted(titles(scene.app))
    found, sizes, cursor = [], [], None
    while True:
        page = scene.app.call("FetchAssets", limit=100, **BOTH, **({"cursor": cursor} if cursor else {}))
        assert len(json.dumps(page)) < 1 << 20
        found += page["assets"]
        sizes.append(len(page["assets"]))
        if not (cursor := page.get("cursor")):
            break
    assert 50 < sizes[0] < 100 and sum(sizes) == count
    assert [asset["localIdentifier"] for asset in found] == assets
    assert all((asset["caption"], asset["albums"]) == (caption, albums) for asset in found)
