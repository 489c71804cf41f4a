"""Usual mistakes of authors: the error names the parameter and what it takes, with the nearest word."""

import json
import subprocess

import pytest

PIXEL = "/9j/4AAQ"

# A method, its parameters, the refused parameter, and words of the problem. $asset is one of the app's.
MISTAKES = [
    ("FetchAssets", {"options": {"sort": "creationdate"}}, "options.sort", "did you mean creationDate?"),
    ("FetchAssets", {"options": {"sort": "album"}}, "options.sort", "give options.album too"),
    ("FetchAssets", {"options": {"mediaTypes": ["photo"]}}, "options.mediaTypes", "image, video"),
    (
        "FetchAssets",
        {"options": {"mediaSubtypes": ["screenshots"]}},
        "options.mediaSubtypes",
        "did you mean screenshot?",
    ),
    ("FetchAssets", {"options": {"smartAlbum": "favorite"}}, "options.smartAlbum", "did you mean favorites?"),
    ("FetchAssets", {"options": {"text": "x" * 2_000}}, "options.text", "at most 256 bytes"),
    ("FetchAssets", {"options": {"identifiers": ["x"] * 1_001}}, "options.identifiers", "0 to 1000 entries"),
    (
        "FetchAssets",
        {"options": {"place": {"south": 50.0, "north": 40.0, "west": 0.0, "east": 1.0}}},
        "options.place",
        "south is at most north",
    ),
    (
        "FetchAssets",
        {"options": {"place": {"south": -91.0, "north": 40.0, "west": 0.0, "east": 1.0}}},
        "options.place.south",
        "-90.0 to 90.0",
    ),
    ("FetchAssets", {"options": {"color": "red"}}, "options.color", "no such field"),
    ("FetchAssets", {"options": {"createdAfter": 1}}, "options.createdAfter", "createdFrom, createdBefore, album, "),
    ("FetchAssets", {"options": {"from": 1}}, "options.from", "it takes mediaTypes, "),
    ("FetchAssets", {"mediaTypes": ["image"]}, "mediaTypes", "it takes options, "),
    (
        "FetchAssets",
        {"options": {"place": {"latitude": 1.0}}},
        "options.place.latitude",
        "it takes south, west, north, east",
    ),
    ("GetThumbnail", {"asset": "$asset", "width": 100}, "width", "maxPixels"),
    ("FetchAssets", {"options": {"createdFrom": "2024-01-01"}}, "options.createdFrom", "microseconds since 1970"),
    ("FetchAssets", {"options": {"mediaType": ["image"]}}, "options.mediaType", "did you mean mediaTypes?"),
    ("FetchAssets", {"caption": True}, "caption", "did you mean captions?"),
    ("GetDetails", {"assets": "$asset"}, "assets", "did you mean asset?"),
    ("FetchAssets", {"limit": 0}, "limit", "1 to 1000"),
    ("FetchAssets", {"limit": "10"}, "limit", "not an integer"),
    ("FetchAssets", {"cursor": "2"}, "cursor", "leave it out to start again"),
    ("FetchAlbums", {"cursor": "2"}, "cursor", "leave it out to start again"),
    ("FetchVersions", {"cursor": "2"}, "cursor", "leave it out to start again"),
    ("ListLibraries", {"cursor": "2"}, "cursor", "leave it out to start again"),
    ("FetchAlbums", {"identifiers": ["x"] * 1_001}, "identifiers", "0 to 1000 entries"),
    ("GetAuthorizationStatus", {"level": "readwrite"}, "level", "did you mean readWrite?"),
    ("OpenResource", {"asset": "$asset", "role": "orignal"}, "role", "did you mean original?"),
    ("GetThumbnail", {"asset": "$asset", "maxPixels": 4_000}, "maxPixels", "16 to 2560"),
    ("GetCloudIdentifiers", {"localIdentifiers": ["x"] * 1_001}, "localIdentifiers", "0 to 1000 entries"),
    ("GetLocalIdentifiers", {"cloudIdentifiers": ["x"] * 1_001}, "cloudIdentifiers", "0 to 1000 entries"),
    ("AppendUpload", {"upload": "none", "data": "$$"}, "data", "not base64"),
    ("AppendUpload", {"upload": "none", "data": ""}, "upload", "begin one with BeginUpload"),
    ("AddAsset", {"filename": ".a.jpg", "contents": PIXEL}, "filename", "no dot in front"),
    ("AddAsset", {"filename": "a.jpg", "contents": "?"}, "contents", "not base64"),
    ("AddAsset", {"filename": "a.jpg"}, "contents", "one of descriptor, contents and upload"),
    ("AddAsset", {"filename": "a.jpg", "descriptor": 3}, "descriptor", "the first is 0"),
    ("AddAsset", {"filename": "a.jpg", "upload": "none"}, "upload", "begin one with BeginUpload"),
    ("PerformChanges", {"changes": []}, "changes", "1 to "),
]
STEPS = [
    ({"kind": "setCaptions"}, "kind", "did you mean setCaption?"),
    ({"kind": "setCaption", "assets": ["$asset"], "caption": "x"}, "caption", "no such field"),
    ({"kind": "setCaption", "assets": ["$asset"]}, "text", "setCaption needs it"),
    ({"kind": "setCaption", "assets": [], "text": "x"}, "assets", "1 to 1000 entries"),
    ({"kind": "setFavorite", "assets": ["$asset"]}, "favorite", "setFavorite needs it"),
    ({"kind": "setFavorite", "assets": ["$asset"], "favorite": True, "text": "x"}, "text", "it takes assets, favorite"),
    ({"kind": "setCreationDate", "assets": ["$asset"]}, "creationDate", "setCreationDate needs it"),
    ({"kind": "setLocation", "assets": ["$asset"], "latitude": 1.0}, "longitude", "both given"),
    ({"kind": "delete", "assets": ["$asset"], "versions": []}, "versions", "one version for each asset"),
    ({"kind": "delete", "assets": ["$asset"], "versions": ["x"]}, "versions[0]", "16 hexadecimal digits"),
    ({"kind": "createAlbum", "text": "x", "placeholder": "album"}, "placeholder", "it is not $ and letters"),
    ({"kind": "createAsset", "contents": PIXEL}, "filename", "createAsset needs it"),
]
MANIFESTS = [
    ({"identifier": "org example"}, "manifest.identifier", "1 to 128 of a-z"),
    ({"identifier": "a", "name": "x" * 257}, "manifest.name", "1 to 256 bytes"),
    ({"identifier": "a", "name": 7}, "manifest.name", "not a string"),
    ({"identifier": "a", "hasScreen": "no"}, "manifest.hasScreen", "not true or false"),
    ({"identifier": "a", "localizations": []}, "manifest.localizations", "not an object"),
    ({"identifier": "a", "localizations": {"de": "x"}}, "manifest.localizations.de", "not an object of texts"),
]
PICKERS = [
    ({"mediaTypes": ["images"]}, "mediaTypes", "did you mean image?"),
    ({"limit": 3}, "limit", "selectionLimit"),
    ({"mediaTypes": []}, "mediaTypes", "leave it out for all types"),
    ({"preselected": ["x"]}, "preselected", "32 lower-case hexadecimal digits"),
    ({"preselected": ["x"] * 1_001}, "preselected", "0 to 1000 entries"),
]


