"""The terms of a grant: the facts that an app gets, and whether it may change photos."""

import base64
import datetime
import hashlib
import json
import shutil
import struct
import time

import pytest
from photobroker import Connection, VarlinkError

from house.deletions import deletion
from house.exiftool import exiftool
from house.person import PICKER, Refused, wait_for
from house.pickers import answer_picker, present, read_item
from house.pictures import bmp, day, described, jpeg, microseconds
from house.tokens import attenuated

PLACES = {"latitude", "longitude"}


@pytest.fixture
def placed_scene(make_scene):
    """A library with a photo that has a place and a caption, for a limited app."""
    scene = make_scene(2)
    scene.secret = described(
        jpeg(day(5)),
        b'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,32.5E" '
        b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default">'
        b"Grandmother's garden</rdf:li></rdf:Alt></dc:description>",
    )
    scene.album.put("garden.jpg", scene.secret)
    scene.owner.rescan(scene.library)
    scene.limit("garden.jpg", scene.pictures[0])
    return scene


def bytes_of(scene, asset, role="original"):
    return base64.b64decode(scene.app.call("ReadBytes", asset=asset, role=role, offset=0, length=500_000)["data"])


def said_of(data, tmp_path):
    """What exiftool finds in these bytes."""
    path = tmp_path / "delivered.jpg"
    path.write_bytes(data)
    found = json.loads(exiftool("-j", "-G", "-a", "-ee", "-n", path))[0]
    return {key: value for key, value in found.items() if not key.startswith("File:")}


def test_R149_a_limited_app_gets_no_place_until_its_owner_lets_it(placed_scene, tmp_path):
    scene = placed_scene
    asset = scene.app.named("garden.jpg")
    assert not PLACES & asset.keys()
    assert scene.app.call("DescribeAccess", level="readWrite")["withheld"] == ["location"]
    data = bytes_of(scene, asset["localIdentifier"])
    assert len(data) == len(scene.secret) and data != scene.secret
    assert b"47,22" not in data and b"8,32" not in data
    assert not [key for key in said_of(data, tmp_path) if "GPS" in key]
    # The caption is not withheld.
    assert scene.app.call("GetDetails", asset=asset["localIdentifier"])["caption"] == "Grandmother's garden"
    assert b"Grandmother" in data
    assert scene.set_terms(location=True)["terms"]["location"] is True
    asset = scene.app.named("garden.jpg")
    assert asset["latitude"] == pytest.approx(47.375) and asset["longitude"] == pytest.approx(8.541667)
    assert bytes_of(scene, asset["localIdentifier"]) == scene.secret


def test_R150_a_date_and_its_order_do_not_depend_on_a_withheld_place(make_scene):
    scene = make_scene(1)
    zurich = b'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,32.5E">'
    scene.album.put("garden.jpg", described(jpeg(day(5).replace(tzinfo=None)), zurich))
    # Half an hour earlier by the camera's clock, and half an hour later by the place's.
    scene.album.put("between.jpg", jpeg(day(5) - datetime.timedelta(minutes=30)))
    scene.owner.rescan(scene.library)
    scene.limit("garden.jpg", "between.jpg")
    noon = microseconds(day(5))
    asset = scene.app.named("garden.jpg")
    assert (asset["creationDateOrigin"], asset["creationDate"]) == ("libraryZone", noon)
    assert scene.app.names() == ["garden.jpg", "between.jpg"]
    assert scene.app.names(createdFrom=noon) == ["garden.jpg"]
    scene.set_terms(location=True)
    asset = scene.app.named("garden.jpg")
    assert (asset["creationDateOrigin"], asset["creationDate"]) == ("place", noon - 3_600_000_000)
    assert scene.app.names() == ["between.jpg", "garden.jpg"]
    assert scene.app.names(createdFrom=noon) == []


def test_R150_every_way_of_reading_gives_the_same_cleaned_bytes(placed_scene):
    scene = placed_scene
    asset = scene.app.named("garden.jpg")["localIdentifier"]
    data = bytes_of(scene, asset)
    assert scene.app.digest(asset) == hashlib.sha256(data).hexdigest()
    assert scene.app.digest_inline(asset, piece=777) == hashlib.sha256(data).hexdigest()
    resources = scene.app.call("GetResources", asset=asset)["resources"]
    assert [(r["role"], r["size"]) for r in resources] == [("original", len(data))]


def test_R150_a_withheld_place_is_no_filter_and_no_sidecar_is_delivered(placed_scene):
    scene = placed_scene
    place = {"south": 47.0, "north": 48.0, "west": 8.0, "east": 9.0}
    for name in ("FetchAssets", "CountAssets"):
        assert scene.app.refusal(name, options={"place": place}).parameters["code"] == 3311
    scene.album.put("garden.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    scene.owner.rescan(scene.library)
    asset = scene.app.named("garden.jpg")["localIdentifier"]
    assert [r["role"] for r in scene.app.call("GetResources", asset=asset)["resources"]] == ["original"]
    assert scene.app.refusal("OpenResource", asset=asset, role="sidecar").parameters["code"] == 3303
    scene.set_terms(location=True)
    roles = [r["role"] for r in scene.app.call("GetResources", asset=asset)["resources"]]
    assert roles == ["original", "sidecar"]
    assert len(scene.app.fetch(place=place)) == 1


def test_R150_withheld_captions_are_absent_from_fields_and_bytes(placed_scene):
    scene = placed_scene
    scene.set_terms(location=True, captions=False)
    asset = scene.app.named("garden.jpg")
    assert "latitude" in asset
    assert "caption" not in scene.app.call("GetDetails", asset=asset["localIdentifier"])
    assert b"Grandmother" not in bytes_of(scene, asset["localIdentifier"])


def refusal_of_stream(agent, token, asset):
    with Connection(agent.path, timeout=30) as connection:
        connection.call("io.photobroker.Library.Attach", token=token)
        try:
            next(connection.stream("io.photobroker.Library.StreamResource", asset=asset))
        except VarlinkError as error:
            return error.parameters["reason"]


def test_R149_an_app_without_files_gets_pictures_of_them(placed_scene):
    scene = placed_scene
    asset = scene.app.named("garden.jpg")["localIdentifier"]
    scene.set_terms(files=False)
    assert scene.app.call("DescribeAccess", level="readWrite")["withheld"] == ["location", "files"]
    assert scene.app.call("GetResources", asset=asset)["resources"] == []
    for name, parameters in (
        ("OpenResource", {}),
        ("OpenResource", {"role": "original"}),
        ("ReadBytes", {"offset": 0, "length": 10}),
    ):
        refused = scene.app.refusal(name, asset=asset, **parameters)
        assert refused.reason == "requestNotSupportedForAsset" and "GetThumbnail" in refused.parameters["message"]
    assert scene.app.run(refusal_of_stream, token=scene.app.token, asset=asset) == "requestNotSupportedForAsset"
    if scene.house.has_media:
        picture = base64.b64decode(scene.app.call("GetThumbnail", asset=asset, maxPixels=64, inline=True)["data"])
        assert picture[:3] == b"\xff\xd8\xff" and b"Grandmother" not in picture
    scene.set_terms(files=True)
    assert len(bytes_of(scene, asset)) == len(scene.secret)
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated(scene.app.token, "withholds = files"))
    assert helper.call("GetResources", asset=asset)["resources"] == []
    assert helper.refusal("OpenResource", asset=asset).reason == "requestNotSupportedForAsset"


