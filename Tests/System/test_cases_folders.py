"""Inputs from public bug reports about folders, with the right behaviour in their README; each test
names its case."""

import os
import pwd
import shutil
import stat
import subprocess

import pytest

from house.person import wait_for
from house.pictures import day, jpeg

NOBODY = pwd.getpwnam("nobody").pw_uid


@pytest.fixture
def fuse(house):
    if not os.path.exists("/dev/fuse") or not shutil.which("fusermount3"):
        pytest.skip("no /dev/fuse or no fusermount3 on this machine")
    if not (house.programs / "photobroker-run").exists():
        pytest.skip("photobroker-run is not built here, because libfuse3 is missing")
    # udev sets this mode on every desktop and server.
    if stat.S_IMODE(os.stat("/dev/fuse").st_mode) != 0o666:
        os.chmod("/dev/fuse", 0o666)


class Served:
    """A picture folder that nobody serves, in a mount namespace of its own."""

    def __init__(self, scene):
        self.scene, self.house = scene, scene.house
        users = scene.owner.library(scene.library)["offeredTo"]
        scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[*users, NOBODY])
        self.place, self.home = (
            self.house.make_folder(f"{kind}-{self.house.fresh_uid()}", NOBODY, mode=mode)
            for kind, mode in (("pictures", 0o755), ("home", 0o700))
        )
        self.configuration = self.house.folder / f"fuse-{self.house.fresh_uid()}.conf"
        self.configuration.write_text("user_allow_other\n")
        self.process = None

    def start(self, *options):
        enter = f"mount --bind {self.configuration} /etc/fuse.conf && exec \"$@\""
        self.process = subprocess.Popen(
            [
                *("unshare", "--mount", "sh", "-c", enter, "enter"),
                *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
                *(self.house.programs / "photobroker", "run", "--socket", self.scene.broker.admin_socket),
                *("--library", self.scene.library, "--mount", self.place, *options),
            ],
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home)},
        )

    def stop(self):
        self.process.terminate()
        assert self.process.wait(10) == 0
        self.process.stderr.close()

    def ask(self, command, uid=NOBODY):
        return subprocess.run(
            [
                *("nsenter", f"--mount=/proc/{self.process.pid}/ns/mnt"),
                *("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *command),
            ],
            capture_output=True,
            text=True,
        )

    def inodes(self, uid=NOBODY):
        """Return the names in the folder with their inode numbers."""
        lines = self.ask(["ls", "-i1", self.place], uid).stdout.splitlines()
        return {name: inode for inode, name in (line.strip().split(" ", 1) for line in lines)}


@pytest.fixture
def served(scene, fuse):
    served = Served(scene)
    yield served
    if served.process.poll() is None:
        served.process.kill()
        served.process.wait()
    served.process.stderr.close()


def test_case_16_a_photo_keeps_name_and_inode_in_the_picture_folder(scene, served):
    years = ["2019", "2020", "2021"]
    for number, year in enumerate(years):
        scene.album.put(f"{year}/a.jpg", jpeg(day(60 + number), note=year.encode()))
    scene.owner.wait_for_library(scene.library, 9)
    served.start()
    prompt = scene.owner.wait_for_prompt()
    app = prompt["app"]["app"]
    scene.owner.answer(prompt, "select", selector={"glob": "2019/*"})

    def change(**globs):
        selectors = {key: {"glob": f"{year}/*"} for key, year in globs.items()}
        scene.owner.call("EditSelection", library=scene.library, app=app, **selectors)

    def see(*names):
        wait_for(lambda: set(served.inodes()) == set(names), f"the folder to hold {names}")
        return served.inodes()

    first = see("a.jpg")
    change(add="2020")
    both = see("a.jpg", "a (2).jpg")
    assert both["a.jpg"] == first["a.jpg"] and len(set(both.values())) == 2
    served.stop()
    served.start()
    assert see("a.jpg", "a (2).jpg") == both, "after a restart"
    change(remove="2019")
    assert see("a (2).jpg").items() <= both.items(), "without the other one"
    served.stop()
    served.start()
    assert see("a (2).jpg").items() <= both.items(), "after a restart without the other one"
    change(add="2021")
    three = see("a (2).jpg", "a (3).jpg")
    change(add="2019")
    assert see("a.jpg", "a (2).jpg", "a (3).jpg") == {**three, **both}, "a third one took no name of theirs"
    # Other bytes are the same photo, with the same name and number.
    scene.album.put("2019/a.jpg", jpeg(day(60), note=b"edited, and longer than before"))
    size = (scene.album.folder / "2019/a.jpg").stat().st_size
    wait_for(
        lambda: served.ask(["stat", "-c", "%s %i", served.place / "a.jpg"]).stdout == f"{size} {both['a.jpg']}\n",
        "the edited photo",
    )
    assert all("a.jpg" not in p.read_text() for p in (served.home / ".local/state/photobroker").glob("*.names"))


@pytest.mark.library("shared")
@pytest.mark.parametrize("name", ["root", "daemon", "61999"])
def test_case_20_a_named_user_reads_the_picture_folder(scene, served, name):
    uid = int(name) if name.isdigit() else pwd.getpwnam(name).pw_uid
    served.start("--allow-user", name)
    prompt = scene.owner.wait_for_prompt()
    assert f"User {name} reads it too." in prompt["usageDescription"]
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(scene.library, [scene.name(0)]))
    wait_for(lambda: list(served.inodes()) == [scene.name(0)], "the served photo")
    assert list(served.inodes(uid)) == [scene.name(0)]
    read = served.ask(["sha256sum", served.place / scene.name(0)], uid).stdout.split()[0]
    assert (
        read
        == subprocess.run(["sha256sum", scene.album.folder / scene.name(0)], capture_output=True, text=True).stdout[:64]
    )
    for stranger in {0, scene.owner.uid} - {uid}:
        refused = served.ask(["ls", served.place], stranger)
        assert refused.returncode != 0 and "Permission denied" in refused.stderr
        refused = served.ask(["cat", served.place / scene.name(0)], stranger)
        assert refused.returncode != 0 and refused.stdout == "" and "Permission denied" in refused.stderr
    scene.owner.call("Revoke", library=scene.library, app=prompt["app"]["app"])
    wait_for(lambda: served.inodes(uid) == {}, "the folder to be empty")
    served.stop()


@pytest.mark.library("shared")
def test_case_20_a_machine_that_forbids_other_users_says_how_to_allow_them(scene, served):
    served.configuration.write_text("")
    served.start("--allow-user", "root")
    assert served.process.wait(20) == 1
    assert "user_allow_other is in /etc/fuse.conf" in served.process.stderr.read()
