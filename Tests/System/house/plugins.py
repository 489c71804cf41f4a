"""Plugins of the tests.

`shared` is a storage backend on a folder. Files below its subfolder `shared` are shared into the
library by another one."""

import json
import os
import re
import subprocess

SHARED = r'''#!/usr/bin/python3
import json, os, socket, time
channel = socket.socket(fileno=3)
def send(message): channel.sendall(json.dumps(message).encode() + b"\0")
def answer(parameters): send({"parameters": parameters})
def refuse(code):
    send({"error": "io.photobroker.Plugin.PluginError",
        "parameters": {"code": code, "message": "This backend does not."}})
def calls():
    data = b""
    while True:
        while b"\0" in data:
            message, data = data.split(b"\0", 1)
            call = json.loads(message)
            yield call["method"].rsplit(".", 1)[1], call.get("parameters", {})
        piece, _, _, _ = socket.recv_fds(channel, 65536, 16)
        if not piece: return
        data += piece
def item(name):
    facts = os.stat(os.path.join(root, name))
    return {"files": [{"role": "original", "locator": name, "filename": name.rsplit("/", 1)[-1], "size": facts.st_size,
        "contentVersion": "%d %d" % (facts.st_mtime_ns, facts.st_ino), "identityHint": str(facts.st_ino),
        "modified": facts.st_mtime_ns // 1000}],
        "source": "cloudShared" if name.startswith("shared/") else "userLibrary"}
def names():
    return sorted(os.path.relpath(os.path.join(place, f), root)
        for place, _, files in os.walk(root) for f in files if f.endswith(".jpg"))
before = None
for method, parameters in calls():
    if method == "Start":
        root = parameters["options"]["path"]
        answer({"kit": 1})
    elif method == "Facts": answer({"root": root, "changeDetection": "rescan", "isReadOnly": True})
    elif method == "Enumerate": answer({"items": [item(n) for n in names()], "skipped": 0, "next": None})
    elif method == "WaitForChanges":
        end = time.monotonic() + parameters["milliseconds"] / 1000
        while (now := names()) == before and time.monotonic() < end: time.sleep(0.02)
        answer({"changed": now != before})
        before = now
    else: refuse("unsupported")
'''


def install_shared(house):
    """Allows libraries on the backend `shared`."""
    path = house.programs / "shared.plugin"
    if not path.exists():
        path.write_text(SHARED)
        os.chmod(path, 0o755)
    return "shared"


# Like `shared`, but it reports a missing folder.
WALKING = SHARED.replace(
    '    elif method == "Enumerate"',
    """\
    elif method == "Enumerate" and not os.path.isdir(root): refuse("offline")
    elif method == "Enumerate\"""",
).replace(
    '        answer({"changed": now != before})\n',
    """\
        if not os.path.isdir(root):
            refuse("offline")
            continue
        answer({"changed": now != before})
""",
)


def install_walking(house):
    """Allows libraries on the backend `walking`."""
    path = house.programs / "walking.plugin"
    if not path.exists():
        path.write_text(WALKING)
        path.chmod(0o755)
    return "walking"


# Like `shared`, with companion files: `x.mov` is the video of the Live Photo `x.jpg`, and
# `x-edited.jpg` its edited version.
PAIRED = (
    SHARED.replace(
        """def item(name):
""",
        """def item(name):
    whole = one(name, "original")
    for role, ending in (("pairedVideo", ".mov"), ("edited", "-edited.jpg")):
        other = name[:-4] + ending
        if os.path.exists(os.path.join(root, other)): whole["files"] += one(other, role)["files"]
    return whole
def one(name, role):
""",
    )
    .replace('"role": "original"', '"role": role')
    .replace('if f.endswith(".jpg"))', 'if f.endswith(".jpg") and not f.endswith("-edited.jpg"))')
)


def install_paired(house):
    """Allows libraries on the backend `paired`."""
    path = house.programs / "paired.plugin"
    if not path.exists():
        path.write_text(PAIRED)
        path.chmod(0o755)
    return "paired"