def size_of(picture):
    """The width and height of a JPEG."""
    at = picture.index(b"\xff\xc0")
    return struct.unpack(">HH", picture[at + 5 : at + 9])[::-1]


@pytest.fixture
def large_scene(make_scene):
    """A limited app that sees one large photo."""
    scene = make_scene(1)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.album.put("large.jpg", jpeg(day(7), width=3_000, height=2_000))
    scene.owner.rescan(scene.library)
    scene.limit("large.jpg")
    scene.asset = scene.app.named("large.jpg")["localIdentifier"]
    return scene


def picture_of(app, asset, pixels):
    return size_of(base64.b64decode(app.call("GetThumbnail", asset=asset, maxPixels=pixels, inline=True)["data"]))


def test_R149_the_owner_chooses_the_size_of_pictures(large_scene):
    scene, asset = large_scene, large_scene.asset
    described = lambda app: app.call("DescribeAccess", level="readWrite").get("pixels")
    assert described(scene.app) is None and "pixels" not in scene.owner.grant(scene.library, scene.app.name)["terms"]
    assert scene.set_terms(files=False)["terms"]["pixels"] == 2_560 and described(scene.app) == 2_560
    assert picture_of(scene.app, asset, 2_560) == (2_560, 1_707)
    # The larger picture is cached, and does not leave again.
    assert scene.set_terms(files=False, pixels=512)["terms"]["pixels"] == 512 and described(scene.app) == 512
    assert picture_of(scene.app, asset, 2_560) == (512, 341) == picture_of(scene.app, asset, 513)
    assert picture_of(scene.app, asset, 64) == (64, 43)
    descriptor = scene.app.call("GetThumbnail", asset=asset, maxPixels=2_560)["size"]
    assert descriptor == scene.app.call("GetThumbnail", asset=asset, maxPixels=512)["size"]
    assert scene.owner.newest_decision()["after"].count("pictures up to 512 pixels") == 1
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated(scene.app.token, "verbs = read"))
    assert picture_of(helper, asset, 2_560) == (512, 341) and described(helper) == 512
    # Other terms keep it, an undo gives it back, and files end it.
    assert scene.set_terms(captions=False)["terms"]["pixels"] == 512
    assert scene.set_terms(files=False, pixels=1_024)["terms"]["pixels"] == 1_024
    assert picture_of(scene.app, asset, 2_560) == (1_024, 683)
    scene.owner.call("UndoDecision", decision=scene.owner.newest_decision()["decision"])
    assert picture_of(scene.app, asset, 2_560) == (512, 341)
    scene.set_terms(files=True)
    assert picture_of(scene.app, asset, 2_560) == (2_560, 1_707) and described(scene.app) is None
    assert scene.set_terms(files=False)["terms"]["pixels"] == 2_560
    # The owner's own pictures keep their size. A pick begins with pictures too, and can give files.
    scene.set_terms(files=False, pixels=256)
    owned = scene.owner.call(
        "GetOwnedThumbnail",
        library=scene.library,
        asset=scene.owner.identifier(scene.library, "large.jpg"),
        maxPixels=2_560,
    )
    assert size_of(base64.b64decode(owned["data"])) == (2_560, 1_707)
    picker = present(scene, scene.app, selectionLimit=0)["picker"]
    large = [scene.owner.identifier(scene.library, "large.jpg")]
    scene.owner.call("AnswerPicker", picker=picker, assets=large)
    [result] = scene.app.hear()["results"]
    assert size_of(read_item(scene.app, result["item"])) == (256, 171)
    picker = present(scene, scene.app, selectionLimit=0)["picker"]
    scene.owner.call("AnswerPicker", picker=picker, assets=large, terms={"files": True})
    [result] = scene.app.hear()["results"]
    assert len(read_item(scene.app, result["item"])) == len(jpeg(day(7), width=3_000, height=2_000))


