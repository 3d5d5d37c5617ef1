"""Imports ONNX models with `qcc compile --emit=import`, and says what became of them."""

import subprocess

import program


def import_model(data, folder, name="model.onnx"):
    """(whether the model was imported, the messages) of bytes or a ModelProto; a crash is an error of the test."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.SerializeToString())
    done = subprocess.run([str(program.qcc()), "compile", str(path), "--emit=import", "-o", "-"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 3), f"exit code {done.returncode}: {done.stderr}"
    assert (done.returncode == 0) == ("error: " not in done.stderr), done.stderr
    return done.returncode == 0, done.stderr


def refusal(data, folder):
    """The messages of a model that has to be refused."""
    accepted, messages = import_model(data, folder)
    assert not accepted, "the model was imported"
    return messages
