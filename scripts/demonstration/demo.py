"""Shows the main job and checks every step of it. Run by scripts/demo."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BROKER, OWNER, APP = 61_001, 61_002, 61_003
WORDS = {1: "one photo", 2: "two photos", 3: "three photos"}
SUFFIXES = {".jpg", ".jpeg", ".heic", ".png", ".webp", ".avif", ".gif", ".tif", ".tiff"}


def say(text):
    print(shown(text), flush=True)


def shown(text):
    """Escapes text for a terminal, because names of files can hold any character."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in str(text))


def step(text):
    say(f"\n== {text}")


def check(holds, text):
    say(f"   {'ok  ' if holds else 'FAIL'} {text}")
    if not holds:
        raise SystemExit(f"demo: this check failed: {text}")


class Reader:
    """The person at the terminal, who is the owner with --interactive."""

    def __init__(self, wanted):
        if wanted and not sys.stdin.isatty():
            raise SystemExit("demo: --interactive asks on a terminal, and standard input is none")
        self.is_there = wanted

    def ask(self, question, default):
        """The typed answer; `default` for an empty line, and without --interactive."""
        if not self.is_there:
            return default
        try:
            return input(f"   {question} [{default}]: ").strip() or default
        except EOFError:
            raise SystemExit("demo: the terminal was closed") from None

    def wait(self, what):
        if self.is_there:
            self.ask(f"Enter: {what}", "go on")


