"""Changes in a library's folder: files, folders, disks that come and go, unreadable parts.

Only changes are scanned, and a missing file does not count as deleted.
"""

import ctypes
import hashlib
import os
import shutil
import struct
import subprocess
import time

import pytest

from house.app import creation
from house.broker import BROKER, Album
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.plugins import install_walking


def settle(scene, count):
    return wait_for(
        lambda: (lambda l: l if l["state"] == "online" and l["assets"] == count else None)(
            scene.owner.library(scene.library)
        ),
        f"{count} assets online",
    )


def library_state(scene, state):
    return wait_for(lambda: (lambda l: l if l["state"] == state else None)(scene.owner.library(scene.library)), state)


class FilesRead:
    """The names of the files that anyone reads in a folder."""

    ACCESS, IS_FOLDER = 0x1, 0x40000000

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self.descriptor >= 0 and libc.inotify_add_watch(self.descriptor, bytes(folder), self.ACCESS) >= 0

    def names(self):
        """Returns the names since the last call."""
        found = set()
        while True:
            try:
                events = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return found
            while events:
                _, mask, _, length = struct.unpack_from("iIII", events)
                if length and not mask & self.IS_FOLDER:
                    found.add(os.fsdecode(events[16 : 16 + length].rstrip(b"\0")))
                events = events[16 + length :]


def test_a_rescan_reads_changed_and_new_files_alone(own_scene):
    scene, album = own_scene, own_scene.album
    read = FilesRead(album.folder)
    scene.owner.rescan(scene.library)
    assert read.names() == set()
    changed, moved = scene.pictures[:2]
    album.put(changed, jpeg(day(70), note=b"changed"))
    album.put("new.jpg", jpeg(day(71), note=b"new"))
    os.rename(album.folder / moved, album.folder / "moved.jpg")
    settle(scene, len(scene.pictures) + 1)
    scene.owner.rescan(scene.library)
    assert read.names() == {changed, "new.jpg"}
    os.close(read.descriptor)


def test_R95_a_file_moved_between_folders_stays_the_same_asset(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    before = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    folder = scene.album.folder
    for made in (folder / "trip", folder / "trip" / "deep"):
        made.mkdir()
        os.chown(made, scene.owner.uid, BROKER)
        made.chmod(0o750)
    for number, target in ((0, "trip/a.jpg"), (1, "trip/deep/b.jpg")):
        os.rename(folder / scene.pictures[number], folder / target)
    wait_for(lambda: set(scene.app.names()) == {"a.jpg", "b.jpg"}, "the moved files")
    os.rename(folder / "trip", folder / "journey")
    scene.album.put("journey/deep/c.jpg", jpeg(day(50), note=b"c"))
    settle(scene, 7)
    after = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    assert after == {"a.jpg": before[scene.pictures[0]], "b.jpg": before[scene.pictures[1]]}
    assert all(scene.app.digest(identifier) for identifier in after.values())


def test_R95_a_move_by_hard_link_stays_the_same_asset_even_if_scanned_meanwhile(own_scene):
    scene, folder = own_scene, own_scene.album.folder
    scene.limit(0, 1)
    before = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    new = [folder / "trip/a.jpg", folder / "trip/b.jpg"]
    new[0].parent.mkdir()
    os.chown(new[0].parent, scene.owner.uid, BROKER)
    new[0].parent.chmod(0o750)
    for name, link in zip(scene.pictures, new):
        os.link(folder / name, link)
    wait_for(lambda: len(scene.owner.library(scene.library)["skippedFiles"]) == 4, "both names of both to be left out")
    for name in scene.pictures[:2]:
        (folder / name).unlink()
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 0, "the files that have one name")
    after = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    assert after == {"a.jpg": before[scene.pictures[0]], "b.jpg": before[scene.pictures[1]]}
    assert all(scene.app.digest(identifier) for identifier in after.values())


