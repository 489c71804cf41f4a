"""Remotes as libraries: accounts, the visibility and reach of rclone's processes, and S3."""

import base64
import concurrent.futures
import os
import pathlib
import subprocess

import pytest

from house.person import children, name_of, storage_processes, wait_for
from house.pictures import day
from house.remotes import EVERY_REMOTE, S3, RemoteScene, large, picture, start_server
from house.sampling import Sampling


def listeners():
    lines = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in pathlib.Path("/proc/net", name).read_text().splitlines()[1:]
    ]
    return {f"socket:[{line[9]}]" for line in lines if line[3] == "0A"}


class CommandLines(Sampling):
    """Records the visible command line of each of the storages' processes, and its listening sockets."""

    def __init__(self, broker):
        super().__init__()
        self.broker = broker
        self.seen, self.sockets, self.listening = set(), 0, 0

    def inspect(self, pid):
        found = set()
        for number in os.listdir(f"/proc/{pid}/fd"):
            try:
                found.add(os.readlink(f"/proc/{pid}/fd/{number}"))
            except OSError:
                continue
        found = {link for link in found if link.startswith("socket:")}
        self.sockets += len(found)
        self.listening += len(found & listeners())

    def look(self):
        for pid in [child for host in storage_processes(self.broker) for child in children(host)]:
            line = name_of(pid).encode()
            if line.startswith(b"/usr/bin/rclone\0"):
                self.seen.add(line)
                try:
                    self.inspect(pid)
                except OSError:
                    continue


@EVERY_REMOTE
def test_no_command_line_names_a_file_and_no_process_accepts_connections(networked, remote):
    for name in ("2024/hidden-folder/picture-1.jpg", "picture-2.jpg"):
        remote.put(name, picture(int(name[-5])), day(int(name[-5])).timestamp())
    with CommandLines(networked) as lines:
        far = RemoteScene(networked, remote, 1, expected=3)
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        names = ["picture-1.jpg", "picture-2.jpg"]
        photos = [far.app.named(name)["localIdentifier"] for name in names]
        # A reading process ends too soon to be seen for certain beside busy ones.
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            remote.freeze()
            reading = pool.submit(lambda: [far.read(photo) for photo in photos])
            try:
                wait_for(lambda: any(b"cat" in line.split(b"\0") for line in list(lines.seen)), "a process that reads")
            finally:
                remote.thaw()
            assert reading.result() == [picture(1), picture(2)]
        upload = far.app.call("BeginUpload")["upload"]
        far.app.call("AppendUpload", upload=upload, data=base64.b64encode(picture(20)).decode())
        far.app.call("AddAsset", filename="added picture.jpg", upload=upload)
        assert (far.remote.photos / "PhotoBroker/added picture.jpg").read_bytes() == picture(20)
        # The remote's top folder contains the trash.
        places = [far.remote.photos / name for name in ("2024/hidden-folder/picture-1.jpg", "picture-2.jpg")]
        far.app.call(
            "PerformChanges",
            changes=[{"kind": "delete", "assets": [far.app.named(name)["localIdentifier"] for name in names]}],
        )
        wait_for(lambda: not any(place.exists() for place in places), "the files to be moved into the trash")
        trashed = [a["identifier"] for a in far.owner.call("FetchTrashedAssets", library=far.library)["assets"]]
        far.owner.call("RestoreAssets", library=far.library, identifiers=trashed)
        wait_for(lambda: all(place.exists() for place in places), "the photos to come back")
        assert [place.read_bytes() for place in places] == [picture(1), picture(2)]
        far.owner.call("RemoveLibrary", name=far.library)
    commands = {line.split(b"\0")[-2 if line.endswith(b"\0") else -1] for line in lines.seen}
    assert commands, "none was seen"
    assert lines.sockets, "no connection to the remote was seen"
    assert lines.listening == 0, "rclone takes connections"
    for kind in (b"lsjson", b"cat", b"copy", b"move", b"lsf"):
        assert any(kind in line.split(b"\0") for line in lines.seen), (kind, commands)
    for line in lines.seen:
        for word in (
            b"picture",
            b"2024",
            b"hidden",
            b"PhotoBroker\0",
            b"PhotoBroker/",
            b".photobroker-trash",
            remote.remote.encode() + b"\0",
            b"--offset",
            b"--count",
        ):
            assert word not in line, line


