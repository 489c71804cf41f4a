"""The real daemon from the debug build, under a uid of its own."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .app import App
from .owner import Owner
from .person import ADMIN, Clients, Person, Refused, as_user, wait_for
from .pictures import ROOT, day, jpeg

BROKER = 61_001
PROGRAMS = [
    "photobrokerd",
    "photobroker",
    "photobroker-clean",
    "photobroker-plugin-host",
    "photobroker-media",
    "photobroker-video",
    "photobroker-web",
    "photobroker-run",
    "photobroker-mcp",
    "client-child",
    "libPluginKit.so",
    "libdirectory.so",
    "libalbum-policies.so",
    "libcontent.so",
    "librclone.so",
]
# Storages without a folder. Their owners are ordinary users, so root has to allow them.
OPEN_STORAGES = ["archive", "cards", "distant", "faulty", "halting", "postcards", "rclone", "shelf", "vault"]
MODULES = ["asyncvarlink", "varlink"]


class House:
    """Copies of the programs and the clients' modules, in a folder that every uid can read."""

    def __init__(self, bin, site_packages=None):
        # The umask of the person who starts the tests, and the checkout's modes, may exclude other
        # users.
        os.umask(0o022)
        # A child's start adds a rule for each entry beside a broker's folders and those above. So they lie
        # apart from the libraries, and not in a full /tmp.
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="photobroker-system-", dir="/var/tmp"))
        self.folder, self.brokers = self.top / "house", self.top / "brokers"
        for folder in (self.top, self.folder, self.brokers):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        self.has_media = all((bin / name).exists() for name in ("photobroker-media", "photobroker-video"))
        for name in PROGRAMS:
            if (bin / name).exists():
                self.put(bin / name, self.programs)
        assert (self.programs / "photobrokerd").exists(), f"no photobrokerd in {bin}: run swift build first"
        self.python = self.folder / "python"
        self.python.mkdir()
        self.put(ROOT / "Examples/python/photobroker.py", self.python)
        self.put(ROOT / "Tests/System/house/agent.py", self.python)
        for module in MODULES if site_packages else []:
            shutil.copytree(site_packages / module, self.python / module, ignore=shutil.ignore_patterns("__pycache__"))
        self.open_to_all(self.python)
        # Parallel test processes share no user.
        self.next_uid = 61_100 + 10_000 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        self.clients = Clients(self.python)

    @staticmethod
    def put(source, folder):
        """Copies a program so that every uid can run it, whatever the checkout's modes."""
        copy = folder / source.name
        shutil.copyfile(source, copy)
        copy.chmod(0o755)

    @staticmethod
    def open_to_all(folder):
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)

    def programs_without(self, *missing):
        """Copies of the programs except for `missing`."""
        folder = self.make_folder(f"poor-bin-{self.fresh_uid()}", 0, mode=0o755)
        for program in self.programs.iterdir():
            if program.name not in missing:
                shutil.copy2(program, folder / program.name)
        return folder

    def fresh_uid(self):
        self.next_uid += 1
        return self.next_uid

    def make_folder(self, name, uid, gid=None, mode=0o700):
        """Make a folder; a name that is a path replaces this house's own."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        os.chown(folder, uid, uid if gid is None else gid)
        folder.chmod(mode)
        return folder

    def end(self):
        self.clients.end()
        shutil.rmtree(self.top, ignore_errors=True)


def compiled(house, source):
    """Compiles a C file to a library for LD_PRELOAD."""
    library = house.folder / f"{source.stem}.so"
    if not library.exists():
        compiler = shutil.which("cc") or shutil.which("clang")
        assert compiler, "a C compiler is missing; the Swift toolchain brings clang"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


class Album:
    """A folder of pictures that only its owner and the broker's group can read."""

    def __init__(self, house, name, uid):
        self.uid = uid
        self.folder = house.make_folder(name, uid, BROKER, 0o750)

    def put(self, name, data, modified=None):
        path = self.folder / name
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
            os.chown(path.parent, self.uid, BROKER)
            path.parent.chmod(0o750)
        new = path.parent / f".{path.name}.new"
        new.write_bytes(data)
        os.chown(new, self.uid, BROKER)
        new.chmod(0o640)
        if modified is not None:
            os.utime(new, (modified, modified))
        os.rename(new, path)
        return path

    def add(self, number, name=None, **picture):
        """Adds the picture of one day: 2024-01-01 and `number` days, noon."""
        name = name or f"picture-{number:03}.jpg"
        return self.put(name, jpeg(day(number), note=name.encode(), **picture), day(number).timestamp())

    def fill(self, count):
        return [self.add(number) for number in range(count)]

    def let_broker_add(self):
        folder = self.folder / "PhotoBroker"
        folder.mkdir(exist_ok=True)
        os.chown(folder, BROKER, BROKER)


