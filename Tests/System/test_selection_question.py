"""The question, once in a life cycle, whether a limited selection stays; apps need no code for
it."""

import pytest

from house.person import wait_for
from house.scene import Scene


pytestmark = pytest.mark.library("shared")

KEY = {"PHPhotoLibraryPreventAutomaticLimitedAccessAlert": None}


@pytest.fixture
def asked(make_scene):
    """A limited app whose manifest allows the question, which has not come yet."""
    scene = make_scene(4, introduce=False)
    scene.app.introduce(**KEY)
    scene.limit_earlier(0, 1)
    assert scene.owner.prompts("keepSelection") == []
    return scene


def worker(scene):
    process = scene.broker.app(uid=scene.app.uid)
    process.name, process.own_token, process.token = scene.app.name, scene.app.own_token, scene.app.token
    process.use(process.own_token, process.token)
    return process


def test_R53_R55_R57_the_first_fetch_prompts_and_does_not_wait(asked):
    asked.app.status()
    asked.app.call("DescribeAccess", level="readWrite")
    asked.app.call("GetLimits")
    asked.app.new_connection()
    assert asked.owner.prompts("keepSelection") == [], "R55: none of this is a fetch"
    assert asked.app.names() == [asked.pictures[1], asked.pictures[0]], "answered while the question is open"
    assert [p["app"]["app"] for p in asked.owner.prompts("keepSelection")] == [asked.app.name]


def test_R54_five_workers_of_one_app_cause_one_prompt_and_a_new_life_cycle_another(asked):
    workers = [asked.app] + [worker(asked) for _ in range(4)]
    for process in workers:
        assert len(process.names()) == 2
    assert len(asked.owner.prompts("keepSelection")) == 1
    asked.owner.answer(asked.owner.prompts("keepSelection")[0], "keep")
    for process in workers:
        assert len(process.names()) == 2
    assert asked.owner.prompts("keepSelection") == [], "R54: once in a life cycle"
    for process in workers:
        process.end()

    def asks_again():
        # The broker notices the earlier processes' ends one by one.
        process = worker(asked)
        process.names()
        found = asked.owner.prompts("keepSelection")
        process.end()
        return found

    assert len(wait_for(asks_again, "the question of the next life cycle")) == 1


def test_R54_a_life_cycle_survives_a_broker_restart(own_broker):
    scene = Scene(own_broker, 3, introduce=False)
    scene.app.introduce(**KEY)
    scene.limit_earlier(0, 1)
    for _ in range(2):
        assert len(scene.app.names()) == 2
        for question in scene.owner.prompts("keepSelection"):
            scene.owner.answer(question, "keep")
        own_broker.restart()
    assert len(scene.app.names()) == 2 and scene.owner.prompts("keepSelection") == [], (
        "the same process, which was asked about"
    )
    scene.app.end()
    own_broker.restart()
    assert len(worker(scene).names()) == 2
    assert len(scene.owner.prompts("keepSelection")) == 1, "the next run of the app is another life cycle"


def test_R54_a_later_worker_continues_the_life_cycle_after_a_restart(own_broker):
    scene = Scene(own_broker, 3, introduce=False)
    scene.app.introduce(**KEY)
    scene.limit_earlier(0, 1)
    assert len(scene.app.names()) == 2
    [question] = scene.owner.prompts("keepSelection")
    scene.owner.answer(question, "keep")
    later = worker(scene)
    assert later.status() == "limited"
    scene.app.end()
    own_broker.restart()
    assert len(later.names()) == 2 and scene.owner.prompts("keepSelection") == []


@pytest.mark.parametrize("how", ["answer", "edit"])
def test_R53a_no_question_follows_a_persons_choice_in_its_life_cycle(make_scene, how):
    scene = make_scene(3, introduce=False)
    scene.app.introduce(**KEY)
    if how == "answer":
        scene.app.begin_request()
        scene.owner.answer(
            scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, scene.pictures[:1])
        )
        assert scene.app.hear_request() == "limited"
    else:
        scene.limit(0)
    assert len(scene.app.names()) == 1
    assert scene.owner.prompts() == []
    scene.app.end()

    def asks_again():
        process = worker(scene)
        process.names()
        found = scene.owner.prompts("keepSelection")
        process.end()
        return found

    assert len(wait_for(asks_again, "the question of the next life cycle")) == 1


