"""R39: the sidecar of one photo goes to no other photo of its name, while the broker remembers its own."""

import os

import pytest

from house.broker import BROKER
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.scene import Scene

A, B, SIDECAR = "IMG_1.jpg", "IMG_1.png", "IMG_1.xmp"


def described(text):
    """An XMP sidecar with a description and a place."""
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
        exif:GPSLatitude="47,22.6N" exif:GPSLongitude="8,32.5E"><dc:description><rdf:Alt>
        <rdf:li xml:lang="x-default">{text}</rdf:li></rdf:Alt></dc:description></rdf:Description>
        </rdf:RDF></x:xmpmeta>""".encode()


def picture(number, note):
    return jpeg(day(number), detail=300, note=note.encode())


@pytest.fixture
def scene(own_broker):
    scene = Scene(own_broker, 4)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.album.folder.chmod(0o770)
    scene.away = scene.house.make_folder(f"away-{scene.owner.uid}", scene.owner.uid)
    scene.allow()
    scene.album.put(SIDECAR, described("secret of A"))
    scene.album.put(A, picture(9, "photo A"))
    scene.album.put(B, picture(10, "photo B"))
    wait_for(lambda: {A, B} <= set(scene.app.names()), "both photos")
    scene.owner.rescan(scene.library)
    assert owned(scene)[A] == [SIDECAR] and owned(scene)[B] == []
    scene.a = scene.app.named(A)["localIdentifier"]
    scene.b = scene.app.named(B)["localIdentifier"]
    assert scene.app.call("GetDetails", asset=scene.a)["caption"] == "secret of A"
    return scene


def owned(scene):
    """The names of each photo's other files, as its owner sees them."""
    return {
        asset["path"]: [other["filename"] for other in asset.get("others") or []]
        for asset in scene.owner.assets(scene.library)
    }


def left_out(scene):
    return {file["path"]: file["why"]["code"] for file in scene.owner.library(scene.library)["skippedFiles"]}


def mark_hidden(scene):
    scene.mark(A, hidden=True)


def delete(scene):
    scene.app.delete(A)
    wait_for(lambda: not (scene.album.folder / A).exists(), "the photo to be in the trash")


def remove(scene):
    os.unlink(scene.album.folder / A)


def move_away(scene):
    os.rename(scene.album.folder / A, scene.away / A)


def move_inside(scene):
    os.rename(scene.album.folder / A, scene.album.folder / "kept.jpg")


def move_into_folder(scene):
    folder = scene.album.folder / "kept"
    folder.mkdir()
    os.chown(folder, scene.owner.uid, BROKER)
    os.rename(scene.album.folder / A, folder / A)


def replace(scene):
    scene.album.put(A, picture(11, "photo C"))


def nothing(scene):
    """The app's selection alone is without A."""


# Each way with the place that has the sidecar then, if any photo has it.
WAYS = {
    mark_hidden: A,
    nothing: A,
    delete: None,
    remove: None,
    move_away: None,
    move_inside: "kept.jpg",
    move_into_folder: f"kept/{A}",
    replace: None,
}


def check(scene, *others):
    """The limited app sees nothing of A, and neither do other photos of its name."""
    assert scene.app.names() == [B]
    asset = scene.app.named(B)
    assert asset["localIdentifier"] == scene.b and asset.get("latitude") is None
    assert scene.app.call("GetDetails", asset=scene.b).get("caption") is None
    resources = scene.app.call("GetResources", asset=scene.b)["resources"]
    assert [resource["filename"] for resource in resources] == [B]
    with pytest.raises(Refused):
        scene.app.open(scene.b, "sidecar")
    assert not any(owned(scene)[name] for name in (B, *others))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_R39_a_sidecar_goes_to_no_other_photo_of_its_name(scene, way):
    holder = WAYS[way]
    way(scene)
    if way is not nothing:
        wait_for(
            lambda: scene.owner.rescan(scene.library) and owned(scene).get(A) != [SIDECAR] or holder == A, "a scan"
        )
    scene.limit(B)
    check(scene)

    def is_with_its_photo():
        assert [name for name, others in owned(scene).items() if others] == ([holder] if holder else [])
        is_in_trash = way is delete
        assert left_out(scene) == ({} if holder or is_in_trash else {SIDECAR: "sidecarOfAnother"})

    is_with_its_photo()
    # The other photo changes, and a third one comes whose name precedes both.
    scene.album.put(B, picture(10, "photo B"))
    scene.album.put("IMG_1.gif", picture(12, "photo D"))
    wait_for(lambda: "IMG_1.gif" in owned(scene), "the third photo")
    for restarts in (True, False):
        scene.owner.rescan(scene.library)
        check(scene, "IMG_1.gif")
        is_with_its_photo()
        if restarts:
            scene.broker.restart()
            scene.owner.wait_for_library(scene.library)
            scene.app.request()


