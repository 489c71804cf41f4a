"""Descriptors of every kind, handed to every method that takes one.

Files that grow, folders, sockets, pipes and devices are accepted, or refused by a specific error,
soon. None stays open. The methods come from the daemon's own interface descriptions.
"""

import time
import threading
import tempfile
import shutil
import socket
import base64

import os
import pytest
from photobroker import VarlinkError

from house.broker import Album
from house.interfaces import Interface
from house.pictures import day, jpeg

LIBRARY, ADMIN = "io.photobroker.Library", "io.photobroker.Admin"
# More often than media workers have descriptors.
REPEATS = 16
# Kinds that no method accepts.
USELESS = [
    "directory",
    "socket",
    "listening socket",
    "FIFO without a writer",
    "pipe that ends early",
    "device",
    "event",
    "memory",
    "write only",
    "path only",
    "empty file",
]


def send_descriptor(agent, kind, method, parameters, data):
    """Send a descriptor to a method; return the answer and its delay in seconds."""
    data = base64.b64decode(data)
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "file")
    keep = []
    if kind == "directory":
        descriptor = os.open(folder, os.O_RDONLY)
    elif kind == "socket":
        one, other = socket.socketpair()
        keep += [one, other]
        descriptor = os.dup(one.fileno())
    elif kind == "listening socket":
        one = socket.socket(socket.AF_UNIX)
        one.bind(path)
        one.listen()
        keep.append(one)
        descriptor = os.dup(one.fileno())
    elif kind == "FIFO without a writer":
        os.mkfifo(path)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    elif kind == "pipe":
        descriptor, writer = os.pipe()
        threading.Thread(target=lambda: (os.write(writer, data), os.close(writer))).start()
    elif kind == "pipe that ends early":
        descriptor, writer = os.pipe()
        os.write(writer, data[:30])
        os.close(writer)
    elif kind == "device":
        descriptor = os.open("/dev/zero", os.O_RDONLY)
    elif kind == "event":
        descriptor = os.eventfd(1)
    elif kind == "memory":
        descriptor = os.memfd_create("nothing")
    else:
        with open(path, "wb") as file:
            file.write(b"" if kind == "empty file" else data)
        os.chmod(path, 0o600)
        descriptor = os.open(path, {"write only": os.O_WRONLY, "path only": os.O_PATH}.get(kind, os.O_RDONLY))
        if kind == "growing file":

            def grow():
                with open(path, "ab") as file:
                    end = time.monotonic() + 1.5
                    while time.monotonic() < end:
                        file.write(b"more" * 64)
                        file.flush()

            threading.Thread(target=grow).start()
    begun = time.monotonic()
    try:
        # A new connection takes no descriptor before its first answer.
        agent.connection().call("org.varlink.service.GetInfo")
        answer = ["answered", agent.connection().call(method, descriptors=[descriptor], **parameters)]
    except VarlinkError as error:
        answer = [error.name.rsplit(".", 1)[-1], error.parameters]
    os.close(descriptor)
    shutil.rmtree(folder)
    del keep
    return [*answer, time.monotonic() - begun]


def takes_descriptor(kind, types):
    if isinstance(kind, list):
        return len(kind) == 2 and takes_descriptor(kind[1], types)
    fields = kind if isinstance(kind, dict) else types.get(kind)
    return isinstance(fields, dict) and (
        "descriptor" in fields or any(takes_descriptor(field, types) for field in fields.values())
    )


