"""A user swaps links, pipes, devices, files, folders and versions while the broker reads.

An app gets a whole photo of that folder, or nothing.
"""

import base64
import ctypes
import hashlib
import os
import signal
import stat
import time

import pytest
from photobroker import VarlinkError

from house.broker import BROKER, Album, Broker
from house.person import Refused, storage_processes, wait_for
from house.pictures import day, jpeg
from house.scene import Scene


def exchange_continuously(agent, one, other, seconds):
    """Exchange two names as fast as possible; the first file ends up in its own place."""
    libc = ctypes.CDLL(None, use_errno=True)
    count, end = 0, time.monotonic() + seconds
    first, second = one.encode(), other.encode()
    while time.monotonic() < end:
        for _ in range(50):
            if libc.renameat2(-100, first, -100, second, 2) != 0:
                raise OSError(ctypes.get_errno(), "renameat2")
            count += 1
            time.sleep(0.0001)
    return count + (libc.renameat2(-100, first, -100, second, 2) if count % 2 else 0)


def swap(one, other):
    assert ctypes.CDLL(None).renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0


def read_often(agent, assets, seconds):
    """Open assets in every way; return the digests, the number of refusals and the longest wait."""
    connection = agent.connection("race")
    digests, refused, longest, end = {}, 0, 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        for asset in assets:
            began = time.monotonic()
            try:
                reply, descriptors = connection.call_with_descriptors(
                    "io.photobroker.Library.OpenResource", asset=asset, role="original"
                )
                data = agent.read(descriptors[0])
                os.close(descriptors[0])
                assert len(data) == reply["size"]
                name = hashlib.sha256(data).hexdigest()
                digests[name] = digests.get(name, 0) + 1
            except VarlinkError:
                refused += 1
            longest = max(longest, time.monotonic() - began)
    return {"digests": digests, "refused": refused, "longest": longest}


def put_forbidden_file(scene, what, path):
    """Put a file beside the picture that must never be served in its place."""
    secret = scene.house.folder / f"secret-{scene.owner.uid}.jpg"
    if not secret.exists():
        secret.write_bytes(jpeg(day(99), note=b"SECRET of another"))
        os.chown(secret, scene.owner.uid + 7000, BROKER)
        secret.chmod(0o644)
    if what == "a link to the broker's state":
        os.symlink(scene.broker.state / "state.db", path)
    elif what == "a link to another's file":
        os.symlink(secret, path)
    elif what == "a link to its process":
        os.symlink("/proc/self/environ", path)
    elif what == "another's file":
        os.link(secret, path)
    elif what == "a pipe":
        os.mkfifo(path, 0o666)
    elif what == "an endless device":
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    elif what == "a folder":
        path.mkdir()
    os.chown(path, scene.owner.uid, BROKER, follow_symlinks=False) if what != "another's file" else None


WHAT = [
    "a link to the broker's state",
    "a link to another's file",
    "a link to its process",
    "another's file",
    "a pipe",
    "an endless device",
    "a folder",
]


@pytest.mark.parametrize("what", WHAT)
def test_a_file_swapped_into_the_folder_is_never_served(scene, what):
    scene.allow()
    name = scene.pictures[0]
    path, other = scene.album.folder / name, scene.album.folder / ".other"
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()
    put_forbidden_file(scene, what, other)
    asset = scene.app.named(name)["localIdentifier"]
    racer = scene.broker.stranger(uid=scene.owner.uid)
    os.chown(scene.album.folder, scene.owner.uid, BROKER)
    racer.start(exchange_continuously, one=str(path), other=str(other), seconds=1.5)
    scene.app.start(read_often, assets=[asset], seconds=1.5)
    for _ in range(5):
        scene.owner.call("RescanLibrary", name=scene.library)
        time.sleep(0.2)
    found = scene.app.hear()
    assert racer.hear() > 200
    assert set(found["digests"]) <= {wanted}, "the picture as it is, or nothing"
    assert found["longest"] < 5, "nothing that is swapped in holds the broker up"
    assert scene.owner.call("GetStatus")["version"]
    scene.owner.call("RescanLibrary", name=scene.library)

    def bytes_now():
        """An earlier scan may still remove the picture for a moment."""
        found = [asset for asset in scene.app.fetch() if asset["filename"] == name]
        try:
            return found and scene.app.digest(found[0]["localIdentifier"])
        except Refused:
            return None

    assert wait_for(bytes_now, "the picture and its bytes") == wanted


