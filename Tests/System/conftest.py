"""Fixtures: the real broker, with owners, apps and pictures.

The tests need root to become several users. The broker, its children and the apps never run as root
(test_R138_no_process_of_ours_runs_as_root).
"""

import os
import pathlib
import sys

import pytest

sys.path[:0] = map(str, [(here := pathlib.Path(__file__).parent), here.parents[1] / "Examples/python"])
from house import page as pages
from house.broker import Broker, House
from house.pictures import ROOT, real_photographs
from house.scene import Scene

# Modules of house with fixtures that several files use.
pytest_plugins = [
    f"house.{name}" for name in ("checks", "clock", "desk", "films", "hostile", "pickers", "remotes", "silent", "town")
]


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
    """Mix files whose tests drive a browser, which work, with the others, which mostly wait.

    Of each kind the files with most tests come first, so that parallel workers end as one.
    """
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    order = {}
    for kind in (True, False):
        of_kind = [path for path, tests in files.items() if ("playwright" in tests[0].fixturenames) == kind]
        of_kind.sort(key=lambda path: -len(files[path]))
        order |= {path: place / len(of_kind) for place, path in enumerate(of_kind)}
    items.sort(key=lambda item: order[item.path])


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
def cases():
    """The inputs from public bug reports."""
    folder = ROOT.parent / "shared/cases"
    if not folder.is_dir():
        assert not os.environ.get("CI"), f"no cases at {folder}; CI must have them"
        pytest.skip("the cases are not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def playwright(house):
    pages.require(house)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(house, playwright):
    with pages.start_browser(playwright, house, is_frugal=True) as browser:
        yield browser


@pytest.fixture
def owners_browser(scene, playwright):
    with pages.start_browser(playwright, scene.house, scene.owner.uid, is_frugal=True) as browser:
        yield browser


@pytest.fixture
def page(scene, browser):
    with pages.Page(scene.broker, scene.owner, browser) as page:
        yield page


@pytest.fixture
def known_page(scene, browser):
    """A page at 127.0.0.1, the address of rebound.example in this browser."""
    with pages.Page(scene.broker, scene.owner, browser, "--address", "127.0.0.1") as page:
        yield page


@pytest.fixture
def window(page):
    """A window of the page, which must have no problems at the end."""
    window = page.open_window()
    yield window
    assert window.problems == []
    window.context.close()


@pytest.fixture
def offered(scene, browser):
    """Another user with an offer of the scene's library, and their page."""
    other = scene.broker.owner()
    scene.owner.call("OfferLibrary", name=scene.library, add=[other.uid])
    with pages.Page(scene.broker, other, browser) as page:
        yield other, page
