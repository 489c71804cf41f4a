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


class Abroad:
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

    def on(self, first, before, **options):
        listed = json.loads(
            self.run("asset", "list", self.library, "--from", first, "--before", before, "--json", **options)
        )
        return {asset["filename"] for asset in listed["assets"]}

    def dates(self):
        return {asset["filename"]: asset["creationDate"] for asset in self.owner.assets(self.library)}


@pytest.fixture
def abroad(own_broker):
    if not own_broker.house.has_media:
        pytest.skip("it takes the media worker")
    return Abroad(own_broker)


def at(hours, *shown):
    return microseconds(datetime.datetime(*shown, tzinfo=datetime.timezone(datetime.timedelta(hours=hours))))


def test_R146_a_day_is_the_cameras_local_day_in_summer_and_winter(abroad):
    assert "Europe/Zurich" in abroad.run("library", "show", abroad.library)
    assert abroad.on("2024-07-03", "2024-07-04") == {"july-3.jpg", "july-3-late.jpg"}
    assert abroad.on("2024-01-03", "2024-01-04") == {"january-3.jpg"}
    dates = abroad.dates()
    assert dates["july-3.jpg"] == at(2, *SHOWN["july-3.jpg"]) and dates["january-3.jpg"] == at(
        1, *SHOWN["january-3.jpg"]
    )


def test_R146_a_change_of_zone_redates_photos_without_an_offset(abroad):
    abroad.app.introduce()
    abroad.owner.set(abroad.library, abroad.app.name, "authorized")
    abroad.app.request()
    before = {a["filename"]: a["localIdentifier"] for a in abroad.app.fetch()}
    abroad.app.call(
        "PerformChanges",
        changes=[{"kind": "setCreationDate", "assets": [before["july-2.jpg"]], "creationDate": EDITED}],
    )
    abroad.app.observe()
    assert "no such time zone" in abroad.run("library", "set", abroad.library, "--time-zone", "Middle/Earth", expect=65)
    abroad.run("library", "set", abroad.library, "--time-zone", "../../etc/passwd", expect=64)
    expected = {name: at(9, *shown) for name, shown in SHOWN.items()} | {
        "july-2.jpg": EDITED,
        "phone.jpg": microseconds(day(3)),
    }
    abroad.run("library", "set", abroad.library, "--time-zone", "Asia/Tokyo")
    wait_for(lambda: abroad.dates() == expected, "the dates by Tokyo's clock")
    assert {a["filename"]: a["localIdentifier"] for a in abroad.app.fetch()} == before
    told = lambda: {asset["filename"] for event in abroad.app.events() for asset in event.get("changed") or []}
    wait_for(lambda: told() >= set(SHOWN) - {"july-2.jpg"}, "the app to be told")
    assert "phone.jpg" not in told()
    assert abroad.on("2024-01-03", "2024-01-04", zone="Asia/Tokyo") == {"january-3.jpg"}

    abroad.run("library", "set", abroad.library, "--time-zone", "-05:30")
    expected |= {name: at(-5.5, *shown) for name, shown in SHOWN.items() if name != "july-2.jpg"}
    wait_for(lambda: abroad.dates() == expected, "the dates by an offset")
    assert "-05:30" in abroad.run("library", "show", abroad.library)
    abroad.broker.restart()
    abroad.owner.wait_for_library(abroad.library)
    abroad.owner.rescan(abroad.library)
    assert abroad.dates() == expected
    abroad.album.put("new.jpg", jpeg(datetime.datetime(2024, 7, 3, 12), note=b"new"))
    wait_for(lambda: abroad.dates().get("new.jpg") == at(-5.5, 2024, 7, 3, 12), "a new photo by the same")
