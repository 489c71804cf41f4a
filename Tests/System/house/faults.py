"""The faulty plugin (house/faulty.plugin), its installation, and the effects of its faults."""

import os
import pathlib
import shutil

PLUGIN = pathlib.Path(__file__).with_name("faulty.plugin")

# The first check of `photobroker plugin check` that finds each fault. "start": no check begins.
FOUND_BY = {
    "crash": "facts",
    "exit": "facts",
    "hang": "facts",
    "spin": "facts",
    "stops itself": "facts",
    "deaf": "facts",
    "closes its socket": "facts",
    "no json": "facts",
    "half a reply": "facts",
    "endless reply": "facts",
    "huge reply": "facts",
    "deep reply": "facts",
    "not unicode": "facts",
    "wrong types": "facts",
    "no fields": "facts",
    "foreign error": "facts",
    "ugly error": "facts",
    "memory": "facts",
    "processes": "facts",
    "flood of lines": "facts",
    "two replies": "facts",
    "sends descriptors": "facts",
    "leaks descriptors": "list",
    "odd items": "list",
    "a version too long": "list",
    "a role of tomorrow": "list",
    "no locator": "list",
    "impossible items": "bytes",
    "pages in a circle": "list",
    "endless list": "list",
    "says that it changes": "wait",
    "short bytes": "bytes",
    "long bytes": "bytes",
    "other bytes": "add",
    "says read-only": "read-only-is-kept",
    "dies at start": "start",
    "never starts": "start",
    "old kit": "start",
    "one hint": "list",
    "one version": "list",
    "many unreadable folders": "list",
    "a volume of two lines": "list",
    "does not wait": "wait",
    "waits without being asked to": "wait",
    "seconds": "list",
    "a wrong hash": "bytes",
    "names photos": "bytes-of-another-version",
    "leaves files": "many-reads",
    "lists what is gone": "bytes",
    "trashes once": "trash-and-restore",
    "restores twice": "restore-of-nothing",
    "trashes over": "trash-of-a-trashed-name",
    "restores the last": "trash-of-a-trashed-name",
    "restores over": "restore-onto-a-taken-name",
    "restores beside": "restore-onto-a-taken-name",
    "keeps bytes once": "add-the-same-bytes",
    "keeps what it does not list": "add-what-is-listed",
}

# Like FOUND_BY, for a plugin that stages files.
FOUND_IN_STAGING = {"discards what is listed": "stage-and-publish", "withdraws for ever": "stage-and-publish"}

# A part of the message that the owner and the log get for each fault; empty if the library keeps
# working.
TOLD = {
    "crash": "signal 11",
    "exit": "giving up",
    "hang": "in time",
    "spin": "in time",
    "stops itself": "in time",
    "deaf": "in time",
    "closes its socket": "",
    "no json": "refused",
    "half a reply": "",
    "endless reply": "refused",
    "huge reply": "refused",
    "deep reply": "refused",
    "not unicode": "refused",
    "wrong types": "refused",
    "no fields": "refused",
    "foreign error": "another interface",
    "ugly error": "gone",
    "memory": "MemoryError",
    "processes": "in time",
    "flood of lines": "in time",
    "two replies": "without a call",
    "sends descriptors": "descriptors",
    "leaks descriptors": "Too many open files",
    "pages in a circle": "does not end",
    "endless list": "does not end",
    "dies at start": "no such disk",
    "never starts": "in time",
    "old kit": "kit 0",
    "many unreadable folders": "unreadable",
    "a volume of two lines": "volumes",
}

# Faults at the start, with which no library is made.
AT_START = {"dies at start", "never starts", "old kit"}


def install_faulty(house, name="faulty"):
    """Allows libraries on the backend `faulty`, or album policies of `policy-` and a fault."""
    path = house.programs / f"{name}.plugin"
    if not path.exists():
        shutil.copy2(PLUGIN, path)
        os.chmod(path, 0o755)
    return path


# A plugin in the daemon's plugin folder needs no description, unlike an installed one.
DESCRIBED = """
            if method == "Describe":
                def option(name, kind):
                    return {"name": name, "type": kind, "optional": name != "path", "secret": False,
                        "summary": "A test."}
                answer({"kit": 1, "plugins": [{
                    "protocol": "storage", "name": "faulty", "summary": "A test.",
                    "capabilities": ["add", "trash", "read"],
                    "options": [option("path", "path"), option("fault", "text"), option("trigger", "path")]}]})
            elif method == "Start":
"""


def install_describing(folder, stages=False):
    """Writes the plugin with a description into a folder, so that it can be installed."""
    path = folder / "faulty.plugin"
    text, described = PLUGIN.read_text(), DESCRIBED
    if stages:
        text = text.replace("\nSTAGING = ()", '\nSTAGING = ("Stage", "Publish", "Discard", "Withdraw")')
        described = described.replace('"capabilities": ["add",', '"capabilities": ["stage", "add",')
    start = '\n            if method == "Start":\n'
    assert text.count(start) == 1
    path.write_text(text.replace(start, described))
    path.chmod(0o755)
    return path
