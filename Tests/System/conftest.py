"""Fixtures: the real broker, with owners, apps and pictures.

The tests need root to become several users. The broker, its children and the apps never run as root
(test_R138_nothing_of_ours_runs_as_root).
"""

import collections
import copy
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from house import page as pages  # noqa: E402
from house.broker import BROKER, Album, Broker, House  # noqa: E402
from house.pictures import ROOT, real_photographs  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "library(kind): shared, with others of the file that leave it as it was, or its own, as without this mark",
    )
    if os.geteuid() != 0:
        raise pytest.UsageError(
            "the system tests become several users and therefore need root: use scripts/test, or sudo"
        )


def pytest_collection_modifyitems(items):
    """Run browser tests first, then files with most tests, so that parallel workers end as one."""
    tests = collections.Counter(item.path for item in items)
    slow = {item.path for item in items if "playwright" in item.fixturenames}
    items.sort(key=lambda item: (item.path not in slow, -tests[item.path]))


def pytest_runtest_logreport(report):
    """Print a failure at once. With pytest-xdist the controller prints it, not the worker."""
    if report.failed and not os.environ.get("PYTEST_XDIST_WORKER"):
        text = report.longreprtext.splitlines()
        print(f"\n-- {report.nodeid} ({report.when})", *text[-12:], sep="\n   ", flush=True)


@pytest.fixture(scope="session")
def house():
    bin = pathlib.Path(os.environ.get("PHOTOBROKER_BIN") or ROOT / ".build/debug").resolve()
    import asyncvarlink

    house = House(bin, pathlib.Path(asyncvarlink.__file__).parents[1])
    yield house
    house.end()


@pytest.fixture(scope="session")
def running(house):
    """One broker for all tests that neither stop nor break it, shared by many libraries."""
    broker = Broker(house).start()
    yield broker
    broker.end()


@pytest.fixture
def broker(running):
    with running.visit():
        yield running


@pytest.fixture
def own_broker(house, request):
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    yield broker
    broker.end()


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
            owner.call("RemoveApp", app=app["app"])
        owner.call("OfferLibrary", name=self.library, offeredTo=[])
        library = owner.library(self.library)
        return {
            "library": {key: library[key] for key in library.keys() - {"revision", "acceptedBy", "declinedBy"}},
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

    def limit(self, *names, app=None):
        """Give the app limited access and a token; pictures are named by number or file name."""
        app = app or self.app
        self.owner.set(self.library, app.name, "limited")
        if names:
            self.select(*names, app=app)
        assert app.request() == "limited"

    def name(self, name):
        return self.pictures[name] if isinstance(name, int) else name

    def select(self, *names, app=None):
        return self.owner.select(self.library, (app or self.app).name, *map(self.name, names))

    def unselect(self, *names, app=None):
        return self.owner.unselect(self.library, (app or self.app).name, *map(self.name, names))

    def let_broker_add(self):
        folder = self.album.folder / "PhotoBroker"
        folder.mkdir(exist_ok=True)
        os.chown(folder, BROKER, BROKER)

    def put_video(self, photographs, name, size):
        """Add a real video with sparse free space at its end; return the bytes before that."""
        if photographs is None:
            pytest.skip("the real photographs, with their videos, are not beside this checkout")
        video = (photographs / "video/P1000244.MOV").read_bytes()
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


@pytest.fixture(scope="module")
def shared(running):
    """Scenes that tests of one file share, each with the state that tests must not change."""
    scenes = {}
    yield scenes
    with running.visit():
        for scene, _ in scenes.values():
            running.kept.remove(scene.library)
            running.owner(scene.owner.uid)


@pytest.fixture
def make_scene(shared, broker, request):
    """Factory of scenes. Tests marked `library("shared")` share a library."""
    mark = request.node.get_closest_marker("library")
    visits = {}

    def make(count, introduce=True, **options):
        if options or mark is None or mark.args == ("own",):
            return Scene(broker, count, introduce, **options)
        key = count, sum(known == count for known, _ in visits)
        if key not in shared:
            first = Scene(broker, count)
            broker.kept.add(first.library)
            shared[key] = first, first.leave()
        visits[key] = shared[key][0].visit(introduce)
        return visits[key]

    yield make
    for key, scene in visits.items():
        left, (_, before) = scene.leave(), shared[key]
        if left != before:
            broker.kept.remove(scene.library)
            del shared[key]
        assert left == before, "a test in a shared library leaves it as it was"


@pytest.fixture
def scene(make_scene):
    return make_scene(6)


@pytest.fixture
def own_scene(own_broker):
    return Scene(own_broker, 6)


@pytest.fixture(scope="session")
def photographs():
    return real_photographs()


@pytest.fixture(scope="session")
def playwright(house):
    pages.require(house)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(house, playwright):
    yield from browsers(house, playwright)


@pytest.fixture
def owners_browser(scene, playwright):
    yield from browsers(scene.house, playwright, scene.owner.uid)


def browsers(house, playwright, uid=None, *arguments):
    browser = pages.start_browser(playwright, house, uid, *arguments)
    yield browser
    browser.close()


@pytest.fixture
def page(scene, browser):
    page = pages.Page(scene.broker, scene.owner, browser)
    yield page
    page.end()


@pytest.fixture
def known_page(scene, browser):
    """A page at 127.0.0.1, the address of rebound.example in this browser."""
    page = pages.Page(scene.broker, scene.owner, browser, "--address", "127.0.0.1")
    yield page
    page.end()
