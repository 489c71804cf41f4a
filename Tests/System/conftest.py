"""Starts the real broker and gives tests people, apps and pictures. Needs root, to become several users; nothing of ours
runs as root (test_R138_nothing_of_ours_runs_as_root)."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from house import page as pages  # noqa: E402
from house.broker import BROKER, Album, Broker, House  # noqa: E402
from house.pictures import ROOT, real_photographs  # noqa: E402


def pytest_configure():
    if os.geteuid() != 0:
        raise pytest.UsageError("the system tests become several users and therefore need root: use scripts/test, or sudo")


# The files that take longest, longest first: whoever runs several side by side begins with them, and ends with short ones.
LONGEST = [
    "test_rclone", "test_plugin_check", "test_page_made", "test_page_access", "test_page_presses", "test_faulty_plugins",
    "test_page_live", "test_page_settings", "test_journals", "test_page_robust", "test_bad_input",
    "test_plugin_catalogue", "test_page_strangers", "test_crashes", "test_stalling_plugins", "test_page_ends",
    "test_transcript", "test_page", "test_page_flows", "test_page_large", "test_page_owner", "test_page_picker", "test_page_says",
    "test_adding", "test_exhaustion", "test_revocation", "test_page_video", "test_plugin_setup", "test_attacks",
    "test_bad_descriptors", "test_creating", "test_strangers_plugins", "test_names", "test_folder_races",
]


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture(scope="session")
def house():
    bin = pathlib.Path(os.environ.get("PHOTOBROKER_BIN") or ROOT / ".build/debug").resolve()
    import asyncvarlink
    house = House(bin, pathlib.Path(asyncvarlink.__file__).parents[1])
    yield house
    house.end()


@pytest.fixture(scope="session")
def running(house):
    """One broker for all tests that neither stop nor break it: a neighbour to every library in it."""
    broker = Broker(house).start()
    yield broker
    broker.end()


@pytest.fixture
def broker(running):
    if not running.is_running:
        running.start()
    yield running
    if running.is_running:
        running.clear()
    running.dismiss()
    assert running.is_running, f"the broker died in this test:\n{running.log[-4000:]}"


@pytest.fixture
def own_broker(house, request):
    """A broker for this test alone."""
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    yield broker
    broker.end()


class Scene:
    """A library of made pictures, its owner, and one app that it is offered to; other users and names for every test."""

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

    @property
    def newest_first(self):
        return self.pictures[::-1]

    def limit(self, *names, app=None):
        """Gives the app limited access to pictures, by number or name, and its token."""
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
        """The owner gives the broker the folder that added files go to."""
        folder = self.album.folder / "PhotoBroker"
        folder.mkdir()
        os.chown(folder, BROKER, BROKER)

    def put_video(self, photographs, name, size):
        """A real video with free space of its container behind it, which takes no room on the disk."""
        if photographs is None:
            pytest.skip("the real photographs, with their videos, are not beside this checkout")
        video = (photographs / "video/P1000244.MOV").read_bytes()
        rest = size - len(video)
        start = video + (rest.to_bytes(4, "big") + b"free" if rest < 1 << 32 else b"\0\0\0\1free" + rest.to_bytes(8, "big"))
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


@pytest.fixture
def scene(broker):
    return Scene(broker, 6)


@pytest.fixture
def own_scene(own_broker):
    return Scene(own_broker, 6)


@pytest.fixture
def make_scene(broker):
    return lambda count, **options: Scene(broker, count, **options)


@pytest.fixture(scope="session")
def photographs():
    """The real photographs, or None."""
    return real_photographs()


@pytest.fixture(scope="module")
def browser(house):
    yield from browsers(house)


@pytest.fixture
def owners_browser(scene):
    """As the owner, for what the desktop hands to their browser alone."""
    yield from browsers(scene.house, scene.owner.uid)


def browsers(house, uid=None, *arguments):
    pages.require(house)
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
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
    """At the address to which the browser takes rebound.example."""
    page = pages.Page(scene.broker, scene.owner, browser, "--address", "127.0.0.1")
    yield page
    page.end()
