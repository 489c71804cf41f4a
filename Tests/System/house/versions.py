"""Kept versions: a version's state with its pictures, its interfaces, its clients, and its answers.

scripts/keep-version makes `Tests/System/versions/VERSION.tar.xz`, with the folders state, pictures,
interfaces and clients, and with `transcript.json`. test_versions.py reads it with today's broker.
"""

import contextlib
import json
import lzma
import pathlib
import platform
import re
import shutil
import sqlite3
import subprocess
import tarfile
import time

from .app import encoded
from .broker import Album
from .clock import ClockBroker
from .person import ADMIN, LIBRARY, PICKER, Refused, wait_for
from .pictures import ROOT, day, jpeg

VERSIONS = ROOT / "Tests/System/versions"
INTERFACES = ROOT / "Sources/BrokerInterface/Interfaces"
CLIENTS = ROOT / "Examples/python"
SWIFT_CLIENT = ROOT / "Examples/journal"
OWNER, APP = 60_901, 60_902
JOURNAL = "io.photobroker.example.journal"
# The pictures' folder in the kept state. Each broker has it in a mount namespace of its own.
PLACE = "/srv/pictures"
MOUNT = f'mount -t tmpfs -o mode=755 none /srv && mkdir {PLACE} && mount --bind "$0" {PLACE} && exec "$@"'
# Replies that depend on the machine or may grow: only their fields and types are kept.
TYPES_ONLY = {"GetStatus", "GetLimits", "DescribeAccess", "GetThumbnail", "OpenResource"}
# Fields that depend on the moment, and texts for people.
OF_THE_MOMENT = {"connections", "indexed", "toIndex", "revision", "sent", "message"}


class KeptBroker(ClockBroker):
    """A broker with a picture folder at the kept path, and with the clock of the version's day."""

    def __init__(self, house, pictures):
        super().__init__(house, f"kept-{house.fresh_uid()}")
        self.before = ["unshare", "--mount", "--propagation=private", "sh", "-c", MOUNT, pictures]

    @classmethod
    def of(cls, house, kept):
        """A broker of today with copies of a kept state and its pictures."""
        place = house.make_folder(f"version-{house.fresh_uid()}", 0, mode=0o755)
        subprocess.run(["cp", "-a", kept / "pictures", place], check=True)
        broker = cls(house, place / "pictures")
        shutil.rmtree(broker.state)
        subprocess.run(["cp", "-a", kept / "state", broker.state], check=True)
        broker.move(transcript_of(kept)["time"] + 60 - int(time.time()))
        return broker


def unpacked(house, archive):
    """Unpack a kept version, with the files' users and times."""
    kept = house.make_folder(f"kept-{house.fresh_uid()}", 0, mode=0o755)
    with tarfile.open(archive) as files:
        files.extractall(kept, numeric_owner=True)
    return kept


def transcript_of(kept):
    return json.loads((kept / "transcript.json").read_text())


