"""Completions in bash, zsh and fish."""

import os
import pty
import select
import shlex
import shutil
import subprocess

import pytest

from house.person import as_user, wait_for

# Lines with an unfinished last word, and the candidates for it.
LINES = {
    "gr": {"grant"},
    "grant re": {"resume", "revoke"},
    "grant un": {"unselect"},
    "grant select photos app --fr": {"--from"},
    "asset list photos --type v": {"video"},
    "prompt answer p se": {"select"},
    "prompt answer se": {"select"},
    "token narrow --verbs del": {"delete"},
    "help exit": {"exit-codes"},
    "grant level photos app re": {"readWrite"},
    "grant level photos app readWrite re": {"restricted"},
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


def test_bash_completes_commands_options_and_known_words(house):
    text = completions(house, "bash")
    uid = house.fresh_uid()
    folder = house.make_folder(f"bash-{uid}", uid)
    ask = "".join(
        f"COMP_WORDS=(photobroker {line}); COMP_CWORD={len(shlex.split(line))}; "
        "_photobroker photobroker; printf '%s\\n' '?' \"${COMPREPLY[@]}\"\n"
        for line in LINES
    )
    said = subprocess.run(
        as_user(uid, ["bash", "-c", f"{text}\n{ask}"]),
        cwd="/",
        env=environment(house, folder),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (said.returncode, said.stderr) == (0, "")
    offered = [set(part.split()) for part in said.stdout.split("?\n")[1:]]
    assert dict(zip(LINES, offered, strict=True)) == LINES


def test_fish_completes_commands_options_and_known_words(house):
    text = completions(house, "fish")
    uid = house.fresh_uid()
    folder = house.make_folder(f"fish-{uid}", uid)
    (folder / "photobroker.fish").write_text(text)
    os.chown(folder / "photobroker.fish", uid, uid)
    ask = "".join(f"; echo '?'; complete -C 'photobroker {line}'" for line in LINES)
    said = subprocess.run(
        as_user(uid, ["fish", "-N", "-c", f"source {folder}/photobroker.fish{ask}"]),
        cwd="/",
        env=environment(house, folder),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (said.returncode, said.stderr) == (0, "")
    offered = [{line.split("\t")[0] for line in part.splitlines() if line} for part in said.stdout.split("?\n")[1:]]
    assert dict(zip(LINES, offered, strict=True)) == LINES


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
