"""Videos on the page: small previews of the first minute, made on request by the worker."""

import fcntl
import json
import os
import pathlib
import signal
import struct

import pytest
from house import page as pages
from house.films import VIDEOS
from house.page import send_request
from house.page_views import announcement, browse, open_large_view
from house.person import Refused, media_workers, wait_for


def test_photos_and_videos_are_counted_by_their_names(films, page):
    window = page.open_window()
    films.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    video = window.get_by_role("option", name="Video").first
    video.click()
    window.get_by_role("button", name="Allow 1 video").wait_for()
    assert window.locator(".chooser-foot strong").inner_text() == "1 video selected"
    wait_for(lambda: announcement(window) == "Selected. 1 video in all", "the announcement")
    window.get_by_role("option", name=films.pictures[0]).click()
    window.get_by_role("button", name="Allow 2 photos and videos").wait_for()
    wait_for(lambda: announcement(window) == "Selected. 2 photos and videos in all", "the announcement")
    window.wait_for_timeout(700)
    video.click()
    window.get_by_role("button", name="Allow 1 photo").wait_for()
    wait_for(lambda: announcement(window) == "Unselected. 1 photo in all", "the announcement")


def test_a_library_showing_only_videos_counts_videos(films, page):
    window = page.open_window()
    browse(window)
    window.get_by_role("button", name="Videos", exact=True).click()
    wait_for(lambda: announcement(window) == f"{len(VIDEOS)} videos", "the announcement")
    window.get_by_role("button", name="All", exact=True).click()
    wait_for(lambda: announcement(window) == f"{6 + len(VIDEOS)} photos and videos", "the announcement")


def test_a_narrow_videos_duration_does_not_overlap_its_controls(films, page):
    window = page.open_window(size=(390, 1400), has_touch=True, is_mobile=True)
    window.get_by_role("link", name="Libraries").tap()
    window.get_by_role("button", name="Browse").tap()
    window.locator(".tile.narrow .tile-video").first.wait_for()
    overlaps = window.evaluate("""() => [...document.querySelectorAll('.tile:has(.tile-video)')].filter(tile => {
      const parts = ['.tile-video', '.tile-check', '.tile-zoom']
        .map(part => tile.querySelector(part).getBoundingClientRect())
      return parts.some((one, at) => parts.slice(at + 1)
        .some(other => one.left < other.right && other.left < one.right
          && one.top < other.bottom && other.top < one.bottom))
    }).map(tile => tile.ariaLabel)""")
    assert overlaps == []


def test_every_video_plays_upright_and_in_full(films, page):
    window = page.open_window(size=(1400, 2600))
    browse(window)
    shapes = {}
    for name in VIDEOS:
        viewer = open_large_view(window, name)
        assert viewer.locator("video").count() == 0, "nothing is made before somebody wants it"
        assert viewer.locator(".viewer-stage.close").count() == 0, "opening it does not zoom too"
        viewer.get_by_role("button", name="Play the beginning").click()
        film = viewer.locator("video")
        film.wait_for()
        window.wait_for_function(
            "() => { const v = document.querySelector('video'); return v && v.readyState >= 2 && v.duration > 0 }"
        )
        window.wait_for_function(
            "() => { const v = document.querySelector('video'); return v.currentTime > 0.05 || v.ended }"
        )
        shapes[name] = film.evaluate("v => [v.videoWidth, v.videoHeight, v.duration, v.error]")
        viewer.get_by_role("button", name="Close").click()
    for name, (width, height, duration, error) in shapes.items():
        assert max(width, height) <= 640 and error is None, name
        assert abs(duration - VIDEOS[name][1]) < 0.25, (name, duration)
    assert shapes["portrait.mp4"][0] < shapes["portrait.mp4"][1] and shapes["small.webm"][0] > shapes["small.webm"][1]
    assert window.problems == []
    assert len([url for url in window.requests if url.endswith("/preview")]) == len(VIDEOS)


def test_a_video_is_seekable_and_ends_with_its_view(films, page):
    window = page.open_window(size=(1400, 2600))
    browse(window)
    viewer = open_large_view(window, "small.webm")
    window.keyboard.press("p")
    film = viewer.locator("video")
    film.wait_for()
    window.wait_for_function("() => document.querySelector('video').readyState >= 2")
    film.evaluate("v => { v.pause(); v.currentTime = 3 }")
    window.wait_for_function(
        "() => { const v = document.querySelector('video'); return !v.seeking && Math.abs(v.currentTime - 3) < 0.2 }"
    )
    address = film.evaluate("v => v.src")
    assert address.startswith("blob:")
    viewer.get_by_role("button", name="Next").click()
    assert viewer.locator("video").count() == 0
    gone = window.evaluate("address => fetch(address).then(() => false, () => true)", address)
    assert gone, "what was looked at is given back"


