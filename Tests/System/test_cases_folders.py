"""Inputs from public bug reports about folders, with the right behaviour in their README; each test
names its case."""

import json
import os
import pathlib
import pwd
import shutil
import stat
import subprocess

import pytest

from house.broker import BROKER
from house.person import Refused, wait_for
from house.pictures import ROOT, day, jpeg
from house.remotes import RemoteScene, WebDAV, start_server

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


def all_skipped(owner, library):
    """Return path and code of every skipped file, from all pages."""
    found, cursor = [], None
    while True:
        page = owner.call("ListSkippedFiles", library=library, **({"cursor": cursor} if cursor else {}))
        found += [(file["path"], file["why"]["code"]) for file in page["files"]]
        cursor = page.get("cursor")
        if not cursor:
            return found


def shown(scene, uid=None):
    """Return the paths that `photobroker library show` names."""
    lines = scene.broker.photobroker(uid or scene.owner.uid, "library", "show", scene.library).stdout.splitlines()
    return [line.split(maxsplit=1)[1].rsplit(": ", 1)[0] for line in lines if line.startswith("skipped ")]


def test_R162_every_skipped_file_is_named_in_pages(make_scene):
    scene = make_scene(1)
    count = 8_340
    for folder in ("2023", "2024"):
        place = scene.album.put(f"{folder}/first.txt", b"").parent
        for number in range(count // 2):
            os.mkfifo(place / f"IMG_{number:05}-{'x' * 100}.jpg")
    wait_for(lambda: scene.owner.rescan(scene.library)["skipped"] == count, "all to be skipped")
    library = scene.owner.library(scene.library)
    names = sorted(f"{p.parent.name}/{p.name}" for p in scene.album.folder.rglob("*.jpg") if p.is_fifo())
    assert [file["path"] for file in library["skippedFiles"]] == names[:100]
    assert all_skipped(scene.owner, scene.library) == [(name, "fileSpecial") for name in names]
    first = scene.owner.call("ListSkippedFiles", library=scene.library)
    assert 100 < len(first["files"]) < count
    with pytest.raises(Refused):
        scene.owner.call("ListSkippedFiles", library=scene.library, cursor=first["cursor"][1:])
    assert shown(scene) == names
    told = json.loads(scene.broker.photobroker(scene.owner.uid, "library", "show", scene.library, "--json").stdout)[
        "library"
    ]
    assert [file["path"] for file in told["skippedFiles"]] == names
    # A change in one folder counts its files anew, and the others' stay.
    for path in (scene.album.folder / "2023").glob("*.jpg"):
        path.unlink()
    scene.album.put("2023/seen.jpg", jpeg(day(50), note=b"seen"))
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == count // 2, "one folder's to be gone")
    assert [path for path, _ in all_skipped(scene.owner, scene.library)] == names[count // 2 :]
    other = scene.broker.owner()
    for stranger in (other, scene.broker.owner(0)):
        with pytest.raises(Refused):
            stranger.call("ListSkippedFiles", library=scene.library)


AWKWARD = {
    b"tab\t.jpg": "tab\\x09.jpg",
    b"line\n.jpg": "line\\x0a.jpg",
    b"escape\x1b[31m.jpg": "escape\\x1b[31m.jpg",
    b"delete\x7f.jpg": "delete\\x7f.jpg",
    b"latin-\xe9\\.jpg": "latin-\\xe9\\x5c.jpg",
    b"cut-\xc3\xa9\xe2\x82.mov": "cut-\u00e9\\xe2\\x82.mov",
    b"folder-\xff": "folder-\\xff",
}


def test_case_22_names_that_are_no_text_are_counted_and_named_escaped(make_scene):
    scene = make_scene(1)
    folder = os.fsencode(scene.album.put("2024/below.jpg", jpeg(day(50), note=b"below")).parent)
    for name in AWKWARD:
        if name.startswith(b"folder"):
            os.mkdir(os.path.join(folder, name))
        else:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(jpeg(day(7), note=name))
    # These are no photos, or in a bin.
    for name in (b"notes-\xff.txt", b".hidden-\xff.jpg"):
        with open(os.path.join(folder, name), "wb"):
            pass
    os.symlink("below.jpg", os.path.join(folder, b"link.jpg"))
    os.symlink("/", os.path.join(folder, b"linked"))
    os.symlink(".", os.path.join(folder, b"round"))
    expected = sorted(
        [(f"2024/{shown}", "fileName") for shown in AWKWARD.values()]
        + [(f"2024/{name}", "fileLink") for name in ("link.jpg", "linked", "round")],
        key=lambda pair: pair[0].encode(),
    )
    wait_for(lambda: scene.owner.rescan(scene.library)["skipped"] == len(expected), "all to be counted")
    assert all_skipped(scene.owner, scene.library) == expected
    library = scene.owner.library(scene.library)
    assert [(file["path"], file["why"]["code"]) for file in library["skippedFiles"]] == expected
    assert shown(scene) == [path.replace("\\", "\\\\") for path, _ in expected]
    assert sorted(scene.owner.names(scene.library)) == ["below.jpg", "picture-000.jpg"]


def close_to_the_broker(house, uid):
    """Return a folder with one photo that the broker's user cannot read."""
    folder = house.make_folder(f"closed-{uid}", uid, uid, 0o700)
    for name in ("mine.jpg", "2024/mine-too.jpg"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(jpeg(day(len(name)), note=name.encode()))
        for made in (path, path.parent):
            os.chown(made, uid, uid)
        path.chmod(0o600)
    (folder / "2024").chmod(0o700)
    return folder


def test_case_17_one_foreign_file_does_not_stop_library_add(broker, house):
    owner = broker.owner()
    folder = close_to_the_broker(house, owner.uid)
    foreign = folder / "2024/foreign.jpg"
    foreign.write_bytes(jpeg(day(30), note=b"root's"))
    foreign.chmod(0o600)
    (folder / "roots").mkdir(mode=0o700)
    (folder / "roots/inside.jpg").write_bytes(jpeg(day(31), note=b"inside"))
    (folder / "unreadable").mkdir(mode=0o700)
    (folder / "unreadable/mine.jpg").write_bytes(jpeg(day(32), note=b"mine"))
    for path in (folder / "unreadable/mine.jpg", folder / "unreadable"):
        os.chown(path, owner.uid, owner.uid)
        path.chmod(0)
    library = f"closed-{owner.uid}"
    added = broker.photobroker(owner.uid, "library", "add", library, folder, "--yes")
    assert "3 files and folders in it" in added.stderr and "left out" in added.stderr
    owner.wait_for_library(library, 2)
    wait_for(lambda: len(all_skipped(owner, library)) == 3, "the others to be named")
    codes = dict(all_skipped(owner, library))
    assert codes == dict.fromkeys(("2024/foreign.jpg", "roots", "unreadable/mine.jpg"), "fileForbidden")
    told = broker.photobroker(owner.uid, "library", "show", library).stdout
    assert "2024/foreign.jpg" in told
    owner.call("RemoveLibrary", name=library)


@pytest.fixture
def disk(house):
    """A folder on a file system that keeps owners and modes, and no access control lists."""
    place = house.make_folder(f"disk-{house.fresh_uid()}", 0, mode=0o755)
    subprocess.run(["mount", "-t", "ramfs", "none", place], check=True)
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_disk_without_access_lists_shows_the_ways_that_work(broker, disk):
    owner = broker.owner()
    place = disk / "photos"
    place.mkdir(mode=0o700)
    (place / "a.jpg").write_bytes(jpeg(day(3), note=b"on a disk"))
    for path in (place, place / "a.jpg"):
        os.chown(path, owner.uid, owner.uid)
    library = f"disk-{owner.uid}"
    refused = broker.photobroker(owner.uid, "library", "add", library, place, "--yes", expect=77)
    ways = f"chgrp -R {BROKER}", f"uid={owner.uid},gid={BROKER},umask=0027", "allow_other", "systemctl --user"
    assert "no access control lists" in refused.stderr and all(way in refused.stderr for way in ways), refused.stderr
    assert owner.library(library) is None
    for command in (["chgrp", "-R", str(BROKER)], ["chmod", "-R", "g+rX"]):
        subprocess.run([*command, place], check=True)
    broker.photobroker(owner.uid, "library", "add", library, place, "--yes")
    owner.wait_for_library(library, 1)
    owner.call("RemoveLibrary", name=library)


def test_a_fuse_disk_of_ones_own_shows_the_ways_that_work(broker, house, fuse):
    if not shutil.which("rclone"):
        pytest.skip("rclone is missing")
    source, place = (house.make_folder(f"fuse-{house.fresh_uid()}", NOBODY, mode=0o755) for _ in range(2))
    (source / "a.jpg").write_bytes(jpeg(day(3), note=b"behind FUSE"))
    os.chown(source / "a.jpg", NOBODY, NOBODY)
    serving = subprocess.Popen(
        [
            *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
            *("rclone", "mount", "--config", "/dev/null", f":local:{source}", place),
        ],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )
    try:
        wait_for(lambda: str(place) in pathlib.Path("/proc/self/mounts").read_text(), "the mount")
        refused = broker.photobroker(NOBODY, "library", "add", "fuse", place, "--yes", expect=65)
        assert "needs allow_other" in refused.stderr and "systemctl --user" in refused.stderr, refused.stderr
    finally:
        serving.terminate()
        serving.wait()


def test_case_07_the_list_of_bins_is_an_option_that_is_shown(make_scene):
    scene = make_scene(1)
    defaults = [".*", "#recycle", "@Recycle", "$RECYCLE.BIN", "@eaDir", "*.lrdata"]
    names = scene.owner.library(scene.library)["ignoredNames"]
    assert set(defaults) <= set(names)
    told = scene.broker.photobroker(scene.owner.uid, "library", "show", scene.library).stdout
    assert ["ignored", "names", *", ".join(names).split()] in [line.split() for line in told.splitlines()]
    hidden = [".stversions/a.jpg", "Lightroom Previews.lrdata/B.LRDATA/b.jpg", "x/.thumbnails/c.jpg", "#RECYCLE/d.jpg"]
    for name in hidden:
        scene.album.put(name, jpeg(day(10 + len(name)), note=name.encode()))
    assert scene.owner.rescan(scene.library)["assets"] == 1
    scene.owner.call("SetUpLibrary", name=scene.library, options={"bins": "@eaDir"})
    scene.owner.wait_for_library(scene.library, 5)
    assert scene.owner.library(scene.library)["ignoredNames"] == ["@eaDir"]
    scene.owner.call("SetUpLibrary", name=scene.library, options={"bins": ""})
    scene.owner.wait_for_library(scene.library, 1)
    assert scene.owner.library(scene.library)["skipped"] == 0


PAIR = {"original": "IMG_1.HEIC", "pairedVideo": "IMG_1.MOV"}


def roles(app, asset):
    return {r["role"]: r["filename"] for r in app.call("GetResources", asset=asset)["resources"]}


@pytest.fixture(scope="module")
def pair():
    """The files of a Live Photo, by name."""
    case = ROOT.parent / "shared/cases/06_live_photo_copy"
    if not case.is_dir():
        assert not os.environ.get("CI"), f"no cases at {case}; CI must have them"
        pytest.skip("the cases are not beside this checkout")
    return {name: (case / name).read_bytes() for name in PAIR.values()}


def files_in(folder):
    return sorted(p.name for p in folder.rglob("*") if p.is_file() and p.name != ".origin" and "IMG_1" in p.name)


def restore_all(owner, library):
    trashed = [asset["identifier"] for asset in owner.call("FetchTrashedAssets", library=library)["assets"]]
    assert owner.call("RestoreAssets", library=library, identifiers=trashed) == {"restored": len(trashed)}


def test_case_05_a_live_photo_is_trashed_and_restored_as_a_whole_over_restarts(own_scene, pair):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.album.folder.chmod(0o770)
    scene.allow()
    for name, data in pair.items():
        scene.album.put(f"2024/{name}", data)
    (scene.album.folder / "2024").chmod(0o770)
    scene.owner.wait_for_library(scene.library, 7)
    scene.owner.rescan(scene.library)
    asset = scene.app.named("IMG_1.HEIC")["localIdentifier"]
    assert roles(scene.app, asset) == PAIR
    scene.app.delete("IMG_1.HEIC")
    trash = scene.album.folder / ".photobroker-trash"
    for _ in range(2):
        wait_for(lambda: files_in(trash) == sorted(PAIR.values()), "both files to be in the trash")
        assert files_in(scene.album.folder / "2024") == []
        assert scene.owner.rescan(scene.library)["assets"] == 6
        assert scene.owner.names(scene.library) == scene.newest_first
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, 6)
    restore_all(scene.owner, scene.library)
    assert files_in(scene.album.folder / "2024") == sorted(PAIR.values()) and files_in(trash) == []
    scene.app.request()
    for _ in range(2):
        scene.owner.wait_for_library(scene.library, 7)
        scene.owner.rescan(scene.library)
        assert roles(scene.app, asset) == PAIR
        scene.broker.restart()
        scene.app.request()


@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
def test_case_05_a_live_photo_moved_out_and_back_is_whole(own_scene, pair, restarts):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    for name, data in pair.items():
        scene.album.put(f"2024/{name}", data)
    scene.owner.wait_for_library(scene.library, 7)
    scene.owner.rescan(scene.library)
    scene.limit("IMG_1.HEIC")
    asset = scene.app.named("IMG_1.HEIC")["localIdentifier"]
    assert roles(scene.app, asset) == PAIR
    outside = scene.house.make_folder(f"{scene.library}-outside", scene.owner.uid, BROKER, 0o755)
    for name in PAIR.values():
        os.rename(scene.album.folder / "2024" / name, outside / name)
    scene.owner.wait_for_library(scene.library, 6)
    assert scene.app.names() == [] and scene.owner.names(scene.library) == scene.newest_first
    if restarts:
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, 6)
        scene.app.request()
    for name in sorted(PAIR.values(), reverse=True):
        os.rename(outside / name, scene.album.folder / "2024" / name)
    scene.owner.wait_for_library(scene.library, 7)
    scene.owner.rescan(scene.library)
    assert scene.app.names() == ["IMG_1.HEIC"] and roles(scene.app, asset) == PAIR


def test_case_05_a_live_photo_moved_out_of_a_remote_and_back_is_whole(networked, house, pair):
    remote = start_server(WebDAV, house)
    try:
        for name, data in pair.items():
            remote.put(f"2024/{name}", data)
        # A deletion of all photos at once is believed later.
        far = RemoteScene(networked, remote, 4, expected=5)
        far.owner.set(far.library, far.app.name, "authorized")
        far.app.request()
        asset = far.app.named("IMG_1.HEIC")["localIdentifier"]
        assert roles(far.app, asset) == PAIR
        outside = remote.folder / "outside"
        outside.mkdir()
        for name in PAIR.values():
            os.rename(remote.photos / "2024" / name, outside / name)
        assert far.owner.rescan(far.library)["assets"] == 4
        assert "IMG_1.HEIC" not in far.app.names() and "IMG_1.MOV" not in far.owner.names(far.library)
        for name in PAIR.values():
            os.rename(outside / name, remote.photos / "2024" / name)
        assert far.owner.rescan(far.library)["assets"] == 5
        far.owner.rescan(far.library)
        assert far.app.named("IMG_1.HEIC")["localIdentifier"] == asset and roles(far.app, asset) == PAIR
        far.app.delete("IMG_1.HEIC")
        wait_for(lambda: files_in(remote.photos / "2024") == [], "both to be in the trash", 60)
        networked.restart()
        far.owner.wait_for_library(far.library, 4)
        restore_all(far.owner, far.library)
        assert files_in(remote.photos / "2024") == sorted(PAIR.values())
        far.owner.rescan(far.library)
        far.app.request()
        assert roles(far.app, asset) == PAIR
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


def test_case_22_awkward_names_on_a_remote_are_named_escaped(networked, house):
    remote = start_server(WebDAV, house)
    try:
        for name in ("tab\t.jpg", "delete\x7f.jpg", "notes\t.txt"):
            remote.put(f"2024/{name}", jpeg(day(20), note=name.encode()))
        far = RemoteScene(networked, remote, 1)
        wait_for(lambda: far.owner.rescan(far.library)["skipped"] == 2, "both to be counted")
        assert all_skipped(far.owner, far.library) == [
            ("2024/delete\\x7f.jpg", "fileName"),
            ("2024/tab\\x09.jpg", "fileName"),
        ]
        assert "*.lrdata" in far.owner.library(far.library)["ignoredNames"]
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


def test_a_thousand_files_of_one_stem_and_the_longest_names_lose_no_photo(make_scene):
    scene = make_scene(1)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.album.folder.chmod(0o770)
    scene.allow()
    stems = ["".join(c.upper() if n >> i & 1 else c for i, c in enumerate("abcdefghij")) for n in range(1_000)]
    longest = "x" * 251 + ".jpg"
    for name in ["abcdefghij.jpg", longest]:
        # Album.put writes beside it first, under a longer name.
        path = scene.album.put("first.jpg", jpeg(day(len(name)), note=name.encode()))
        os.rename(path, path.parent / name)
    for stem in stems:
        scene.album.put(f"{stem}.dng", b"no raw file")
        scene.album.put(f"{stem}.jpg.xmp", b"no XMP")
    names = sorted(["abcdefghij.jpg", longest, *scene.pictures])
    wait_for(lambda: sorted(scene.owner.names(scene.library)) == names, "the photos")
    scene.owner.rescan(scene.library)
    assert sorted(scene.owner.names(scene.library)) == names
    left = {path for path, _ in all_skipped(scene.owner, scene.library)}
    assert {f"{stem}.dng" for stem in stems} <= left
    assert left <= {f"{stem}{ending}" for stem in stems for ending in (".dng", ".jpg.xmp")}
    scene.app.delete(longest)
    wait_for(lambda: longest not in os.listdir(scene.album.folder), "the photo with the longest name to be trashed")
    restore_all(scene.owner, scene.library)
    assert longest in os.listdir(scene.album.folder)
    scene.owner.rescan(scene.library)
    assert sorted(scene.owner.names(scene.library)) == names
