"""The page's own files, read as text."""

import graphlib
import json
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "Sources/CWebPage/page"
MODULES = {path.name: path.read_text() for path in PAGE.glob("*.js")}


def test_the_pages_modules_have_no_import_cycles():
    imports = {name: set(re.findall(r"from '\./(\w+\.js)'", text)) for name, text in MODULES.items()}
    assert "dom.js" in imports["main.js"]
    graphlib.TopologicalSorter(imports).prepare()


def test_the_pages_modules_import_and_export_as_their_server_joins_them():
    """Sources/WebPage/PageScript.swift."""
    known = re.compile(
        r"import (\{[^}]*\} from '\./\w+\.js'|\w+ from '\./\w+\.json' with \{ type: 'json' \})"
        r"|export (async function|function|class|const) \w+"
    )
    for name, text in MODULES.items():
        said = [m.start() for m in re.finditer(r"^(import|export)\b", text, re.M)]
        assert [m.start() for m in known.finditer(text) if m.start() in said] == said, name
        assert not re.search(r"\bimport\(|\bimport\.meta|^await|\bmodules\b", text, re.M), name


def test_the_pages_lines_have_120_columns_and_its_functions_80_lines():
    files = {path.name: path.read_text() for path in PAGE.iterdir() if path.suffix in (".js", ".css")}
    assert [(name, line) for name, text in files.items() for line in text.splitlines() if len(line) > 120] == []
    long = []
    for name, text in MODULES.items():
        lines = text.splitlines()
        for start, line in enumerate(lines):
            # A block ends at the next line that is indented no further than its first one.
            indent = len(line) - len(line.lstrip())
            if not re.search(r"=>|\) \{$", line):
                continue
            rest = (at for at in range(start + 1, len(lines)) if lines[at][: indent + 1].strip())
            if next(rest, len(lines)) - start >= 80:
                long.append((name, line))
    assert long == []


def placeholders(text):
    """Return the set of a text's placeholders, or one for each plural form."""
    if isinstance(text, dict):
        return {form: placeholders(each) for form, each in text.items()}
    return set(re.findall(r"{\w+}", text))


def test_every_text_exists_in_english_and_german_with_one_key_a_line():
    files = [(PAGE / f"{language}.json").read_text() for language in ("english", "german")]
    english, german = map(json.loads, files)
    assert list(english) == list(german)
    for key, text in english.items():
        assert placeholders(text) == placeholders(german[key]), key
    for text in files:
        assert re.findall(r'^  "([^"]+)": ', text, re.M) == list(english)
    script = "\n".join(MODULES.values())
    used = set(re.findall(r"\bt\('([^']+)'", script))
    assert used <= set(english), sorted(used - set(english))
    # Keys that are put together from parts must have at least one text.
    for prefix in set(re.findall(r"\bt\(`([\w]+\.)\$\{", script)):
        assert any(key.startswith(prefix) for key in english), prefix
