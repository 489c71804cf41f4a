"""A receipt's count of earlier disclosures, by any grant or picker, also of ended ones (R134)."""

import pytest

from house.person import PICKER, wait_for
from house.pickers import answer_picker, present


def test_R134_a_receipt_counts_items_delivered_by_pickers(picking):
    item = answer_picker(picking, present(picking), 0)["results"][0]["item"]
    size = len((picking.album.folder / picking.pictures[0]).read_bytes())
    piece = picking.picker.call(PICKER + "ReadItem", item=item, offset=0, length=524_288)
    assert piece["isLast"]
    for scope in (
        {"app": picking.picker.name},
        {"library": picking.library},
        {"uid": picking.picker.uid},
        {"everything": True},
    ):
        receipt = picking.owner.call("Revoke", **scope)["receipt"]
        assert (receipt["grants"], receipt["assetsDelivered"], receipt["bytesDelivered"]) == (0, 1, size), scope
    assert picking.owner.call("Revoke", app=picking.picker.name, level="addOnly")["receipt"]["bytesDelivered"] == 0


def test_R134_a_second_revocation_and_the_apps_removal_still_report_deliveries(scene):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.digest(asset)
    size = len((scene.album.folder / scene.pictures[0]).read_bytes())

    def told(receipt):
        return receipt["grants"], receipt["assetsDelivered"], receipt["bytesDelivered"]

    assert told(scene.owner.call("Revoke", app=scene.app.name)["receipt"]) == (1, 1, size)
    assert told(scene.owner.call("Revoke", app=scene.app.name)["receipt"]) == (0, 1, size)
    assert told(scene.owner.call("Revoke", library=scene.library)["receipt"]) == (0, 1, size)
    # The ledger still names a removed app.
    assert told(scene.owner.call("RemoveApp", app=scene.app.name)["receipt"]) == (0, 1, size)
    shown = scene.broker.photobroker(scene.owner.uid, "log", scene.library).stdout
    assert "org.example.journal (removed)" in shown and "original" in shown


def test_R139_a_changed_asset_is_on_the_ledger_again(scene):
    scene.limit(0, 1)
    known = scene.owner.identifier(scene.library, scene.pictures[0])

    def entries():
        found = scene.owner.call("ReadLedger", library=scene.library, asset=known)["entries"]
        return sum(entry["rendition"] == "metadata" for entry in found)

    for _ in range(3):
        scene.app.fetch()
    wait_for(lambda: entries() == 1, "one entry")
    scene.owner.call("MarkAssets", library=scene.library, selector={"identifiers": [known]}, favorite=True)
    scene.app.fetch()
    wait_for(lambda: entries() == 2, "the changed asset's entry")


@pytest.mark.parametrize(
    "method, given",
    [
        ("GetDetails", "asset"),
        ("GetResources", "asset"),
        ("GetCloudIdentifiers", "localIdentifiers"),
        ("FetchPersistentChanges", "since"),
        ("ObserveChanges", "since"),
    ],
)
def test_R139_each_answer_about_an_asset_is_on_the_ledger(scene, method, given):
    """The owner's mark makes a new version, whose facts the app has not yet been given."""
    scene.limit(0)
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    known, local = scene.owner.identifier(scene.library, scene.pictures[0]), scene.app.fetch()[0]["localIdentifier"]

    def entries():
        found = scene.owner.call("ReadLedger", library=scene.library, asset=known)["entries"]
        return sum(entry["rendition"] == "metadata" for entry in found)

    wait_for(lambda: entries() == 1, "the entry of the list")
    scene.owner.call("MarkAssets", library=scene.library, selector={"identifiers": [known]}, favorite=True)
    parameters = {given: {"asset": local, "since": token}.get(given, [local])}
    if method == "ObserveChanges":
        scene.app.watch("changes", method, **parameters)
    else:
        scene.app.call(method, **parameters)
    wait_for(lambda: entries() == 2, "the entry of the answer")


def test_R134_a_lossless_edit_prints_no_receipt_and_a_removed_library_reports_all_deliveries(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    size = 0
    for name in scene.pictures[:2]:
        scene.app.digest(scene.app.named(name)["localIdentifier"])
        size += len((scene.album.folder / name).read_bytes())

    def printed(*words):
        return scene.broker.photobroker(scene.owner.uid, *words).stdout

    level = ("grant", "level", scene.library, scene.app.name, "see-and-change")
    assert "2 assets" in printed(*level, "no-access")
    for status in ("no-access", "selected-photos"):
        assert "elivered" not in printed(*level, status), status
    assert "2 assets" in printed("grant", "pause", scene.library)
    assert "elivered" not in printed("grant", "pause", scene.library)
    assert "2 assets" in printed(*level, "not-asked")
    back = scene.owner.call("ListDecisions", limit=1)["decisions"][0]
    assert "elivered" not in printed(*level, "not-asked")
    assert "elivered" not in printed("undo", str(back["decision"])), "it gives access"
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(2, app=other)
    other.digest(other.fetch()[0]["localIdentifier"])
    size += len((scene.album.folder / scene.pictures[2]).read_bytes())
    scene.owner.call("RemoveApp", app=other.name)
    receipt = scene.owner.call("RemoveLibrary", name=scene.library)["receipt"]
    assert (receipt["grants"], receipt["assetsDelivered"], receipt["bytesDelivered"]) == (0, 3, size), receipt
