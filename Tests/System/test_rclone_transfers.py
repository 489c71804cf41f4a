"""Transfers from a remote that stalls, ends early or changes the file; many at once, and
cancelled."""

import hashlib
import os
import re
import threading
import time

from house.broker import Broker
from house.client_functions import begin_all, hear_all, load
from house.person import Refused, children, wait_for
from house.pictures import day
from house.remotes import RemoteScene, Gate, PlainHTTP, picture, start_server


def memory(pid):
    """Return the proportional set sizes of a process and its descendants, by program."""
    found = {}
    waiting = children(pid)
    while waiting:
        one = waiting.pop()
        try:
            with open(f"/proc/{one}/comm") as comm, open(f"/proc/{one}/smaps_rollup") as rollup:
                size = int(re.search(r"^Pss: +(\d+) kB", rollup.read(), re.M)[1]) << 10
                found.setdefault(comm.read().strip(), []).append(size)
            waiting += children(one)
        except OSError:
            pass
    return found


def test_R129_a_stalled_transfer_delays_no_one_else(far):
    far.remote.put("big.jpg", picture(30, padding=4 << 20), day(30).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    asset = far.app.named("big.jpg")["localIdentifier"]
    neighbour = far.broker.app(uid=far.app.uid)
    neighbour.introduce("org.example.other")
    far.owner.set(far.library, neighbour.name, "authorized")
    assert neighbour.request() == "authorized"
    done = []
    far.remote.freeze()
    reading = threading.Thread(target=lambda: done.append(far.read(asset)))
    reading.start()
    wait_for(lambda: "rclone" in memory(far.broker.process.pid), "the transfer")
    begun = time.monotonic()
    assert len(neighbour.fetch()) == 6
    assert time.monotonic() - begun < 2, "a fetch does not wait for a remote"
    far.remote.thaw()
    reading.join(60)
    assert done and done[0] == picture(30, padding=4 << 20)


def test_R98_a_server_killed_during_a_transfer_gives_all_bytes_or_an_error(make_far, remote):
    gate = Gate(remote.port)
    remote.use_port(gate.port)
    data = picture(30, padding=8 << 20)
    remote.put("big.jpg", data, day(30).timestamp())
    far = make_far(remote, 0, expected=1)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        asset = far.app.named("big.jpg")["localIdentifier"]

        def read():
            try:
                outcome.append(far.read(asset))
            except Refused as refused:
                outcome.append(refused)

        for is_back in (False, True):
            outcome = []
            gate.hold_after(3 << 20)
            reading = threading.Thread(target=read)
            reading.start()
            gate.wait_until_held()
            remote.stop()
            gate.cut()
            if is_back:
                remote.start()
            gate.open()
            reading.join(90)
            [found] = outcome
            if found == data:
                assert is_back and gate.passed < 1.5 * len(data), "what had come was not asked for again"
            else:
                assert isinstance(found, Refused) and found.reason in {"networkError", "libraryVolumeOffline"}, found
                if not is_back:
                    remote.start()
                far.owner.call("RescanLibrary", name=far.library)
                far.owner.wait_for_library(far.library, 1, seconds=60)
                # A copy from here would serve the next round.
                assert not is_back or far.read(asset) == data
    finally:
        gate.end()


def test_R128_a_librarys_transfers_use_a_known_amount_of_memory(house, webdav, record_property):
    remote, broker = webdav, Broker(house, name=f"own-{house.fresh_uid()}")
    gate = Gate(remote.port)
    remote.use_port(gate.port)
    for number in (0, 1):
        remote.put(f"big-{number}.jpg", picture(30 + number, padding=6 << 20), day(30 + number).timestamp())
    broker.arguments = ["--network", "rclone"]
    try:
        far = RemoteScene(broker.start(), remote, 0, expected=2)
        other = broker.app()
        far.owner.call("OfferLibrary", name=far.library, offeredTo=[far.app.uid, other.uid])
        apps = [far.app, broker.app(uid=far.app.uid), other, broker.app(uid=other.uid)]
        for number, app in enumerate(apps):
            if app is not far.app:
                app.introduce(f"org.example.number{number}")
            far.owner.set(far.library, app.name, "authorized")
            assert app.request() == "authorized"
        before = memory(broker.process.pid)
        gate.hold_after(1 << 20)
        for app in apps:
            assets = [app.named(f"big-{number}.jpg")["localIdentifier"] for number in (0, 1)]
            app.run(
                begin_all,
                tokens=[app.own_token, app.token],
                calls=[("OpenResource", {"asset": asset}) for asset in assets],
            )
        wait_for(
            lambda: len(memory(broker.process.pid).get("rclone", [])) >= 16,
            "eight transfers, each with a look at its file",
        )
        gate.wait_until_held()
        time.sleep(1)
        during = memory(broker.process.pid)
        gate.open()
        for app in apps:
            app.run(hear_all)
        wait_for(lambda: "rclone" not in memory(broker.process.pid), "the transfers' processes to end")
        after = memory(broker.process.pid)
        for when, found in (("before", before), ("during", during), ("after", after)):
            told = {name: (len(sizes), sum(sizes) >> 20) for name, sizes in found.items()}
            print(f"\n{when}: processes and MiB (PSS): {told}")
            record_property(f"processes and MiB {when}", str(told))
        # The figures of the plugin's page, with room for other builds of rclone.
        assert sum(during["rclone"]) + sum(during["photobroker-plu"]) < 8 * (40 << 20)
        assert len(after["photobroker-plu"]) <= 16
        assert max(after["photobroker-plu"]) < 8 << 20
    finally:
        broker.end()
        gate.end()


def test_R98_a_truncated_transfer_gives_all_bytes_or_an_error(networked, house):
    """Without a length rclone takes the connection's end for the file's; the listed size tells."""
    remote = start_server(PlainHTTP, house)
    for number in (1, 2):
        remote.put(f"2024/picture-{number}.jpg", picture(number, padding=200_000), day(number).timestamp())
    far = RemoteScene(networked, remote, 1, expected=3)
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    one, two = (far.app.named(f"picture-{number}.jpg")["localIdentifier"] for number in (1, 2))
    remote.asked.clear()
    remote.sends = 70_000
    assert far.read(one) == picture(1, padding=200_000), "it goes on where it was cut off"
    assert [first for _, first in remote.asked] == [0, 70_000, 140_000]
    remote.sends = 0
    refused = far.app.refusal("ReadBytes", asset=two, offset=0, length=1_000)
    assert refused.reason == "networkError", refused
    remote.sends = None
    assert far.read(two) == picture(2, padding=200_000)
    far.owner.call("RemoveLibrary", name=far.library)
    remote.stop()


def test_R98_a_file_overwritten_during_a_transfer_is_never_mixed(make_far, remote):
    gate = Gate(remote.port)
    remote.use_port(gate.port)
    old, new = (picture(number, padding=8 << 20) for number in (30, 31))
    assert len(old) == len(new)
    place = remote.put("big.jpg", old, day(30).timestamp())
    far = make_far(remote, 0, expected=1)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        asset = far.app.named("big.jpg")["localIdentifier"]
        outcome = []

        def read():
            try:
                outcome.append(far.read(asset))
            except Refused as refused:
                outcome.append(refused)

        gate.hold_after(3 << 20)
        reading = threading.Thread(target=read)
        reading.start()
        gate.wait_until_held()
        with open(place, "r+b") as file:
            file.write(new)
        os.utime(place, (day(31).timestamp(),) * 2)
        gate.open()
        reading.join(90)
        [found] = outcome
        assert isinstance(found, Refused) or found in (old, new), "half of each"
        far.owner.call("RescanLibrary", name=far.library)
        asset = wait_for(
            lambda: next((a for a in far.app.fetch() if a["creationDate"] == int(day(31).timestamp() * 1e6)), None),
            "the new version",
        )
        assert far.read(asset["localIdentifier"]) == new
    finally:
        gate.end()


def cancel_load(agent, item):
    """Begin to load an item, and cancel at the first progress reply."""
    connection = agent.connection()
    connection.send("io.photobroker.Picker.LoadItem", {"item": item}, more=True)
    first = connection.receive()[0]
    connection.close()
    return first["isComplete"]


def test_R91_R92_a_remote_picked_item_has_progress_and_can_be_cancelled(far):
    data = picture(31, padding=8 << 20)
    far.remote.put("far.jpg", data, day(31).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    items = []
    for app in (far.app, other := far.broker.app(uid=far.app.uid)):
        if app is other:
            app.introduce("org.example.other")
        app.begin("io.photobroker.Picker.Present", library=far.library)
        picker = wait_for(lambda: far.owner.call("ListPickers")["pickers"], "the picker to be open")[0]
        far.owner.call("AnswerPicker", picker=picker["picker"], assets=[far.owner.identifier(far.library, "far.jpg")])
        items.append(app.hear()["results"][0]["item"])
    far.remote.freeze()
    assert other.run(cancel_load, item=items[1]) is False, "it was not there yet when it was given up"
    far.app.start(load, item=items[0])
    wait_for(lambda: "rclone" in memory(far.broker.process.pid), "the transfer")
    assert not far.app.has_answered(), "it cannot be there: its server does not run"
    far.remote.thaw()
    told, digest = far.app.hear()
    assert digest == hashlib.sha256(data).hexdigest()
    assert len(told) > 2 and [done for _, done in told] == [False] * (len(told) - 1) + [True]
    assert sorted(told) == told and told[-1][0] == len(data)
