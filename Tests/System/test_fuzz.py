"""Every method of both interfaces, with valid parameters that are broken in one place.

Another type, an unknown field, a huge number, deep nesting, nothing. Runs are seeded, so that a
failure can be repeated.
"""

import random
import json
import pytest
from photobroker import Connection, VarlinkError

from house.interfaces import Interface
from house.soak import WHOLE

# They wait for a person, or remove the library.
LEFT_OUT = {"RequestAuthorization", "LevelUnawareRequestAuthorization", "PresentLimitedLibraryPicker", "RemoveLibrary"}


def drive(agent, interface, tokens, known, seed, calls, left_out):
    """Call methods on connections kept until the broker closes them; return how the calls ended."""
    rng = random.Random(seed)
    types = interface["types"]
    methods = [m for m in sorted(interface["methods"]) if m not in left_out]
    words = [
        "",
        "x",
        "0" * 32,
        "f" * 32,
        "readWrite",
        "addOnly",
        "limited",
        "authorized",
        "denied",
        "full",
        "own",
        "image",
        "..",
        "a/b",
        "\u202ename",
        "é" * 300,
        "2" * 2000,
        "\ud83d\ude00",
        "%n%s",
        "' OR 1=1 --",
        "original",
        "creationDate",
    ]
    numbers = [0, 1, -1, 2, 100, 1000, 1001, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63), 1_700_000_000_000_000]

    def make(kind, name="", depth=0):
        if isinstance(kind, dict):
            return {f: make(t, f, depth + 1) for f, t in kind.items() if rng.random() < 0.85}
        if isinstance(kind, list) and kind and kind[0] in ("maybe", "array", "map") and len(kind) == 2:
            if kind[0] == "maybe":
                return None if rng.random() < 0.4 else make(kind[1], name, depth)
            count = rng.choice([0, 1, 1, 2, 5]) if depth < 6 else 0
            values = [make(kind[1], name, depth + 1) for _ in range(count)]
            return (
                values
                if kind[0] == "array"
                else {rng.choice(["path", "a", ""]) + str(n): v for n, v in enumerate(values)}
            )
        if isinstance(kind, list):
            return rng.choice(kind)
        if kind in types:
            return make(types[kind], name, depth + 1) if depth < 8 else {}
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "int":
            return rng.choice(numbers)
        if kind == "float":
            return rng.choice([0.0, -0.0, 47.5, 91.0, -181.0, 1e308, 5e-324])
        if kind == "object":
            return rng.choice([{}, {"identifier": "org.example.fuzz", "name": "F"}, {"identifier": 1}, {"x": [{}]}])
        return known[name] if name in known and rng.random() < 0.6 else rng.choice(words)

    def places(value, found):
        for key, inner in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            found.append((value, key))
            places(inner, found)
        return found

    def nest(depth):
        value = rng.choice([[], {}])
        for _ in range(depth):
            value = [value] if rng.random() < 0.5 else {"a": value}
        return value

    def damage(value):
        found = places(value, [])
        what = rng.randrange(7)
        if what == 0 or not found:
            value[rng.choice(["unknown", "", "limit", "kind"])] = rng.choice([1, "x", None, {}])
            return
        holder, key = rng.choice(found)
        if what == 1 and isinstance(holder, dict):
            del holder[key]
        elif what == 2:
            holder[key] = rng.choice([10**30, -(10**30), 1.5, 1e400, 10**900])
        elif what == 3:
            holder[key] = nest(rng.choice([3, 26, 40]))
        elif what == 4:
            holder[key] = rng.choice([None, True, 7, "x", [], {}, [None], {"a": None}])
        elif what == 5:
            holder[key] = rng.choice(["x", "\u00e9"]) * rng.choice([300, 70_000])
        else:
            holder[key] = [holder[key]] * rng.choice([2, 1001])

    def open_one():
        connection = Connection(agent.path, timeout=30)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        return connection

    ends, connection = {}, open_one()
    for number in range(calls):
        method = methods[number % len(methods)]
        parameters = make(interface["methods"][method])
        if rng.random() < 0.6:
            damage(parameters)
        message = {"method": interface["name"] + "." + method, "parameters": parameters}
        if rng.random() < 0.15:
            message["more"] = True
        try:
            data = json.dumps(message).replace("Infinity", "1e400").encode() + b"\0"
            connection.socket.sendall(data)
            connection.receive()
            end = "answered"
        except VarlinkError as error:
            end = error.name.rsplit(".", 1)[1]
        except (ConnectionError, OSError) as error:
            end = "closed" if not isinstance(error, TimeoutError) else f"silent: {data[:200]!r}"
        ends[end] = ends.get(end, 0) + 1
        if end != "answered" and (end == "closed" or message.get("more")) or message.get("more"):
            connection.close()
            connection = open_one()
    connection.close()
    return ends


@pytest.mark.parametrize("seed", range(10 if WHOLE else 1))
@pytest.mark.parametrize("name", ["io.photobroker.Library", "io.photobroker.Admin"])
def test_no_call_of_any_shape_ends_the_daemon_or_disturbs_a_neighbour(scene, name, seed):
    scene.limit(0)
    # An undecided level would prompt and wait.
    scene.owner.set(scene.library, scene.app.name, "denied", level="addOnly")
    neighbour = scene.broker.app()
    pid = scene.broker.process.pid
    asset = scene.app.call("FetchAssets")["assets"][0]["localIdentifier"]
    caller = scene.owner if name.endswith("Admin") else scene.app
    interface = Interface.of(caller, name)
    assert len(interface.methods) > 15
    known = {
        "library": scene.library,
        "name": scene.library,
        "app": scene.app.name,
        "level": "readWrite",
        "asset": asset,
        "role": "original",
    }
    caller.start(
        drive,
        interface=interface.plain(),
        tokens=[scene.app.own_token, scene.app.token] if caller is scene.app else [],
        known=known,
        seed=seed,
        calls=500,
        left_out=sorted(LEFT_OUT),
    )
    heard = 0
    while not caller.has_answered():
        assert neighbour.call("GetLimits")["limits"]["pageLimit"] == 1000
        heard += 1
    ends = caller.hear()
    assert sum(ends.values()) == 500 and not [end for end in ends if end.startswith("silent")], [
        end for end in ends if end.startswith("silent")
    ] or ends
    assert ends.get("answered", 0) > 20 and ends.get("InvalidParameter", 0) > 20, f"calls of both kinds: {ends}"
    assert scene.broker.is_running and scene.broker.process.pid == pid and heard > 3
