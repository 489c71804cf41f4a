"""Installs, uses, upgrades, removes and purges the Debian package in Debian systems without Swift.

  python Tests/Soak/package.py photobroker_0.1.0_amd64.deb --photos FOLDER

The first system has no systemd, and the broker is started by hand. In the others systemd is process 1,
in namespaces of its own: in the second one a newcomer follows the README with a watch, and in the third
one an app lives through an upgrade. Needs root and debootstrap. The systems lie in a temporary folder;
with --debian FOLDER they are copies of one that debootstrap made before.
"""

import argparse
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWNER, APP = 1500, 1501
STATE = "/var/lib/photobroker"
# From the installation to the first photos of an app and of an agent.
NEWCOMER_SECONDS = 300
# Makes a system's own mounts, and starts its systemd as process 1. With a changed root in place of a
# new one, ordinary users could make no namespaces.
BOOT = """
set -e
mount --bind "$0" "$0"
cd "$0"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount --rbind /sys/fs/cgroup sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
for name in null zero full random urandom tty fuse; do
  [ ! -e /dev/$name ] || { touch dev/$name; mount --bind /dev/$name dev/$name; }
done
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mkdir -p run/lock
pivot_root . .
umount -l .
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console
"""
# An app that lives through upgrades: it connects anew, and its token file keeps its access.
APP_PROGRAM = """
import json, sys
from photobroker import Connection
MANIFEST = {"identifier": "org.example.journal", "name": "Journal", "NSPhotoLibraryUsageDescription": "Shows them."}
library = None
for line in sys.stdin:
    for attempt in (1, 2):
        try:
            if library is None:
                library = Connection("/run/photobroker/photobroker.sock")
                library.authorize(MANIFEST)
            names = [asset["filename"] for asset in library.call("io.photobroker.Library.FetchAssets")["assets"]]
            break
        except (ConnectionError, BrokenPipeError):
            library = None
    print(json.dumps([attempt, names]), flush=True)
"""


def check(holds, text):
    print(f"   {'ok  ' if holds else 'FAIL'} {text}", flush=True)
    if not holds:
        raise SystemExit(f"package: this check failed: {text}")


