"""Models with one change against ONNX's own checker and its strict shape inference: what these reject is refused.

Each refusal names a node or a part of the model, also of those that the checker takes.

QCC_ONNX_MUTANTS says how many; docs/Testing.md has the command for 2,000, and for published models.
"""

import collections
import os
import pathlib
import re

import onnx
import pytest

import onnx_mutants
from onnx_import import import_model

COUNT = int(os.environ.get("QCC_ONNX_MUTANTS") or 160)
PUBLISHED = os.environ.get("QCC_ONNX_MODELS")  # a folder with *.onnx
SHARDS = 8

#: What ONNX rejects and qcc takes, and why: parts of the messages of ONNX.
TAKEN = {
    "must be topologically sorted": "some converters append nodes at the end, so that the importer orders nodes itself",
}

#: How messages begin; a message of another pass would speak of what the importer made.
NAMED = re.compile(r"error: (node '|the (op|input|output|constant|model|function)\b)")


def verdict(model):
    """Why ONNX rejects a model, or None. What `value_info` says of inner values is left out: qcc does not read it."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    try:
        onnx.checker.check_model(bare, full_check=True)
    except Exception as error:  # ONNX raises several kinds
        return str(error)
    return None


def try_mutants(model, name, seeds, folder, counts):
    """The mutants that ONNX rejects, or that are certainly wrong, and that were imported; those whose refusal names nothing."""
    wrong = []
    for seed in seeds:
        mutant = onnx_mutants.mutant(model, seed)
        reason = verdict(mutant.model)
        accepted, messages = import_model(mutant.model, folder)
        is_bad = mutant.is_certain or reason is not None
        counts[("rejected" if is_bad else "valid") + (", imported" if accepted else ", refused")] += 1
        wrong += [f"{name}, seed {seed}: {mutant.change}\n    qcc: {line}" for line in messages.splitlines()
                  if "error: " in line and not NAMED.search(line)]
        if not accepted or not is_bad:
            continue
        why = next((why for part, why in TAKEN.items() if reason and re.search(part, reason)), None)
        if why is None:
            wrong.append(f"{name}, seed {seed}: {mutant.change}\n    ONNX: {reason}")
    return wrong


def test_the_networks_are_imported(tmp_path, compiler):
    for make in onnx_mutants.NETWORKS:
        model = make()
        assert verdict(model) is None, make.__name__
        accepted, messages = import_model(model, tmp_path)
        assert accepted, f"{make.__name__}: {messages}"


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutants(shard, tmp_path, compiler):
    counts, wrong = collections.Counter(), []
    make = onnx_mutants.NETWORKS[shard]
    wrong = try_mutants(make(), make.__name__, range(COUNT // SHARDS), tmp_path, counts)
    print(f"{make.__name__}: {dict(counts)}")
    assert not wrong, "\n".join(wrong)
    assert counts["rejected, refused"] > COUNT // SHARDS / 10


@pytest.mark.skipif(not PUBLISHED, reason="QCC_ONNX_MODELS names no folder of models")
def test_mutants_of_published_models(tmp_path, compiler):
    paths = sorted(pathlib.Path(PUBLISHED).glob("*.onnx"))
    assert paths
    counts, wrong = collections.Counter(), []
    for path in paths:
        wrong += try_mutants(onnx.load(path), path.name, range(COUNT // len(paths)), tmp_path, counts)
    print(dict(counts))
    assert not wrong, "\n".join(wrong)
