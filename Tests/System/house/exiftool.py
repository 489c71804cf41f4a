"""exiftool in one process, because its start takes longer than most of its runs."""

import atexit
import functools
import subprocess


@functools.cache
def program():
    # It ends with the tests, because it waits for further commands even at the end of its input.
    command = ["setpriv", "--pdeathsig", "KILL", "exiftool", "-stay_open", "True", "-@", "-"]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(started.kill)
    return started


def exiftool(*arguments):
    """Run exiftool, which must succeed, and return its output."""
    lines = [*map(str, arguments), "-echo3", "status ${status}", "-execute1", ""]
    assert all("\n" not in line for line in lines), arguments
    program().stdin.write("\n".join(lines))
    program().stdin.flush()
    said = []
    while not said or said[-1] != "{ready1}\n":
        said.append(program().stdout.readline())
        assert said[-1], "exiftool ended"
    said.pop()
    assert said.pop() == "status 0\n", said
    return "".join(said)
