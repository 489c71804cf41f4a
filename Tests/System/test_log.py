"""The broker's log: refusals and skipped files, each kind once, without photo data."""

import re

from house.person import wait_for
from house.pictures import day, jpeg


def lines(scene, what):
    return [line for line in scene.broker.log.splitlines() if what in line]


def test_refused_calls_log_one_line_a_kind_and_a_count(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    hidden = scene.owner.identifier(scene.library, scene.pictures[4])
    for _ in range(20):
        assert scene.app.refusal("OpenResource", asset=hidden, role="original").parameters["code"] == 3201
    for number in range(20):
        assert scene.app.refusal(f"Secret{number}").error == "MethodNotFound"
    assert scene.owner.refusal("RescanLibrary", name="never-was").error == "NotFound"

    def refused_calls():
        return lines(scene, f"a call was refused uid={scene.app.uid} ")

    # A line may appear shortly after its answer.
    wait_for(lambda: len(refused_calls()) > 1, "the app's lines")
    refused = refused_calls()
    assert len(refused) == 2, refused
    assert re.search(
        rf"a call was refused uid={scene.app.uid} app={scene.app.name} "
        r"method=io\.photobroker\.Library\.OpenResource error=identifierNotFound$",
        refused[0],
    )
    assert refused[1].endswith("method=unknown error=org.varlink.service.MethodNotFound")
    wait_for(
        lambda: lines(scene, f"a call was refused uid={scene.owner.uid} method=io.photobroker.Admin."),
        "the owner's line",
    )
    scene.broker.stop()
    assert [
        line.split(" more like it: ")[0].split()[-1]
        for line in lines(scene, f" more like it: a call was refused uid={scene.app.uid}")
    ] == ["19", "19"]
    told = scene.broker.log
    for secret in [hidden, "Secret", "never-was", scene.app.token, scene.app.own_token, *scene.pictures]:
        assert secret not in told


def test_skipped_files_log_their_reason_and_not_their_name(own_scene):
    scene = own_scene
    whole = jpeg(day(5), note=b"whole")
    for number in range(3):
        scene.album.put(f"diary-{number}.jpg", b"no picture at all")
    scene.album.put("closed-letter.jpg", whole).chmod(0)
    scene.owner.call("RescanLibrary", name=scene.library)
    scene.owner.wait_for_library(scene.library)

    def told():
        library = scene.owner.library(scene.library)
        return library["skipped"] == 4 and library["state"] == "online"

    wait_for(told, "four skipped files")
    scene.broker.stop()
    found = lines(scene, f"a file was skipped library={scene.library} reason=")
    assert len({line.split("reason=")[1].split(" count=")[0] for line in found}) == 2, found
    assert "diary" not in scene.broker.log and "letter" not in scene.broker.log