def test_a_swapped_parent_folder_leads_nowhere_else(scene):
    """Flatpak CVE-2026-34078: a photo's folder becomes a link to a folder with the same names."""
    inside = scene.album.put("trip/one.jpg", jpeg(day(60), note=b"inside"), day(60).timestamp())
    outside = scene.house.make_folder(f"outside-{scene.owner.uid}", scene.owner.uid, mode=0o755)
    (outside / "one.jpg").write_bytes(jpeg(day(60), note=b"OUTSIDE"))
    os.chown(outside / "one.jpg", scene.owner.uid, BROKER)
    os.symlink(outside, scene.album.folder / ".elsewhere")
    wanted = hashlib.sha256(inside.read_bytes()).hexdigest()
    scene.allow()
    wait_for(lambda: "one.jpg" in scene.app.names(), "the picture")
    asset = scene.app.named("one.jpg")["localIdentifier"]
    racer = scene.broker.stranger(uid=scene.owner.uid)
    racer.start(
        exchange_continuously, one=str(inside.parent), other=str(scene.album.folder / ".elsewhere"), seconds=1.5
    )
    found = scene.app.run(read_often, assets=[asset], seconds=1.5)
    assert racer.hear() > 200
    assert set(found["digests"]) <= {wanted} and found["longest"] < 5


@pytest.mark.parametrize("way", ["process", "daemon"])
def test_R126_R142_a_folder_replaced_by_a_link_to_another_owners_leaves_that_one_untouched(house, way):
    """The owner swaps it before the folder is accepted, and during additions and deletions."""
    broker = Broker(house, name=f"own-{house.fresh_uid()}")
    broker.arguments = ["--trust", "directory"] if way == "daemon" else []
    broker.start()
    try:
        victim, owner = Scene(broker, 6), broker.owner()
        victim.let_broker_add()
        victim.album.folder.chmod(0o770)
        before = {path: path.stat().st_mtime_ns for path in victim.album.folder.rglob("*")}
        own = Album(house, f"par-{owner.uid}/own", owner.uid)
        own.folder.chmod(0o770)
        for number in range(6):
            own.put(f"picture-{number:03}.jpg", jpeg(day(number), note=b"own %d" % number))
        (own.folder / "PhotoBroker").mkdir()
        os.chown(own.folder / "PhotoBroker", BROKER, BROKER)
        os.chown(own.folder.parent, owner.uid, BROKER)
        link = own.folder.parent / "link"
        link.symlink_to(victim.album.folder)
        app, racer = broker.app(), broker.stranger(uid=owner.uid)
        app.introduce("org.example.racer")
        picture = base64.b64encode(jpeg(day(90), note=b"intruding")).decode()

        def attempt(call, *arguments, **parameters):
            try:
                return call(*arguments, **parameters)
            except Refused:
                return None

        for number in range(6):
            name = f"own-{number}"
            racer.start(exchange_continuously, one=str(own.folder), other=str(link), seconds=0.3)
            attempt(owner.call, "AddLibrary", name=name, options={"path": str(own.folder)}, offeredTo=[app.uid])
            racer.hear()
            if owner.library(name) is None:
                owner.add_library(name, own.folder, [app.uid], 6)
            owner.wait_for_library(name, 6)
            owner.set(name, app.name, "authorized")
            app.use(app.own_token)
            app.new_connection()
            app.use(app.own_token, app.call("RequestAuthorization", level="readWrite", library=name)["token"])
            app.new_connection()
            assets = [asset["localIdentifier"] for asset in app.fetch()]
            # The swap also happens before the first addition starts its process.
            swap(own.folder, link)
            attempt(app.call, "AddAsset", filename="intruding.jpg", contents=picture)
            attempt(app.call, "PerformChanges", changes=[{"kind": "delete", "assets": assets[:1]}])
            swap(own.folder, link)
            racer.start(exchange_continuously, one=str(own.folder), other=str(link), seconds=0.6)
            for asset in assets[1:]:
                attempt(app.call, "AddAsset", filename="intruding.jpg", contents=picture)
                attempt(app.call, "PerformChanges", changes=[{"kind": "delete", "assets": [asset]}])
            racer.hear()
            assert {path: path.stat().st_mtime_ns for path in victim.album.folder.rglob("*")} == before, number
            owner.call("RescanLibrary", name=name)
            # A move to the trash is tried again after a minute at most.
            wait_for(
                lambda: (lambda l: l["state"] == "online" and not l["awaitingTrash"])(owner.library(name)),
                "the deletions",
                90,
            )
            trashed = [
                asset["identifier"] for asset in owner.call("FetchTrashedAssets", library=name, limit=100)["assets"]
            ]
            owner.call("RestoreAssets", library=name, identifiers=trashed)
            owner.call("RemoveLibrary", name=name)
            for path in (own.folder / "PhotoBroker").rglob("intruding*"):
                path.unlink()
    finally:
        broker.end()


