"""Statements that the documentation must make first (R26, R117 to R119)."""

import re

from house.pictures import ROOT


def section(title):
    text = (ROOT / "README.md").read_text()
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", text, re.M | re.S)
    assert found, f"the README has no section {title}"
    return " ".join(found[1].split())


def test_R117_the_guide_explains_the_picker_before_permissions():
    text = section("For authors of apps")
    assert "whether your app needs a library at all" in text[:120]
    picker, permission = text.index("picker"), text.index("readWrite")
    assert picker < permission, "the picker comes first"


def test_R118_the_guide_reserves_full_access_for_four_kinds_of_apps():
    sentence = re.search(r"[^.]*readWrite[^.]*\.", section("For authors of apps"))[0].lower()
    for kind in ("browsing", "editing", "camera", "backup"):
        assert kind in sentence, sentence


def test_R119_the_guide_recommends_the_picker_for_sharing_and_embedding():
    sentences = re.findall(r"[^.:]*\bpicker\b[^.]*\.", section("For authors of apps").lower())
    assert any("sharing" in s and "embedding" in s for s in sentences), sentences


def test_R26_the_guide_advises_asking_on_a_persons_action():
    text = section("For authors of apps").lower()
    assert "not at start" in text and "when a person" in text
