"""Cloud identifiers: the same photo on two machines, which here are two brokers."""

import base64
import hashlib
import hmac
import os
import signal
import socket
import time

import pytest

from house.broker import Broker
from house.person import children, wait_for
from house.pictures import captioned, day, jpeg, placed
from house.scene import Scene
from house.tokens import attenuated


@pytest.fixture
def two_scenes(house):
    brokers = [Broker(house, name=f"own-{house.fresh_uid()}").start() for _ in range(2)]
    yield [Scene(broker, 6) for broker in brokers]
    for broker in brokers:
        broker.end()


def to_cloud(app, *identifiers):
    return app.call("GetCloudIdentifiers", localIdentifiers=list(identifiers))["mappings"]


def to_local(app, *identifiers):
    return app.call("GetLocalIdentifiers", cloudIdentifiers=list(identifiers))["mappings"]


def without_hint(name):
    """The identifier as another machine makes it, whose hint means nothing here."""
    return name[:-32] + "0" * 32


def test_R97_R99_R100_R102_R103_a_photo_is_found_again_on_another_machine(two_scenes):
    here, there = two_scenes
    here.limit(0, 1, 2, location=True)
    there.limit(1, 2, 3, location=True)
    mine = {a["filename"]: a["localIdentifier"] for a in here.app.fetch()}
    names = {m["localIdentifier"]: m["cloudIdentifier"] for m in to_cloud(here.app, *mine.values())}
    assert len(set(names.values())) == 3
    found = to_local(there.app, *[names[mine[name]] for name in here.pictures[:3]])
    theirs = {a["filename"]: a["localIdentifier"] for a in there.app.fetch()}
    assert [m.get("localIdentifier") for m in found] == [None, theirs[here.pictures[1]], theirs[here.pictures[2]]]
    assert set(theirs.values()).isdisjoint(mine.values()), "local identifiers belong to one machine"
    assert found[0]["reason"] == "identifierNotFound" and found[0]["code"] == 3201, "not selected there"


def test_R101_R105_R106_R112_hidden_absent_and_invalid_identifiers_answer_alike(two_scenes):
    here, there = two_scenes
    here.limit(*range(6), location=True)
    there.limit(0, location=True)
    there_app = there.app
    first, hidden = [here.app.named(here.pictures[n])["localIdentifier"] for n in (0, 5)]
    known, unselected = [m["cloudIdentifier"] for m in to_cloud(here.app, first, hidden)]
    absent = unselected[:-4] + ("AAAA" if not unselected.endswith("AAAA") else "BBBB")
    answers = to_local(there_app, unselected, known, absent, "", "x" * 5000, "?", "\u202e", known)
    assert all(answers[n].get("localIdentifier") for n in (1, 7))
    failed = [{k: v for k, v in answers[n].items() if k != "cloudIdentifier"} for n in (0, 2, 3, 4, 5, 6)]
    assert all(f == failed[0] for f in failed) and failed[0]["code"] == 3201
    assert [a["cloudIdentifier"] for a in answers[:1]] == [unselected], "the caller can keep the unresolved one"
    other = here.broker.app()
    mine = there_app.fetch()[0]["localIdentifier"]
    answers = to_cloud(there_app, "0" * 32, mine, "nonsense", first, hidden, "")
    assert answers[1]["cloudIdentifier"][:-32] == known[:-32]
    failed = [{k: v for k, v in answers[n].items() if k != "localIdentifier"} for n in (0, 2, 3, 4, 5)]
    assert all(f == failed[0] for f in failed) and failed[0]["reason"] == "identifierNotFound"
    other.end()


def test_R107_R108_R109_R110_several_matching_photos_leave_the_choice_to_a_person(scene):
    data = (scene.album.folder / scene.pictures[0]).read_bytes()
    scene.album.put("copy.jpg", data)
    scene.album.put("third.jpg", data)
    scene.owner.wait_for_library(scene.library, 8)
    scene.limit(0, location=True)
    name = without_hint(to_cloud(scene.app, scene.app.fetch()[0]["localIdentifier"])[0]["cloudIdentifier"])
    only = to_local(scene.app, name)[0]
    assert only["localIdentifier"] == scene.app.fetch()[0]["localIdentifier"] and only["matches"] == [], (
        "one visible match is the answer"
    )
    scene.select("copy.jpg")
    answer = to_local(scene.app, name)[0]
    assert answer["reason"] == "multipleIdentifiersFound" and answer["code"] == 3202
    assert answer.get("localIdentifier") is None
    assert sorted(answer["matches"]) == sorted(a["localIdentifier"] for a in scene.app.fetch())
    fetched = scene.app.fetch(identifiers=answer["matches"])
    assert {a["filename"] for a in fetched} == {scene.pictures[0], "copy.jpg"}
    scene.unselect(0)
    assert to_local(scene.app, name)[0]["localIdentifier"] == scene.app.named("copy.jpg")["localIdentifier"]