def test_an_opened_version_is_complete(scene):
    """A writer replaces the picture all the time: each copy is one version, and stays the same."""
    scene.allow()
    name = scene.pictures[0]
    path, other = scene.album.folder / name, scene.album.folder / ".version"
    for version, note in ((path, b"a"), (other, b"b")):
        new = scene.album.folder / ".made"
        new.write_bytes(jpeg(day(0), note=note * 1000, padding=900_000))
        os.chown(new, scene.owner.uid, BROKER)
        new.chmod(0o640)
        os.rename(new, version)
    versions = {hashlib.sha256(p.read_bytes()).hexdigest() for p in (path, other)}
    scene.owner.call("RescanLibrary", name=scene.library)
    wait_for(
        lambda: (
            name in scene.app.names() and scene.app.digest_now(scene.app.named(name)["localIdentifier"]) in versions
        ),
        "the new version",
    )
    racer = scene.broker.stranger(uid=scene.owner.uid)
    asset = scene.app.named(name)["localIdentifier"]
    racer.start(exchange_continuously, one=str(path), other=str(other), seconds=2)
    found = scene.app.run(read_often, assets=[asset], seconds=2)
    assert racer.hear() > 200
    assert set(found["digests"]) <= versions, "one version or the other, never a mixture"


def test_R40_a_hidden_photo_renamed_to_a_visible_ones_name_is_not_delivered(own_scene):
    """No scan saw the rename, so the broker has to recognize the other file when it opens it."""
    scene = own_scene
    scene.limit(0)
    shown, hidden = (scene.album.folder / scene.pictures[n] for n in (0, 5))
    wanted, asset = (
        hashlib.sha256(shown.read_bytes()).hexdigest(),
        scene.app.named(scene.pictures[0])["localIdentifier"],
    )
    hosts = storage_processes(scene.broker)
    for pid in hosts:
        os.kill(pid, signal.SIGSTOP)
    try:
        beside = scene.album.folder / ".beside"
        for one, other in ((shown, beside), (hidden, shown), (beside, hidden)):
            os.rename(one, other)
        for refusal in (
            scene.app.refusal("OpenResource", asset=asset, role="original"),
            scene.app.refusal("ReadBytes", asset=asset, role="original", offset=0, length=10),
            scene.app.refusal("GetThumbnail", asset=asset, maxPixels=64),
        ):
            assert refusal.reason == "missingResource", refusal
        for one, other in ((hidden, beside), (shown, hidden), (beside, shown)):
            os.rename(one, other)
        assert scene.app.digest(asset) == wanted, "put right again, nothing of the other was kept"
    finally:
        for pid in hosts:
            os.kill(pid, signal.SIGCONT)


def test_R142_a_new_file_in_a_deleted_photos_place_stays(own_scene):
    """The file could not be moved to the trash when the app deleted its photo."""
    scene = own_scene
    scene.let_broker_add()
    trash = scene.album.folder / ".photobroker-trash"
    trash.mkdir(mode=0o700)
    os.chown(scene.album.folder, scene.owner.uid, BROKER)
    scene.album.folder.chmod(0o770)
    scene.allow()
    name = scene.pictures[1]
    scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [scene.app.named(name)["localIdentifier"]]}])
    wait_for(
        lambda: "trash" in (scene.owner.library(scene.library).get("problem") or ""), "the trash that takes nothing"
    )
    (scene.album.folder / name).unlink()
    new = jpeg(day(77), note=b"the owner's new photo")
    scene.album.put(name, new)
    os.chown(trash, BROKER, BROKER)
    trash.chmod(0o770)
    scene.owner.call("RescanLibrary", name=scene.library)
    wait_for(lambda: scene.owner.library(scene.library)["awaitingTrash"] == 0, "nothing to wait for the trash")
    assert (scene.album.folder / name).read_bytes() == new
    wait_for(lambda: name in scene.app.names(), "the new photo")


