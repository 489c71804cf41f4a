"""A correct policy and mapping, and bugs for `photobroker plugin check` to find."""

import pathlib
import tempfile

PROGRAM = r'''#!/usr/bin/python3
import base64, hashlib, json, os, socket, time
channel = socket.socket(fileno=3)
def answer(parameters): channel.sendall(json.dumps({"parameters": parameters}).encode() + b"\0")
def refuse(code):
    reply = {"error": "io.photobroker.Plugin.PluginError", "parameters": {"code": code, "message": "No."}}
    channel.sendall(json.dumps(reply).encode() + b"\0")
def calls():
    data = b""
    while True:
        while b"\0" in data:
            message, data = data.split(b"\0", 1)
            try:
                call = json.loads(message)
                yield call["method"].rsplit(".", 1)[1], call.get("parameters", {})
            except (ValueError, TypeError, KeyError, RecursionError): refuse("failed")
        piece = channel.recv(1 << 20)
        if not piece: return
        data += piece
def sha(*words): return hashlib.sha256("\0".join(map(str, words)).encode("utf8", "surrogatepass")).hexdigest()
def date(created): return created // 86_400_000_000
def seen(application): return application
def asset(application, digest): return sha("asset", application, digest)
def album(application, title, created): return sha("album", application, title, date(created))
def decide(albums):
    own = [a["identifier"] for a in albums if a["isOwn"]]
    shared = [a["identifier"] for a in albums if a["isShared"]]
    return {"visible": own + shared, "editable": own, "mayCreate": True}
def names(application, items):
    found = []
    for item in items:
        if item.get("digest") is None: found.append(album(application, item["title"] + "", item["created"] + 0))
        elif len(bytes.fromhex(item["digest"])) != 32: raise ValueError
        else: found.append(asset(application, item["digest"]))
    return found
@BUG@
for method, asked in calls():
    try:
        if method == "Describe":
            answer({"kit": 1, "plugins": [{"protocol": "@PROTOCOL@", "name": "planted", "summary": "A test.",
                "options": []}]})
        elif method == "Start": answer({"kit": 1})
        elif method == "DecideAlbums":
            asked["isLimited"]
            albums = [(a["identifier"] + a["title"], a["isOwn"], a["isShared"]) and a for a in asked["albums"]]
            answer(decide(albums))
        elif method == "NameItems": answer({"names": names(seen(asked["application"] + ""), asked["items"])})
        else: refuse("unsupported")
    except (KeyError, TypeError, ValueError, AttributeError): refuse("failed")
'''

# Each bug, with the check that finds it.
POLICIES = {
    "may create by albums": (
        "one-album-alone",
        """
right = decide
def decide(albums): return {**right(albums), "mayCreate": not albums or any(a["isOwn"] for a in albums)}""",
    ),
    "one album of each title": (
        "equal-titles",
        """
right = decide
def decide(albums): return right(list({a["title"]: a for a in albums}.values()))""",
    ),
}
MAPPINGS = {
    "digest in base 64": (
        "names-tell-nothing",
        """
def asset(application, digest): return sha(application)[:8] + base64.b64encode(bytes.fromhex(digest)).decode()""",
    ),
    "digest backwards": (
        "names-tell-nothing",
        "def asset(application, digest): return sha(application)[:8] + digest[::-1]",
    ),
    "title in the name": (
        "names-tell-nothing",
        """
right = album
def album(application, title, created):
    return right(application, title, created) + title.encode("utf8", "surrogatepass").hex()[:100]""",
    ),
    "application in lower case": ("other-application-other-names", "def seen(application): return application.lower()"),
    "end of the application": (
        "other-application-other-names",
        'def seen(application): return application.split(".")[-1]',
    ),
    "salted by the time zone": (
        "same-names-again",
        """
def date(created): return time.strftime("%F", time.localtime(max(0, min(created // 1_000_000, 4_000_000_000))))""",
    ),
    "last of a thousand": (
        "a-thousand-at-once",
        """
right = names
def names(application, items): return right(application, items[:999]) + [""] * max(0, len(items) - 999)""",
    ),
    "no album": ("no-two-alike", 'def album(application, title, created): return ""'),
}


def planted(protocol, bug=""):
    return PROGRAM.replace("@PROTOCOL@", protocol).replace("@BUG@", bug)


def plant(house, protocol, bug=""):
    """Writes the program to a folder of its own."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="planted-", dir=house.folder)) / "planted.plugin"
    path.parent.chmod(0o755)
    path.write_text(planted(protocol, bug))
    path.chmod(0o755)
    return path
