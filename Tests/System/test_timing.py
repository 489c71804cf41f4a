"""Response times must not tell whether a hidden picture exists, nor how many other apps have
grants.

Each method that takes an identifier is called with a hidden and with an absent one, and the two
distributions of times are compared. `scripts/prove-checks` builds a broker in which a hidden
picture costs 20 us more, and one that keeps an app waiting for others' events; this file must find
both.
"""

import base64
import hashlib
import json
import os
import random
import statistics
import time

import pytest
from photobroker import Connection

from house.interfaces import Interface
from house.person import wait_for
from house.soak import WHOLE

# Microseconds between medians that no caller across a socket can use; a third of the planted delay.
LIMIT = 7.0
ROUNDS = 7_000 if WHOLE else 700


def measure(agent, tokens, calls, rounds):
    """Time calls in random order, in microseconds.

    `calls`: for each name a pair of message lists, for hidden and for absent identifiers.
    """
    rng = random.Random(5)
    connection = Connection(agent.path, timeout=20)
    for token in tokens:
        connection.call("io.photobroker.Library.Attach", token=token)
    client, clock = connection.socket, time.perf_counter
    found = {}
    for name, pair in calls.items():
        data = [[bytes.fromhex(m) for m in messages] for messages in pair]
        taken = ([], [])
        for number in range(rounds + 20):
            order = [0, 1] if rng.random() < 0.5 else [1, 0]
            for side in order:
                message = data[side][number % len(data[side])]
                began = clock()
                client.sendall(message)
                reply = client.recv(1 << 16)
                while not reply.endswith(b"\0"):
                    reply += client.recv(1 << 16)
                if number >= 20:
                    taken[side].append((clock() - began) * 1e6)
        found[name] = taken
    return found


def calls_of(interface, hidden, absent):
    """Return calls of every method that takes an asset identifier, and of every change step."""
    extra = {"offset": 0, "length": 100, "maxPixels": 64, "role": "original"}

    def pair(method, make):
        def message(identifier):
            data = {"method": "io.photobroker.Library." + method, "parameters": make(identifier)}
            return (json.dumps(data).encode() + b"\0").hex()

        return [[message(i) for i in hidden], [message(i) for i in absent]]

    calls = {}
    for method, parameters in interface.methods.items():
        given = {p: extra[p] for p in parameters if p in extra}
        if "asset" in parameters and method not in ("StreamResource",):
            calls[method] = pair(method, lambda i: {**given, "asset": i})
        for field in ("assets", "localIdentifiers"):
            if field in parameters:
                calls[method] = pair(method, lambda i: {**given, field: [i]})
        if "options" in parameters:
            calls[method + " identifiers"] = pair(method, lambda i: {"options": {"identifiers": [i]}})
    for kind, more in (("setFavorite", {"favorite": True}), ("setCaption", {"text": "x"}), ("delete", {})):
        calls["PerformChanges " + kind] = pair(
            "PerformChanges", lambda i: {"changes": [{"kind": kind, "assets": [i], **more}], "dryRun": True}
        )
    return calls


def median_distance(one, other):
    """Return the distance of the medians, and the largest one among random halves."""
    apart = statistics.median(one) - statistics.median(other)
    rng, both, chance = random.Random(1), one + other, []
    for _ in range(60):
        rng.shuffle(both)
        chance.append(abs(statistics.median(both[: len(one)]) - statistics.median(both[len(one) :])))
    return abs(apart), max(chance)


def absent_identifiers(count):
    return ["%032x" % (0x9E3779B97F4A7C15F39CC0605CEDC835 * (n + 1) % (1 << 128)) for n in range(count)]


