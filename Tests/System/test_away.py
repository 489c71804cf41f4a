"""Missing files: moved out and back, in a dragged folder, or excluded by a pattern.

They return as the same photos, with earlier and later decisions.
"""

import datetime
import os
import shutil

import pytest

from house.broker import BROKER
from house.clock import ClockBroker
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.scene import Scene
from house.tokens import attenuated


MONTH = 30 * 86400


class Away:
    """A limited app that sees three of six pictures, with marks, captions and an album."""

    def __init__(self, scene):
        self.scene, self.app, self.owner = scene, scene.app, scene.owner
        self.folder = scene.album.folder
        self.outside = scene.house.make_folder(f"{scene.library}-outside", scene.owner.uid, BROKER, 0o755)
        scene.limit(0, 1, 2)
        seen = [a["localIdentifier"] for a in self.app.fetch()]
        album = self.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])["createdAlbums"][0]
        self.app.call(
            "PerformChanges",
            changes=[
                {"kind": "addToAlbum", "album": album, "assets": seen},
                {"kind": "setFavorite", "assets": seen, "favorite": True},
                {"kind": "setCaption", "assets": seen, "text": "said"},
            ],
        )
        self.album = album
        self.before = self.look()

    def look(self):
        """Return the app's view and the owner's view of it."""
        seen = [(a["filename"], a["localIdentifier"], a["isFavorite"], self.caption(a)) for a in self.app.fetch()]
        members = [a["localIdentifier"] for a in self.app.fetch(album=self.album, sort="album")]
        owned = [(a["filename"], a["identifier"], a["favorite"]) for a in self.owner.assets(self.scene.library)]
        return seen, members, owned, [a["count"] for a in self.app.call("FetchAlbums")["albums"]]

    def caption(self, asset):
        return self.app.call("GetDetails", asset=asset["localIdentifier"]).get("caption")

    def move_out(self, *names):
        for name in names:
            os.rename(self.folder / name, self.outside / name)

    def move_back(self, *names):
        for name in names:
            os.rename(self.outside / name, self.folder / name)

    def settle(self, count):
        self.owner.wait_for_library(self.scene.library, count)


@pytest.fixture
def away(scene):
    return Away(scene)


@pytest.fixture
def own_away(own_scene):
    return Away(own_scene)


def test_R95_a_photo_moved_out_and_back_keeps_its_identity(away):
    name = away.scene.pictures[1]
    identifier = away.app.named(name)["localIdentifier"]
    away.app.observe()
    away.move_out(name)
    away.settle(5)
    seen, members, owned, counts = away.look()
    assert len(seen) == 2 and len(members) == 2 and len(owned) == 5 and counts == [2]
    gone = wait_for(lambda: next((e for e in away.app.events() if e["removed"]), None), "the event that it is gone")
    assert gone["removed"] == [identifier]
    away.move_back(name)
    away.settle(6)
    assert away.look() == away.before
    back = wait_for(lambda: next((e for e in away.app.events() if e["inserted"]), None), "the event that it is back")
    assert [a["localIdentifier"] for a in back["inserted"]] == [identifier]
    assert away.app.digest(identifier)


def test_R95_a_photo_moved_while_the_broker_is_stopped_keeps_its_identity(own_away):
    away, broker = own_away, own_away.scene.broker
    name = away.scene.pictures[1]

    def restart_after(move):
        broker.stop()
        move(name)
        broker.start()
        for person in broker.people:
            person.new_connection()

    restart_after(away.move_out)
    away.settle(5)
    restart_after(away.move_back)
    away.settle(6)
    assert away.look() == away.before


def test_R95_a_folder_moved_out_and_back_keeps_its_selection(away):
    scene = away.scene
    for name in ("a", "b"):
        scene.album.put(f"2023/{name}.jpg", jpeg(day(50), note=name.encode()))
    away.settle(8)
    away.owner.call("EditSelection", library=scene.library, app=away.app.name, add={"glob": "2023/**"})
    before = away.look()
    assert len(before[0]) == 5
    away.move_out("2023")
    away.settle(6)
    assert len(away.app.fetch()) == 3
    away.move_back("2023")
    away.settle(8)
    assert sorted(away.look()[0]) == sorted(before[0])


