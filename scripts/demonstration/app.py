"""The demonstration's app. It reads commands from standard input, one JSON list per line, and
prints one JSON line for each.

demo.py runs it beside photobroker.py of the examples."""

import base64
import hashlib
import json
import os
import sys
import threading

from photobroker import Connection, VarlinkError

LIBRARY = "io.photobroker.Library."
MANIFEST = {
    "identifier": "org.example.journal",
    "name": "Photo Journal",
    "NSPhotoLibraryUsageDescription": "Shows the photos that you choose beside your diary.",
    "NSPhotoLibraryAddUsageDescription": "Saves pages of your diary as pictures.",
    "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": True,
}


class App:
    def __init__(self, path):
        self.path = path
        # Opened at the first call: the broker closes a connection that is silent for two seconds.
        self.connection = None
        self.token = None
        self.events = []
        self.stream_reply = None
        self.streamed = None

    def introduce(self):
        self.connection = Connection(self.path)
        reply = self.connection.call(LIBRARY + "Introduce", manifest=MANIFEST)
        self.token = reply["token"]
        return {"app": reply["app"]}

    def status(self):
        return self.connection.call(LIBRARY + "GetAuthorizationStatus", level="readWrite")

    def request(self):
        reply = self.connection.call(LIBRARY + "RequestAuthorization", level="readWrite")
        self.token = reply.get("token", self.token)
        return {"status": reply["status"]}

    def list(self):
        return self.connection.call(LIBRARY + "FetchAssets")["assets"]

    def count(self):
        return self.connection.call(LIBRARY + "CountAssets")["count"]

    def digest(self, asset):
        reply, descriptors = self.connection.call_with_descriptors(
            LIBRARY + "OpenResource", asset=asset, role="original"
        )
        descriptor = descriptors[reply["descriptor"]]
        digest, size = hashlib.sha256(), 0
        while piece := os.read(descriptor, 1 << 16):
            digest.update(piece)
            size += len(piece)
        os.close(descriptor)
        return {"sha256": digest.hexdigest(), "size": size}

    def digest_inline(self, asset):
        digest, offset = hashlib.sha256(), 0
        while True:
            reply = self.connection.call(
                LIBRARY + "ReadBytes", asset=asset, role="original", offset=offset, length=1 << 17
            )
            piece = base64.b64decode(reply["data"])
            digest.update(piece)
            offset += len(piece)
            if reply["isLast"]:
                return {"sha256": digest.hexdigest(), "size": offset}

    def watch(self):
        connection = Connection(self.path)
        connection.call(LIBRARY + "Attach", token=self.token)
        stream = connection.stream(LIBRARY + "ObserveChanges")
        next(stream)

        def follow():
            try:
                for reply, _ in stream:
                    self.events.append(reply["event"])
            except (VarlinkError, ConnectionError) as error:
                self.events.append({"ended": str(error)})

        threading.Thread(target=follow, daemon=True).start()
        return True

    def seen(self):
        return self.events

    def open_stream(self, asset):
        """Opens a stream and reads a little, so that it is still open at the revocation."""
        connection = Connection(self.path)
        connection.call(LIBRARY + "Attach", token=self.token)
        replies = connection.stream(LIBRARY + "StreamResource", asset=asset, role="original")
        reply, descriptors = next(replies)
        self.stream_reply = (connection, replies, descriptors[0])
        return {"size": reply.get("size"), "first": len(os.read(descriptors[0], 512))}

    def drain_stream(self):
        """Reads the rest of the stream; after a revocation only the bytes in the pipe are left."""
        connection, replies, descriptor = self.stream_reply
        received = 0
        while piece := os.read(descriptor, 1 << 16):
            received += len(piece)
        os.close(descriptor)
        end = "complete"
        try:
            for reply, _ in replies:
                pass
        except (VarlinkError, ConnectionError) as error:
            end = str(error)
        connection.close()
        return {"received": received, "end": end}

    def cat(self, path):
        """Opens a file without the broker."""
        try:
            with open(path, "rb") as file:
                return {"opened": True, "bytes": len(file.read())}
        except OSError as error:
            return {"opened": False, "error": error.strerror}


def main():
    app = App(sys.argv[1])
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = {"answer": getattr(app, name)(*arguments)}
        except VarlinkError as error:
            answer = {
                "refused": error.name,
                "reason": error.parameters.get("reason"),
                "message": error.parameters.get("message"),
            }
        print(json.dumps(answer), flush=True)


main()