def test_R56_keep_changes_nothing(asked):
    asked.app.observe()
    before = asked.app.fetch()
    asked.owner.answer(asked.owner.prompts("keepSelection")[0], "keep")
    assert asked.app.fetch() == before
    assert asked.owner.prompts() == []
    assert asked.app.events() == []


def test_R53_R56_R69_a_changed_selection_is_reported_by_the_observer(asked):
    asked.app.observe()
    asked.app.names()
    selector = asked.owner.naming(asked.library, [asked.pictures[1], asked.pictures[3]])
    asked.owner.answer(asked.owner.prompts("keepSelection")[0], "change", selector=selector)
    assert asked.app.names() == [asked.pictures[3], asked.pictures[1]]
    wait_for(
        lambda: [a["filename"] for e in asked.app.events() for a in e["inserted"]] == [asked.pictures[3]], "the event"
    )
    assert len([i for e in asked.app.events() for i in e["removed"]]) == 1


def test_R60_R61_the_manifest_key_stops_the_prompt_and_not_the_page(make_scene):
    scene = make_scene(4, introduce=False)
    scene.app.introduce(PHPhotoLibraryPreventAutomaticLimitedAccessAlert=True)
    scene.app.begin_request()
    scene.owner.answer(
        scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, scene.pictures[:1])
    )
    assert scene.app.hear_request() == "limited", "R61: the request asks all the same"
    assert len(scene.app.names()) == 1
    assert scene.owner.prompts("keepSelection") == []
    scene.app.begin("PresentLimitedLibraryPicker")
    scene.owner.answer(scene.owner.wait_for_prompt("selection"), "cancel")
    assert scene.app.hear()["added"] == []


def test_R53_an_app_without_a_screen_causes_no_prompt(make_scene):
    scene = make_scene(4, introduce=False)
    scene.app.introduce(hasScreen=False, **KEY)
    scene.limit_earlier(0)
    assert len(scene.app.names()) == 1
    assert scene.owner.prompts("keepSelection") == []


@pytest.mark.parametrize(
    "status, level", [("authorized", "readWrite"), ("denied", "readWrite"), ("authorized", "addOnly")]
)
def test_R58_only_limited_access_causes_the_selection_prompt(make_scene, status, level):
    scene = make_scene(4, introduce=False)
    scene.app.introduce(**KEY)
    scene.owner.set(scene.library, scene.app.name, status, level=level)
    if level == "addOnly":
        # Otherwise a fetch would prompt for read access.
        scene.owner.set(scene.library, scene.app.name, "denied")
    scene.app.request(level)
    scene.app.is_refused()
    assert scene.owner.prompts("keepSelection") == []


def test_R62_R63_R64_the_page_opens_again_and_returns_only_new_photos(scene):
    scene.limit(0, 1)
    for chosen, new in (((1, 2), {2}), ((1, 2), set()), ((3,), {3})):
        scene.app.begin("PresentLimitedLibraryPicker")
        selector = scene.owner.naming(scene.library, [scene.pictures[n] for n in chosen])
        scene.owner.answer(scene.owner.wait_for_prompt("selection"), "select", selector=selector)
        added = scene.app.hear()["added"]
        assert scene.app.names() == [scene.pictures[n] for n in sorted(chosen, reverse=True)]
        assert set(added) == {scene.app.named(scene.pictures[n])["localIdentifier"] for n in new}


def test_R62_a_page_that_nothing_can_show_is_refused_by_name_and_the_owner_answers_later(own_broker):
    scene = Scene(own_broker, 3)
    scene.limit(0)
    scene.owner.end()
    # The broker notices the end before it answers a later call.
    own_broker.owner(0).call("GetStatus")
    refusal = scene.app.refusal("PresentLimitedLibraryPicker")
    assert refusal.error.endswith("PromptPending")
    message = refusal.parameters["message"]
    assert "photobroker open" in message and "photobroker request list" in message
    run = lambda *arguments: own_broker.photobroker(scene.owner.uid, *arguments).stdout
    number = run("request", "list").splitlines()[1].split()[0]
    run("--yes", "request", "answer", number, "select", "--last", "2")
    assert len(scene.app.names()) == 2
    owner = own_broker.owner(scene.owner.uid)
    assert owner.prompts() == []
    scene.app.begin("PresentLimitedLibraryPicker")
    owner.answer(owner.wait_for_prompt("selection"), "cancel")
    assert scene.app.hear()["added"] == []
