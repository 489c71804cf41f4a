"""Translations of the broker's English texts into the person's language."""

import pathlib
import re

import json

import pytest

from house import page as pages
from house.page import Page
from house.person import wait_for
from house.scene import Scene

SOURCES = pathlib.Path(__file__).parents[2] / "Sources"
TEXTS = [json.loads((SOURCES / f"CWebPage/page/{language}.json").read_text()) for language in ("english", "german")]
INTERPOLATION = re.compile(r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")


def literals(code):
    """Return the string literals in a piece of Swift, with … for each interpolation."""
    code = "\n".join(line for line in code.splitlines() if not line.strip().startswith("//"))
    return {text.strip(", ") for text in re.findall(r'"([^"\n]*)"', INTERPOLATION.sub("…", code))} - {"", "…", "… …"}


def arguments(source, start):
    depth, end = 1, start
    while depth:
        depth += (source[end] == "(") - (source[end] == ")")
        end += 1
    return source[start : end - 1]


def recorded_texts():
    """Return each text that the broker records as a decision's before or after."""
    found = set()
    for file in (SOURCES / "Broker").rglob("*.swift"):
        source = file.read_text()
        for call in re.finditer(r'DecisionRecord\(|record\("', source):
            for given in re.findall(
                r"\b(?:before|after): (.*?)(?=,\s*[a-z]\w*: |$)",
                INTERPOLATION.sub("…", arguments(source, call.end())),
                re.S,
            ):
                found |= literals(given)
                for name in re.findall(r"\b([a-z]\w*)\b(?![.(\"])", re.sub(r'"[^"]*"', "", given)):
                    for value in re.findall(rf"\blet {name} = ((?:[^\n]|\n *[.+])*)", source):
                        found |= literals(value)
        for part in re.finditer(
            r"^( *)(?:[a-z]+ )*(?:var (?:summary|delegated|originalsShared|deletionsAllowed|before|after): String|func (?:list|summary|words)\([^\n]*-> String) \{(.*)$",
            source,
            re.M,
        ):
            rest = source[part.start(2) :]
            found |= literals(part[2] if part[2].rstrip().endswith("}") else rest[: rest.index("\n" + part[1] + "}")])
    tally = (SOURCES / "Broker/Library/MarkTally.swift").read_text()
    return found | literals(re.search(r"let marks: \[Mark\] = \[(.*?)\n  \]", tally, re.S)[1])


ALBUM, TOKEN = "0123456789abcdef" * 2, "abcdef012345" * 2
# Each text with a decision that uses it. Statuses are apart, being words of the interface itself.
SAID = {
    "administrators decide": "owner 1001, administrators decide",
    "administrators see": "owner 1001, administrators see",
    "co-owners": "owner 1001, co-owners 7 8",
    "owner …": "owner 1001",
    "owner …, offered to": "owner 1001, offered to users 7 8",
    "users": "users 7 8",
    "nobody": "nobody",
    "… … user …": "accepted by user 7",
    "… for programs, … as co-owner": "accepted by user 7 for programs, declined by user 7 as co-owner",
    "called …": "called frames",
    "album …, … assets": f"album {ALBUM}, 3 assets",
    "shared": f"album {ALBUM}, 1 assets, shared",
    "no album": "no album",
    "albums …": "limited, 3 selected, albums none",
    "own": "limited, 1 selected, albums own",
    "with location": "limited, 1 selected, with location",
    "without location": "authorized, without location",
    "without captions": "authorized, without captions",
    "… photos a day": "authorized, 20 photos a day",
    "… photos an hour": "authorized, 20 photos an hour",
    "… bytes a day": "authorized, 2000000 bytes a day",
    "… bytes an hour": "authorized, 1000 bytes an hour",
    "without allowance": "limited, 2 selected, without allowance",
    "pictures only": "authorized, pictures only",
    "pictures up to … pixels": "authorized, pictures up to 1024 pixels",
    "read-only": "limited, 2 selected, read-only",
    "without deletions": "limited, 2 selected, without deletions",
    "deletes without asking": "authorized, deletes without asking",
    "… to delete": "3 to delete",
    "deletion allowed": "deletion allowed",
    "deletion refused": "deletion refused",
    "… selected": "limited, 3 selected",
    "paused": "authorized, paused",
    "live": "limited, 2 selected, live",
    "once": "limited, 2 selected, once",
    "until …": "authorized, until 4000000000000000",
    "asks": "asks",
    "… picked": "3 picked",
    "registered, user …": "registered, user 1001",
    "for … s": "frames: allow readWrite for any app of user 7, for 7200 s",
    "any app": "frames: deny addOnly for any app of user 7",
    "…: … … for … of user …": "frames: select readWrite for org.example.frames of user 7",
    "marks since the copy may be missing": "marks since the copy may be missing",
    "originals of edited photos kept back": "originals of edited photos kept back",
    "originals of edited photos shared": "originals of edited photos shared",
    "apps delete": "apps delete",
    "apps delete nothing": "apps delete nothing",
    "standard terms": "standard terms",
    "token … given out": f"token {TOKEN} given out",
    "child token … of user … given out": f"child token {TOKEN} of user 1001 given out",
    "child token …": f"child token {TOKEN}",
    "own token …": f"own token {TOKEN}",
    "revoked": "revoked",
    "cloud mapping": "cloud mapping content",
    "by default": "cloud mapping by default",
    "mapping": "mapping depth",
    "time zone": "time zone",
    "credential": "credential key",
    "asset …": f"asset {ALBUM}",
    "hidden": "1 hidden",
    "shown": "2 shown",
    "never shared": "1 never shared",
    "shareable": "3 shareable",
    "favourites": "2 favourites",
    "no favourites": "1 no favourites",
}
STATUSES = ("notDetermined", "restricted", "denied", "authorized", "limited")
# Names, and words that German shares.
KEPT = {"frames", "org", "example", "content", "depth", "key", "album"}


@pytest.fixture(scope="module")
def german(house, running, browser):
    scene = Scene(running, 1)
    page = Page(running, scene.owner, browser)
    yield page.open_window(language="de-DE", bypass_csp=True)
    page.end()


def test_R131_the_page_knows_every_word_of_a_decision(german):
    assert recorded_texts() == SAID.keys() - {"any app"}, "a decision's words belong into outcomes.js, and here"
    outcomes = german.evaluate(
        """async texts => {
      const { outcome } = (await import('/main.js')).modules['outcomes.js']
      return texts.map(text => outcome(text).textContent)
    }""",
        [*SAID.values(), *STATUSES],
    )
    for said, shown in zip([*SAID.values(), *STATUSES], outcomes):
        left = set(re.findall(r"[A-Za-z]{3,}", said)) - KEPT
        assert not [word for word in left if re.search(rf"\b{word}\b", shown)], (said, shown)


def test_every_missing_thing_has_its_own_text():
    named = set()
    for file in SOURCES.rglob("*.swift"):
        named |= set(re.findall(r'notFound\("(\w+)"', file.read_text()))
    assert {"album", "prompt", "decision"} < named
    for texts in TEXTS:
        assert [name for name in sorted(named) if f"refused.NotFound.{name}" not in texts] == []


def reason_codes():
    source = (SOURCES / "Broker/Errors/Reason+Code.swift").read_text()
    return {
        code for names in re.findall(r"^ *case (\w+(?:,\s*\w+)*)$", source, re.M) for code in re.findall(r"\w+", names)
    }


def test_R131_every_reason_has_texts_in_both_languages_and_is_used():
    codes = reason_codes()
    assert {"albumFull", "movedOn", "fileNoMedia"} < codes
    english, germans = ({key[7:]: text for key, text in texts.items() if key.startswith("reason.")} for texts in TEXTS)
    assert english.keys() == codes, "a reason's words belong into english.json and german.json"
    assert [code for code in codes if not english[code] or english[code] == germans[code]] == []
    given = "\n".join(
        file.read_text()
        for name in ("Broker", "BrokerService")
        for file in (SOURCES / name).rglob("*.swift")
        if file.name != "Reason+Code.swift"
    )
    assert [code for code in sorted(codes) if not re.search(rf"\.{code}\b", given)] == []
    # The broker supplies each value that a text mentions.
    another = r"Reason\(|BrokerError\(|\.(?:refused|notPermitted|failed)\("
    for code, text in english.items():
        for value in set(re.findall(r"{(\w+)}", str(text))) - {"text", "parts"}:
            assert re.search(rf'\.{code}\b(?:(?!{another}).)*?"{value}":', given, re.S), (code, value)


def test_R131_an_unknown_reason_is_shown_in_the_brokers_words(german):
    """A newer broker has reasons unknown to the page, and an older one gives none."""
    told = german.evaluate("""async () => {
      const { problem, reasonText, refusalText } = (await import('/main.js')).modules['reasons.js'],
        { h } = (await import('/main.js')).modules['dom.js']
      const shown = (...what) => h('p', {}, problem(...what)).innerHTML
      const message = 'No such luck.', newer = { code: 'constructor', text: 'No luck.' }
      return [refusalText('SetGrant', 'Refused', { message }),
        refusalText('SetGrant', 'Refused', { message, reason: newer }), shown(undefined, message),
        shown(newer, message),
        refusalText('UndoDecision', 'Refused',
          { message, reason: { code: 'movedOn', text: message,
            parts: [newer, { code: 'statusMoved', text: 'x', values: { status: 'denied' } }] } }),
        reasonText({ code: 'foldersAway', text: 'x', values: { count: '1', folder: 'a' } }),
        reasonText({ code: 'foldersAway', text: 'x', values: { count: '1200', folder: 'a' } }),
        reasonText({ code: 'foldersAway', text: 'x', values: { count: '1', folder: '2024' } }),
        reasonText({ code: 'ruleEdited', text: 'x', values: { rule: 'denied' } }),
        reasonText({ code: 'albumsMoved', text: 'x', values: { policy: 'shared-read' } }),
        reasonText({ code: 'albumsMoved', text: 'x', values: { policy: 'family' } })]
    }""")
    assert all("No such luck." in text for text in told[:4]), told
    assert "No luck., der Zugriff ist ein anderer (kein Zugriff)" in told[4]
    assert told[5].startswith("Der Ordner „a“ ist") and told[6].startswith("1.200 Ordner sind"), told[5:]
    assert "„2024“" in told[7] and "„denied“" in told[8], "names stay what they are"
    assert "shared" not in told[9] and "(Eigene" in told[9] and "(family)" in told[10], (
        "policies that come along have words"
    )


def test_R131_plugins_problems_are_marked_with_their_language(german):
    """Bundled plugins speak English; the language of others is unknown."""
    told = german.evaluate("""async () => {
      const { problem } = (await import('/main.js')).modules['reasons.js'],
        { h } = (await import('/main.js')).modules['dom.js']
      const reason = { code: 'storageFailed', text: 'no {text} <b>' }
      const parts = { code: 'trashWaits', text: 'x', values: { count: '1' },
        parts: [reason, { code: 'storageFull', text: 'full' }] }
      return [[reason, 'x', 'rclone'], [reason, 'x', 'shelf'], [parts, 'x', 'directory'], [undefined, 'No luck.'],
        [{ code: 'pluginUnusable', text: 'no such file' }, 'x', 'system']]
        .map(what => [...h('p', {}, problem(...what)).childNodes].filter(node => node.textContent)
          .map(node => [node.lang, node.textContent]))
    }""")
    around = "Der Speicher hat einen Fehler. Er sagt dazu: "
    assert told[0] == [[None, around], ["en", "no {text} <b>"]]
    assert told[1] == [[None, around], ["", "no {text} <b>"]]
    assert [part for part in told[2] if part[0]] == [["en", "no {text} <b>"], ["en", "full"]] and around in told[2][0][
        1
    ]
    assert told[3] == [[None, "Der Broker sagt dazu auf Englisch: "], ["en", "No luck."]]
    assert told[4][1] == ["en", "no such file"]


def test_an_album_of_unknown_title_is_shown_without_a_number(german):
    """The broker trims the undo data of old decisions, and the album's title with it."""
    told = german.evaluate(f"""async () => {{
      const {{ outcome }} = (await import('/main.js')).modules['outcomes.js']
      return [outcome('album {ALBUM}, 3 assets', {{ titles: new Map() }}), outcome('album {ALBUM}, 3 assets')]
        .map(words => words.textContent)
    }}""")
    assert told == ["ein gelöschtes Album, 3 Fotos", "ein Album, 3 Fotos"]


def test_an_invalid_title_and_an_empty_choice_are_refused_in_the_persons_language(scene, page):
    window = page.open_window(language="de-DE")
    for title in ("Meer\u202e", "ü" * 600):
        refused = scene.owner.refusal("EditOwnedAlbum", library=scene.library, title=title)
        assert refused.reason["code"] == "albumTitle" and refused.reason["values"] == {"limit": "1024"}
        assert window.evaluate(
            """async ([library, title]) => {
          const { call } = (await import('/main.js')).modules['server.js']
          return call('EditOwnedAlbum', { library, title }).catch(refusal => refusal.message)
        }""",
            [scene.library, title],
        ).startswith("Ein Titel hat höchstens 1.024 Byte")
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    refused = scene.owner.refusal("AnswerPrompt", prompt=prompt, answer="select", selector={"favorite": True})
    assert refused.reason["code"] == "selectsNothing"
    scene.owner.call("AnswerPrompt", prompt=prompt, answer="deny")
    assert scene.app.hear_request() == "denied"


def test_a_refusal_is_shown_in_the_persons_language(scene, page):
    """The page translates the broker's reason code, and shows none of its English text."""
    call = scene.owner.call
    scene.limit(0, 1)
    album = call("EditOwnedAlbum", library=scene.library, title="See", add={"last": 3})["album"]["album"]
    call("EditOwnedAlbum", library=scene.library, album=album, title="Meer")
    window = page.open_window(language="de-DE")
    window.get_by_role("link", name="Verlauf").click()
    window.get_by_role("button", name="Entscheidungen").click()
    rows = window.locator("[data-decision]")
    named = rows.filter(has_text="Album „Meer“")
    wait_for(lambda: named.count() == 2, "albums by their titles")
    assert album[:8] not in "\n".join(rows.all_inner_texts())
    # The album changed again after the list was drawn, so there is no undo.
    first = named.last
    window.route("**/call/ListDecisions", lambda route: None)
    call("EditOwnedAlbum", library=scene.library, album=album, title="Ozean")
    first.get_by_role("button", name="Rückgängig").click()
    toast = window.locator(".toast")
    toast.get_by_text(
        "Das lässt sich nicht mehr zurücknehmen, denn seither gilt: es hat einen anderen Titel."
    ).wait_for()
    window.unroute("**/call/ListDecisions")
    # The refusal for a deleted album is told in German alone.
    window.get_by_role("link", name="Mediatheken").click()
    window.get_by_role("button", name="Ansehen").click()
    held = []
    window.route("**/call/ListOwnedAlbums", lambda route: held.append(route))
    window.get_by_label("Album", exact=True).wait_for()
    call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    window.get_by_label("Album", exact=True).select_option(value=album)
    toast.get_by_text("Dieses Album gibt es nicht mehr.", exact=True).wait_for()
    assert window.problems == []


def test_decisions_name_deleted_albums_and_rules_selectors(scene, page):
    """Users who see the library's photos see titles of albums, and selectors in words."""
    call = scene.owner.call
    album = call("EditOwnedAlbum", library=scene.library, title="Am Meer", add={"last": 3})["album"]["album"]
    call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    rule = {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "select"}
    call(
        "Apply",
        rules=[{**rule, "select": [{"favorite": True, "last": 12}, {"glob": "trips/**", "mediaType": "video"}]}],
    )
    call("RemoveRule", library=scene.library, name="frames")
    for language, tab, words in (
        (
            "en-GB",
            "Decisions",
            [
                "album “Am Meer”",
                "Rule “frames” lets it see a selection (the latest 12 favourites; videos, in “trips/**”)",
            ],
        ),
        (
            "de-DE",
            "Entscheidungen",
            ["Album „Am Meer“", "Regel „frames“ zeigt eine Auswahl (die neuesten 12 Favoriten; Videos, in „trips/**“)"],
        ),
    ):
        window = page.open_window(language=language)
        window.locator("nav a[data-path='/activity']").click()
        window.get_by_role("button", name=tab).click()
        rows = window.locator("[data-decision]")
        for text in words:
            wait_for(lambda: rows.filter(has_text=text).count() == 2, text)
        assert album[:8] not in "\n".join(rows.all_inner_texts())
        assert window.problems == []


def test_R29_an_apps_words_are_in_the_persons_first_available_language(make_scene, browser):
    scene = make_scene(2, introduce=False)
    scene.app.introduce(
        localizations={
            language: {"NSPhotoLibraryUsageDescription": text}
            for language, text in (("fr", "Montre les photos."), ("de", "Zeigt Fotos."))
        }
    )
    scene.app.begin_request()
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        for languages, words in (
            ("fr-FR,fr", "Montre les photos."),
            ("it,fr", "Montre les photos."),
            ("nl,de-AT", "Zeigt Fotos."),
            ("en-US,fr", "Shows the photos that you choose."),
            ("it", "Shows the photos that you choose."),
        ):
            context = page.browser.new_context(locale=languages.split(",")[0])
            page.contexts.append(context)
            context.add_init_script(
                f"Object.defineProperty(navigator, 'languages', {{ value: {json.dumps(languages.split(','))} }})"
            )
            window = context.new_page()
            window.goto(page.link())
            assert window.locator("blockquote p").inner_text() == words, languages
            assert (
                scene.owner.call("ListPrompts", language=languages if languages != "en-US,fr" else "en-US")["prompts"][
                    0
                ]["usageDescription"]
                == words
            ), languages
    finally:
        page.end()


FAR = [9_223_372_036_854_775_807, -9_223_372_036_854_775_808, 9_000_000_000_000_000_000]


def test_an_extreme_date_is_shown_like_any_other(german):
    told = german.evaluate(
        """async numbers => {
      const text = (await import('/main.js')).modules['text.js'],
        { selectorsText } = (await import('/main.js')).modules['selectors.js'],
        { outcome } = (await import('/main.js')).modules['outcomes.js']
      const ways = [text.dayText, text.monthText, text.shortMonthText, text.momentText, text.whenText,
        text.instantText, text.agoText,
        number => selectorsText([{ createdFrom: number, createdBefore: number }]),
        number => outcome(`limited, 1 selected, until ${number}`).textContent]
      return numbers.flatMap(number => ways.map(way => way(number)))
    }""",
        FAR,
    )
    assert all(told) and not [text for text in told if "NaN" in text or "Invalid" in text]


def test_a_decision_with_an_extreme_date_hides_no_other(scene, page):
    scene.limit(0, 1)
    window = page.open_window()

    def put_far(route):
        reply = route.fetch()
        told = reply.json()
        for decision in told["decisions"]:
            decision["after"] += f", until {FAR[0]}"
        route.fulfill(response=reply, json=told)

    window.route("**/call/ListDecisions", put_far)
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    decisions = len(scene.owner.call("ListDecisions", library=scene.library)["decisions"])
    wait_for(lambda: window.locator("[data-decision]").count() == decisions > 1, "every decision")
    assert window.problems == []
