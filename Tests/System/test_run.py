"""Programs that know nothing of the broker see exactly the selection as a picture folder."""

import os
import pwd
import subprocess

import pytest

from house.broker import Album
from house.person import wait_for
from house.run import Run, require_picture_folders

pytestmark = pytest.mark.library("shared")


@pytest.fixture(autouse=True)
def picture_folders(house):
    require_picture_folders(house)


@pytest.fixture
def viewer(scene):
    """A program of the app's user, with two photos selected for it."""
    place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
    run = Run(scene.broker, scene.app.uid, place, "--library", scene.library)
    prompt = run.wait_for_prompt(scene.owner)
    assert prompt["app"]["displayName"] == "program.py" and prompt["app"]["uid"] == scene.app.uid
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(scene.library, [scene.name(0), scene.name(3)]))
    run.prompt, run.app = prompt, prompt["app"]["app"]
    yield run
    if run.process.poll() is None:
        run.process.kill()
        run.process.wait()


def test_R151_a_program_asks_to_see_alone(scene, viewer):
    assert viewer.prompt["readOnly"] and viewer.prompt["terms"]["changes"] is False
    assert scene.owner.grant(scene.library, viewer.app)["terms"]["changes"] is False
    assert viewer.ask("len(names())") == 2


def test_R143_a_program_sees_exactly_its_selection_live(scene, viewer):
    first, second, third = scene.name(0), scene.name(3), scene.name(4)
    assert viewer.ask("names()") == sorted([first, second])
    for name in (first, second):
        assert viewer.ask(f"read({name!r})") == (scene.album.folder / name).read_bytes().hex()
        assert (
            viewer.ask(f"os.stat(os.path.join(place, {name!r})).st_size") == (scene.album.folder / name).stat().st_size
        )
    assert viewer.ask(f"read({third!r})") == {"error": "No such file or directory"}
    scene.owner.select(scene.library, viewer.app, third)
    wait_for(lambda: viewer.ask("names()") == sorted([first, second, third]), "the added photo to be there")
    viewer.ask(f"held.setdefault('file', open(os.path.join(place, {first!r}), 'rb')) and None")
    scene.owner.unselect(scene.library, viewer.app, first)
    wait_for(lambda: viewer.ask("names()") == sorted([second, third]), "the photo that was taken away to be gone")
    assert viewer.ask("held['file'].read()") == {"error": "Stale file handle"}
    assert viewer.ask(f"read({first!r})") == {"error": "No such file or directory"}
    scene.owner.call("Revoke", library=scene.library, app=viewer.app)
    wait_for(lambda: viewer.ask("names()") == [], "the folder to be empty")
    scene.owner.set(scene.library, viewer.app, "limited")
    wait_for(lambda: viewer.ask("names()") == sorted([second, third]), "the access that came back, with its selection")
    assert viewer.end() == 0


def test_R143_a_program_sees_only_the_library_that_it_was_started_for(scene, viewer):
    other = Album(scene.house, f"other-{scene.house.fresh_uid()}", scene.owner.uid)
    # Later days than the scene's give other names.
    names = [other.add(number).name for number in range(60, 64)]
    library = f"other-{scene.owner.uid}"
    scene.owner.add_library(library, other.folder, [scene.app.uid], 4)
    place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
    second = Run(scene.broker, scene.app.uid, place, "--library", library, home=viewer.home)
    prompt = second.wait_for_prompt(scene.owner)
    assert (prompt["app"]["app"], prompt["library"]) == (viewer.app, library), "one app, asked about another library"
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(library, names[1:2]))
    assert second.ask("names()") == names[1:2]
    assert second.ask(f"read({names[1]!r})") == (other.folder / names[1]).read_bytes().hex()
    assert viewer.end() == 0 and second.end() == 0
    # Both tokens are stored now, and each start uses its library's.
    for library, wanted in ((scene.library, sorted([scene.name(0), scene.name(3)])), (library, names[1:2])):
        again = Run(scene.broker, scene.app.uid, place, "--library", library, home=viewer.home)
        assert again.ask("names()") == wanted
        assert again.end() == 0
    assert scene.owner.prompts() == []