# Like `shared`, with bytes through a pipe. Files in the folder make it hang: `halt` stops every
# read in the middle, `NAME.halt` each read of NAME, and `unlisted` each listing.
HALTING = (
    SHARED.replace("piece, _, _, _ = socket.recv_fds", "piece, files, _, _ = socket.recv_fds")
    .replace("        data += piece\n", "        data += piece\n        pipes.extend(files)\n", 1)
    .replace("def calls():\n", "pipes = []\ndef calls():\n", 1)
    .replace('"root": root,', '"root": None,')
    .replace(
        '''    elif method == "Enumerate": answer''',
        '''    elif method == "Enumerate" and os.path.exists(os.path.join(root, "unlisted")):
        time.sleep(0.5)
        answer({"items": [], "skipped": 0, "next": str(time.monotonic())})
    elif method == "Enumerate": answer''',
    )
    .replace(
        '    else: refuse(',
        """\
    elif method == "Read":
        with os.fdopen(pipes.pop(0), "wb", 0) as pipe, open(os.path.join(root, parameters["locator"]), "rb") as file:
            file.seek(parameters["offset"])
            data = memoryview(file.read())
            half = len(data) // 2
            try:
                for part in (data[:half], data[half:]):
                    while part: part = part[pipe.write(part):]
                    halts = [os.path.join(root, n) for n in ("halt", parameters["locator"] + ".halt")]
                    while any(os.path.exists(halt) for halt in halts): time.sleep(0.02)
            except BrokenPipeError: pass
        answer({})
    else: refuse(""",
    )
)


def install_halting(house):
    """Allows libraries on the backend `halting`."""
    path = house.programs / "halting.plugin"
    if not path.exists():
        path.write_text(HALTING)
        os.chmod(path, 0o755)
    return "halting"


# Like `halting`, with added files and range reads, which it logs. An added file appears at once,
# but its answer waits while the folder holds `hold`.
DISTANT = (
    HALTING.replace('"isReadOnly": True', '"isReadOnly": False, "ranges": True')
    .replace("file.read()", 'file.read(length)')
    .replace(
        '    elif method == "Read":\n',
        """\
    elif method == "Add":
        locator = "PhotoBroker/" + parameters["name"]
        with os.fdopen(pipes.pop(0), "rb") as contents, open(os.path.join(root, "PhotoBroker/.new"), "wb") as file:
            file.write(os.pread(contents.fileno(), parameters["size"], 0))
        os.rename(os.path.join(root, "PhotoBroker/.new"), os.path.join(root, locator))
        while os.path.exists(os.path.join(root, "hold")): time.sleep(0.02)
        answer({"item": item(locator)})
    elif method == "Read":
        length = parameters.get("length") or os.path.getsize(os.path.join(root, parameters["locator"]))
        with open(os.environ["TMPDIR"] + "/read.log", "a") as log:
            log.write(json.dumps([parameters["locator"], length]) + "\\n")
""",
    )
)


class Distant:
    """The backend `distant` on one library's folder."""

    def __init__(self, broker, folder=None):
        self.broker, self.folder = broker, folder
        path = broker.house.programs / "distant.plugin"
        if not path.exists():
            path.write_text(DISTANT)
            path.chmod(0o755)

    def reads(self, *names):
        """The length of each read of these files so far, by processes that still run."""
        found = []
        for log in self.broker.state.glob("scratch/*/read.log"):
            try:
                found += [json.loads(line) for line in log.read_text().rpartition("\n")[0].splitlines()]
            except FileNotFoundError:
                pass
        return [length for name, length in found if name in names]

    def put(self, name, start, size):
        """Adds a picture with zeros before its end, which take no room on the disk. It appears at once."""
        path = self.folder / f".{name}"
        path.write_bytes(start.removesuffix(b"\xff\xd9"))
        with open(path, "r+b") as file:
            file.truncate(size - 2)
            file.seek(size - 2)
            file.write(b"\xff\xd9")
        path.chmod(0o644)
        os.rename(path, self.folder / name)


# The album policy `asked`, which decides like `shared-read`. It logs its questions, and does not
# answer one with an album titled `Gate` while a file says so.
ASKED = (
    SHARED[: SHARED.index("def item(")]
    + r'''
for method, parameters in calls():
    if method == "Start": answer({"kit": 1})
    elif method == "DecideAlbums":
        albums = parameters["albums"]
        with open(os.environ["TMPDIR"] + "/asked.log", "a") as log:
            log.write(json.dumps(sorted(a["title"] for a in albums)) + "\n")
        while any(a["title"] == "Gate" for a in albums) and os.path.getsize("@GATE@"): time.sleep(0.02)
        own = [a["identifier"] for a in albums if a["isOwn"]]
        shown = [a["identifier"] for a in albums if a["isShared"]]
        answer({"visible": own + shown, "editable": own, "mayCreate": True})
    else: refuse("unsupported")
'''
)


