"""Photos of a storage that fails later, or is faulty in lists, reads, additions and restores."""

import os
import time

import pytest

from house.app import creation
from house.broker import BROKER, Album
from house.neighbour import call_continuously, p99
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.town import descendants, app_with_full_access


LATER = ["crash", "exit", "no json", "ugly error", "pages in a circle"]


@pytest.fixture(scope="module")
def failed_later(faulty):
    """Storages that fail after their first scan, all at once: the circuit breaker takes 30 s
    each."""
    scenes = []
    for fault in LATER:
        trigger = faulty.house.folder / f"trigger-{fault.replace(' ', '-')}"
        scenes.append((trigger, *app_with_full_access(faulty, fault, trigger)))
    for trigger, _, owner, name, _ in scenes:
        trigger.touch()
        owner.call("RescanLibrary", name=name)
    for _, _, owner, name, _ in scenes:
        wait_for(lambda: owner.library(name)["state"] == "offline", "the library to be offline", 120)
    meanwhile = [app.fetch() for _, app, *_ in scenes]
    for trigger, *_ in scenes:
        trigger.unlink()
    return {fault: (*scene[1:], seen) for fault, scene, seen in zip(LATER, scenes, meanwhile)}


@pytest.mark.parametrize("fault", LATER)
def test_a_storage_that_fails_later_goes_offline_keeps_its_photos_and_recovers(failed_later, fault):
    app, owner, name, before, meanwhile = failed_later[fault]
    assert meanwhile == before, "what is offline is known, and not deleted"
    owner.wait_for_library(name, 4, seconds=90)
    assert app.fetch() == before
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault", ["short bytes", "long bytes"])
def test_files_of_a_wrong_length_are_skipped_and_named(faulty, fault):
    owner, name = faulty.add(fault)
    library = owner.wait_for_library(name, 0)
    assert library["skipped"] == 4
    owner.call("RemoveLibrary", name=name)


def test_listed_files_that_are_absent_are_named_to_the_owner_with_the_reason(faulty):
    owner, name = faulty.add("lists what is gone")
    owner.wait_for_library(name, 0)
    library = wait_for(lambda: (l := owner.library(name))["skipped"] == 4 and l, "all of them")
    assert sorted((f["path"], f["why"]["code"]) for f in library["skippedFiles"]) == [
        (f"picture-{n}.jpg", "fileGone") for n in range(4)
    ]
    shown = faulty.broker.photobroker(owner.uid, "library", "show", name).stdout
    assert "picture-0.jpg: There is no such file" in shown and "others" not in shown
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault", ["crash", "exit"])
def test_R98_a_read_that_breaks_gives_an_error_and_no_wrong_bytes(faulty, trigger, fault):
    app, owner, name, found = app_with_full_access(faulty, fault, trigger)
    asset = found[0]["localIdentifier"]
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


def test_invalid_items_are_skipped_and_counted(faulty):
    owner, name = faulty.add("odd items")
    library = owner.wait_for_library(name, 4)
    assert library["skipped"] == 22
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize(
    "fault, words",
    [
        ("a version too long", "contentVersion"),
        ("a role of tomorrow", "The role of a file"),
        ("no locator", "A locator is not a path"),
    ],
)
def test_R95_an_invalid_listing_of_a_known_photo_does_not_delete_it(faulty, trigger, fault, words):
    app, owner, name, before = app_with_full_access(faulty, fault, trigger)
    faulty.broker.photobroker(owner.uid, "asset", "mark", name, "--name", "picture-0.jpg", "--never-share")
    wait_for(lambda: len(app.fetch()) == 3, "the photo to be kept from the app")
    trigger.touch()
    owner.call("RescanLibrary", name=name)
    library = wait_for(lambda: (l := owner.library(name))["skipped"] == 1 and l, "the refused item")
    assert library["assets"] == 4 and len(app.fetch()) == 3
    if fault != "no locator":
        [told] = library["skippedFiles"]
        assert told["path"] == "picture-0.jpg" and words in told["reason"] and told["why"]["code"] == "fileRefused"
    assert words in faulty.broker.photobroker(0, "plugin", "log", "faulty").stdout, "its author reads why"
    trigger.unlink()
    owner.call("RescanLibrary", name=name)
    wait_for(lambda: owner.library(name)["skipped"] == 0, "the item as it was")
    assert app.fetch() == [a for a in before if a["filename"] != "picture-0.jpg"], (
        "never-share holds, and all are who they were"
    )
    owner.call("RemoveLibrary", name=name)


def test_R95_an_empty_listing_is_distrusted_until_the_owner_confirms_it(faulty, trigger):
    app, owner, name, before = app_with_full_access(faulty, "forgets photos", trigger)
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