def test_R98_albums_are_found_by_title_and_day(two_scenes):
    here, there = two_scenes
    for scene, title in ((here, "Ferien in Zürich"), (there, " ferien in Zu\u0308rich ")):
        scene.limit(0, 1, location=True)
        scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": title}])
    mine = here.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    name = to_cloud(here.app, mine)[0]["cloudIdentifier"]
    assert to_local(here.app, name)[0]["localIdentifier"] == mine
    theirs = there.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    assert to_local(there.app, name)[0]["localIdentifier"] == theirs != mine
    # Another app's album does not resolve.
    other = there.broker.app(uid=there.app.uid)
    other.introduce("org.example.journal", name="Another journal")
    there.limit(0, 1, app=other, location=True)
    assert to_local(other, name)[0]["reason"] == "identifierNotFound"


def test_R107_R108_R109_R110_several_matching_albums_leave_the_choice_to_a_person(scene):
    scene.limit(0, 1, location=True)
    step = {"kind": "createAlbum", "text": "Ferien"}
    first, second = scene.app.call("PerformChanges", changes=[step, step])["createdAlbums"]
    # The owner's album and another app's album of that title are invisible to it.
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Ferien")
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other, location=True)
    other.call("PerformChanges", changes=[step])
    name = without_hint(to_cloud(scene.app, first)[0]["cloudIdentifier"])
    assert without_hint(to_cloud(scene.app, second)[0]["cloudIdentifier"]) == name
    answer = to_local(scene.app, name)[0]
    assert (answer["reason"], answer["code"]) == ("multipleIdentifiersFound", 3202) and answer.get(
        "localIdentifier"
    ) is None
    assert sorted(answer["matches"]) == sorted([first, second])
    assert {a["localIdentifier"] for a in scene.app.call("FetchAlbums")["albums"]} == set(answer["matches"]), (
        "they can be fetched"
    )
    scene.app.call("PerformChanges", changes=[{"kind": "deleteAlbum", "album": second}])
    only = to_local(scene.app, name)[0]
    assert only["localIdentifier"] == first and only["matches"] == []


def test_R97_R107_on_its_own_machine_an_identifier_names_the_same_thing_always(scene):
    scene.album.put("copy.jpg", (scene.album.folder / scene.pictures[0]).read_bytes())
    scene.owner.wait_for_library(scene.library, 7)
    scene.limit(0, 1, "copy.jpg", location=True)
    step = {"kind": "createAlbum", "text": "Ferien"}
    albums = scene.app.call("PerformChanges", changes=[step, step])["createdAlbums"]
    photos = [scene.app.named(name)["localIdentifier"] for name in (scene.pictures[0], "copy.jpg")]
    names = [mapping["cloudIdentifier"] for mapping in to_cloud(scene.app, *photos, *albums)]
    assert len(set(names)) == 4
    scene.app.call("PerformChanges", changes=[{"kind": "renameAlbum", "album": albums[0], "text": "Reisen"}])
    assert [found.get("localIdentifier") for found in to_local(scene.app, *names)] == [*photos, *albums]
    # A photo that the app sees no more is not found, with its hint or without.
    scene.unselect(0, "copy.jpg")
    assert {found["reason"] for found in to_local(scene.app, *names[:2])} == {"identifierNotFound"}
    # The hint of another app's identifier means nothing.
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, 1, "copy.jpg", app=other, location=True)
    assert {found["reason"] for found in to_local(other, *names)} == {"identifierNotFound"}


def inet_sockets(pid):
    known = set()
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        with open(f"/proc/{pid}/net/{table}") as lines:
            known |= {line.split()[9] for line in list(lines)[1:]}
    links = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{pid}/fd/{number}"))
        except FileNotFoundError:
            pass
    return [link for link in links if link.startswith("socket:[") and link[8:-1] in known]