def test_R95_setting_and_removing_an_ignore_pattern_loses_nothing(away):
    scene = away.scene

    def ignore(pattern):
        scene.broker.photobroker(away.owner.uid, "library", "set", scene.library, "--option", f"ignore={pattern}")

    ignore("*.jpg")
    away.settle(0)
    assert away.app.fetch() == [] and away.app.call("FetchAlbums")["albums"][0]["count"] == 0
    ignore("")
    away.settle(6)
    assert away.look() == away.before


def test_R95_a_copy_in_the_original_place_is_the_same_photo_and_elsewhere_is_not(away):
    name, other = away.scene.pictures[:2]
    for moved in (name, other):
        shutil.copyfile(away.folder / moved, away.outside / moved)
        (away.folder / moved).unlink()
    away.settle(4)
    away.scene.album.put(name, (away.outside / name).read_bytes())
    away.scene.album.put("another.jpg", (away.outside / other).read_bytes())
    away.settle(6)
    before = {seen[1] for seen in away.before[0]}
    assert [name in away.app.names(), "another.jpg" in away.app.names()] == [True, False]
    assert away.app.named(name)["localIdentifier"] in before


PAIRS = {
    "edited": ("pair.jpg", "pair-edited.jpg"),
    "raw": ("pair.JPG", "pair.CRW"),
    "pairedVideo": ("pair.HEIC", "pair.MOV"),
}
REAL = {"pair.CRW": "raw/CRW_0305.CRW", "pair.HEIC": "live/IMG_7943.HEIC", "pair.MOV": "live/IMG_7943_HEVC.MOV"}


@pytest.mark.parametrize("is_copied", [False, True], ids=["moved", "copied"])
@pytest.mark.parametrize("role", PAIRS)
def test_R95_a_pair_keeps_its_identity_when_the_other_file_returns_first(away, photographs, role, is_copied):
    if photographs is None and role != "edited":
        pytest.skip("the real photographs are not beside this checkout")
    scene = away.scene
    name, other = PAIRS[role]
    # The raw file's own date, because a pair must agree in it.
    taken = datetime.datetime(2022, 1, 20, 8, 13, 42) if role == "raw" else day(50)
    data = {
        file: (photographs / REAL[file]).read_bytes() if file in REAL else jpeg(taken, note=file.encode())
        for file in (name, other)
    }
    for file in (name, other):
        scene.album.put(file, data[file])
    away.settle(7)
    away.owner.call("EditSelection", library=scene.library, app=away.app.name, add={"filename": name})
    identifier = away.app.named(name)["localIdentifier"]

    def roles():
        return {r["role"] for r in away.app.call("GetResources", asset=identifier)["resources"]}

    # Apps get no original of an edited photo.
    both = {role} if role == "edited" else {"original", role}
    wait_for(lambda: roles() == both, "the pair")
    away.app.call(
        "PerformChanges",
        changes=[
            {"kind": "addToAlbum", "album": away.album, "assets": [identifier]},
            {"kind": "setFavorite", "assets": [identifier], "favorite": True},
            {"kind": "setCaption", "assets": [identifier], "text": "said"},
        ],
    )
    before = away.look()
    away.move_out(name, other)
    away.settle(6)
    if is_copied:
        for file in (name, other):
            shutil.copy2(away.outside / file, away.outside / "copy")
            os.chown(away.outside / "copy", away.owner.uid, BROKER)
            os.replace(away.outside / "copy", away.outside / file)
    for back in (other, name):
        away.move_back(back)
        away.settle(7)
        assert identifier in [a["localIdentifier"] for a in away.app.fetch()], back
    wait_for(lambda: away.look() == before, "the photo as it was")
    assert roles() == both


