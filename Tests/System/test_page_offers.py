"""Other users' offers on a user's page: libraries for their apps, and co-ownership."""

from house import page as pages
from house.broker import Album
from house.person import wait_for


def folder(scene, owner):
    return Album(scene.house, f"photos-{owner.uid}", owner.uid).folder


def test_R29_R31_an_offer_is_shown_declined_and_accepted(scene, offered):
    other, page = offered

    def declined():
        return [offer["declined"] for offer in other.call("ListOffers")["offers"] if offer["library"] == scene.library]

    window = page.open_window(language="de-DE")
    window.get_by_role("link", name="Mediatheken").click()
    row = window.locator(f"[data-offer={scene.library}]")
    row.get_by_text(f"von Benutzer {scene.owner.uid}").wait_for()
    # Before it is accepted, the user's apps reach the library only by its name.
    row.get_by_text("Noch nicht angenommen").wait_for()
    row.get_by_role("button", name="Annehmen").click()
    row.get_by_text("Angenommen", exact=True).wait_for()
    wait_for(
        lambda: [offer["accepted"] for offer in other.call("ListOffers")["offers"]] == [True],
        "the library to be accepted",
    )
    row.get_by_role("button", name="Ablehnen").click()
    dialog = window.get_by_role("dialog", name=f"Mediathek „{scene.library}“ ablehnen?")
    dialog.get_by_role("button", name="Zurück").click()
    assert declined() == [False], "nothing was declined yet"
    row.get_by_role("button", name="Ablehnen").click()
    dialog.get_by_role("button", name="Ablehnen").click()
    wait_for(lambda: declined() == [True], "the library to be declined")
    row.get_by_text("Abgelehnt").wait_for()
    window.locator(".toast").get_by_role("button", name="Rückgängig").click()
    wait_for(lambda: declined() == [False], "the library to be accepted again")
    # The page shows an answer given elsewhere.
    other.call("AnswerOffer", library=scene.library, accept=False)
    row.get_by_role("button", name="Annehmen").click()
    wait_for(lambda: declined() == [False], "the library to be accepted")
    row.get_by_text("Angenommen", exact=True).wait_for()
    # Co-ownership is accepted separately.
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])
    deciding = row.locator("[data-part=coOwner]")
    deciding.get_by_text("Zum Mitentscheiden: Sie sehen sie und antworten, wenn Apps dort fragen").wait_for()
    row.locator("[data-part=programs]").get_by_text("Angenommen", exact=True).wait_for()
    assert other.library(scene.library) is None
    deciding.get_by_role("button", name="Annehmen").click()
    wait_for(lambda: other.library(scene.library), "the library to be theirs too")
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[])
    scene.owner.call("OfferLibrary", name=scene.library, remove=[other.uid])
    row.wait_for(state="detached")
    assert window.get_by_role("heading", name="Ihnen angeboten").is_hidden()
    assert window.problems == []


def test_R126_R127_undoing_an_answer_to_an_offer_restores_the_earlier_answer_only(scene, offered):
    other, page = offered

    def said():
        return [
            (offer["declined"], offer["accepted"])
            for offer in other.call("ListOffers")["offers"]
            if offer["library"] == scene.library
        ]

    def take_back():
        window.locator(".toast").get_by_role("button", name="Undo").click()
        window.locator(".toast").get_by_text("Undone").wait_for()

    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    row = window.locator(f"[data-offer={scene.library}]")
    row.get_by_role("button", name="Accept").click()
    row.get_by_text("Accepted", exact=True).wait_for()
    take_back()
    assert said() == [(False, False)], "it waits again"
    row.get_by_role("button", name="Accept").click()
    row.get_by_text("Accepted", exact=True).wait_for()
    # The owner names the user co-owner while the question is open.
    row.get_by_role("button", name="Decline").click()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])
    window.get_by_role("dialog").get_by_role("button", name="Decline").click()
    window.locator(".toast").get_by_text("is declined").wait_for()
    take_back()
    assert said() == [(False, False)] and other.library(scene.library) is None, "nobody asked them to be a co-owner"
    assert other.uid in scene.owner.library(scene.library)["acceptedBy"], "their programs had been let there"
    deciding = row.locator("[data-part=coOwner]")
    deciding.get_by_text("Not accepted yet").wait_for()
    deciding.get_by_role("button", name="Accept").click()
    deciding.get_by_text("Accepted", exact=True).wait_for()
    assert other.library(scene.library)
    deciding.get_by_role("button", name="Decline").click()
    window.get_by_role("dialog").get_by_role("button", name="Decline").click()
    window.locator(".toast").get_by_text("is declined").wait_for()
    take_back()
    assert said() == [(False, True)] and other.library(scene.library), "they were a co-owner"
    assert window.problems == []


