"""Photos on a remote are listed, looked into and read, whatever its server does meanwhile."""
import hashlib
import os
import re
import threading
import time

import pytest

from conftest import Scene

from house.broker import BROKER, Album, Broker
from house.person import Refused, children, wait_for
from house.pictures import REAL, day
from house.remotes import (  # noqa: F401
    EVERY_REMOTE, Far, Gate, PlainHTTP, WholeWebDAV, far, large, load,
    make_far, networked, picture, remote, started, webdav)
from test_far import begin_all, hear_all


@EVERY_REMOTE
def test_R98_photos_on_a_remote_are_listed_read_and_filtered(far):
    far.limit(0, 3)
    assets = far.app.fetch()
    assert [a["filename"] for a in assets] == ["picture-3.jpg", "picture-0.jpg"], "dates are from the bytes"
    for asset, number in zip(assets, (3, 0)):
        assert hashlib.sha256(far.read(asset["localIdentifier"])).digest() == hashlib.sha256(picture(number)).digest()
    if far.house.has_media:
        assert far.app.call("GetThumbnail", asset=assets[0]["localIdentifier"], maxPixels=64, inline=True)["data"]
    mapping = far.app.call("GetCloudIdentifiers", localIdentifiers=[assets[0]["localIdentifier"]])["mappings"][0]
    # The same photo in a folder has the same name, to an app of the same identifier.
    near = Scene(far.broker, 1)
    near.album.put("elsewhere.jpg", picture(3))
    near.owner.wait_for_library(near.library, 2)
    near.limit("elsewhere.jpg")
    found = near.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"]])["mappings"][0]
    assert found["localIdentifier"] == near.app.fetch()[0]["localIdentifier"]
    again = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"]])["mappings"][0]
    assert again["localIdentifier"] == assets[0]["localIdentifier"]
    album = far.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]
    named = far.app.call("GetCloudIdentifiers", localIdentifiers=[album])["mappings"][0]["cloudIdentifier"]
    assert far.app.call("GetLocalIdentifiers", cloudIdentifiers=[named])["mappings"][0]["localIdentifier"] == album


def test_R98_a_server_that_knows_no_parts_of_files_gives_the_right_bytes_and_facts(networked, house):
    """Photos are looked into by parts; of this server's the wrong bytes would be."""
    files = [path for path in sorted(REAL.rglob("*")) if path.suffix.lower() in {".heic", ".mov", ".cr2", ".dng", ".mp4"}]
    files = [path for path in files if 256 << 10 < path.stat().st_size < 4 << 20][:8]
    if not files:
        assert not os.environ.get("CI")
        pytest.skip("no real photographs beside the checkout")
    remote = started(WholeWebDAV, house)
    owner = networked.owner()
    near_name = f"near-{owner.uid}"
    near = Album(house, near_name, owner.uid)
    for number, path in enumerate(files):
        name = f"{number}-{path.name}"
        remote.put(name, path.read_bytes(), day(number).timestamp())
        near.put(name, path.read_bytes(), day(number).timestamp())
    try:
        far = Far(networked, remote, 0, expected=len(files))
        owner.call("AddLibrary", name=near_name, options={"path": str(near.folder)})
        owner.wait_for_library(near_name, len(files))
        told = ["filename", "mediaType", "creationDate", "pixelWidth", "pixelHeight", "duration"]

        def facts(owner, library):
            return sorted([asset.get(key) for key in told] for asset in owner.assets(library))
        assert facts(far.owner, far.library) == facts(owner, near_name)
        assert remote.sent() > sum(path.stat().st_size for path in files) // 2, "it sent parts"
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        for number, path in enumerate(files):
            assert far.read(far.app.named(f"{number}-{path.name}")["localIdentifier"]) == path.read_bytes()
        owner.call("RemoveLibrary", name=near_name)
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


