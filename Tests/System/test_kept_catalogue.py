"""A large library's catalogue is saved for the next start; every answer equals that of the rows."""

import os
import sqlite3

import pytest
from house.broker import BROKER

COUNT = 21_000


def stored_catalogues(broker):
    return [path for path in broker.state.iterdir() if path.name.startswith("catalogue-")]


def all_views(scene):
    """Return the owner's and the app's views, in order."""
    owner = scene.broker.owner(uid=scene.owner.uid)
    app = scene.broker.app(uid=scene.app.uid)
    app.call("Attach", token=scene.app.token)
    pages = [
        owner.call("FetchOwnedAssets", library=scene.library, limit=1_000, skip=skip)
        for skip in (0, 9_000, COUNT - 500)
    ]
    pages.append(owner.call("FetchOwnedAssets", library=scene.library, limit=1_000, selector={"favorite": True}))
    pages.append(app.call("FetchAssets", limit=100)["assets"])
    pages.append(app.call("CountAssets"))
    return pages


@pytest.fixture
def large(own_scene):
    """The scene's library with thousands more photos, all missing, and no saved catalogue yet."""
    scene, broker = own_scene, own_scene.broker
    scene.limit(1, 3)
    broker.stop()
    scene.album.folder.rename(scene.album.folder.with_suffix(".away"))
    database = sqlite3.connect(broker.state / "state.db")
    (library,) = database.execute("SELECT id FROM libraries").fetchone()
    database.execute(
        f"""
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < {999 + COUNT})
        INSERT INTO assets (id, identifier, created, added, modified, media_type, subtypes, flags, width, height,
        duration,
          version, file_name, edited, facts_version)
        SELECT {library << 32} + i, randomblob(16), 1600000000000000 + i * 61000000 % 7919000000, i, i, 1 + i % 2, 0,
          CASE i % 7 WHEN 0 THEN 1 WHEN 3 THEN 2 ELSE 0 END, 4032, i, 0, 1, printf('IMG_%07d.JPG', i), 0, 1 FROM n"""
    )
    database.execute("UPDATE libraries SET next_number = ?", (1000 + COUNT,))
    database.commit()
    database.close()
    for path in broker.state.iterdir():
        os.chown(path, BROKER, BROKER)
    broker.start()
    return scene


def test_R144_a_start_from_the_stored_catalogue_gives_the_same_answers(large):
    broker = large.broker
    before = all_views(large)
    assert before[0]["total"] == COUNT + 6
    assert stored_catalogues(broker) == []
    broker.stop()
    (file,) = stored_catalogues(broker)
    assert file.stat().st_mode & 0o777 == 0o600 and file.stat().st_uid == BROKER
    broker.start()
    assert all_views(large) == before
    broker.stop()
    assert stored_catalogues(broker) == [file], "nothing changed, so nothing was written again"
    broker.start()
    owner = broker.owner(uid=large.owner.uid)
    hidden = before[4][0]["filename"]
    owner.call("MarkAssets", library=large.library, selector={"filename": hidden}, hidden=True)
    assert stored_catalogues(broker) == [], "what it says of a photo does not stay behind"
    broker.kill()
    broker.start()
    app = broker.app(uid=large.app.uid)
    app.call("Attach", token=large.app.token)
    assert hidden not in [asset["filename"] for asset in app.call("FetchAssets")["assets"]]


def test_R144_a_damaged_stored_catalogue_is_not_used(large):
    broker = large.broker
    before = all_views(large)
    broker.stop()
    (file,) = stored_catalogues(broker)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    broker.start()
    assert all_views(large) == before
    assert "made again from the rows" in broker.log
    assert stored_catalogues(broker) == []