def make_state(house):
    """Make a state with decisions of all kinds. Return its broker, its pictures, and the calls to keep."""
    album = Album(house, f"pictures-{house.fresh_uid()}", OWNER)
    names = [path.name for path in album.fill(8)]
    album.let_broker_add()
    album.folder.chmod(0o770)
    broker = KeptBroker(house, album.folder).start()
    owner, app, other = broker.owner(OWNER), broker.app(APP), broker.app(APP)
    owner.add_library("photos", PLACE, [APP], len(names))
    owner.show_requests()
    terms = {"location": False, "captions": True, "deletions": "allow", "photosPerDay": 200}
    app.introduce()
    owner.set("photos", app.name, "limited", terms=terms, albumPolicy="own")
    owner.select("photos", app.name, *names[:5])
    assert app.request() == "limited"
    other.introduce("org.example.former")
    owner.set("photos", other.name, "authorized")
    assert other.request() == "authorized"
    owner.call("Revoke", library="photos", app=other.name)
    rule = {"library": "photos", "uid": APP, "level": "readWrite"}
    chosen = [{"createdFrom": int(day(2).timestamp() * 1_000_000)}]
    rules = [
        {**rule, "name": "diary", "identifier": JOURNAL, "answer": "select", "select": chosen},
        {**rule, "name": "script", "identifier": f"{JOURNAL}-python", "answer": "select", "select": chosen},
        {**rule, "name": "strangers", "identifier": "org.example.stranger", "answer": "deny"},
    ]
    owner.call("Apply", rules=rules)
    known = {asset["filename"]: asset["identifier"] for asset in owner.assets("photos")}
    owner.call("EditOwnedAlbum", library="photos", title="Summer", add=owner.naming("photos", names[1:3]))
    for name, mark in ((names[1], "favorite"), (names[6], "hidden"), (names[7], "neverShare")):
        owner.call("MarkAssets", library="photos", selector=owner.naming("photos", [name]), **{mark: True})
    owner.call("EditAsset", library="photos", asset=known[names[0]], caption="The bridge at noon")
    child = owner.call("MintToken", library="photos", app=app.name, level="readWrite", name="helper")
    mine = app.identifiers()
    app.change("setFavorite", assets=[mine[names[2]]], favorite=True)
    app.change("createAlbum", text="Pages")
    app.delete(names[4])
    app.digest(mine[names[0]])
    app.digest_inline(mine[names[1]])
    token = app.call("FetchPersistentChanges")["event"]["changeToken"]
    cloud = app.call("GetCloudIdentifiers", localIdentifiers=[mine[names[0]]])["mappings"][0]["cloudIdentifier"]
    tokens = {"app": app.own_token, "grant": app.token, "child": child["token"], "former": other.token}
    return broker, album.folder, calls(app.name, mine, known, names, tokens, token, cloud)


def calls(app, mine, known, names, tokens, change_token, cloud):
    """The calls to replay. `$Method.path` is a value of the latest reply of that method."""
    first, second = mine[names[0]], mine[names[1]]
    page = {"filename": "page.jpg", "contents": encoded(jpeg(None, note=b"page")), "dryRun": True}
    unmark = {"kind": "setFavorite", "assets": [second], "favorite": False}
    stranger = {"identifier": "org.example.stranger", "name": "Stranger", "NSPhotoLibraryUsageDescription": "x"}
    picked = {"picker": "$ListPickers.pickers.0.picker", "assets": [known[names[0]], known[names[5]]]}
    steps = [("owner", ADMIN + name, {}) for name in ("GetStatus", "ListLibraries", "ListApps", "ListGrants")]
    steps += [("owner", ADMIN + name, {}) for name in ("ListTokens", "ListRules", "ListOffers", "ListPrompts")]
    steps += [("owner", ADMIN + "ListDecisions", {"library": "photos", "limit": 100})]
    steps += [
        ("owner", ADMIN + name, {"library": "photos"})
        for name in ("ReadLedger", "VerifyLedger", "ListOwnedAlbums", "FetchOwnedAssets", "FetchTrashedAssets")
    ]
    steps += [("owner", ADMIN + "FetchOwnedAssets", {"library": "photos", "app": app})]
    steps += [("owner", ADMIN + "GetOwnedDetails", {"library": "photos", "asset": known[name]}) for name in names[:4]]
    # Each token of the version, and one that was revoked.
    for token in ("former", "child", "app", "grant"):
        steps.append(("app", LIBRARY + "Attach", {"token": tokens[token]}))
    steps += [("app", LIBRARY + name, {}) for name in ("ListLibraries", "FetchAssets", "FetchVersions", "CountAssets")]
    steps += [("app", LIBRARY + name, {}) for name in ("FetchAlbums", "GetLimits", "LevelUnawareAuthorizationStatus")]
    steps += [
        ("app", LIBRARY + "GetAuthorizationStatus", {"level": "readWrite"}),
        ("app", LIBRARY + "DescribeAccess", {"level": "readWrite"}),
        ("app", LIBRARY + "FetchPersistentChanges", {"since": change_token}),
        ("app", LIBRARY + "GetLocalIdentifiers", {"cloudIdentifiers": [cloud]}),
        ("app", LIBRARY + "GetCloudIdentifiers", {"localIdentifiers": [first]}),
        # A photo that the app may not see.
        ("app", LIBRARY + "GetDetails", {"asset": known[names[5]]}),
        ("app", LIBRARY + "ReadBytes", {"asset": first, "offset": 0, "length": 100}),
        ("app", LIBRARY + "OpenResource", {"asset": first, "role": "original"}),
        ("app", LIBRARY + "StreamResource", {"asset": second}, "more"),
        ("app", LIBRARY + "ObserveChanges", {}, "more"),
        ("app", LIBRARY + "GetThumbnail", {"asset": first, "maxPixels": 64, "inline": True}),
        ("app", LIBRARY + "GetResources", {"asset": first}),
        ("app", LIBRARY + "GetDetails", {"asset": first}),
        ("app", LIBRARY + "BeginUpload", {}),
        ("app", LIBRARY + "AppendUpload", {"upload": "$BeginUpload.upload", "data": "AAAA"}),
        ("app", LIBRARY + "AddAsset", page),
        ("app", LIBRARY + "PerformChanges", {"changes": [unmark]}),
        ("app", LIBRARY + "MintChildToken", {"name": "page"}),
        ("app", LIBRARY + "RequestAuthorization", {"level": "readWrite"}),
        ("app", LIBRARY + "LevelUnawareRequestAuthorization", {}),
        ("app", PICKER + "Present", {"identifiers": True, "selectionLimit": 2}, "begin"),
        ("owner", ADMIN + "ListPickers", {}, "until pickers"),
        ("owner", ADMIN + "AnswerPicker", picked),
        ("app", PICKER + "Present", {}, "hear"),
        ("app", PICKER + "LoadItem", {"item": "$Present.results.0.item"}),
        ("app", PICKER + "ReadItem", {"item": "$Present.results.0.item", "offset": 0, "length": 100}),
        ("app", LIBRARY + "PresentLimitedLibraryPicker", {}, "begin"),
        ("owner", ADMIN + "ListPrompts", {}, "until prompts"),
        ("owner", ADMIN + "AnswerPrompt", {"prompt": "$ListPrompts.prompts.0.prompt", "answer": "cancel"}),
        ("app", LIBRARY + "PresentLimitedLibraryPicker", {}, "hear"),
        ("stranger", LIBRARY + "Introduce", {"manifest": stranger}),
        # The version's rule answers.
        ("stranger", LIBRARY + "RequestAuthorization", {"level": "readWrite"}),
        ("owner", ADMIN + "UndoDecision", {"decision": "$ListDecisions.decisions.0.decision"}),
    ]
    return [dict(zip(("who", "method", "parameters", "how"), step)) for step in steps]


