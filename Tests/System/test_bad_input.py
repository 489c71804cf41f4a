"""Bad input, each kind with an error of its own.

Wrong types in every field of every method, empty and enormous lists, dates and coordinates out of
range. Texts of every script, with control and direction characters. test_bad_descriptors covers
descriptors, test_hostile_values the values at and beyond each bound.
"""

import base64
import json

import pytest
from photobroker import Connection, VarlinkError

from house.hostile import MOVING, OWNERS, SCRIPTS, SERVED, SEVERAL, sandboxed, valid_value
from house.interfaces import Interface
from house.person import Refused
from house.pictures import day, jpeg

ABSENT = "%032x" % 7
# One value of each JSON kind; a test leaves out those that the field's type accepts.
KINDS = {"null": None, "bool": True, "int": 7, "float": 7.5, "string": "x", "array": [[]], "object": {"x": {}}}
TAKES = {"string": {"string"}, "int": {"int"}, "float": {"int", "float"}, "bool": {"bool"}, "object": {"object"}}
LAST = 2**63 - 1


def wrong_values(kind, types, path, sound):
    """Yield each path with a wrong value there, inside an otherwise valid value."""
    if isinstance(kind, list) and kind and kind[0] == "maybe":
        for where, value in wrong_values(kind[1], types, path, sound):
            if value is not None or where != path:
                yield where, value
        return
    if isinstance(kind, list) and kind and kind[0] in ("array", "map"):
        takes = {"array": "array", "map": "object"}[kind[0]]
        yield from ((path, value) for name, value in KINDS.items() if name != takes)
        for where, value in wrong_values(kind[1], types, f"{path}[0]" if kind[0] == "array" else path, sound):
            yield where, [value] if kind[0] == "array" else {"key": value}
        return
    if isinstance(kind, dict) or kind in types:
        fields = kind if isinstance(kind, dict) else types[kind]
        yield from ((path, value) for name, value in KINDS.items() if name != "object")
        whole = {
            name: sound(field, types)
            for name, field in fields.items()
            if not (isinstance(field, list) and field[0] == "maybe")
        }
        for name, field in fields.items():
            for where, value in wrong_values(field, types, f"{path}.{name}", sound):
                yield where, {**whole, name: value}
        return
    yield from ((path, value) for name, value in KINDS.items() if name not in TAKES[kind])


def call_all(agent, tokens, interface, calls, seconds=30):
    answers, connection = [], None
    for method, parameters, more in calls:
        if connection is None:
            connection = Connection(agent.path, timeout=seconds)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
        try:
            connection.send(f"{interface}.{method}", parameters, more=more)
            connection.receive()
            answers.append(["answered", None])
            if more:
                connection = connection.close()
        except VarlinkError as error:
            answers.append([error.name.rsplit(".", 1)[-1], error.parameters])
        except Exception as error:
            answers.append([type(error).__name__, None])
            connection = None
    return answers


untouched = pytest.fixture(sandboxed, scope="module")


def test_these_tests_cover_every_interface(untouched):
    people = (untouched.app, untouched.owner)
    served = {name for person in people for name in person.call("org.varlink.service.GetInfo")["interfaces"]}
    assert served == set(SERVED)


@pytest.mark.parametrize("name", SERVED)
def test_a_wrong_type_in_any_field_is_named(untouched, name):
    scene = untouched
    person = scene.owner if name in OWNERS else scene.app
    interface = Interface.of(person, name)
    calls, places = [], []
    for method, parameters in interface.methods.items():
        whole = {p: valid_value(k, interface.types) for p, k in parameters.items()}
        for parameter, kind in parameters.items():
            for where, value in wrong_values(kind, interface.types, parameter, valid_value):
                calls.append((method, {**whole, parameter: value}, method in SEVERAL))
                places.append(where)
    tokens = [scene.app.own_token, scene.app.token] if person is scene.app else []
    answers = person.run(call_all, tokens=tokens, interface=name, calls=calls)
    assert {method for method, parameters in interface.methods.items() if parameters} == {
        method for method, _, _ in calls
    }
    for (method, parameters, _), where, (error, more) in zip(calls, places, answers):
        told = f"{method}({where}) = {json.dumps(parameters)[:200]}: {error} {more}"
        assert error == "InvalidParameter", told
        # The error names the innermost field or the field around it.
        assert more["parameter"].split("[")[0].split(".")[0] == where.split("[")[0].split(".")[0], told
    assert scene.app.names() == [scene.pictures[0]]


