"""A broker with a faulty plugin beside a sound library."""

import os

import pytest

from .broker import BROKER, Broker
from .faults import install_faulty
from .pictures import day, jpeg
from .scene import Scene


class FaultyPluginBroker:
    """A broker with a sound library, its app, and libraries on the faulty plugin."""

    def __init__(self, house):
        install_faulty(house)
        self.house = house
        self.broker = Broker(house, name=f"town-{house.fresh_uid()}")
        # Smaller limits than by default, so that a hang and an endless list are reported sooner.
        self.broker.arguments = ["--plugin-answer", "12", "--library-photos", "20000"]
        self.broker.start()
        self.healthy = Scene(self.broker, 6)
        self.healthy.allow()
        self.asset = self.healthy.app.fetch()[0]["localIdentifier"]
        self.count = 0

    def add(self, fault, trigger=None, offered=()):
        self.count += 1
        owner = self.broker.owner()
        name = f"wrong-{self.count}"
        folder = self.house.make_folder(f"{name}-{owner.uid}", BROKER)
        for number in range(4):
            path = folder / f"picture-{number}.jpg"
            path.write_bytes(jpeg(day(number), note=f"{fault} {number}".encode(), padding=200_000))
            os.chown(path, BROKER, BROKER)
        options = {"path": str(folder), "fault": fault, **({"trigger": str(trigger)} if trigger else {})}
        owner.call("AddLibrary", name=name, backend="faulty", options=options, offeredTo=list(offered))
        return owner, name


@pytest.fixture(scope="module")
def faulty(house):
    faulty = FaultyPluginBroker(house)
    yield faulty
    faulty.broker.end()


@pytest.fixture
def trigger(house):
    path = house.folder / f"trigger-{house.fresh_uid()}"
    yield path
    path.unlink(missing_ok=True)


def descendants(faulty):
    """Return the processes of this town's faulty plugin, also orphaned ones."""
    program = f"{faulty.house.programs}/faulty.plugin".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if program in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def app_with_full_access(faulty, fault, trigger):
    """Return an app with full access to a storage with a triggered fault, and its photos."""
    app = faulty.broker.app()
    owner, name = faulty.add(fault, trigger, [app.uid])
    owner.wait_for_library(name, 4)
    app.introduce()
    owner.set(name, app.name, "authorized")
    assert app.request() == "authorized"
    return app, owner, name, app.fetch()
