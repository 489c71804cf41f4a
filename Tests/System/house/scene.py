"""A library with its owner and an app: the setting of most tests."""

import copy
import os

import pytest

from .broker import BROKER, Album
from .person import Refused


# Facts of a library that differ after a test, and make no difference to the next one.
PASSING = {"revision", "acceptedBy", "declinedBy", "storageRefuses"}


class Scene:
    """A library of made pictures, its owner, and an app it is offered to."""

    def __init__(self, broker, count, introduce=True, **library):
        self.broker, self.house = broker, broker.house
        self.owner = broker.owner()
        self.app = broker.app()
        self.library = f"album-{self.owner.uid}"
        self.album = Album(self.house, self.library, self.owner.uid)
        self.pictures = [p.name for p in self.album.fill(count)]
        self.owner.add_library(self.library, self.album.folder, [self.app.uid], count, **library)
        if introduce:
            self.app.introduce()

    def visit(self, introduce=True):
        """Return the same library with a new owner process and a new app that it is offered to."""
        scene = copy.copy(self)
        scene.owner, scene.app = self.broker.owner(self.owner.uid), self.broker.app()
        scene.owner.call("OfferLibrary", name=self.library, offeredTo=[scene.app.uid])
        if introduce:
            scene.app.introduce()
        return scene

    def leave(self):
        """Remove the test's apps and offers, and return the state that must be unchanged."""
        owner = self.broker.owner(self.owner.uid)
        for app in owner.call("ListApps")["apps"]:
            try:
                owner.call("RemoveApp", app=app["app"])
            except Refused:
                # The last thing that it had may have ended meanwhile.
                assert app["app"] not in [other["app"] for other in owner.call("ListApps")["apps"]]
        owner.call("OfferLibrary", name=self.library, offeredTo=[])
        library = owner.library(self.library)
        return {
            # A test may give the broker a folder for added photos, which a rescan notices.
            "library": {key: library[key] for key in library.keys() - PASSING},
            "assets": owner.assets(self.library),
            "albums": owner.call("ListOwnedAlbums", library=self.library)["albums"],
            "rules": owner.call("ListRules", library=self.library)["rules"],
            "prompts": owner.prompts(),
            "files": sorted(
                (str(p), p.lstat().st_mtime_ns, p.lstat().st_size)
                for p in self.album.folder.rglob("*")
                if not p.is_dir()
            ),
        }

    @property
    def newest_first(self):
        return self.pictures[::-1]

    def limit(self, *names, app=None, **terms):
        """Give the app limited access and a token; pictures are named by number or file name."""
        app = app or self.app
        self.owner.show_requests()
        self.owner.set(self.library, app.name, "limited", terms={"deletions": "allow", **terms})
        if names:
            self.select(*names, app=app)
        assert app.request() == "limited"

    def limit_earlier(self, *names):
        """The same by a file: no person has chosen in this life cycle, so the app's first fetch prompts."""
        self.owner.show_requests()
        select = [self.owner.naming(self.library, map(self.name, names))]
        entry = {"library": self.library, "app": self.app.name, "level": "readWrite", "status": "limited"}
        self.owner.call("Apply", grants=[{**entry, "select": select, "terms": {"deletions": "allow"}}])
        assert self.app.request() == "limited"

    def set_terms(self, **terms):
        """Set terms of the app's grant, and return the grant."""
        return self.owner.set(self.library, self.app.name, None, terms=terms)["grant"]

    def name(self, name):
        return self.pictures[name] if isinstance(name, int) else name

    def select(self, *names, app=None):
        return self.owner.select(self.library, (app or self.app).name, *map(self.name, names))

    def unselect(self, *names, app=None):
        return self.owner.unselect(self.library, (app or self.app).name, *map(self.name, names))

    def mark(self, *names, **marks):
        chosen = self.owner.naming(self.library, map(self.name, names))
        self.owner.call("MarkAssets", library=self.library, selector=chosen, **marks)

    def make_album(self, title, *names, **more):
        """Makes an album of the owner, and returns it."""
        chosen = {"add": self.owner.naming(self.library, map(self.name, names))} if names else {}
        return self.owner.call("EditOwnedAlbum", library=self.library, title=title, **chosen, **more)["album"]

    def set_album_policy(self, name):
        self.owner.call("SetGrant", library=self.library, app=self.app.name, level="readWrite", albumPolicy=name)

    def let_broker_add(self):
        self.album.let_broker_add()

    def take_additions(self):
        """Let the broker add, and wait until it knows."""
        self.let_broker_add()
        self.owner.rescan(self.library)

    def take_changes(self):
        """Let the broker write to the whole folder, and wait until it knows."""
        self.album.folder.chmod(0o770)
        self.take_additions()

    def put_video(self, source, name, size):
        """Add a video, its bytes or a real one, with sparse free space at its end; return what is before that."""
        if source is None:
            pytest.skip("the real photographs, with their videos, are not beside this checkout")
        video = source if isinstance(source, bytes) else (source / "video/P1000244.MOV").read_bytes()
        rest = size - len(video)
        start = video + (
            rest.to_bytes(4, "big") + b"free" if rest < 1 << 32 else b"\0\0\0\1free" + rest.to_bytes(8, "big")
        )
        path = self.album.folder / f".{name}"
        path.write_bytes(start)
        os.truncate(path, size)
        os.chown(path, self.owner.uid, BROKER)
        path.chmod(0o640)
        os.rename(path, self.album.folder / name)
        return start

    def allow(self, app=None, level="readWrite"):
        app = app or self.app
        self.owner.set(self.library, app.name, "authorized", level=level)
        assert app.request(level) == "authorized"


def exceed_allowance(scene):
    """Let the app read one photo more than it may in a day, which pauses it."""
    scene.limit(0, 1)
    scene.set_terms(photosPerDay=1)
    first, second = (asset["localIdentifier"] for asset in scene.app.fetch())
    scene.app.call("ReadBytes", asset=first, offset=0, length=10)
    assert scene.app.refusal("ReadBytes", asset=second, offset=0, length=10).reason == "accessUserDenied"