def test_R95_differently_encoded_names_are_different_names(own_scene):
    """An accented letter can be one code point or two, which file systems distinguish."""
    scene = own_scene
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    folder = scene.album.folder
    scene.album.put(f"{composed}.jpg", jpeg(day(60), note=b"composed"))
    settle(scene, 7)
    scene.limit(f"{composed}.jpg")
    (identifier,) = (a["localIdentifier"] for a in scene.app.fetch())
    before = scene.app.digest(identifier)
    os.rename(folder / f"{composed}.jpg", folder / f"{decomposed}.jpg")
    wait_for(lambda: scene.app.names() == [f"{decomposed}.jpg"], "the new name")
    assert scene.app.digest(identifier) == before, "it is opened where it is now"
    scene.album.put(f"{composed}.jpg", jpeg(day(61), note=b"another"))
    for name in (composed, decomposed):
        scene.album.put(f"{name}/inside.jpg", jpeg(day(62), note=name.encode()))
    library = settle(scene, 10)
    assert library["skipped"] == 0
    scene.owner.set(scene.library, scene.app.name, "authorized")
    wait_for(lambda: scene.app.count() == 10, "all of them")
    assert len({scene.app.digest(asset["localIdentifier"]) for asset in scene.app.fetch()}) == 10, (
        "each is opened, and is its own"
    )


def test_R95_an_unreadable_folder_keeps_its_assets(own_scene):
    scene = own_scene
    scene.album.put("closed/x.jpg", jpeg(day(60), note=b"x"))
    settle(scene, 7)
    scene.limit(0, "x.jpg")
    identifier = scene.app.named("x.jpg")["localIdentifier"]
    os.chmod(scene.album.folder / "closed", 0o700)
    scene.owner.call("RescanLibrary", name=scene.library)
    library = wait_for(
        lambda: (lambda l: l if l.get("problem") else None)(scene.owner.library(scene.library)), "the owner to be told"
    )
    assert "closed" in library["problem"] and library["assets"] == 7
    assert library["problemReason"]["code"] == "foldersAway" and library["problemReason"]["values"] == {
        "folder": "closed",
        "count": "1",
    }
    assert any(f["path"] == "closed" for f in library["skippedFiles"])
    assert scene.app.named("x.jpg")["localIdentifier"] == identifier
    with pytest.raises(Refused) as refused:
        scene.app.open(identifier)
    assert refused.value.parameters.get("code") == 3114
    os.chmod(scene.album.folder / "closed", 0o750)
    wait_for(lambda: scene.owner.library(scene.library).get("problem") is None, "the folder to be back")
    assert scene.app.digest(identifier)


def put_elsewhere(scene, note, age=0):
    path = scene.house.folder / f"{note}-{scene.owner.uid}.jpg"
    path.write_bytes(jpeg(day(40), note=note.encode()))
    os.chown(path, scene.owner.uid, BROKER)
    path.chmod(0o640)
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_R43_a_file_added_by_a_link_is_noticed(own_scene):
    """No writer closes the file at its new name, so there is no close event."""
    scene, folder = own_scene, own_scene.album.folder
    file = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o640)
    os.write(file, jpeg(day(40), note=b"without a name"))
    os.fchown(file, scene.owner.uid, BROKER)
    # AT_SYMLINK_FOLLOW, which os.link does not pass on.
    assert (
        ctypes.CDLL(None).linkat(
            -100, f"/proc/self/fd/{file}".encode(), -100, os.fsencode(folder / "unnamed.jpg"), 0x400
        )
        == 0
    )
    os.close(file)
    settle(scene, 7)
    for number, (note, age) in enumerate((("old", 600), ("new", 0))):
        path = put_elsewhere(scene, note, age)
        os.link(path, folder / path.name)
        path.unlink()
        settle(scene, 8 + number)
    # A hard-linked file is skipped until its other name is removed, which may be much later.
    path = put_elsewhere(scene, "shared", 600)
    os.link(path, folder / "shared.jpg")
    library = wait_for(lambda: (now := scene.owner.library(scene.library))["skipped"] and now, "the owner to be told")
    assert [(file["path"], file["why"]["code"]) for file in library["skippedFiles"]] == [
        ("shared.jpg", "fileHardLinked")
    ]
    path.unlink()
    assert settle(scene, 10)["skipped"] == 0