def test_R155_a_holder_can_attenuate_a_token_to_pictures_of_a_size(large_scene, house):
    scene, asset = large_scene, large_scene.asset

    def holder(token, *caveats):
        helper = scene.broker.app(uid=scene.app.uid)
        helper.call("Attach", token=attenuated(token, *caveats))
        return helper

    def told(app):
        access = app.call("DescribeAccess", level="readWrite")
        return access["withheld"], access.get("pixels")

    small = holder(scene.app.token, "pixels = 512")
    assert told(small) == (["location", "files"], 512) and told(scene.app) == (["location"], None)
    assert picture_of(small, asset, 2_560) == (512, 341) and picture_of(small, asset, 64) == (64, 43)
    descriptor = small.call("GetThumbnail", asset=asset, maxPixels=2_560)["size"]
    assert descriptor == small.call("GetThumbnail", asset=asset, maxPixels=512)["size"]
    assert small.call("GetResources", asset=asset)["resources"] == []
    assert small.refusal("OpenResource", asset=asset).reason == "requestNotSupportedForAsset"
    assert picture_of(scene.app, asset, 2_560) == (2_560, 1_707), "the app's own token keeps its size"
    # The least of several holds, in any order, and a child has it too.
    for caveats in (("pixels = 512", "pixels = 1024"), ("pixels = 1024", "pixels = 512")):
        assert told(holder(scene.app.token, *caveats))[1] == 512
    child = small.call("MintChildToken", name="frame")["token"]
    assert told(holder(child)) == (["location", "files"], 512)
    assert told(holder(child, "pixels = 2560"))[1] == 512 and told(holder(child, "pixels = 256"))[1] == 256
    assert picture_of(holder(child, "pixels = 256"), asset, 2_560) == (256, 171)
    # Never more than the grant's, also if it changes.
    scene.set_terms(files=False, pixels=400)
    assert told(small)[1] == 400 and picture_of(small, asset, 2_560) == (400, 267)
    scene.set_terms(files=True, location=True)
    assert told(small) == (["files"], 512) and picture_of(small, asset, 2_560) == (512, 341)
    for wrong in (0, -1, 255, 2_561, 1 << 62, 1 << 63, -(1 << 63), "0512", "512 ", "many"):
        refused = scene.broker.app(uid=scene.app.uid).refusal(
            "Attach", token=attenuated(scene.app.token, f"pixels = {wrong}")
        )
        assert refused.error.endswith("TokenRefused"), wrong
    # The app's own token names the app and nothing else.
    refused = scene.broker.app(uid=scene.app.uid).refusal(
        "Attach", token=attenuated(scene.app.own_token, "pixels = 512")
    )
    assert refused.error.endswith("TokenRefused")
    run = lambda *arguments, **more: scene.broker.photobroker(scene.owner.uid, "token", *arguments, **more)
    folder = house.make_folder(f"pixels-{scene.owner.uid}", scene.owner.uid)
    place = (scene.library, scene.app.name, "see-and-change", "--file")
    run("mint", *place, folder / "whole")
    run("narrow", folder / "whole", "--pixels", "300", "--file", folder / "narrow")
    assert "up to 300 pixels" in run("inspect", folder / "narrow").stdout
    shown = json.loads(run("inspect", folder / "narrow", "--json").stdout)
    assert (shown["pixels"], shown["without"]) == (300, ["files"])
    run("mint", *place, folder / "child", "--name", "frame", "--pixels", "300")
    for name in ("narrow", "child"):
        assert told(holder((folder / name).read_text().strip()))[1] == 300
    for wrong in ("0", "-1", "255", "2561", str(1 << 63), "many"):
        refused = run("narrow", folder / "whole", "--pixels", wrong, "--file", folder / "none", expect=64)
        assert "from 256 to 2560" in refused.stderr and not (folder / "none").exists(), wrong


def test_R150_each_reply_with_facts_names_those_that_are_withheld(placed_scene):
    scene = placed_scene
    asset = scene.app.named("garden.jpg")["localIdentifier"]

    def told(app=scene.app):
        replies = [app.call("FetchAssets", limit=1), app.call("FetchAssets", options={"text": "no such name"})]
        replies += [app.call(method, asset=asset) for method in ("GetDetails", "GetResources")]
        [names] = {tuple(reply["withheld"]) if "withheld" in reply else None for reply in replies}
        assert list(names or ()) == app.call("DescribeAccess", level="readWrite")["withheld"]
        return names

    assert told() == ("location",)
    scene.set_terms(captions=False, files=False)
    assert told() == ("location", "captions", "files")
    scene.set_terms(location=True, captions=True, files=True)
    assert told() is None
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated(scene.app.token, "withholds = captions"))
    assert told(helper) == ("captions",)


def test_R149_a_size_goes_with_pictures_only_and_has_bounds(scene):
    scene.allow()
    for wrong in (255, 2_561, 0, -1, 1 << 62):
        refused = scene.owner.refusal(
            "SetGrant",
            library=scene.library,
            app=scene.app.name,
            level="readWrite",
            terms={"files": False, "pixels": wrong},
        )
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", "terms.pixels"), wrong
    for wrong in ({"pixels": 512}, {"pixels": 512, "files": True}):
        for method, place in (
            ("SetGrant", {"library": scene.library, "app": scene.app.name, "level": "readWrite"}),
            ("SetDefaultTerms", {"name": scene.library}),
        ):
            refused = scene.owner.refusal(method, **place, terms=wrong)
            assert refused.error == "Refused" and "pictures" in refused.parameters["message"]


def test_R149_the_command_line_sets_the_size_of_pictures(scene):
    scene.allow()
    run = lambda *words, **more: scene.broker.photobroker(scene.owner.uid, *words, **more)
    terms = ("grant", "terms", scene.library, scene.app.name)
    assert "pictures up to 512 pixels" in run(*terms, "--pixels", "512").stdout
    assert "pictures up to 512 pixels" in run("grant", "show", scene.library, scene.app.name).stdout
    assert "pictures only" in run(*terms, "--pictures-only", "--pixels", "2560").stdout
    for wrong in ("255", "2561", "many"):
        assert "from 256 to 2560" in run(*terms, "--pixels", wrong, expect=64).stderr
    assert "--files excludes --pixels" in run(*terms, "--files", "--pixels", "512", expect=64).stderr
    assert "pictures" not in run(*terms, "--files").stdout
    said = run("library", "terms", scene.library, "--pixels", "1024").stdout
    assert "pictures up to 1024 pixels" in said
    assert "pictures" not in run("library", "terms", scene.library, "--standard").stdout
    document = {
        "grants": [
            {
                "library": scene.library,
                "app": scene.app.name,
                "level": "readWrite",
                "terms": {"files": False, "pixels": 512},
            }
        ]
    }
    said = run("apply", "-", "--preview", input=json.dumps(document)).stdout
    assert "terms become with places, pictures up to 512 pixels" in said or "pictures up to 512 pixels" in said
    run("apply", "-", input=json.dumps(document))
    assert scene.owner.grant(scene.library, scene.app.name)["terms"]["pixels"] == 512


def test_R157_an_app_that_takes_more_photos_than_allowed_is_paused(scene):
    scene.allow()
    photos = [asset["localIdentifier"] for asset in scene.app.fetch()]
    assert scene.set_terms(photosPerDay=2)["terms"]["photosPerDay"] == 2
    for asset in (photos[0], photos[0], photos[1], photos[0]):
        assert bytes_of(scene, asset)
    refused = scene.app.refusal("OpenResource", asset=photos[2])
    assert refused.reason == "accessUserDenied" and "paused" in refused.parameters["message"]
    decision = scene.owner.newest_decision()
    assert (decision["action"], decision["source"], decision["actor"]) == ("pause", "allowance", scene.owner.uid)
    assert scene.owner.grant(scene.library, scene.app.name)["paused"]
    assert scene.app.refusal("ReadBytes", asset=photos[0], offset=0, length=10).reason == "accessUserDenied"
    # Lists name photos without their bytes.
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert len(scene.app.fetch()) == len(photos)
    for asset in photos[1:3]:
        assert bytes_of(scene, asset)
    assert scene.app.refusal("ReadBytes", asset=photos[0], offset=0, length=10).reason == "accessUserDenied"
    scene.owner.call("UndoDecision", decision=scene.owner.newest_decision()["decision"])
    assert "photosPerDay" not in scene.set_terms(photosPerDay=0)["terms"]
    for asset in photos:
        assert bytes_of(scene, asset)