class Broker:
    def __init__(self, house, name="main"):
        self.house = house
        place = house.make_folder(house.brokers / name, 0, mode=0o755)
        self.state = house.make_folder(place / "state", BROKER)
        self.runtime = house.make_folder(place / "run", BROKER, mode=0o755)
        self.log_path = house.folder / f"{name}.log"
        self.programs = house.programs
        self.people = []
        # Offers to users who have no app yet, by user.
        self.offers = {}
        self.albums = 0
        # Libraries that stay after a test.
        self.kept = set()
        # Arguments beside those of every test.
        self.arguments = []
        self.open_storages = OPEN_STORAGES
        # A command that starts the broker, whose own command follows as its last arguments.
        self.before = []
        self.process = None

    @property
    def admin_socket(self):
        return self.runtime / "admin.sock"

    @property
    def app_socket(self):
        return self.runtime / "photobroker.sock"

    def command(self):
        opened = [argument for name in self.open_storages for argument in ("--open-storage", name)]
        return [
            self.programs / "photobrokerd",
            "--state",
            self.state,
            "--runtime",
            self.runtime,
            *opened,
            *self.arguments,
        ]

    def environment(self):
        made = {"PHOTOBROKER_PROOF": mistake} if (mistake := os.environ.get("PHOTOBROKER_PROOF")) else {}
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.state), "SWIFT_BACKTRACE": "enable=no", **made}

    def start(self, **options):
        log = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            [*self.before, *as_user(BROKER, self.command())],
            env=self.environment(),
            cwd="/",
            stderr=log,
            stdout=log,
            **options,
        )
        log.close()
        wait_for(lambda: self.process.poll() is not None or self.answers(), "the broker to answer")
        assert self.process.poll() is None, f"the broker did not start:\n{self.log}"
        return self

    def answers(self):
        for path in (self.app_socket, self.admin_socket):
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(str(path))
                except OSError:
                    return False
        return True

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Stops cleanly, and returns the exit status."""
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the broker did not stop within 15 s of SIGTERM:\n{self.log[-3000:]}") from None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        assert self.stop() == 0, self.log[-3000:]
        self.start()
        for person in self.people:
            if person.process.poll() is None:
                person.new_connection()

    def owner(self, uid=None):
        return self.add_person(Owner(self.house, self.house.fresh_uid() if uid is None else uid, self.admin_socket))

    def app(self, uid=None):
        app = self.add_person(App(self.house, self.house.fresh_uid() if uid is None else uid, self.app_socket))
        for library in self.offers.pop(app.uid, ()):
            try:
                self.accept(app.uid, library)
            except Refused:
                # The library may be gone.
                pass
        return app

    def stranger(self, uid=None):
        return self.add_person(Person(self.house, self.house.fresh_uid() if uid is None else uid, self.app_socket))

    def add_person(self, person):
        person.broker = self
        self.people.append(person)
        return person

    def let_apps_accept(self, library, users):
        """Accepts offers of a library for users, now or with their first app."""
        here = {person.uid for person in self.people if isinstance(person, App)}
        for uid in users:
            if uid in here:
                self.accept(uid, library)
            else:
                self.offers.setdefault(uid, []).append(library)

    def accept(self, uid, library):
        """Accepts a library for a user's programs, or as a co-owner."""
        user = Person(self.house, uid, self.admin_socket)
        try:
            user.call(ADMIN + "AnswerOffer", library=library, accept=True)
        finally:
            user.end()

    @contextlib.contextmanager
    def visit(self):
        """Removes the people who come during the test, with their libraries."""
        if not self.is_running:
            self.start()
        here = len(self.people)
        yield self
        if self.is_running:
            self.clear(here)
        self.dismiss(here)
        assert self.is_running, f"the broker died in this test:\n{self.log[-4000:]}"

    def clear(self, here=0):
        """Removes libraries, because each takes one of a user's few inotify instances."""
        for person in self.people[here:]:
            if isinstance(person, Owner) and person.uid != 0 and person.process.poll() is None and not person.waiting:
                person.new_connection()
                for library in person.call("ListLibraries")["libraries"]:
                    if library["owner"] == person.uid and library["name"] not in self.kept:
                        person.call("RemoveLibrary", name=library["name"])

    def dismiss(self, here=0):
        for person in self.people[here:]:
            person.end()
        del self.people[here:]

    def photobroker(self, uid, *arguments, expect=0, input=None):
        """Runs the owner's command line."""
        result = subprocess.run(
            as_user(uid, [self.programs / "photobroker", "--socket", self.admin_socket, *arguments]),
            text=True,
            cwd="/",
            capture_output=True,
            timeout=120,
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            input=input,
        )
        assert expect is None or result.returncode == expect, (
            f"photobroker {arguments}: status {result.returncode}\n{result.stdout}\n{result.stderr}"
        )
        return result

    def end(self):
        self.dismiss()
        if self.process is not None and self.is_running:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def resident_bytes(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def held_bytes(self):
        """The broker's memory and its open copies of files."""
        copies = 0
        for descriptor in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                if str(descriptor.readlink()).startswith("/memfd:"):
                    copies += descriptor.stat().st_blocks * 512
        return self.resident_bytes() + copies

    def descriptor_count(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settled_descriptor_count(self):
        """The number of descriptors after the libraries' plugins and media workers have started."""
        count, since = self.descriptor_count(), time.monotonic()
        deadline = since + 10
        while time.monotonic() < min(since + 0.5, deadline):
            time.sleep(0.05)
            if (now := self.descriptor_count()) != count:
                count, since = now, time.monotonic()
        return count

    def wait_until_descriptors(self, count, seconds=10):
        deadline = time.monotonic() + seconds
        while self.descriptor_count() > count and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.descriptor_count()
