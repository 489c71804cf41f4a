"""A library of thousands of photos, made in the broker's store."""

import os
import sqlite3

from .broker import BROKER, Broker
from .person import wait_for
from .plugins import install_halting
from .scene import Scene


# The number of real files; all other photos share their bytes.
FILES = 25


FIRST, STEP = 1_100_000_000_000_000, 5_000_000_000


def add_rows(scene, count):
    """Add rows up to `count` photos to the stopped broker's store, as if indexed.

    The file `unlisted` blocks the storage's scan, which would find only the real files.
    """
    broker = scene.broker
    (scene.album.folder / "unlisted").write_text("")
    broker.stop()
    database = sqlite3.connect(broker.state / "state.db")
    (library,) = database.execute("SELECT id FROM libraries").fetchone()
    known = dict(database.execute("SELECT locator, asset FROM resources"))
    database.execute("CREATE TEMP TABLE originals (number INTEGER PRIMARY KEY, asset INTEGER)")
    database.executemany(
        "INSERT INTO originals VALUES (?, ?)", [(n, known[name]) for n, name in enumerate(scene.pictures)]
    )
    numbers = f"WITH RECURSIVE n(i) AS (SELECT {FILES} UNION ALL SELECT i + 1 FROM n WHERE i < {count - 1})"
    database.execute(
        f"""{numbers} INSERT INTO assets (id, identifier, created, added, modified, media_type, subtypes, flags,
          width, height, duration, version, file_name, edited, facts_version)
        SELECT {library << 32} + i + 1000, randomblob(16), {FIRST} + i * {STEP}, i, i, 1, 0, i % 50 = 0,
          64, 48, 0, 1, printf('IMG_%06d.jpg', i), 0, 1
        FROM n"""
    )
    database.execute(
        f"""{numbers} INSERT INTO resources (asset, place, role, locator, file_name, content_type, size,
          content_version, identity_hint, digest)
        SELECT {library << 32} + i + 1000, r.place, r.role, r.locator, printf('IMG_%06d.jpg', i),
          r.content_type, r.size, r.content_version, r.identity_hint, r.digest
        FROM n JOIN originals o ON o.number = n.i % {FILES} JOIN resources r ON r.asset = o.asset"""
    )
    database.execute("UPDATE libraries SET next_number = ?", (count + 1000,))
    database.execute("DELETE FROM catalogues")
    database.commit()
    database.close()
    for path in broker.state.iterdir():
        os.chown(path, BROKER, BROKER)
    broker.start()
    for person in broker.people:
        person.new_connection()


def make_large(house, count):
    """A library of `count` photos, with a broker of its own."""

    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    try:
        scene = Scene(broker, FILES, backend=install_halting(house))
        scene.count = count
        add_rows(scene, count)
        wait_for(lambda: scene.owner.library(scene.library)["assets"] == count, "the library")
        yield scene
    finally:
        broker.end()


def name_at(scene, at):
    return scene.newest_first[at] if at < FILES else f"IMG_{scene.count - 1 - (at - FILES):06}.jpg"
