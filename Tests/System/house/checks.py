"""Runs of `photobroker plugin check`."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from .broker import BROKER
from .person import as_user
from .pictures import day, jpeg


def check(house, path, *words, uid=BROKER, expect=0, seconds=200):
    """Checks the exit status, and returns the report."""
    done = subprocess.run(
        as_user(uid, [house.programs / "photobroker", "plugin", "check", path, "--json", *words]),
        text=True,
        cwd="/",
        capture_output=True,
        timeout=seconds,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )
    assert done.returncode == expect, f"{path} {words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout) if done.stdout else json.loads(done.stderr)


def failed(plugin):
    return [c for c in plugin["checks"] if c["outcome"] == "failed"]


@contextlib.contextmanager
def folder_of_photos(house):
    """A folder of the broker's user with two subfolders and a picture larger than a pipe."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="checked-", dir=house.folder))
    for number in range(12):
        path = folder / ("2024" if number % 2 else "2025") / f"picture-{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(jpeg(day(number), note=str(number).encode(), padding=3_000_000 if number == 5 else 0))
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, BROKER, BROKER)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def photos(house):
    with folder_of_photos(house) as folder:
        yield folder


@contextlib.contextmanager
def checks_ahead(request, name, run):
    """Starts the runs for all values of the parameter `name` in this file, eight at a time, because
    each run mostly waits. Every test then waits for its own run."""
    calls = [
        item.callspec.params
        for item in request.session.items
        if item.path == request.path and hasattr(item, "callspec")
    ]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        yield {given[name]: pool.submit(run, given[name]) for given in calls if name in given}