def test_R43_a_half_written_file_is_not_indexed(own_scene):
    scene = own_scene
    whole = jpeg(day(41), note=b"slow", padding=50_000)
    with open(scene.album.folder / "slow.jpg", "wb") as file:
        os.fchown(file.fileno(), scene.owner.uid, BROKER)
        file.write(whole[:20_000])
        file.flush()
        # A file that is closed overtakes one that is still open.
        scene.album.put("aside/quick.jpg", jpeg(day(42), note=b"quick"))
        library = settle(scene, 7)
        assert library["skipped"] == 0 and "slow.jpg" not in scene.owner.names(scene.library)
        file.write(whole[20_000:])
    settle(scene, 8)
    scene.limit("slow.jpg")
    assert scene.app.digest(scene.app.named("slow.jpg")["localIdentifier"]) == hashlib.sha256(whole).hexdigest()


def test_R43_exchanged_folders_are_both_watched(own_scene):
    scene, folder = own_scene, own_scene.album.folder
    for number, name in enumerate("ab"):
        scene.album.put(f"{name}/{number}.jpg", jpeg(day(40 + number), note=name.encode()))
    settle(scene, 8)
    assert ctypes.CDLL(None).renameat2(-100, os.fsencode(folder / "a"), -100, os.fsencode(folder / "b"), 2) == 0
    for number, name in enumerate("ab"):
        scene.album.put(f"{name}/later-{number}.jpg", jpeg(day(50 + number), note=name.encode()))
        settle(scene, 9 + number)


def test_R43_a_disk_mounted_below_a_folder_of_any_name_is_noticed(own_broker):
    owner = own_broker.owner()
    album = Album(own_broker.house, f"my \\ photos {owner.uid}", owner.uid)
    below = album.put("disk/below.jpg", jpeg(day(9), note=b"below")).parent
    owner.call("AddLibrary", name="disks", options={"path": str(album.folder), "oneFileSystem": "false"}, offeredTo=[])
    owner.wait_for_library("disks", 1)
    disk = own_broker.house.make_folder(f"disk-{owner.uid}", owner.uid, BROKER, 0o750)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=750,uid={owner.uid},gid={BROKER}", "none", disk], check=True)
    try:
        (disk / "on-it.jpg").write_bytes(jpeg(day(20), note=b"on it"))
        os.chown(disk / "on-it.jpg", owner.uid, BROKER)
        subprocess.run(["mount", "--move", disk, below], check=True)
        wait_for(lambda: "on-it.jpg" in owner.names("disks"), "what is on the disk")
    finally:
        for place in (disk, below):
            subprocess.run(["umount", "-l", place], capture_output=True)


def test_R43_files_hidden_by_a_mount_are_not_deleted(own_scene):
    scene = own_scene
    path = scene.album.put("trip/below.jpg", jpeg(day(40), note=b"below"))
    settle(scene, 7)
    scene.limit("below.jpg")
    asset = scene.app.named("below.jpg")["localIdentifier"]
    empty = scene.album.put("empty/no.txt", b"no picture").parent
    places = [path.parent, empty]
    try:
        for place in places:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"mode=750,uid={scene.owner.uid},gid={BROKER}", "none", place],
                check=True,
            )
        library = wait_for(
            lambda: len((now := scene.owner.rescan(scene.library))["skippedFiles"]) == 2 and now,
            "the owner to be told of both folders",
        )
        # Nothing was ever known of the other one, so it is not away.
        assert [(file["path"], file["why"]["code"]) for file in library["skippedFiles"]] == [
            ("empty", "folderOtherVolume"),
            ("trip", "folderAway"),
        ]
        assert library["assets"] == 7
        # Files on the mount are neither listed nor served.
        (path.parent / "on-it.jpg").write_bytes(jpeg(day(41), note=b"on it"))
        os.chown(path.parent / "on-it.jpg", scene.owner.uid, BROKER)
        assert scene.owner.rescan(scene.library)["assets"] == 7
        assert scene.app.named("below.jpg")["localIdentifier"] == asset
    finally:
        for place in places:
            subprocess.run(["umount", "-l", place], capture_output=True)
    wait_for(lambda: not scene.owner.rescan(scene.library)["skippedFiles"], "the folder that is back")
    assert scene.app.named("below.jpg")["localIdentifier"] == asset
    assert scene.app.digest(asset) == hashlib.sha256(path.read_bytes()).hexdigest()