def test_R104_no_mapping_process_uses_the_network(own_scene):
    scene = own_scene
    scene.limit(0, location=True)
    mine = scene.app.fetch()[0]["localIdentifier"]
    name = to_cloud(scene.app, mine)[0]["cloudIdentifier"]
    assert to_local(scene.app, name)[0]["localIdentifier"] == mine
    processes = [scene.broker.process.pid, *children(scene.broker.process.pid)]
    assert len(processes) > 1 and all(inet_sockets(pid) == [] for pid in processes)
    # A process with a socket shows that the check can fail.
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        assert len(inet_sockets(os.getpid())) >= 1


@pytest.mark.library("shared")
def test_two_apps_share_no_cloud_identifier(scene):
    scene.limit(0, 1, location=True)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, 1, app=other, location=True)
    names = [
        {m["cloudIdentifier"] for m in to_cloud(app, *[a["localIdentifier"] for a in app.fetch()])}
        for app in (scene.app, other)
    ]
    assert len(names[0]) == len(names[1]) == 2 and names[0].isdisjoint(names[1])
    assert {m["reason"] for m in to_local(other, *names[0])} == {"identifierNotFound"}


@pytest.mark.library("shared")
def test_R11_an_add_only_app_maps_nothing(scene):
    scene.owner.set(scene.library, scene.app.name, "denied")
    scene.allow(level="addOnly")
    for method, field in (("GetCloudIdentifiers", "localIdentifiers"), ("GetLocalIdentifiers", "cloudIdentifiers")):
        assert scene.app.refusal(method, **{field: ["0" * 32]}).reason == "accessUserDenied"


def test_edits_reach_the_index_at_once(scene):
    scene.limit(0, 1, 2, location=True)
    names = {a["filename"]: to_cloud(scene.app, a["localIdentifier"])[0]["cloudIdentifier"] for a in scene.app.fetch()}
    assert all(m.get("localIdentifier") for m in to_local(scene.app, *names.values()))
    scene.unselect(1)
    assert to_local(scene.app, names[scene.pictures[1]])[0]["reason"] == "identifierNotFound"
    # Other bytes under the same name are another photo.
    scene.album.add(20, name=scene.pictures[2], width=80)
    wait_for(
        lambda: to_local(scene.app, names[scene.pictures[2]])[0].get("reason") == "identifierNotFound",
        "the changed photo to be another",
    )
    assert to_local(scene.app, names[scene.pictures[0]])[0].get("localIdentifier")


def test_R104_a_mapping_recovers_from_a_crash_and_nothing_else_fails(own_scene):
    scene = own_scene
    scene.limit(0, location=True)
    mine = scene.app.fetch()[0]["localIdentifier"]
    name = to_cloud(scene.app, mine)[0]["cloudIdentifier"]
    hosts = [
        pid for pid in children(scene.broker.process.pid) if b"libcontent" in open(f"/proc/{pid}/cmdline", "rb").read()
    ]
    assert len(hosts) == 1, "one process, of this library's own"
    os.kill(hosts[0], signal.SIGKILL)
    assert scene.app.names() == [scene.pictures[0]]

    def works():
        try:
            return to_cloud(scene.app, mine)[0].get("cloudIdentifier") == name
        except Exception as error:
            assert getattr(error, "reason", None) == "internalError"
            time.sleep(0.1)
            return False

    wait_for(works, "the mapping to be back")


