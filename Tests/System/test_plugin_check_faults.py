"""`photobroker plugin check` finds each fault of a plugin with many."""

import pytest

from house.checks import check, checks_ahead, failed, folder_of_photos
from house.faults import FOUND_BY, FOUND_IN_STAGING, install_describing
from house.planted import MAPPINGS, POLICIES, plant
from house.soak import choose_values

# Faults whose step and advice the plugin's own error does not tell.
TOLD_TO_DO = {
    "trashes once": "A second Trash of the same item failed. Answer as for the first one",
    "trashes over": "Keep both in the trash",
    "restores the last": "Choose it by contentVersion and identityHint",
    "restores over": "answer failed",
    "restores beside": "because its own was taken",
}


def single_check(name):
    """Run the one check that finds a fault; a full run must fail there first."""
    return choose_values(["--only", name], [])


def run_check(house, path, fault, found_by, *words):
    with folder_of_photos(house) as folder:
        return check(
            house,
            path,
            "--option",
            f"path={folder}",
            "--option",
            f"fault={fault}",
            "--changes",
            *single_check(found_by),
            *words,
            expect=65,
        )


@pytest.fixture(scope="module")
def faulty(house):
    return install_describing(house.make_folder(f"described-{house.fresh_uid()}", 0, mode=0o755))


@pytest.fixture(scope="module")
def check_runs(request, house, faulty):
    with checks_ahead(
        request, "fault", lambda fault: run_check(house, faulty, fault, FOUND_BY[fault], "--library-photos", "20000")
    ) as ahead:
        yield ahead


@pytest.mark.parametrize("fault", FOUND_BY)
def test_each_fault_is_found_with_advice(check_runs, fault):
    report = check_runs[fault].result()
    if FOUND_BY[fault] == "start" and "plugins" not in report:
        assert report["message"], report
        return
    assert "plugins" in report, report
    [plugin] = report["plugins"]
    wrong = failed(plugin)
    assert wrong[0]["check"] == FOUND_BY[fault], wrong
    if fault in TOLD_TO_DO:
        assert TOLD_TO_DO[fault] in wrong[0]["message"], wrong
    assert all(len(c["message"]) > 20 and c["message"].isprintable() and len(c["message"]) < 2_000 for c in wrong)


def test_restoring_the_files_successor_is_found_with_advice(house, faulty):
    [plugin] = run_check(house, faulty, "restores the last", "restore-onto-a-taken-name")["plugins"]
    told = next(c.get("message", "") for c in plugin["checks"] if c["check"] == "restore-onto-a-taken-name")
    assert "chose the wrong one" in told, told


@pytest.fixture(scope="module")
def planted_bugs(request, house):
    def run(bug):
        found_by, text = {**POLICIES, **MAPPINGS}[bug]
        return check(
            house,
            plant(house, "albumPolicy" if bug in POLICIES else "cloudMapping", text),
            *single_check(found_by),
            expect=65,
        )

    with checks_ahead(request, "bug", run) as ahead:
        yield ahead


@pytest.mark.parametrize("bug", [*POLICIES, *MAPPINGS])
def test_R97_R136_a_bug_in_a_policy_or_a_mapping_is_found(planted_bugs, bug):
    found_by, _ = {**POLICIES, **MAPPINGS}[bug]
    [plugin] = planted_bugs[bug].result()["plugins"]
    assert found_by in [c["check"] for c in failed(plugin)], failed(plugin)


@pytest.fixture(scope="module")
def staging_check_runs(request, house):
    path = install_describing(house.make_folder(f"staging-{house.fresh_uid()}", 0, mode=0o755), stages=True)
    with checks_ahead(
        request, "staging_fault", lambda fault: run_check(house, path, fault, FOUND_IN_STAGING[fault])
    ) as ahead:
        yield ahead


@pytest.mark.parametrize("staging_fault", FOUND_IN_STAGING)
def test_each_fault_of_a_staging_plugin_is_found(staging_check_runs, staging_fault):
    [plugin] = staging_check_runs[staging_fault].result()["plugins"]
    assert [c["check"] for c in failed(plugin)] == [FOUND_IN_STAGING[staging_fault]], failed(plugin)
