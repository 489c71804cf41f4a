"""The plugins' administrator at a broker of its own."""

import hashlib

import pytest

from .broker import Album


class PluginAdmin:
    """A broker of its own, with root as the plugins' administrator."""

    def __init__(self, broker):
        self.broker, self.house = broker, broker.house
        self.root = broker.owner(0)

    def plugin(self, *arguments, expect=0):
        return self.broker.photobroker(0, "plugin", *arguments, expect=expect)

    def refused(self, *arguments):
        """Run a refused command and return its message; the broker must still run."""
        done = self.plugin(*arguments, expect=None)
        assert done.returncode == 65, f"{arguments}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert self.broker.is_running and self.root.call("GetStatus")
        return done.stderr

    def listed(self):
        return {plugin["name"]: plugin for plugin in self.root.call("ListPlugins")["plugins"]}

    @property
    def folder(self):
        return self.broker.state / "plugins"

    @property
    def catalogue(self):
        return self.folder / "catalogue.json"

    def versions(self):
        return sorted(entry.name for entry in self.folder.iterdir() if entry.is_dir())

    def add_library(self, backend="shelf", count=3):
        owner, app = self.broker.owner(), self.broker.app()
        name = f"shelf-{owner.uid}"
        album = Album(self.house, name, owner.uid)
        album.fill(count)
        owner.call("AddLibrary", name=name, backend=backend, options={"path": str(album.folder)}, offeredTo=[app.uid])
        owner.wait_for_library(name, count)
        app.introduce()
        return owner, app, name


@pytest.fixture
def admin(own_broker):
    return PluginAdmin(own_broker)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
