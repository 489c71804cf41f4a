"""The wire: stock clients, and hostile ones."""

import base64
import hashlib
import json
import os
import socket
import threading
import time

import pytest
from photobroker import Connection, VarlinkError
from pymacaroons import Macaroon

from house.person import wait_for
from house.pictures import day, jpeg

pytestmark = pytest.mark.library("shared")


def test_introspection_returns_every_interface_with_its_comments(broker):
    app = broker.app()
    info = app.call("org.varlink.service.GetInfo")
    assert {"org.varlink.service", "io.photobroker.Library"} <= set(info["interfaces"])
    assert "io.photobroker.Admin" not in info["interfaces"], "the owner's interface is not served to apps"
    for interface in info["interfaces"]:
        text = app.call("org.varlink.service.GetInterfaceDescription", interface=interface)["description"]
        assert text.lstrip().startswith("#") and f"interface {interface}" in text
    owner = broker.owner()
    assert "io.photobroker.Admin" in owner.call("org.varlink.service.GetInfo")["interfaces"]
    assert (
        app.refusal("org.varlink.service.GetInterfaceDescription", interface="org.example.none").error
        == "InterfaceNotFound"
    )


def test_every_limit_is_listed(broker):
    limits = broker.app().call("GetLimits")["limits"]
    assert limits["pageLimit"] == 1000 and all(value > 0 for name, value in limits.items() if name != "datesFrom")


@pytest.mark.library("own")
def test_asyncvarlink_works_with_descriptors(scene):
    """PyPI's asyncvarlink gets a reply, an error and a descriptor, and sends descriptors."""
    scene.let_broker_add()
    scene.limit(0)
    picture = jpeg(day(80), b"sent by asyncvarlink", padding=300_000)

    def drive(agent, token, own, picture):
        import asyncio
        import asyncvarlink

        picture = base64.b64decode(picture)

        async def run():
            transport, protocol = await asyncvarlink.connect_unix_varlink(
                asyncvarlink.VarlinkClientProtocol, agent.path
            )

            async def ask(method, fds=None, **parameters):
                done = asyncio.get_running_loop().create_future()
                reply, descriptors = await protocol.call(
                    asyncvarlink.VarlinkMethodCall("io.photobroker.Library." + method, parameters),
                    fds=fds,
                    replyfdsdone=done,
                )
                kept = [os.dup(descriptors[n].fileno()) for n in range(len(descriptors))] if descriptors else []
                done.set_result(None)
                return reply, kept

            async def call(method, fds=None, **parameters):
                reply, kept = await ask(method, fds, **parameters)
                assert not reply.error, reply
                return reply.parameters, kept

            for each in (own, token):
                await call("Attach", token=each)
            page, _ = await call("FetchAssets", limit=10)
            asset = page["assets"][0]
            opened, descriptors = await call("OpenResource", asset=asset["localIdentifier"], role="original")
            data = agent.read(descriptors[opened["descriptor"]])
            refused, _ = await ask("OpenResource", asset="0" * 32, role="original")

            async def send(name, fd):
                added, _ = await call("AddAsset", fds=[fd], filename=name, descriptor=0, level="readWrite")
                os.close(fd)
                opened, descriptors = await call("OpenResource", asset=added["localIdentifier"], role="original")
                return hashlib.sha256(agent.read(descriptors[opened["descriptor"]])).hexdigest()

            memory = os.memfd_create("picture")
            os.write(memory, picture)
            os.lseek(memory, 0, os.SEEK_SET)
            sent = [await send("memory.jpg", memory)]
            # The picture exceeds a pipe's buffer, so it is written and read concurrently.
            receiving, sending = os.pipe()
            writer = asyncio.get_running_loop().run_in_executor(
                None, lambda: os.fdopen(sending, "wb").write(picture + b"\0")
            )
            sent.append(await send("pipe.jpg", receiving))
            await writer
            none, _ = await ask("AddAsset", filename="none.jpg", descriptor=0, level="readWrite")
            transport.close()
            return {
                "name": asset["filename"],
                "digest": hashlib.sha256(data).hexdigest(),
                "refused": refused.error,
                "sent": sent,
                "none": none.error,
            }

        return asyncio.run(run())

    path = scene.album.folder / scene.pictures[0]
    digest = lambda data: hashlib.sha256(data).hexdigest()
    assert scene.app.run(
        drive, token=scene.app.token, own=scene.app.own_token, picture=base64.b64encode(picture).decode()
    ) == {
        "name": path.name,
        "digest": digest(path.read_bytes()),
        "refused": "io.photobroker.Library.PhotosError",
        "sent": [digest(picture), digest(picture + b"\0")],
        "none": "org.varlink.service.InvalidParameter",
    }
    assert (scene.album.folder / "PhotoBroker/memory.jpg").read_bytes() == picture


