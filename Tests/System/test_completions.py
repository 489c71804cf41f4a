"""Completions in bash, zsh and fish."""

import os
import pty
import select
import shlex
import shutil
import socket
import subprocess
import time

import pytest

from house.person import as_user, wait_for

# Lines with an unfinished last word, and the candidates for it.
LINES = {
    "gr": {"grant"},
    "grant re": {"resume", "revoke"},
    "grant un": {"unselect"},
    "grant select photos app --fr": {"--from"},
    "asset list photos --type v": {"video"},
    "request answer p se": {"select"},
    "request answer se": {"select"},
    "token narrow --verbs del": {"delete"},
    "help exit": {"exit-codes"},
    "grant level photos app s": {"see-and-change"},
    "grant level photos app see-and-change b": {"blocked"},
    "--socket grant grant un": {"unselect"},
}


def completions(house, shell):
    if not shutil.which(shell):
        assert not os.environ.get("CI"), f"{shell} is not installed"
        pytest.skip(f"{shell} is not installed")
    return subprocess.run(
        [house.programs / "photobroker", "completions", shell], capture_output=True, text=True, check=True
    ).stdout


def environment(house, folder):
    return {"PATH": f"{house.programs}:/usr/bin:/bin", "HOME": str(folder)}


def offered_in_bash(house, uid, lines, **variables):
    """The candidates of each line, given as the words that bash makes of it."""
    text = completions(house, "bash")
    folder = house.make_folder(f"bash-{uid}-{house.fresh_uid()}", uid)
    ask = "".join(
        f"COMP_WORDS=({shlex.join(['photobroker', *line])}); COMP_CWORD={len(line)}; "
        "_photobroker photobroker; printf '%s\\n' '?' \"${COMPREPLY[@]}\"\n"
        for line in lines
    )
    said = subprocess.run(
        as_user(uid, ["bash", "-c", f"{text}\n{ask}"]),
        cwd="/",
        env={**environment(house, folder), **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (said.returncode, said.stderr) == (0, "")
    return [{line for line in part.splitlines() if line} for part in said.stdout.split("?\n")[1:]]


def test_bash_completes_commands_options_and_known_words(house):
    offered = offered_in_bash(house, house.fresh_uid(), [line.split() for line in LINES])
    assert dict(zip(LINES, offered, strict=True)) == LINES


def test_names_that_the_broker_knows_are_completed_fast(scene):
    owner, house = scene.owner, scene.house
    owner.call("EditOwnedAlbum", library=scene.library, title="Summer, by the sea")
    owner.call("EditOwnedAlbum", library=scene.library, title='Trip"; $(touch gone) `x')
    for title in ("--yes", "Echo& touch gone", "Lake"):
        owner.call("EditOwnedAlbum", library=scene.library, title=title)
    scene.app.begin_request()
    prompt = owner.wait_for_prompt()["prompt"]
    app, library = "org.example.journal", scene.library
    lines = {
        ("library", "show", ""): {library},
        ("grant", "list", "--library", "=", "al"): {library},
        ("grant", "level", library, "org"): {app},
        ("grant", "level", library, scene.app.name[:6]): {scene.app.name},
        ("request", "answer", prompt[:6]): {prompt},
        ("album", "delete", library, "Sum"): {"Summer\\,\\ by\\ the\\ sea"},
        ("album", "delete", library, "Summer\\, b"): {"Summer\\,\\ by\\ the\\ sea"},
        ("album", "delete", library, '"Summer, b'): set(),
        ("album", "delete", library, '"Echo"'): set(),
        ("album", "delete", library, "Ec'h"): set(),
        ("album", "delete", library, '"Lak'): {"Lake"},
        ("album", "delete", library, "Tri"): {r"Trip\"\;\ \$\(touch\ gone\)\ \`x"},
        ("album", "delete", library, '"Tri'): set(),
        ("library", "offer", library, "roo"): {"root"},
        ("call", "io.photobroker.Admin.GetStat"): {"io.photobroker.Admin.GetStatus"},
        ("call", "--app-socket", str(scene.broker.app_socket), "io.photobroker.Library.Att"): {
            "io.photobroker.Library.Attach"
        },
    }
    known = {"PHOTOBROKER_ADMIN_SOCKET": str(scene.broker.admin_socket)}
    before = owner.call("ListDecisions")
    offered = offered_in_bash(house, owner.uid, lines, **known)
    assert dict(zip(lines, offered, strict=True)) == lines
    # Another user learns nothing, and a line without a broker is silent.
    strange = [("library", "show", ""), ("grant", "level", library, "org"), ("request", "answer", prompt[:6])]
    assert offered_in_bash(house, house.fresh_uid(), strange, **known) == [set()] * 3
    assert offered_in_bash(house, owner.uid, strange, PHOTOBROKER_ADMIN_SOCKET="/nonexistent") == [set()] * 3
    assert owner.call("ListDecisions") == before and owner.prompts()

    def seconds(line):
        """Processor time, since a busy machine delays the program."""
        command = as_user(owner.uid, [house.programs / "photobroker", "complete", "--", *line])
        process = subprocess.Popen(command, cwd="/", env=known, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_utime + usage.ru_stime

    assert {line: took for line in lines if (took := min(seconds(line) for _ in range(5))) >= 0.1} == {}


def test_a_broker_that_does_not_answer_delays_a_shell_by_a_second(house, tmp_path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "admin.sock"))
    server.listen()
    began = time.monotonic()
    said = subprocess.run(
        [house.programs / "photobroker", "complete", "--", "--socket", tmp_path / "admin.sock", "library", "show", ""],
        capture_output=True,
        timeout=60,
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")
    assert time.monotonic() - began < 5


def offered_in_fish(house, uid, lines, **variables):
    text = completions(house, "fish")
    folder = house.make_folder(f"fish-{uid}-{house.fresh_uid()}", uid)
    (folder / "photobroker.fish").write_text(text)
    os.chown(folder / "photobroker.fish", uid, uid)
    ask = "".join(f"; echo '?'; complete -C 'photobroker {line}'" for line in lines)
    said = subprocess.run(
        as_user(uid, ["fish", "-N", "-c", f"source {folder}/photobroker.fish{ask}"]),
        cwd="/",
        env={**environment(house, folder), **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (said.returncode, said.stderr) == (0, "")
    return [{line.split("\t")[0] for line in part.splitlines() if line} for part in said.stdout.split("?\n")[1:]]


def test_fish_completes_commands_options_and_known_words(house, scene):
    offered = offered_in_fish(house, house.fresh_uid(), LINES)
    assert dict(zip(LINES, offered, strict=True)) == LINES
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="By the sea")
    album = f"album delete {scene.library} "
    lines = {"library show ": {scene.library}, album + "By": {"By the sea"}, album + '"By t': {"By the sea"}}
    known = {"PHOTOBROKER_ADMIN_SOCKET": str(scene.broker.admin_socket)}
    offered = offered_in_fish(house, scene.owner.uid, lines, **known)
    assert dict(zip(lines, offered, strict=True)) == lines


# The key ^T writes the current line to a file.
ZSHRC = """
fpath=({folder} $fpath)
autoload -U compinit && compinit -u -d {folder}/known
unsetopt beep
tell() {{ print -r -- "$BUFFER" >> {folder}/told; BUFFER= }}
zle -N tell
bindkey '^T' tell
print -r -- ready >> {folder}/told
"""


def test_zsh_completes_commands_options_and_known_words(house):
    text = completions(house, "zsh")
    uid = house.fresh_uid()
    folder = house.make_folder(f"zsh-{uid}", uid)
    for name, content in ("_photobroker", text), (".zshrc", ZSHRC.format(folder=folder)), ("told", ""):
        (folder / name).write_text(content)
        os.chown(folder / name, uid, uid)
    terminal, inside = pty.openpty()
    shell = subprocess.Popen(
        as_user(uid, ["zsh", "-i"]),
        cwd="/",
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
        env={**environment(house, folder), "ZDOTDIR": str(folder), "TERM": "dumb"},
    )
    os.close(inside)

    def told(count):
        # The shell blocks if nobody reads its output.
        while select.select([terminal], [], [], 0)[0]:
            os.read(terminal, 4096)
        lines = (folder / "told").read_text().splitlines()
        return lines if len(lines) == count else None

    try:
        wait_for(lambda: told(1), "zsh to be ready")
        for number, (line, words) in enumerate(LINES.items()):
            os.write(terminal, f"photobroker {line}\t\x14".encode())
            became = wait_for(lambda: told(number + 2), "the line")[-1]
            # Several candidates complete to their common prefix, which is typed already.
            before, _, typed = line.rpartition(" ")
            whole = typed if len(words) > 1 else f"{next(iter(words))} "
            assert became == f"photobroker {before} {whole}".replace("  ", " "), line
    finally:
        shell.kill()
        shell.wait()
        os.close(terminal)