@pytest.mark.library("own")
def test_R141_R143_a_file_too_large_for_a_descriptor_is_read_in_pieces(scene, viewer, photographs):
    size = (1 << 30) + 4_321
    start = scene.put_video(photographs, "huge.mov", size)
    scene.owner.wait_for_library(scene.library, 7)
    scene.owner.select(scene.library, viewer.app, "huge.mov")
    # The bytes are those of the file.
    scene.owner.set(scene.library, viewer.app, None, terms={"location": True})
    wait_for(lambda: "huge.mov" in viewer.ask("names()"), "the video to be there")
    assert viewer.ask("os.stat(place + '/huge.mov').st_size") == size
    viewer.ask("held.setdefault('file', open(place + '/huge.mov', 'rb')) and None")
    assert viewer.ask("os.fstat(held['file'].fileno()).st_size") == size
    assert viewer.ask("held['file'].read(1_000_000).hex()") == (start + bytes(1_000_000))[:1_000_000].hex()
    # Reads across the end of one call's piece, and of the file.
    for offset, length in ((524_280, 20), (size - 5, 20), (size, 20)):
        wanted = (start[offset:] + bytes(length))[: max(0, min(length, size - offset))]
        assert viewer.ask(f"os.pread(held['file'].fileno(), {length}, {offset}).hex()") == wanted.hex()
    scene.owner.unselect(scene.library, viewer.app, "huge.mov")
    wait_for(lambda: "huge.mov" not in viewer.ask("names()"), "the video to be gone")
    assert viewer.ask("os.pread(held['file'].fileno(), 20, 700_000)") == {"error": "Stale file handle"}
    assert viewer.end() == 0


def test_R143_the_folder_is_read_only(scene, viewer):
    assert viewer.ask("refused(lambda: open(place + '/new.jpg', 'wb'))") == "Read-only file system"
    assert viewer.ask(f"refused(lambda: os.unlink(place + '/{scene.name(0)}'))") == "Read-only file system"
    assert viewer.ask("os.statvfs(place).f_blocks") == 0, "the folder's size says nothing of what is not in it"
    assert viewer.end() == 0


@pytest.mark.library("own")
def test_R143_photos_of_the_same_name_are_separate_files(scene, viewer):
    scene.album.put(f"other/{scene.name(0)}", (scene.album.folder / scene.name(1)).read_bytes())
    scene.owner.wait_for_library(scene.library, 7)
    twins = [a["identifier"] for a in scene.owner.assets(scene.library) if a["filename"] == scene.name(0)]
    assert len(twins) == 2
    scene.owner.call("EditSelection", library=scene.library, app=viewer.app, add={"identifiers": twins})
    stem = scene.name(0).rsplit(".", 1)[0]
    wait_for(lambda: f"{stem} (2).jpg" in viewer.ask("names()"), "the second file")
    found = {viewer.ask(f"read({name!r})") for name in (scene.name(0), f"{stem} (2).jpg")}
    assert found == {(scene.album.folder / n).read_bytes().hex() for n in (scene.name(0), scene.name(1))}
    assert viewer.end() == 0


def test_R143_an_owners_own_program_cannot_reach_the_folder_itself(scene):
    """The owner's uid may read the originals, so the served folder is mounted over them."""
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, scene.owner.uid])
    run = Run(scene.broker, scene.owner.uid, scene.album.folder, "--library", scene.library, "--name", "Viewer")
    prompt = run.wait_for_prompt(scene.owner)
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(scene.library, [scene.name(2)]))
    assert run.ask("names()") == [scene.name(2)]
    assert run.ask("[p for p in os.listdir('/proc') if p.isdigit() and int(p) > 20]") == [], "no process but its own"
    admin = str(scene.broker.admin_socket)
    asked = f"refused(lambda: __import__('socket').socket(__import__('socket').AF_UNIX).connect({admin!r}))"
    assert run.ask(asked) == "No such file or directory"
    assert sorted(os.listdir(scene.album.folder)) == sorted(scene.pictures), "outside nothing has changed"
    assert run.end() == 0


