"""Access levels, statuses and requests over the wire (R1 to R37), as far as no other file tests
them."""

import base64

import pytest

from house.person import Refused
from house.pictures import day, jpeg, real_photographs

pytestmark = pytest.mark.library("shared")

AUTOMATIC = "PHPhotoLibraryPreventAutomaticLimitedAccessAlert"


def test_R1_R6_there_are_two_levels_and_each_has_its_own_status(scene):
    scene.owner.set(scene.library, scene.app.name, "authorized", level="addOnly")
    scene.owner.set(scene.library, scene.app.name, "denied", level="readWrite")
    assert scene.app.status("addOnly") == "authorized" and scene.app.status("readWrite") == "denied"
    for level in ("", "full", "ADDONLY", "readwrite", "all"):
        for method in ("GetAuthorizationStatus", "RequestAuthorization", "DescribeAccess"):
            assert scene.app.refusal(method, level=level).error == "InvalidParameter", (method, level)
    assert scene.app.refusal("GetAuthorizationStatus").error == "InvalidParameter", "there is no status without a level"


def test_R8_the_status_is_notDetermined_until_a_person_answers(scene):
    assert scene.app.call("GetAuthorizationStatus", level="readWrite") == {"status": "notDetermined", "code": 0}
    assert scene.app.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"
    assert scene.app.status() == "notDetermined", "a question is no answer"
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    assert scene.app.call("GetAuthorizationStatus", level="readWrite") == {"status": "denied", "code": 2}


@pytest.mark.library("own")
def test_R8_a_rule_decides_nothing_before_the_app_asks(scene):
    scene.owner.call(
        "Apply",
        rules=[
            {
                "library": scene.library,
                "name": "journals",
                "uid": scene.app.uid,
                "level": "readWrite",
                "answer": "allow",
            }
        ],
    )
    assert scene.app.status() == "notDetermined", "a rule answers questions; nobody has asked"
    assert scene.app.request() == "authorized"
    assert scene.owner.prompts() == []
    assert scene.owner.grant(scene.library, scene.app.name)["origin"] == "rule"


def test_R20_an_app_is_prompted_only_when_it_requests_access(scene):
    scene.app.new_connection()
    for method in ("ListLibraries", "GetLimits", "LevelUnawareAuthorizationStatus"):
        scene.app.call(method)
    scene.app.call("DescribeAccess", level="readWrite")
    assert scene.owner.prompts() == []
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    scene.owner.answer(prompt, "allow")
    assert scene.app.hear_request() == "authorized"


def test_R22_select_photos_gives_limited_access_to_the_selection(scene):
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    assert prompt["answers"] == ["allow", "select", "deny"] or set(prompt["answers"]) == {"allow", "select", "deny"}
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(scene.library, scene.pictures[1:3]))
    assert scene.app.hear_request() == "limited"
    assert set(scene.app.names()) == set(scene.pictures[1:3])


@pytest.mark.library("own")
def test_R23_photos_and_videos_are_both_selectable(scene):
    photographs = real_photographs()
    if photographs is None:
        pytest.skip("the real photographs, with their videos, are not beside this checkout")
    video = photographs / "video/video_rotate.mp4"
    scene.album.put("clip.mp4", video.read_bytes())
    scene.owner.wait_for_library(scene.library, len(scene.pictures) + 1)
    scene.app.begin_request()
    scene.owner.answer(
        scene.owner.wait_for_prompt(),
        "select",
        selector=scene.owner.naming(scene.library, [scene.pictures[0], "clip.mp4"]),
    )
    scene.app.hear_request()
    kinds = {a["filename"]: a["mediaType"] for a in scene.app.fetch()}
    assert kinds == {scene.pictures[0]: "image", "clip.mp4": "video"}
    assert scene.app.call("CountAssets") == {"count": 2, "images": 1, "videos": 1}
    assert scene.app.names(smartAlbum="videos") == ["clip.mp4"] and scene.app.names(mediaTypes=["image"]) == [
        scene.pictures[0]
    ]
    assert scene.app.named("clip.mp4")["duration"] > 0


