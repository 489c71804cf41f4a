"""Backups of a broker's state: making, copying and restoring them."""

import shutil
import subprocess

from .broker import BROKER
from .person import as_user


def maintain(broker, *arguments, uid=BROKER, expect=0):
    """Run photobroker on a stopped broker's state, as the broker's user or as root."""
    command = [broker.programs / "photobroker", "--yes", *arguments, "--state", broker.state]
    result = subprocess.run(
        as_user(uid, command) if uid else command,
        text=True,
        cwd="/",
        capture_output=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )
    assert (result.returncode == 0) == (expect == 0), result.stderr
    return result


def backup(broker):
    folder = broker.house.make_folder(f"backups-{broker.house.fresh_uid()}", BROKER)
    broker.photobroker(BROKER, "backup", folder / "state")
    return folder / "state"


def copy_of(state, name):
    copy = state.with_name(name)
    subprocess.run(["cp", "-a", str(state), str(copy)], check=True)
    return copy


def put_back(state, copy, parts):
    """Restore a copy of the state folder.

    `parts`: "all" replaces the folder, "over" copies into it, otherwise only the database is
    replaced.
    """
    if parts == "all":
        shutil.rmtree(state)
        subprocess.run(["cp", "-a", str(copy), str(state)], check=True)
    elif parts == "over":
        # An overwritten file keeps its inode.
        subprocess.run(["cp", "-a", f"{copy}/.", str(state)], check=True)
    else:
        for part in state.glob("state.db*"):
            part.unlink()
        for part in copy.glob("state.db*"):
            subprocess.run(["cp", "-a", str(part), str(state / part.name)], check=True)
