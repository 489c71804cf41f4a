"""Folders without change events: the broker scans them by the clock and tells the owner why."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from house.broker import BROKER, Album, Broker
from house.person import wait_for
from house.pictures import day, jpeg


FEW_WATCHES = [sys.executable, str(pathlib.Path(__file__).parent / "house/few_watches.py")]
# One watch suffices for the top folder alone; without an instance nothing is watched.
LIMITS = {"max_inotify_watches": 1, "max_inotify_instances": 0}


@pytest.fixture(params=LIMITS)
def broker_without_watches(house, request):
    """A broker whose user has too few inotify resources."""
    before = [*FEW_WATCHES, request.param, str(LIMITS[request.param])]
    probe = subprocess.run([*before, "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        pytest.skip(f"watches cannot be limited here: {probe.stderr.strip().splitlines()[-1]}")
    broker = Broker(house, name=f"watchless-{house.fresh_uid()}")
    broker.before, broker.limit = before, request.param
    yield broker.start()
    broker.end()


def is_rescanned_by_timer(owner, library, reason):
    found = owner.library(library)
    assert found["changeDetection"] == "rescan"
    assert reason in found["problem"] and "every 2 seconds" in found["problem"]


def test_an_unwatched_folder_is_scanned_on_a_timer(broker_without_watches):
    owner = broker_without_watches.owner()
    album = Album(broker_without_watches.house, f"album-{owner.uid}", owner.uid)
    album.put("one/first.jpg", jpeg(day(1), note=b"first"))
    owner.call("AddLibrary", name="unwatched", options={"path": str(album.folder), "rescanSeconds": "2"}, offeredTo=[])
    owner.wait_for_library("unwatched", 1)
    is_rescanned_by_timer(
        owner, "unwatched", broker_without_watches.limit.replace("max_inotify_", "fs.inotify.max_user_")
    )
    album.put("two/second.jpg", jpeg(day(2), note=b"second"))
    (album.folder / "one/first.jpg").unlink()
    wait_for(lambda: owner.names("unwatched") == ["second.jpg"], "the next look")


def test_a_requested_rescan_sees_everything_before_it_reports_completion(broker_without_watches):
    owner = broker_without_watches.owner()
    album = Album(broker_without_watches.house, f"album-{owner.uid}", owner.uid)
    album.add(0)
    owner.call(
        "AddLibrary", name="unwatched", options={"path": str(album.folder), "rescanSeconds": "86400"}, offeredTo=[]
    )
    owner.wait_for_library("unwatched", 1)
    for number in range(1, 4):
        album.put(f"{number}/{number}.jpg", jpeg(day(number), note=bytes([number])))
        assert owner.rescan("unwatched")["assets"] == number + 1
    album.put("4/4.jpg", jpeg(day(4), note=b"4"))
    broker_without_watches.photobroker(owner.uid, "library", "rescan", "unwatched", "--wait")
    assert len(owner.names("unwatched")) == 5


@contextlib.contextmanager
def mounted(source, place, uid):
    if not os.path.exists("/dev/fuse") or not shutil.which("rclone") or not shutil.which("fusermount3"):
        pytest.skip("no /dev/fuse, rclone or fusermount3 on this machine")
    mount = subprocess.Popen(
        [
            "rclone",
            "mount",
            source,
            place,
            "--allow-other",
            "--dir-cache-time",
            "1ms",
            "--attr-timeout",
            "1ms",
            "--uid",
            str(uid),
            "--gid",
            str(uid),
            "--file-perms",
            "0644",
            "--dir-perms",
            "0755",
            "--config",
            "/dev/null",
        ],
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(lambda: os.path.ismount(place) or mount.poll() is not None, "the mount")
        if mount.poll() is not None:
            pytest.skip(f"nothing can be mounted here: {mount.stderr.read().decode().strip().splitlines()[-1]}")
        yield
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True)
        mount.wait(10)


def test_a_file_system_without_notifications_is_scanned_on_a_timer(broker):
    owner = broker.owner()
    album = Album(broker.house, f"album-{owner.uid}", owner.uid)
    album.add(1)
    place = broker.house.make_folder(f"mounted-{owner.uid}", owner.uid, mode=0o755)
    with mounted(album.folder, place, owner.uid):
        owner.call(
            "AddLibrary", name=f"remote-{owner.uid}", options={"path": str(place), "rescanSeconds": "2"}, offeredTo=[]
        )
        owner.wait_for_library(f"remote-{owner.uid}", 1)
        is_rescanned_by_timer(owner, f"remote-{owner.uid}", "FUSE")
        album.add(2)
        wait_for(lambda: len(owner.names(f"remote-{owner.uid}")) == 2, "the next look")
        owner.call("RemoveLibrary", name=f"remote-{owner.uid}")


def test_R43_a_nested_mount_without_notifications_makes_all_scans_timed(broker):
    owner = broker.owner()
    far, album = (Album(broker.house, f"{name}-{owner.uid}", owner.uid) for name in ("far", "near"))
    far.add(1)
    album.add(0)
    place = broker.house.make_folder(f"near-{owner.uid}/shares/nas", owner.uid, BROKER, 0o750)
    os.chown(place.parent, owner.uid, BROKER)
    library = f"mixed-{owner.uid}"
    owner.call(
        "AddLibrary",
        name=library,
        options={"path": str(album.folder), "oneFileSystem": "false", "rescanSeconds": "2"},
        offeredTo=[],
    )
    owner.wait_for_library(library, 1)
    assert owner.library(library)["changeDetection"] == "watch"
    with mounted(far.folder, place, owner.uid):
        owner.wait_for_library(library, 2)
        wait_for(lambda: owner.library(library).get("problem"), "the owner to be told")
        is_rescanned_by_timer(owner, library, 'Folder "shares/nas" is on a FUSE file system')
        far.add(2)
        wait_for(lambda: len(owner.names(library)) == 3, "what came there")
        album.add(3)
        wait_for(lambda: len(owner.names(library)) == 4, "what came here")
    owner.call("RemoveLibrary", name=library)