UNREADABLE = {
    "fileForbidden": (lambda path, away: path.chmod(0), lambda path, away: path.chmod(0o640)),
    "fileForeign": (
        lambda path, away: os.chown(path, 12_345, -1),
        lambda path, away: os.chown(path, path.parent.stat().st_uid, -1),
    ),
    "fileHardLinked": (os.link, lambda path, away: away.unlink()),
}


@pytest.mark.parametrize("code", UNREADABLE)
def test_R43_a_photo_that_became_unreadable_is_named_to_its_owner(own_scene, code):
    scene, name = own_scene, own_scene.pictures[0]
    scene.limit(0, 1)
    asset, path = scene.app.named(name)["localIdentifier"], scene.album.folder / name
    # A file that was read before may be served from its copy.
    before, away = hashlib.sha256(path.read_bytes()).hexdigest(), scene.house.folder / f"second-{scene.owner.uid}.jpg"
    spoil, mend = UNREADABLE[code]
    spoil(path, away)
    if code == "fileHardLinked":
        # No event reports a name elsewhere, so a read has to find it.
        assert scene.app.refusal("OpenResource", asset=asset, role="original").reason == "missingResource"
    library = wait_for(lambda: (now := scene.owner.library(scene.library))["skipped"] and now, "the owner to be told")
    for _ in range(2):
        assert [(file["path"], file["why"]["code"]) for file in library["skippedFiles"]] == [(name, code)]
        assert library["assets"] == 6 and library["skipped"] == 1 and library["state"] == "online"
        library = scene.owner.rescan(scene.library)
    assert name in scene.broker.photobroker(scene.owner.uid, "library", "show", scene.library).stdout
    assert scene.app.named(name)["localIdentifier"] == asset
    assert scene.app.refusal("OpenResource", asset=asset, role="original").reason == "missingResource"
    mend(path, away)
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 0, "the file that can be read again")
    assert scene.app.digest(asset) == before


def swap_by_renaming(folder):
    away = folder.with_name(folder.name + "-away")

    def take():
        os.rename(folder, away)
        folder.mkdir(mode=0o755)

    def give():
        folder.rmdir()
        os.rename(away, folder)

    return take, give


@pytest.mark.parametrize("kind", ["renamed away", "an empty mount point"])
def test_R95_an_unmounted_disk_is_not_a_deletion(own_scene, kind):
    scene, own_broker = own_scene, own_scene.broker
    folder = scene.album.folder
    take, give = swap_by_renaming(folder)
    if kind == "an empty mount point":
        # The disk is away, and an empty mount point is in its place.
        def take():
            subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", folder], check=True)

        def give():
            subprocess.run(["umount", "-l", folder], check=True)

    scene.limit(0, 1)
    before = scene.app.fetch()
    take()
    try:
        library = library_state(scene, "offline")
        assert library["assets"] == 6 and library.get("problem")
        assert [a["localIdentifier"] for a in scene.app.fetch()] == [a["localIdentifier"] for a in before]
        with pytest.raises(Refused) as refused:
            scene.app.open(before[0]["localIdentifier"])
        assert refused.value.parameters.get("code") == 3114
        own_broker.restart()
        library = library_state(scene, "offline")
        assert library["assets"] == 6
    finally:
        give()
    library_state(scene, "online")
    assert [a["localIdentifier"] for a in scene.app.fetch()] == [a["localIdentifier"] for a in before]
    assert scene.app.digest(before[0]["localIdentifier"])
    scene.album.add(9)
    settle(scene, 7)


def test_R95_an_emptied_folder_is_a_deletion(own_scene):
    for name in own_scene.pictures:
        (own_scene.album.folder / name).unlink()
    settle(own_scene, 0)


