"""The page quotes the manifest that a person agreed to, and the app's present one beside it."""

from house.agreements import agreement, answer_request, introduce_again
from house.page_views import open_app
from house.person import PICKER, wait_for

GERMAN = {"de": {"NSPhotoLibraryUsageDescription": "Zeigt Ihre Fotos."}}


def test_R28_settings_show_the_agreed_words_and_the_present_ones(scene, window):
    hostile = "<img src=x onerror=alert(1)> {uid} \\u202e שלום\n" + "Word " * 380
    introduce_again(scene, NSPhotoLibraryUsageDescription=hostile)
    answer_request(scene, "select", selector={"last": 2})
    open_app(window)
    agreed = window.locator("[data-agreed=readWrite]")
    agreed.get_by_text("You said yes").wait_for()
    hostile = hostile.replace("\n", " ")
    assert agreed.locator("blockquote p").text_content() == hostile and agreed.locator("blockquote img").count() == 0
    assert (
        agreed.locator("blockquote footer")
        .inner_text()
        .startswith("In the app’s own words · Journal · org.example.journal")
    )
    assert agreed.locator("blockquote").count() == 1 and agreed.locator("blockquote p").bounding_box()["height"] < 300
    decision = window.locator("[data-decision]").first
    assert hostile in decision.text_content()
    # After a new manifest an open page shows both texts.
    introduce_again(scene, NSPhotoLibraryUsageDescription="Uploads everything.", name="Bank")
    agreed.get_by_text("By now it says something else").wait_for()
    quotes = agreed.locator("blockquote")
    assert quotes.nth(0).locator("p").text_content() == hostile
    assert (
        quotes.nth(1).locator("p").text_content() == "Uploads everything."
        and "Bank" in quotes.nth(1).locator("footer").inner_text()
    )
    window.get_by_role("link", name="Apps").first.click()
    window.get_by_text("Says something else now").wait_for()
    # An answer given in settings quotes no text, because none was shown there.
    scene.owner.set(scene.library, scene.app.name, "authorized")
    window.get_by_text("Says something else now").wait_for(state="detached")
    open_app(window)
    window.get_by_role("heading", name="Details").wait_for()
    wait_for(lambda: window.locator("[data-agreed=readWrite]").is_hidden(), "no words")


def test_R28_R29_answers_on_the_page_are_stored_in_the_language_shown(scene, page):
    scene.take_additions()
    introduce_again(scene, localizations=GERMAN)
    german = page.open_window(language="de-DE")
    scene.app.begin_request("addOnly")
    german.get_by_role("button", name="Hinzufügen erlauben").click(delay=600)
    assert scene.app.hear_request() == "authorized"
    assert agreement(scene, level="addOnly")["words"].get("language") is None, "it says that in no other language"
    scene.app.begin_request()
    german.get_by_text("Zeigt Ihre Fotos.").wait_for()
    german.get_by_role("button", name="Fotos auswählen").click(delay=600)
    german.get_by_role("option").first.click()
    german.get_by_role("button", name="1 Foto erlauben").click()
    assert scene.app.hear_request() == "limited"
    assert agreement(scene)["words"]["usageDescription"] == "Zeigt Ihre Fotos."
    german.get_by_role("navigation").get_by_role("link", name="Apps").click()
    german.locator("a.row").first.click()
    german.locator("[data-agreed=readWrite]").get_by_text("Sie haben").wait_for()
    assert german.locator("[data-agreed=addOnly] blockquote p").text_content() == "Saves pictures of its own."
    assert german.problems == []


def test_R28_an_app_changing_its_words_is_not_shown_as_answered_elsewhere(scene, window):
    scene.app.begin_request()
    window.get_by_text("Shows the photos that you choose.").wait_for()
    introduce_again(scene, NSPhotoLibraryUsageDescription="Uploads everything.")
    window.locator(".toast").get_by_text("The app has changed what it says of itself").wait_for()
    window.get_by_text("Uploads everything.").wait_for()
    assert window.get_by_text("answered elsewhere").count() == 0
    # The selection page shows a new manifest too.
    window.get_by_role("button", name="Select photos").last.click(delay=600)
    window.get_by_role("option").first.wait_for()
    introduce_again(scene, NSPhotoLibraryUsageDescription="Sells everything.")
    window.locator(".toast").get_by_text("The app has changed what it says of itself").wait_for()
    window.get_by_text("Sells everything.").wait_for()


def test_a_prompt_and_a_picker_of_one_app_have_different_titles(scene, window):
    scene.app.begin_request()
    other = scene.broker.app(uid=scene.app.uid)
    other.use(scene.app.own_token)
    other.begin(PICKER + "Present", library=scene.library)
    cards = window.get_by_role("article")
    wait_for(lambda: cards.count() == 2, "both cards")
    labels = [card.get_attribute("aria-label") for card in cards.all()]
    assert len(set(labels)) == 2 and all("Journal" in label for label in labels)
