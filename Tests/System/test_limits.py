"""The limits of clients: GetLimits tells them all, and an error explains each before a
disconnect."""

import socket
import base64
import json
import re
import resource

import pytest
from photobroker import Connection, VarlinkError

from house.person import wait_for
from house.pictures import ROOT

pytestmark = pytest.mark.library("shared")

# Each list in Limits.swift, and the prefix of its names in GetLimits.
LISTS = {
    "ServiceLimits": "",
    **{name: name + "." for name in ("BrokerLimits", "WireLimits", "MacaroonLimits", "MediaLimits", "PluginLimits")},
}
# Open files that suffice for the full number of connections.
FILES_FOR_ALL_CONNECTIONS = 24_000
NUMBER = r"[-0-9_ ()*+<]+"


def parse_limit(text):
    """Parse a limit as written: a number, seconds, or the two ends of a range."""
    text = text.strip()
    if found := re.fullmatch(rf"Duration\.seconds\(({NUMBER})\)", text):
        text = found[1]
    ends = [eval(end.replace("_", "")) for end in text.split("...")]
    return ends


def test_GetLimits_reports_every_named_limit(scene):
    told = scene.app.call("GetLimits")["limits"]
    rows = re.findall(
        r'\("(\w+)", (?:Int\()?([\w.]+)', (ROOT / "Sources/BrokerService/ServiceLimits+Table.swift").read_text()
    )
    assert {name for name, _ in rows} == set(told)
    named, listed = (
        {},
        re.findall(r"^\w+ enum (\w+) \{$(.+?)^\}$", (ROOT / "Sources/Limits/Limits.swift").read_text(), re.M | re.S),
    )
    assert {name for name, _ in listed} == set(LISTS)
    for place, text in listed:
        named |= {
            LISTS[place] + name: parse_limit(number)
            for name, number in re.findall(r"static let (\w+)[^=\n]*= (.+)", text)
        }
    assert len(named) > 60
    for name, ends in named.items():
        entries = [row for row, source in rows if source == name or source.startswith(name + ".")]
        assert entries, f"GetLimits does not tell of {name}"
        values = sorted(told[entry] for entry in entries)
        if name == "connections" and resource.getrlimit(resource.RLIMIT_NOFILE)[1] < FILES_FOR_ALL_CONNECTIONS:
            assert 32 <= values[0] <= ends[0], "fewer where fewer files may be open"
        else:
            assert values == ends, name
    assert len(rows) == sum(len(ends) for ends in named.values()), "nothing else is told"


