"""Programs with a picture folder, by `photobroker run`."""

import json
import os
import shutil
import stat
import subprocess

import pytest

from .person import wait_for

# Evaluates each line of its input as a Python expression, and prints the result.
PROGRAM = r'''
import json, os, sys
place = sys.argv[1]
def names(): return sorted(os.listdir(place))
def read(name): return open(os.path.join(place, name), "rb").read().hex()
def refused(action):
    try:
        action()
    except OSError as error:
        return error.strerror
held = {}
for line in sys.stdin:
    try: print(json.dumps(eval(line)), flush=True)
    except OSError as error: print(json.dumps({"error": error.strerror}), flush=True)
'''


def require_picture_folders(house):
    """Skip where `photobroker run` cannot serve a folder."""
    if not os.path.exists("/dev/fuse") or not shutil.which("bwrap"):
        pytest.skip("no /dev/fuse or no bubblewrap on this machine")
    if not (house.programs / "photobroker-run").exists():
        pytest.skip("photobroker-run is not built here, because libfuse3 is missing")
    # udev sets this mode on every desktop and server.
    if stat.S_IMODE(os.stat("/dev/fuse").st_mode) != 0o666:
        os.chmod("/dev/fuse", 0o666)


class Run:
    def __init__(self, broker, uid, place, *options, script="program.py", home=None):
        home = home or broker.house.make_folder(f"home-{uid}-{broker.house.fresh_uid()}", uid)
        self.home = home
        words = ["-c", PROGRAM]
        if script:
            words = [broker.house.folder / script]
            words[0].write_text(PROGRAM)
            words[0].chmod(0o644)
        self.process = subprocess.Popen(
            [
                "setpriv",
                f"--reuid={uid}",
                f"--regid={uid}",
                "--clear-groups",
                "--no-new-privs",
                broker.house.programs / "photobroker",
                "run",
                "--socket",
                broker.admin_socket,
                "--at",
                place,
                *options,
                "--",
                "/usr/bin/python3",
                *words,
                place,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PHOTOBROKER_ADMIN_SOCKET": str(broker.admin_socket)},
        )

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def wait_for_prompt(self, owner):
        def asked():
            assert self.process.poll() is None, self.process.stderr.read()
            return owner.prompts()

        return wait_for(asked, "the program to ask")[0]

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(20)
        self.told = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        assert "fuse: " not in self.told, self.told
        return status
