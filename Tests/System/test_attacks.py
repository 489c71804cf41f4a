"""Attacks on the running broker by one user against the others."""

import json
import os
import resource
import signal
import socket
import time

import pytest
from photobroker import Connection, VarlinkError

from house.broker import BROKER, Album, Broker
from house.person import Refused, wait_for
from house.plugins import install_halting


def test_strangers_connections_do_not_prevent_a_revocation(own_scene):
    own_scene.limit(0)
    held = []
    for _ in range(3):
        stranger = own_scene.broker.stranger()
        held.append(stranger.run(take_at_the_owners, path=str(own_scene.broker.admin_socket), count=100))
    # The third user takes from the others' share until all have a third of the strangers' quota.
    assert held == [64, 64, 42]
    own_scene.owner.new_connection()
    own_scene.unselect(0)
    assert own_scene.app.names() == []


def test_strangers_who_own_libraries_do_not_prevent_a_revocation(scene, make_scene):
    scene.limit(0)
    others = [make_scene(1).owner for _ in range(4)]
    held = [other.run(take_at_the_owners, path=str(scene.broker.admin_socket), count=64) for other in others]
    assert sum(held) > 200
    scene.owner.new_connection()
    scene.unselect(0)
    assert scene.app.names() == []
    # At the quota a new connection closes one of the user with most, which could be this test.
    for other in others:
        other.run(let_go)


def let_go(agent):
    for client in agent.clients:
        client.close()
    agent.clients = []


def test_an_offer_by_another_owner_takes_no_access_from_an_app(scene, make_scene):
    scene.limit(0)
    fresh = scene.broker.app(uid=scene.app.uid)
    intruder = make_scene(1, introduce=False)
    intruder.owner.is_trusted = False
    intruder.owner.call("OfferLibrary", name=intruder.library, offeredTo=[intruder.app.uid, scene.app.uid])
    fresh.introduce("org.example.fresh")
    assert fresh.call("GetAuthorizationStatus", level="readWrite")["status"] == "notDetermined", (
        "where its user's library is"
    )
    scene.broker.accept(scene.app.uid, intruder.library)
    assert scene.app.names() == [scene.pictures[0]]
    assert scene.app.call("GetAuthorizationStatus", level="readWrite")["status"] == "limited"
    # The broker cannot choose between two offered libraries.
    with pytest.raises(Refused) as refused:
        fresh.call("GetAuthorizationStatus", level="readWrite")
    assert "name one" in refused.value.parameters["message"]
    assert fresh.call("GetAuthorizationStatus", level="readWrite", library=scene.library)["status"] == "notDetermined"


def test_R126_R127_an_app_that_names_no_library_never_prompts_a_stranger(scene):
    """Neither an offer, nor co-ownership, nor a pause of the user's own grant changes that."""
    stranger, victim = scene.broker.owner(), scene.broker.app()
    stranger.is_trusted = False
    album = Album(scene.house, f"theirs-{stranger.uid}", stranger.uid)
    album.fill(1)
    album.let_broker_add()
    theirs = f"theirs-{stranger.uid}"
    stranger.add_library(theirs, album.folder, [victim.uid, scene.app.uid], 1)
    stranger.call("DelegateLibrary", name=theirs, coOwners=[victim.uid, scene.app.uid])
    victim.introduce("org.example.camera")
    refused = victim.refusal("RequestAuthorization", level="addOnly", wait=False)
    assert refused.reason == "identifierNotFound" and f"library accept {theirs}" in refused.parameters["message"]
    assert stranger.prompts() == [], "nobody is asked"
    scene.allow(level="addOnly")
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
    scene.app.new_connection()
    assert scene.app.call("DescribeAccess", level="addOnly")["library"] == scene.library
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.take_additions()
    assert other.refusal("RequestAuthorization", level="addOnly", wait=False).error == "PromptPending"
    assert stranger.prompts() == [] and [p["library"] for p in scene.owner.prompts()] == [scene.library]
    # Named explicitly the library can be asked for; an acceptance makes it the user's choice.
    listed = scene.broker.photobroker(victim.uid, "library", "offers").stdout
    assert theirs in listed and "none yet" in listed and "co-owner" in listed
    assert victim.refusal("RequestAuthorization", level="addOnly", wait=False, library=theirs).error == "PromptPending"
    scene.broker.accept(victim.uid, theirs)
    assert "accepted" in scene.broker.photobroker(victim.uid, "library", "offers").stdout
    assert victim.call("DescribeAccess", level="addOnly")["library"] == theirs
    assert stranger.library(theirs)["acceptedBy"] == sorted([stranger.uid, victim.uid])
    assert stranger.library(theirs)["invited"] == [scene.app.uid]