@pytest.mark.parametrize(
    "text",
    [
        "[far]\ntype = local\n",
        "[far]\ntype = webdav\nurl = http://127.0.0.1:1/\nbearer_token_command = /bin/true\n",
        "[far]\ntype = sftp\nhost = 127.0.0.1\nuser = photos\nkey_file = /etc/hostname\n",
        "[far]\ntype = s3\nprovider = AWS\nenv_auth = true\n",
        "[far]\ntype = alias\nremote = /etc\n",
        "[far]\ntype = webdav\nurl = http://127.0.0.1:1/\n[near]\ntype = local\n",
    ],
)
def test_an_rclone_configuration_reaches_nothing_of_this_machine(networked, house, tmp_path, text):
    owner = networked.owner()
    folder = house.make_folder(f"account-{owner.uid}", owner.uid)
    account = folder / "rclone.conf"
    account.write_text(text)
    os.chown(account, owner.uid, owner.uid)
    account.chmod(0o600)
    made = networked.photobroker(
        owner.uid,
        "library",
        "add",
        "--backend",
        "rclone",
        "--option",
        "remote=far:",
        "--credential",
        f"configuration={account}",
        f"local-{owner.uid}",
        expect=None,
    )
    told = made.stderr + made.stdout
    if made.returncode == 0:
        library = f"local-{owner.uid}"
        wait_for(
            lambda: owner.library(library)["state"] == "offline" and owner.library(library).get("problem"),
            "the refusal",
        )
        told = owner.library(library)["problem"]
        owner.call("RemoveLibrary", name=library)
    assert 'credential "configuration"' in told


def test_bad_options_give_advice_and_contain_no_secret(networked, remote):
    owner = networked.owner()

    def refusal(**options):
        given = {"remote": remote.remote, "config": str(remote.config), **options}
        return owner.refusal(
            "AddLibrary", name="wrong", backend="rclone", options={k: v for k, v in given.items() if v}
        ).parameters["message"]

    assert "config" in refusal(config="/nowhere")
    assert "\"remote\" must be given" in refusal(remote=None)
    assert "such as nextcloud:Photos" in refusal(remote="far,pass=x:")
    assert "no option \"password\"" in refusal(password="x")
    assert "5 to 86400" in refusal(rescanSeconds="1")
    remote.config.chmod(0o644)
    assert "0600" in refusal()
    remote.config.chmod(0o600)
    assert owner.call("ListLibraries")["libraries"] == []


