"""Modified tokens, judged by the broker and by pymacaroons with the same key.

Also every combination of user, library and token.
"""

import copy
import hashlib
import hmac
import random
import shutil
import sqlite3
import tempfile
import time

import pytest
from pymacaroons import Macaroon, Verifier
from photobroker import Connection, VarlinkError

from house.broker import Album
from house.soak import WHOLE

VERBS = {"read", "add", "edit", "delete", "observe", "pick"}


def root_key(broker, library):
    """Read the key of a library's tokens from the broker's state, as root."""
    with tempfile.TemporaryDirectory() as copy:
        # The broker locks its database, so a copy of it and of its log is read.
        for part in broker.state.glob("state.db*"):
            shutil.copy(part, copy)
        database = sqlite3.connect(f"{copy}/state.db")
        (root,) = database.execute("SELECT root_key FROM libraries WHERE name = ?", (library,)).fetchone()
        database.close()
    extracted = hmac.digest(bytes(32), root, hashlib.sha256)
    return hmac.digest(extracted, b"access tokens\x01", hashlib.sha256)


def attach_each(agent, tokens):
    """Return for each token "refused", "nothing" (no read access), or its number of assets."""
    found = []
    for token in tokens:
        with Connection(agent.path, timeout=20) as connection:
            try:
                connection.call("io.photobroker.Library.Attach", token=token)
            except VarlinkError as error:
                found.append("refused" if error.name.endswith((".TokenRefused", ".InvalidParameter")) else error.name)
                continue
            try:
                found.append(connection.call("io.photobroker.Library.CountAssets")["count"])
            except VarlinkError:
                found.append("nothing")
    return found


def listed_values(text):
    return text.split(",") if text else [""]


def caveat_text(caveat):
    return caveat.caveat_id if isinstance(caveat.caveat_id, str) else caveat.caveat_id.decode()


def satisfies(context):
    """Return a check of one caveat by the documented grammar."""

    def check(caveat):
        name, equals, value = caveat.partition(" = ")
        if not equals:
            return False
        if name in ("library", "app", "level"):
            return value == context[name]
        if name == "uid":
            return value == str(context["uid"])
        if name == "before":
            return (
                value.isascii()
                and value.isdigit()
                and len(value) <= 18
                and (value == "0" or value[0] != "0")
                and int(value) > time.time()
            )
        if name == "pixels":
            return value.isascii() and value.isdigit() and value[0] != "0" and 256 <= int(value) <= 2_560
        if name == "verbs":
            return set(listed_values(value)) <= VERBS and len(set(listed_values(value))) == len(listed_values(value))
        if name == "assets":
            named = listed_values(value)
            return all(len(n) == 32 and set(n) <= set("0123456789abcdef") for n in named) and len(set(named)) == len(
                named
            )
        return False

    return check


def pymacaroons_verdict(text, key, context):
    """Return pymacaroons' verdict, or None for contradictory caveats, which may be refused."""
    try:
        macaroon = Macaroon.deserialize(text)
        verifier = Verifier()
        verifier.satisfy_general(satisfies(context))
        verifier.verify(macaroon, key)
    except Exception:
        return "refused"
    texts = [caveat_text(c) for c in macaroon.caveats]
    verbs = [set(listed_values(t[8:])) for t in texts if t.startswith("verbs = ")]
    assets = [set(listed_values(t[9:])) for t in texts if t.startswith("assets = ")]
    if len(texts) > 64 or any(not set.intersection(*sets) for sets in (verbs, assets) if sets):
        return None
    return "nothing" if verbs and "read" not in set.intersection(*verbs) else "taken"


