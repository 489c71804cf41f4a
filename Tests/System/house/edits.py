"""Edits of dates, and the decisions that note a file with another value."""

EDITED = 1_000_000_000_000_000


def edited_date(scene, number):
    asset = scene.app.named(scene.pictures[number])
    scene.app.change("setCreationDate", assets=[asset["localIdentifier"]], creationDate=EDITED)
    return scene.owner.identifier(scene.library, scene.pictures[number])


def noted_differences(scene, person=None):
    """The photos whose changed files the decisions name, newest first."""
    decisions = (person or scene.owner).call("ListDecisions", library=scene.library)["decisions"]
    return [decision for decision in decisions if decision["action"] == "differ"]