def test_R18_a_returning_photo_stays_deselected_or_revoked(away):
    scene, name = away.scene, away.scene.pictures[1]
    away.move_out(name)
    away.settle(5)
    # The pattern includes the missing photo.
    away.owner.call("EditSelection", library=scene.library, app=away.app.name, remove={"glob": "picture-*.jpg"})
    away.move_back(name)
    away.settle(6)
    assert away.app.fetch() == [] and away.owner.grant(scene.library, away.app.name)["selected"] == 0

    scene.select(0, 1)
    away.move_out(name)
    away.settle(5)
    away.owner.call("Revoke", everything=True)
    away.move_back(name)
    away.settle(6)
    with pytest.raises(Refused):
        away.app.fetch()
    assert away.app.status() in ("denied", "restricted")


def test_R95_an_answer_of_only_this_one_gives_no_missing_photo(away):
    name, scene = away.scene.pictures[0], away.scene
    away.move_out(name)
    away.settle(5)
    away.owner.show_requests()
    away.app.begin("PresentLimitedLibraryPicker")
    prompt = away.owner.wait_for_prompt("selection")
    away.owner.answer(prompt, "select", selector={"filename": scene.pictures[1]})
    away.app.hear()
    away.move_back(name)
    away.settle(6)
    assert away.app.names() == [scene.pictures[1]]
    assert away.owner.grant(scene.library, away.app.name)["selected"] == 1


@pytest.mark.parametrize("attaches_first", [True, False])
def test_R95_R125_an_attenuated_token_sees_a_returning_photo_again(away, attaches_first):
    name, scene = away.scene.pictures[0], away.scene
    identifier = away.app.named(name)["localIdentifier"]
    holder = scene.broker.app(uid=away.app.uid)
    token = attenuated(away.app.token, f"assets = {identifier}")
    if not attaches_first:
        away.move_out(name)
        away.settle(5)
    holder.use(token)
    holder.observe()
    if attaches_first:
        away.move_out(name)
        away.settle(5)
        wait_for(
            lambda: [e["removed"] for e in holder.events() if e["removed"]] == [[identifier]],
            "the event that it is gone",
        )
    assert holder.fetch() == []
    away.move_back(name)
    away.settle(6)
    back = wait_for(lambda: next((e for e in holder.events() if e["inserted"]), None), "the event that it is back")
    assert [a["localIdentifier"] for a in back["inserted"]] == [identifier] and back["removed"] == []
    assert holder.names() == [name] and holder.count() == 1


def test_R13_a_returning_never_share_photo_stays_never_share(away):
    scene, name = away.scene, away.scene.pictures[1]
    away.owner.call("MarkAssets", library=scene.library, selector={"filename": name}, neverShare=True)
    away.move_out(name)
    away.settle(5)
    # Another file in its place is withheld too, until the owner decides about it.
    away.app.observe()
    away.move_back(name)
    away.settle(6)
    assert name not in away.app.names() and not [e for e in away.app.events() if e["inserted"] or e["removed"]]
    marked = [a["filename"] for a in away.owner.assets(scene.library) if a["neverShare"]]
    assert marked == [name]
    away.owner.call("MarkAssets", library=scene.library, selector={"filename": name}, neverShare=False)
    assert away.look() == away.before


def test_R95_a_photo_missing_for_over_a_month_returns_as_a_new_photo(house):
    broker = ClockBroker(house, f"away-{house.fresh_uid()}").start()
    try:
        away = Away(Scene(broker, 6))
        first, second = away.scene.pictures[:2]
        away.move_out(first, second)
        away.settle(4)
        broker.move(MONTH - 3600)
        away.move_back(first)
        away.settle(5)
        assert first in away.app.names()
        broker.move(MONTH + 3600)
        away.move_back(second)
        away.settle(6)
        assert second not in away.app.names() and len(away.app.fetch()) == 2
    finally:
        assert broker.is_running, broker.log[-3000:]
        broker.end()