def ask_in(agent, libraries, count):
    """Ask as `count` apps in each library, with the longest texts allowed."""
    asked = 0
    for number in range(count):
        connection = Connection(agent.path, timeout=60)
        connection.call(
            "io.photobroker.Library.Introduce",
            manifest={
                "identifier": f"org.example.app{number}",
                "name": "Photo Journal",
                "NSPhotoLibraryUsageDescription": '"' * 2048,
            },
        )
        for library in libraries:
            try:
                connection.call(
                    "io.photobroker.Library.RequestAuthorization", level="readWrite", library=library, wait=False
                )
            except VarlinkError as error:
                asked += error.name.endswith("PromptPending")
        connection.close()
    return asked


def test_R29_any_number_of_prompts_leaves_them_readable_and_answerable(scene):
    owner, crowd = scene.owner, scene.broker.app()
    owner.is_trusted = False
    libraries = []
    for number in range(18):
        folder = scene.house.make_folder(f"flood-{owner.uid}-{number}", owner.uid, BROKER, 0o750)
        libraries.append(f"flood-{owner.uid}-{number}")
        owner.call("AddLibrary", name=libraries[-1], options={"path": str(folder)}, offeredTo=[crowd.uid])
    # A prompt tells whether its library's storage is read-only, which is known once that is online.
    for name in libraries:
        owner.wait_for_library(name)
    per_user = scene.app.call("GetLimits")["limits"]["promptsPerUser"]
    asked = crowd.run(ask_in, libraries=libraries, count=per_user)
    assert asked == per_user * len(libraries)
    scene.app.begin_request()
    told, cursor = [], None
    while True:
        page = owner.call("ListPrompts", **({"cursor": cursor} if cursor else {}))
        assert len(json.dumps(page, separators=(",", ":"))) < 1 << 20
        told += page["prompts"]
        cursor = page.get("cursor")
        if cursor is None:
            break
    assert len(told) == asked + 1 == len({p["prompt"] for p in told}) and told[-1]["library"] == scene.library
    listed = json.loads(scene.broker.photobroker(owner.uid, "request", "list", "--json").stdout)
    assert listed["prompts"] == told
    scene.broker.photobroker(owner.uid, "request", "answer", told[-1]["prompt"], "allow")
    assert scene.app.hear_request() == "authorized"