def replay(broker, steps):
    """Perform the calls, and return the reply or the refusal of each."""
    people = {"owner": broker.owner(OWNER), "app": broker.app(APP), "stranger": broker.app(APP)}
    people["owner"].wait_for_library("photos")
    people["owner"].show_requests()
    latest, replies = {}, []
    for number, step in enumerate(steps):
        person, method, how = people[step["who"]], step["method"], step.get("how", "call")
        parameters = resolved(step["parameters"], latest)
        parameters = {key: value for key, value in parameters.items() if value is not None}
        try:
            if how == "begin":
                person.begin(method, **parameters)
                reply = {}
            elif how == "hear":
                reply = person.hear()
            elif how == "more":
                reply = person.watch(f"{number}", method, **parameters)
            elif how.startswith("until "):
                wanted = how.removeprefix("until ")
                reply = wait_for(lambda: (r := person.call(method, **parameters))[wanted] and r, wanted)
            else:
                reply = person.call(method, **parameters)
        except Refused as refused:
            reply = {"refused": refused.name, **refused.parameters}
        if method == LIBRARY + "Attach" and step["who"] == "app" and "refused" not in reply:
            # Streams have connections of their own.
            person.order(do="attach_later", tokens=[parameters["token"]])
        reply.pop("descriptors", None)
        latest[method.rsplit(".", 1)[1]] = reply
        replies.append(reply)
    return replies