def test_a_range_request_for_a_preview_is_answered_with_that_range(scene, photographs):
    """RFC 9110, section 14: 206 with a part, 416 beyond the file; other ranges are ignored."""
    if not photographs or not scene.house.has_media:
        assert not os.environ.get("CI"), "photobroker-media was not built"
        pytest.skip("../shared/photos or photobroker-media is not there")
    scene.album.put("small.webm", (photographs / VIDEOS["small.webm"][0]).read_bytes(), 1_760_000_000)
    scene.owner.wait_for_library(scene.library, 7)
    asset = scene.owner.identifier(scene.library, "small.webm")
    server = pages.Page(scene.broker, scene.owner, None)
    try:
        host, code = server.address_and_code()
        headers = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
        headers["X-PhotoBroker-Session"] = json.loads(
            send_request(host, "POST", "/session", headers, json.dumps({"code": code}))[1]
        )["session"]

        def ask(wanted=None):
            more = {"Range": wanted} if wanted else {}
            response, data = send_request(
                host, "POST", "/preview", {**headers, **more}, json.dumps({"library": scene.library, "asset": asset})
            )
            return response.status, response.getheader("Content-Range"), data

        status, _, whole = ask()
        size = len(whole)
        assert status == 200 and whole[:4] == bytes.fromhex("1A45DFA3")
        for wanted, first, end in [
            ("bytes=0-99", 0, 100),
            ("bytes=100-", 100, size),
            ("bytes=-50", size - 50, size),
            (f"bytes={size - 1}-{size + 9}", size - 1, size),
            (f"bytes=-{size + 1}", 0, size),
        ]:
            assert ask(wanted) == (206, f"bytes {first}-{end - 1}/{size}", whole[first:end]), wanted
        for wanted in (f"bytes={size}-", f"bytes={size}-{size + 1}", "bytes=-0"):
            assert ask(wanted) == (416, f"bytes */{size}", b""), wanted
        for wanted in (
            "bytes=5-2",
            "bytes=0-1,4-5",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "seconds=0-1",
            "bytes=99999999999999999999-",
            "bytes=+1-2",
        ):
            assert ask(wanted) == (200, None, whole), wanted
    finally:
        server.end()


def test_a_photo_has_no_play_button_and_an_unplayable_video_says_so(films, page):
    window = page.open_window(size=(1400, 2600))
    browse(window)
    viewer = open_large_view(window, films.pictures[0])
    assert not viewer.get_by_role("button", name="Play the beginning").is_visible()
    viewer.get_by_role("button", name="Close").click()
    # 404 is the answer for a video that the worker cannot convert. A removed file would not lead to
    # it, because previews are kept.
    window.route("**/preview", lambda route: route.fulfill(status=404))
    open_large_view(window, "old.avi")
    viewer.get_by_role("button", name="Play the beginning").click()
    viewer.get_by_text("This video cannot be shown here.").wait_for()


def test_a_preview_is_the_owners_own_and_immutable(films):
    def keep(agent, library, asset):
        reply, descriptors = agent.connection().call_with_descriptors(
            "io.photobroker.Admin.GetOwnedPreview", library=library, asset=asset
        )
        data = os.pread(descriptors[0], 4, 0)
        seals = fcntl.fcntl(descriptors[0], fcntl.F_GET_SEALS)
        try:
            os.write(descriptors[0], b"x")
            changed = True
        except OSError:
            changed = False
        size = os.fstat(descriptors[0]).st_size
        os.close(descriptors[0])
        return data.hex(), reply["size"] == size, bool(seals & fcntl.F_SEAL_WRITE), changed

    asset = films.owner.identifier(films.library, "small.webm")
    assert films.owner.run(keep, library=films.library, asset=asset) == ["1a45dfa3", True, True, False]
    photo = films.owner.identifier(films.library, films.pictures[0])
    assert films.owner.refusal("GetOwnedPreview", library=films.library, asset=photo).error == "Refused"
    assert films.broker.owner().refusal("GetOwnedPreview", library=films.library, asset=asset).error == "NotFound"


def video_workers(broker):
    return [
        pid
        for pid in media_workers(broker)
        if pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("photobroker-vid")
    ]


def test_R126_a_former_co_owner_gets_no_video_in_preparation(films):
    partner = films.broker.owner()
    for name in ("film.mkv", "turned.mp4"):
        films.owner.call("DelegateLibrary", name=films.library, coOwners=[partner.uid])
        films.broker.accept(partner.uid, films.library)
        asset = films.owner.identifier(films.library, name)
        # The worker that this request starts stands still until the user is no co-owner any more.
        for worker in video_workers(films.broker):
            os.kill(worker, signal.SIGKILL)
        wait_for(lambda: not video_workers(films.broker), "the end of earlier workers")
        partner.begin("GetOwnedPreview", library=films.library, asset=asset)
        [worker] = wait_for(lambda: video_workers(films.broker), "the worker")
        os.kill(worker, signal.SIGSTOP)
        films.owner.call("DelegateLibrary", name=films.library, coOwners=[])
        assert not partner.has_answered()
        os.kill(worker, signal.SIGCONT)
        with pytest.raises(Refused) as refused:
            partner.hear()
        assert refused.value.error == "NotFound"