def level_unaware_script(agent, library):
    """A script from before limited mode, which knows `authorized` alone."""
    call = agent.connection().call
    status = call("io.photobroker.Library.LevelUnawareAuthorizationStatus")["status"]
    if status == "notDetermined":
        status = call("io.photobroker.Library.LevelUnawareRequestAuthorization")["status"]
    if status != "authorized":
        return [status]
    lines, cursor = [status], None
    while True:
        page = call("io.photobroker.Library.FetchAssets", limit=2, **({"cursor": cursor} if cursor else {}))
        for asset in page["assets"]:
            piece = call("io.photobroker.Library.ReadBytes", asset=asset["localIdentifier"], offset=0, length=4)
            lines.append(f"{asset['filename']} {piece['size']}")
        cursor = page.get("cursor")
        if not cursor:
            return lines + [call("io.photobroker.Library.CountAssets")["count"]]


def test_R24_R34_R36_R37_a_level_unaware_script_runs_unchanged_in_limited_mode(scene):
    sizes = {p: (scene.album.folder / p).stat().st_size for p in scene.pictures}
    listed = [f"{p} {sizes[p]}" for p in scene.pictures]
    scene.app.start(level_unaware_script, library=scene.library)
    scene.owner.answer(
        scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, scene.pictures[:3])
    )
    assert scene.app.hear() == ["authorized", listed[2], listed[1], listed[0], 3]
    assert scene.app.status() == "limited"
    scene.owner.set(scene.library, scene.app.name, "authorized")
    scene.app.new_connection()
    assert scene.app.request() == "authorized"
    assert scene.app.run(level_unaware_script, library=scene.library) == ["authorized", *listed[::-1], 6]


@pytest.mark.parametrize("status", ["denied", "restricted", "notDetermined"])
def test_R36_every_other_status_is_passed_on_unchanged(scene, status):
    codes = {"notDetermined": 0, "restricted": 1, "denied": 2}
    if status == "restricted":
        scene.broker.owner(0).set(scene.library, scene.app.name, "restricted")
    elif status == "denied":
        scene.owner.set(scene.library, scene.app.name, "denied")
    assert scene.app.call("LevelUnawareAuthorizationStatus") == {"status": status, "code": codes[status]}
    # This status leaves out an authorization to add.
    scene.owner.set(scene.library, scene.app.name, "authorized", level="addOnly")
    assert scene.app.call("LevelUnawareAuthorizationStatus") == {"status": status, "code": codes[status]}
    if status != "notDetermined":
        assert scene.app.call("LevelUnawareRequestAuthorization") == {"status": status, "code": codes[status]}


def test_R34_R116_level_unaware_calls_are_documented_as_deprecated_with_an_end_date(scene):
    text = scene.app.call("org.varlink.service.GetInterfaceDescription", interface="io.photobroker.Library")[
        "description"
    ]
    for method in ("LevelUnawareAuthorizationStatus", "LevelUnawareRequestAuthorization"):
        comment = text[: text.index(f"method {method}")].rstrip().rsplit("\n\n", 1)[-1]
        assert comment.startswith("# Deprecated since 0.1, and removed in 2.0:"), comment


def test_R25_R30_R32_the_reason_for_the_requested_level_counts(make_scene):
    scene = make_scene(2, introduce=False)
    scene.take_additions()
    adder = scene.app
    adder.introduce(NSPhotoLibraryUsageDescription=None)
    refused = adder.refusal("RequestAuthorization", level="readWrite", wait=False)
    assert refused.error == "UsageDescriptionMissing" and refused.parameters["key"] == "NSPhotoLibraryUsageDescription"
    adder.new_connection()
    assert adder.refusal("RequestAuthorization", level="addOnly", wait=False).error == "PromptPending"
    assert [p["level"] for p in scene.owner.prompts()] == ["addOnly"]
    reader = scene.broker.app(uid=adder.uid)
    reader.introduce("org.example.reader", NSPhotoLibraryAddUsageDescription=None)
    refused = reader.refusal("RequestAuthorization", level="addOnly", wait=False)
    assert (
        refused.error == "UsageDescriptionMissing" and refused.parameters["key"] == "NSPhotoLibraryAddUsageDescription"
    )
    reader.new_connection()
    assert reader.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"
    assert sorted(p["level"] for p in scene.owner.prompts()) == ["addOnly", "readWrite"]