def test_R98_photos_are_looked_into_without_reading_them_and_read_as_a_whole_once_a_cloud_identifier_needs_it(make_far, webdav, house):
    remote = webdav
    if not house.has_media:
        pytest.skip("photobroker-media is not built")
    for number in range(4):
        remote.put(f"2024/large-{number}.jpg", large(number), day(30).timestamp())
    cut = large(4)[:-(1 << 20)]
    remote.put("2024/large-4.jpg", cut)
    far = make_far(remote, 0, expected=4)
    ends = (128 + 16) << 10

    def have_left(count, what):
        """And a byte for each process that finds out whether parts are sent. The server tells of what it sent once it is sent."""
        wait_for(lambda: remote.sent() >= count, what)
        assert remote.sent() - count <= 12, what
    have_left(4 * ends + ends + len(cut), "of whole ones both ends, and all of the one that was cut off")
    before = remote.sent()
    far.broker.restart()
    far.app.use(far.app.own_token)
    library = far.owner.wait_for_library(far.library, 4)
    assert library["skipped"] == 1 and [f["path"] for f in library["skippedFiles"]] == ["2024/large-4.jpg"]
    have_left(before, "what was found of it is known after a new start")
    remote.put("2024/large-4.jpg", cut[:-1])
    far.owner.call("RescanLibrary", name=far.library)
    have_left(before + ends + len(cut) - 1, "another version of it was looked into")
    os.unlink(remote.photos / "2024/large-4.jpg")
    far.owner.set(far.library, far.app.name, "limited")
    far.owner.select(far.library, far.app.name, "large-0.jpg", "large-1.jpg")
    assert far.app.request() == "limited"
    assets = {a["filename"]: a for a in far.app.fetch()}
    assert {name: asset["creationDate"] for name, asset in assets.items()} == {
        f"large-{n}.jpg": int(day(n).timestamp() * 1e6) for n in (0, 1)}, "dates are from the bytes"
    before = remote.sent()
    # Both ways: what it is called elsewhere, and what of all that the app may see is called so.
    first = assets["large-0.jpg"]["localIdentifier"]
    mapping = far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]
    assert mapping["cloudIdentifier"]
    have_left(before + len(large(0)), "one was read, once")
    back = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"], "nothing"])["mappings"]
    assert [m.get("localIdentifier") for m in back] == [first, None] and back[1]["reason"] == "identifierNotFound"
    have_left(before + 2 * len(large(0)), "the other one that the app may see, and none that it may not")
    far.broker.restart()
    far.app.use(far.app.own_token, far.app.token)
    far.owner.wait_for_library(far.library, 4)
    assert far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]["cloudIdentifier"] == mapping["cloudIdentifier"]
    have_left(before + 2 * len(large(0)), "they were kept")
    assert hashlib.sha256(far.read(first)).digest() == hashlib.sha256(large(0)).digest()
    # Moved, without a hash or an identifier of the remote's: its ends are read to know it again.
    before, old = remote.sent(), far.remote.photos / "2024/large-1.jpg"
    os.rename(old, old.with_name("moved.jpg"))
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
    assert far.app.named("moved.jpg")["localIdentifier"] == assets["large-1.jpg"]["localIdentifier"]
    have_left(before + ends, "both ends of the one that was moved")


def test_what_an_app_read_from_afar_is_kept_on_disk_for_it_alone_and_goes_with_its_access(house, webdav):
    broker = Broker(house, name=f"kept-{house.fresh_uid()}")
    broker.arguments = ["--network", "rclone"]
    try:
        far = Far(broker.start(), webdav, 2)
        folder = broker.state / "copies" / far.library

        def kept():
            return sorted(p.name for p in folder.iterdir()) if folder.exists() else []

        def read(times, why):
            """The server tells of a reading once it is over."""
            wait_for(lambda: webdav.reads().count("/2024/picture-0.jpg") >= times, why)
            assert webdav.reads().count("/2024/picture-0.jpg") == times, why
        far.limit(0, 1)
        asset = far.app.named("picture-0.jpg")["localIdentifier"]
        assert kept() == [], "nothing is kept that no app read"
        assert far.read(asset) == picture(0)
        [name] = kept()
        facts = (folder / name).stat()
        assert (facts.st_uid, facts.st_mode & 0o777, folder.stat().st_mode & 0o777) == (BROKER, 0o600, 0o700)
        read(2, "for what it says of itself, and for the app")
        broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 2)
        assert far.read(asset) == picture(0)
        read(2, "it was there still")
        (folder / name).write_bytes(b"what a crash left behind")
        broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 2)
        assert far.read(asset) == picture(0)
        read(3, "other bytes than were kept are fetched again")
        other = broker.app(uid=far.app.uid)
        other.introduce("org.example.other")
        far.owner.set(far.library, other.name, "authorized")
        assert other.request() == "authorized"
        assert other.call("OpenResource", asset=other.named("picture-0.jpg")["localIdentifier"])
        read(4, "what one app read tells no other app")
        wait_for(lambda: len(kept()) == 2, "the other app's copy")
        far.owner.call("Revoke", library=far.library, app=far.app.name)
        wait_for(lambda: len(kept()) == 1, "the app's copy to be erased")
        assert name not in kept()
        far.owner.call("RemoveLibrary", name=far.library)
        wait_for(lambda: not folder.exists(), "the library's copies to be erased")
    finally:
        broker.end()


def test_R129_a_remote_that_stalls_in_the_middle_of_a_transfer_holds_up_nobody_else(far):
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


