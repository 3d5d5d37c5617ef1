"""check-prose.py [--list]: finds prose that readers would have to decode, in documentation, comments and messages.

Prints file, line and reason for each place; the exit code is 1 if there is one. CONTRIBUTING.md says how text is written.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_WORDS = 30
SUFFIXES = {".md", ".h", ".hpp", ".cpp", ".td", ".c"}

# (pattern, reason), in all prose.
PATTERNS = [
    (r"(?:^|[.:;] )(?:That|Those) of\b", "'that of' begins the sentence; repeat the noun"),
    (r"\bis none\b", "'is none'; say what it is not"),
    (r"\b(?:[Ll]ikewise|[Ss]o it is with)\b", "repeat what holds"),
    (r"\b(?:obstacles?|complaints?)\b", "say 'reason'"),
    (r"\bhow many these are\b", "say 'the number of'"),
]
# Their sentences are formulas, which are longer.
FORMULAS = {"docs/Numerics.md"}
TITLE = re.compile(r"^//===- \S+ - What\b|^# What (?!is stable)")


def files():
    folders = ("benchmarks", "docs", "emulator", "examples", "include", "lib", "test", "tools")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")] + list(ROOT.glob("*.md"))
    names = [path.relative_to(ROOT).as_posix() for path in paths if path.suffix in SUFFIXES]
    return sorted(name for name in names if "/Inputs/" not in name)


def paragraphs_of_page(lines):
    """(number of the first line, text) of each paragraph; tables and code are left out."""
    block, start, is_code = [], 0, False
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("```"):
            is_code = not is_code
        text = "" if is_code or line.startswith(("```", "|", "#", "<", "    ")) else line.strip()
        begins = re.match(r"[*-] |\d+\. ", text)
        if block and (not text or begins):
            yield start, " ".join(block)
            block = []
        if text:
            if not block:
                start = number
            block.append(re.sub(r"^(?:[*-]|\d+\.) ", "", text))


def paragraphs_of_code(lines):
    """The same of comments."""
    block, start = [], 0
    for number, line in enumerate([*lines, ""], 1):
        match = re.match(r"\s*//[/!]?<? ?(.*)$", line)
        text = match.group(1) if match else ""
        # Lines that are set in are code or tables.
        if not text.strip() or text.startswith(("  ", "===")) or re.match(r"[=*-]{3,}", text):
            if block:
                yield start, " ".join(block)
            block = []
            continue
        if not block:
            start = number
        block.append(text.strip())


def sentences(text):
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.split(r"(?<=[.!?:;]) +", text)


def check(name):
    lines = (ROOT / name).read_text(errors="replace").splitlines()
    if lines and TITLE.search(lines[0]):
        yield 1, "the title begins with 'What'; name the subject"
    is_page = name.endswith(".md")
    counts_words = name not in FORMULAS and (is_page or name.startswith("include/"))
    for number, text in (paragraphs_of_page if is_page else paragraphs_of_code)(lines):
        for pattern, reason in PATTERNS:
            for match in re.finditer(pattern, text):
                yield number, f"{reason}: ...{text[max(0, match.start() - 20):match.end() + 30]}..."
        for sentence in sentences(text) if counts_words else []:
            words = len(re.findall(r"[\w'`-]*\w[\w'`-]*", sentence))
            if words > MOST_WORDS:
                yield number, f"{words} words in a sentence: {sentence[:60]}..."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    found = 0
    for name in files():
        for number, reason in check(name):
            print(f"{name}:{number}: {reason}")
            found += 1
    sys.exit(f"{found} places" if found else 0)


if __name__ == "__main__":
    main()
