"""The owner's command line on a terminal."""

import os
import pty
import select
import termios
import time

from .person import as_user


def run_on_terminal(scene, *words, answers=None, meanwhile=lambda: None, columns=None, question="[y/N]"):
    """Run the owner's command on a terminal, with `meanwhile()` before its question is answered."""
    command = [str(word) for word in as_user(scene.owner.uid, [scene.broker.programs / "photobroker", *words])]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "TERM": "dumb",
        "PHOTOBROKER_ADMIN_SOCKET": str(scene.broker.admin_socket),
    }
    process, terminal = pty.fork()
    if process == 0:
        if columns:
            termios.tcsetwinsize(0, (24, columns))
        os.chdir("/")
        os.execvpe(command[0], command, environment)
    text, until = "", time.monotonic() + 60
    try:
        while time.monotonic() < until:
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece.decode(errors="replace")
            if answers is not None and question in text:
                meanwhile()
                os.write(terminal, answers.encode() + b"\n")
                answers = None
    finally:
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return status, text
