"""A broker on a small disk, and filling it."""

import contextlib
import os
import subprocess

from .broker import BROKER, Broker
from .person import Refused, as_user


@contextlib.contextmanager
def small_broker(house):
    """A broker whose state lies on a file system of 12 MiB."""
    broker = Broker(house, name=f"small-{house.fresh_uid()}")
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size=12m,mode=0700,uid={BROKER},gid={BROKER}", "tmpfs", str(broker.state)],
        check=True,
    )
    try:
        broker.start()
        yield broker
        assert broker.is_running, broker.log[-3000:]
    finally:
        broker.end()
        subprocess.run(["umount", "-l", str(broker.state)], check=True)


def fill_disk(broker):
    """Fill the state's disk to the last byte, as the broker's user."""
    command = [
        "dd",
        "if=/dev/zero",
        f"of={broker.state}/ballast",
        "bs=4k",
        "oflag=append",
        "conv=notrunc",
        "status=none",
    ]
    for _ in range(3):
        subprocess.run(as_user(BROKER, command), capture_output=True)
    assert os.statvfs(broker.state).f_bavail == 0


def reads_fail_when_full(broker, app, asset):
    """Fill the disk and return whether a read is refused for lack of space."""
    fill_disk(broker)
    try:
        app.digest(asset)
    except Refused as refused:
        return refused.reason == "internalError" and "free space" in refused.parameters["message"]
    return False
