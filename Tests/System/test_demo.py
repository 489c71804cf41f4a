"""scripts/demo --interactive, with a person at its terminal who also mistypes."""

import importlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import pytest

from house.person import wait_for
from house.pictures import ROOT, day, jpeg


class Terminal:
    def __init__(self, command, environment):
        master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.master, self.shown, self.asked = master, "", 0

    def read(self, seconds):
        """Read output for a while; return False once the program ended."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.master, 1 << 16)
        except OSError:
            return False
        self.shown += piece.decode(errors="replace").replace("\r\n", "\n")
        return bool(piece)

    def answer(self, question, text, seconds=60):
        """Wait for a question in the new output, and answer it."""
        end = time.monotonic() + seconds
        start = len(self.shown)
        while not re.search(question + r"[^\n]*\]: $", self.shown[self.asked :]):
            assert self.read(0.2) and time.monotonic() < end, self.shown[start - 2000 :] + "\n-- not asked: " + question
        self.asked = len(self.shown)
        os.write(self.master, text.encode() + b"\n")

    def finish(self, seconds=60):
        end = time.monotonic() + seconds
        while self.read(0.2):
            assert time.monotonic() < end, self.shown[-3000:]
        return self.process.wait(10)

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(30)
        os.close(self.master)


@pytest.fixture
def terminal(house):
    photos = house.make_folder(f"demo-{house.fresh_uid()}", 0, mode=0o755)
    for number in range(5):
        (photos / f"photo-{number}.jpg").write_bytes(jpeg(day(number), note=b"%d" % number, padding=30_000 + number))
    program = [
        sys.executable,
        str(ROOT / "scripts/demonstration/demo.py"),
        "--bin",
        str(house.programs),
        "--interactive",
    ]
    work = house.make_folder(f"demo-{house.fresh_uid()}", 0, mode=0o755)
    terminal = Terminal(
        program, {**os.environ, "PHOTOS": str(photos), "TMPDIR": str(work), "SWIFT_BACKTRACE": "enable=no"}
    )
    terminal.work = work
    yield terminal
    terminal.end()


def test_the_demonstration_takes_a_readers_answers(terminal):
    terminal.answer("request answer", "select --frist 2")
    terminal.answer("request answer", "select --name 'IMG")
    terminal.answer("request answer", "--help")
    terminal.answer("request answer", "select --all")
    terminal.answer("request answer", "select --last 2")
    assert "at least one, and not all" in terminal.shown and "That is no command line" in terminal.shown
    terminal.answer("one photo comes, one goes", "")
    terminal.answer("revoke", "")
    assert terminal.finish() == 0, terminal.shown[-3000:]
    assert "demo: all checks passed" in terminal.shown and "FAIL" not in terminal.shown
    listed = terminal.shown.split("== the app lists what it may see")[1].split("==")[0]
    assert len(re.findall(r"app\$ \S+\.jpg", listed)) == 2


def test_a_denial_by_the_reader_holds(terminal):
    terminal.answer("request answer", "decline")
    assert terminal.finish() == 0, terminal.shown[-3000:]
    assert "the app is told: denied" in terminal.shown and "all checks passed" not in terminal.shown


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_interrupted_demonstration_leaves_no_file_and_no_process(terminal, number):
    terminal.answer("request answer", "select --last 2")
    terminal.answer("one photo comes, one goes", "")
    [folder] = terminal.work.iterdir()
    begun = processes_of(folder)
    assert {"photobrokerd", "photobroker-plugin-host"} <= set(begun.values())
    terminal.process.send_signal(number)
    assert terminal.finish() != 0 and f"demo: ended by {number.name}" in terminal.shown
    assert not list(terminal.work.iterdir())
    # A plugin's process sees the end of its broker, and ends a moment later.
    wait_for(lambda: not processes_of(folder), "its processes to end", 10)


def processes_of(folder):
    found = {}
    for number in filter(str.isdecimal, os.listdir("/proc")):
        try:
            program = os.readlink(f"/proc/{number}/exe")
        except OSError:
            continue
        if program.startswith(f"{folder}/"):
            found[number] = os.path.basename(program.removesuffix(" (deleted)"))
    return found


def demonstrate(house, photos, before=(), bin=None):
    program = [*before, sys.executable, ROOT / "scripts/demonstration/demo.py", "--bin", bin or house.programs]
    return subprocess.run(
        program,
        env={**os.environb, b"PHOTOS": os.fsencode(photos), b"SWIFT_BACKTRACE": b"enable=no"},
        capture_output=True,
        timeout=120,
    )


def test_two_photos_with_unusual_names_are_enough(house):
    photos = house.make_folder(f"demo-{house.fresh_uid()}", 0, mode=0o755) / os.fsdecode(
        b"-e $(touch x) 'q\"\x1b[31m\n\xff "
    )
    photos.mkdir()
    for number, name in enumerate([b"-rf \x1b]0;x\x07 \xff\n.jpg", ("\u202e" + "\u00e9" * 120).encode() + b".JPG"]):
        (photos / os.fsdecode(name)).write_bytes(jpeg(day(number), note=b"%d" % number, padding=30_000))
    (photos / "folder.jpg").mkdir()
    (photos / "gone.jpg").symlink_to("nowhere")
    os.mkfifo(photos / "pipe.jpg")
    done = demonstrate(house, photos)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert b"the owner allows one photo" in done.stdout and b"all checks passed" in done.stdout
    assert b"\x1b" not in done.stdout
    # The final line names each skipped part.
    skipped = re.search(rb"^   skip (.+)$", done.stdout, re.M)
    last = done.stdout.splitlines()[-1]
    assert last == b"demo: all checks passed" if skipped is None else skipped[1] in last and b"skipped" in last


def test_a_strict_umask_and_a_closed_checkout_hide_no_program(house, tmp_path):
    """A hardened root account has such a mask."""
    photos = house.make_folder(f"demo-{house.fresh_uid()}", 0, mode=0o755)
    for number in range(2):
        (photos / f"photo-{number}.jpg").write_bytes(jpeg(day(number), note=b"%d" % number, padding=30_000))
    closed = tmp_path / "closed"
    shutil.copytree(house.programs, closed)
    for program in closed.iterdir():
        program.chmod(0o700)
    masked = ["/bin/sh", "-c", 'umask 077 && exec "$@"', "masked"]
    done = demonstrate(house, photos, masked, bin=closed)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert b"all checks passed" in done.stdout
    place = "import pathlib, sys; from house.broker import House; house = House(pathlib.Path(sys.argv[1])); print(house.top)"
    made = subprocess.run(
        [*masked, sys.executable, "-B", "-c", place, closed], cwd=ROOT / "Tests/System", capture_output=True, text=True
    )
    folder = pathlib.Path(made.stdout.strip())
    try:
        modes = {path.name: path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")]}
        assert modes["photobrokerd"] == modes["bin"] == modes["python"] == 0o755
        assert [name for name, mode in modes.items() if mode & 0o044 != 0o044] == []
    finally:
        shutil.rmtree(folder)


def test_the_demonstrations_app_connects_only_when_it_has_a_call(running):
    """Indexing may take long, and the broker closes silent connections."""
    command = [sys.executable, ROOT / "scripts/demonstration/app.py", running.app_socket]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "Examples/python")}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as app:

        def ask(*words):
            app.stdin.write(json.dumps(words) + "\n")
            app.stdin.flush()
            return json.loads(app.stdout.readline())

        assert not ask("cat", "/nowhere")["answer"]["opened"]
        folder = f"/proc/{app.pid}/fd"
        assert not [n for n in os.listdir(folder) if os.readlink(f"{folder}/{n}").startswith("socket:")]
        assert ask("introduce")["answer"]["app"]


def test_run_is_demonstrated_on_machines_that_reserve_fuse_for_root(house):
    """Most containers are so. Only the program itself sees the opened folder."""
    if (
        not os.path.exists("/dev/fuse")
        or not shutil.which("bwrap")
        or not (house.programs / "photobroker-run").exists()
    ):
        pytest.skip("no /dev/fuse, no bubblewrap, or photobroker-run was not built")
    photos, place = (
        house.make_folder(f"demo-{house.fresh_uid()}", 0, mode=0o755),
        house.make_folder(f"fuse-{house.fresh_uid()}", 0),
    )
    for number in range(3):
        (photos / f"photo-{number}.jpg").write_bytes(jpeg(day(number), note=b"%d" % number, padding=30_000))
    number = os.stat("/dev/fuse").st_rdev
    closed = 'mount -t tmpfs -o dev none "$0" && mknod -m 600 "$0/fuse" c "$1" "$2" && mount --bind "$0/fuse" /dev/fuse && shift 2 && exec "$@"'
    before = [
        "unshare",
        "--mount",
        "--propagation=private",
        "/bin/sh",
        "-c",
        closed,
        place,
        str(os.major(number)),
        str(os.minor(number)),
    ]
    done = demonstrate(house, photos, before)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert (
        done.stdout.splitlines()[-1] == b"demo: all checks passed"
        and b"after the revocation there is nothing" in done.stdout
    )


RECEIPT = {"grants": 1, "connections": 3, "streams": 1, "dropped": 0, "assetsDelivered": 2, "bytesDelivered": 210}


@pytest.fixture
def demonstration(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts/demonstration")
    return importlib.import_module("demo")


@pytest.mark.parametrize(
    "wrong",
    [
        {"grants": 0},
        {"connections": 1},
        {"streams": 0},
        {"assetsDelivered": 3},
        {"bytesDelivered": 10},
        {"bytesDelivered": 9999},
    ],
)
def test_a_wrong_receipt_fails_the_demonstration(demonstration, wrong):
    read = [("a.jpg", 60), ("b.jpg", 50), ("a.jpg", 60)]
    demonstration.check_receipt(RECEIPT, read, ("a.jpg", 60))
    with pytest.raises(SystemExit):
        demonstration.check_receipt({**RECEIPT, **wrong}, read, ("a.jpg", 60))


@pytest.mark.parametrize(
    "wrong",
    [
        "5 of 10 files scanned\n3 of 10 files scanned\nonline, 9 assets, 1 file skipped",
        "online, 8 assets, 1 file skipped",
        "11 of 11 files scanned\nonline, 9 assets, 1 file skipped",
        "online, 9 assets",
        "",
    ],
)
def test_wrong_progress_fails_the_demonstration(demonstration, wrong):
    library = {"assets": 9, "skipped": 1}
    demonstration.check_progress(
        "indexing, 0 assets, 3 of 10 files scanned\nonline, 9 assets, 1 file skipped\n", 10, library
    )
    with pytest.raises(SystemExit):
        demonstration.check_progress(wrong, 10, library)


def test_a_wrong_size_fails_the_demonstration(demonstration, tmp_path):
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(jpeg(day(1), width=640, height=320))
    asset = {"filename": "photo.jpg", "pixelWidth": 320, "pixelHeight": 640}
    demonstration.check_size(asset, photo)
    with pytest.raises(SystemExit):
        demonstration.check_size({**asset, "pixelWidth": 321}, photo)


def test_a_single_photo_is_reported_as_too_few(house):
    photos = house.make_folder(f"demo-{house.fresh_uid()}", 0, mode=0o755)
    (photos / "only.jpg").write_bytes(jpeg(day(1), note=b"only", padding=30_000))
    (photos / "small.jpg").write_bytes(jpeg(day(2), note=b"small"))
    done = demonstrate(house, photos)
    assert done.returncode != 0 and b"1 photos of more than 20 KB" in done.stderr and b"it takes 2" in done.stderr


def test_the_demonstration_requires_a_terminal(house):
    result = subprocess.run(
        [sys.executable, str(ROOT / "scripts/demonstration/demo.py"), "--bin", str(house.programs), "--interactive"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert result.returncode != 0 and "terminal" in result.stderr