class RecordingPolicy:
    """Installs the policy, for one test at a time."""

    def __init__(self, broker):
        self.broker, self.gate = broker, broker.house.programs / "asked.gate"
        self.gate.write_text("")
        self.gate.chmod(0o666)
        path = broker.house.programs / "asked.plugin"
        path.write_text(ASKED.replace("@GATE@", str(self.gate)))
        path.chmod(0o755)
        self.taken = {}
        self.new_questions()

    def new_questions(self):
        """The questions since the last call, as lists of titles."""
        new = []
        # Each process logs to its own scratch folder, the only one that it may write. The logs are
        # not erased, because a line written meanwhile would be lost.
        for log in sorted(self.broker.state.glob("scratch/*/asked.log")):
            try:
                whole = log.read_text().rpartition("\n")[0]
            except FileNotFoundError:
                continue
            questions = [json.loads(line) for line in whole.splitlines()]
            new += questions[self.taken.get(log, 0) :]
            self.taken[log] = len(questions)
        return new


# A plugin in Swift: the storage and the album policy "shelf", which report their version.
SHELF = r'''
import Glibc
import PhotoModel
import PluginKit

final class Shelf: StorageBackend {
  private let path: String
  private var isNew = true
  init(options: PluginOptions) throws(PluginError) {
    path = options["path"] ?? "/"
    fputs("shelf @VERSION@ begins\n", stderr)
    if path.hasSuffix("/noise") { for number in 0..<5_000 { fputs("noise \(number)\n", stderr) } }
  }
  func facts() throws(PluginError) -> StorageFacts {
    StorageFacts(root: path, changeDetection: .rescan, isReadOnly: true, notice: "version @VERSION@")
  }
  func enumerate(page: String?) throws(PluginError) -> ItemPage {
    var items: [StorageItem] = []
    guard let folder = opendir(path) else { throw PluginError(.offline, "The folder is away.") }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var facts = stat()
      guard name.hasSuffix(".jpg"), stat(path + "/" + name, &facts) == 0 else { continue }
      items.append(StorageItem(primary: ItemFile(
        role: .original, locator: name, filename: name, size: Int64(facts.st_size),
        contentVersion: "\(facts.st_mtim.tv_sec)", identityHint: "\(facts.st_ino)",
        modified: Timestamp(microseconds: Int64(facts.st_mtim.tv_sec) * 1_000_000))))
    }
    closedir(folder)
    return ItemPage(items: items, skipped: 0, next: nil)
  }
  func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool {
    defer { isNew = false }
    if !isNew { usleep(UInt32(milliseconds) * 1_000) }
    return isNew
  }
  func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem {
    throw PluginError(.readOnly, "No.")
  }
  func trash(locator: String) throws(PluginError) { throw PluginError(.readOnly, "No.") }
  func restore(locator: String) throws(PluginError) { throw PluginError(.readOnly, "No.") }
}

final class ShelfPolicy: AlbumPolicy {
  init(options: PluginOptions) throws(PluginError) {}
  func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let shown = question.albums.filter { $0.isShared && $0.title.hasPrefix("@VERSION@") }
    return AlbumPolicyAnswer(visible: Set(shown.map(\.identifier)), editable: [], mayCreate: false)
  }
}

@_cdecl("photobroker_plugin_kit") public func kit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }
@_cdecl("photobroker_plugin_register") public func register(_ registry: UnsafeMutableRawPointer) {
  let registry = PluginRegistry.from(registry)
  registry.add(
    storage: "shelf", Shelf.self,
    options: [PluginOption("path", .path, summary: "The folder.")@OPTION@], summary: "A shelf.")
  @POLICY@
}
'''
POLICY = 'registry.add(albumPolicy: "shelf", ShelfPolicy.self, summary: "Shared albums of this version.")'


OPTION = ', PluginOption("colour", .choice(["red", "blue"]), summary: "Its colour.")'


def compile_shelf(bin, folder, version, with_policy=True, with_option=False):
    """Compiles a version of `libshelf.so` from a source outside of the repository."""
    folder.mkdir(parents=True)
    parts = {
        "@VERSION@": str(version),
        "@POLICY@": POLICY if with_policy else "",
        "@OPTION@": OPTION if with_option else "",
    }
    text = SHELF
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return compile_swift(bin, folder, "shelf", text)