def test_R142_a_new_file_in_the_place_of_a_photo_being_trashed_stays(own_scene):
    """The broker has checked the photo, and its storage has not moved it yet."""
    scene = own_scene
    scene.let_broker_add()
    scene.album.folder.chmod(0o770)
    scene.allow()

    def delete(name):
        asset = scene.app.named(name)["localIdentifier"]
        scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [asset]}])
        return asset

    # The first deletion starts the process that moves files.
    first = scene.pictures[2]
    delete(first)
    wait_for(lambda: not (scene.album.folder / first).exists(), "the first one in the trash")
    name = scene.pictures[1]
    hosts = storage_processes(scene.broker)
    for pid in hosts:
        os.kill(pid, signal.SIGSTOP)
    try:
        asset = delete(name)
        time.sleep(1)
        new = jpeg(day(78), note=b"the owner's new photo")
        scene.album.put(name, new)
    finally:
        for pid in hosts:
            os.kill(pid, signal.SIGCONT)
    wait_for(lambda: scene.owner.library(scene.library)["awaitingTrash"] == 0, "nothing to wait for the trash")
    scene.owner.rescan(scene.library)
    wait_for(lambda: name in scene.app.names(), "the new photo")
    assert (scene.album.folder / name).read_bytes() == new
    assert asset not in {a["localIdentifier"] for a in scene.app.fetch()}


def test_in_place_writes_show_in_no_delivered_copy(scene):
    scene.allow()
    name = scene.pictures[0]
    path = scene.album.folder / name
    asset = scene.app.named(name)["localIdentifier"]

    def hold(agent, asset, seconds):
        end, copies, changed = time.monotonic() + seconds, 0, 0
        while time.monotonic() < end:
            try:
                _, descriptors = agent.connection().call_with_descriptors(
                    "io.photobroker.Library.OpenResource", asset=asset, role="original"
                )
            except VarlinkError:
                continue
            copies += 1
            digests = {agent.digest_of_descriptor(descriptors[0]) for _ in range(20)}
            changed += len(digests) != 1
            os.close(descriptors[0])
        return [copies, changed]

    def scribble(agent, path, seconds):
        end, count = time.monotonic() + seconds, 0
        with open(path, "r+b") as file:
            while time.monotonic() < end:
                file.seek(500)
                file.write(os.urandom(200))
                file.flush()
                count += 1
        return count

    writer = scene.broker.stranger(uid=scene.owner.uid)
    os.chown(path, scene.owner.uid, BROKER)
    path.chmod(0o640)
    writer.start(scribble, path=str(path), seconds=1.5)
    copies, changed = scene.app.run(hold, asset=asset, seconds=1.5)
    assert writer.hear() > 100 and changed == 0
    path.write_bytes(jpeg(day(0), note=b"at rest"))
    scene.owner.call("RescanLibrary", name=scene.library)
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()
    wait_for(
        lambda: name in scene.app.names() and scene.app.digest_now(scene.app.named(name)["localIdentifier"]) == wanted,
        "the file at rest",
    )


def test_R95_a_photo_moved_during_a_scan_keeps_its_identity(own_scene):
    """A photo moved during a scan can be found in neither folder, or in both."""
    scene, names = own_scene, ["aa", "zz"]
    for number in range(40):
        place = scene.album.folder / f"m{number:02}"
        place.mkdir()
        for picture in range(100):
            (place / f"{picture}.jpg").write_bytes(jpeg(day(1), b"%d %d" % (number, picture)))
    for name in names:
        (scene.album.folder / name).mkdir()
    moving = [f"moving-{n}.jpg" for n in range(4)]
    for name in moving:
        scene.album.put(f"aa/{name}", jpeg(day(50), name.encode()), day(50).timestamp())
    for path in scene.album.folder.rglob("*"):
        os.chown(path, scene.owner.uid, -1)
    scene.owner.call("RescanLibrary", name=scene.library)
    scene.owner.wait_for_library(scene.library, 4_010, seconds=120)
    scene.limit(*moving)
    scene.app.observe()
    before = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    assert len(before) == 4
    for number in range(40):
        scene.owner.call("RescanLibrary", name=scene.library)
        for name in moving:
            time.sleep(0.002 * (number % 7))
            here, there = names if (scene.album.folder / names[0] / name).exists() else names[::-1]
            os.rename(scene.album.folder / here / name, scene.album.folder / there / name)
    scene.owner.rescan(scene.library)
    scene.owner.wait_for_library(scene.library, 4_010, seconds=60)
    assert {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()} == before
    assert not any(event["removed"] for event in scene.app.events())
