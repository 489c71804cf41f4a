"""An app, at photobroker.sock."""

import base64

from .person import LIBRARY, Person, Refused

USAGE = {
    "NSPhotoLibraryUsageDescription": "Shows the photos that you choose.",
    "NSPhotoLibraryAddUsageDescription": "Saves pictures of its own.",
    # Most tests are not about the prompt at an app's first fetch.
    "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": True,
}


def encoded(data):
    return base64.b64encode(data).decode()


def creation(name, data, **more):
    """A change that creates an asset."""
    return {"kind": "createAsset", "filename": name, "contents": encoded(data), **more}


class App(Person):
    interface = LIBRARY

    def introduce(self, identifier="org.example.journal", **manifest):
        """Introduces the app once. Keyword arguments are manifest keys; None omits one."""
        manifest = {"identifier": identifier, "name": "Journal", **USAGE, **manifest}
        reply = self.call("Introduce", manifest={k: v for k, v in manifest.items() if v is not None})
        self.name, self.own_token = reply["app"], reply["token"]
        self.use(self.own_token)
        return self.name

    def use(self, *tokens):
        """Sets the tokens that every new connection of this app attaches."""
        self.order(do="attach_later", tokens=list(tokens))

    def request(self, level="readWrite", **parameters):
        """Requests access that was decided before, and keeps the token."""
        reply = self.call("RequestAuthorization", level=level, **parameters)
        self.take(reply)
        return reply["status"]

    def take(self, reply):
        if reply.get("token"):
            self.token = reply["token"]
            self.use(self.own_token, self.token)

    def begin_request(self, level="readWrite", **parameters):
        self.begin("RequestAuthorization", level=level, **parameters)

    def hear_request(self):
        reply = self.hear()
        self.take(reply)
        return reply["status"]

    def status(self, level="readWrite"):
        return self.call("GetAuthorizationStatus", level=level)["status"]

    def fetch(self, limit=100, **options):
        """Fetches all pages, and returns their assets."""
        found, cursor = [], None
        while True:
            parameters = {"limit": limit, "options": options or None, "cursor": cursor}
            page = self.call("FetchAssets", **{k: v for k, v in parameters.items() if v is not None})
            assert len(page["assets"]) <= limit
            found += page["assets"]
            cursor = page.get("cursor")
            if cursor is None:
                return found
            assert len(page["assets"]) == limit, "only the last page may be short"

    def names(self, **options):
        return [a["filename"] for a in self.fetch(**options)]

    def named(self, filename):
        return next(a for a in self.fetch() if a["filename"] == filename)

    def count(self, **options):
        return self.call("CountAssets", **({"options": options} if options else {}))["count"]

    def identifiers(self):
        return {a["filename"]: a["localIdentifier"] for a in self.fetch()}

    def album_rows(self):
        """The title of each album, its number of photos, and whether the app may edit it."""
        return [(a["title"], a["count"], a["canEdit"]) for a in self.call("FetchAlbums")["albums"]]

    def add(self, filename, data, **parameters):
        return self.call("AddAsset", filename=filename, contents=encoded(data), **parameters)["localIdentifier"]

    def perform(self, *changes, **parameters):
        return self.call("PerformChanges", changes=list(changes), **parameters)

    def change(self, kind, **parameters):
        return self.perform({"kind": kind, **parameters})

    def delete(self, *filenames):
        self.change("delete", assets=[self.named(name)["localIdentifier"] for name in filenames])

    def digest(self, asset):
        return self.order(do="digest", asset=asset)

    def digest_now(self, asset):
        """The digest; None while the bytes are refused, before a changed file was scanned."""
        try:
            return self.digest(asset)
        except Refused:
            return None

    def digest_inline(self, asset, piece=100_000):
        return self.order(do="digest_inline", asset=asset, piece=piece)

    def open(self, asset, role="original"):
        """Opens a resource, and returns its descriptor in the app's process."""
        return self.call("OpenResource", asset=asset, role=role)["descriptors"][0]

    def observe(self, name="observer", **parameters):
        return self.watch(name, "ObserveChanges", **parameters)["event"]

    def events(self, name="observer"):
        """The events after the first one, which is the initial state."""
        return [reply["event"] for reply in self.seen(name)[1:]]

    def is_refused(self):
        """The refusal of a read, or None."""
        try:
            self.call("CountAssets")
        except Refused as refused:
            return refused
        return None