def test_R157_limited_access_has_an_allowance_by_default_and_its_owner_is_asked(make_scene):
    """A harvest: the selection moves on, and the app takes each."""
    scene = make_scene(502)
    scene.limit(0, 1)
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert (grant["terms"]["photosPerDay"], grant["defaultAllowance"]) == (500, True)
    run = lambda *arguments: scene.broker.photobroker(scene.owner.uid, *arguments).stdout
    assert "500 photos a day by default" in run("grant", "show", scene.library, scene.app.name)
    for first in range(0, 502, 100):
        scene.select(*range(first, min(first + 100, 502)))
        if first > 0:
            scene.unselect(*range(first - 100, first))
        photos = [asset["localIdentifier"] for asset in scene.app.fetch()]
        for asset in photos[: 500 - first]:
            assert bytes_of(scene, asset)
    assert scene.owner.prompts("allowance") == []
    refused = scene.app.refusal("ReadBytes", asset=photos[0], offset=0, length=10)
    assert refused.reason == "accessUserDenied" and "paused" in refused.parameters["message"]
    decision = scene.owner.newest_decision()
    assert (decision["action"], decision["source"]) == ("pause", "allowance")
    [prompt] = wait_for(lambda: scene.owner.prompts("allowance"), "the question")
    assert (prompt["answers"], prompt["app"]["app"]) == (["resume", "pause"], scene.app.name)
    assert "took more photos than it may in a day" in run("request", "list")
    assert "1 waiting" in run("status")
    run("request", "answer", prompt["prompt"], "resume")
    assert scene.owner.prompts() == [] and bytes_of(scene, photos[0])
    # 0 is a choice, and no default.
    grant = scene.set_terms(photosPerDay=0)
    assert "photosPerDay" not in grant["terms"] and grant["defaultAllowance"] is False
    assert scene.owner.newest_decision()["after"].endswith("without allowance")


def stay_in_this_hour():
    """Wait for the next hour if this one is about to end, because counts begin anew then."""
    left = 3_600 - time.time() % 3_600
    if left < 60:
        time.sleep(left)


@pytest.mark.parametrize(
    "limit, option, said, told",
    [
        ("photosPerHour", "--photos-per-hour", "1 photo an hour", "photos than it may in an hour"),
        ("bytesPerHour", "--bytes-per-hour", "B an hour", "bytes than it may in an hour"),
        ("bytesPerDay", "--bytes-per-day", "B a day", "bytes than it may in a day"),
    ],
)
def test_R157_bytes_and_hours_are_limits_too(scene, limit, option, said, told):
    stay_in_this_hour()
    scene.allow()
    run = lambda *arguments: scene.broker.photobroker(scene.owner.uid, *arguments).stdout
    first, second = (asset["localIdentifier"] for asset in scene.app.fetch()[:2])
    most = 1 if limit == "photosPerHour" else len(bytes_of(scene, first)) + 10
    assert said in run("grant", "terms", scene.library, scene.app.name, option, str(most))
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert grant["terms"][limit] == most and grant["defaultAllowance"] is False
    assert bytes_of(scene, first)
    # A thumbnail delivers bytes of another photo, too.
    refused = scene.app.refusal("GetThumbnail", asset=second, maxPixels=256, inline=True)
    assert refused.reason == "accessUserDenied" and "paused" in refused.parameters["message"]
    decision = scene.owner.newest_decision()
    assert (decision["action"], decision["source"]) == ("pause", "allowance") and "allowance of" in decision["origin"]
    [prompt] = wait_for(lambda: scene.owner.prompts("allowance"), "the question")
    assert prompt["exceeded"] == limit and told in run("request", "list")
    scene.owner.answer(prompt, "resume")
    assert bytes_of(scene, first)
    assert limit not in scene.set_terms(**{limit: 0})["terms"]
    assert bytes_of(scene, first) and bytes_of(scene, second)
    scene.owner.call("UndoDecision", decision=scene.owner.newest_decision()["decision"])
    assert scene.owner.grant(scene.library, scene.app.name)["terms"][limit] == most


def test_R157_a_crash_begins_no_new_day(own_scene):
    scene = own_scene
    scene.allow()
    photos = [asset["localIdentifier"] for asset in scene.app.fetch()]
    scene.set_terms(photosPerDay=2)

    def crash():
        # Listing the ledger writes the entries that wait.
        assert scene.owner.call("ReadLedger", library=scene.library)["entries"]
        scene.broker.kill()
        scene.broker.start()
        for person in (scene.owner, scene.app):
            person.new_connection()
        scene.owner.wait_for_library(scene.library, len(scene.pictures))

    assert bytes_of(scene, photos[0])
    crash()
    assert bytes_of(scene, photos[0]) and bytes_of(scene, photos[1])
    crash()
    assert bytes_of(scene, photos[1])
    assert scene.app.refusal("ReadBytes", asset=photos[2], offset=0, length=10).reason == "accessUserDenied"
    # The app hears of its pause before it is stored.
    wait_for(lambda: scene.owner.prompts("allowance"), "the question")
    crash()
    [prompt] = scene.owner.prompts("allowance")
    assert prompt["exceeded"] == "photosPerDay"
    scene.owner.answer(prompt, "resume")
    assert bytes_of(scene, photos[2])
    crash()
    # Deliveries before the pause count no more.
    assert bytes_of(scene, photos[3])
    assert scene.app.refusal("ReadBytes", asset=photos[0], offset=0, length=10).reason == "accessUserDenied"


def test_R157_full_access_has_no_allowance_by_default(scene):
    scene.allow()
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert "photosPerDay" not in grant["terms"] and grant["defaultAllowance"] is False
    scene.limit(0)
    assert scene.owner.grant(scene.library, scene.app.name)["terms"]["photosPerDay"] == 500