def test_R127_a_user_declines_an_offered_library_and_accepts_it_again(scene, make_scene):
    scene.limit(0)
    intruder = make_scene(1, introduce=False)
    intruder.owner.is_trusted = False
    intruder.owner.call("OfferLibrary", name=intruder.library, add=[scene.app.uid])
    person = scene.broker.owner(scene.app.uid)
    scene.broker.accept(scene.app.uid, intruder.library)
    both = sorted([scene.library, intruder.library])

    def offers():
        return [(o["library"], o["owner"], o["declined"]) for o in person.call("ListOffers")["offers"]]

    assert [o[0] for o in offers()] == both and not any(o[2] for o in offers())
    fresh = scene.broker.app(uid=scene.app.uid)
    fresh.introduce("org.example.fresh")
    assert fresh.refusal("GetAuthorizationStatus", level="readWrite").reason == "identifierNotFound"
    scene.broker.photobroker(scene.app.uid, "library", "decline", intruder.library)
    assert (intruder.library, intruder.owner.uid, True) in offers()
    assert fresh.call("GetAuthorizationStatus", level="readWrite")["status"] == "notDetermined"
    assert fresh.call("ListLibraries")["libraries"] == [scene.library]
    said = [
        fresh.refusal("RequestAuthorization", level="readWrite", library=name).parameters
        for name in (intruder.library, "absent")
    ]
    assert said[0] == said[1], "as one that was never there"
    library = intruder.owner.library(intruder.library)
    assert library["declinedBy"] == [scene.app.uid]
    decision = intruder.owner.call("ListDecisions", library=intruder.library, limit=1)["decisions"][0]
    assert (decision["action"], decision["role"], decision["actor"]) == ("decline", "user", scene.app.uid)
    assert intruder.owner.refusal("UndoDecision", decision=decision["decision"]).error == "Refused"
    intruder.owner.call("OfferLibrary", name=intruder.library, remove=[scene.app.uid])
    intruder.owner.call("OfferLibrary", name=intruder.library, add=[scene.app.uid])
    assert fresh.call("ListLibraries")["libraries"] == [scene.library]
    assert "registered" not in str(
        intruder.owner.refusal(
            "AddApp", manifest={"identifier": "org.example.pushed", "name": "Pushed"}, uid=scene.app.uid
        ).parameters
    )
    scene.broker.photobroker(scene.app.uid, "library", "accept", intruder.library)
    assert fresh.call("ListLibraries")["libraries"] == both
    # A grant that is in force ends with the decline and returns with the acceptance.
    assert person.call("AnswerOffer", library=scene.library, accept=False)["receipt"]["grants"] == 1
    assert scene.app.refusal("CountAssets").error == "TokenRefused"
    person.call("AnswerOffer", library=scene.library, accept=True)
    assert scene.app.names() == [scene.pictures[0]]
    # Declining a user declines all of their offers, also later ones under new names.
    command = scene.broker.photobroker
    command(scene.app.uid, "library", "decline", "--from", str(intruder.owner.uid))
    assert fresh.call("ListLibraries")["libraries"] == [scene.library]
    assert intruder.owner.library(intruder.library)["declinedBy"] == [scene.app.uid]
    assert "all declined" in command(scene.app.uid, "library", "offers").stdout
    assert "--from" in command(scene.app.uid, "library", "accept", intruder.library, expect=None).stderr
    command(scene.app.uid, "library", "accept", "--from", str(intruder.owner.uid))
    assert fresh.call("ListLibraries")["libraries"] == both
    assert person.refusal("AnswerOffers", user=scene.app.uid, accept=False).error == "Refused", "one's own"
    assert person.refusal("AnswerOffer", library="absent", accept=False).error == "NotFound"
    assert scene.owner.refusal("AnswerOffer", library=scene.library, accept=False).error == "Refused", "one's own"


def test_R138_registering_apps_for_another_user_uses_none_of_that_users_quota(scene, make_scene):
    idle = scene.broker.app(uid=scene.app.uid)
    idle.introduce("org.example.idle")
    idle.end()
    intruder = make_scene(1, introduce=False)
    intruder.owner.call("OfferLibrary", name=intruder.library, add=[scene.app.uid])
    most = scene.app.call("GetLimits")["limits"]["appsPerUser"]
    manifest = {"identifier": "org.example.pushed", "name": "Pushed"}
    brought = [
        intruder.owner.call("AddApp", manifest=manifest, uid=scene.app.uid)["app"]["app"] for _ in range(most + 1)
    ]
    person = scene.broker.owner(scene.app.uid)
    known = {a["app"]: a.get("registeredBy") for a in person.call("ListApps")["apps"]}
    assert idle.name in known and scene.app.name in known, "the user's own"
    assert (
        [a for a, by in known.items() if by == intruder.owner.uid] and brought[0] not in known and brought[1] in known
    )
    # A user may remove an app that a registrar decided on.
    intruder.owner.set(intruder.library, brought[-1], "authorized")
    person.call("RemoveApp", app=brought[-1])
    assert brought[-1] not in {a["app"] for a in person.call("ListApps")["apps"]}
    assert brought[-1] not in {a["app"] for a in intruder.owner.call("ListApps")["apps"]}