def test_R126_R127_an_offer_to_programs_and_co_ownership_are_answered_separately(scene, offered):
    other, page = offered
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])

    def said():
        return [
            (offer["programsAnswer"], offer["coOwnerAnswer"])
            for offer in other.call("ListOffers")["offers"]
            if offer["library"] == scene.library
        ]

    window = page.open_window()
    link = window.get_by_role("link", name="Libraries")
    link.click()
    row = window.locator(f"[data-offer={scene.library}]")
    programs, deciding = row.locator("[data-part=programs]"), row.locator("[data-part=coOwner]")
    programs.get_by_text("For your programs: they may ask for its photos", exact=True).wait_for()
    deciding.get_by_text("To decide in it: you see it, and answer what apps ask there", exact=True).wait_for()
    programs.get_by_role("button", name=f"Accept: {scene.library}, for your programs").click()
    window.locator(".toast").get_by_text("is accepted for your programs").wait_for()
    assert said() == [("accepted", "waiting")] and other.library(scene.library) is None
    programs.get_by_text("Accepted", exact=True).wait_for()
    link.get_by_label("1 offer is waiting").wait_for()
    deciding.get_by_role("button", name="Decline").click()
    dialog = window.get_by_role("dialog", name=f"Decline deciding in “{scene.library}”?")
    dialog.get_by_text(
        "You neither see it nor decide in it then. The other choice stays as it is. You can accept it again.",
        exact=True,
    ).wait_for()
    dialog.get_by_role("button", name="Decline").click()
    window.locator(".toast").get_by_text(f"Deciding in “{scene.library}” is declined.").wait_for()
    assert said() == [("accepted", "declined")]
    wait_for(lambda: link.locator(".badge").text_content() == "", "nothing to wait any more")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: said() == [("accepted", "waiting")], "the refusal to be taken back")
    deciding.get_by_text("Not accepted yet").wait_for()
    deciding.get_by_role("button", name="Accept").click()
    wait_for(lambda: other.library(scene.library), "the library to be theirs too")
    programs.get_by_role("button", name="Decline").click()
    window.get_by_role("dialog", name=f"Decline “{scene.library}” for your programs?").get_by_role(
        "button", name="Decline"
    ).click()
    wait_for(lambda: said() == [("declined", "accepted")], "it to be declined for programs alone")
    assert other.library(scene.library)["declinedBy"] == [other.uid], "who decides there still"
    assert window.problems == []


def test_R126_declined_and_unanswered_co_ownership_look_different_to_the_owner(scene, browser):
    silent, declining = scene.broker.owner(), scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[silent.uid, declining.uid])
    declining.call("AnswerOffer", library=scene.library, accept=False)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Libraries").click()
        card = window.get_by_role("article", name=scene.library)
        card.get_by_text(
            f"Named, and not co-owners before they accept it: user {silent.uid} · Declined being co-owners: user "
            f"{declining.uid}"
        ).wait_for()
        assert card.get_by_text("Declined by users").count() == 0, "it was never offered to their programs"
        assert window.problems == []
    finally:
        page.end()


def test_R126_R127_accepting_accepts_the_displayed_offer(scene, offered):
    other, page = offered
    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    row = window.locator(f"[data-offer={scene.library}]")
    row.get_by_role("button", name="Accept").wait_for()
    # The page hears of one more change and then of none, so its row is outdated.
    window.evaluate("""() => {
      const ask = window.fetch
      window.fetch = (path, ...rest) => path === '/wait' ? new Promise(() => {}) : ask(path, ...rest)
    }""")
    other.call("AnswerOffer", library=scene.library, accept=False)
    row.get_by_text("Declined").wait_for()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])
    row.get_by_role("button", name="Accept").click()
    window.locator(".toast").get_by_text("is accepted").wait_for()
    assert other.library(scene.library) is None
    assert [offer["accepted"] for offer in other.call("ListOffers")["offers"] if offer["library"] == scene.library] == [
        False
    ]
    # Another user's library of the same name is another library.
    stranger = scene.broker.owner()
    scene.owner.call("RemoveLibrary", name=scene.library)
    stranger.call(
        "AddLibrary", name=scene.library, options={"path": str(folder(scene, stranger))}, offeredTo=[other.uid]
    )
    row.get_by_role("button", name="Accept").click()
    window.locator(".toast").get_by_text("not there any more").wait_for()
    assert [(offer["owner"], offer["accepted"]) for offer in other.call("ListOffers")["offers"]] == [
        (stranger.uid, False)
    ]
    assert window.problems == []