class System:
    """A minimal Debian system of this machine's release, a copy of one that debootstrap made."""

    def __init__(self, made, folder):
        self.folder, self.entry, self.homes = folder, None, {}
        subprocess.run(["cp", "-a", made, folder], check=True)
        (folder / "etc/apt/sources.list").unlink(missing_ok=True)
        for part in ("etc/apt/sources.list", "etc/apt/sources.list.d", "etc/apt/apt.conf.d", "usr/share/keyrings"):
            if pathlib.Path("/", part).exists():
                subprocess.run(["cp", "-rT", f"/{part}", folder / part], check=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", folder / "etc" / name)
        # The packages' scripts start no services, because no systemd runs here.
        policy = folder / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)

    @contextlib.contextmanager
    def mounted(self):
        try:
            for name in ("proc", "dev"):
                subprocess.run(["mount", "--rbind", "--make-rslave", f"/{name}", self.folder / name], check=True)
            yield
        finally:
            for name in ("proc", "dev"):
                subprocess.run(["umount", "--recursive", "--lazy", self.folder / name], check=False)

    @contextlib.contextmanager
    def booted(self):
        """Runs its systemd as process 1."""
        (self.folder / "usr/sbin/policy-rc.d").unlink()
        log = self.folder.with_suffix(".log")
        groups = self.control_groups()
        spaces = ("--pid", "--fork", "--kill-child", "--mount-proc", "--mount", "--uts", "--ipc", "--cgroup")
        with open(log, "wb") as output:
            outside = subprocess.Popen(
                ["unshare", *spaces, "bash", "-c", BOOT, self.folder],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            for _ in range(150):
                if outside.poll() is None and (first := self.first_process(outside.pid)):
                    self.entry = [
                        "nsenter",
                        f"--target={first}",
                        *"--mount --uts --ipc --pid --cgroup --root --wd".split(),
                    ]
                    state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
                    if state in ("running", "degraded"):
                        break
                time.sleep(0.2)
            else:
                sys.exit(f"package: systemd could not be process 1 here:\n{log.read_text(errors='replace')[-3000:]}")
            check(state == "running", f"systemd is process 1, and {state}")
            yield
        finally:
            self.entry = None
            outside.kill()
            outside.wait()
            # Its control groups are the machine's, and are removable a moment after its processes end.
            for _ in range(50):
                for group in sorted(self.control_groups() - groups, key=lambda path: -len(path.parts)):
                    with contextlib.suppress(OSError):
                        group.rmdir()
                if self.control_groups() <= groups:
                    break
                time.sleep(0.1)

    @staticmethod
    def control_groups():
        return {path for path in pathlib.Path("/sys/fs/cgroup").rglob("*") if path.is_dir()}

    @staticmethod
    def first_process(outside):
        """The number of systemd, once it has replaced the shell that made its mounts."""
        for child in pathlib.Path(f"/proc/{outside}/task/{outside}/children").read_text().split():
            if pathlib.Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                return child
        return None

    def command(self, *command, uid=None):
        user = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"] if uid else []
        surroundings = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", f"HOME={self.homes.get(uid, '/')}"]
        entry = self.entry or ["chroot", self.folder]
        return [*entry, "env", "-i", *surroundings, "DEBIAN_FRONTEND=noninteractive", *user, *command]

    def run(self, *command, uid=None, check=True):
        done = subprocess.run(self.command(*command, uid=uid), text=True, capture_output=True)
        if check and done.returncode != 0:
            sys.exit(f"package: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def at_terminal(self, line, folder, uid=None):
        """Runs a shell's line at a terminal, whose questions are answered with yes."""
        ours, theirs = pty.openpty()
        command = self.command("sh", "-c", f"cd {folder} && {line}", uid=uid)
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            os.write(ours, b"y\n")
            said = b""
            # Reading fails once the last process has closed the terminal.
            with contextlib.suppress(OSError):
                while piece := os.read(ours, 65_536):
                    said += piece
        os.close(ours)
        if process.returncode != 0:
            sys.exit(f"package: {line} ended with {process.returncode}\n{said.decode(errors='replace')}")

    def add_people(self, photos):
        """Adds an owner with pictures, and the user of an app."""
        for uid, name in ((OWNER, "anna"), (APP, "journal")):
            self.run("useradd", "--create-home", "--uid", str(uid), name)
            self.homes[uid] = f"/home/{name}"
        shutil.copytree(photos, self.folder / "home/anna/Pictures")
        self.run("chown", "-R", f"{OWNER}:{OWNER}", "/home/anna")

    def apt(self, *words):
        return self.run("apt-get", "-qq", "-y", "--no-install-recommends", *words)

    @staticmethod
    def broker_command():
        """Starts the daemon as Install.md says where there is no systemd."""
        user = ["setpriv", "--reuid=photobroker", "--regid=photobroker", "--init-groups"]
        place = ["--state", STATE, "--runtime", "/run/photobroker"]
        return [*user, "/usr/lib/photobroker/photobrokerd", *place]

    @contextlib.contextmanager
    def broker(self):
        """The daemon under its user, without systemd."""
        self.run("install", "-d", "-o", "photobroker", "-g", "photobroker", "/run/photobroker")
        with open(self.folder / "tmp/broker.log", "ab") as log:
            process = subprocess.Popen(self.command(*self.broker_command()), stdout=log, stderr=log)
        try:
            for _ in range(100):
                if self.run("photobroker", "status", uid=OWNER, check=False).returncode == 0:
                    break
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
            check(process.wait(30) == 0, "the broker stops cleanly")


def add_to_version(database, step):
    with contextlib.closing(sqlite3.connect(database)) as state:
        [(version,)] = state.execute("PRAGMA user_version")
        state.execute(f"PRAGMA user_version = {version + step}")


def status(system):
    return system.run("dpkg-query", "--show", "--showformat=${Status}", "photobroker").stdout


def upgraded(package, folder):
    return changed(package, folder, "\nVersion: ", "\nVersion: 1:")


def changed(package, folder, line, other):
    """The same package with another line in its control file."""
    unpacked, later = folder / "unpacked", folder / "later.deb"
    subprocess.run(["dpkg-deb", "-R", package, unpacked], check=True)
    control = unpacked / "DEBIAN/control"
    text = control.read_text()
    assert text.count(line) == 1
    control.write_text(text.replace(line, other))
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", unpacked, later], check=True, stdout=subprocess.DEVNULL
    )
    shutil.rmtree(unpacked)
    return later


def main():
    options = argparse.ArgumentParser()
    options.add_argument("package", type=pathlib.Path)
    options.add_argument("--photos", type=pathlib.Path, required=True)
    options.add_argument("--debian", type=pathlib.Path)
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="photobroker-debian-") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        made = options.debian or made_by_debootstrap(folder / "made")
        system = System(made, folder / "root")
        with system.mounted():
            use(system, options.package, options.photos, folder)
        system = System(made, folder / "systemd")
        with system.mounted():
            system.apt("update")
            system.apt("install", "systemd", "systemd-sysv", "dbus", "python3")
        follow_readme(System(system.folder, folder / "readme"), options.package, options.photos)
        use_under_systemd(system, options.package, options.photos, folder)
    print("package: all checks passed")