def test_the_account_is_passed_as_a_credential_and_stored_in_one_file(networked, remote):
    owner, library = networked.owner(), "far-by-credential"
    for number in range(2):
        remote.put(f"2024/picture-{number}.jpg", picture(number), day(number).timestamp())
    secrets = networked.house.make_folder(f"secrets-{owner.uid}", owner.uid)

    def secret(name, text):
        path = secrets / name
        path.write_text(text)
        os.chown(path, owner.uid, owner.uid)
        path.chmod(0o600)
        return path

    plain = remote.config.read_text()
    words = "tr0ub4dor-and-three-more-words"
    encrypted = secrets / "encrypted"
    encrypted.write_text(plain)
    environment = {"PATH": "/usr/bin:/bin", "RCLONE_CONFIG_PASS": words}
    # rclone encrypts its configuration only at a terminal dialog.
    asking = subprocess.Popen(
        ["rclone", "--config", encrypted, "config"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(secrets)},
    )
    for answer in ("s", "a", words, words, "q", "q"):
        question = b""
        while not question.endswith((b"> ", b"password:")):
            assert (piece := os.read(asking.stdout.fileno(), 65_536)), question
            question += piece
        asking.stdin.write(answer.encode() + b"\n")
        asking.stdin.flush()
    asking.communicate(timeout=20)
    assert encrypted.read_text().startswith("# Encrypted rclone configuration File"), "rclone did not encrypt"
    assert (
        subprocess.run(
            ["rclone", "--config", encrypted, "listremotes"], env=environment, capture_output=True, text=True
        ).stdout
        == "far:\n"
    )
    add = ["library", "add", library, "--backend", "rclone", "--option", f"remote={remote.remote}"]
    refused = networked.photobroker(owner.uid, *add, expect=None)
    assert refused.returncode and '"configuration"' in refused.stderr
    networked.photobroker(
        owner.uid,
        *add,
        "--credential",
        f"configuration={secret('conf', encrypted.read_text())}",
        "--credential",
        f"configPassword={secret('password', words)}",
    )
    owner.wait_for_library(library, 2)
    kept = networked.state / "credentials" / library
    assert kept.stat().st_mode & 0o777 == 0o600 and words in kept.read_text()
    shown = networked.photobroker(owner.uid, "--json", "library", "show", library).stdout
    line = encrypted.read_text().splitlines()[-1]
    places = {path: path.read_bytes() for path in networked.state.rglob("*") if path.is_file() and path != kept}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            places[pid] = open(f"/proc/{pid}/cmdline", "rb").read()
        except OSError:
            pass
    for place, data in [*places.items(), ("log", networked.log.encode()), ("shown", shown.encode())]:
        assert words.encode() not in data and line.encode() not in data, place
    refused = networked.photobroker(
        owner.uid, "library", "set", library, "--remove-credential", "configPassword", expect=65
    )
    assert "configPassword" in refused.stderr, "without it the library could not be served, so nothing is changed"
    owner.call("RescanLibrary", name=library)
    owner.wait_for_library(library, 2)
    owner.call("RemoveLibrary", name=library)
    wait_for(lambda: not kept.exists(), "the account to be erased")


def test_without_permission_the_plugin_has_no_network(own_broker, remote):
    owner = own_broker.owner()
    message = ""
    try:
        owner.call(
            "AddLibrary", name="far", backend="rclone", options={"remote": remote.remote, "config": str(remote.config)}
        )
        wait_for(lambda: owner.library("far")["state"] == "offline", "the library to be offline")
        message = owner.library("far")["problem"]
        assert owner.library("far")["assets"] == 0
    finally:
        assert "network" in message, message


def test_R98_photos_of_an_S3_server_are_listed_read_added_moved_and_trashed(networked, house):
    remote = start_server(S3, house)
    far = None
    try:
        far = RemoteScene(networked, remote, 3)
        far.limit(0, 2)
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        assert list(before) == ["picture-2.jpg", "picture-0.jpg"], "dates are from the bytes"
        assert far.read(before["picture-0.jpg"]) == picture(0)
        remote.move("2024/picture-0.jpg", "2025/moved.jpg")
        remote.put("2024/large.jpg", large(7))
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
        assert far.app.named("moved.jpg")["localIdentifier"] == before["picture-0.jpg"], "by the server's MD5"
        far.owner.wait_for_library(far.library, 4)
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        new = far.app.named("large.jpg")
        assert new["creationDate"] == int(day(7).timestamp() * 1e6) and far.read(new["localIdentifier"]) == large(7)
        upload = far.app.call("BeginUpload")["upload"]
        far.app.call("AppendUpload", upload=upload, data=base64.b64encode(picture(20)).decode())
        far.app.call("AddAsset", filename="new.jpg", upload=upload)
        assert "PhotoBroker/new.jpg" in remote.names()
        far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [new["localIdentifier"]]}])
        wait_for(lambda: "2024/large.jpg" not in remote.names(), "the photo to be moved into the trash")
        remote.stop()
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the library to be offline")
        remote.start()
        far.owner.wait_for_library(far.library, 4)
        assert far.read(before["picture-2.jpg"]) == picture(2)
    finally:
        if far:
            far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()
