"""The main job on real photographs, under the owner's command line."""
import csv
import hashlib
import json
import shutil
import os

import pytest

from house.broker import BROKER, Album
from house.person import wait_for
from house.pictures import REAL


@pytest.fixture
def real_scene(broker, photographs):
    """A library of all real photographs, copied; made pictures where there are none."""
    owner, app = broker.owner(), broker.app()
    name = f"real-{owner.uid}"
    album = Album(broker.house, name, owner.uid)
    if photographs is None:
        album.fill(12)
    else:
        shutil.copytree(photographs, album.folder, dirs_exist_ok=True)
        for path in album.folder.rglob("*"):
            os.chown(path, owner.uid, BROKER)
            path.chmod(0o750 if path.is_dir() else 0o640)
    owner.add_library(name, album.folder, [app.uid])
    app.introduce()
    owner.set(name, app.name, "authorized")
    app.request()
    return owner, app, album, name


def test_every_photograph_arrives_as_it_is(real_scene):
    owner, app, album, name = real_scene
    by_path = {a["path"]: a for a in owner.assets(name)}
    assets = app.fetch()
    assert len(assets) == len(by_path) == app.count()
    assert len(assets) >= 10
    known = {hashlib.sha256(p.read_bytes()).hexdigest(): p for p in album.folder.rglob("*") if p.is_file()}
    for asset in assets:
        resources = app.call("GetResources", asset=asset["localIdentifier"])["resources"]
        role = resources[0]["role"]
        digest = app.order(do="digest", asset=asset["localIdentifier"], role=role)
        assert digest in known, asset["filename"]
        assert known[digest].stat().st_size == resources[0]["size"]


def test_dates_and_sizes_are_those_of_the_manifest(real_scene, photographs):
    owner, app, album, name = real_scene
    if photographs is None or not app.house.has_media:
        assert all(a["modificationDate"] > 0 for a in app.fetch()), "dates come from the files"
        return
    with open(REAL / "manifest.tsv", encoding="utf-8") as file:
        rows = {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}
    visible = {a["filename"]: a for a in app.fetch()}
    compared = different = 0
    for asset in owner.assets(name):
        row = rows.get(asset["path"] or "")
        if row is None or not row["width"] or asset["filename"] not in visible or asset["path"].startswith("damaged/"):
            continue
        compared += 1
        if {str(asset["pixelWidth"]), str(asset["pixelHeight"])} != {row["width"], row["height"]}:
            different += 1
    assert compared >= 60
    assert different <= compared // 20, f"{different} of {compared} sizes differ"


def test_R147_the_owners_command_line_does_the_main_job(broker, photographs):
    owner_uid = broker.house.fresh_uid()
    app = broker.app()
    name = f"cli-{owner_uid}"
    album = Album(broker.house, name, owner_uid)
    pictures = [p.name for p in album.fill(5)]
    run = lambda *arguments, **options: broker.photobroker(owner_uid, *arguments, **options)
    run("library", "add", name, album.folder, "--offer", app.uid, "--yes", "--wait")
    library = json.loads(run("library", "list", "--json").stdout)["libraries"][0]
    assert (library["name"], library["assets"], library["state"]) == (name, 5, "online")
    app.introduce()
    app.begin_request()
    prompts = wait_for(lambda: json.loads(run("prompt", "list", "--json").stdout)["prompts"], "the prompt")
    run("prompt", "answer", prompts[0]["prompt"], "select", "--last", 2)
    assert app.hear_request() == "limited"
    assert app.names() == pictures[:2:-1]
    run("grant", "select", name, app.name, "--name", pictures[0])
    run("grant", "unselect", name, app.name, "--name", pictures[4])
    assert app.names() == [pictures[3], pictures[0]]
    shown = json.loads(run("asset", "list", name, "--app", app.name, "--json").stdout)["assets"]
    assert [a["filename"] for a in shown] == [pictures[3], pictures[0]]
    run("grant", "pause", name, app.name)
    assert app.is_refused()
    run("grant", "resume", name, app.name)
    assert app.count() == 2
    run("grant", "revoke", "--app", app.name, "--yes")
    assert app.is_refused()
    assert json.loads(run("log", name, "--json").stdout)["entries"]
    assert run("grant", "select", "nowhere", app.name, "--last", 1, expect=None).returncode != 0
    run("library", "remove", name, "--yes")
    assert json.loads(run("library", "list", "--json").stdout)["libraries"] == []


def test_the_command_line_says_what_to_do(broker):
    uid = broker.house.fresh_uid()
    result = broker.photobroker(uid, "library", "add", "x", expect=None)
    assert result.returncode != 0 and result.stderr.strip()
    result = broker.photobroker(uid, "nonsense", expect=None)
    assert result.returncode != 0 and "help" in result.stderr
    result = broker.photobroker(uid, "call", "io.photobroker.Admin.GetStatus", "{}", "--json")
    assert json.loads(result.stdout)["caller"] == uid
