#!/usr/bin/env python3
"""The photo journal with a stock Varlink client: pip install varlink.

    journal.py [list | choose | watch | show ID [FILE] | save FILE | open FILE]

If several libraries are offered to you, PHOTOBROKER_LIBRARY names the one to use.
The exit status is 0, 1 after a failure, or 2 for a wrong command line.
`varlink` supports no descriptors, so bytes are read in pieces with ReadBytes.
From photobroker.py beside it, it uses the token file alone.
"""

import base64
import datetime
import inspect
import json
import os
import pathlib
import sys

import varlink

from photobroker import TokenFile

SOCKET = os.environ.get("PHOTOBROKER_SOCKET", "/run/photobroker/photobroker.sock")
# The library to use, if several are offered to the user.
LIBRARY = os.environ.get("PHOTOBROKER_LIBRARY")
EPOCH = datetime.datetime(1970, 1, 1)
MANIFEST = {
    "identifier": "io.photobroker.example.journal-python",
    "name": "Journal in Python",
    "NSPhotoLibraryUsageDescription": "The journal shows the photos that you choose, day by day.",
    "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": True,
}
TOKENS = TokenFile(MANIFEST["identifier"])


def authorize(library):
    """Attaches the app's tokens, requests access, and returns the status.

    A person is asked if nobody has decided yet.
    """
    tokens = TOKENS.load()
    if "app" in tokens:
        library.Attach(tokens["app"])
    else:
        tokens["app"] = library.Introduce(MANIFEST)["token"]
        TOKENS.save(tokens)
    # The token of the last access names the library, if several are offered.
    if grant := tokens.pop("grant", None):
        try:
            library.Attach(grant)
        except varlink.VarlinkError as error:
            # The access has ended; the request below tells the current status.
            if not error.error().endswith(".TokenRefused"):
                raise
    answer = library.RequestAuthorization("readWrite", LIBRARY, True)
    # The broker has already attached the new token.
    TOKENS.save({**tokens, "grant": answer["token"]} if answer.get("token") else tokens)
    if answer["status"] not in ("authorized", "limited"):
        raise Problem(f"no access: {answer['status']}")
    return answer["status"]


class Problem(Exception):
    """A failure, in words for the person at the terminal."""


def reason(error):
    """Returns PhotoKit's name of the error; None for an error that PhotoKit does not have."""
    return (error.parameters() or {}).get("reason")


def line(asset):
    star = " *" if asset["isFavorite"] else ""
    return f"{asset['localIdentifier']} {asset['filename']} {asset['pixelWidth']}x{asset['pixelHeight']}{star}"


def assets(library, options=None):
    page = {"cursor": None}
    while "assets" not in page or page.get("cursor"):
        page = library.FetchAssets(options, 100, page["cursor"])
        yield from page["assets"]


def show_days(library, status):
    """Prints the photos by day, newest first."""
    print(f"{library.CountAssets(None)['count']} photos, access is {status}")
    last = ""
    for asset in assets(library):
        date = asset.get("creationDate")
        try:
            day = "no date" if date is None else str(EPOCH + datetime.timedelta(microseconds=date))[:10]
        except OverflowError:  # a year out of Python's range
            day = "no date"
        if day != last:
            print(last := day)
        print(f"  {line(asset)}")
    if status == "limited":
        print("`journal choose` changes what is here")


def choose(library):
    """Opens the selection page for the person."""
    try:
        added = [i for page in library.PresentLimitedLibraryPicker(_more=True) for i in page["added"]]
    except varlink.VarlinkError as error:
        if not error.error().endswith(".NotLimited"):
            raise
        print(f"nothing to choose: access is {error.parameters()['status']}")
        return
    print(f"{len(added)} added")
    for asset in assets(library, {"identifiers": added}) if added else []:
        print(f"  {line(asset)}")


