"""Code that the how-to pages quote is code that is built and run."""

import pathlib
import re
import subprocess
import sys

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


def anchors_of(page):
    """The names that headings have as targets of links."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ +(.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page", [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md")), ROOT / "emulator" / "README.md"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
        linked = page.parent / target if target else page
        assert linked.exists(), f"{page.name} links {target}"
        assert not anchor or anchor in anchors_of(linked), f"{page.name} links {target}#{anchor}"


def test_every_function_of_the_c_interface_has_a_row():
    rows = re.findall(r"^\| `(qcc\w+)` \|([^|]+)\|([^|]*)\|([^|]*)\|$", (ROOT / "docs" / "CAPI.md").read_text(), re.M)
    names = [name for name, *_ in rows]
    exported = set()
    for library in ("libqcc", "libqcc_runtime"):
        text = (ROOT / "test" / "CAPI" / "Inputs" / f"{library}.symbols").read_text()
        exported |= set(re.findall(r"^(\w+)@@QCC_1", text, re.M))
    assert len(names) == len(set(names))
    assert set(names) == exported
    # Who returns a status can fail, and who does not cannot.
    headers = "".join(path.read_text() for path in (ROOT / "include" / "qcc-c").glob("*.h"))
    for name, threads, _, errors in rows:
        returns_status = re.search(rf"QCC_NODISCARD qccStatus\s+{name}\(", headers) is not None
        assert returns_status or errors.strip().startswith("none"), name
        assert not (returns_status and errors.strip() == "none"), name
        assert threads.split(",")[0].split(";")[0].strip() in ("any", "one", "last"), name


def test_site_has_every_page():
    """The site builds from the pages alone: its menu has all of them, and ops and passes have pages."""
    if not pathlib.Path("/usr/lib/llvm-22/bin/mlir-tblgen").exists():
        pytest.skip("mlir-tblgen is not installed")
    done = subprocess.run([sys.executable, ROOT / "utils" / "build-docs.py", "--pages"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder = pathlib.Path(done.stdout.strip())
    menu = set(re.findall(r"[\w/.-]+\.md", (ROOT / "docs" / "mkdocs.yml").read_text())) - {"index.md"}
    pages = {str(path.relative_to(folder)) for path in folder.rglob("*.md") if path.name != "index.md"}
    assert menu == pages
    assert "### `qnn.linear`" in (folder / "generated" / "QNN.md").read_text()
    assert "### `-select-lowering-config`" in (folder / "generated" / "Passes.md").read_text()


def test_no_name_of_others_is_installed():
    """The name qcc on the registry is another project's; ours are qcc-compiler and qcc-runtime."""
    files = subprocess.run(["git", "ls-files", "*.md", "*.py", "*.cpp", "*.h", "*.sh", "*Containerfile"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split()
    for name in files:
        commands = re.findall(r"pip3? install [^\n`;]*", (ROOT / name).read_text())
        assert not [command for command in commands if re.search(r" qcc(?![\w/-])", command)], name