def expect_no_oracle(scene, calls, what):
    tokens, told = [scene.app.own_token, scene.app.token], {}
    for attempt in range(3):
        found = scene.app.run(measure, tokens=tokens, calls=calls, rounds=ROUNDS if attempt else ROUNDS // 4)
        told = {}
        for name, (one, other) in found.items():
            apart, chance = median_distance(one, other)
            if apart > LIMIT and apart > chance:
                told[name] = f"{apart:.1f} us apart, by chance {chance:.1f}"
        # A disturbance passes and an oracle repeats, so only repeated differences count.
        calls = {name: calls[name] for name in told}
        if not calls:
            return
    pytest.fail(f"the time tells whether a hidden {what} exists: {told}")


def test_R40_timing_does_not_distinguish_hidden_from_absent(make_scene):
    scene = make_scene(24)
    scene.allow()
    hidden = [a["localIdentifier"] for a in scene.app.fetch()][1:]
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(23)
    scene.app.request()
    assert len(scene.app.fetch()) == 1
    calls = calls_of(Interface.of(scene.app, "io.photobroker.Library"), hidden, absent_identifiers(len(hidden)))
    assert len(calls) >= 8, sorted(calls)
    expect_no_oracle(scene, calls, "picture")


def test_R46_R50_timing_does_not_distinguish_a_hidden_album_from_an_absent_one(make_scene):
    """Albums of other apps, each with members, which the app saw while it had full access."""
    scene = make_scene(24)
    scene.allow()
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(app=other)
    members = [a["localIdentifier"] for a in other.fetch()]
    for number in range(12):
        other.call(
            "PerformChanges",
            changes=[
                {"kind": "createAlbum", "text": f"Trip {number}", "placeholder": "$trip"},
                {"kind": "addToAlbum", "album": "$trip", "assets": members},
            ],
        )
    scene.owner.set(scene.library, scene.app.name, "authorized", albumPolicy="full")
    albums = wait_for(lambda: len(a := scene.app.call("FetchAlbums")["albums"]) == 12 and a, "the others' albums")
    hidden = [album["localIdentifier"] for album in albums]
    scene.owner.set(scene.library, scene.app.name, "limited", albumPolicy="own")
    scene.select(23)
    scene.app.request()
    own = scene.app.fetch()[0]["localIdentifier"]
    wait_for(lambda: scene.app.call("FetchAlbums")["albums"] == [], "the others' albums to go")
    sides = (hidden, absent_identifiers(len(hidden)))

    def pair(method, make):
        return [
            [
                (
                    json.dumps({"method": "io.photobroker.Library." + method, "parameters": make(i)}).encode() + b"\0"
                ).hex()
                for i in side
            ]
            for side in sides
        ]

    calls = {
        method: pair(method, lambda i: {"options": {"album": i}})
        for method, fields in Interface.of(scene.app, "io.photobroker.Library").methods.items()
        if "options" in fields
    }
    assert len(calls) >= 2, sorted(calls)
    for kind, more in (
        ("renameAlbum", {"text": "x"}),
        ("deleteAlbum", {}),
        ("addToAlbum", {"assets": [own]}),
        ("removeFromAlbum", {"assets": [own]}),
        ("moveInAlbum", {"assets": [own]}),
    ):
        calls["PerformChanges " + kind] = pair(
            "PerformChanges", lambda i: {"changes": [{"kind": kind, "album": i, **more}], "dryRun": True}
        )
    for step in ("renameAlbum", "addToAlbum"):
        refused = [
            scene.app.run(
                last_answer,
                message=calls["PerformChanges " + step][side][0],
                tokens=[scene.app.own_token, scene.app.token],
            )
            for side in (0, 1)
        ]
        assert refused[0] == refused[1] and "identifierNotFound" in refused[0], refused
    expect_no_oracle(scene, calls, "album")


def last_answer(agent, message, tokens):
    connection = Connection(agent.path, timeout=20)
    for token in tokens:
        connection.call("io.photobroker.Library.Attach", token=token)
    connection.socket.sendall(bytes.fromhex(message))
    reply = b""
    while not reply.endswith(b"\0"):
        reply += connection.socket.recv(1 << 16)
    return reply.decode()


def test_R105_timing_does_not_distinguish_a_hidden_cloud_identifier_from_an_absent_one(make_scene):
    scene = make_scene(24)
    scene.allow()
    assets = [a["localIdentifier"] for a in scene.app.fetch()]

    def named():
        found = scene.app.call("GetCloudIdentifiers", localIdentifiers=assets[1:])["mappings"]
        return [m["cloudIdentifier"] for m in found] if all(m.get("cloudIdentifier") for m in found) else None

    hidden = wait_for(named, "the names of all", 30)
    scene.limit(23, location=True)
    # Well-formed identifiers without an asset: other names of content, and hints of no asset.
    mix = lambda text: hashlib.sha256(text.encode()).hexdigest()
    absent = [name[:-45] + mix(name)[:12] + "." + mix(name)[:32] for name in hidden]
    assert all(len(name) == len(other) and name[:-45] == other[:-45] for name, other in zip(hidden, absent))
    for name in (hidden[0], absent[0]):
        assert (
            scene.app.call("GetLocalIdentifiers", cloudIdentifiers=[name])["mappings"][0]["reason"]
            == "identifierNotFound"
        )

    def message(name):
        data = {"method": "io.photobroker.Library.GetLocalIdentifiers", "parameters": {"cloudIdentifiers": [name]}}
        return (json.dumps(data).encode() + b"\0").hex()

    calls = {"GetLocalIdentifiers": [[message(n) for n in hidden], [message(n) for n in absent]]}
    for _ in range(3):
        one, other = scene.app.run(measure, tokens=[scene.app.own_token, scene.app.token], calls=calls, rounds=150)[
            "GetLocalIdentifiers"
        ]
        apart, chance = median_distance(one, other)
        if apart <= LIMIT or apart <= chance:
            return
    pytest.fail(f"{apart:.1f} us apart, by chance {chance:.1f}")


def add_many(agent, held, names, rounds, method):
    """Add pictures of four kinds in random order; return milliseconds and the answers' shapes."""
    rng, connection = random.Random(3), agent.connection()
    taken, shapes = {}, {}
    for number in range(rounds):
        kinds = ["new", "held bytes", "held name", "held bytes and name"]
        rng.shuffle(kinds)
        for kind in kinds:
            data = base64.b64decode(held[number % len(held)])
            if "bytes" not in kind:
                # The same picture with other last bytes: equally long, and unknown.
                data = data[:-18] + os.urandom(16).replace(b"\xff", b"\0") + data[-2:]
            name = names[number % len(names)] if "name" in kind else f"new-{rng.getrandbits(40):x}.jpg"
            began = time.perf_counter()
            asset = {"filename": name, "contents": base64.b64encode(data).decode()}
            if method == "PerformChanges":
                asset = {"changes": [{"kind": "createAsset", **asset}]}
            reply = connection.call("io.photobroker.Library." + method, **asset)
            taken.setdefault(kind, []).append((time.perf_counter() - began) * 1e3)
            identifier = reply["createdAssets"][0] if method == "PerformChanges" else reply["localIdentifier"]
            shapes.setdefault(kind, set()).add((tuple(sorted(reply)), len(identifier)))
            shapes.setdefault("identifiers", []).append(identifier)
    identifiers = shapes.pop("identifiers")
    assert len(set(identifiers)) == len(identifiers), "each is a new asset"
    return taken, {kind: sorted(map(list, found)) for kind, found in shapes.items()}


@pytest.mark.parametrize("method", ["AddAsset", "PerformChanges"])
def test_R11_adding_takes_equally_long_for_known_and_new_bytes_and_names(make_scene, method):
    scene = make_scene(12)
    scene.let_broker_add()
    scene.allow(level="addOnly")
    held = [base64.b64encode((scene.album.folder / p).read_bytes()).decode() for p in scene.pictures]
    told = {}
    for _ in range(3):
        taken, shapes = scene.app.run(add_many, held=held, names=scene.pictures, rounds=40, method=method)
        assert len(set(map(str, shapes.values()))) == 1, shapes
        new, told = taken.pop("new"), {}
        for kind, times in taken.items():
            apart, chance = median_distance(new, times)
            # More than a tenth of an addition, and more than chance.
            if apart > 0.1 * statistics.median(new) and apart > chance:
                told[kind] = f"{apart:.2f} ms apart of {statistics.median(new):.2f}, by chance {chance:.2f}"
        if not told:
            return
    pytest.fail(f"the time tells whether the library holds what is added: {told}")


def ask_for_changes(agent, since):
    """Return the duration of a call for changes, in microseconds."""
    connection = agent.connection()
    began = time.perf_counter()
    event = connection.call("io.photobroker.Library.FetchPersistentChanges", since=since)["event"]
    taken = (time.perf_counter() - began) * 1e6
    assert not (event["inserted"] or event["changed"] or event["removed"] or event["resynchronize"]), event
    return taken


def test_R71_timing_does_not_reveal_the_number_of_invisible_changes(make_scene):
    """Each call is the first since many hidden photos were marked, or since none was."""
    told = None
    for _ in range(3):
        scene = make_scene(400)
        scene.limit(0)
        hidden = {"createdFrom": 1 + scene.app.fetch()[0]["creationDate"]}
        since = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
        busy, quiet = [], []
        # Fewer changes in all than a pass that shortens the broker's log reads anyway.
        for _ in range(4):
            for taken, marks in ((busy, 8), (quiet, 0)):
                for mark in range(marks):
                    scene.owner.call("MarkAssets", library=scene.library, selector=hidden, favorite=mark % 2 == 0)
                # Observations are recorded shortly after the change, and later beside other work.
                time.sleep(0.6)
                taken.append(scene.app.run(ask_for_changes, since=since))
        # Disturbances only add time, so the quickest calls are compared.
        if min(busy) <= 1.5 * min(quiet):
            return
        told = f"{min(busy):.0f} us and {min(quiet):.0f} us"
    pytest.fail(f"the time tells how much happened out of sight: {told}")


def edit_albums(agent, rounds):
    connection, taken = agent.connection(), []
    for number in range(rounds):
        began = time.perf_counter()
        reply = connection.call(
            "io.photobroker.Library.PerformChanges", changes=[{"kind": "createAlbum", "text": f"Album {number}"}]
        )
        taken.append((time.perf_counter() - began) * 1e3)
        began = time.perf_counter()
        connection.call(
            "io.photobroker.Library.PerformChanges",
            changes=[{"kind": "deleteAlbum", "album": reply["createdAlbums"][0]}],
        )
        taken.append((time.perf_counter() - began) * 1e3)
    return taken


def test_R40_timing_does_not_reveal_how_many_others_were_granted_access(make_scene):
    crowded, lonely = make_scene(2), make_scene(2)
    for scene in (crowded, lonely):
        scene.limit(0)
    for number in range(40):
        app = crowded.owner.call(
            "AddApp",
            uid=crowded.app.uid,
            manifest={
                "identifier": f"org.example.hidden{number}",
                "name": "Hidden",
                "NSPhotoLibraryUsageDescription": "Why.",
            },
        )["app"]["app"]
        crowded.owner.set(crowded.library, app, "authorized" if number % 2 else "limited")
    apart = chance = 0
    for _ in range(3):
        taken = {crowded: [], lonely: []}
        for _ in range(10):
            for scene in taken:
                taken[scene] += scene.app.run(edit_albums, rounds=4)
        apart, chance = median_distance(taken[crowded], taken[lonely])
        median = statistics.median(taken[lonely])
        # More than a fifth of one change, and more than chance; a wait for all takes much longer.
        if apart <= 0.2 * median or apart <= chance:
            return
    pytest.fail(f"the time tells how many others were granted access: {apart:.2f} ms apart, by chance {chance:.2f}")