def test_R129_connections_count_against_the_user_whom_they_concern(scene, make_scene):
    stranger = scene.broker.owner()
    neighbour = make_scene(1)
    assert stranger.call("GetStatus")["connections"] == 0
    scene.limit(0)
    before = scene.owner.call("GetStatus")["connections"]
    assert before >= 1
    neighbour.limit(0)
    assert scene.owner.call("GetStatus")["connections"] == before, "whatever the neighbour's apps do"
    assert scene.broker.owner(0).call("GetStatus")["connections"] > before


def test_R129_as_many_strangers_as_there_are_places_do_not_lock_out_a_new_user(own_scene):
    most = own_scene.app.call("GetLimits")["limits"]["strangersAdministrationConnections"]
    held = []
    try:
        for _ in range(most):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(20)
            held.append(client)
            os.seteuid(own_scene.house.fresh_uid())
            try:
                client.connect(str(own_scene.broker.admin_socket))
            finally:
                os.seteuid(0)
            client.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
            assert client.recv(1 << 16)
        assert own_scene.broker.owner().call("GetStatus")["libraries"] == 0, "a newcomer"
        assert held[0].recv(1) == b"", "the one that did nothing for the longest"
        held[1].sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
        assert held[1].recv(1 << 16)
    finally:
        for client in held:
            client.close()


