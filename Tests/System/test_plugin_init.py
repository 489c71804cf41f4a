"""Plugins that `photobroker plugin init` writes: they are built, checked and used as they are."""

import os
import re
import shutil
import subprocess

import pytest

from house.person import as_user, wait_for
from house.pictures import ROOT


def init(house, folder, *words, uid=None, expect=0):
    command = [house.programs / "photobroker", "plugin", "init", *words, folder]
    done = subprocess.run(
        command if uid is None else as_user(uid, command), cwd="/", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == expect, done.stderr
    return done.stdout + done.stderr


def check(house, path, uid=0):
    command = as_user(uid, [house.programs / "photobroker", "plugin", "check", path])
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and " 0 failed" in done.stdout, done.stdout + done.stderr


def build_go(folder, said, uid):
    """Runs the command that init said, without Go's module proxy, and then Go's own checks."""
    [command] = re.findall(r"^Build it: (.+)$", said, re.M)
    made = {"GOCACHE": folder.parent / "cache", "GOPROXY": "off", "GOFLAGS": "", "HOME": "/nonexistent"}
    for words in (command, f"cd {folder} && go vet . && gofmt -l . >&2"):
        done = subprocess.run(
            as_user(uid, ["/bin/sh", "-c", words]),
            env={"PATH": os.environ["PATH"], **made},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("language", ["python", "go"])
def test_a_program_passes_the_check_and_decides_albums(house, scene, language):
    if language == "go" and not shutil.which("go"):
        pytest.skip("Go is not installed: scripts/soak kit installs it and runs this test")
    uid = house.fresh_uid()
    folder = house.make_folder(f"init-{uid}", uid) / "holidays"
    said = init(house, folder, f"--{language}", uid=uid)
    program = folder / "holidays.plugin"
    if language == "go":
        build_go(folder, said, uid)
    assert f"photobroker plugin check {program}" in said and os.access(program, os.X_OK)
    check(house, program, uid)
    # It installs under its name, which the owner can choose for an app.
    place = house.make_folder(f"root-{uid}", 0, mode=0o755)
    house.put(program, place)
    scene.broker.photobroker(0, "plugin", "install", place / program.name)
    try:
        scene.limit(0, 1)
        chosen = scene.owner.naming(scene.library, scene.pictures[:3])
        for title in ("Family 2024", "Work"):
            scene.owner.call("EditOwnedAlbum", library=scene.library, title=title, add=chosen, shared=True)
        scene.broker.photobroker(scene.owner.uid, "grant", "policy", scene.library, scene.app.name, "holidays")

        def seen():
            return [album["title"] for album in scene.app.call("FetchAlbums")["albums"]]

        wait_for(lambda: seen() == ["Family 2024"], "the policy to hold")
    finally:
        scene.broker.photobroker(scene.owner.uid, "grant", "policy", scene.library, scene.app.name, "own")
        scene.broker.photobroker(0, "plugin", "remove", "holidays", "--yes")


def test_a_swift_plugin_is_built_and_passes_the_check(house, tmp_path):
    kit = tmp_path / "PluginKit"
    shutil.copytree(ROOT / "Sources/PluginKit", kit, ignore=shutil.ignore_patterns(".build"))
    folder = tmp_path / "our-holidays"
    said = init(house, folder, "--swift", "--kit", kit)
    assert f"swift build --package-path {folder}" in said
    built = subprocess.run(["swift", "build", "--package-path", folder], capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stdout + built.stderr
    check(house, folder / ".build/debug/libour-holidays.so")


def test_nothing_is_written_into_a_folder_with_entries_or_for_a_wrong_name(house, tmp_path):
    used = tmp_path / "used"
    used.mkdir()
    (used / "note").write_text("mine")
    assert "not empty" in init(house, used, "--python", expect=73)
    for name in ("Upper", "two words", "9lives"):
        assert "letter" in init(house, tmp_path / name, "--python", expect=64)
    assert "--kit" in init(house, tmp_path / "new", "--swift", expect=64)
    for words in ([], ["--python", "--go"]):
        assert "--swift, --python or --go" in init(house, tmp_path / "new", *words, expect=64)
    init(house, tmp_path / "new", "--swift", "--kit", tmp_path / "no-kit", expect=66)
    assert [path.name for path in tmp_path.iterdir()] == ["used"] and (used / "note").read_text() == "mine"