def compile_swift(bin, folder, name, text, *arguments):
    """Compiles `libNAME.so` from one Swift source."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name.capitalize()}.swift"
    source.write_text(text)
    made = subprocess.run(
        [
            "swiftc",
            "-emit-library",
            "-module-name",
            name.capitalize(),
            "-I",
            bin / "Modules",
            "-L",
            bin,
            "-lPluginKit",
            source,
            "-o",
            folder / f"lib{name}.so",
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert made.returncode == 0, made.stderr
    return folder / f"lib{name}.so"


# Like the shelf, with bytes through a pipe. A call never returns while the folder holds its file:
# `stall-list`, `stall-watch`, `stall-read` or `stall-trash`. It holds a lock that a program's exit
# takes.
STALLING = (
    SHELF.replace('"shelf"', '"stalling"')
    .replace("root: path,", "root: nil,")
    .replace("isReadOnly: true", "isReadOnly: false")
    .replace(
        "  func enumerate(page",
        '''  private func stall(_ call: String) {
    guard access(path + "/stall-" + call, F_OK) == 0 else { return }
    flockfile(stdout)
    while access(path + "/stall-" + call, F_OK) == 0 { usleep(20_000) }
    funlockfile(stdout)
  }
  func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError) {
    stall("read")
    let file = open(path + "/" + locator, O_RDONLY)
    guard file >= 0 else { throw PluginError(.notFound, "It is not there.") }
    defer { close(file) }
    lseek(file, Int(offset), SEEK_SET)
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = Glibc.read(file, &piece, piece.count), count > 0 {
      guard write(pipe, piece, count) == count else { throw PluginError(.failed, "Nobody reads.") }
    }
  }
  func enumerate(page''',
    )
    .replace("    var items: [StorageItem] = []\n", '    stall("list")\n    var items: [StorageItem] = []\n')
    .replace("    defer { isNew = false }\n", '    stall("watch")\n    defer { isNew = false }\n')
    .replace(
        'func trash(locator: String) throws(PluginError) { throw PluginError(.readOnly, "No.") }',
        '''func trash(locator: String) throws(PluginError) {
    stall("trash")
    guard rename(path + "/" + locator, path + "/.trash-" + locator) == 0 || errno == ENOENT else {
      throw PluginError(.offline, "Not moved.")
    }
  }''',
    )
    .replace(
        'func restore(locator: String) throws(PluginError) { throw PluginError(.readOnly, "No.") }',
        '''func restore(locator: String) throws(PluginError) {
    stall("restore")
    guard rename(path + "/.trash-" + locator, path + "/" + locator) == 0 else {
      throw PluginError(.notFound, "Not there.")
    }
  }''',
    )
    .replace("@VERSION@", "1")
    .replace("@OPTION@], ", "], capabilities: [.read, .trash], ")
    .replace("  @POLICY@\n", "")
    .replace('name.hasSuffix(".jpg"), stat', 'name.hasSuffix(".jpg"), !name.hasPrefix("."), stat')
)


def compile_c(folder, name, source, *arguments):
    """Compiles `libNAME.so` from C, for libraries that no Swift compiler would make."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.c").write_text(source)
    made = subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", folder / f"lib{name}.so", folder / f"{name}.c", *arguments],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    return folder / f"lib{name}.so"


# A program with given answers; it describes itself with `@DESCRIPTION@`.
PROGRAM = r'''#!/usr/bin/python3
import json, socket
channel = socket.socket(fileno=3)
def calls():
    data = b""
    while True:
        while b"\0" in data:
            message, data = data.split(b"\0", 1)
            yield json.loads(message)["method"].rsplit(".", 1)[1]
        piece = channel.recv(65536)
        if not piece: return
        data += piece
for method in calls():
    @ANSWER@
'''


def write_program(path, answer):
    """Writes a program NAME.plugin that answers each call with this Python code."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROGRAM.replace("@ANSWER@", answer))
    path.chmod(0o755)
    return path


def follow_page(page, place, environment):
    """Follows a page's files and indented commands. Returns the number of steps."""
    steps = re.findall(
        r"^`([^`\n]+)`[^\n]*:\n\n```swift\n(.*?)^```|^((?:    [^\n]+\n)+)", page.read_text(), re.MULTILINE | re.DOTALL
    )
    for name, text, commands in steps:
        if name:
            (place / name).write_text(text)
        else:
            done = subprocess.run(
                ["bash", "-euc", commands], cwd=place, env=environment, capture_output=True, text=True, timeout=600
            )
            assert done.returncode == 0, commands + done.stdout + done.stderr
    return len(steps)