def test_R157_an_owner_leaves_an_app_paused(scene):
    scene.allow()
    scene.set_terms(photosPerDay=1)
    photos = [asset["localIdentifier"] for asset in scene.app.fetch()]
    assert bytes_of(scene, photos[0])
    assert scene.app.refusal("ReadBytes", asset=photos[1], offset=0, length=10).reason == "accessUserDenied"
    assert scene.broker.owner().prompts() == [], "only the library's owners are asked"
    [prompt] = wait_for(lambda: scene.owner.prompts("allowance"), "the question")
    assert scene.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer="allow").error.endswith("Refused")
    scene.owner.answer(prompt, "pause")
    assert scene.owner.prompts() == [] and scene.owner.grant(scene.library, scene.app.name)["paused"]
    decision = scene.owner.newest_decision()
    assert (decision["action"], decision["source"]) == ("pause", "prompt")


def test_R157_a_pick_counts_as_no_part_of_an_allowance(scene):
    """It is a person's gift, and leaves the grant as it is."""
    scene.limit(0)
    scene.set_terms(photosPerDay=1)

    def pick_and_read(*numbers):
        reply = answer_picker(scene, present(scene, scene.app, selectionLimit=0), *numbers, app=scene.app)
        return [read_item(scene.app, result["item"]) for result in reply["results"]]

    assert all(pick_and_read(1, 2, 3))
    assert not scene.owner.grant(scene.library, scene.app.name)["paused"]
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", status="denied")
    assert all(pick_and_read(1, 2, 3))
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "denied"
    assert [d["action"] for d in scene.owner.call("ListDecisions", library=scene.library, limit=9)["decisions"]].count(
        "pause"
    ) == 0


def test_R157_the_command_line_sets_an_allowance(scene):
    scene.allow()
    run = lambda *arguments, **options: scene.broker.photobroker(scene.owner.uid, *arguments, **options)
    assert "20 photos a day" in run("grant", "terms", scene.library, scene.app.name, "--photos-per-day", "20").stdout
    assert scene.owner.newest_decision()["after"].endswith("20 photos a day")
    for wrong in ("-1", "1000000001", "many", str(1 << 63)):
        run("grant", "terms", scene.library, scene.app.name, "--photos-per-day", wrong, expect=64)
    for wrong in (-1, 1_000_000_001, -(1 << 63), (1 << 63) - 1):
        refused = scene.owner.refusal(
            "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", terms={"photosPerDay": wrong}
        )
        assert refused.error.endswith("InvalidParameter"), wrong
    assert "a day" not in run("grant", "terms", scene.library, scene.app.name, "--photos-per-day", "0").stdout
    said = run("grant", "terms", scene.library, scene.app.name, "--bytes-per-day", "2G", "--photos-per-hour", "50")
    assert "50 photos an hour, 2.0 GB a day" in said.stdout
    terms = scene.owner.grant(scene.library, scene.app.name)["terms"]
    assert (terms["bytesPerDay"], terms["photosPerHour"]) == (2_000_000_000, 50)
    for wrong in ("2X", "G", "-1", "1.5G", "1001T", str(1 << 63), f"{1 << 62}T"):
        run("grant", "terms", scene.library, scene.app.name, "--bytes-per-hour", wrong, expect=64)
    for limit, most in (("photosPerHour", 10**9), ("bytesPerHour", 10**15), ("bytesPerDay", 10**15)):
        assert scene.set_terms(**{limit: most})["terms"][limit] == most
        for wrong in (-1, most + 1, -(1 << 63), (1 << 63) - 1):
            refused = scene.owner.refusal(
                "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", terms={limit: wrong}
            )
            assert refused.error.endswith("InvalidParameter"), (limit, wrong)


def test_R150_a_caption_with_coordinates_is_withheld_with_places(placed_scene):
    scene = placed_scene
    asset, text = scene.app.named("garden.jpg")["localIdentifier"], "At 47.376910, 8.541694 today"
    assert scene.app.call("GetDetails", asset=asset)["caption"] == "Grandmother's garden"
    scene.app.call("PerformChanges", changes=[{"kind": "setCaption", "assets": [asset], "text": text}])
    assert "caption" not in scene.app.call("GetDetails", asset=asset)
    scene.set_terms(location=True)
    assert scene.app.call("GetDetails", asset=asset)["caption"] == text


def test_R150_an_app_cannot_test_its_guess_of_a_withheld_fact(placed_scene):
    """A right guess would keep the photo's version."""
    scene = placed_scene
    scene.set_terms(captions=False)
    asset = scene.app.named("garden.jpg")
    for change in (
        {"kind": "setLocation", "latitude": 47.375, "longitude": 8.5416667},
        {"kind": "setCaption", "text": "Grandmother's garden"},
    ):
        refusal = scene.app.refusal("PerformChanges", changes=[{"assets": [asset["localIdentifier"]], **change}])
        assert refusal.parameters["code"] == 3311
    assert scene.app.named("garden.jpg") == asset


def test_R150_terms_take_effect_at_once_and_observers_are_told(placed_scene):
    scene = placed_scene
    scene.set_terms(location=True)
    scene.app.observe()
    asset = scene.app.named("garden.jpg")["localIdentifier"]
    assert bytes_of(scene, asset) == scene.secret
    scene.set_terms(location=False)
    assert bytes_of(scene, asset) != scene.secret
    assert scene.app.events()[-1]["resynchronize"]


def test_R150_a_file_that_cannot_be_cleaned_is_refused_by_name(make_scene):
    scene = make_scene(1)
    scene.album.put("drawing.bmp", bmp())
    scene.owner.rescan(scene.library)
    scene.limit("drawing.bmp")
    asset = scene.app.named("drawing.bmp")["localIdentifier"]
    for name, more in [("OpenResource", {}), ("ReadBytes", {"offset": 0, "length": 10})]:
        refusal = scene.app.refusal(name, asset=asset, **more)
        assert refusal.parameters["code"] == 3306 and "withholds" in refusal.parameters["message"], name
    assert scene.app.call("GetThumbnail", asset=asset, maxPixels=64, inline=True)["size"] > 0
    scene.set_terms(location=True)
    assert scene.app.digest(asset) == hashlib.sha256(bmp()).hexdigest()


def test_R151_a_read_only_app_sees_and_changes_nothing(placed_scene):
    scene = placed_scene
    scene.set_terms(changes=False)
    asset = scene.app.named("garden.jpg")["localIdentifier"]
    assert scene.app.call("DescribeAccess", level="readWrite")["verbs"] == ["read", "observe", "pick"]
    changes = [{"kind": "setFavorite", "assets": [asset], "favorite": True}]
    assert scene.app.refusal("PerformChanges", changes=changes).parameters["code"] == 3311
    scene.set_terms(changes=True)
    scene.app.call("PerformChanges", changes=changes)
    assert scene.app.named("garden.jpg")["isFavorite"]


