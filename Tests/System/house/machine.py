"""A service manager for the tests: systemd as process 1 of new namespaces, with the units of
scripts/systemd. All its writes go to memory. It shares the machine's kernel, so its control
groups are the machine's, below a fresh root."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

from .pictures import ROOT

# Units of a machine's start that the tests do not need, and that would change the machine itself.
MASKED = """systemd-remount-fs systemd-sysctl systemd-modules-load systemd-udevd
systemd-udev-trigger systemd-udev-settle systemd-random-seed systemd-hwdb-update systemd-update-utmp
systemd-journal-flush systemd-tmpfiles-setup systemd-tmpfiles-setup-dev systemd-sysusers
systemd-binfmt systemd-firstboot systemd-machine-id-commit systemd-pstore systemd-boot-system-token
kmod-static-nodes networking apparmor console-getty systemd-logind systemd-timesyncd
systemd-resolved systemd-networkd cron dbus ssh""".split()
MOUNTS = [
    "dev-hugepages.mount",
    "dev-mqueue.mount",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "sys-kernel-config.mount",
    "sys-fs-fuse-connections.mount",
    "proc-sys-fs-binfmt_misc.automount",
    "systemd-udevd-kernel.socket",
    "systemd-udevd-control.socket",
]
BOOT = r"""
set -e
mount --make-rprivate /
mount -t proc proc /proc
for place in /run /var/log /var/lib /srv; do mount -t tmpfs -o mode=0755 tmpfs $place; done
mkdir -p /run/systemd/system /run/lock /srv/photobroker
cp -r "$1"/. /srv/photobroker/
cp -r "$2"/units/. /run/systemd/system/
mkdir -p /run/systemd/user && cp -r "$2"/user/. /run/systemd/user/
cp "$2"/passwd "$2"/group /run/
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group
export container=test
exec /lib/systemd/systemd --system --log-target=null --unit=photobroker-test.target
"""
NAMESPACES = ["--mount", "--pid", "--uts", "--ipc", "--cgroup"]


class Machine:
    def __init__(self, house, user, others=()):
        self.house = house
        self.folder = house.make_folder(f"machine-{house.fresh_uid()}", 0, mode=0o755)
        units = self.folder / "units"
        units.mkdir()
        for unit in sorted((ROOT / "scripts/systemd").glob("photobroker*.[st]*")):
            text = unit.read_text().replace("/usr/lib/photobroker/", "/srv/photobroker/bin/")
            assert unit.suffix != ".service" or "/srv/photobroker/bin/photobrokerd" in text
            (units / unit.name).write_text(text)
        user_units = self.folder / "user"
        user_units.mkdir()
        for unit in sorted((ROOT / "scripts/systemd/user").glob("photobroker*.[st]*")):
            (user_units / unit.name).write_text(
                unit.read_text().replace("/usr/lib/photobroker/", "/srv/photobroker/bin/")
            )
        for folder in ("", "user/"):
            text = (ROOT / f"scripts/systemd/{folder}photobroker-network.conf").read_text()
            (self.folder / f"{folder}network.conf").write_text(
                text.replace("/usr/lib/photobroker/", "/srv/photobroker/bin/")
            )
        (units / "photobroker-test.target").write_text(
            "[Unit]\nDescription=Units of these tests\n"
            "Wants=photobroker.socket photobroker-admin.socket\nAllowIsolate=yes\n"
        )
        for name in [*(f"{m}.service" for m in MASKED), *MOUNTS]:
            (units / name).symlink_to("/dev/null")
        for name, line in (
            ("passwd", f"photobroker:x:{user}:{user}::/:/usr/sbin/nologin"),
            ("group", f"photobroker:x:{user}:"),
        ):
            known = [l for l in pathlib.Path("/etc", name).read_text().splitlines() if not l.startswith("photobroker:")]
            more = [line.replace("photobroker", f"user{uid}").replace(str(user), str(uid)) for uid in others]
            (self.folder / name).write_text("\n".join([*known, line, *more]) + "\n")
        things = self.folder / "things"
        things.mkdir()
        shutil.copytree(house.programs, things / "bin")
        shutil.copytree(house.python, things / "python")
        self.groups_before = set(self.groups())
        self.process = subprocess.Popen(
            [
                "unshare",
                *NAMESPACES,
                "--fork",
                "--kill-child",
                "bash",
                "-c",
                BOOT,
                "boot",
                str(things),
                str(self.folder),
            ],
            stdin=subprocess.DEVNULL,
            stdout=open(self.folder / "out", "wb"),
            stderr=subprocess.STDOUT,
        )
        self.pid = None

    def wait(self, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, (self.folder / "out").read_text(errors="replace")
            if self.pid is None:
                children = (
                    pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
                )
                self.pid = int(children[0]) if children else None
            elif (
                self.run(
                    "systemctl", "is-active", "photobroker.socket", "photobroker-admin.socket", expect=None
                ).stdout.split()
                == ["active"] * 2
            ):
                return self
            time.sleep(0.1)
        raise AssertionError(self.run("systemctl", "list-units", "--all", "--no-pager", expect=None).stdout[-3000:])

    def write(self, path, text, uid=0):
        subprocess.run(self.inside("tee", path), input=text, text=True, check=True, stdout=subprocess.DEVNULL)
        self.run("chown", uid, path)

    def run_unit(self, name, uid, command, lines=()):
        """Runs a command, which needs no quoting, as a unit of this name until it ends."""
        self.write(
            f"/run/systemd/system/{name}",
            "\n".join(
                [
                    "[Service]",
                    *([] if any(l.startswith("Type=") for l in lines) else ["Type=oneshot"]),
                    f"User={uid}",
                    f"Group={uid}",
                    "Environment=PYTHONPATH=/srv/photobroker/python",
                    *lines,
                    f"ExecStart={command}",
                    "",
                ]
            ),
        )
        self.run("systemctl", "daemon-reload")
        result = self.run("systemctl", "start", name, expect=None)
        assert result.returncode == 0, self.run("systemctl", "status", "--no-pager", name, expect=None).stdout

    def inside(self, *command, uid=0):
        as_user = [] if uid == 0 else ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        return ["nsenter", "-t", str(self.pid), *NAMESPACES, *as_user, "timeout", "-k", "1", "20", *map(str, command)]

    def run(self, *command, uid=0, expect=0, **options):
        result = subprocess.run(
            self.inside(*command, uid=uid),
            capture_output=True,
            text=True,
            timeout=30,
            cwd="/",
            env={"PATH": "/usr/bin:/bin:/usr/sbin", "PYTHONPATH": "/srv/photobroker/python", **options},
        )
        assert expect is None or result.returncode == expect, (
            f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}"
        )
        return result

    def python(self, text, *arguments, uid):
        return self.run("/usr/bin/python3", "-c", text, *arguments, uid=uid).stdout

    def main_pid(self, unit):
        return int(self.run("systemctl", "show", "-P", "MainPID", unit).stdout)

    def end(self):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        # Its control groups are the machine's, and are removed once their processes have ended.
        deadline = time.monotonic() + 5
        while (left := self.groups() - self.groups_before) and time.monotonic() < deadline:
            for group in sorted(left, key=len, reverse=True):
                try:
                    os.rmdir(group)
                except OSError:
                    time.sleep(0.01)

    @staticmethod
    def groups():
        """Control groups of a kind that a service manager makes at the top."""
        tops = [
            top
            for pattern in ("init.scope", "*.slice", "*.mount")
            for top in pathlib.Path("/sys/fs/cgroup").glob(f"*/{pattern}")
        ]
        return {folder for top in tops for folder, _, _ in os.walk(top)}

    def journal(self):
        return self.run("journalctl", "-u", "photobroker.service", "--no-pager", "-n", "30", expect=None).stdout