def test_a_storage_that_does_not_wait_is_polled_slowly_and_its_author_is_told(faulty):
    owner, name = faulty.add("does not wait")
    owner.wait_for_library(name, 4)
    wait_for(
        lambda: "It does not wait" in faulty.broker.photobroker(0, "plugin", "log", "faulty").stdout,
        "the log to say it",
    )

    def processor_seconds():
        total = 0
        for pid in [faulty.broker.process.pid, *descendants(faulty)]:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    assert descendants(faulty), "its processes are counted too"
    began = processor_seconds()
    time.sleep(4)
    assert processor_seconds() - began < 0.6
    (faulty.house.folder / f"{name}-{owner.uid}" / "picture-1.jpg").unlink()
    owner.wait_for_library(name, 3)
    owner.call("RemoveLibrary", name=name)


def test_a_storage_that_always_reports_changes_is_scanned_at_a_limited_rate(faulty, record_property):
    owner, name = faulty.add("says that it changes")
    owner.wait_for_library(name, 4)
    faulty.healthy.app.start(call_continuously, seconds=8, asset=faulty.asset)

    def processor_seconds():
        with open(f"/proc/{faulty.broker.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    began = processor_seconds()
    heard = faulty.healthy.app.hear()
    print(
        f"\nbeside a storage that always changes: p99 {p99(heard['taken']):.2f} ms, "
        f"{processor_seconds() - began:.1f} s of processor time in 8 s"
    )
    assert heard["errors"] == []
    # A missing file may be moving while changes arrive, but an endless stream of changes ends that.
    (faulty.house.folder / f"{name}-{owner.uid}" / "picture-1.jpg").unlink()
    owner.wait_for_library(name, 3)
    owner.call("RemoveLibrary", name=name)


@pytest.mark.parametrize("fault, reason", [("no room for some", "notEnoughSpace"), ("dies after an addition", None)])
def test_R14_a_failed_requests_files_are_removed_from_the_storage(faulty, fault, reason):
    """A file that the storage never acknowledged goes too. All stay invisible throughout."""
    app = faulty.broker.app()
    owner, name = faulty.add(fault, offered=[app.uid])
    owner.wait_for_library(name, 4)
    app.introduce("org.example.creating")
    owner.set(name, app.name, "authorized")
    app.request(library=name)
    before = sorted(owner.names(name))
    pictures = {p: jpeg(day(20), p.encode()) for p in ("fine.jpg", "odd.jpg", "never.jpg")}
    steps = [creation(p, data) for p, data in pictures.items()]
    refused = app.refusal("PerformChanges", changes=steps)
    assert refused.error == "PhotosError" and (reason is None or refused.reason == reason), refused
    folder = faulty.house.folder / f"{name}-{owner.uid}"

    def left():
        assert sorted(owner.names(name)) == before, "nobody sees what is not whole"
        there = [p for p in folder.rglob("*.jpg") if ".trash" not in p.parts]
        return sorted({p.name for p in there} - set(before))

    assert left() in ([], ["odd.jpg"])
    if left():
        # A full scan finds it; the broker does one by itself later.
        owner.rescan(name)
    wait_for(lambda: not left(), "all of it to be taken out again")
    (folder / "odd.jpg").write_bytes(jpeg(day(21), b"another"))
    os.chown(folder / "odd.jpg", BROKER, BROKER)
    wait_for(lambda: "odd.jpg" in owner.names(name), "the owner's own")
    owner.call("RemoveLibrary", name=name)


def test_R142_restoring_the_wrong_file_is_reported_and_the_photo_stays_trashed(faulty):
    """The plugin's kit is from before Restore could choose between several files of one place."""
    app, owner = faulty.broker.app(), faulty.broker.owner()
    album = Album(faulty.house, f"wrong-{owner.uid}", owner.uid)
    album.fill(2)
    album.folder.chmod(0o770)
    name, place = album.folder.name, album.folder / "picture-001.jpg"
    owner.call(
        "AddLibrary",
        name=name,
        backend="faulty",
        options={"path": str(album.folder), "fault": "restores the last"},
        offeredTo=[app.uid],
    )
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
    # The second file never left, so that it counts as restored although the storage fails.
    owner.rescan(name)
    assert owner.call("RestoreAssets", library=name, identifiers=own[1:]) == {"restored": 1}
    assert owner.identifier(name, place.name) == own[1]
    # Once its place is free, the first file is the last one in the trash.
    place.unlink()
    assert owner.call("RestoreAssets", library=name, identifiers=own[:1]) == {"restored": 1}
    owner.call("RemoveLibrary", name=name)