@pytest.mark.parametrize("seed", range(10 if WHOLE else 1))
def test_the_broker_and_pymacaroons_agree_on_mutants(make_scene, seed):
    scene, other = make_scene(4), make_scene(2)
    scene.limit(0, 1)
    other.limit(0)
    rng = random.Random(seed)
    key = root_key(scene.broker, scene.library)
    context = {"library": scene.library, "app": scene.app.name, "level": "readWrite", "uid": scene.app.uid}
    assets = [a["localIdentifier"] for a in scene.app.fetch()]
    assert pymacaroons_verdict(scene.app.token, key, context) == "taken", "the oracle knows the key"
    pieces = [
        f"library = {scene.library}",
        f"library = {other.library}",
        "library = ",
        f"library ={scene.library}",
        f"app = {scene.app.name}",
        f"app = {other.app.name}",
        f"uid = {scene.app.uid}",
        f"uid = 0{scene.app.uid}",
        "uid = 0",
        "uid = 4294967296",
        "pixels = 256",
        "pixels = 2561",
        "pixels = 0512",
        "pixels = 9223372036854775808",
        "uid = -1",
        "level = readWrite",
        "level = addOnly",
        "level = full",
        "level = READWRITE",
        "verbs = read",
        "verbs = read,observe",
        "verbs = observe",
        "verbs = read,read",
        "verbs = ",
        "verbs = read,",
        "verbs = everything",
        "verbs = read, observe",
        f"before = {int(time.time()) + 3600}",
        "before = 0",
        f"before = {int(time.time()) - 5}",
        "before = 1e12",
        "before = +99999999999",
        "before = 9999999999999999999",
        f"before = 0{int(time.time()) + 3600}",
        f"assets = {assets[0]}",
        f"assets = {assets[0]},{assets[1]}",
        "assets = " + "0" * 32,
        f"assets = {assets[0].upper()}",
        f"assets = {assets[0]},",
        "assets = ",
        "admin = true",
        "",
        " = ",
        "verbs",
        "library = " + "a" * 200,
        "grants = all",
        "epoch = 0",
        "verbs = read\n",
        "\tverbs = read",
    ]

    def mutant():
        macaroon = Macaroon.deserialize(rng.choice([scene.app.token] * 4 + [other.app.token]))
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            what = rng.randrange(12)
            if what < 7:
                piece = rng.choice(pieces)
                if piece:
                    macaroon.add_first_party_caveat(piece)
            elif what == 7 and macaroon.caveats:
                del macaroon.caveats[rng.randrange(len(macaroon.caveats))]
            elif what == 8:
                rng.shuffle(macaroon.caveats)
            elif what == 9 and macaroon.caveats:
                macaroon.caveats.append(copy.copy(rng.choice(macaroon.caveats)))
            elif what == 10:
                macaroon.signature = Macaroon.deserialize(other.app.token).signature
            elif macaroon.caveats:
                caveat = rng.choice(macaroon.caveats)
                caveat.caveat_id = (
                    caveat_text(caveat).replace(scene.library, other.library)
                    if rng.random() < 0.5
                    else rng.choice(pieces) or "x"
                )
        return macaroon.serialize()

    mutants = [mutant() for _ in range(500)]
    outcomes = scene.app.run(attach_each, tokens=mutants)
    taken = 0
    for text, outcome in zip(mutants, outcomes):
        wanted = pymacaroons_verdict(text, key, context)
        told = "taken" if isinstance(outcome, int) else outcome
        assert wanted is None and told in ("refused", "nothing", "taken") or told == wanted, (
            outcome,
            wanted,
            [caveat_text(c) for c in Macaroon.deserialize(text).caveats],
        )
        assert not isinstance(outcome, int) or outcome <= 2, "no sequence of caveats widens"
        taken += told == "taken"
    assert taken > 30, "some of them are good"


def test_a_token_opens_only_its_own_users_library(scene, house):
    """Three users, three libraries offered to all, two levels: a token opens one library."""
    broker, owner = scene.broker, scene.owner
    apps = [scene.app, *[broker.app() for _ in range(2)]]
    users = [app.uid for app in apps]
    libraries = [scene.library]
    for number in range(2):
        album = Album(house, f"more-{owner.uid}-{number}", owner.uid)
        album.fill(2 + number)
        libraries.append(f"more-{owner.uid}-{number}")
        owner.add_library(libraries[-1], album.folder, users, 2 + number)
    owner.call("OfferLibrary", name=scene.library, offeredTo=users)
    tokens = {}
    for app in apps:
        if app is not scene.app:
            app.introduce("org.example.same")
        for library in libraries:
            for level in ("readWrite", "addOnly"):
                owner.set(library, app.name, "authorized", level=level)
                tokens[app.uid, library, level] = owner.call("MintToken", library=library, app=app.name, level=level)[
                    "token"
                ]
    sizes = {library: owner.library(library)["assets"] for library in libraries}

    def try_all(agent, tokens, libraries):
        opened = []
        for name, token in tokens:
            for library in libraries:
                with Connection(agent.path, timeout=20) as connection:
                    try:
                        connection.call("io.photobroker.Library.Attach", token=token)
                        seen = connection.call(
                            "io.photobroker.Library.DescribeAccess", level="readWrite", library=library
                        )
                        count = connection.call("io.photobroker.Library.CountAssets")["count"]
                        if seen["verbs"]:
                            opened.append([name, library, seen["visible"], count])
                    except VarlinkError:
                        pass
        return opened

    for app in apps:
        opened = app.run(try_all, tokens=[[list(k), t] for k, t in tokens.items()], libraries=libraries)
        assert sorted(opened) == sorted([[app.uid, l, "readWrite"], l, sizes[l], sizes[l]] for l in libraries), app.uid
