"""Installs, uses, upgrades, removes and purges the Debian package in a Debian system without Swift.

  python Tests/Soak/package.py photobroker_0.1.0_amd64.deb --photos FOLDER

Needs root and debootstrap. The system lies in a temporary folder.
"""

import argparse
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWNER, APP = 1500, 1501
STATE = "/var/lib/photobroker"


def check(holds, text):
    print(f"   {'ok  ' if holds else 'FAIL'} {text}", flush=True)
    if not holds:
        raise SystemExit(f"package: this check failed: {text}")


class System:
    """A minimal Debian system of this machine's release."""

    def __init__(self, folder):
        self.folder = folder
        print("== making a Debian system", flush=True)
        release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().split("\n") if line)
        subprocess.run(
            ["debootstrap", "--variant=minbase", release["VERSION_CODENAME"], folder],
            check=True,
            stdout=subprocess.DEVNULL,
        )
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

    def run(self, *command, uid=None, check=True):
        user = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"] if uid else []
        path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
        done = subprocess.run(
            ["chroot", self.folder, "env", "-i", path, "HOME=/", "DEBIAN_FRONTEND=noninteractive", *user, *command],
            text=True,
            capture_output=True,
        )
        if check and done.returncode != 0:
            sys.exit(f"package: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def apt(self, *words):
        return self.run("apt-get", "-qq", "-y", "--no-install-recommends", *words)

    @contextlib.contextmanager
    def broker(self):
        """The daemon under its user, as photobroker.service starts it."""
        self.run("install", "-d", "-o", "photobroker", "-g", "photobroker", "/run/photobroker")
        user = ["setpriv", "--reuid=photobroker", "--regid=photobroker", "--init-groups"]
        place = [f"STATE_DIRECTORY={STATE}", "RUNTIME_DIRECTORY=/run/photobroker"]
        with open(self.folder / "tmp/broker.log", "ab") as log:
            process = subprocess.Popen(
                ["chroot", self.folder, "env", "-i", *place, *user, "/usr/lib/photobroker/photobrokerd"],
                stdout=log,
                stderr=log,
            )
        try:
            for _ in range(100):
                if self.run("photobroker", "status", uid=OWNER, check=False).returncode == 0:
                    break
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
            check(process.wait(30) == 0, "the broker stops cleanly")


def upgraded(package, folder):
    """The same package with a later version."""
    unpacked, later = folder / "unpacked", folder / "later.deb"
    subprocess.run(["dpkg-deb", "-R", package, unpacked], check=True)
    control = unpacked / "DEBIAN/control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 1:"))
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", unpacked, later], check=True, stdout=subprocess.DEVNULL
    )
    shutil.rmtree(unpacked)
    return later


def main():
    options = argparse.ArgumentParser()
    options.add_argument("package", type=pathlib.Path)
    options.add_argument("--photos", type=pathlib.Path, required=True)
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="photobroker-debian-") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        system = System(folder / "root")
        with system.mounted():
            use(system, options.package, options.photos, folder)
    print("package: all checks passed")


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
    for uid, name in ((OWNER, "anna"), (APP, "journal")):
        system.run("useradd", "--create-home", "--uid", str(uid), name)
    pictures = inside / "home/anna/Pictures"
    shutil.copytree(photos, pictures)
    system.run("chown", "-R", f"{OWNER}:{OWNER}", "/home/anna")
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
        photobroker("grant", "level", "photos", "org.example.journal", "readWrite", "limited", "--yes")
        photobroker("grant", "select", "photos", "org.example.journal", "--last", "3", "--yes")
        before = grants()
        check("limited" in before, "a grant is given")

    print("== upgrading", flush=True)
    shutil.copyfile(upgraded(package, folder), inside / "tmp/later.deb")
    system.apt("install", "/tmp/later.deb")
    with system.broker():
        check(grants() == before, "the grant is as it was")

    print("== removing", flush=True)
    system.apt("remove", "photobroker")
    check(any((inside / STATE[1:]).iterdir()), "the state stays")
    check(not (inside / "usr/lib/photobroker/photobrokerd").exists(), "the programs are gone")
    system.apt("purge", "photobroker")
    check(not (inside / STATE[1:]).exists(), "a purge removes the state")
    left = system.run(
        "sh", "-c", "find / -xdev -name '*photobroker*' -not -path '/proc/*' -not -path '/tmp/*' -not -path '/demo/*'"
    ).stdout
    print(f"   left: {left.split()}")
    check(any(pictures.rglob("*.jpg")), "the photos stay")


main()