@pytest.mark.parametrize("count", [0, 1_001, 5_000])
def test_empty_and_huge_lists_are_handled(scene, count):
    scene.allow()
    many = [ABSENT] * count
    asset = scene.app.fetch()[0]["localIdentifier"]
    step = {"kind": "setFavorite", "assets": [asset], "favorite": True}
    is_empty = count == 0

    def invalid(method, **parameters):
        refused = scene.app.refusal(method, **parameters)
        assert refused.error == "InvalidParameter", (method, refused)
        return refused.parameters["parameter"]

    assert invalid("PerformChanges", changes=[step] * count) == "changes"
    assert invalid("PerformChanges", changes=[{**step, "assets": many}]) == "changes[0].assets"
    if is_empty:
        assert scene.app.names(identifiers=[]) == []
        assert scene.app.call("GetCloudIdentifiers", localIdentifiers=[])["mappings"] == []
        assert scene.app.names(mediaTypes=[]) == [], "none of no types"
    else:
        assert invalid("FetchAssets", options={"identifiers": many}) == "options.identifiers"
        assert invalid("GetCloudIdentifiers", localIdentifiers=many) == "localIdentifiers"
        assert invalid("GetLocalIdentifiers", cloudIdentifiers=many) == "cloudIdentifiers"
        refused = scene.owner.refusal(
            "EditSelection", library=scene.library, app=scene.app.name, add={"identifiers": [ABSENT] * 10_001}
        )
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", "add.identifiers")
        assert scene.app.count() == len(scene.pictures) and scene.broker.is_running
    assert not scene.app.fetch()[0]["isFavorite"]


def test_titles_in_every_script_are_kept_unchanged(scene):
    scene.allow()
    for text in SCRIPTS:
        album = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": text}])["createdAlbums"][0]
        titles = {a["localIdentifier"]: a["title"] for a in scene.app.call("FetchAlbums")["albums"]}
        assert titles[album] == text, ascii(text)


def test_text_that_reorders_or_hides_other_text_is_refused_by_name(scene):
    scene.let_broker_add()
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    picture = base64.b64encode(jpeg(day(40), b"new")).decode()
    for mark in MOVING:
        text = f"Ho{mark}liday"
        for step in ({"kind": "createAlbum", "text": text}, {"kind": "setCaption", "assets": [asset], "text": text}):
            refused = scene.app.refusal("PerformChanges", changes=[step])
            assert (refused.parameters["code"], refused.reason) == (3300, "changeNotSupported"), (
                ascii(mark),
                step["kind"],
                refused,
            )
            assert "control" in refused.parameters["message"]
    for mark in ("\x00", "\x07", "\x1b", "\x7f", "\n"):
        refused = scene.app.refusal("AddAsset", filename=f"ho{mark}liday.jpg", contents=picture)
        assert refused.error == "InvalidParameter" or refused.reason == "invalidResource", (ascii(mark), refused)
    for text in ("", "a" * 1_025, "é" * 513, " ", "\u3000", "\u00ad \u200d"):
        refused = scene.app.refusal("PerformChanges", changes=[{"kind": "createAlbum", "text": text}])
        assert refused.parameters["code"] == 3300 and "can be seen" in refused.parameters["message"]
    too_long = scene.app.refusal(
        "PerformChanges", changes=[{"kind": "setCaption", "assets": [asset], "text": "a" * 1_025}]
    )
    assert "at most 1024 bytes" in too_long.parameters["message"], "an empty one takes the caption away"
    assert scene.app.call("FetchAlbums")["albums"] == [] and scene.app.count() == len(scene.pictures)