def filled(value, asset):
    return json.loads(json.dumps(value).replace("$asset", asset))


def test_R167_usual_mistakes_are_refused_with_what_is_allowed(scene):
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    rows = MISTAKES + [
        ("PerformChanges", {"changes": [step]}, f"changes[0].{field}", words) for step, field, words in STEPS
    ]
    rows += [("io.photobroker.Picker.Present", parameters, field, words) for parameters, field, words in PICKERS]
    wrong = []
    for method, parameters, field, words in rows:
        refused = scene.app.refusal(method, **filled(parameters, asset))
        problem = refused.parameters.get("problem", "")
        if (refused.error, refused.parameters.get("parameter")) != ("InvalidParameter", field) or (
            words not in problem or len(problem) > 600
        ):
            wrong.append((method, json.dumps(parameters)[:200], refused.parameters))
    assert not wrong, "\n".join(map(str, wrong))


def test_R167_usual_mistakes_of_manifests_are_refused_with_what_is_allowed(make_scene):
    scene = make_scene(1, introduce=False)
    for manifest, field, words in MANIFESTS:
        refused = scene.app.refusal("Introduce", manifest=manifest)
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", field), refused.parameters
        assert words in refused.parameters["problem"], refused.parameters


def test_R167_the_command_line_and_the_stock_python_client_pass_the_reason_on(scene):
    call = [
        "call",
        "io.photobroker.Admin.SetGrant",
        json.dumps({"library": scene.library, "app": scene.app.name, "level": "readWrite", "status": "limitted"}),
    ]
    said = scene.broker.photobroker(scene.owner.uid, *call, expect=None).stderr
    assert "status: it is none of: " in said and "(did you mean limited?)." in said
    assert "did you mean" in str(scene.app.refusal("GetAuthorizationStatus", level="addonly").parameters)


@pytest.mark.library("shared")
def test_R167_no_refusal_of_a_parameter_is_without_its_reason(scene):
    """In the source a bare name does not build; this is the sandbox's and the owners' side of the wire."""
    for method, parameters, field in [
        ("SetGrant", {"library": scene.library, "app": scene.app.name, "level": "read"}, "level"),
        ("FetchOwnedAssets", {"library": scene.library, "purpose": "picking"}, "purpose"),
        ("ListDecisions", {"cursor": "x"}, "cursor"),
        ("ListOwnedAlbums", {"library": scene.library, "cursor": "x"}, "cursor"),
        ("AddLibrary", {"name": "Photos", "options": {}, "offeredTo": []}, "name"),
    ]:
        refused = scene.owner.refusal(method, **parameters)
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", field), refused.parameters
        assert refused.parameters["problem"], method


def test_the_version_is_the_same_everywhere(scene):
    said = scene.broker.photobroker(scene.owner.uid, "--version").stdout.split()[-1]
    info = scene.app.call("org.varlink.service.GetInfo")
    assert info["version"] == said == scene.owner.call("GetStatus")["version"]
    for name in ("photobrokerd", "photobroker-mcp"):
        shown = subprocess.run([scene.broker.programs / name, "--version"], capture_output=True, text=True, check=True)
        assert shown.stdout.split()[-1] == said, name