@pytest.mark.library("own")
def test_R141_pypi_varlink_does_the_main_steps_without_descriptors(scene):
    """PyPI's varlink has no descriptors, and still reads, adds, edits and observes."""
    scene.let_broker_add()
    picture = jpeg(day(81), b"sent by varlink", padding=1_200_000)

    def drive(agent, picture):
        import varlink

        picture = base64.b64decode(picture)
        found = {}
        with varlink.Client.new_with_address(f"unix:{agent.path}") as client:
            found["described"] = "io.photobroker.Library" in client.get_interfaces()
            with client.open("io.photobroker.Library") as library:
                own = library.Introduce(
                    {
                        "identifier": "org.example.stock",
                        "name": "Stock client",
                        "NSPhotoLibraryUsageDescription": "To see them.",
                        "NSPhotoLibraryAddUsageDescription": "To add one.",
                    }
                )
                answer = library.RequestAuthorization("readWrite", None, True)
                found["status"] = answer["status"]
                page = library.FetchAssets(limit=10)
                found["names"] = [a["filename"] for a in page["assets"]]
                found["count"] = library.CountAssets()["count"]

                def read(asset):
                    data = b""
                    while True:
                        piece = library.ReadBytes(asset=asset, role="original", offset=len(data), length=100_000)
                        data += base64.b64decode(piece["data"])
                        if piece["isLast"]:
                            return hashlib.sha256(data).hexdigest()

                found["digest"] = read(page["assets"][0]["localIdentifier"])
                upload = library.BeginUpload()["upload"]
                for at in range(0, len(picture), 500_000):
                    received = library.AppendUpload(upload, base64.b64encode(picture[at : at + 500_000]).decode())[
                        "received"
                    ]
                found["received"] = received
                added = library.AddAsset(filename="stock.jpg", upload=upload, level="readWrite")["localIdentifier"]
                found["added"] = read(added)
                library.PerformChanges([{"kind": "setFavorite", "assets": [added], "favorite": True}])
                found["favorite"] = [a["filename"] for a in library.FetchAssets({"favorite": True})["assets"]]
                try:
                    library.GetResources(asset="0" * 32)
                except varlink.VarlinkError as refused:
                    found["error"] = refused.error()
            # Its tokens identify the app again.
            with client.open("io.photobroker.Library") as library:
                library.Attach(own["token"])
                found["attached"] = library.Attach(answer["token"])["level"]
                token = library.FetchPersistentChanges()["event"]["changeToken"]
                library.PerformChanges([{"kind": "setCaption", "assets": [added], "text": "stock"}])
                events = library.ObserveChanges(token, _more=True)
                found["changed"] = [a["filename"] for a in next(events)["event"]["changed"]]
        return found

    scene.app.start(drive, picture=base64.b64encode(picture).decode())
    scene.owner.answer(
        scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, [scene.pictures[0]])
    )
    digest = lambda data: hashlib.sha256(data).hexdigest()
    original = (scene.album.folder / scene.pictures[0]).read_bytes()
    assert scene.app.hear() == {
        "described": True,
        "status": "limited",
        "names": [scene.pictures[0]],
        "count": 1,
        "digest": digest(original),
        "received": len(picture),
        "added": digest(picture),
        "favorite": ["stock.jpg"],
        "error": "io.photobroker.Library.PhotosError",
        "attached": "readWrite",
        "changed": ["stock.jpg"],
    }
    assert (scene.album.folder / "PhotoBroker/stock.jpg").read_bytes() == picture


