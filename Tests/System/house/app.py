"""An app, at photobroker.sock."""

from .person import LIBRARY, Person, Refused

USAGE = {
    "NSPhotoLibraryUsageDescription": "Shows the photos that you choose.",
    "NSPhotoLibraryAddUsageDescription": "Saves pictures of its own.",
    # Most tests are not about the question at an app's first fetch.
    "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": True,
}


class App(Person):
    interface = LIBRARY

    def introduce(self, identifier="org.example.journal", **manifest):
        """Introduces itself, unless it has done so. Keyword arguments are manifest keys; None leaves one out."""
        manifest = {"identifier": identifier, "name": "Journal", **USAGE, **manifest}
        reply = self.call("Introduce", manifest={k: v for k, v in manifest.items() if v is not None})
        self.name, self.own_token = reply["app"], reply["token"]
        self.use(self.own_token)
        return self.name

    def use(self, *tokens):
        """Tokens with which every new connection of this app begins."""
        self.order(do="attach_later", tokens=list(tokens))

    def request(self, level="readWrite", **parameters):
        """Asks for access that has been decided already; keeps the token."""
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
        """All assets that a fetch gives, over all pages."""
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

    def digest(self, asset):
        return self.order(do="digest", asset=asset)

    def digest_now(self, asset):
        """None while its bytes are refused: a file that was just changed has to be looked at first."""
        try:
            return self.digest(asset)
        except Refused:
            return None

    def digest_inline(self, asset, piece=100_000):
        return self.order(do="digest_inline", asset=asset, piece=piece)

    def open(self, asset, role="original"):
        """A descriptor inside the app's process."""
        return self.call("OpenResource", asset=asset, role=role)["descriptors"][0]

    def observe(self, name="observer", **parameters):
        return self.watch(name, "ObserveChanges", **parameters)["event"]

    def events(self, name="observer"):
        """The events after the first, which is the state to start from."""
        return [reply["event"] for reply in self.seen(name)[1:]]

    def is_refused(self):
        """Whether a read is refused now, and how."""
        try:
            self.call("CountAssets")
        except Refused as refused:
            return refused
        return None
