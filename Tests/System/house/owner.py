"""The owner of a library, at admin.sock."""

from .person import ADMIN, Person, wait_for


class Owner(Person):
    interface = ADMIN
    # Whether the apps' users accept this owner's offers. Strangers' offers are never accepted.
    is_trusted = True

    def call(self, method, /, **parameters):
        answer = super().call(method, **parameters)
        if self.is_trusted and method in ("AddLibrary", "OfferLibrary"):
            self.broker.let_apps_accept(
                parameters["name"], (parameters.get("offeredTo") or []) + (parameters.get("add") or [])
            )
        return answer

    def add_library(self, name, folder, offered, expect=None, **setup):
        """Adds a library on a folder, and waits until it is indexed."""
        self.call("AddLibrary", name=name, options={"path": str(folder)}, offeredTo=list(offered), **setup)
        return self.wait_for_library(name, expect)

    def library(self, name):
        return next((l for l in self.call("ListLibraries")["libraries"] if l["name"] == name), None)

    def wait_for_library(self, name, expect=None, seconds=120):
        def ready():
            library = self.library(name)
            assert library, f"{name} is not there"
            done = library["state"] == "online" and library["toIndex"] == library["indexed"]
            return library if done and (expect is None or library["assets"] == expect) else None

        return wait_for(ready, f"library {name} to be indexed ({expect} assets)", seconds)

    def rescan(self, name):
        """Rescans all files, and returns the library's state at the end."""
        self.call("RescanLibrary", name=name)
        self.watch("rescan", "WatchLibrary", name=name)
        end = wait_for(lambda: self.end_of("rescan"), "the end of the look at every file", 120)
        assert end["error"] is None, end
        return self.seen("rescan")[-1]["library"]

    def assets(self, library, **parameters):
        """Fetches all assets of a library, or of an app's selection, newest first."""
        found = []
        while True:
            page = self.call("FetchOwnedAssets", library=library, limit=1000, skip=len(found), **parameters)
            found += page["assets"]
            if len(found) >= page["total"] or not page["assets"]:
                assert len(found) == page["total"]
                return found

    def names(self, library, **parameters):
        return [a["filename"] for a in self.assets(library, **parameters)]

    def identifier(self, library, filename):
        return next(a["identifier"] for a in self.assets(library) if a["filename"] == filename)

    def select(self, library, app, *names):
        """Adds the files of these names to an app's selection."""
        return self.call("EditSelection", library=library, app=app, add=self.naming(library, names))

    def unselect(self, library, app, *names):
        return self.call("EditSelection", library=library, app=app, remove=self.naming(library, names))

    def naming(self, library, names):
        known = {a["filename"]: a["identifier"] for a in self.assets(library)}
        return {"identifiers": [known[name] for name in names]}

    def set(self, library, app, status, level="readWrite", **parameters):
        if status in ("authorized", "limited") and level == "readWrite":
            # Most tests are not about the question before a deletion.
            parameters.setdefault("terms", {"deletions": "allow"})
        return self.call("SetGrant", library=library, app=app, level=level, status=status, **parameters)

    def grant(self, library, app, level="readWrite"):
        return next(
            (g for g in self.call("ListGrants", library=library, app=app)["grants"] if g["level"] == level), None
        )

    def newest_decision(self, **parameters):
        return self.call("ListDecisions", limit=1, **parameters)["decisions"][0]

    def show_requests(self):
        """List what waits, as an open page does. For half a minute the connection counts as one that shows it."""
        self.call("ListDeletions")

    def prompts(self, kind=None):
        return [p for p in self.call("ListPrompts")["prompts"] if kind in (None, p["kind"])]

    def wait_for_prompt(self, kind="authorization"):
        return wait_for(lambda: self.prompts(kind), f"a prompt of kind {kind}")[0]

    def answer(self, prompt, answer, **parameters):
        return self.call("AnswerPrompt", prompt=prompt["prompt"], answer=answer, **parameters)


def cursor_after(kind, key):
    """Return the cursor of a page whose last item has this key."""
    digest = 0xCBF29CE484222325
    for byte in f"{kind} {key}".encode():
        digest = (digest ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{digest:016x}{key}"