def test_R143_a_program_reaches_the_apps_socket_and_no_admin_socket(scene, own_broker):
    """This includes other brokers' sockets, wherever their runtime folder is, and new ones."""
    place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
    run = Run(scene.broker, scene.app.uid, place, "--library", scene.library)
    scene.owner.answer(
        run.wait_for_prompt(scene.owner), "select", selector=scene.owner.naming(scene.library, [scene.name(0)])
    )

    def connect(path):
        return run.ask(
            f"refused(lambda: __import__('socket').socket(__import__('socket').AF_UNIX).connect({str(path)!r}))"
        )

    assert connect(scene.broker.app_socket) is None
    for broker in (own_broker, scene.broker):
        assert connect(broker.admin_socket) == "No such file or directory"
    own_broker.restart()
    assert connect(own_broker.admin_socket) == "No such file or directory"
    assert run.end() == 0


def test_R143_a_program_without_access_is_not_started(scene):
    place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
    run = Run(scene.broker, scene.app.uid, place, "--library", scene.library)
    scene.owner.answer(run.wait_for_prompt(scene.owner), "deny")
    assert run.end() == 1
    assert "got no access" in run.told


def test_R138_two_scripts_of_one_interpreter_are_two_apps(scene):
    place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
    seen = []
    for name in ("one.py", "two.py"):
        run = Run(scene.broker, scene.app.uid, place, "--library", scene.library, script=name)
        prompt = run.wait_for_prompt(scene.owner)
        seen.append((prompt["app"]["displayName"], prompt["app"]["identifier"].split(".")[3:5]))
        scene.owner.answer(prompt, "deny")
        assert run.end() == 1
    assert seen == [("one.py", ["one", "py"]), ("two.py", ["two", "py"])]


def test_R138_an_interpreter_alone_is_not_an_app(scene):
    place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
    run = Run(scene.broker, scene.app.uid, place, "--library", scene.library, script=None)
    assert run.end() == 1
    assert "would all share one grant" in run.told


HOSTILE = [
    "",
    " ",
    "x" * 100_000,
    "\u202egnp.exe",
    "a\x1b[2Jb",
    "a\nb",
    "-1",
    "99999999999999999999",
    "../../etc/passwd",
    "/dev/zero",
    "%n%s",
]


@pytest.mark.parametrize("option", ["at", "library", "name", "identifier", "mount", "app-socket", None])
def test_R143_any_arguments_end_with_a_status_and_a_message(scene, option):
    """Without a broker; Tests/OwnerCommandsTests covers the other commands."""
    uid = scene.app.uid
    home = scene.house.make_folder(f"home-{uid}-{scene.house.fresh_uid()}", uid)
    for value in HOSTILE:
        words = [f"--{option}={value}", "--", "/usr/bin/true"] if option else ["--", value]
        done = subprocess.run(
            [
                "setpriv",
                f"--reuid={uid}",
                f"--regid={uid}",
                "--clear-groups",
                "--no-new-privs",
                scene.house.programs / "photobroker",
                "run",
                "--socket",
                home / "none",
                *words,
            ],
            capture_output=True,
            text=True,
            timeout=60,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": str(home)},
        )
        assert done.returncode in {1, 64, 65, 66, 69, 73, 74}, (value[:60], done)
        assert 20 < len(done.stderr) < 4_000, (value[:60], len(done.stderr))
        assert done.stderr.strip().isprintable() or "\n" in done.stderr.strip(), done.stderr
        assert not any(c in done.stdout + done.stderr for c in "\x1b\u202e"), done


def test_R143_containers_get_a_served_folder(scene):
    """Without a namespace it needs fusermount3, which wants a user with an account."""
    uid = pwd.getpwnam("nobody").pw_uid
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, uid])
    place, home = (scene.house.make_folder(f"{what}-{scene.house.fresh_uid()}", uid) for what in ("pictures", "home"))
    as_nobody = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    serving = subprocess.Popen(
        [
            *as_nobody,
            scene.house.programs / "photobroker",
            "run",
            "--socket",
            scene.broker.admin_socket,
            "--library",
            scene.library,
            "--mount",
            place,
        ],
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": str(home)},
    )

    def names():
        return subprocess.run([*as_nobody, "ls", place], capture_output=True, text=True).stdout.split()

    try:
        scene.owner.answer(
            scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, [scene.name(0)])
        )
        wait_for(lambda: names() == [scene.name(0)], "the served photo")
        serving.terminate()
        assert serving.wait(10) == 0
        assert names() == [], "it is unmounted"
    finally:
        serving.kill()
        serving.wait()
        serving.stderr.close()