def test_R149_R151_a_person_answers_with_terms(make_scene):
    scene = make_scene(2)
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    answer = scene.owner.answer(prompt, "allow", terms={"location": False, "changes": False})
    assert answer["grant"]["terms"] == {
        "location": False,
        "captions": True,
        "files": True,
        "changes": False,
        "deletions": "ask",
    }
    assert scene.app.hear_request() == "authorized"
    assert scene.app.call("DescribeAccess", level="readWrite")["withheld"] == ["location"]
    decision = scene.owner.newest_decision()
    assert decision["after"].endswith("without location, read-only")


def test_R149_R151_the_command_line_sets_and_names_terms(scene):
    def run(*words, **more):
        return scene.broker.photobroker(scene.owner.uid, *words, **more)

    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    run("request", "answer", prompt, "allow", "--no-location", "--read-only")
    assert scene.app.hear_request() == "authorized"
    terms = scene.owner.grant(scene.library, scene.app.name)["terms"]
    assert terms == {"location": False, "captions": True, "files": True, "changes": False, "deletions": "ask"}
    said = run("grant", "terms", scene.library, scene.app.name, "--no-captions", "--changes")
    assert "without places, without captions" in said.stdout and "read-only" not in said.stdout
    refused = run("grant", "terms", scene.library, scene.app.name, "--location", "--no-location", expect=None)
    assert "--location excludes --no-location" in refused.stderr


def test_R149_a_pick_defines_what_leaves_with_it(placed_scene):
    scene = placed_scene
    asset = scene.owner.identifier(scene.library, "garden.jpg")

    def pick(**terms):
        picker = present(scene, scene.app, selectionLimit=0)
        assert picker["terms"] == {"location": False, "captions": True, "files": True}
        scene.owner.call("AnswerPicker", picker=picker["picker"], assets=[asset], terms=terms)
        answer = scene.app.hear()
        item = answer["results"][0]["item"]
        assert answer["results"][0]["filename"] == "garden.jpg"
        data = read_item(scene.app, item)
        assert scene.app.call(PICKER + "LoadItem", item=item)["size"] == len(data)
        return data, answer.get("withheld", [])

    careful, withheld = pick()
    assert b"47,22" not in careful and b"Grandmother" in careful and withheld == ["location"]
    assert pick(location=True) == (scene.secret, [])
    plain, withheld = pick(captions=False)
    assert b"47,22" not in plain and b"Grandmother" not in plain and withheld == ["location", "captions"]
    picture, withheld = pick(location=True, files=False, pixels=300)
    assert max(size_of(picture)) <= 300 and b"Grandmother" not in picture and withheld == ["files"]
    entries = scene.owner.call("ReadLedger", library=scene.library, app=scene.app.name)["entries"]
    assert {e["rendition"] for e in entries if e["bytes"] == len(picture)} == {"thumbnail"}
    # The grant keeps its own terms.
    assert not PLACES & scene.app.named("garden.jpg").keys()
    picker = present(scene, scene.app, selectionLimit=0)["picker"]
    for wrong in ({"changes": False}, {"pixels": 512}, {"deletions": "never"}, {"photosPerDay": 5}):
        refused = scene.owner.refusal("AnswerPicker", picker=picker, assets=[asset], terms=wrong)
        assert refused.error.endswith("Refused")
    run = scene.broker.photobroker(scene.owner.uid, "picker", "answer", picker, asset, "--location", "--no-captions")
    assert "1 item" in run.stdout
    data = read_item(scene.app, scene.app.hear()["results"][0]["item"])
    assert b"Grandmother" not in data


def test_R149_an_owner_sees_that_a_picked_file_could_not_be_cleaned(scene):
    scene.album.put("drawing.bmp", bmp(b"a drawing"))
    scene.owner.rescan(scene.library)
    asset = scene.owner.identifier(scene.library, "drawing.bmp")
    picker = present(scene, scene.app, selectionLimit=0)
    scene.owner.call("AnswerPicker", picker=picker["picker"], assets=[asset], terms={"location": False})
    item = scene.app.hear()["results"][0]["item"]
    for name, more in (("LoadItem", {}), ("ReadItem", {"offset": 0, "length": 10})):
        refused = scene.app.refusal(PICKER + name, item=item, **more)
        assert refused.reason == "requestNotSupportedForAsset" and "without the facts" in refused.parameters["message"]
    entries = scene.owner.call("ReadLedger", library=scene.library, app=scene.app.name)["entries"]
    told = [entry for entry in entries if entry["rendition"] == "notCleaned"]
    assert len(told) == 2 and {(entry["asset"], entry["bytes"]) for entry in told} == {(asset, 0)}
    assert "not given: it cannot be cleaned" in scene.broker.photobroker(scene.owner.uid, "log", scene.library).stdout
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert (receipt["assetsDelivered"], receipt["bytesDelivered"]) == (0, 0), "nothing was delivered"


def test_R149_access_begins_with_the_terms_of_its_library(placed_scene):
    scene = placed_scene
    held = scene.owner.grant(scene.library, scene.app.name)["terms"]
    chosen = {
        "location": True,
        "captions": False,
        "files": False,
        "pixels": 1_024,
        "changes": False,
        "photosPerDay": 20,
    }
    library = scene.owner.call("SetDefaultTerms", name=scene.library, terms=chosen)["library"]
    assert library["defaultTerms"] == {**chosen, "deletions": "ask"}
    assert scene.owner.newest_decision()["after"] == (
        "with location, without captions, pictures up to 1024 pixels, read-only, 20 photos a day"
    )
    assert scene.owner.grant(scene.library, scene.app.name)["terms"] == held, "grants that exist keep theirs"
    assert present(scene, scene.app)["terms"] == {
        "location": True,
        "captions": False,
        "files": False,
        "pixels": 1_024,
    }
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.second")
    app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    assert prompt["terms"] == library["defaultTerms"]
    grant = scene.owner.answer(prompt, "select", terms={"captions": True})["grant"]
    assert grant["terms"] == {**library["defaultTerms"], "captions": True}
    assert app.hear_request() == "limited"
    # A grant that was given without a request begins with them too.
    third = scene.broker.app(uid=scene.app.uid)
    third.introduce("org.example.third")
    grant = scene.owner.call("SetGrant", library=scene.library, app=third.name, level="readWrite", status="authorized")[
        "grant"
    ]
    assert grant["terms"] == library["defaultTerms"]
    # A preview of decisions says what they give.
    entry = {"library": scene.library, "app": third.name, "level": "readWrite"}
    scene.owner.call("SetGrant", **entry, status="notDetermined")
    entry["status"] = "limited"
    [shown] = scene.owner.call("Apply", grants=[entry], preview=True)["grants"]
    [given] = scene.owner.call("Apply", grants=[entry])["grants"]
    assert shown["after"]["terms"] == given["after"]["terms"] == library["defaultTerms"]
    decision = next(d for d in scene.owner.call("ListDecisions", limit=9)["decisions"] if not d.get("app"))
    scene.owner.call("UndoDecision", decision=decision["decision"])
    again = scene.owner.library(scene.library)["defaultTerms"]
    assert again == {"captions": True, "files": True, "changes": True, "deletions": "ask"}