@pytest.mark.parametrize("text", ["", "   ", "\u3000", "\t\n"])
def test_R31_a_blank_reason_counts_as_missing(make_scene, text):
    scene = make_scene(2, introduce=False)
    try:
        scene.app.introduce(NSPhotoLibraryUsageDescription=text)
    except Refused as refused:
        assert refused.error in ("InvalidParameter", "PhotosError"), refused
        return
    # A grant given in advance does not help: every access fails, not only a request.
    scene.owner.set(scene.library, scene.app.name, "authorized")
    for method, parameters in [("RequestAuthorization", {"level": "readWrite", "wait": False}), ("FetchAssets", {})]:
        assert scene.app.refusal(method, **parameters).error == "UsageDescriptionMissing", method
        with pytest.raises(Exception):
            scene.app.call("GetLimits")
        scene.app.new_connection()
    assert scene.app.call("GetAuthorizationStatus", level="readWrite")["code"] in range(5), (
        "asking for the status needs none"
    )
    assert scene.owner.prompts() == []
    entries = scene.owner.call("ListDecisions", library=scene.library)["decisions"]
    assert any(e["role"] == "app" for e in entries), "it is in the record"


@pytest.mark.library("own")
def test_R27_an_add_only_app_never_prompts_about_reading(scene):
    scene.take_additions()
    scene.app.begin_request("addOnly")
    prompt = scene.owner.wait_for_prompt()
    assert prompt["level"] == "addOnly"
    scene.owner.answer(prompt, "allow")
    assert scene.app.hear_request() == "authorized"
    for number in range(2):
        scene.app.call(
            "AddAsset", filename=f"own-{number}.jpg", contents=base64.b64encode(jpeg(day(40 + number), b"own")).decode()
        )
    assert scene.owner.prompts() == [] and scene.app.status("readWrite") == "notDetermined"


def test_R28_R29_the_prompt_shows_the_apps_words_in_the_persons_language(make_scene):
    scene = make_scene(2, introduce=False)
    scene.take_additions()
    scene.app.introduce(localizations={"de": {"NSPhotoLibraryUsageDescription": "Zeigt gewählte Fotos."}})
    scene.app.refusal("RequestAuthorization", level="readWrite", wait=False)
    scene.app.refusal("RequestAuthorization", level="addOnly", wait=False)

    def words(language):
        parameters = {"language": language} if language else {}
        return {p["level"]: p["usageDescription"] for p in scene.owner.call("ListPrompts", **parameters)["prompts"]}

    default = {"readWrite": "Shows the photos that you choose.", "addOnly": "Saves pictures of its own."}
    assert words(None) == words("en") == words("fr") == words("nonsense") == default
    assert words("de") == words("de-AT") == {**default, "readWrite": "Zeigt gewählte Fotos."}


def test_R26_R120_doctor_advises_asking_on_a_persons_action(scene):
    manifest = scene.house.folder / "doctor.json"
    manifest.write_text(
        '{"identifier": "org.example.x", "name": "X", "NSPhotoLibraryUsageDescription": "Shows what you choose."}'
    )
    manifest.chmod(0o644)
    said = " ".join(scene.broker.photobroker(scene.owner.uid, "doctor", manifest).stdout.lower().split())
    for step in ("picker", "status", "button", AUTOMATIC.lower()):
        assert step in said, (step, said)
    manifest.write_text('{"identifier": "org.example.x", "name": "X", "NSPhotoLibraryUsageDescription": " "}')
    assert scene.broker.photobroker(scene.owner.uid, "doctor", manifest, expect=65).stdout