def plain_name(path):
    """A name like the path's own, in plain ASCII."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem)[:60].strip("-")
    return (stem or "photo") + path.suffix.lower()


def put(source, folder):
    """Copies a program to a place where all users can run it, unlike perhaps in the checkout."""
    copy = folder / source.name
    shutil.copyfile(source, copy)
    copy.chmod(0o755)


def as_user(uid, command):
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", *map(str, command)]


# At least one photo that is selected, and one that is not.
NEEDED = 2


def is_large_enough(path):
    """Whether it is a file, and too large for a pipe to hold as a whole."""
    try:
        return path.is_file() and path.stat().st_size > 20_000
    except OSError:
        return False


PACKAGE, PACKAGE_FOLDER = "mate-backgrounds", "/usr/share/backgrounds/mate/nature"


def find_photos():
    """PHOTOS, else the photos beside the checkout, else photographs from a Debian package."""

    def photos_in(place):
        return sorted(p for p in pathlib.Path(place).rglob("*") if p.suffix.lower() in SUFFIXES and is_large_enough(p))

    if wanted := os.environ.get("PHOTOS"):
        found = photos_in(wanted)
        if len(found) >= NEEDED:
            return repr(wanted), found
        raise SystemExit(
            f"demo: {len(found)} photos of more than 20 KB in PHOTOS={wanted!r}; it takes {NEEDED}, one that the app "
            "sees and one it does not"
        )
    if found := photos_in(ROOT.parent / "shared/photos"):
        return ROOT.parent / "shared/photos", found
    if not photos_in(PACKAGE_FOLDER):
        say(f"-- no photos beside the checkout: installing the photographs of the Debian package {PACKAGE}")
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", PACKAGE],
            check=False,
            stdout=subprocess.DEVNULL,
        )
    if found := photos_in(PACKAGE_FOLDER):
        return PACKAGE_FOLDER, found
    raise SystemExit("demo: no photos found; run again with PHOTOS=folder")


class Program:
    """A child process that ends with the demonstration."""

    all = []

    def __init__(self, uid, command, before=(), **options):
        self.process = subprocess.Popen([*before, *as_user(uid, command)], **options)
        Program.all.append(self.process)

    @classmethod
    def stop_all(cls):
        for process in reversed(cls.all):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


class AppProcess(Program):
    def __init__(self, program, socket):
        super().__init__(
            APP,
            ["/usr/bin/python3", program, socket],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("demo: the app ended unexpectedly")
        return json.loads(line)

    def ask(self, *words):
        self.tell(*words)
        return self.hear()


class Viewer(Program):
    """A shell under `photobroker run`, without support for the broker."""

    def __init__(self, programs, socket, place, home):
        command = [
            programs / "photobroker",
            "--socket",
            socket,
            "run",
            "--at",
            place,
            "--name",
            "Viewer",
            "--",
            "/bin/sh",
            "-c",
            'while read -r line; do eval "$line"; echo .; done',
        ]
        super().__init__(
            APP,
            command,
            before=self.open_fuse(home),
            cwd="/",
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.place = place

    @staticmethod
    def open_fuse(folder):
        """A prefix for a command that needs /dev/fuse open to ordinary users, as udev sets it up on
        most machines. Elsewhere the prefix mounts such a device for the command and its children
        alone."""
        if os.stat("/dev/fuse").st_mode & 0o006 == 0o006:
            return []
        number = os.stat("/dev/fuse").st_rdev
        script = (
            'mount -t tmpfs -o mode=755,dev none "$0" && mknod -m 666 "$0/fuse" c "$1" "$2" && '
            'mount --bind "$0/fuse" /dev/fuse && umount -l "$0" && shift 2 && exec "$@"'
        )
        return [
            "unshare",
            "--mount",
            "--propagation=private",
            "/bin/sh",
            "-c",
            script,
            str(folder),
            str(os.major(number)),
            str(os.minor(number)),
        ]

    @classmethod
    def what_is_missing(cls, programs):
        if not (programs / "photobroker-run").exists():
            return "photobroker-run was not built, because libfuse3 is missing"
        if not shutil.which("bwrap"):
            return "bubblewrap is missing"
        if not os.path.exists("/dev/fuse"):
            return "there is no /dev/fuse here"
        with tempfile.TemporaryDirectory() as folder:
            look = as_user(APP, ["/usr/bin/test", "-w", "/dev/fuse"])
            if subprocess.run([*cls.open_fuse(folder), *look], capture_output=True).returncode != 0:
                return "/dev/fuse is not open to ordinary users here, and cannot be made so"

    def run(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        found = []
        while (answer := self.process.stdout.readline().rstrip("\n")) != ".":
            if self.process.poll() is not None:
                raise SystemExit("demo: the viewer ended unexpectedly")
            found.append(answer)
        return found

    def names(self):
        return set(self.run(f"ls {self.place}"))


class Owner:
    """The command line of the owner, or of another user."""

    def __init__(self, program, socket, uid=OWNER, name="owner"):
        self.program, self.socket, self.uid, self.name = program, socket, uid, name

    def run(self, *arguments, show=True, expect=0):
        if show:
            say(f"   {self.name}$ photobroker {' '.join(map(str, arguments))}")
        result = subprocess.run(
            as_user(self.uid, [self.program, "--socket", self.socket, *arguments]),
            text=True,
            capture_output=True,
            timeout=300,
        )
        if show:
            for line in (result.stdout + result.stderr).splitlines():
                say(f"          {line}")
        if result.returncode != expect:
            raise SystemExit(
                f"demo: photobroker {arguments[0]} ended with {result.returncode}: {result.stderr.strip()}"
            )
        return result.stdout

    def attempt(self, *arguments):
        """As `run`; a refusal is shown, and None returned."""
        try:
            return self.run(*arguments, show="--json" not in arguments)
        except SystemExit as refused:
            say(f"   {refused}")

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json", show=False))


def wait_for(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"demo: waited {seconds} s in vain for {what}")


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# A termination request, a closed terminal, and Ctrl-C.
ENDINGS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


class Ended(BaseException):
    """The demonstration was ended by a signal."""


def end(number, _):
    # A second signal must not interrupt the cleanup.
    for each in ENDINGS:
        signal.signal(each, signal.SIG_IGN)
    raise Ended(f"demo: ended by {signal.Signals(number).name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--interactive", action="store_true")
    options = parser.parse_args()
    # Broker, owner and app are other users than the caller, and read the files that are made here.
    os.umask(0o022)
    work = pathlib.Path(tempfile.mkdtemp(prefix="photobroker-demo-"))
    for number in ENDINGS:
        signal.signal(number, end)
    try:
        show(options, work)
    except Ended as ended:
        raise SystemExit(str(ended)) from None
    except BaseException:
        log = work / "broker.log"
        if log.exists():
            say("-- the broker's log:\n" + "\n".join(log.read_text(errors="replace").splitlines()[-40:]))
        raise
    finally:
        Program.stop_all()
        shutil.rmtree(work, ignore_errors=True)


def show(options, work):
    reader = Reader(options.interactive)
    work.chmod(0o755)
    programs = work / "bin"
    programs.mkdir()
    names = [
        "photobrokerd",
        "photobroker",
        *(f"photobroker-{part}" for part in ["clean", "run", "plugin-host", "media", "video"]),
    ]
    # The plugins, and in an installed package the Swift runtime.
    for program in [*map(options.bin.joinpath, names), *options.bin.glob("lib*.so")]:
        if program.exists():
            put(program, programs)
    for source in ["scripts/demonstration/app.py", "Examples/python/photobroker.py"]:
        put(ROOT / source, programs)
    state, runtime, album = work / "state", work / "run", work / "photos"
    for folder, uid, mode in [(state, BROKER, 0o700), (runtime, BROKER, 0o755), (album, OWNER, 0o700)]:
        folder.mkdir()
        os.chown(folder, uid, uid)
        folder.chmod(mode)

    source, found = find_photos()
    chosen = [] if not found else found[:: max(1, len(found) // 10)][:10]
    originals = {}
    for number, photo in enumerate(chosen):
        copy = album / f"{number:02}-{plain_name(photo)}"
        shutil.copyfile(photo, copy)
        os.utime(copy, (photo.stat().st_mtime,) * 2)
        os.chown(copy, OWNER, OWNER)
        copy.chmod(0o600)
        originals[copy.name] = copy
    step(f"{len(originals)} photos from {source} in a folder that only their owner (uid {OWNER}) can read")

    step(f"the broker starts under a uid of its own ({BROKER})")
    broker = Program(
        BROKER,
        [programs / "photobrokerd", "--state", state, "--runtime", runtime],
        env={**os.environ, "HOME": str(state)},
        stderr=open(work / "broker.log", "w"),
    )
    wait_for(lambda: (runtime / "admin.sock").exists() or broker.process.poll() is not None, "the broker's sockets")
    if broker.process.poll() is not None:
        raise SystemExit("demo: the broker did not start:\n" + (work / "broker.log").read_text())
    owner = Owner(programs / "photobroker", runtime / "admin.sock")
    app = AppProcess(programs / "app.py", runtime / "photobroker.sock")
    owner.run("status")
    uids = {name: os.stat(f"/proc/{p.process.pid}").st_uid for name, p in [("broker", broker), ("app", app)]}
    check(uids == {"broker": BROKER, "app": APP}, f"broker and app run as ordinary users: {uids}")

    step("without the broker the app gets nothing")
    some = next(iter(originals.values()))
    answer = app.ask("cat", str(some))["answer"]
    check(not answer["opened"], f"app$ cat {some.name}: {answer.get('error')}")

    step("the owner puts the folder under the broker")
    told = owner.run("library", "add", "photos", album, "--offer", str(APP), "--yes", "--wait")
    library = owner.json("library", "list")["libraries"][0]
    check_progress(told, len(originals), library)
    check(library["state"] == "online", "the library is online")
    Owner(owner.program, owner.socket, APP, "app").run("library", "accept", "photos")
    known = [a["filename"] for a in owner.json("asset", "list", "photos")["assets"]]
    if len(known) < NEEDED:
        raise SystemExit(
            f"demo: {len(known)} of these files can be read as photos; it takes {NEEDED} (photobroker library show "
            "says why)"
        )
    check(len(known) == library["assets"], f"{library['assets']} assets from {len(originals)} files")

    step("the app introduces itself and asks")
    say(f"   {app.ask('introduce')['answer']}")
    check(app.ask("status")["answer"]["status"] == "notDetermined", "before: notDetermined")
    app.tell("request")
    prompt = wait_for(lambda: owner.json("request", "list")["prompts"], "the prompt")[0]
    owner.run("request", "list")

    allowed = min(3, len(known) - 1)
    step(f"the owner allows {WORDS[allowed]} and nothing else")
    answer_as_owner(reader, owner, prompt["prompt"], allowed)
    status = app.hear()["answer"]["status"]
    if reader.is_there and status != "limited":
        return say(
            f"   the app is told: {status}\n\ndemo: what comes next needs a choice of some photos; start again and "
            "select some"
        )
    check(status == "limited", f"the app is told: {status}")

    step("the app lists what it may see")
    assets = app.ask("list")["answer"]
    selected = owner.json("asset", "list", "photos", "--app", prompt["app"]["app"])["assets"]
    for asset in assets:
        say(
            f"   app$ {asset['filename']:44} {asset['pixelWidth']}x{asset['pixelHeight']}  "
            f"{time.strftime('%Y-%m-%d', time.gmtime(asset['creationDate'] / 1e6)) if asset.get('creationDate') is not None else 'no date'}"
        )
    check({a["filename"] for a in assets} == {a["filename"] for a in selected}, "exactly the selected photos")
    for asset in assets:
        check_size(asset, originals[asset["filename"]])
    if not reader.is_there:
        check(len(assets) == allowed, f"{WORDS[allowed]} of {len(known)}")
    check(app.ask("count")["answer"] == len(assets), "and a count that knows of no others")
    read = [(asset["filename"], originals[asset["filename"]].stat().st_size) for asset in assets]
    for asset in assets:
        told = app.ask("digest", asset["localIdentifier"])
        size = originals[asset["filename"]].stat().st_size
        is_cleaned = told.get("answer", {}).get("size") == size
        read += [(asset["filename"], size)] if is_cleaned else []
        check(
            is_cleaned or told.get("reason") == "requestNotSupportedForAsset",
            f"{asset['filename']}: "
            + (f"{size} bytes, with the places overwritten" if is_cleaned else "refused, since it cannot be cleaned"),
        )
    owner.run("grant", "terms", "photos", prompt["app"]["app"], "--location")
    known_now = facts_of(app.ask("list")["answer"])
    check(known_now == facts_of(selected), "with places, the app has the dates and sizes that the owner sees")
    for asset in assets:
        answer = app.ask("digest", asset["localIdentifier"])["answer"]
        check(
            answer["sha256"] == digest_of(originals[asset["filename"]]),
            f"{asset['filename']}: {answer['size']} bytes by descriptor, SHA-256 equal",
        )
    answer = app.ask("digest_inline", assets[0]["localIdentifier"])["answer"]
    check(
        answer["sha256"] == digest_of(originals[assets[0]["filename"]]),
        f"{assets[0]['filename']}: the same in pieces, without a descriptor",
    )

    step("the owner adds one photo and takes one away, while the app watches")
    app.ask("watch")
    reader.wait("one photo comes, one goes")
    names = {a["filename"] for a in assets}
    added = next(name for name in known if name not in names)
    removed = assets[0]
    owner.run("grant", "select", "photos", prompt["app"]["app"], "--name", added)
    owner.run("grant", "unselect", "photos", prompt["app"]["app"], "--name", removed["filename"])

    def told():
        events = app.ask("seen")["answer"]
        inserted = [a["filename"] for e in events for a in e.get("inserted", [])]
        gone = [i for e in events for i in e.get("removed", [])]
        return inserted, gone

    wait_for(lambda: all(told()), "the app to be told")
    inserted, gone = told()
    check(inserted == [added], f"the app is told of the new one: {inserted}")
    check(gone == [removed["localIdentifier"]], "and of the one that left")
    now = {a["filename"] for a in app.ask("list")["answer"]}
    check(now == (names | {added}) - {removed["filename"]}, f"a fetch gives the same: {sorted(now)}")
    answer = app.ask("digest", removed["localIdentifier"])
    check(
        answer.get("reason") == "identifierNotFound",
        f"the one that left does not exist any more: {answer.get('reason')}",
    )

    step("the owner revokes")
    largest = max(app.ask("list")["answer"], key=lambda a: originals[a["filename"]].stat().st_size)
    stream = app.ask("open_stream", largest["localIdentifier"])["answer"]
    say(f"   the app holds an open stream of {stream['size']} bytes")
    reader.wait("revoke")
    say("   owner$ photobroker grant revoke --app " + prompt["app"]["app"] + " --yes --json")
    receipt = owner.json("grant", "revoke", "--app", prompt["app"]["app"], "--yes")["receipt"]
    # The first photo was read twice.
    check_receipt(receipt, read + read[:1], (largest["filename"], stream["size"]))
    answer = app.ask("list")
    check("refused" in answer, f"the next call is refused: {answer.get('reason') or answer.get('refused')}")
    rest = app.ask("drain_stream")["answer"]
    check(
        rest["received"] + stream["first"] < stream["size"],
        f"the stream ended after {rest['received'] + stream['first']} of {stream['size']} bytes",
    )
    check(rest["end"] != "complete", f"and says why: {rest['end'][:90]}")

    skipped = show_run(work, programs, runtime, owner, {name: originals[name] for name in sorted(known)})

    step("who saw what")
    owner.run("log", "photos", "--limit", "8")
    check(owner.json("log", "photos")["entries"], "the ledger has it")

    step("the broker stops")
    broker.process.send_signal(signal.SIGTERM)
    check(broker.process.wait(15) == 0, "cleanly, on SIGTERM")
    say(f"\ndemo: all checks passed, but for what was skipped: {skipped}" if skipped else "\ndemo: all checks passed")


def check_progress(told, files, library):
    """Checks the progress lines: the number of files rises, up to the number in the library."""
    steps = [(int(done), int(all)) for done, all in re.findall(r"(\d+) of (\d+) files scanned", told)]
    check(
        steps == sorted(steps) and all(done <= total <= files for done, total in steps),
        f"progress went upwards, lines of it: {len(steps)}",
    )
    last = re.search(r"online, (\d+) assets?(?:, (\d+) files? skipped)?$", told.strip(), re.M)
    check(
        last and (int(last[1]), int(last[2] or 0)) == (library["assets"], library["skipped"]),
        "and ended with what the library has",
    )


def facts_of(assets):
    return {
        asset["filename"]: (asset["pixelWidth"], asset["pixelHeight"], asset.get("creationDate")) for asset in assets
    }


def check_size(asset, original):
    """Compares the broker's pixel size with a JPEG's frame header; a rotated photo has it
    transposed."""
    data = original.read_bytes()
    place = 2
    if data[:2] != b"\xff\xd8":
        return
    while place + 9 < len(data) and data[place] == 0xFF:
        if 0xC0 <= data[place + 1] <= 0xCF and data[place + 1] not in (0xC4, 0xC8, 0xCC):
            height, width = (int.from_bytes(data[place + i : place + i + 2], "big") for i in (5, 7))
            shown_size = asset["pixelWidth"], asset["pixelHeight"]
            return check(
                shown_size in ((width, height), (height, width)),
                f"{asset['filename']}: its own header says {width}x{height}",
            )
        place += 1 if data[place + 1] == 0xFF else 2 + int.from_bytes(data[place + 2 : place + 4], "big")


def check_receipt(receipt, read, streamed):
    """`read` has a name and a size for each read of the app; `streamed` those of the photo whose
    stream was stopped."""
    say(f"   receipt: {json.dumps(receipt)}")
    check((receipt["grants"], receipt["streams"]) == (1, 1), "the receipt has the grant and the stream that ended")
    check(receipt["connections"] == 3, "and the app's three connections")
    name, size = streamed
    check(
        receipt["assetsDelivered"] == len({name, *(each for each, _ in read)}),
        f"{receipt['assetsDelivered']} photos whose bytes the app had been handed",
    )
    least = sum(bytes for _, bytes in read)
    check(
        least <= receipt["bytesDelivered"] <= least + size,
        f"{receipt['bytesDelivered']} bytes: what it read is {least}, and it had begun another {size}",
    )


def answer_as_owner(reader, owner, prompt, allowed):
    """Answers the app's prompt; a person may try again after a mistake."""
    if not reader.is_there:
        return owner.run("request", "answer", prompt, "select", "--last", str(allowed))
    owner.run("asset", "list", "photos")
    say(
        "   You are the owner: answer with select and which (--last N, --name TEXT, --glob PATTERN), allow, or decline."
    )
    while True:
        try:
            words = shlex.split(reader.ask("owner$ photobroker request answer", f"select --last {allowed}"))
        except ValueError as error:
            say(f"   That is no command line: {error}.")
            continue
        if words[:1] == ["select"] and not 0 < count_of(owner, words[1:]) < count_of(owner, []):
            say("   For this demonstration choose some of them: at least one, and not all.")
            continue
        owner.attempt("request", "answer", prompt, *words)
        # A command such as --help answers nothing.
        if all(open["prompt"] != prompt for open in owner.json("request", "list")["prompts"]):
            return None