def calls(scene):
    """Return every method that takes a descriptor, with its caller and other parameters."""
    credentials = [{"option": "password", "descriptor": 0}]
    folder = Album(scene.house, f"{scene.library}-more", scene.owner.uid).folder
    return {
        f"{LIBRARY}.AddAsset": (scene.app, {"filename": "added.jpg", "descriptor": 0}),
        f"{LIBRARY}.PerformChanges": (
            scene.app,
            {"changes": [{"kind": "createAsset", "filename": "added.jpg", "descriptor": 0}]},
        ),
        f"{ADMIN}.AddLibrary": (
            scene.owner,
            {"name": f"{scene.library}-more", "options": {"path": str(folder)}, "credentials": credentials},
        ),
        f"{ADMIN}.SetUpLibrary": (scene.owner, {"name": scene.library, "credentials": credentials}),
        f"{ADMIN}.InstallPlugin": (
            scene.broker.owner(0),
            {"name": f"odd-{scene.owner.uid}", "form": "program", "descriptor": 0, "preview": True},
        ),
    }


def test_every_descriptor_method_handles_every_kind_of_descriptor(scene):
    scene.let_broker_add()
    scene.allow()
    taking = set()
    for person, name in ((scene.app, LIBRARY), (scene.app, "io.photobroker.Picker"), (scene.owner, ADMIN)):
        interface = Interface.of(person, name)
        taking |= {
            f"{name}.{method}"
            for method, fields in interface.methods.items()
            if takes_descriptor(fields, interface.types)
        }
    rows = calls(scene)
    assert taking == set(rows)
    data = base64.b64encode(b"neither a photo nor a program\n" * 40).decode()
    before = scene.broker.settled_descriptor_count()
    for method, (person, parameters) in rows.items():
        for kind in [*USELESS, "growing file", "file"]:
            answer, more, seconds = person.run(
                send_descriptor, kind=kind, method=method, parameters=parameters, data=data
            )
            told = (method, kind, answer, more)
            assert answer in ("PhotosError", "InvalidParameter", "Refused"), told
            if answer != "InvalidParameter":
                assert more["message"].endswith("."), told
            assert seconds < 20, told
            assert person.call("org.varlink.service.GetInfo")["vendor"], told
    assert scene.app.count() == len(scene.pictures) and scene.owner.library(f"{scene.library}-more") is None
    assert f"odd-{scene.owner.uid}" not in {p["name"] for p in scene.broker.owner(0).call("ListPlugins")["plugins"]}
    most = before + 2 + 4 * 3
    assert scene.broker.wait_until_descriptors(most) <= most, "none of them stays open"


@pytest.mark.parametrize("kind", ["file", "pipe", "growing file", *USELESS])
def test_adding_handles_every_kind_of_descriptor(scene, kind):
    scene.let_broker_add()
    scene.allow()
    picture = base64.b64encode(jpeg(day(40), b"new", padding=5_000)).decode()
    before = scene.broker.settled_descriptor_count()
    adding = dict(
        kind=kind, method=f"{LIBRARY}.AddAsset", parameters={"filename": "added.jpg", "descriptor": 0}, data=picture
    )
    answer, more, seconds = scene.app.run(send_descriptor, **adding)
    # A pipe that ends early gives a photo without its end.
    if kind in ("file", "pipe", "pipe that ends early"):
        assert answer == "answered", (kind, answer, more)
        assert scene.app.digest(more["localIdentifier"])
    elif kind == "growing file":
        # A growing file is taken at its size of that moment, or refused.
        assert answer == "answered" or more["reason"] == "invalidResource", (answer, more)
    else:
        assert answer in ("PhotosError", "InvalidParameter"), (kind, answer, more)
        if answer == "PhotosError":
            assert more["reason"] in ("invalidResource", "operationInterrupted") and more["message"].endswith("."), (
                kind,
                more,
            )
        assert scene.app.count() == len(scene.pictures)
    assert seconds < 8
    again = REPEATS if seconds < 0.5 else 0
    for _ in range(again):
        scene.app.run(send_descriptor, **adding)
    # Allowed: the app's connection, the watched copy it received, and four media workers with three
    # descriptors each. A leak at each call would exceed that.
    most = before + 2 + 4 * 3
    assert scene.broker.wait_until_descriptors(most) <= most, "none of them stays open"
    assert not [p for p in (scene.album.folder / "PhotoBroker").iterdir() if p.suffix == ".part"]
