"""A folder whose files never answer, on FUSE."""

import os
import pathlib
import pwd
import shutil
import subprocess

import pytest

from .person import wait_for


# fusermount3 needs an ordinary user with a name.
GAMES = 5


SOURCE = pathlib.Path(__file__).parent / "silent.c"


class SilentFolder:
    def __init__(self, house, uid):
        if uid not in {user.pw_uid for user in pwd.getpwall()}:
            pytest.skip("fusermount3 mounts only for users that have a name, and there is no user games")
        if not shutil.which("fusermount3") or not os.path.exists("/usr/include/fuse3/fuse.h"):
            pytest.skip("FUSE is not there: fusermount3, and the headers of libfuse3")
        program = house.folder / "silent"
        if not program.exists():
            compiler = shutil.which("cc") or shutil.which("clang")
            assert compiler, "a C compiler is missing; the Swift toolchain brings clang"
            subprocess.run(
                [compiler, "-O1", "-I/usr/include/fuse3", "-o", program, SOURCE, "-lfuse3", "-lpthread"], check=True
            )
            program.chmod(0o755)
        self.folder = house.make_folder(f"silent-{house.fresh_uid()}", uid)
        # Without no_new_privs, since fusermount3 mounts as root.
        user = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        self.server = subprocess.Popen([*user, str(program), "-f", str(self.folder)], cwd="/")
        wait_for(
            lambda: self.server.poll() is not None or str(self.folder) in pathlib.Path("/proc/self/mounts").read_text(),
            "the file system",
        )
        if self.server.poll() is not None:
            pytest.skip("this user may mount no FUSE here")

    @property
    def file(self):
        return str(self.folder / "silent.jpg")

    def end(self):
        self.server.kill()
        self.server.wait()
        subprocess.run(["umount", "-l", self.folder], check=False)


@pytest.fixture
def silent_folder(house):
    made = []

    def make(uid):
        made.append(SilentFolder(house, uid))
        return made[-1]

    yield make
    for folder in made:
        folder.end()