def test_thumbnails_do_not_wait_for_a_video(films):
    """A preview is made by a worker of its own."""
    asset = films.owner.identifier(films.library, "colour.mp4")
    picture = films.owner.identifier(films.library, films.pictures[1])
    films.owner.begin("GetOwnedPreview", on="film", library=films.library, asset=asset)
    other = films.broker.owner(films.owner.uid)
    assert other.call("GetOwnedThumbnail", library=films.library, asset=picture, maxPixels=64)["data"]
    films.owner.hear()


def film(jpeg, width, height, rate, seconds):
    """Return an AVI that repeats one JPEG, as old cameras write."""

    def chunk(name, data):
        return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def listed(name, data):
        return chunk(b"LIST", name + data)

    count = rate * seconds
    main = struct.pack(
        "<14I", 1_000_000 // rate, len(jpeg) * rate, 0, 0x10, count, 0, 1, len(jpeg), width, height, 0, 0, 0, 0
    )
    stream = b"vidsMJPG" + struct.pack(
        "<IHHIIIIIIII4H", 0, 0, 0, 0, 1, rate, 0, count, len(jpeg), 0xFFFF_FFFF, 0, 0, 0, width, height
    )
    form = struct.pack("<IiiHH4sIiiII", 40, width, height, 1, 24, b"MJPG", width * height * 3, 0, 0, 0, 0)
    frame = chunk(b"00dc", jpeg)
    index = b"".join(b"00dc" + struct.pack("<III", 0x10, 4 + number * len(frame), len(jpeg)) for number in range(count))
    header = listed(b"hdrl", chunk(b"avih", main) + listed(b"strl", chunk(b"strh", stream) + chunk(b"strf", form)))
    return chunk(b"RIFF", b"AVI " + header + listed(b"movi", frame * count) + chunk(b"idx1", index))


def test_only_the_first_minute_is_converted(films, page):
    jpeg = (films.album.folder / films.pictures[0]).read_bytes()
    films.album.put("long.avi", film(jpeg, 64, 48, 10, 75), 1_770_000_000)
    films.owner.wait_for_library(films.library, 7 + len(VIDEOS))
    window = page.open_window()
    browse(window)
    viewer = open_large_view(window, "long.avi")
    viewer.get_by_text("1:15").wait_for()
    viewer.get_by_role("button", name="Play the beginning").click()
    window.wait_for_function(
        "() => { const v = document.querySelector('video'); return v && v.readyState >= 2 && v.duration > 0 }"
    )
    assert abs(viewer.locator("video").evaluate("v => v.duration") - 60) < 0.5


def test_the_command_line_makes_pictures_and_previews(films):
    """Pictures and previews go to new files of the owner, and a refusal leaves no file."""
    place = films.house.make_folder(f"looked-at-{films.owner.uid}", films.owner.uid, mode=0o755)

    def photobroker(*words, expect=0):
        return films.broker.photobroker(films.owner.uid, "asset", *words, expect=expect)

    video, photo = (films.owner.identifier(films.library, name) for name in ("small.webm", films.pictures[0]))
    told = json.loads(photobroker("picture", films.library, photo, place / "a.jpg", "--pixels", "48", "--json").stdout)
    data = (place / "a.jpg").read_bytes()
    assert (
        told == {"file": str(place / "a.jpg"), "size": len(data)} and (place / "a.jpg").stat().st_mode & 0o777 == 0o600
    )
    assert data[:3] == bytes.fromhex("FFD8FF") and b"Exif" not in data
    frame = data.index(bytes.fromhex("FFC0"))
    assert max(int.from_bytes(data[frame + 5 : frame + 7]), int.from_bytes(data[frame + 7 : frame + 9])) == 48
    photobroker("picture", films.library, video, place / "b.jpg")
    photobroker("preview", films.library, video, place / "b.webm")
    assert (place / "b.webm").read_bytes()[:4] == bytes.fromhex("1A45DFA3")
    for words, status in [
        (("picture", films.library, photo, place / "a.jpg"), 73),
        (("picture", films.library, "0" * 32, place / "c.jpg"), 66),
        (("picture", films.library, photo, place / "c.jpg", "--pixels", "2561"), 64),
        (("preview", films.library, photo, place / "c"), 65),
        (("preview", films.library, video, place / "none" / "c"), 73),
    ]:
        refused = photobroker(*words, expect=status)
        assert refused.stderr.startswith("photobroker:") and not refused.stdout, words
    assert (
        sorted(path.name for path in place.iterdir()) == ["a.jpg", "b.jpg", "b.webm"]
        and (place / "a.jpg").read_bytes() == data
    )