@pytest.mark.parametrize("way", [delete, move_away, remove], ids=lambda way: way.__name__)
def test_R39_a_photo_gets_its_sidecar_back_when_it_returns(scene, way):
    data = (scene.album.folder / A).read_bytes()
    way(scene)
    scene.owner.rescan(scene.library)
    assert A not in owned(scene) and owned(scene)[B] == []
    scene.album.put("IMG_1.gif", picture(12, "photo D"))
    wait_for(lambda: "IMG_1.gif" in owned(scene), "a photo whose name precedes the missing one's")
    if way is delete:
        trashed = [a["identifier"] for a in scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]]
        assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=trashed) == {"restored": 1}
    elif way is move_away:
        os.rename(scene.away / A, scene.album.folder / A)
    else:
        scene.album.put(A, data)
    wait_for(lambda: A in scene.app.names(), "the photo to return")
    for _ in range(2):
        assert scene.app.named(A)["localIdentifier"] == scene.a
        assert scene.app.call("GetDetails", asset=scene.a)["caption"] == "secret of A"
        assert [name for name, others in owned(scene).items() if others] == [A] and left_out(scene) == {}
        scene.owner.rescan(scene.library)


def test_R39_a_sidecar_alone_goes_to_no_later_photo_of_its_name(scene):
    os.unlink(scene.album.folder / B)
    move_inside(scene)
    scene.owner.rescan(scene.library)
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library)
    scene.app.request()
    scene.album.put("IMG_1.webp", picture(12, "photo D"))
    wait_for(lambda: "IMG_1.webp" in scene.app.names(), "another photo of that name")
    assert owned(scene)["kept.jpg"] == [SIDECAR] and owned(scene)["IMG_1.webp"] == []
    # The owner's deletion of the sidecar is seen.
    os.unlink(scene.album.folder / SIDECAR)
    scene.owner.rescan(scene.library)
    assert owned(scene)["kept.jpg"] == [] and scene.app.call("GetDetails", asset=scene.a).get("caption") is None


def test_R39_a_photo_and_its_sidecar_are_renamed_together(scene):
    for name in (SIDECAR, A):
        os.rename(scene.album.folder / name, scene.album.folder / name.replace("1", "2"))
    wait_for(lambda: "IMG_2.jpg" in scene.app.names(), "the renamed photo")
    scene.owner.rescan(scene.library)
    assert owned(scene)["IMG_2.jpg"] == ["IMG_2.xmp"] and owned(scene)[B] == []
    assert scene.app.named("IMG_2.jpg")["localIdentifier"] == scene.a


def test_R39_another_photo_brings_a_sidecar_of_its_own(scene):
    for name in (A, SIDECAR):
        os.unlink(scene.album.folder / name)
    scene.owner.rescan(scene.library)
    scene.album.put(SIDECAR, described("of C"))
    scene.album.put(A, picture(11, "photo C"))
    wait_for(lambda: A in scene.app.names(), "the new photo")
    scene.owner.rescan(scene.library)
    assert owned(scene)[A] == [SIDECAR] and left_out(scene) == {}
    asset = scene.app.named(A)["localIdentifier"]
    assert asset != scene.a and scene.app.call("GetDetails", asset=asset)["caption"] == "of C"


def test_R39_a_sidecar_on_a_remote_goes_to_no_other_photo_of_its_name(far):
    a, b, sidecar = (f"2024/picture-1.{ending}" for ending in ("jpg", "png", "xmp"))
    data = (far.remote.photos / a).read_bytes()
    far.remote.put(sidecar, described("secret of A"))
    far.owner.rescan(far.library)
    far.remote.put(b, picture(20, "photo B"))
    far.owner.rescan(far.library)
    assert owned(far)[a] == ["picture-1.xmp"] and owned(far)[b] == []
    identifier = far.owner.identifier(far.library, os.path.basename(a))
    (far.remote.photos / a).unlink()
    for _ in range(2):
        far.owner.rescan(far.library)
        assert a not in owned(far) and owned(far)[b] == [] and left_out(far) == {sidecar: "sidecarOfAnother"}
    far.remote.put(a, data)
    far.owner.rescan(far.library)
    assert far.owner.identifier(far.library, os.path.basename(a)) == identifier
    assert owned(far)[a] == ["picture-1.xmp"] and owned(far)[b] == [] and left_out(far) == {}
