"""A library of a million photos, written directly into the state of a stopped broker.

Its folder does not exist, so no scan looks for the files, while metadata is served. Each photo's
metadata follows from its number, so that other stores can be filled with the same."""

import sqlite3
import struct
import time

FIRST = 1_600_000_000_000_000
STEP = 61_000_000
SELECTED, FAVOURITE = 10, 7


def fill(path, count, first):
    """Adds assets `first` to `first + count - 1` to the only library."""
    database = sqlite3.connect(path)
    (library,) = database.execute("SELECT id FROM libraries").fetchone()
    database.execute(
        f"""
        WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {first + count - 1})
        INSERT INTO assets (id, identifier, created, date_origin, added, modified, media_type, subtypes, flags,
          width, height, duration, latitude, longitude, place, version, file_name, creator, edited, facts_version)
        SELECT {library << 32} + i, randomblob(16), {FIRST} + i * {STEP}, NULL,
          {FIRST} + i * {STEP}, {FIRST} + i * {STEP}, 1, 0, i % {FAVOURITE} = 0, 4032, 3024, 0, NULL, NULL, NULL, 1, printf('IMG_%07d.JPG', i), NULL, 0, 1 FROM n"""
    )
    database.execute("UPDATE libraries SET next_number = ?", (first + count,))
    # A kept catalogue lacks rows that the broker did not write itself.
    database.execute("DELETE FROM catalogues")
    database.commit()
    database.close()


def select(path, app, first, count):
    """Adds every tenth of these assets to an app's selection."""
    database = sqlite3.connect(path)
    (library,) = database.execute("SELECT id FROM libraries").fetchone()
    chunks = {}
    for number in range(-(-first // SELECTED) * SELECTED, first + count, SELECTED):
        bits = chunks.setdefault(number >> 16, bytearray(8192))
        bits[(number & 0xFFFF) >> 3] |= 1 << (number & 7)
    for chunk, bits in chunks.items():
        members = [i for i in range(65536) if bits[i >> 3] >> (i & 7) & 1]
        blob = bytes([2]) + bits if len(members) > 1024 else bytes([1]) + struct.pack(f"<{len(members)}H", *members)
        database.execute(
            "INSERT OR REPLACE INTO selections (library, app, level, chunk, members) VALUES (?, ?, 'readWrite', ?, ?)",
            (library, bytes.fromhex(app), chunk, blob),
        )
    database.commit()
    database.close()


def scan(path):
    """Seconds that SQLite takes to read the catalogue's columns of every asset."""
    database = sqlite3.connect(path)
    columns = [row[1] for row in database.execute("PRAGMA table_info(assets)")][:19]
    start = time.monotonic()
    database.execute("SELECT " + ", ".join(f"max({c})" for c in columns) + " FROM assets").fetchone()
    taken = time.monotonic() - start
    database.close()
    return taken


def row_per_photo(path, rounds):
    """The median, in seconds, of a durable edit of 1,000 photos in a selection table with a row per
    photo."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE chosen (app INTEGER, asset INTEGER, PRIMARY KEY (app, asset)) WITHOUT ROWID")
    times = []
    for round in range(rounds):
        start = time.monotonic()
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO chosen VALUES (?, ?)", [(round, i * 10) for i in range(1000)])
        database.execute("COMMIT")
        times.append(time.monotonic() - start)
    database.close()
    return sorted(times)[len(times) // 2]