def test_R149_the_command_line_sets_the_terms_of_a_library(scene):
    run = lambda *words, **more: scene.broker.photobroker(scene.owner.uid, "library", *words, **more)
    said = run("terms", scene.library, "--read-only", "--no-captions", "--location").stdout
    assert said == f"In {scene.library}, access begins with these terms: with places, without captions, read-only.\n"
    assert "with places, without captions, read-only" in run("show", scene.library).stdout
    assert "the broker's own terms" in run("terms", scene.library, "--standard").stdout
    assert "terms at first" not in run("show", scene.library).stdout
    assert "--standard" in run("terms", scene.library, expect=64).stderr


def test_R131_a_change_of_terms_is_on_record_and_undone(placed_scene):
    scene = placed_scene
    before = scene.owner.grant(scene.library, scene.app.name)["terms"]
    scene.set_terms(location=True)
    decision = scene.owner.newest_decision()
    assert decision["action"] == "terms" and "with location" in decision["after"]
    scene.owner.call("UndoDecision", decision=decision["decision"])
    assert scene.owner.grant(scene.library, scene.app.name)["terms"] == before


def test_R155_a_holder_can_attenuate_a_token_to_no_places_and_no_captions(placed_scene):
    scene = placed_scene
    scene.allow()
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated(scene.app.token, "withholds = location", "verbs = read,pick"))
    asset = helper.named("garden.jpg")
    assert not PLACES & asset.keys() and PLACES <= scene.app.named("garden.jpg").keys()
    assert helper.call("DescribeAccess", level="readWrite")["withheld"] == ["location"]
    place = {"south": 47.0, "north": 48.0, "west": 8.0, "east": 9.0}
    assert helper.refusal("FetchAssets", options={"place": place}).parameters["code"] == 3311
    read = {"asset": asset["localIdentifier"], "role": "original", "offset": 0, "length": 500_000}
    data = base64.b64decode(helper.call("ReadBytes", **read)["data"])
    assert len(data) == len(scene.secret) and b"47,22" not in data and b"Grandmother" in data
    assert bytes_of(scene, asset["localIdentifier"]) == scene.secret, "the app's own token gives the file as it is"
    # Neither a request nor the picker gives the holder more.
    assert "token" not in helper.call("RequestAuthorization", level="readWrite")
    assert helper.refusal("io.photobroker.Picker.Present").error.endswith("TokenRefused")
    # Another caveat withholds more, and the grant may withhold what the token does not.
    helper.call("Attach", token=attenuated(scene.app.token, "withholds = location", "withholds = captions"))
    assert helper.call("DescribeAccess", level="readWrite")["withheld"] == ["location", "captions"]
    assert "caption" not in helper.call("GetDetails", asset=asset["localIdentifier"])
    helper.call("Attach", token=attenuated(scene.app.token, "withholds = captions"))
    scene.set_terms(location=False)
    assert helper.call("DescribeAccess", level="readWrite")["withheld"] == ["location", "captions"]
    # The app's own token names the app and nothing else.
    assert helper.refusal("Attach", token=attenuated(scene.app.own_token, "withholds = location")).error.endswith(
        "TokenRefused"
    )


def test_R155_the_command_line_withholds_facts_from_a_narrower_token(placed_scene, house):
    scene = placed_scene
    scene.allow()
    run = lambda *arguments, **options: scene.broker.photobroker(scene.owner.uid, *arguments, **options)
    folder = house.make_folder(f"withheld-{scene.owner.uid}", scene.owner.uid)
    whole, narrow = folder / "whole", folder / "narrow"
    run("token", "mint", scene.library, scene.app.name, "see-and-change", "--file", whole)
    run("token", "narrow", whole, "--without", "location,captions", "--file", narrow)
    assert json.loads(run("token", "inspect", narrow, "--json").stdout)["without"] == ["location", "captions"]
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=narrow.read_text().strip())
    assert not PLACES & helper.named("garden.jpg").keys()
    run("token", "narrow", whole, "--uses", "1", "--bytes", "5000", "--file", folder / "counted")
    shown = json.loads(run("token", "inspect", folder / "counted", "--json").stdout)
    assert (shown["uses"], shown["bytes"]) == (1, 5000)
    helper.call("Attach", token=(folder / "counted").read_text().strip())
    access = helper.call("DescribeAccess", level="readWrite")
    assert (access["tokenUses"], access["tokenBytes"]) == (1, 5000)
    assert helper.call("CountAssets")["count"] == 3 and helper.refusal("CountAssets").error.endswith("TokenRefused")
    refused = run("token", "narrow", whole, "--without", "places", "--file", folder / "none", expect=64)
    assert "There is no fact places. Known: location, captions, files." in refused.stderr


def rule_of(scene, answer="select", **terms):
    rule = {"library": scene.library, "name": "ours", "uid": scene.app.uid, "level": "readWrite", "answer": answer}
    return rule | ({"select": [{"all": True}]} if answer == "select" else {}) | ({"terms": terms} if terms else {})


@pytest.fixture
def asking_scene(placed_scene):
    """Nobody has decided on the app."""
    placed_scene.owner.set(placed_scene.library, placed_scene.app.name, "notDetermined")
    placed_scene.app.use(placed_scene.app.own_token)
    placed_scene.app.new_connection()
    return placed_scene


def another_app(scene):
    """The same program without its token, which counts as a new app."""
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce()
    return app