@pytest.mark.library("shared")
def test_R111_one_call_maps_a_thousand_identifiers_and_refuses_one_more(scene):
    scene.limit(0, location=True)
    limit = scene.app.call("GetLimits")["limits"]["identifiers"]
    assert len(to_local(scene.app, *["x"] * limit)) == limit == 1_000
    mine = scene.app.fetch()[0]["localIdentifier"]
    mappings = to_cloud(scene.app, *[mine, "0" * 32] * (limit // 2))
    assert len({m.get("cloudIdentifier") for m in mappings[::2]}) == 1 and all(m.get("reason") for m in mappings[1::2])
    assert scene.app.refusal("GetLocalIdentifiers", cloudIdentifiers=["x"] * (limit + 1)).error == "InvalidParameter"
    assert (
        scene.app.refusal("GetCloudIdentifiers", localIdentifiers=["0" * 32] * (limit + 1)).error == "InvalidParameter"
    )


def content_name(data):
    """The name that the content mapping gives these bytes, as any program can compute it."""
    key = b"photobroker content mapping 1 org.example.journal"
    code = hmac.digest(key, b"asset " + hashlib.sha256(data).digest(), "sha256")
    return "content1-asset-" + base64.urlsafe_b64encode(code).decode().rstrip("=")


WITHHOLDING = [{"captions": False, "location": True}, {"location": False}, {"files": False, "location": True}]


@pytest.mark.parametrize("terms", WITHHOLDING, ids=["captions", "location", "files"])
def test_R150_a_cloud_identifier_confirms_no_guess_of_a_withheld_fact(own_broker, make_scene, terms):
    scene, elsewhere = Scene(own_broker, 1), make_scene(1)
    secret = captioned(placed(jpeg(day(5))), b"Grandmother's garden")
    for one in (scene, elsewhere):
        one.album.put("garden.jpg", secret)
        one.album.put("copy.jpg", secret)
        one.owner.rescan(one.library)
        one.limit("garden.jpg", location=True)
    app, asset = scene.app, scene.app.named("garden.jpg")["localIdentifier"]
    before = to_cloud(app, asset)[0]["cloudIdentifier"]
    assert before.startswith(content_name(secret)), "with all facts it is the content's"
    assert to_local(elsewhere.app, before)[0]["localIdentifier"] == elsewhere.app.fetch()[0]["localIdentifier"]
    scene.set_terms(**terms)
    scene.select("copy.jpg")
    mine = {a["filename"]: a["localIdentifier"] for a in app.fetch()}
    named = {m["localIdentifier"]: m["cloudIdentifier"] for m in to_cloud(app, *mine.values())}
    # The app could compute each name itself, from the bytes that it gets.
    if terms.get("files", True):
        data = app.call("ReadBytes", asset=asset, role="original", offset=0, length=500_000)["data"]
        name = content_name(base64.b64decode(data))
        assert name != content_name(secret)
    else:
        name = "local"
    assert {text[:-33] for text in named.values()} == {name} and len(set(named.values())) == 2
    # The right guess, alone or with a hint of this or another machine, is like a wrong one.
    wrong, hints = content_name(secret + b"x"), ["", "." + "0" * 32, "." + "f" * 32]
    answers = [to_local(app, name + hint)[0] for hint in hints for name in (content_name(secret), wrong)]
    assert {(m.get("localIdentifier"), m["reason"], *m["matches"]) for m in answers} == {(None, "identifierNotFound")}
    # Each identifier is found again here, also one from before.
    assert [m["localIdentifier"] for m in to_local(app, *named.values(), before)] == [*named, asset]
    elsewhere.set_terms(**terms)
    assert to_local(elsewhere.app, before)[0]["reason"] == "identifierNotFound"
    there = to_local(elsewhere.app, named[asset])[0]
    if name == "local":
        assert there["reason"] == "identifierNotFound", "elsewhere it names nothing"
    else:
        assert there["localIdentifier"] == elsewhere.app.named("garden.jpg")["localIdentifier"]
    scene.unselect("copy.jpg")
    found = to_local(app, named[mine["copy.jpg"]])[0]
    assert found.get("localIdentifier") == (None if name == "local" else asset), "the same bytes, if it gets any"


def test_R150_a_token_without_places_gets_no_name_of_the_content(scene):
    secret = placed(jpeg(day(5)))
    scene.album.put("garden.jpg", secret)
    scene.owner.rescan(scene.library)
    scene.allow()
    album = scene.app.perform({"kind": "createAlbum", "text": "Trip"})["createdAlbums"][0]
    asset = scene.app.named("garden.jpg")["localIdentifier"]
    whole = to_cloud(scene.app, asset, album)
    assert whole[0]["cloudIdentifier"].startswith(content_name(secret))
    for caveat, names_bytes in (("withholds = location", True), ("pixels = 512", False)):
        helper = scene.broker.app(uid=scene.app.uid)
        helper.call("Attach", token=attenuated(scene.app.token, caveat))
        names = [mapping["cloudIdentifier"] for mapping in to_cloud(helper, asset, album)]
        name, hint = names[0][:-33], names[0][-33:]
        assert hint == whole[0]["cloudIdentifier"][-33:]
        assert name != content_name(secret) and name.startswith("content1" if names_bytes else "local")
        assert names[1] == whole[1]["cloudIdentifier"], "an album's title is withheld from nobody"
        assert to_local(helper, content_name(secret))[0]["reason"] == "identifierNotFound"
        assert [m["localIdentifier"] for m in to_local(helper, *names)] == [asset, album]
        assert to_local(helper, without_hint(names[1]))[0]["localIdentifier"] == album