def resolved(value, latest):
    if isinstance(value, dict):
        return {key: resolved(inner, latest) for key, inner in value.items()}
    if isinstance(value, list):
        return [resolved(inner, latest) for inner in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    found, *path = value[1:].split(".")
    found = latest[found]
    for part in path:
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


def swift():
    """The compiler's version, on which its runtime depends, and the folder of that runtime."""
    said = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    toolchain = pathlib.Path(shutil.which("swift")).resolve().parents[1]
    return re.search(r"Swift version (\S+)", said)[1], toolchain / "lib/swift/linux"


def swift_client_name():
    """The name of the client that this machine's toolchain builds and runs."""
    return f"journal-swift-{swift()[0]}-{platform.machine()}"


def build_swift_client(house, folder):
    """Build the journal, and keep it without symbols."""
    built = house.make_folder("journal", 0)
    command = ["swift", "build", "-c", "release", "--manifest-cache", "none", "-debug-info-format", "none"]
    command += ["--scratch-path", built, "--package-path", SWIFT_CLIENT]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["strip", "--strip-all", "-o", folder / swift_client_name(), built / "release/journal"], check=True)


def kind(value):
    return {bool: "bool", int: "number", float: "number", str: "string", list: "list", dict: "object"}[type(value)]


def stable(first, second, types_only=False):
    """Return a reply with the parts that differ from run to run as `{"any": TYPE}`."""
    if isinstance(first, dict) and isinstance(second, dict):
        return {
            key: stable(first[key], second[key], types_only or key in OF_THE_MOMENT) for key in first if key in second
        }
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [stable(one, other, types_only) for one, other in zip(first, second)]
    return first if first == second and not types_only else {"any": kind(first)}


def differences(kept, today, place="reply"):
    """Name the parts of a kept reply that are missing or differ today. New fields are allowed."""
    if isinstance(kept, dict) and kept.keys() == {"any"}:
        return [] if kind(today) == kept["any"] else [f"{place} is no {kept['any']}"]
    if type(kept) is not type(today):
        return [f"{place} is no {kind(kept)}"]
    found = []
    if isinstance(kept, dict):
        for key, value in kept.items():
            missing = [f"{place}.{key} is missing"]
            found += differences(value, today[key], f"{place}.{key}") if key in today else missing
    elif isinstance(kept, list):
        if len(kept) != len(today):
            return [f"{place} has {len(today)} entries, and had {len(kept)}"]
        for number, (value, other) in enumerate(zip(kept, today)):
            found += differences(value, other, f"{place}.{number}")
    elif kept != today:
        found.append(f"{place} is {today!r}, and was {kept!r}")
    return found


def keep(house, version):
    """Keep a version by the house's programs, and return the archive."""
    broker, pictures, steps = make_state(house)
    transcript = {"time": int(time.time()), "steps": steps}
    assert broker.stop() == 0, broker.log
    broker.dismiss()
    # As on a file system that records no birth times: an unpacked state would count as a restored one.
    with contextlib.closing(sqlite3.connect(broker.state / "state.db")) as database, database:
        database.execute("UPDATE run SET floor_inode = 0, floor_born = 0")
    kept = house.make_folder("kept", 0)
    shutil.rmtree(broker.state / "scratch")
    subprocess.run(["cp", "-a", broker.state, kept / "state"], check=True)
    subprocess.run(["cp", "-a", pictures, kept / "pictures"], check=True)
    shutil.copytree(INTERFACES, kept / "interfaces")
    (kept / "clients").mkdir()
    for name in ("photobroker.py", "journal.py"):
        shutil.copyfile(CLIENTS / name, kept / "clients" / name)
    build_swift_client(house, kept / "clients")
    (kept / "transcript.json").write_text(json.dumps(transcript))
    runs = []
    for _ in range(2):
        again = KeptBroker.of(house, kept).start()
        runs.append(replay(again, steps))
        again.end()
    for step, first, second in zip(steps, *runs):
        step["reply"] = stable(first, second, step["method"].rsplit(".", 1)[1] in TYPES_ONLY)
    (kept / "transcript.json").write_text(json.dumps(transcript, indent=1, ensure_ascii=False) + "\n")
    archive = VERSIONS / f"{version}.tar.xz"
    # A program is a sixth smaller with the filter for its instructions.
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    with lzma.open(archive, "w", filters=filters) as packed, tarfile.open(fileobj=packed, mode="w") as files:
        for path in sorted(kept.iterdir()):
            files.add(path, path.name, filter=lambda entry: entry if entry.isreg() or entry.isdir() else None)
    return archive
