"""The broker's own disk is full: reads stop, since they could not be recorded; taking away goes on; and with room again so
does everything else."""
import os
import subprocess
import time

import pytest

from house.broker import BROKER, Broker
from house.person import Refused, as_user, wait_for

import conftest


@pytest.fixture
def small(house):
    """A broker whose state lies on a file system of 12 MiB."""
    broker = Broker(house, name=f"small-{house.fresh_uid()}")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=12m,mode=0700,uid={BROKER},gid={BROKER}", "tmpfs", str(broker.state)], check=True)
    try:
        broker.start()
        yield conftest.Scene(broker, 6)
        assert broker.is_running, broker.log[-3000:]
    finally:
        broker.end()
        subprocess.run(["umount", "-l", str(broker.state)], check=True)


def fill(broker):
    """As the broker's user, to the last byte."""
    command = ["dd", "if=/dev/zero", f"of={broker.state}/ballast", "bs=4k", "oflag=append", "conv=notrunc", "status=none"]
    for _ in range(3):
        subprocess.run(as_user(BROKER, command), capture_output=True)
    assert os.statvfs(broker.state).f_bavail == 0


def test_R133_with_a_full_disk_revoking_works_reads_stop_and_come_back(small):
    scene = small
    scene.limit(0, 1, 2)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(3, app=other)
    scene.app.observe()
    asset = scene.app.fetch()[0]["localIdentifier"]
    fill(scene.broker)

    def is_stopped():
        fill(scene.broker)
        try:
            scene.app.digest(asset)
        except Refused as refused:
            return refused.reason == "internalError" and "room" in refused.parameters["message"]
        return False
    wait_for(is_stopped, "reads to stop", 10)
    assert "full" not in str(scene.app.is_refused() or ""), "no word to an app of whose disk it is"
    # Giving is refused, in words that help, or kept where the database itself had room; taking is acknowledged.
    shown = {scene.pictures[3]}
    try:
        scene.owner.call("EditSelection", library=scene.library, app=other.name, add={"all": True})
        shown = set(scene.pictures)
    except Refused as refused:
        assert refused.error == "Failed" and "full" in refused.parameters["message"]
    scene.unselect(0)
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert receipt["grants"] == 1
    wait_for(lambda: scene.app.end_of("observer"), "the observer's end", 5)
    assert scene.owner.call("GetStatus")["version"]
    # The revocation is durable, full disk or not.
    scene.broker.kill()
    scene.broker.start()
    scene.owner.new_connection()
    scene.app.use()
    scene.app.new_connection()
    other.new_connection()
    assert scene.app.refusal("Attach", token=scene.app.token).error == "TokenRefused"
    (scene.broker.state / "ballast").unlink()

    def reads_again():
        try:
            return other.digest(other.fetch()[0]["localIdentifier"])
        except Refused:
            return None
    wait_for(reads_again, "reads to come back", 20)
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert set(other.names()) == shown
    scene.select(4, app=other)
    assert set(other.names()) == shown | {scene.pictures[4]}


def test_R133_it_starts_on_a_full_disk_and_takes_away(small):
    scene = small
    scene.limit(0)
    scene.broker.stop()
    fill(scene.broker)
    scene.broker.start()
    scene.owner.new_connection()
    assert scene.owner.call("ListLibraries")["libraries"][0]["name"] == scene.library
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert receipt["grants"] == 1
    (scene.broker.state / "ballast").unlink()
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
