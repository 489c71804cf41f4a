"""An app's view of a library, kept current by change events."""


def fetched(app):
    return sorted(app.fetch(), key=lambda a: a["localIdentifier"])


def replay(start, events):
    """Return an app's list after it applied events to the first one."""
    known = {a["localIdentifier"]: a for a in start}
    for event in events:
        assert not event["resynchronize"]
        for identifier in event["removed"]:
            assert identifier in known, "removed what was not there"
            del known[identifier]
        for asset in event["inserted"]:
            assert asset["localIdentifier"] not in known, "inserted what was there"
            known[asset["localIdentifier"]] = asset
        for asset in event["changed"]:
            assert asset["localIdentifier"] in known, "changed what was not there"
            known[asset["localIdentifier"]] = asset
    return sorted(known.values(), key=lambda a: a["localIdentifier"])