def test_R98_a_server_that_is_killed_in_the_middle_of_a_transfer_gives_all_bytes_or_an_error(make_far, remote):
    gate = Gate(remote.port)
    remote.go_through(gate.port)
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
            if is_back:
                assert found == data, found if isinstance(found, Refused) else len(found)
                assert gate.passed < 1.5 * len(data), "what had come was not asked for again"
            else:
                assert isinstance(found, Refused) and found.reason in {"networkError", "libraryVolumeOffline"}, found
                remote.start()
                far.owner.call("RescanLibrary", name=far.library)
                far.owner.wait_for_library(far.library, 1, seconds=60)
    finally:
        gate.end()


def memory(pid):
    """Bytes of memory of a process and of what it started, what several share in parts (PSS), by the program's name."""
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


def test_R128_as_many_transfers_as_a_library_has_turns_for_take_a_known_amount_of_memory(house, webdav, record_property):
    remote, broker = webdav, Broker(house, name=f"own-{house.fresh_uid()}")
    gate = Gate(remote.port)
    remote.go_through(gate.port)
    for number in (0, 1):
        remote.put(f"big-{number}.jpg", picture(30 + number, padding=6 << 20), day(30 + number).timestamp())
    broker.arguments = ["--network", "rclone"]
    try:
        far = Far(broker.start(), remote, 0, expected=2)
        other = broker.app()
        far.owner.call("OfferLibrary", name=far.library, offeredTo=[far.app.uid, other.uid])
        apps = [far.app, broker.app(uid=far.app.uid), other, broker.app(uid=other.uid)]
        for number, app in enumerate(apps):
            if app is not far.app:
                app.introduce(f"org.example.number{number}")
            far.owner.set(far.library, app.name, "authorized")
            assert app.request() == "authorized"
        before = memory(broker.process.pid)
        gate.hold_after(8 << 20)
        for app in apps:
            assets = [app.named(f"big-{number}.jpg")["localIdentifier"] for number in (0, 1)]
            app.run(begin_all, tokens=[app.own_token, app.token], calls=[("OpenResource", {"asset": asset}) for asset in assets])
        wait_for(lambda: len(memory(broker.process.pid).get("rclone", [])) >= 16, "eight transfers, each with a look at its file")
        gate.wait_until_held()
        time.sleep(1)
        during = memory(broker.process.pid)
        gate.open()
        for app in apps:
            app.run(hear_all)
        after = memory(broker.process.pid)
        for when, found in (("before", before), ("during", during), ("after", after)):
            told = {name: (len(sizes), sum(sizes) >> 20) for name, sizes in found.items()}
            print(f"\n{when}: processes and MiB (PSS): {told}")
            record_property(f"processes and MiB {when}", str(told))
        # What the plugin's page says, with room for other builds of rclone.
        assert sum(during["rclone"]) + sum(during["photobroker-plu"]) < 8 * (40 << 20)
        assert "rclone" not in after and len(after["photobroker-plu"]) <= 16
        assert max(after["photobroker-plu"]) < 8 << 20
    finally:
        broker.end()
        gate.end()


def test_R98_a_server_that_ends_early_and_does_not_say_so_gives_all_bytes_or_an_error(networked, house):
    """Without a length the end of a connection is the end of the file, also for rclone; the listed size says what is missing."""
    remote = started(PlainHTTP, house)
    for number in (1, 2):
        remote.put(f"2024/picture-{number}.jpg", picture(number, padding=200_000), day(number).timestamp())
    far = Far(networked, remote, 1, expected=3)
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


def test_R98_a_file_that_is_written_over_in_the_middle_of_a_transfer_is_never_half_of_each_version(make_far, remote):
    gate = Gate(remote.port)
    remote.go_through(gate.port)
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
        asset = wait_for(lambda: next((a for a in far.app.fetch() if a["creationDate"] == int(day(31).timestamp() * 1e6)), None),
                         "the new version")
        assert far.read(asset["localIdentifier"]) == new
    finally:
        gate.end()


def give_up(agent, item):
    """Begins to load an item and cancels after the first word of its progress."""
    connection = agent.connection()
    connection.send("io.photobroker.Picker.LoadItem", {"item": item}, more=True)
    first = connection.receive()[0]
    connection.close()
    return first["isComplete"]


def test_R91_R92_a_picked_item_comes_from_afar_with_progress_and_can_be_cancelled(far):
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
    assert other.run(give_up, item=items[1]) is False, "it was not there yet when it was given up"
    far.app.start(load, item=items[0])
    wait_for(lambda: "rclone" in memory(far.broker.process.pid), "the transfer")
    assert not far.app.has_answered(), "it cannot be there: its server does not run"
    far.remote.thaw()
    told, digest = far.app.hear()
    assert digest == hashlib.sha256(data).hexdigest()
    assert len(told) > 2 and [done for _, done in told] == [False] * (len(told) - 1) + [True]
    assert sorted(told) == told and told[0][0] < len(data) == told[-1][0]