def test_R31_all_offers_of_a_user_are_declined_and_accepted_together(scene, offered):
    other, page = offered
    uid = scene.owner.uid

    def told():
        answer = other.call("ListOffers")
        return answer["declinedUsers"], [
            offer["declined"] for offer in answer["offers"] if offer["library"] == scene.library
        ]

    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    library, user = window.locator(f"[data-offer={scene.library}]"), window.locator(f"[data-offer=user-{uid}]")
    user.get_by_role("button", name=f"Decline all: user {uid}").click()
    dialog = window.get_by_role("dialog", name=f"Decline whatever user {uid} offers?")
    dialog.get_by_role("button", name="Decline").click()
    wait_for(lambda: told() == ([uid], [True]), "all to be declined")
    library.get_by_text("Declined").wait_for()
    assert library.get_by_role("button").count() == 0, "it is accepted with all of theirs"
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: told() == ([], [False]), "all to be accepted again")
    library.get_by_role("button", name="Decline").wait_for()
    # All later offers of a user can be accepted while none is open.
    other.call("AnswerOffers", user=uid, accept=False)
    scene.owner.call("OfferLibrary", name=scene.library, remove=[other.uid])
    library.wait_for(state="detached")
    user.get_by_role("button", name="Accept").click()
    wait_for(lambda: told() == ([], []), "what is offered later to be accepted")
    user.wait_for(state="detached")
    assert window.get_by_role("heading", name="Offered to you").is_hidden()
    assert window.problems == []


def test_R29_a_new_or_moved_offer_ignores_early_clicks(scene, offered):
    other, page = offered
    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    row = window.locator(f"[data-offer={scene.library}]")
    row.get_by_role("button", name="Accept").wait_for()
    wait_for(lambda: row.locator("[aria-disabled]").count() == 0, "the row to take a press")
    # Presses the new row's button in the same event-loop turn in which the row appears.
    window.evaluate("""() => new MutationObserver(() => {
      const button = document.querySelector('[data-offer=aa-1] button')
      if (!button || window.pressed) return
      window.pressed = true
      button.click()
    }).observe(document.body, { subtree: true, childList: true })""")
    stranger = scene.broker.owner()
    stranger.call("AddLibrary", name="aa-1", options={"path": str(folder(scene, stranger))}, offeredTo=[other.uid])
    window.locator(".toast").get_by_text("only just came or moved").wait_for()
    assert window.evaluate("window.pressed")
    assert [offer["accepted"] for offer in other.call("ListOffers")["offers"]] == [False, False]
    assert window.problems == []


def test_R29_pending_offers_are_counted_on_their_page(scene, offered):
    other, page = offered
    window = page.open_window()
    link = window.get_by_role("link", name="Libraries")
    link.get_by_label("1 offer is waiting").wait_for()
    stranger = scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])
    stranger.call("AddLibrary", name="aa-1", options={"path": str(folder(scene, stranger))}, offeredTo=[other.uid])
    link.get_by_label("2 offers are waiting").wait_for()
    link.click()
    # A user who is only named co-owner is told nothing about apps.
    scene.owner.call("OfferLibrary", name=scene.library, remove=[other.uid])
    row = window.locator(f"[data-offer={scene.library}]")
    row.get_by_text(f"by user {scene.owner.uid} · you are to decide in it too", exact=True).wait_for()
    row.get_by_role("button", name="Decline").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("You neither see it nor decide in it then. You can accept it again.", exact=True).wait_for()
    dialog.get_by_role("button", name="Decline").click()
    link.get_by_label("1 offer is waiting").wait_for()
    other.call("AnswerOffers", user=stranger.uid, accept=False)
    wait_for(lambda: link.locator(".badge").text_content() == "", "nothing to wait any more")
    assert window.problems == []