def test_an_idle_librarys_disk_can_be_unmounted(own_broker):
    """An idle broker holds no descriptor on a library's disk, so it need not be stopped first."""
    owner, app = own_broker.owner(), own_broker.app()
    disk, place = (
        own_broker.house.make_folder(f"{kind}-{owner.uid}", owner.uid, BROKER, 0o750) for kind in ("disk", "place")
    )
    picture = jpeg(day(1), note=b"disk")
    (disk / "one.jpg").write_bytes(picture)
    os.chown(disk / "one.jpg", owner.uid, BROKER)
    subprocess.run(["mount", "--bind", disk, place], check=True)
    try:
        owner.add_library("disk", place, [app.uid], 1)
        app.introduce()
        owner.set("disk", app.name, "authorized")
        assert app.request() == "authorized"
        asset = app.fetch()[0]["localIdentifier"]
        assert app.digest(asset)

        def take_out():
            return subprocess.run(["umount", place], capture_output=True).returncode == 0

        wait_for(take_out, "the disk to be free")
        wait_for(lambda: owner.library("disk")["state"] == "offline", "the library to be offline")
        assert app.fetch()[0]["localIdentifier"] == asset
        subprocess.run(["mount", "--bind", disk, place], check=True)
        wait_for(lambda: owner.library("disk")["state"] == "online", "the library to be back")
        assert app.fetch()[0]["localIdentifier"] == asset and app.digest(asset)
    finally:
        subprocess.run(["umount", "-l", place])


@pytest.mark.parametrize("whose, code", [("root's", "folderReplaced"), ("the owner's", "otherVolume")])
def test_R95_a_disk_missing_at_the_start_is_reported_missing_and_its_mount_point_is_not_read(own_broker, whose, code):
    owner, app = own_broker.owner(), own_broker.app()
    disk, place = (
        own_broker.house.make_folder(f"{kind}-{owner.uid}", owner.uid, BROKER, 0o750) for kind in ("start", "empty")
    )
    if whose == "root's":
        os.chown(place, 0, 0)
        place.chmod(0o755)
    for folder, name in ((disk, "one.jpg"), (place, "stray.jpg")):
        (folder / name).write_bytes(jpeg(day(1), note=name.encode()))
        os.chown(folder / name, owner.uid, BROKER)
    subprocess.run(["mount", "--bind", disk, place], check=True)
    try:
        owner.add_library("disk", place, [app.uid], 1)
        app.introduce()
        owner.set("disk", app.name, "authorized")
        assert app.request() == "authorized"
        before = [(a["filename"], a["localIdentifier"]) for a in app.fetch()]
        own_broker.stop()
        subprocess.run(["umount", place], check=True)
        own_broker.start()
        for person in own_broker.people:
            person.new_connection()
        library = wait_for(
            lambda: (now := owner.library("disk"))["state"] == "offline" and now, "the library to be offline"
        )
        assert library["problemReason"]["code"] == code and "--open-folder" not in library["problem"], library
        owner.call("RescanLibrary", name="disk")
        time.sleep(1)
        assert owner.names("disk") == ["one.jpg"] and owner.library("disk")["state"] == "offline"
        assert [(a["filename"], a["localIdentifier"]) for a in app.fetch()] == before
        subprocess.run(["mount", "--bind", disk, place], check=True)
        wait_for(lambda: owner.library("disk")["state"] == "online", "the library to be back")
        assert [(a["filename"], a["localIdentifier"]) for a in app.fetch()] == before and app.digest(before[0][1])
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True)


