"""Code that the how-to pages quote is code that is built and run."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "HowTo").glob("*.md"))
SUFFIXES = {"c": {".c"}, "cpp": {".cpp", ".hpp"}, "cmake": {".txt"}, "python": {".py"}}


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def example_files(language):
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix in SUFFIXES[language]:
            yield lines_of(path.read_text())


def contains_in_order(lines, quoted):
    """Whether all quoted lines are there, in their order; lines may be left out between them."""
    rest = iter(lines)
    return all(any(line == wanted for line in rest) for wanted in quoted)


def quotes(page):
    # The Python code of FirstModel.md is files that the reader writes.
    languages = "c|cpp|cmake" + ("|python" if page.stem == "Python" else "")
    return re.findall(rf"^```({languages})\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_quotes_are_from_examples(page):
    for language, quote in quotes(page):
        assert any(
            contains_in_order(lines, lines_of(quote)) for lines in example_files(language)
        ), f"{page.name} quotes what no example has:\n{quote}"


def test_embed_quotes_examples():
    assert len(quotes(ROOT / "docs" / "HowTo" / "Embed.md")) >= 10
    assert len(quotes(ROOT / "docs" / "HowTo" / "Python.md")) >= 8


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"],
    ids=lambda page: page.stem,
)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page.name} links {target}"
