#!/usr/bin/env python3
"""Attaches photos to a message with a stock Varlink client: pip install varlink.
It asks for no permission. From photobroker.py beside it, it uses the token file alone.

    attach.py [FOLDER]
"""

import base64
import os
import pathlib
import sys

import varlink

from photobroker import TokenFile

SOCKET = os.environ.get("PHOTOBROKER_SOCKET", "/run/photobroker/photobroker.sock")
# No usage description: an app with a picker alone never asks for the library.
MANIFEST = {"identifier": "io.photobroker.example.attach-python", "name": "Attach in Python"}
TOKENS = TokenFile(MANIFEST["identifier"])


def introduce(library):
    """Attaches the app's token, or introduces the app once, so that its owner sees one app."""
    if token := TOKENS.load().get("app"):
        library.Attach(token)
    else:
        TOKENS.save({"app": library.Introduce(MANIFEST)["token"]})


def read(picker, item):
    data, is_last = b"", False
    while not is_last:
        piece = picker.ReadItem(item, len(data), 524_288)
        data += base64.b64decode(piece["data"])
        is_last = piece["isLast"]
    return data


def main(*arguments):
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(__doc__.strip().splitlines()[-1].strip())
        return 0 if arguments == ("--help",) else 2
    folder = pathlib.Path(*arguments)
    with varlink.Client.new_with_address(f"unix:{SOCKET}") as client:
        # Both interfaces share one connection, because the token is attached to a connection.
        library = client.open("io.photobroker.Library")
        introduce(library)
        picker = client.open("io.photobroker.Picker", connection=library._connection)
        reply = picker.Present(None, None, 0, None, None, None)
        if reply["cancelled"]:
            print("nothing attached")
            return 0
        print(f"{len(reply['results'])} attached")
        for result in reply["results"]:
            data = read(picker, result["item"])
            # The library chose the name, so only its last component is used.
            (folder / pathlib.Path(result["filename"]).name).write_bytes(data)
            print(f"  {result['filename']}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (varlink.VarlinkError, OSError) as error:
        print(f"attach: {error}", file=sys.stderr)
        sys.exit(1)
