"""Requests that an owner answers, and the agreement that an answer leaves."""


def answer_request(scene, answer="allow", **parameters):
    scene.app.begin_request(parameters.pop("level", "readWrite"))
    scene.owner.answer(scene.owner.wait_for_prompt(), answer, **parameters)
    scene.app.hear_request()


def introduce_again(scene, **words):
    app = scene.broker.app(uid=scene.app.uid)
    app.use(scene.app.own_token)
    app.introduce(**words)


def agreement(scene, owner=None, level="readWrite"):
    return (owner or scene.owner).grant(scene.library, scene.app.name, level).get("agreement")