def send_and_receive(agent, data, settle, calls=2):
    """Send bytes and then a call on a new connection; return the answers and whether it closed."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(agent.path)
    try:
        client.sendall(bytes.fromhex(data) + settle.encode())
    except OSError:
        pass
    received = b""
    try:
        while piece := client.recv(1 << 16):
            received += piece
            if received.count(b"\0") == calls:
                break
    except TimeoutError:
        return {"answers": [json.loads(m) for m in received.split(b"\0") if m], "closed": False}
    except OSError:
        pass
    client.close()
    return {"answers": [json.loads(m) for m in received.split(b"\0") if m], "closed": received.count(b"\0") < calls}


def as_hex(data):
    return (data.encode() if isinstance(data, str) else data).hex()


def call(method, parameters="{}"):
    return '{"method":"io.photobroker.%s","parameters":%s}\0' % (method, parameters)


# Limits on parameters: the error names the parameter, and the connection stays open.
NAMED = {
    "an array": (
        "Library",
        "GetCloudIdentifiers",
        '{"localIdentifiers":[%s]}' % ",".join(['"x"'] * 10_001),
        "localIdentifiers",
    ),
    "an array in an object": (
        "Library",
        "FetchAssets",
        '{"options":{"identifiers":[%s]}}' % ",".join(['"x"'] * 10_001),
        "options.identifiers",
    ),
    "an owner's array": (
        "Admin",
        "EditSelection",
        '{"library":"x","app":"x","add":{"identifiers":[%s]}}' % ",".join(['"x"'] * 10_001),
        "add.identifiers",
    ),
    "a map": (
        "Admin",
        "AddLibrary",
        '{"name":"x","options":{%s},"offeredTo":[]}' % ",".join(f'"{n}":"x"' for n in range(10_001)),
        "options",
    ),
    "a string": ("Library", "Attach", '{"token":"%s"}' % ("x" * 699_053), "token"),
    "an integer": ("Library", "FetchAssets", '{"limit":9223372036854775808}', "limit"),
    "an object's depth that its type does not have": (
        "Library",
        "FetchAssets",
        '{"limit":%s1%s}' % ("[" * 20, "]" * 20),
        "limit",
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_exceeding_a_wire_limit_names_the_parameter_and_keeps_the_connection(scene, name):
    interface, method, parameters, parameter = NAMED[name]
    person, more = (scene.app, "Library.GetLimits") if interface == "Library" else (scene.owner, "Admin.GetStatus")
    scene.limit(0)
    tokens = (
        [call("Library.Attach", '{"token":"%s"}' % t) for t in (scene.app.own_token, scene.app.token)]
        if interface == "Library"
        else []
    )
    found = person.run(
        send_and_receive,
        data=as_hex("".join(tokens) + call(f"{interface}.{method}", parameters)),
        settle=call(more),
        calls=len(tokens) + 2,
    )
    assert not found["closed"], found
    refused, answered = found["answers"][-2:]
    assert refused["error"] == "org.varlink.service.InvalidParameter"
    assert refused["parameters"]["parameter"] == parameter and refused["parameters"]["problem"]
    assert "error" not in answered


def call_of(length):
    empty = len(call("Library.Attach", '{"token":""}')) - 1
    return call("Library.Attach", '{"token":"%s"}' % ("x" * (length - empty)))


# Unreadable calls get an error, and the connection closes.
CLOSING = {
    "the message's length": (call_of((1 << 20) + 1), "limitExceeded", "1048576"),
    "a message's length without an end": ('{"method":"' + "x" * (1 << 20), "limitExceeded", "1048576"),
    "the depth": (call("Library.GetLimits", '{"x":' * 32 + "1" + "}" * 32), "depthExceeded", "32"),
    "a number's length": (call("Library.FetchAssets", '{"limit":1.%s}' % ("1" * 1_099)), "limitExceeded", "1100"),
    "a number's range": (call("Library.FetchAssets", '{"limit":1e400}'), "numberOutOfRange", "Double"),
    "no JSON": ("hello\0", "syntax", "byte 0"),
    "no call": ("{}\0", "protocolViolation", "names no method"),
    "a key twice": (call("Library.Attach", '{"token":"a","token":"b"}'), "duplicateKey", "twice"),
    "bytes after the end": ('{"method":"io.photobroker.Library.GetLimits"}x\0', "trailingBytes", "follow"),
    "bad text": (b'{"method":"\xff"}\0', "invalidText", "UTF-8"),
    "an unknown field": (
        '{"method":"io.photobroker.Library.GetLimits","surprise":1}\0',
        "unknownField",
        "no such field",
    ),
}


@pytest.mark.parametrize("name", CLOSING)
@pytest.mark.parametrize("socket", ["apps", "owners"])
def test_an_invalid_message_is_answered_with_the_reason_before_the_connection_closes(scene, name, socket):
    data, reason, words = CLOSING[name]
    person = scene.broker.stranger() if socket == "apps" else scene.owner
    found = person.run(send_and_receive, data=as_hex(data), settle="")
    assert found["closed"], found
    [answer] = found["answers"]
    if socket == "apps":
        assert answer["error"] == "io.photobroker.Library.MessageRefused" and answer["parameters"]["reason"] == reason
    else:
        assert answer["error"] == "io.photobroker.Admin.Refused"
    assert words in answer["parameters"]["message"] and "GetLimits" in answer["parameters"]["message"]
    assert "hello" not in answer["parameters"]["message"] and "surprise" not in answer["parameters"]["message"], (
        "nothing is quoted"
    )


def test_a_call_at_a_wire_limit_is_served(broker):
    app = broker.stranger()
    for data in (
        call_of(1 << 20),
        call("Library.GetCloudIdentifiers", '{"localIdentifiers":[%s]}' % ",".join(['"x"'] * 10_000)),
        call("Library.Introduce", '{"manifest":%s1%s}' % ('{"x":' * 29, "}" * 29)),
    ):
        found = app.run(send_and_receive, data=as_hex(data), settle=call("Library.GetLimits"))
        assert not found["closed"] and len(found["answers"]) == 2, found
        assert found["answers"][0]["error"] != "io.photobroker.Library.MessageRefused"


def open_observers(agent, tokens, count):
    """Open observers on a connection each; return the last one's error and the number accepted."""
    agent.observers = getattr(agent, "observers", [])
    refusal = None
    for _ in range(count + 1):
        connection = Connection(agent.path, timeout=60)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.send("io.photobroker.Library.ObserveChanges", {}, more=True)
        try:
            connection.receive()
            agent.observers.append(connection)
        except VarlinkError as error:
            refusal = error.parameters
    return {"observers": len(agent.observers), "refusal": refusal}