def send_raw(agent, data):
    """Send bytes, given in hexadecimal; return the answer and whether the broker closed."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(5)
    client.connect(agent.path)
    try:
        client.sendall(bytes.fromhex(data))
    except OSError:
        pass
    received = b""
    closed = False
    try:
        while b"\0" not in received:
            piece = client.recv(1 << 16)
            if not piece:
                closed = True
                break
            received += piece
    except TimeoutError:
        pass
    except OSError:
        closed = True
    client.close()
    return {"replies": [json.loads(m) for m in received.split(b"\0") if m], "closed": closed}


def raw(person, data):
    return person.run(send_raw, data=data.hex())


def message(text):
    return (text if isinstance(text, bytes) else text.encode()) + b"\0"


CALL = '{"method":"io.photobroker.Library.GetLimits"%s}'
NO_CALL = {
    "nothing": b"\0",
    "no JSON": message("hello"),
    "half a message": message('{"method":"io.photobroker.Library.GetLi'),
    "an array": message("[]"),
    "a number": message("7"),
    "no method": message("{}"),
    "a method that is a number": message('{"method":7}'),
    "a method of one word": message('{"method":"GetLimits"}'),
    "a method twice": message(
        '{"method":"io.photobroker.Library.GetLimits","method":"io.photobroker.Library.GetLimits"}'
    ),
    "parameters twice": message(CALL % ',"parameters":{},"parameters":{}'),
    "a parameter twice": message('{"method":"io.photobroker.Library.Attach","parameters":{"token":"a","token":"b"}}'),
    "parameters that are a list": message(CALL % ',"parameters":[]'),
    "more that is a word": message(CALL % ',"more":"yes"'),
    "bad UTF-8": message(b'{"method":"io.photobroker.Library.\xff\xfe"}'),
    "an overlong form": message(b'{"method":"io.photobroker.Library.\xc0\x80"}'),
    "a lone surrogate": message('{"method":"io.photobroker.Library.Attach","parameters":{"token":"\\ud800"}}'),
    "UTF-16": message('{"method":"x.Y"}'.encode("utf-16le")),
    "a byte order mark": message(b"\xef\xbb\xbf" + (CALL % "").encode()),
    "a comment": message("/* hello */" + CALL % ""),
    "a trailing comma": message('{"method":"io.photobroker.Library.GetLimits",}'),
    "something after the end": message(CALL % "" + "x"),
    "NaN": message('{"method":"io.photobroker.Library.FetchAssets","parameters":{"limit":NaN}}'),
    "deep arrays": message(CALL % (',"parameters":' + '{"a":' * 40 + "1" + "}" * 40)),
    "very deep arrays": message("[" * 100_000),
    "a control character": message('{"method":"io.photobroker.Library.GetLimits","parameters":{"a":"\n"}}'),
    "no JSON, with a call behind it": message("{hello") + message(CALL % ""),
}


@pytest.mark.parametrize("name", NO_CALL)
def test_an_invalid_call_is_answered_or_closed_and_disturbs_no_one_else(scene, name):
    scene.limit(0)
    attacker = scene.broker.stranger(uid=scene.app.uid)
    found = raw(attacker, NO_CALL[name])
    assert found["replies"] or found["closed"] and name == "half a message", "whoever caused it is told what is wrong"
    assert not any("error" not in reply for reply in found["replies"]), found
    assert scene.app.names() == [scene.pictures[0]], "the neighbour"


WRONG_PARAMETERS = {
    "an unknown method": ("io.photobroker.Library.Everything", {}, "MethodNotFound"),
    "an unknown interface": ("org.example.None.Call", {}, "InterfaceNotFound"),
    "the owner's method": ("io.photobroker.Admin.ListLibraries", {}, "InterfaceNotFound"),
    "an unknown field": ("io.photobroker.Library.GetLimits", {"surprise": 1}, "InvalidParameter"),
    "a missing field": ("io.photobroker.Library.Attach", {}, "InvalidParameter"),
    "a field of another type": ("io.photobroker.Library.Attach", {"token": 7}, "InvalidParameter"),
    "a level that there is not": (
        "io.photobroker.Library.GetAuthorizationStatus",
        {"level": "root"},
        "InvalidParameter",
    ),
    "a manifest that is a word": ("io.photobroker.Library.Introduce", {"manifest": "x"}, "InvalidParameter"),
    "a manifest without a name": ("io.photobroker.Library.Introduce", {"manifest": {}}, "InvalidParameter"),
    "a manifest with a path for a name": (
        "io.photobroker.Library.Introduce",
        {"manifest": {"identifier": "../x"}},
        "InvalidParameter",
    ),
    "a manifest that is too long": (
        "io.photobroker.Library.Introduce",
        {"manifest": {"identifier": "a.b", "name": "x" * 70_000}},
        "InvalidParameter",
    ),
    "a name that looks like another": (
        "io.photobroker.Library.Introduce",
        {"manifest": {"identifier": "оrg.example.journal"}},
        "InvalidParameter",
    ),
    "watching without more": ("io.photobroker.Library.ObserveChanges", {}, "ExpectedMore"),
}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_a_wrong_call_gets_an_explanation_and_keeps_its_connection(broker, name):
    method, parameters, error = WRONG_PARAMETERS[name]
    app = broker.app()
    assert app.refusal(method, **parameters).error == error
    assert app.call("GetLimits")["limits"]


@pytest.mark.parametrize("limit", [0, -1, 1001, 2**63 - 1, 1.5, "ten", None, True])
def test_page_sizes_are_limited(scene, limit):
    scene.allow()
    if limit is None:
        assert len(scene.app.call("FetchAssets", limit=None)["assets"]) == len(scene.pictures)
    else:
        assert scene.app.refusal("FetchAssets", limit=limit).error == "InvalidParameter"


def test_an_oversized_message_is_not_read_to_its_end(scene):
    scene.limit(0)
    attacker = scene.broker.stranger(uid=scene.app.uid)

    def flood(agent):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(10)
        client.connect(agent.path)
        sent = 0
        client.sendall(b'{"method":"io.photobroker.Library.Attach","parameters":{"token":"')
        try:
            while sent < 64 << 20:
                client.sendall(b"x" * 65_536)
                sent += 65_536
        except OSError:
            pass
        return sent

    assert attacker.run(flood) < 8 << 20
    assert scene.app.names() == [scene.pictures[0]]


def test_pipelined_calls_are_answered_in_order(scene):
    scene.allow()

    def pipeline(agent, tokens):
        connection = Connection(agent.path, timeout=30)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for limit in range(1, 7):
            connection.send("io.photobroker.Library.FetchAssets", {"limit": limit})
        connection.send("io.photobroker.Library.Nothing", {})
        connection.send("io.photobroker.Library.CountAssets", {})
        lengths = [len(connection.receive()[0]["assets"]) for _ in range(6)]
        try:
            connection.receive()
        except VarlinkError as error:
            lengths.append(error.name.rsplit(".")[-1])
        return lengths + [connection.receive()[0]["count"]]

    answers = scene.app.run(pipeline, tokens=[scene.app.own_token, scene.app.token])
    assert answers == [1, 2, 3, 4, 5, 6, "MethodNotFound", len(scene.pictures)]


def test_a_oneway_call_has_no_reply(scene):
    scene.allow()

    def oneway(agent, tokens):
        connection = Connection(agent.path, timeout=30)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.socket.sendall(
            b'{"method":"io.photobroker.Library.FetchAssets","oneway":true}\0'
            b'{"method":"io.photobroker.Library.Nothing","oneway":true}\0'
        )
        return connection.call("io.photobroker.Library.CountAssets")

    assert scene.app.run(oneway, tokens=[scene.app.own_token, scene.app.token])["count"] == len(scene.pictures)


def shut_down_after(agent, tokens, calls):
    """Return the answers after a client shut down its sending side, as `socat` and `nc -N` do."""
    connection = Connection(agent.path, timeout=60)
    for token in tokens:
        connection.call("io.photobroker.Library.Attach", token=token)
    connection.socket.sendall(b"".join(json.dumps(call).encode() + b"\0" for call in calls))
    connection.socket.shutdown(socket.SHUT_WR)
    agent.shut = connection
    return []


def rest(agent):
    data, agent.pipes = b"", []
    while True:
        # A closed pipe cancels the stream, and the reply says so.
        more, pipes, *_ = socket.recv_fds(agent.shut.socket, 1 << 16, 16)
        if not more:
            break
        data += more
        agent.pipes += pipes
    return [json.loads(message) for message in data.split(b"\0") if message]


def test_a_half_closed_connection_still_gets_its_answers(scene):
    scene.limit(0, 1)
    asset = scene.app.fetch()[0]["localIdentifier"]
    method = scene.app.method
    calls = [
        {"method": method("CountAssets")},
        {
            "method": method("ReadBytes"),
            "parameters": {"asset": asset, "role": "original", "offset": 0, "length": 200_000},
        },
        {"method": method("Nothing"), "oneway": True},
        {"method": method("StreamResource"), "parameters": {"asset": asset, "role": "original"}, "more": True},
        *[
            {
                "method": method("ReadBytes"),
                "parameters": {"asset": asset, "role": "original", "offset": 0, "length": 200_000},
            }
        ]
        * 20,
        {"method": method("CountAssets")},
    ]
    scene.app.run(shut_down_after, tokens=[scene.app.own_token, scene.app.token], calls=calls)
    answers = scene.app.run(rest)
    finals = [answer for answer in answers if not answer.get("continues")]
    assert len(finals) == len(calls) - 1 and not [answer for answer in answers if "error" in answer], answers
    assert [finals[number]["parameters"]["count"] for number in (0, -1)] == [2, 2]


def test_a_half_closed_connection_receives_the_persons_answer(make_scene):
    scene = make_scene(2)
    call = {
        "method": scene.app.method("RequestAuthorization"),
        "parameters": {"library": scene.library, "level": "readWrite"},
    }
    scene.app.run(shut_down_after, tokens=[scene.app.own_token], calls=[call])
    prompt = scene.owner.wait_for_prompt()
    scene.owner.answer(prompt, "deny")
    assert [answer["parameters"]["status"] for answer in scene.app.run(rest)] == ["denied"]

    # A client that reads no more is gone, and so is its prompt.
    before = scene.broker.settled_descriptor_count()
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.leaver")
    other.run(shut_down_after, tokens=[other.own_token], calls=[call])
    scene.owner.wait_for_prompt()

    def hang_up(agent):
        agent.shut.socket.close()

    other.run(hang_up)
    other.end()
    wait_for(lambda: scene.broker.descriptor_count() <= before, "the connection to be gone")


@pytest.mark.library("own")
def test_an_undeliverable_reply_delays_no_later_call(scene):
    scene.limit(0, 1)
    asset = scene.app.fetch()[0]["localIdentifier"]
    change = {"changes": [{"kind": "setFavorite", "assets": [asset], "favorite": True}]}
    method = scene.app.method

    def listen_no_more(agent, tokens, calls):
        connection = Connection(agent.path, timeout=60)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.socket.shutdown(socket.SHUT_RD)
        connection.socket.sendall(b"".join(json.dumps(call).encode() + b"\0" for call in calls))
        connection.socket.close()

    scene.app.run(
        listen_no_more,
        tokens=[scene.app.own_token, scene.app.token],
        calls=[
            {"method": method("CountAssets")},
            {"method": method("PerformChanges"), "oneway": True, "parameters": change},
        ],
    )
    wait_for(lambda: [a["localIdentifier"] for a in scene.app.fetch() if a["isFavorite"]] == [asset], "the change")


def test_long_messages_on_many_connections_are_all_read_completely(broker):
    """Reads alternate between connections, although some senders pause or stop."""
    app = broker.app()

    def talk(agent, count):
        message = (
            json.dumps({"method": "org.varlink.service.GetInfo", "parameters": {"x": "y" * 900_000}}).encode() + b"\0"
        )
        answers = []

        def say(number):
            connection = Connection(agent.path, timeout=120)
            if number % 8 == 7:
                connection.socket.sendall(message[:300_000])
                return connection.socket.close()
            for start in range(0, len(message), 200_000):
                connection.socket.sendall(message[start : start + 200_000])
                if number % 3 == 0:
                    time.sleep(0.01)
            if number % 2:
                connection.socket.shutdown(socket.SHUT_WR)
            data = b""
            while not data.endswith(b"\0"):
                data += connection.socket.recv(1 << 16) or b"\0"
            answers.append("error" in json.loads(data[:-1]) or "parameters" in json.loads(data[:-1]))

        threads = [threading.Thread(target=say, args=[number]) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(answers)

    assert app.run(talk, count=32) == 28


def test_a_call_may_arrive_byte_by_byte(broker):
    app = broker.app()

    def slowly(agent):
        connection = Connection(agent.path, timeout=30)
        for byte in b'{"method":"io.photobroker.Library.GetLimits"}\0':
            connection.socket.sendall(bytes([byte]))
        return connection.receive()[0]

    assert app.run(slowly)["limits"]


def test_a_connection_without_a_call_is_closed(broker):
    def wait(agent):
        connection = Connection(agent.path, timeout=10)
        start = time.monotonic()
        assert connection.socket.recv(1) == b""
        return time.monotonic() - start

    assert 1 < broker.stranger().run(wait) < 5


def test_an_unrequested_descriptor_is_refused_and_closed(scene):
    scene.limit(0)
    before = scene.broker.settled_descriptor_count()
    attacker = scene.broker.stranger()

    def send_uninvited(agent, times):
        outcomes = set()
        for _ in range(times):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(5)
            client.connect(agent.path)
            with open("/dev/null") as file:
                try:
                    socket.send_fds(client, [b'{"method":"io.photobroker.Library.GetLimits"}\0'], [file.fileno()] * 4)
                    outcomes.add("closed" if client.recv(1 << 16) == b"" else "answered")
                except OSError as error:
                    outcomes.add(error.strerror)
            client.close()
        return sorted(outcomes)

    outcomes = attacker.run(send_uninvited, times=200)
    assert "answered" not in outcomes, outcomes
    attacker.end()
    assert scene.broker.wait_until_descriptors(before) <= before
    assert scene.app.names() == [scene.pictures[0]]


def test_a_read_only_app_may_send_no_descriptor(scene):
    scene.limit(0)
    macaroon = Macaroon.deserialize(scene.app.token)
    macaroon.add_first_party_caveat("verbs = read")
    before = scene.broker.settled_descriptor_count()

    def send(agent, token):
        connection = Connection(agent.path, timeout=10)
        connection.call("io.photobroker.Library.Attach", token=token)
        with open("/dev/null") as file:
            try:
                connection.send("io.photobroker.Library.CountAssets", {}, descriptors=[file.fileno()])
                return connection.receive()[0]
            except (OSError, ConnectionError) as error:
                return type(error).__name__

    assert scene.app.run(send, token=macaroon.serialize()) in {
        "PermissionError",
        "ConnectionError",
        "BrokenPipeError",
        "ConnectionResetError",
    }
    assert scene.broker.wait_until_descriptors(before + 2) <= before + 2


def test_connections_are_limited_per_process_and_neighbours_are_unaffected(scene):
    scene.limit(0)
    attacker = scene.broker.stranger()

    def take_all(agent):
        clients = []
        for _ in range(300):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(5)
            client.connect(agent.path)
            try:
                client.sendall(b'{"method":"io.photobroker.Library.GetLimits"}\0')
                if not client.recv(1 << 16):
                    break
            except OSError:
                break
            clients.append(client)
        return len(clients)

    assert attacker.run(take_all) == 256
    assert scene.app.names() == [scene.pictures[0]]
    assert scene.owner.call("GetStatus")["version"]


def test_a_slow_reader_delays_only_itself(make_scene):
    scene = make_scene(40)
    scene.allow()
    resident = scene.broker.resident_bytes()

    def ask_and_never_read(agent, tokens):
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.socket.settimeout(1)
        sent = 0
        try:
            for _ in range(20_000):
                connection.socket.sendall(b'{"method":"io.photobroker.Library.FetchAssets"}\0')
                sent += 1
        except TimeoutError:
            pass
        agent.connections["stuck"] = connection
        return sent

    asked = scene.app.run(ask_and_never_read, tokens=[scene.app.own_token, scene.app.token])
    assert asked < 20_000, "the broker stops reading"
    assert scene.app.count() == 40
    assert scene.broker.resident_bytes() - resident < 64 << 20


def test_a_passed_socket_ends_with_its_creator(scene):
    """The connection belongs to the process that made it, wherever the socket goes."""
    scene.limit(0)
    receiver = scene.broker.app(uid=scene.app.uid)
    rendezvous = f"/tmp/photobroker-{scene.app.uid}.sock"

    def receive(agent, path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        peer, _ = listener.accept()
        _, descriptors, _, _ = socket.recv_fds(peer, 10, 1)
        agent.passed = socket.socket(fileno=descriptors[0])
        agent.passed.settimeout(10)
        agent.passed.sendall(b'{"method":"io.photobroker.Library.CountAssets"}\0')
        return json.loads(agent.passed.recv(1 << 16).rstrip(b"\0"))["parameters"]["count"]

    def pass_on(agent, path, tokens):
        connection = Connection(agent.path)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        socket.send_fds(peer, [b"x"], [connection.socket.fileno()])
        agent.connections["passed"] = connection

    def is_closed(agent):
        return agent.passed.recv(1) == b""

    receiver.start(receive, path=rendezvous)
    wait_for(lambda: os.path.exists(rendezvous), "the receiver")
    time.sleep(0.1)
    scene.app.run(pass_on, path=rendezvous, tokens=[scene.app.own_token, scene.app.token])
    assert receiver.hear() == 1
    scene.app.end()
    assert receiver.run(is_closed)
    os.unlink(rendezvous)


def test_repeated_requests_cause_one_prompt(scene):
    def ask(agent, token):
        names = set()
        for _ in range(300):
            connection = Connection(agent.path, timeout=10)
            connection.call("io.photobroker.Library.Attach", token=token)
            try:
                connection.call("io.photobroker.Library.RequestAuthorization", level="readWrite", wait=False)
            except VarlinkError as error:
                names.add(error.name.rsplit(".", 1)[1])
            connection.close()
        return sorted(names)

    assert scene.app.run(ask, token=scene.app.own_token) == ["PromptPending"]
    assert len(scene.owner.prompts()) == 1
