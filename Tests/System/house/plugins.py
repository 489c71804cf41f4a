"""A storage backend of the tests: a folder in which what lies below `shared` is what another library shares into this one."""
import os

SHARED = r'''#!/usr/bin/python3
import json, os, socket, time
channel = socket.socket(fileno=3)
def send(message): channel.sendall(json.dumps(message).encode() + b"\0")
def answer(parameters): send({"parameters": parameters})
def refuse(code): send({"error": "io.photobroker.Plugin.PluginError", "parameters": {"code": code, "message": "This backend does not."}})
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
        "modified": facts.st_mtime_ns // 1000}], "source": "cloudShared" if name.startswith("shared/") else "userLibrary"}
def names():
    return sorted(os.path.relpath(os.path.join(place, f), root) for place, _, files in os.walk(root) for f in files if f.endswith(".jpg"))
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
    """Lets libraries be made on the backend `shared`."""
    path = house.programs / "shared.plugin"
    if not path.exists():
        path.write_text(SHARED)
        os.chmod(path, 0o755)
    return "shared"