def test_R129_users_holding_all_app_connections_do_not_lock_out_others(scene):
    scene.limit(0)
    limits = scene.app.call("GetLimits")["limits"]

    def crowd(agent, processes, count):
        """Start processes that each hold a connection with one completed call."""
        agent.crowd, told = [], os.pipe()
        for _ in range(processes):
            child = os.fork()
            if child == 0:
                clients = []
                try:
                    for _ in range(count):
                        client = socket.socket(socket.AF_UNIX)
                        client.settimeout(60)
                        client.connect(agent.path)
                        client.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
                        if not client.recv(1 << 16):
                            break
                        clients.append(client)
                except OSError:
                    pass
                finally:
                    os.write(told[1], len(clients).to_bytes(4, "little"))
                    signal.pause()
                    os._exit(0)
            agent.crowd.append(child)
        return sum(int.from_bytes(os.read(told[0], 4), "little") for _ in range(processes))

    def end_crowd(agent):
        for child in agent.crowd:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    each, own = limits["connectionsPerUser"], limits["connectionsPerProcess"]
    others = [scene.broker.stranger() for _ in range(-(-limits["connections"] // each))]
    try:
        held = [other.run(crowd, processes=each // own, count=own) for other in others]
        assert sum(held) > limits["connections"] - 64, held
        for _ in range(3):
            scene.app.new_connection()
            assert scene.app.names() == [scene.pictures[0]]
        newcomer = scene.broker.stranger()
        assert newcomer.call("GetLimits")["limits"]
    finally:
        for other in others:
            other.run(end_crowd)


def test_an_attenuated_token_does_not_reveal_the_apps_other_losses(make_scene, house):
    """R40: read speed must not tell either. The storage halts, so that kept copies alone answer."""
    scene = make_scene(3, backend=install_halting(house))
    scene.limit(0, 1)
    kept, lost = (scene.app.named(scene.pictures[n])["localIdentifier"] for n in (0, 1))
    # The second round is for copies that the edits of the grant before it still drop on a worker.
    for _ in range(2):
        for asset in (kept, lost):
            scene.app.open(asset)
        # Each kept copy costs the broker a descriptor.
        before = scene.broker.settled_descriptor_count()
    halt = scene.album.folder / "halt"
    halt.touch()
    try:
        scene.unselect(1)
        wait_for(lambda: scene.broker.descriptor_count() < before, "the copy of what was lost to go")
        scene.app.open(kept)
    finally:
        halt.unlink()


def take_at_the_owners(agent, path, count):
    agent.clients = []
    for _ in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(5)
        try:
            client.connect(path)
            client.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
            if not client.recv(1 << 16):
                break
        except OSError:
            break
        agent.clients.append(client)
    return len(agent.clients)


def test_observers_closed_before_their_first_reply_are_not_counted(scene):
    scene.limit(0)

    def ask_and_go(agent, tokens, times):
        for _ in range(times):
            connection = Connection(agent.path, timeout=10)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connection.socket.sendall(b'{"method":"io.photobroker.Library.ObserveChanges","more":true}\0')
            connection.socket.close()

    scene.app.run(ask_and_go, tokens=[scene.app.own_token, scene.app.token], times=200)

    def observe(agent, tokens):
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for reply, _ in connection.stream("io.photobroker.Library.ObserveChanges"):
            return sorted(reply)

    assert scene.app.run(observe, tokens=[scene.app.own_token, scene.app.token])


def test_idle_connected_processes_hold_few_descriptors(scene):
    scene.limit(0)
    before = scene.broker.settled_descriptor_count()
    attacker = scene.broker.stranger()

    def leave_processes(agent, count):
        children = []
        for _ in range(count):
            child = os.fork()
            if child == 0:
                try:
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(agent.path)
                    client.sendall(b'{"method":"io.photobroker.Library.GetLimits"}\0')
                    client.recv(1 << 16)
                    client.close()
                except OSError:
                    pass
                finally:
                    signal.pause()
                    os._exit(0)
            children.append(child)
        agent.children = children

    attacker.run(leave_processes, count=600)
    held = scene.broker.settled_descriptor_count() - before
    assert scene.app.names() == [scene.pictures[0]]

    def end_processes(agent):
        for child in agent.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    attacker.run(end_processes)
    assert held <= 512 + 8, held
    assert scene.broker.wait_until_descriptors(before + 4) <= before + 4


def test_the_broker_raises_its_open_file_limit_to_the_maximum(house):
    def few():
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))

    broker = Broker(house, name=f"few-{house.fresh_uid()}").start(preexec_fn=few)
    try:
        line = next(l for l in open(f"/proc/{broker.process.pid}/limits") if l.startswith("Max open files"))
        soft, hard = line.split()[3:5]
        assert soft == hard, line
    finally:
        broker.end()


def test_descriptors_before_the_end_of_a_call_do_not_accumulate(scene):
    scene.allow(level="addOnly")
    before = scene.broker.settled_descriptor_count()

    def pile(agent, tokens):
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        sent = 0
        with open("/dev/null") as file:
            try:
                for _ in range(200):
                    socket.send_fds(connection.socket, [b" "], [file.fileno()] * 16)
                    sent += 16
            except OSError:
                pass
        agent.pile = connection
        return sent

    sent = scene.app.run(pile, tokens=[scene.app.own_token, scene.app.token])
    time.sleep(0.5)
    assert sent > 0 and scene.broker.descriptor_count() - before <= 64 + 4, sent


def test_unfinished_messages_share_a_quota_per_user(scene):
    """R129: unfinished messages count against their own user's quota."""
    scene.limit(0)
    limit = scene.app.call("GetLimits")["limits"]["heldBytesPerUser"]
    attacker = scene.broker.stranger()
    before = scene.broker.resident_bytes()

    def begin_messages(agent, count, size):
        agent.clients = []
        for _ in range(count):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(5)
            client.connect(agent.path)
            client.sendall(b'{"method":"io.photobroker.Library.GetLimits"}\0')
            client.recv(1 << 16)
            try:
                client.sendall(b'{"method":"io.photobroker.Library.GetLimits","parameters":{"x":"' + b"x" * size)
            except OSError:
                pass
            agent.clients.append(client)

        def is_open(client):
            client.setblocking(False)
            try:
                return client.recv(1) != b""
            except BlockingIOError:
                return True
            except OSError:
                return False

        return sum(map(is_open, agent.clients))

    size = 1_000_000
    left = attacker.run(begin_messages, count=limit // size + 60, size=size)
    grown = scene.broker.resident_bytes() - before
    assert limit // size - 3 <= left <= limit // size, left
    assert grown < limit * 1.5 + (16 << 20), f"{grown >> 20} MiB"
    assert scene.app.names() == [scene.pictures[0]], "another user"
    neighbour = scene.broker.stranger(uid=attacker.uid)
    for _ in range(20):
        assert neighbour.call("GetLimits")["limits"], "an ordinary connection of the same user"


def test_unread_replies_share_a_quota(make_scene):
    scene = make_scene(60)
    scene.allow()
    limit = scene.app.call("GetLimits")["limits"]["heldBytesPerUser"]
    before = scene.broker.resident_bytes()

    def never_read(agent, tokens, count):
        for number in range(count):
            connection = Connection(agent.path, timeout=10)
            try:
                for token in tokens:
                    connection.call("io.photobroker.Library.Attach", token=token)
                connection.socket.setblocking(False)
                connection.socket.send(b'{"method":"io.photobroker.Library.FetchAssets"}\0' * 400)
            except OSError:
                pass
            agent.connections[f"stuck {number}"] = connection

    scene.app.run(never_read, tokens=[scene.app.own_token, scene.app.token], count=60)
    time.sleep(1)
    grown = scene.broker.resident_bytes() - before
    assert grown < limit * 1.5 + (16 << 20), f"{grown >> 20} MiB"
    assert scene.owner.library(scene.library)["assets"] == 60
    assert scene.owner.call("Revoke", app=scene.app.name)["receipt"]["grants"] == 1


def test_connections_to_the_owners_socket_are_limited_per_user(scene):
    limits = scene.app.call("GetLimits")["limits"]
    stranger = scene.broker.stranger()
    allowed = limits["administrationConnectionsPerUser"]
    assert stranger.run(take_at_the_owners, path=str(scene.broker.admin_socket), count=allowed + 1) == allowed


def test_ended_subscriptions_leave_no_memory_on_their_connection(scene):
    """R68: refused observers leave no memory behind on their connection."""
    scene.allow()

    def begin_and_end(agent, tokens, asset, times):
        connection = Connection(agent.path, timeout=30)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for _ in range(times):
            for _, descriptors in connection.stream(
                "io.photobroker.Library.StreamResource", asset=asset, role="original"
            ):
                for descriptor in descriptors:
                    while os.read(descriptor, 1 << 16):
                        pass
                    os.close(descriptor)
        agent.connections["kept"] = connection

    asset = scene.app.fetch()[0]["localIdentifier"]
    tokens = [scene.app.own_token, scene.app.token]
    scene.app.run(begin_and_end, tokens=tokens, asset=asset, times=500)
    before, descriptors = scene.broker.resident_bytes(), scene.broker.settled_descriptor_count()
    scene.app.run(begin_and_end, tokens=tokens, asset=asset, times=1500)
    assert scene.broker.resident_bytes() - before < 4 << 20
    assert scene.broker.descriptor_count() <= descriptors + 2


def test_an_error_ends_its_stream_and_not_the_connection(scene):
    """An error is the last reply of its stream, and the connection serves the next call."""
    scene.allow()
    name = scene.app.name

    def follow(agent, tokens):
        connection = __import__("photobroker").Connection(agent.path, timeout=20)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.send("io.photobroker.Library.ObserveChanges", {}, more=True)
        connection.send("io.photobroker.Library.GetLimits", {})
        connection.receive()
        agent.connections["followed"] = connection

    scene.app.run(follow, tokens=[scene.app.own_token, scene.app.token])
    scene.owner.call("Revoke", app=name)

    def rest(agent):
        connection, seen = agent.connections["followed"], []
        while len(seen) < 2:
            try:
                reply, _, continues = connection.receive()
                seen.append([sorted(reply)[0], continues])
            except VarlinkError as error:
                seen.append(error.name.rsplit(".", 1)[-1])
        connection.socket.settimeout(0.3)
        try:
            seen.append(len(connection.receive()))
        except TimeoutError:
            pass
        return seen

    seen = scene.app.run(rest)
    assert seen[0] == "PhotosError" and seen[1] == ["limits", False] and len(seen) == 2, seen