def made_by_debootstrap(folder):
    print("== making a Debian system", flush=True)
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().split("\n") if line)
    command = ["debootstrap", "--variant=minbase", release["VERSION_CODENAME"], folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def use(system, package, photos, folder):
    inside = system.folder
    shutil.copyfile(package, inside / "tmp/photobroker.deb")
    print("== installing", flush=True)
    system.apt("update")
    system.apt("install", "/tmp/photobroker.deb")
    check(
        not (inside / "opt/swift").exists() and not shutil.which("swift", path=str(inside / "usr/bin")), "without Swift"
    )
    for unit in ("sockets.target.wants/photobroker.socket", "multi-user.target.wants/photobroker.service"):
        check((inside / "etc/systemd/system" / unit).is_symlink(), f"{unit} is enabled")
    missing = system.run("sh", "-c", "ldd /usr/lib/photobroker/* | grep 'not found'", check=False).stdout
    check(not missing, f"every library is found {missing}")
    check(system.run("stat", "-c%U %a", STATE).stdout == "photobroker 700\n", "the state folder is the service's own")

    print("== the demonstration", flush=True)
    system.apt("install", "python3")
    shutil.copytree(ROOT / "scripts/demonstration", inside / "demo/scripts/demonstration")
    shutil.copytree(ROOT / "Examples/python", inside / "demo/Examples/python")
    shutil.copytree(photos, inside / "demo/photos")
    shown = system.run(
        "env", "PHOTOS=/demo/photos", "python3", "/demo/scripts/demonstration/demo.py", "--bin", "/usr/lib/photobroker"
    ).stdout
    check("all checks passed" in shown, f"{shown.count('   ok ')} checks of it pass")

    print("== a library of the service", flush=True)
    system.add_people(photos)
    pictures = inside / "home/anna/Pictures"
    manifest = inside / "home/anna/app.json"
    manifest.write_text(
        '{"identifier": "org.example.journal", "name": "Journal", "NSPhotoLibraryUsageDescription": "x"}'
    )

    def photobroker(*words):
        return system.run("photobroker", *words, uid=OWNER).stdout

    def grants():
        return photobroker("--json", "grant", "list")

    with system.broker():
        photobroker("library", "add", "photos", "/home/anna/Pictures", "--offer", str(APP), "--yes")
        token = ["--token-file", "/home/anna/token"]
        photobroker("app", "add", "/home/anna/app.json", "--uid", str(APP), *token)
        photobroker("grant", "level", "photos", "org.example.journal", "see-and-change", "selected-photos", "--yes")
        photobroker("grant", "select", "photos", "org.example.journal", "--last", "3", "--yes")
        before = grants()
        check("limited" in before, "a grant is given")

    print("== a state of another version", flush=True)
    database = inside / STATE[1:] / "state.db"
    for step, advice in ((1, "Install the newer broker"), (-1, "Restore a backup")):
        add_to_version(database, step)
        kept = database.read_bytes()
        refused = system.run(*system.broker_command(), check=False)
        check(refused.returncode == 78 and advice in refused.stderr, f"it is refused: {refused.stderr.strip()}")
        check(database.read_bytes() == kept, "and nothing is changed")
        add_to_version(database, -step)
    with system.broker():
        check(grants() == before, "the grant is as it was")

    print("== a package of another architecture, and one that is half installed", flush=True)
    foreign = changed(package, folder, "Architecture: amd64", "Architecture: s390x")
    shutil.copyfile(foreign, inside / "tmp/foreign.deb")
    refused = system.run("dpkg", "--install", "/tmp/foreign.deb", check=False)
    check("does not match system" in refused.stderr, "dpkg refuses the other architecture")
    system.run("dpkg", "--unpack", "/tmp/photobroker.deb")
    check("half-configured" in status(system) or "unpacked" in status(system), f"half installed: {status(system)}")
    with system.broker():
        check(grants() == before, "it serves, and the grant is as it was")
    system.run("dpkg", "--configure", "--pending")
    check("installed" in status(system), "dpkg completes the installation")

    print("== a missing file", flush=True)
    programs = inside / "usr/lib/photobroker"
    (programs / "libdirectory.so").rename(programs / "gone")
    with system.broker():
        for _ in range(50):
            if "offline" in (said := photobroker("library", "list")):
                break
            time.sleep(0.2)
        check('No plugin offers the storage "directory"' in said, "the broker names it")
    (programs / "gone").rename(programs / "libdirectory.so")

    print("== upgrading", flush=True)
    shutil.copyfile(upgraded(package, folder), inside / "tmp/later.deb")
    system.apt("install", "/tmp/later.deb")
    with system.broker():
        check(grants() == before, "the grant is as it was")

    print("== removing", flush=True)
    # As photobroker library open leaves it.
    folders = inside / "etc/systemd/system/photobroker.service.d/folders.conf"
    folders.parent.mkdir(parents=True, exist_ok=True)
    folders.write_text('[Service]\nReadWritePaths="-/srv/photos"\n')
    system.apt("remove", "photobroker")
    check(folders.exists(), "the folders of the service stay")
    check(any((inside / STATE[1:]).iterdir()), "the state stays")
    check(not (inside / "usr/lib/photobroker/photobrokerd").exists(), "the programs are gone")
    system.apt("purge", "photobroker")
    check(not (inside / STATE[1:]).exists(), "a purge removes the state")
    check(not folders.parent.exists(), "and the folders of the service")
    left = system.run(
        "sh", "-c", "find / -xdev -name '*photobroker*' -not -path '/proc/*' -not -path '/tmp/*' -not -path '/demo/*'"
    ).stdout
    print(f"   left: {left.split()}")
    check(any(pictures.rglob("*.jpg")), "the photos stay")


def readme_lines():
    """The README's line that installs, and its tasks: each one's lines, or the value of its JSON."""
    text = (ROOT / "README.md").read_text()
    parts = {part.split("\n", 1)[0]: part for part in text.split("\n## ")}
    blocks = {
        name: re.findall(r"^```(\w*)\n(.+?)^```", parts[name], re.M | re.S) for name in ("Install it", "Five tasks")
    }
    [(_, install)] = blocks["Install it"]
    tasks = [json.loads(block) if kind == "json" else block.splitlines() for kind, block in blocks["Five tasks"]]
    # The package is made already, and the line is run by root.
    return install.strip().split(" && sudo ")[1], tasks


class Agent:
    """An AI agent that starts the server of its configuration, and calls its tools."""

    def __init__(self, system, configuration):
        [server] = configuration["mcpServers"].values()
        command = system.command(server["command"], *server["args"], uid=OWNER)
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        client = {"name": "Newcomer's agent", "version": "1"}
        self.hear(self.send("initialize", protocolVersion="2025-11-25", clientInfo=client, capabilities={}))

    def send(self, method, **parameters):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        return self.number

    def hear(self, number):
        for line in self.process.stdout:
            if (message := json.loads(line)).get("id") == number:
                return message["result"]
        sys.exit("package: photobroker mcp ended")

    def begin(self, tool, **arguments):
        return self.send("tools/call", name=tool, arguments=arguments)

    def call(self, tool, **arguments):
        result = self.hear(self.begin(tool, **arguments))
        check(not result.get("isError"), f"the agent's {tool}")
        return result["content"][0]

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def follow_readme(system, package, photos):
    """Installs, and serves first photos to an app and to an agent, by the README's lines alone."""
    install, (add, run, configuration, answer, *_) = readme_lines()
    shutil.copyfile(package, system.folder / "root" / package.name)
    # In place of the picture viewer that the README names, which would bring a desktop with it.
    viewer = system.folder / "usr/bin/gthumb"
    viewer.write_text("#!/bin/sh\nsha256sum ~/Pictures/*\nexit 0\n")
    viewer.chmod(0o755)
    # As udev does on a real machine.
    os.chmod("/dev/fuse", 0o666)
    print("== a newcomer, by the README alone", flush=True)
    with system.booted():
        system.add_people(photos)

        def sh(line):
            return system.run("sh", "-c", line, uid=OWNER).stdout

        def answer_request():
            table = sh(answer[0])
            sh(answer[1].replace("ID", table.splitlines()[1].split()[0]))

        begun = time.monotonic()
        system.at_terminal(install, "/root")
        print(f"   installed after {time.monotonic() - begun:.0f} s", flush=True)
        system.at_terminal(add[0], "/home/anna", uid=OWNER)
        # The list shows the newcomer that the photos are there.
        while not json.loads(sh("photobroker --json library list"))["libraries"][0]["assets"]:
            time.sleep(0.2)
        program = subprocess.Popen(system.command("sh", "-c", run[0], uid=OWNER), text=True, stdout=subprocess.PIPE)
        answer_request()
        seen = {line.split()[0] for line in program.communicate()[0].splitlines()}
        of_app = time.monotonic() - begun
        files = {hashlib.sha256(path.read_bytes()).hexdigest() for path in photos.rglob("*") if path.is_file()}
        # Photos with a place come without it, and have other bytes. Of a damaged one it cannot be taken out.
        check(program.returncode == 0 and seen & files, f"an app reads {len(seen)} photos, after {of_app:.0f} s")
        agent = Agent(system, configuration)
        asked = agent.begin("ask_for_access")
        answer_request()
        check(not agent.hear(asked).get("isError"), "the agent has access")
        listed = json.loads(agent.call("list_photos")["text"])["photos"]
        picture = base64.b64decode(agent.call("look", photo=listed[0]["id"])["data"])
        of_agent = time.monotonic() - begun
        agent.end()
        check(picture.startswith(b"\xff\xd8"), f"it looks at one of {len(listed)} photos, after {of_agent:.0f} s")
        check(of_agent <= NEWCOMER_SECONDS, f"which is in {NEWCOMER_SECONDS} s")


def use_under_systemd(system, package, photos, folder):
    inside = system.folder
    shutil.copyfile(package, inside / "root/photobroker.deb")
    shutil.copyfile(upgraded(package, folder), inside / "root/later.deb")
    (inside / "srv/app.py").write_text(APP_PROGRAM)
    shutil.copyfile(ROOT / "Examples/python/photobroker.py", inside / "srv/photobroker.py")
    print("== installing under systemd", flush=True)
    with system.booted():
        system.add_people(photos)
        system.apt("install", "/root/photobroker.deb")
        units = ("photobroker.service", "photobroker.socket", "photobroker-admin.socket")

        def active():
            return system.run("systemctl", "is-active", *units, check=False).stdout.split()

        def main_process():
            return system.run("systemctl", "show", "--value", "--property=MainPID", "photobroker").stdout.strip()

        def photobroker(*words):
            return system.run("photobroker", *words, uid=OWNER).stdout

        check(active() == ["active"] * 3, "the package starts the service and its sockets")
        check("runs as its own user" in photobroker("status"), "the broker is content")
        photobroker("library", "add", "photos", "/home/anna/Pictures", "--offer", str(APP), "--yes", "--wait")
        system.run("photobroker", "library", "accept", "photos", uid=APP)

        print("== an app, and an upgrade while it runs", flush=True)
        app = subprocess.Popen(
            system.command("python3", "/srv/app.py", uid=APP), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

        def ask():
            app.stdin.write("\n")
            app.stdin.flush()

        ask()
        request = json.loads(photobroker("--json", "request", "wait"))["prompts"][0]["prompt"]
        photobroker("request", "answer", request, "select", "--last", "3")
        _, seen = json.loads(app.stdout.readline())
        check(len(seen) == 3, f"the app sees its selection: {seen}")
        before = main_process()
        system.apt("install", "/root/later.deb")
        check(active() == ["active"] * 3 and main_process() != before, "the upgrade restarts the service")
        ask()
        attempts, again = json.loads(app.stdout.readline())
        check(attempts == 2 and again == seen, "the running app connects anew, and sees the same without a question")

        print("== removing", flush=True)
        system.apt("remove", "photobroker")
        check("active" not in active(), "a removal ends the service and its sockets")
        check(any((inside / STATE[1:]).iterdir()), "the state stays")
        system.apt("install", "/root/later.deb")
        ask()
        check(json.loads(app.stdout.readline())[1] == seen, "installed again, it serves the app as before")
        app.stdin.close()
        app.wait(10)
        system.apt("purge", "photobroker")
        check(not (inside / STATE[1:]).exists(), "a purge removes the state")


main()