def show(library, identifier, file=None):
    """Prints one photo in full, and writes its bytes to `file` if given."""
    asset = next(assets(library, {"identifiers": [identifier]}), None)
    if asset is None:
        raise Problem("no such photo")
    print(line(asset))
    if asset.get("latitude") is not None:
        print(f"  at {asset['latitude']}, {asset['longitude']}")
    for resource in library.GetResources(identifier)["resources"]:
        print(f"  {resource['filename']}: {resource['contentType']}, {resource['size']} bytes")
    data, is_last = b"", False
    while not is_last:
        piece = library.ReadBytes(identifier, None, len(data), 524_288)
        data += base64.b64decode(piece["data"])
        is_last = piece["isLast"]
    print(f"  read {len(data)} bytes")
    if file:
        pathlib.Path(file).write_bytes(data)


def save_journal(library, file):
    titles = {asset["localIdentifier"]: asset["filename"] for asset in assets(library)}
    known = list(titles)
    mappings = [
        m for i in range(0, len(known), 1000) for m in library.GetCloudIdentifiers(known[i : i + 1000])["mappings"]
    ]
    entries = [
        {"photo": m["cloudIdentifier"], "title": titles[m["localIdentifier"]]}
        for m in mappings
        if m.get("cloudIdentifier")
    ]
    entries.sort(key=lambda entry: entry["title"])
    pathlib.Path(file).write_text(json.dumps(entries))
    print(f"{len(entries)} photos saved")


def open_journal(library, file):
    try:
        entries = json.loads(pathlib.Path(file).read_text())
        names = [entry["photo"] for entry in entries]
    except (ValueError, TypeError, KeyError):
        raise Problem(f"{file} is no journal") from None
    mappings = [
        m for i in range(0, len(names), 1000) for m in library.GetLocalIdentifiers(names[i : i + 1000])["mappings"]
    ]
    for entry, mapping in zip(entries, mappings):
        if mapping.get("localIdentifier"):
            print(f"  {mapping['localIdentifier']} {entry['title']}")
        elif mapping["matches"]:
            print(f"  which one is {entry['title']}?")
            for asset in assets(library, {"identifiers": mapping["matches"]}):
                print(f"    {line(asset)}")
        else:
            print(f"  (not here) {entry['title']}")


def watch(library):
    """Prints changes until access ends."""
    try:
        for answer in library.ObserveChanges(None, _more=True):
            tell(answer["event"])
    except varlink.VarlinkError as error:
        if reason(error) not in ("accessUserDenied", "accessRestricted"):
            raise
        print("access ended")


def tell(event):
    lines = [f"+ {line(asset)}" for asset in event["inserted"]] + [f"~ {line(asset)}" for asset in event["changed"]]
    if event["resynchronize"]:
        # The three lists of the event are empty in this case.
        lines.append("much has changed: `journal` shows it")
    for text in lines + [f"- {identifier}" for identifier in event["removed"]]:
        print(text, flush=True)


COMMANDS = {"choose": choose, "watch": watch, "show": show, "save": save_journal, "open": open_journal}


def main(command="list", *rest):
    if command == "--help" or not is_known(command, rest):
        print(__doc__.strip().splitlines()[2].strip())
        return 0 if command == "--help" else 2
    with varlink.Client.new_with_address(f"unix:{SOCKET}") as client, client.open("io.photobroker.Library") as library:
        status = authorize(library)
        if command == "list":
            show_days(library, status)
        else:
            COMMANDS[command](library, *rest)
    return 0


def is_known(command, rest):
    if command == "list":
        return not rest
    try:
        inspect.signature(COMMANDS[command]).bind(None, *rest)
    except (KeyError, TypeError):
        return False
    return True


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Problem as problem:
        print(problem)
    except (varlink.VarlinkError, OSError) as error:
        words = (
            error.parameters().get("message")
            if isinstance(error, varlink.VarlinkError) and error.parameters()
            else None
        )
        print(f"journal: {words or error}", file=sys.stderr)
    sys.exit(1)