def test_R43_R142_a_remounted_disk_takes_new_photos_and_its_deletions_go_to_its_trash(own_broker):
    """Landlock rules of running processes do not match the disk after it is mounted again."""
    owner, app = own_broker.owner(), own_broker.app()
    place = own_broker.house.make_folder(f"place-{owner.uid}", owner.uid, BROKER, 0o750)
    disk = own_broker.house.folder / f"disk-{owner.uid}"
    subprocess.run(["truncate", "-s", "16M", disk], check=True)
    subprocess.run(["mkfs.ext4", "-q", disk], check=True)

    def put_in():
        subprocess.run(["mount", "-o", "loop", disk, place], check=True)

    put_in()
    try:
        os.chown(place, owner.uid, BROKER)
        place.chmod(0o770)
        (place / "one.jpg").write_bytes(jpeg(day(1), note=b"disk"))
        os.chown(place / "one.jpg", owner.uid, BROKER)
        assert not owner.add_library("disk", place, [app.uid], 1).get("problem"), (
            "of the folder that each such disk has, with no photo in it"
        )
        app.introduce()
        owner.set("disk", app.name, "authorized")
        assert app.request() == "authorized"

        def change(number):
            """Have a photo added and one deleted, each by a process that lives on."""
            [added] = app.call("PerformChanges", changes=[creation(f"{number}.jpg", jpeg(day(number), note=b"new"))])[
                "createdAssets"
            ]
            kept = place / f"PhotoBroker/{number}.jpg"
            assert kept.exists()
            app.call("PerformChanges", changes=[{"kind": "delete", "assets": [added]}])
            wait_for(lambda: not kept.exists(), "the file to be moved into the trash")

        change(2)
        for number, is_missed in ((3, True), (4, False)):
            wait_for(
                lambda: subprocess.run(["umount", place], capture_output=True).returncode == 0, "the disk to be free", 5
            )
            if is_missed:
                wait_for(lambda: owner.library("disk")["state"] == "offline", "the library to be offline")
            put_in()
            owner.wait_for_library("disk", 1)
            change(number)
    finally:
        subprocess.run(["umount", "-l", place])


def test_R43_R95_a_remounted_disk_is_listed_by_a_process_that_can_read_it(own_broker):
    """To a process from before the mount, the disk is unreadable and looks empty."""
    owner, app, house = own_broker.owner(), own_broker.app(), own_broker.house
    place, disk = (
        house.make_folder(f"walked-{owner.uid}", owner.uid, BROKER, 0o750),
        house.folder / f"walked-disk-{owner.uid}",
    )
    subprocess.run(["truncate", "-s", "16M", disk], check=True)
    subprocess.run(["mkfs.ext4", "-q", disk], check=True)

    def put_in():
        subprocess.run(["mount", "-o", "loop", disk, place], check=True)

    put_in()
    try:
        photos = place / "Photos"
        photos.mkdir()
        for number in range(1, 4):
            (photos / f"{number}.jpg").write_bytes(jpeg(day(number), note=b"disk"))
            os.chown(photos / f"{number}.jpg", owner.uid, BROKER)
        for folder in (place, photos):
            os.chown(folder, owner.uid, BROKER)
            folder.chmod(0o770)
        owner.call(
            "AddLibrary",
            name="disk",
            backend=install_walking(house),
            options={"path": str(photos)},
            offeredTo=[app.uid],
        )
        owner.wait_for_library("disk", 3)
        before = {n: owner.identifier("disk", n) for n in owner.names("disk")}
        wait_for(
            lambda: subprocess.run(["umount", place], capture_output=True).returncode == 0, "the disk to be free", 5
        )
        # No scan runs meanwhile, only the process that waits for changes.
        wait_for(lambda: owner.library("disk")["state"] == "offline", "the library to be offline")
        put_in()
        owner.wait_for_library("disk", 3)
        # A full scan would delete missing assets.
        owner.rescan("disk")
        assert not owner.library("disk").get("problem")
        assert {n: owner.identifier("disk", n) for n in owner.names("disk")} == before and len(before) == 3
    finally:
        subprocess.run(["umount", "-l", place])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["the older one first", "the newer one first"])