@pytest.mark.parametrize(
    "answer, terms, withheld, verbs",
    [
        ("select", {}, ["location"], True),
        ("select", {"location": True, "changes": False}, [], False),
        ("allow", {"location": False, "captions": False}, ["location", "captions"], True),
        ("allow", {"files": False, "pixels": 512}, ["files"], True),
    ],
)
def test_R149_a_rule_defines_terms(asking_scene, answer, terms, withheld, verbs):
    scene = asking_scene
    scene.owner.call("Apply", rules=[rule_of(scene, answer, **terms)])
    app = another_app(scene)
    assert app.request() == {"select": "limited", "allow": "authorized"}[answer]
    access = app.call("DescribeAccess", level="readWrite")
    assert access["withheld"] == withheld and ("edit" in access["verbs"]) is verbs
    [listed] = scene.owner.call("ListRules", library=scene.library)["rules"]
    assert listed.get("terms", {}) == terms
    said = scene.broker.photobroker(scene.owner.uid, "rule", "list").stdout
    assert ("up to 512 pixels" in said) is ("files" in withheld) and access.get("pixels") == terms.get("pixels")
    assert ("without captions" in said) is ("captions" in withheld) and ("read-only" in said) is not verbs


@pytest.mark.parametrize(
    "terms", [{"location": False}, {"captions": False}, {"changes": False}, {"files": False, "pixels": 512}], ids=str
)
def test_R149_a_rule_gives_nothing_back_that_a_person_withheld_later(asking_scene, terms):
    scene = asking_scene
    scene.owner.call("Apply", rules=[rule_of(scene, "allow")])
    first = another_app(scene)
    assert first.request() == "authorized"
    scene.owner.set(scene.library, first.name, None, terms=terms)
    assert [rule["rests"] for rule in scene.owner.call("ListRules", library=scene.library)["rules"]] == [True]
    second = another_app(scene)
    assert second.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"
    # The owner makes the rule anew, without what they withheld.
    scene.owner.call("Apply", rules=[rule_of(scene, "allow", **terms)])
    assert second.request() == "authorized"


def test_R149_a_rule_gives_nothing_back_when_its_own_end_comes(asking_scene):
    scene = asking_scene
    scene.owner.call("Apply", rules=[rule_of(scene, "allow") | {"lifetime": 3}])
    first = another_app(scene)
    assert first.request() == "authorized"
    scene.owner.set(scene.library, first.name, None, terms={"location": False})
    ended = lambda: scene.owner.grant(scene.library, first.name) is None
    wait_for(ended, "the end of the access")
    second = another_app(scene)
    assert second.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"


def test_R149_a_rule_without_access_has_no_terms(asking_scene):
    scene = asking_scene
    for rule in (
        rule_of(scene, "deny", location=False),
        rule_of(scene, "allow", location=False) | {"level": "addOnly"},
    ):
        refused = scene.owner.refusal("Apply", rules=[rule])
        assert refused.error == "Refused" and "terms" in refused.parameters["message"]


def test_R149_a_file_of_decisions_sets_terms(placed_scene):
    scene = placed_scene
    entry = {"library": scene.library, "app": scene.app.name, "level": "readWrite"}
    document = {"grants": [entry | {"terms": {"location": True, "changes": False}}]}
    run = lambda *options: (
        scene.broker.photobroker(scene.owner.uid, "apply", "-", *options, input=json.dumps(document)).stdout
    )
    assert "terms become with places, read-only" in run("--preview")
    assert scene.app.call("DescribeAccess", level="readWrite")["withheld"] == ["location"]
    run()
    access = scene.app.call("DescribeAccess", level="readWrite")
    assert access["withheld"] == [] and "edit" not in access["verbs"]
    document["grants"][0]["terms"] = {"places": True}
    refused = scene.broker.photobroker(scene.owner.uid, "apply", "-", input=json.dumps(document), expect=65)
    assert "places" in refused.stderr


def test_R158_access_to_a_storage_that_takes_no_additions_does_not_offer_them(make_scene):
    scene = make_scene(1)
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    assert prompt["storageRefuses"] == scene.owner.library(scene.library)["storageRefuses"] == ["add", "delete"]
    said = scene.broker.photobroker(scene.owner.uid, "request", "list").stdout
    assert "takes no additions and no deletions" in said
    scene.owner.answer(prompt, "allow")
    assert scene.app.hear_request() == "authorized"
    scene.allow(level="addOnly")
    scene.app.request()
    described = lambda level: set(scene.app.call("DescribeAccess", level=level)["verbs"])
    assert described("addOnly") == set() and described("readWrite") == {"read", "edit", "observe", "pick"}
    scene.take_additions()
    assert described("addOnly") == {"add"} and described("readWrite") == {"read", "edit", "observe", "pick", "add"}


def test_R158_a_storage_that_takes_additions_alone_offers_no_deletions(make_scene):
    scene = make_scene(2)
    scene.take_additions()
    assert scene.owner.library(scene.library)["storageRefuses"] == ["delete"]
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    assert prompt["storageRefuses"] == ["delete"]
    run = lambda *words: scene.broker.photobroker(scene.owner.uid, *words).stdout
    assert "takes no deletions, whatever" in run("request", "list")
    step = f"sudo photobroker library open {scene.album.folder}"
    assert f"takes no deletions by apps. To let them: {step}" in run("library", "show", scene.library)
    scene.owner.answer(prompt, "allow", terms={"deletions": "allow"})
    assert scene.app.hear_request() == "authorized"
    verbs = lambda: scene.app.call("DescribeAccess", level="readWrite")["verbs"]
    assert "add" in verbs() and "delete" not in verbs()
    scene.take_changes()
    assert {"add", "delete"} <= set(verbs()) and scene.owner.library(scene.library)["storageRefuses"] == []
    assert "To let them" not in run("library", "show", scene.library)
    scene.app.perform(deletion(scene.app.identifiers()[scene.name(0)]))
    wait_for(lambda: not (scene.album.folder / scene.name(0)).exists(), "the file to be moved to the trash")


def test_R158_nobody_is_asked_whether_an_app_may_add_to_a_storage_that_takes_no_additions(make_scene):
    scene = make_scene(1)
    refused = scene.app.refusal("RequestAuthorization", level="addOnly")
    assert refused.reason == "changeNotSupported" and "until its owner gives the broker a folder" in str(refused)
    assert scene.owner.prompts() == [] and scene.app.status("addOnly") == "notDetermined"
    scene.take_additions()
    scene.app.begin_request(level="addOnly")
    scene.owner.wait_for_prompt()
    # A request that waits goes once the storage takes nothing any more.
    shutil.rmtree(scene.album.folder / "PhotoBroker")
    scene.owner.rescan(scene.library)
    with pytest.raises(Refused) as gone:
        scene.app.hear()
    assert gone.value.reason == "changeNotSupported" and scene.owner.prompts() == []
