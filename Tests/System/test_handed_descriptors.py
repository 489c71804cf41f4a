"""Abilities with a received descriptor: of the app, of another user, of the broker's own user."""

import ctypes
import fcntl
import hashlib
import mmap
import os
import socket
import struct
import time

import pytest

from house.broker import BROKER
from house.person import wait_for


def try_everything(agent, descriptor):
    """Try to write, resize, unseal, lock and look beside; return each success beyond reading."""
    libc = ctypes.CDLL(None, use_errno=True)
    link, size = f"/proc/self/fd/{descriptor}", os.fstat(descriptor).st_size
    before = agent.digest_of_descriptor(descriptor)

    def checked(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "")
        return result

    def reopen(flags):
        return os.open(link, flags)

    def write_to(opened):
        os.pwrite(opened, b"x", 0)

    def map_and_write(opened, flags):
        mapped = checked(libc.mmap(None, 4096, 1, flags, opened, 0))
        checked(libc.mprotect(ctypes.c_void_p(mapped), 4096, 3))
        ctypes.memset(ctypes.c_void_p(mapped), 65, 1)

    def shared_write(opened):
        with mmap.mmap(opened, size, mmap.MAP_SHARED, mmap.PROT_WRITE | mmap.PROT_READ) as mapped:
            mapped[0:1] = b"x"

    libc.mmap.restype = ctypes.c_ssize_t
    tricks = {
        "write": lambda: write_to(descriptor),
        "append": lambda: os.write(descriptor, b"x"),
        "truncate": lambda: os.ftruncate(descriptor, 0),
        "truncate by path": lambda: os.truncate(link, 0),
        "grow": lambda: os.ftruncate(descriptor, size + 1),
        "allocate": lambda: os.posix_fallocate(descriptor, 0, size + 4096),
        "punch": lambda: checked(libc.fallocate(descriptor, 3, ctypes.c_long(0), ctypes.c_long(4096))),
        "reopen and write": lambda: write_to(reopen(os.O_RDWR)),
        "reopen to write": lambda: write_to(reopen(os.O_WRONLY)),
        "reopen and truncate": lambda: reopen(os.O_RDWR | os.O_TRUNC),
        "reopen and map": lambda: shared_write(reopen(os.O_RDWR)),
        "chmod and write": lambda: (os.fchmod(descriptor, 0o777), write_to(reopen(os.O_RDWR))),
        "map": lambda: shared_write(descriptor),
        "map and protect": lambda: map_and_write(descriptor, 1),
        "take": lambda: (
            os.fchown(descriptor, os.getuid(), -1) if os.fstat(descriptor).st_uid != os.getuid() else checked(-1)
        ),
        "set flags": lambda: (
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_RDWR | os.O_APPEND),
            os.write(descriptor, b"x"),
        ),
        "splice": lambda: os.splice(os.open("/dev/zero", os.O_RDONLY), descriptor, 10),
        "copy into": lambda: os.copy_file_range(descriptor, reopen(os.O_RDWR), 10, 0, 100),
        "make executable": lambda: (os.fchmod(descriptor, 0o755), os.access(link, os.X_OK) or checked(-1)),
        "link": lambda: os.link(link, f"/tmp/photobroker-{os.getpid()}-{descriptor}", follow_symlinks=True),
        "unlink": lambda: os.unlink(os.readlink(link)),
        "list": lambda: os.listdir(link),
        "parent": lambda: os.open("..", os.O_RDONLY, dir_fd=descriptor),
        "open beside": lambda: os.open("state.db", os.O_RDONLY, dir_fd=descriptor),
        "handle": lambda: checked(libc.open_by_handle_at(descriptor, struct.pack("Ii8s", 8, 1, bytes(8)), 0)),
    }
    worked = []
    for name, trick in tricks.items():
        try:
            trick()
            worked.append(name)
        except (OSError, ValueError):
            pass
    facts = os.fstat(descriptor)
    return {
        "worked": worked,
        "same": agent.digest_of_descriptor(descriptor) == before and os.fstat(descriptor).st_size == size,
        "label": os.readlink(link),
        "links": facts.st_nlink,
        "digest": before,
    }


def pass_descriptor(scene, holder):
    descriptor = scene.app.open(scene.app.named(scene.pictures[0])["localIdentifier"])
    path = f"/tmp/photobroker-{scene.app.uid}-{holder.uid}.sock"

    def take(agent, path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen()
        peer, _ = listener.accept()
        return socket.recv_fds(peer, 1, 1)[1][0]

    def give(agent, path, descriptor):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        socket.send_fds(peer, [b"x"], [descriptor])
        peer.close()

    holder.start(take, path=path)
    wait_for(lambda: os.path.exists(path), "the receiver")
    time.sleep(0.1)
    scene.app.run(give, path=path, descriptor=descriptor)
    os.unlink(path)
    return holder.hear()


@pytest.mark.parametrize(
    "who", ["the app", "another process of its user", "another user", "the broker's own user", "the owner"]
)
def test_R140_a_descriptor_can_only_be_read(scene, who):
    scene.allow()
    wanted = hashlib.sha256((scene.album.folder / scene.pictures[0]).read_bytes()).hexdigest()
    if who == "the app":
        holder, descriptor = scene.app, scene.app.open(scene.app.named(scene.pictures[0])["localIdentifier"])
    else:
        uid = {
            "another process of its user": scene.app.uid,
            "another user": None,
            "the broker's own user": BROKER,
            "the owner": scene.owner.uid,
        }[who]
        holder = scene.broker.stranger(uid=uid)
        descriptor = pass_descriptor(scene, holder)
    found = holder.run(try_everything, descriptor=descriptor)
    assert found["worked"] == [] and found["same"], found
    assert found["digest"] == wanted
    assert found["links"] == 0
    for told in (scene.album.folder.name, str(scene.owner.uid), *scene.pictures, scene.library):
        assert told not in found["label"], found["label"]
    assert scene.app.digest(scene.app.named(scene.pictures[0])["localIdentifier"]) == wanted
