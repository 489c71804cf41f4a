"""An app and a plugin that name this repository by URL, as the pages say, outside of the tree."""

import os
import re
import shutil
import subprocess

import pytest

from house.person import as_user
from house.pictures import ROOT

APP_PAGE = ROOT / "Sources/PhotoBroker/PhotoBroker.docc/GettingStarted.md"
KIT_PAGE = ROOT / "Sources/PluginKit/README.md"
PLUGIN = ROOT / "Examples/third-party-plugin"
URL = "https://example.org/photobroker.git"

# The build takes a minute of processor time, of which other workers leave little.
pytestmark = pytest.mark.timeout(600)

CLIENT = {"PhotoBroker", "BrokerInterface", "UnixSocket", "Varlink", "Monitor", "Limits"}
KIT = {"PluginKit", "PhotoModel"}


def run(*command, **options):
    done = subprocess.run(command, text=True, capture_output=True, timeout=600, **options)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def write_app(package):
    """Write the files of the app's page."""
    (package / "Sources/diary").mkdir(parents=True)
    for name, text in re.findall(r"^`(\S+)`[^\n]*:\n\n```swift\n(.*?)^```", APP_PAGE.read_text(), re.M | re.S):
        (package / name).write_text(text)


def write_plugin(package):
    """Copy the example, with the kit by URL as the kit's page has it."""
    shutil.copytree(PLUGIN / "Sources", package / "Sources")
    by_url = re.search(r"^```swift\n(\.package\(url: .*\))\n(\.product\(.*\))\n```", KIT_PAGE.read_text(), re.M)
    manifest = (PLUGIN / "Package.swift").read_text()
    manifest = manifest.replace('.package(path: "../../Sources/PluginKit")', by_url[1])
    (package / "Package.swift").write_text(
        manifest.replace('.product(name: "PluginKit", package: "PluginKit")', by_url[2])
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Serve the tree at the pages' URL as version 0.1.0, and return the folder with the built app and plugin."""
    place = tmp_path_factory.mktemp("by-url")
    # A commit of its own holds the tree's edits, and reads no other user's repository.
    repository = place / "photobroker.git"
    git = ["git", "--git-dir", repository, "--work-tree", ROOT, "-c", "user.name=house", "-c", "user.email=house@house"]
    run("git", "init", "--quiet", "--bare", repository)
    run(*git, "add", "--all")
    run(*git, "commit", "--quiet", "--message=tree")
    run(*git, "tag", "0.1.0")
    environment = {
        **os.environ,
        # SwiftPM leaves a folder there for each manifest.
        "TMPDIR": str(place),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{repository}.insteadOf",
        "GIT_CONFIG_VALUE_0": URL,
    }
    command = ["swift", "build", "--manifest-cache", "none", "--disable-index-store", "-debug-info-format", "none"]
    # Whole modules take two thirds of the processor time.
    for flag in ("-whole-module-optimization", "-num-threads", "2"):
        command += ["-Xswiftc", flag]
    # SwiftPM remembers a version's commit.
    command += ["--cache-path", place / "cache", "--security-path", place / "security"]
    for name, write in (("diary", write_app), ("family-albums", write_plugin)):
        write(place / name)
        run(*command, "--scratch-path", place / "build", "--package-path", place / name, env=environment)
    return place / "build/debug"


def test_the_readme_names_the_package_as_the_page_does():
    lines = re.findall(r"\.package\(url: [^)]*\)|\.product\([^)]*\)", (ROOT / "README.md").read_text())
    assert len(lines) == 2 and all(line in APP_PAGE.read_text() for line in lines)


def test_by_url_nothing_but_the_client_and_the_kit_is_built(built):
    modules = {module.stem for module in built.glob("Modules/*.swiftmodule")}
    assert modules == CLIENT | KIT | {"diary", "FamilyAlbums"}


def test_an_app_by_url_lists_its_selection(make_scene, built):
    scene = make_scene(4, introduce=False)
    house = scene.house
    programs = house.make_folder(f"diary-{house.fresh_uid()}", 0, mode=0o755)
    house.put(built / "diary", programs)
    home = house.make_folder(f"home-{house.fresh_uid()}", scene.app.uid)
    app = subprocess.Popen(
        as_user(scene.app.uid, [programs / "diary"]),
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PHOTOBROKER_SOCKET": str(scene.broker.app_socket)},
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with app:
        prompt = scene.owner.wait_for_prompt()
        scene.broker.photobroker(scene.owner.uid, "request", "answer", prompt["prompt"], "select", "--last", "2")
        said = app.communicate(timeout=30)[0]
    assert app.returncode == 0, said
    assert re.findall(r"^\S+\.jpg", said, re.M) == scene.newest_first[:2]


def test_a_plugin_by_url_registers_in_the_host(broker, built):
    plugin = built / "libfamily-albums.so"
    assert " 0 failed, 0 skipped" in broker.photobroker(0, "plugin", "check", plugin).stdout
    broker.photobroker(0, "plugin", "install", plugin)
    listed = {p["name"]: p["origin"] for p in broker.owner(0).call("ListPlugins")["plugins"]}
    broker.photobroker(0, "plugin", "remove", "family-albums", "--yes")
    assert listed["family-albums"] == "installed"
