"""Dates without an offset: a day that the owner types means the day on the camera."""

import datetime
import json
import subprocess

import pytest

from house.broker import Album
from house.person import as_user, wait_for
from house.pictures import day, jpeg, microseconds

SHOWN = {
    "july-2.jpg": (2024, 7, 2, 23, 30),
    "july-3.jpg": (2024, 7, 3, 0, 30),
    "july-3-late.jpg": (2024, 7, 3, 23, 30),
    "january-2.jpg": (2024, 1, 2, 23, 30),
    "january-3.jpg": (2024, 1, 3, 0, 30),
}
EDITED = 1_000_000_000_000_000


class ZurichOwner:
    """An owner in Zurich's time, with photos of a camera without a zone and of a phone."""

    def __init__(self, broker):
        self.broker, self.owner, self.app = broker, broker.owner(), broker.app()
        self.album = Album(broker.house, f"zone-{self.owner.uid}", self.owner.uid)
        for name, shown in SHOWN.items():
            self.album.put(name, jpeg(datetime.datetime(*shown), note=name.encode()))
        self.album.put("phone.jpg", jpeg(day(3), note=b"phone"))
        self.library = f"zone-{self.owner.uid}"
        self.run("library", "add", self.library, self.album.folder, "--offer", str(self.app.uid), "--yes", "--wait")
        broker.accept(self.app.uid, self.library)

    def run(self, *arguments, zone="Europe/Zurich", expect=0):
        program = [self.broker.programs / "photobroker", "--socket", self.broker.admin_socket, *arguments]
        result = subprocess.run(
            as_user(self.owner.uid, program),
            text=True,
            cwd="/",
            capture_output=True,
            timeout=120,
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TZ": zone},
        )
        assert result.returncode == expect, (arguments, result.stdout, result.stderr)
        return result.stdout + result.stderr

    def names_between(self, first, before, **options):
        listed = json.loads(
            self.run("asset", "list", self.library, "--from", first, "--before", before, "--json", **options)
        )
        return {asset["filename"] for asset in listed["assets"]}

    def dates(self):
        return {asset["filename"]: asset["creationDate"] for asset in self.owner.assets(self.library)}


@pytest.fixture
def zurich(own_broker):
    if not own_broker.house.has_media:
        pytest.skip("it takes the media worker")
    return ZurichOwner(own_broker)


def microseconds_at(hours, *shown):
    return microseconds(datetime.datetime(*shown, tzinfo=datetime.timezone(datetime.timedelta(hours=hours))))


def test_R146_a_day_is_the_cameras_local_day_in_summer_and_winter(zurich):
    assert "Europe/Zurich" in zurich.run("library", "show", zurich.library)
    assert zurich.names_between("2024-07-03", "2024-07-04") == {"july-3.jpg", "july-3-late.jpg"}
    assert zurich.names_between("2024-01-03", "2024-01-04") == {"january-3.jpg"}
    dates = zurich.dates()
    assert dates["july-3.jpg"] == microseconds_at(2, *SHOWN["july-3.jpg"]) and dates[
        "january-3.jpg"
    ] == microseconds_at(1, *SHOWN["january-3.jpg"])


def test_R146_a_change_of_zone_redates_photos_without_an_offset(zurich):
    zurich.app.introduce()
    zurich.owner.set(zurich.library, zurich.app.name, "authorized")
    zurich.app.request()
    before = {a["filename"]: a["localIdentifier"] for a in zurich.app.fetch()}
    zurich.app.call(
        "PerformChanges",
        changes=[{"kind": "setCreationDate", "assets": [before["july-2.jpg"]], "creationDate": EDITED}],
    )
    zurich.app.observe()
    assert "no such time zone" in zurich.run("library", "set", zurich.library, "--time-zone", "Middle/Earth", expect=65)
    zurich.run("library", "set", zurich.library, "--time-zone", "../../etc/passwd", expect=64)
    expected = {name: microseconds_at(9, *shown) for name, shown in SHOWN.items()} | {
        "july-2.jpg": EDITED,
        "phone.jpg": microseconds(day(3)),
    }
    zurich.run("library", "set", zurich.library, "--time-zone", "Asia/Tokyo")
    wait_for(lambda: zurich.dates() == expected, "the dates by Tokyo's clock")
    assert {a["filename"]: a["localIdentifier"] for a in zurich.app.fetch()} == before
    told = lambda: {asset["filename"] for event in zurich.app.events() for asset in event.get("changed") or []}
    wait_for(lambda: told() >= set(SHOWN) - {"july-2.jpg"}, "the app to be told")
    assert "phone.jpg" not in told()
    assert zurich.names_between("2024-01-03", "2024-01-04", zone="Asia/Tokyo") == {"january-3.jpg"}

    zurich.run("library", "set", zurich.library, "--time-zone", "-05:30")
    expected |= {name: microseconds_at(-5.5, *shown) for name, shown in SHOWN.items() if name != "july-2.jpg"}
    wait_for(lambda: zurich.dates() == expected, "the dates by an offset")
    assert "-05:30" in zurich.run("library", "show", zurich.library)
    zurich.broker.restart()
    zurich.owner.wait_for_library(zurich.library)
    zurich.owner.rescan(zurich.library)
    assert zurich.dates() == expected
    zurich.album.put("new.jpg", jpeg(datetime.datetime(2024, 7, 3, 12), note=b"new"))
    wait_for(lambda: zurich.dates().get("new.jpg") == microseconds_at(-5.5, 2024, 7, 3, 12), "a new photo by the same")