@pytest.mark.library("shared")
@pytest.mark.parametrize(
    "odd, parameter",
    [
        ({"identifier": "x y"}, "rules.identifier"),
        ({"identifier": "x\u202e"}, "rules.identifier"),
        ({"identifier": ""}, "rules.identifier"),
        ({"identifier": "a" * 129}, "rules.identifier"),
        ({"verifiedIdentity": ""}, "rules.verifiedIdentity"),
        ({"answer": "select", "select": [{"createdFrom": 5, "createdBefore": 5}]}, "rules.select.createdBefore"),
    ],
)
def test_a_rule_that_could_never_answer_is_refused(scene, odd, parameter):
    rule = {"library": scene.library, "name": "r", "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
    refused = scene.owner.refusal("Apply", rules=[{**rule, **odd}])
    assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", parameter)
    assert refused.parameters["problem"]
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []


INVISIBLE = [
    "\u200d",
    "\u00ad",
    "\u3164",
    "\u2800",
    "\u115f",
    "\u180e",
    "\ufe0f",
    "\u034f",
    "\ue000",
    "\u3000",
    "\u00a0",
    " \t",
    "\U000e0100",
]


@pytest.mark.library("shared")
def test_R31_R120_doctor_and_the_broker_judge_every_text_alike(scene):
    """A text needs something visible; joiners and marks beside that are fine."""
    texts = (
        SCRIPTS
        + INVISIBLE
        + [f"a{mark}b" for mark in INVISIBLE + MOVING]
        + MOVING
        + ["\u2764\ufe0f", "a" * 128, "a" * 129, "a" * 1_025, "a\nb"]
    )
    file = scene.house.folder / f"texts-{scene.app.uid}.json"
    app = scene.broker.app(uid=scene.app.uid)
    verdicts = {"name": set(), "NSPhotoLibraryUsageDescription": set()}
    for number, (key, text) in enumerate((key, text) for key in verdicts for text in texts if "\x00" not in text):
        manifest = {
            "identifier": f"org.example.n{number}",
            "name": "x",
            "NSPhotoLibraryUsageDescription": "y",
            key: text,
        }
        file.write_text(json.dumps(manifest))
        file.chmod(0o644)
        passes = scene.broker.photobroker(scene.owner.uid, "doctor", file, expect=None).returncode == 0
        app.use()
        app.new_connection()
        try:
            app.introduce(**manifest, NSPhotoLibraryAddUsageDescription=None)
            refused = app.refusal("RequestAuthorization", level="readWrite", wait=False)
            assert refused.error in ("PromptPending", "UsageDescriptionMissing"), refused
            works = refused.error == "PromptPending"
        except Refused:
            works = False
        assert passes == works, (key, ascii(text))
        if works:
            [prompt] = scene.owner.prompts()
            assert key == "name" or prompt["usageDescription"] == text
            scene.owner.answer(prompt, "allow")
        verdicts[key].add(works)
        assert works or text not in SCRIPTS or len(text.encode()) > 128, ascii(text)
        assert not works or text not in INVISIBLE, ascii(text)
    assert all(found == {True, False} for found in verdicts.values())


DATES = [-(2**63), LAST, -(2**62), 2**62, -62_135_596_800_000_001, 253_402_300_800_000_000, 0, -1]


def test_extreme_dates_are_handled(scene):
    """Filters take any date. A stored date is exact or refused, and none overflows."""
    scene.allow()
    everything = set(scene.app.names())
    for date in DATES:
        assert set(scene.app.names(createdFrom=date)) == (everything if date < 1_600_000_000_000_000 else set()), date
        assert set(scene.app.names(createdBefore=date)) == (set() if date < 1_600_000_000_000_000 else everything), date
        asset = scene.app.named(scene.pictures[0])["localIdentifier"]
        try:
            scene.app.call(
                "PerformChanges", changes=[{"kind": "setCreationDate", "assets": [asset], "creationDate": date}]
            )
        except Refused as refused:
            assert (
                refused.error == "InvalidParameter" and refused.parameters["parameter"] == "changes[0].creationDate"
            ), date
        else:
            assert -62_135_596_800_000_000 <= date < 253_402_300_800_000_000, "years 1 to 9999"
            assert scene.app.named(scene.pictures[0])["creationDate"] == date
        assert set(scene.app.names()) == everything and scene.app.count(smartAlbum="recentlyAdded") == len(
            everything
        ), date
        assert scene.owner.names(scene.library, selector={"createdFrom": date}) is not None
        reply = scene.owner.call("ReadLedger", library=scene.library, since=date)
        assert bool(reply["entries"]) == (date < 1_600_000_000_000_000), date


PLACES = [(90.0, 0.0), (-90.0, 180.0), (0.0, -180.0), (90.0, -180.0), (0, 0), (0.0, 1e-320)]
NO_PLACES = [
    (90.0000001, 0.0),
    (-91.0, 0.0),
    (0.0, 180.0000001),
    (0.0, -181.0),
    (1e308, 1e308),
    (None, 5.0),
    (5.0, None),
]


def set_location(scene, place):
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    return [{"kind": "setLocation", "assets": [asset], "latitude": place[0], "longitude": place[1]}]


@pytest.mark.library("shared")
def test_coordinates_beyond_the_poles_are_refused(scene):
    scene.allow()
    for place in NO_PLACES:
        refused = scene.app.refusal("PerformChanges", changes=set_location(scene, place))
        # If one coordinate is missing, the error names the pair.
        name = "latitude" if None not in place and abs(place[0]) > 90 else "longitude"
        assert refused.error == "InvalidParameter" and refused.parameters["parameter"] == f"changes[0].{name}", (
            place,
            refused,
        )
        assert "latitude" not in scene.app.named(scene.pictures[0]), place


def test_coordinates_at_the_poles_are_valid(scene):
    scene.allow()
    for place in PLACES:
        scene.app.call("PerformChanges", changes=set_location(scene, place))
        kept = scene.app.named(scene.pictures[0])
        assert (kept["latitude"], abs(kept["longitude"])) == (
            pytest.approx(place[0]),
            pytest.approx(abs(place[1]), abs=1e-6),
        ), place
        world = {"south": -90.0, "west": -180.0, "north": 90.0, "east": 180.0}
        assert scene.app.names(place=world) == [scene.pictures[0]], place


@pytest.mark.parametrize(
    "place",
    [
        {"south": 1.0, "west": 0.0, "north": -1.0, "east": 1.0},
        {"south": -91.0, "west": 0.0, "north": 0.0, "east": 1.0},
        {"south": 0.0, "west": -181.0, "north": 1.0, "east": 1.0},
        {"south": 0.0, "west": 0.0, "north": 1.0, "east": 1e300},
    ],
)
def test_an_invalid_rectangle_is_refused(scene, place):
    scene.allow()
    refused = scene.app.refusal("FetchAssets", options={"place": place})
    assert refused.error == "InvalidParameter" and refused.parameters["parameter"].startswith("options.place")


def test_a_rectangle_may_cross_the_antimeridian(scene):
    scene.allow()
    for name, longitude in zip(scene.pictures, (179.5, -179.5, 0.0)):
        asset = scene.app.named(name)["localIdentifier"]
        scene.app.call(
            "PerformChanges",
            changes=[{"kind": "setLocation", "assets": [asset], "latitude": 0.0, "longitude": longitude}],
        )
    found = scene.app.names(place={"south": -1.0, "west": 179.0, "north": 1.0, "east": -179.0})
    assert set(found) == set(scene.pictures[:2])
