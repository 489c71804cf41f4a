"""Deletions by apps that wait for a person."""

from .person import wait_for


def deletion(*assets):
    return {"kind": "delete", "assets": list(assets)}


def ask_to_delete(scene, *names, app=None, changes=()):
    """Begin an app's deletion of the files of these names, and return its question."""
    app = app or scene.app
    known = app.identifiers()
    gone = deletion(*[known[scene.name(name)] for name in names])
    scene.owner.show_requests()
    app.begin("PerformChanges", changes=[*changes, gone])
    return wait_for_deletion(scene.owner, app)


def wait_for_deletion(owner, app):
    return wait_for(
        lambda: [d for d in owner.call("ListDeletions")["deletions"] if d["app"]["app"] == app.name], "the question"
    )[0]


def answer_deletion(owner, question, allow):
    assert owner.call("AnswerDeletion", deletion=question["deletion"], allow=allow) == {}