def test_observers_are_limited_per_app_and_an_ended_one_makes_room(scene):
    scene.limit(0)
    most = scene.app.call("GetLimits")["limits"]["subscriptionsPerApp"]
    found = scene.app.run(open_observers, tokens=[scene.app.own_token, scene.app.token], count=most)
    assert found["observers"] == most
    assert found["refusal"]["reason"] == "limitExceeded" and str(most) in found["refusal"]["message"]
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    assert other.run(open_observers, tokens=[other.own_token, other.token], count=0)["refusal"] is None

    def has_room(agent, tokens):
        agent.observers.pop().close()
        return True

    assert scene.app.run(has_room, tokens=[])
    wait_for(
        lambda: (
            scene.app.run(open_observers, tokens=[scene.app.own_token, scene.app.token], count=0)["refusal"] is None
        ),
        "room",
    )


def fill_uploads(agent, tokens, piece):
    """Upload on connections of their own until the user's quota refuses a piece."""
    agent.uploading, sent = [], 0
    while True:
        connection = Connection(agent.path, timeout=60)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        agent.uploading.append(connection)
        upload = connection.call("io.photobroker.Library.BeginUpload")["upload"]
        while True:
            try:
                connection.call("io.photobroker.Library.AppendUpload", upload=upload, data=piece)
                sent += 1
            except VarlinkError as error:
                if "user" in error.parameters["message"]:
                    return {"sent": sent, "connections": len(agent.uploading), "refusal": error.parameters}
                break


@pytest.mark.library("own")
def test_upload_bytes_are_limited_per_user_and_freed_with_their_connections(scene):
    scene.allow(level="addOnly")
    limits = scene.app.call("GetLimits")["limits"]
    size = 384 << 10
    piece = base64.b64encode(bytes(size)).decode()
    found = scene.app.run(fill_uploads, tokens=[scene.app.own_token, scene.app.token], piece=piece)
    assert limits["uploadBytesPerUser"] - size < found["sent"] * size <= limits["uploadBytesPerUser"]
    assert (
        found["refusal"]["reason"] == "limitExceeded"
        and str(limits["uploadBytesPerUser"]) in found["refusal"]["message"]
    )
    assert found["connections"] > limits["uploadBytesPerUser"] // limits["uploadBytes"] - 1

    def close(agent):
        for connection in agent.uploading:
            connection.close()
        agent.uploading = []
        return True

    assert scene.app.run(close)
    upload = scene.app.call("BeginUpload")["upload"]
    wait_for(lambda: scene.app.call("AppendUpload", upload=upload, data=piece)["received"], "room")