def test_R142_two_deleted_photos_of_one_name_are_restored_separately(scene, order):
    os.chown(scene.album.folder, BROKER, BROKER)
    scene.allow()
    name = scene.name(1)
    place = scene.album.folder / name
    photos = [place.read_bytes(), jpeg(day(33), note=b"another")]
    own, apps = [], []
    for data in photos:
        if own:
            scene.album.put(name, data, day(33).timestamp())
            wait_for(lambda: name in scene.app.names(), "the new photo of that name")
        own.append(scene.owner.identifier(scene.library, name))
        apps.append(scene.app.named(name)["localIdentifier"])
        scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": apps[-1:]}])
        wait_for(lambda: not place.exists(), "the file to be moved into the trash")
    back = []
    for number in order:
        if back:
            # The first one has the name of the second.
            refused = scene.owner.refusal("RestoreAssets", library=scene.library, identifiers=[own[number]])
            assert refused.parameters["reason"]["code"] == "placeTaken"
            assert refused.parameters["reason"]["values"] == {"path": name}
            assert place.read_bytes() == photos[back[0]]
            os.rename(place, place.with_name("moved.jpg"))
        assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[own[number]]) == {"restored": 1}
        back.append(number)
        # A scan finds the restored photos, and not the other one beside them.
        scene.owner.rescan(scene.library)
        there = {a["localIdentifier"] for a in scene.app.fetch()}
        assert there.intersection(apps) == {apps[n] for n in back}
        for n in back:
            assert scene.app.digest(apps[n]) == hashlib.sha256(photos[n]).hexdigest()
    assert place.read_bytes() == photos[order[1]]
    settle(scene, 7)
    assert scene.owner.call("FetchTrashedAssets", library=scene.library)["total"] == 0


@pytest.mark.parametrize("taken", ["xmp", "jpg"])
def test_R142_a_photo_stays_in_the_trash_as_a_whole_while_a_name_of_its_files_is_taken(scene, taken):
    os.chown(scene.album.folder, BROKER, BROKER)
    scene.allow()
    name = scene.name(1)
    files = {ending: scene.album.folder / name.replace("jpg", ending) for ending in ("jpg", "xmp")}
    scene.album.put(files["xmp"].name, b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    scene.owner.rescan(scene.library)
    before = {file: file.read_bytes() for file in files.values()}
    identifier = scene.owner.identifier(scene.library, name)
    scene.app.delete(name)
    wait_for(lambda: not any(file.exists() for file in before), "both files to be moved into the trash")
    scene.album.put(files[taken].name, b"in its place")
    for _ in range(2):
        refused = scene.owner.refusal("RestoreAssets", library=scene.library, identifiers=[identifier])
        assert refused.parameters["reason"]["code"] == "placeTaken"
        assert refused.parameters["reason"]["values"] == {"path": files[taken].name}
        assert [file for file in before if file.exists()] == [files[taken]]
        assert files[taken].read_bytes() == b"in its place"
    files[taken].unlink()
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[identifier]) == {"restored": 1}
    assert {file: file.read_bytes() for file in before} == before
    assert scene.owner.identifier(scene.library, name) == identifier


def test_a_new_photo_in_a_trashed_ones_place_is_another_photo(scene):
    os.chown(scene.album.folder, BROKER, BROKER)
    scene.allow()
    victim = scene.app.named(scene.name(1))["localIdentifier"]
    scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
    wait_for(lambda: not (scene.album.folder / scene.name(1)).exists(), "the file to be moved into the trash")
    scene.album.put(scene.name(1), jpeg(day(33), note=b"another"), day(33).timestamp())
    wait_for(lambda: scene.name(1) in scene.app.names(), "the new photo")
    assert scene.app.named(scene.name(1))["localIdentifier"] != victim
    assert scene.owner.call("FetchTrashedAssets", library=scene.library)["total"] == 1, (
        "and the trashed one can still be restored"
    )


def test_R142_restoring_a_file_missing_from_the_trash_is_reported(scene):
    os.chown(scene.album.folder, BROKER, BROKER)
    scene.allow()
    scene.app.call(
        "PerformChanges", changes=[{"kind": "delete", "assets": [scene.app.named(scene.name(1))["localIdentifier"]]}]
    )
    wait_for(lambda: not (scene.album.folder / scene.name(1)).exists(), "the file to be moved into the trash")
    [trashed] = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    shutil.rmtree(scene.album.folder / ".photobroker-trash")
    command = ["asset", "restore", scene.library, trashed["identifier"]]
    assert "1 asset not restored" in scene.broker.photobroker(scene.owner.uid, *command, expect=66).stderr
    assert scene.owner.call("FetchTrashedAssets", library=scene.library)["total"] == 1
