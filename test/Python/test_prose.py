"""utils/check-prose.py finds what it should, and only that."""

import importlib.util
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _load():
    spec = importlib.util.spec_from_file_location("check_prose", ROOT / "utils" / "check-prose.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


prose = _load()
LONG = " ".join(["word"] * 31)


def found(tmp_path, monkeypatch, name, text):
    """Line and reason of each place in a file."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    return list(prose.check(name))


@pytest.mark.parametrize("name, text, line, reason", [
    ("lib/A.h", "//===- A.h - What a thing is ---*- C++ -*-===//\n", 1, "the title begins"),
    ("docs/A.md", "# What a thing is\n", 1, "the title begins"),
    ("lib/A.h", "int a;\n/// The first. Those of a\n/// thread come later.\n", 2, "begins the sentence"),
    ("lib/A.cpp", "  // Null if there is\n  // none.\n", 1, "'is none'"),
    ("docs/A.md", "# A\n\nOne thing.\nLikewise the other.\n", 3, "repeat what holds"),
    ("docs/A.md", "* An obstacle.\n", 1, "say 'reason'"),
    ("docs/A.md", f"# A\n\nShort.\n\n{LONG}.\n", 5, "31 words"),
    ("include/A.h", f"/// {LONG}.\nint a;\n", 1, "31 words"),
])
def test_finds(tmp_path, monkeypatch, name, text, line, reason):
    places = found(tmp_path, monkeypatch, name, text)
    assert len(places) == 1, places
    assert places[0][0] == line and reason in places[0][1]


@pytest.mark.parametrize("name, text", [
    ("docs/A.md", f"# A\n\n```\n{LONG}\n```\n"),  # code
    ("docs/A.md", f"| a |\n| --- |\n| {LONG} |\n"),  # a table
    ("docs/A.md", f"See `{LONG}` and [x]({LONG.replace(' ', '-')}).\n"),
    ("docs/A.md", "* " + "\n* ".join(["word"] * 40) + "\n"),  # a list is no sentence
    ("lib/A.h", f"/// {LONG}.\nint a;\n"),  # sentences of sources are not counted
    ("include/A.h", f"/// A table:\n///   {LONG}\nint a;\n"),
    ("docs/Numerics.md", f"{LONG}.\n"),
    ("lib/A.cpp", "const char *obstacle = \"likewise\"; // A name.\n"),
])
def test_takes(tmp_path, monkeypatch, name, text):
    assert not found(tmp_path, monkeypatch, name, text)


def test_the_tree_is_clean():
    done = subprocess.run(["python3", str(ROOT / "utils" / "check-prose.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
