"""A plugin that does wrong in some thirty ways, in a broker that other libraries are in (R129, R136)."""
import json
import os
import time

import pytest

from house.broker import BROKER, Album, Broker
from house.faults import AT_START, TOLD, install_faulty
from house.neighbour import ask_all_the_time, p99
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from test_creating import creation

import conftest


class Town:
    """A broker, a library in it that is right, with its app, and libraries that are wrong."""

    def __init__(self, house):
        install_faulty(house)
        self.house = house
        self.broker = Broker(house, name=f"town-{house.fresh_uid()}")
        # A hanging plugin and an endless list are told of sooner than by default, in the same way.
        self.broker.arguments = ["--plugin-answer", "12", "--library-photos", "20000"]
        self.broker.start()
        self.right = conftest.Scene(self.broker, 6)
        self.right.allow()
        self.asset = self.right.app.fetch()[0]["localIdentifier"]
        self.count = 0

    def add(self, fault, trigger=None, offered=()):
        """A library with a fault, and its owner."""
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
def town(house):
    town = Town(house)
    yield town
    town.broker.end()


def resident(broker):
    with open(f"/proc/{broker.process.pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def descendants():
    """Processes of the faulty plugin, whoever their parent is by now."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"faulty.plugin" in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def test_R129_R136_no_fault_of_a_plugin_is_felt_in_another_library_and_each_is_told(town, trigger, record_property):
    """All at once, each in a library of its own; the neighbour asks all the time."""
    town.right.app.start(ask_all_the_time, seconds=3, asset=town.asset)
    quiet = town.right.app.hear()
    before = town.broker.descriptor_count()
    wrong = {fault: town.add(fault, trigger) for fault in TOLD if fault not in AT_START}
    for owner, name in wrong.values():
        owner.wait_for_library(name, 4)
    trigger.touch()
    for owner, name in wrong.values():
        owner.call("RescanLibrary", name=name)
    rounds, most, told_after, problems = [], 0, {}, {}
    began = time.monotonic()
    waiting = set(wrong)
    while waiting and time.monotonic() < began + 150:
        town.right.app.start(ask_all_the_time, seconds=2, asset=town.asset)
        for fault in list(waiting):
            owner, name = wrong[fault]
            library = owner.library(name)
            if library["state"] == "offline" and library.get("problem"):
                waiting.remove(fault)
                # Later it may be tried again, and have none for a moment.
                problems[fault] = library["problem"]
                told_after[fault] = time.monotonic() - began
        rounds.append(town.right.app.hear())
        most = max(most, resident(town.broker))
    assert not waiting, {fault: wrong[fault][0].library(wrong[fault][1]) for fault in waiting}
    loud = [t for r in rounds for t in r["taken"]]
    print(f"\nneighbour of {len(wrong)} faulty libraries: {len(loud)} calls, p99 {p99(loud):.2f} ms beside {p99(quiet['taken']):.2f} ms, "
          f"worst {max(loud):.1f} ms beside {max(quiet['taken']):.1f} ms; the broker had {most >> 20} MiB at most; told after "
          + ", ".join(f"{fault} {after:.0f} s" for fault, after in told_after.items()))
    record_property("p99", (p99(quiet["taken"]), p99(loud)))
    assert [e for r in rounds for e in r["errors"]] == []
    log = town.broker.log
    for fault, (owner, name) in wrong.items():
        problem = problems[fault]
        assert problem.startswith("storage(faulty): "), (fault, problem)
        assert problem.isprintable() and len(problem.encode()) < 1_024, (fault, problem)
        told = [line for line in log.splitlines() if name in line and "offline" in line]
        # A second reply is either there before the next call, or taken for its answer, which has other fields.
        words = [TOLD[fault], *(["refused"] if fault == "two replies" else [])]
        assert told and any(word in line for word in words for line in told), (fault, told)
        # A process that is started anew finds its photos; what is known stays known until then.
        assert owner.library(name)["assets"] == 4
    owner, name = wrong["no json"]

    def shown():
        listed = json.loads(town.broker.photobroker(owner.uid, "library", "list", "--json").stdout)["libraries"]
        return [entry.get("problem", "").split(": ")[0] for entry in listed if entry["name"] == name]
    wait_for(lambda: shown() == ["storage(faulty)"], "the list of libraries to say it")
    for owner, name in wrong.values():
        owner.call("RemoveLibrary", name=name)
        # Their connections are the broker's descriptors too.
        owner.end()
    wait_for(lambda: not descendants(), "every process of the plugins to be gone", 60)
    assert town.broker.wait_until_descriptors(before + 4) <= before + 4


@pytest.mark.parametrize("fault", sorted(AT_START) + ["crash", "wrong types", "ugly error"])
def test_a_storage_that_does_not_even_start_is_refused_with_its_reason(town, fault):
    with pytest.raises(Refused) as refused:
        town.add(fault)
    message = refused.value.parameters["message"]
    assert message.startswith("storage(faulty): ") and TOLD[fault] in message and message.isprintable()


@pytest.fixture
def trigger(house):
    path = house.folder / f"trigger-{house.fresh_uid()}"
    yield path
    path.unlink(missing_ok=True)


def seen_whole(town, fault, trigger):
    """An app that sees all of a storage whose fault waits for its trigger; with its owner, its library, and what the app sees."""
    app = town.broker.app()
    owner, name = town.add(fault, trigger, [app.uid])
    owner.wait_for_library(name, 4)
    app.introduce()
    owner.set(name, app.name, "authorized")
    assert app.request() == "authorized"
    return app, owner, name, app.fetch()


@pytest.mark.parametrize("fault", ["crash", "exit", "no json", "ugly error", "pages in a circle"])
def test_a_storage_that_fails_later_is_offline_keeps_its_photos_and_comes_back(town, trigger, fault):
    app, owner, name, before = seen_whole(town, fault, trigger)
    trigger.touch()
    owner.call("RescanLibrary", name=name)
    wait_for(lambda: owner.library(name)["state"] == "offline", "the library to be offline", 120)
    assert app.fetch() == before, "what is offline is known, and not deleted"
    trigger.unlink()
    # The circuit breaker leaves it alone for half a minute after five failures.
    owner.wait_for_library(name, 4, seconds=90)
    assert app.fetch() == before
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault", ["short bytes", "long bytes"])
def test_files_whose_bytes_are_not_as_many_as_was_said_are_left_out_and_named(town, fault):
    owner, name = town.add(fault)
    library = owner.wait_for_library(name, 0)
    assert library["skipped"] == 4
    owner.call("RemoveLibrary", name=name)


def test_files_that_a_storage_lists_and_does_not_have_are_named_to_the_owner_with_the_reason(town):
    owner, name = town.add("lists what is gone")
    owner.wait_for_library(name, 0)
    library = wait_for(lambda: (l := owner.library(name))["skipped"] == 4 and l, "all of them")
    assert sorted((f["path"], f["why"]["code"]) for f in library["skippedFiles"]) == [(f"picture-{n}.jpg", "fileGone") for n in range(4)]
    shown = town.broker.photobroker(owner.uid, "library", "show", name).stdout
    assert "picture-0.jpg: There is no such file" in shown and "others" not in shown
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault", ["crash", "exit"])
def test_R98_a_storage_that_breaks_in_a_read_gives_an_error_and_no_other_bytes(town, trigger, fault):
    app = town.broker.app()
    owner, name = town.add(fault, trigger, [app.uid])
    owner.wait_for_library(name, 4)
    app.introduce()
    owner.set(name, app.name, "authorized")
    assert app.request() == "authorized"
    asset = app.fetch()[0]["localIdentifier"]
    trigger.touch()
    refused = app.refusal("ReadBytes", asset=asset, offset=0, length=524_288)
    assert refused.error == "PhotosError", refused
    trigger.unlink()

    def reads():
        try:
            return app.call("ReadBytes", asset=asset, offset=0, length=524_288)["data"]
        except Refused:
            return None
    assert wait_for(reads, "the storage to answer again", 90)
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault", ["crash", "hang", "no json", "wrong types"])
def test_R136_a_policy_that_fails_hides_its_albums_and_the_operator_is_told_by_name(town, fault):
    name = "policy-" + fault.replace(" ", "-")
    install_faulty(town.house, name)
    scene = conftest.Scene(town.broker, 3)
    scene.limit(0, 1)
    album = scene.owner.naming(scene.library, scene.pictures[:2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Shared", add=album, shared=True)
    town.broker.photobroker(scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "shared-read")
    wait_for(lambda: [a["title"] for a in scene.app.call("FetchAlbums")["albums"]] == ["Shared"], "the good policy to hold")
    town.broker.photobroker(scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, name)
    wait_for(lambda: scene.app.call("FetchAlbums")["albums"] == [], "the albums to be hidden")
    wait_for(lambda: f"albumPolicy({name}): " in town.broker.log and TOLD[fault] in town.broker.log.split(f"albumPolicy({name}): ")[-1],
             "the operator to be told")
    assert scene.app.count() == 2, "its photos are no policy's business"
    assert scene.app.run(ask_all_the_time, seconds=1, asset=scene.app.fetch()[0]["localIdentifier"])["errors"] == []


def test_R136_a_policy_cannot_show_albums_that_it_was_not_asked_about(town):
    install_faulty(town.house, "policy-foreign-albums")
    scene = conftest.Scene(town.broker, 3)
    scene.limit(0, 1)
    town.broker.photobroker(scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "policy-foreign-albums")
    assert scene.app.call("FetchAlbums")["albums"] == []
    assert scene.app.count() == 2
    album = scene.owner.naming(scene.library, scene.pictures[:2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Shared", add=album, shared=True)
    wait_for(lambda: "2 identifiers of no album" in town.broker.photobroker(0, "plugin", "log", "policy-foreign-albums").stdout,
             "its author to be told")


def test_R136_a_policy_that_fails_for_a_while_is_asked_again_and_the_owner_is_told_meanwhile(town):
    install_faulty(town.house, "policy-fails-for-titles")
    scene = conftest.Scene(town.broker, 3)
    scene.limit(0, 1)
    album = scene.owner.naming(scene.library, scene.pictures[:2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Trouble", add=album, shared=True)
    town.broker.photobroker(scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "policy-fails-for-titles")

    def told():
        return "policy-fails-for-titles" in (scene.owner.library(scene.library).get("problem") or "")
    wait_for(told, "the owner to be told")
    assert scene.app.call("FetchAlbums")["albums"] == []
    wait_for(lambda: [a["title"] for a in scene.app.call("FetchAlbums")["albums"]] == ["Trouble"], "the policy to be asked again", 60)
    assert not told()


def test_items_that_break_the_rules_are_left_out_and_counted(town):
    owner, name = town.add("odd items")
    library = owner.wait_for_library(name, 4)
    assert library["skipped"] == 22
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault, words", [
    ("a version too long", "contentVersion"), ("a role of tomorrow", "The role of a file"), ("no locator", "A locator is no path")])
def test_R95_a_known_photo_of_which_a_storage_says_what_is_refused_is_not_deleted(town, trigger, fault, words):
    app, owner, name, before = seen_whole(town, fault, trigger)
    town.broker.photobroker(owner.uid, "asset", "mark", name, "--name", "picture-0.jpg", "--never-share")
    wait_for(lambda: len(app.fetch()) == 3, "the photo to be kept from the app")
    trigger.touch()
    owner.call("RescanLibrary", name=name)
    library = wait_for(lambda: (l := owner.library(name))["skipped"] == 1 and l, "the refused item")
    assert library["assets"] == 4 and len(app.fetch()) == 3
    if fault != "no locator":
        [told] = library["skippedFiles"]
        assert told["path"] == "picture-0.jpg" and words in told["reason"] and told["why"]["code"] == "fileRefused"
    assert words in town.broker.photobroker(0, "plugin", "log", "faulty").stdout, "its author reads why"
    trigger.unlink()
    owner.call("RescanLibrary", name=name)
    wait_for(lambda: owner.library(name)["skipped"] == 0, "the item as it was")
    assert app.fetch() == [a for a in before if a["filename"] != "picture-0.jpg"], "never-share holds, and all are who they were"
    owner.call("RemoveLibrary", name=name)


def test_R95_a_storage_that_lists_nothing_once_is_not_believed_and_one_that_goes_on_is_when_its_owner_says_so(town, trigger):
    app, owner, name, before = seen_whole(town, "forgets photos", trigger)
    trigger.touch()
    owner.call("RescanLibrary", name=name)
    library = wait_for(lambda: (l := owner.library(name))["state"] == "offline" and l, "the photos to be missed")
    assert library["problemReason"]["code"] == "photosMissed" and "library rescan" in library["problem"]
    assert library["assets"] == 4 and app.fetch() == before
    trigger.unlink()
    owner.wait_for_library(name, 4)
    assert app.fetch() == before and "problemReason" not in owner.library(name)
    trigger.touch()
    owner.call("RescanLibrary", name=name)
    wait_for(lambda: owner.library(name)["state"] == "offline", "the photos to be missed again")
    assert app.fetch() == before
    owner.call("RescanLibrary", name=name)
    owner.wait_for_library(name, 0)
    assert app.fetch() == []
    owner.call("RemoveLibrary", name=name)


def test_a_storage_that_does_not_wait_is_asked_now_and_then_and_its_author_reads_why(town):
    owner, name = town.add("does not wait")
    owner.wait_for_library(name, 4)
    wait_for(lambda: "It does not wait" in town.broker.photobroker(0, "plugin", "log", "faulty").stdout, "the log to say it")

    def processor_seconds():
        total = 0
        for pid in [town.broker.process.pid, *descendants()]:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")
    began = processor_seconds()
    time.sleep(4)
    assert processor_seconds() - began < 0.6
    (town.house.folder / f"{name}-{owner.uid}" / "picture-1.jpg").unlink()
    owner.wait_for_library(name, 3)
    owner.call("RemoveLibrary", name=name)


def test_a_storage_that_always_says_that_something_changed_is_looked_at_now_and_then(town, record_property):
    owner, name = town.add("says that it changes")
    owner.wait_for_library(name, 4)
    town.right.app.start(ask_all_the_time, seconds=8, asset=town.asset)

    def processor_seconds():
        with open(f"/proc/{town.broker.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    began = processor_seconds()
    heard = town.right.app.hear()
    print(f"\nbeside a storage that always changes: p99 {p99(heard['taken']):.2f} ms, "
          f"{processor_seconds() - began:.1f} s of processor time in 8 s")
    assert heard["errors"] == []
    # What a look finds gone may be moving, as long as there is news; news without end keeps nothing.
    (town.house.folder / f"{name}-{owner.uid}" / "picture-1.jpg").unlink()
    owner.wait_for_library(name, 3)
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault, reason", [("no room for some", "notEnoughSpace"), ("dies after an addition", None)])
def test_R14_what_a_storage_took_of_a_request_that_it_then_failed_is_taken_out_again(town, fault, reason):
    """Also the file of which it never said that it has it; nobody sees any of them at any time."""
    app = town.broker.app()
    owner, name = town.add(fault, offered=[app.uid])
    owner.wait_for_library(name, 4)
    app.introduce("org.example.creating")
    owner.set(name, app.name, "authorized")
    app.request(library=name)
    before = sorted(owner.names(name))
    pictures = {p: jpeg(day(20), p.encode()) for p in ("fine.jpg", "odd.jpg", "never.jpg")}
    steps = [creation(p, data) for p, data in pictures.items()]
    refused = app.refusal("PerformChanges", changes=steps)
    assert refused.error == "PhotosError" and (reason is None or refused.reason == reason), refused
    folder = town.house.folder / f"{name}-{owner.uid}"

    def left():
        assert sorted(owner.names(name)) == before, "nobody sees what is not whole"
        there = [p for p in folder.rglob("*.jpg") if ".trash" not in p.parts]
        return sorted({p.name for p in there} - set(before))

    assert left() in ([], ["odd.jpg"])
    if left():
        # A look at everything finds it; the broker has one on its own, later.
        owner.rescan(name)
    wait_for(lambda: not left(), "all of it to be taken out again")
    # The owner's own file of that name is theirs.
    (folder / "odd.jpg").write_bytes(jpeg(day(21), b"another"))
    os.chown(folder / "odd.jpg", BROKER, BROKER)
    wait_for(lambda: "odd.jpg" in owner.names(name), "the owner's own")
    owner.call("RemoveLibrary", name=name)


def test_R142_another_file_that_a_storage_brings_back_is_told_and_the_photo_stays_in_its_trash(town):
    """One of the time before Restore said which of several files of one place is meant."""
    app, owner = town.broker.app(), town.broker.owner()
    album = Album(town.house, f"wrong-{owner.uid}", owner.uid)
    album.fill(2)
    album.folder.chmod(0o770)
    name, place = album.folder.name, album.folder / "picture-001.jpg"
    owner.call("AddLibrary", name=name, backend="faulty", options={"path": str(album.folder), "fault": "restores the last"}, offeredTo=[app.uid])
    owner.wait_for_library(name, 2)
    app.introduce("org.example.deleting")
    owner.set(name, app.name, "authorized")
    app.request(library=name)
    own = []
    for number in (1, 33):
        if own:
            album.add(number, place.name)
            wait_for(lambda: place.name in app.names(), "the new photo of that name")
        own.append(owner.identifier(name, place.name))
        app.call("PerformChanges", changes=[{"kind": "delete", "assets": [app.named(place.name)["localIdentifier"]]}])
        wait_for(lambda: not place.exists(), "the file to be moved into the trash")
    refused = owner.refusal("RestoreAssets", library=name, identifiers=own[:1])
    assert refused.parameters["reason"]["code"] == "restoredAnother", refused.parameters
    assert own[0] in [a["identifier"] for a in owner.call("FetchTrashedAssets", library=name)["assets"]]
    # That other one is where it was, so that it is back, though the storage would bring it back no more.
    owner.rescan(name)
    assert owner.call("RestoreAssets", library=name, identifiers=own[1:]) == {"restored": 1}
    assert owner.identifier(name, place.name) == own[1]
    # Once it is out of the way the first one is the last one in the trash.
    place.unlink()
    assert owner.call("RestoreAssets", library=name, identifiers=own[:1]) == {"restored": 1}
    owner.call("RemoveLibrary", name=name)
