"""Storages whose calls never return, in their own process or in the daemon, where nothing can end
them (R129)."""

import os
import pathlib
import time

import pytest

from house import plugins
from house.broker import BROKER, Broker
from house.neighbour import call_continuously
from house.person import Refused, wait_for
from house.pictures import ROOT, day, jpeg
from house.scene import Scene

BIN = pathlib.Path(os.environ.get("PHOTOBROKER_BIN") or ROOT / ".build/debug").resolve()


class Stalling:
    """A broker with a library on the storage `stalling`, trusted or not, beside another library."""

    def __init__(self, house, is_trusted, library):
        self.broker = Broker(house, name=f"own-{house.fresh_uid()}")
        self.broker.arguments = ["--plugin-answer", "3", "--open-storage", "stalling"] + [
            "--trust",
            "stalling",
        ] * is_trusted
        self.broker.start()
        self.broker.photobroker(0, "plugin", "install", library)
        self.near = Scene(self.broker, 3)
        self.near.allow()
        self.owner, self.app = self.broker.owner(), self.broker.app()
        self.library = f"stalling-{self.owner.uid}"
        self.folder = house.make_folder(self.library, BROKER)
        for number in range(4):
            path = self.folder / f"picture-{number}.jpg"
            path.write_bytes(jpeg(day(number), note=f"picture {number}".encode()))
            os.chown(path, BROKER, BROKER)
        self.owner.call(
            "AddLibrary",
            name=self.library,
            backend="stalling",
            options={"path": str(self.folder)},
            offeredTo=[self.app.uid],
        )
        self.owner.wait_for_library(self.library, 4)
        self.app.introduce()
        self.owner.set(self.library, self.app.name, "authorized")
        assert self.app.request() == "authorized"

    def stall(self, call):
        (self.folder / f"stall-{call}").touch()

    def resume(self, call):
        (self.folder / f"stall-{call}").unlink()

    def log_texts(self):
        return [
            entry["text"] for entry in self.broker.owner(0).call("ReadPluginLog", name="stalling", limit=100)["entries"]
        ]


@pytest.fixture(scope="module")
def stalling_library(house):
    folder = house.make_folder("stalling", 0, mode=0o755)
    return plugins.compile_swift(BIN, folder, "stalling", plugins.STALLING)


@pytest.fixture(params=[True, False], ids=["in the daemon", "in a process"])
def stalling(house, stalling_library, request):
    stalling = Stalling(house, request.param, stalling_library)
    stalling.is_trusted = request.param
    yield stalling
    stalling.broker.end()


@pytest.fixture
def stallings(house, stalling_library):
    stallings = [Stalling(house, is_trusted, stalling_library) for is_trusted in (True, False)]
    yield stallings
    for stalling in stallings:
        stalling.broker.end()


def test_R129_a_hanging_storage_goes_offline_with_a_message_and_delays_no_one(stalling):
    asset = stalling.near.app.fetch()[0]["localIdentifier"]
    stalling.near.app.start(call_continuously, seconds=6, asset=asset)
    stalling.stall("list")
    began = time.monotonic()
    stalling.owner.call("RescanLibrary", name=stalling.library)
    wait_for(lambda: stalling.owner.library(stalling.library)["state"] == "offline", "the library to be offline")
    assert time.monotonic() - began < 10
    assert len(stalling.app.fetch()) == 4, "what is offline is known, and not deleted"
    assert stalling.near.app.hear()["errors"] == []
    if stalling.is_trusted:
        assert "without --trust" in stalling.owner.library(stalling.library)["problem"]
        assert any("storage(stalling): " in text and "still holds its thread" in text for text in stalling.log_texts())
        assert "without --trust" in stalling.broker.log
    stalling.resume("list")
    stalling.owner.wait_for_library(stalling.library, 4, seconds=60)
    for call in ("list", "watch"):
        stalling.stall(call)
    stalling.owner.call("RescanLibrary", name=stalling.library)
    wait_for(lambda: stalling.owner.library(stalling.library)["state"] == "offline", "the library to be offline again")
    began = time.monotonic()
    assert stalling.broker.stop() == 0
    assert time.monotonic() - began < 5


def test_R142_a_storage_stalling_in_trash_and_restore_is_reported_in_time(stalling):
    def there():
        return sorted(path.name for path in stalling.folder.iterdir() if "picture-1" in path.name)

    victim = stalling.app.named("picture-1.jpg")["localIdentifier"]
    stalling.stall("trash")
    stalling.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
    wait_for(
        lambda: "moved to the trash yet" in (stalling.owner.library(stalling.library)["problem"] or ""),
        "the owner to be told",
        15,
    )
    assert there() == ["picture-1.jpg"] and len(stalling.app.fetch()) == 3
    stalling.resume("trash")
    stalling.owner.call("RescanLibrary", name=stalling.library)
    wait_for(lambda: there() == [".trash-picture-1.jpg"], "the next try")
    [trashed] = stalling.owner.call("FetchTrashedAssets", library=stalling.library)["assets"]
    stalling.stall("restore")
    began = time.monotonic()
    refusal = stalling.owner.refusal("RestoreAssets", library=stalling.library, identifiers=[trashed["identifier"]])
    assert time.monotonic() - began < 10
    assert refusal.error == "Refused" and refusal.parameters["message"].startswith("storage(stalling): "), refusal
    assert there() == [".trash-picture-1.jpg"]
    stalling.resume("restore")
    wait_for(lambda: restored(stalling, trashed), "the next try", 60)
    assert there() == ["picture-1.jpg"]
    wait_for(lambda: len(stalling.app.fetch()) == 4, "the photo to be back")


def test_R129_a_read_without_a_byte_fails_after_half_a_minute_beside_other_reads(stallings):
    for stalling in stallings:
        near = stalling.near.app.fetch()[0]["localIdentifier"]
        stalling.asset = stalling.app.named("picture-1.jpg")["localIdentifier"]
        stalling.near.app.start(call_continuously, seconds=6, asset=near)
        stalling.stall("read")
        stalling.began = time.monotonic()
        stalling.app.begin("ReadBytes", asset=stalling.asset, offset=0, length=10)
    for stalling in stallings:
        with pytest.raises(Refused) as refused:
            stalling.app.hear()
        took = time.monotonic() - stalling.began
        assert refused.value.reason == "networkError" and 25 < took < 45, (refused, took)
        assert stalling.near.app.hear()["errors"] == []
        stalling.resume("read")
        assert stalling.app.call("ReadBytes", asset=stalling.asset, offset=0, length=10)["data"]


def restored(stalling, trashed):
    try:
        return stalling.owner.call("RestoreAssets", library=stalling.library, identifiers=[trashed["identifier"]])
    except Refused:
        return None
