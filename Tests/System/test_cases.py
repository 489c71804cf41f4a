"""Inputs from public bug reports, beside the checkout, with the right values in their README; each test names its case."""
import json
import os
import subprocess

import pytest

from house.person import wait_for
from house.pictures import ROOT

CASES = ROOT.parent / "shared/cases"


@pytest.fixture(scope="module")
def cases():
    if not CASES.is_dir():
        assert not os.environ.get("CI"), f"no cases at {CASES}; CI must have them"
        pytest.skip("the cases are not beside this checkout")
    return CASES


@pytest.fixture
def scene(make_scene):
    scene = make_scene(1)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    # The broker's group may move files into the trash.
    scene.album.folder.chmod(0o770)
    return scene


def put(scene, *files):
    """Copies of files into the library; a pair of a path and a name gets that name."""
    for file in files:
        path, name = file if isinstance(file, tuple) else (file, file.name)
        scene.album.put(name, path.read_bytes())


def see(scene, *names, library=None):
    """Waits until the library has these photos, and gives what the app gets of each, as roles and names."""
    def found():
        return scene.app.names() if sorted(scene.app.names()) == sorted(names) else None
    wait_for(found, f"the library to have {names}")
    return {asset["filename"]: files(scene.app, asset["localIdentifier"]) for asset in scene.app.fetch()}


def files(app, asset):
    return {r["role"]: r["filename"] for r in app.call("GetResources", asset=asset)["resources"]}


def test_case_21_gps_unsigned_rational(scene, cases):
    path = cases / "21_gps_unsigned_rational/gps-rational.heic"
    scene.allow()
    put(scene, path)
    see(scene, path.name, *scene.pictures)
    said = json.loads(subprocess.run(
        ["exiftool", "-n", "-j", "-GPSLatitude", "-GPSLongitude", path], capture_output=True, text=True, check=True).stdout)[0]
    told = scene.app.named(path.name)
    assert told["latitude"] == pytest.approx(said["GPSLatitude"], abs=1e-7)
    assert told["longitude"] == pytest.approx(said["GPSLongitude"], abs=1e-7)