def count_of(owner, selection):
    """The number of photos that a selection matches; 0 for an invalid one."""
    chosen = owner.attempt("asset", "list", "photos", *selection, "--json")
    try:
        return json.loads(chosen or "{}").get("total", 0)
    except ValueError:
        return 0


def show_run(work, programs, runtime, owner, originals):
    step("a program that knows nothing of the broker, with a picture folder of what the owner chooses")
    if missing := Viewer.what_is_missing(programs):
        say(f"   skip {missing}")
        return f"the program with a picture folder ({missing})"
    place, home = work / "pictures", work / "home"
    for folder in (place, home):
        folder.mkdir()
        os.chown(folder, APP, APP)
    viewer = Viewer(programs, runtime / "admin.sock", place, home)
    prompt = wait_for(lambda: owner.json("request", "list")["prompts"], "the program to ask")[0]
    first, second = list(originals)[:2]
    owner.run("request", "answer", prompt["prompt"], "select", "--name", first, "--location")
    say(f"   viewer$ ls {place.name}")
    check(viewer.names() == {first}, f"its folder holds {first} and nothing else")
    sum_of = viewer.run(f"sha256sum < {place}/{first}")[0].split()[0]
    check(sum_of == digest_of(originals[first]), "with the photo's own bytes")
    app = prompt["app"]["app"]
    owner.run("grant", "select", "photos", app, "--name", second)
    owner.run("grant", "unselect", "photos", app, "--name", first)
    check(
        wait_for(lambda: viewer.names() == {second}, "the folder to follow"),
        f"while it runs {second} has come and {first} is gone",
    )
    owner.run("grant", "revoke", "--app", app, "--yes")
    wait_for(lambda: viewer.names() == set(), "the folder to be empty")
    check(
        viewer.run(f"cat {place}/{second} 2>&1 | head -c 200")[0].endswith("No such file or directory"),
        "after the revocation there is nothing",
    )
    viewer.process.stdin.close()
    check(viewer.process.wait(15) == 0, "and the program ends as it would without a broker")


if __name__ == "__main__":
    main()
