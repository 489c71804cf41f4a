"""The page's own files, read as text."""

import graphlib
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "Sources/CWebPage/page"
MODULES = {path.name: path.read_text() for path in PAGE.glob("*.js")}


def test_the_pages_modules_import_each_other_in_one_direction():
    imports = {name: set(re.findall(r"from '\./(\w+\.js)'", text)) for name, text in MODULES.items()}
    assert "dom.js" in imports["main.js"]
    graphlib.TopologicalSorter(imports).prepare()
