# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calibration data: samples of the inputs of a model, read one at a time.

A sample is a dictionary: an array for each input of the model, by name. A source can be read any number of times.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import math
import os
import zipfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .._options import UsageError
from ..errors import InvalidArgumentError, NotFoundError

Sample = Dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Input:
    """An input of a model."""

    name: str
    dtype: Any  #: of numpy
    shape: Tuple[Union[int, str], ...]  #: a dimension without a size has a name, which may be ""

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(str(size) or '?' for size in self.shape)}]"


@dataclasses.dataclass(frozen=True)
class Data:
    """A source of samples."""

    description: str
    inputs: Tuple[Input, ...]
    read: Callable[[], Iterator[Sample]]  #: the samples, from the first one on
    most: int  #: how many samples are read at most
    random: bool = False

    def __iter__(self) -> Iterator[Sample]:
        """The samples, each checked against the inputs.

        Raises:
            InvalidArgumentError: a sample does not fit, or there is none.
        """
        count = 0
        for sample in itertools.islice(self.read(), self.most):
            yield _checked(sample, self.inputs, f"sample {count} of {self.description}")
            count += 1
        if not count:
            raise InvalidArgumentError(f"{self.description} has no samples; calibration needs at least one")

    def first(self) -> Sample:
        return next(iter(self))

    def limited(self, most: int) -> "Data":
        """The first samples of this source."""
        return dataclasses.replace(self, most=min(most, self.most))


def _checked(sample: Any, inputs: Sequence[Input], what: str) -> Sample:
    if not isinstance(sample, Mapping):
        raise InvalidArgumentError(f"{what} is of type {type(sample).__name__}; it must be a dictionary of arrays by "
                                   "the names of inputs")
    names = [given.name for given in inputs]
    if set(sample) != set(names):
        raise InvalidArgumentError(f"{what} has arrays for {', '.join(map(repr, sorted(sample))) or 'no input'}; the "
                                   f"model has the inputs {', '.join(map(repr, names))}")
    return {given.name: _fit(np.asarray(sample[given.name]), given, what) for given in inputs}


def _fit(array: Any, given: Input, what: str) -> Any:
    """The array of an input, with its element type."""
    expected = np.dtype(given.dtype)
    if array.dtype != expected:
        if not np.can_cast(array.dtype, expected, "same_kind"):
            raise InvalidArgumentError(f"{what} has elements of type {array.dtype} for the input '{given.name}', which "
                                       f"takes {expected}")
        array = array.astype(expected)
    fits = array.ndim == len(given.shape) and all(
        isinstance(size, str) or size == actual for size, actual in zip(given.shape, array.shape))
    if not fits:
        raise InvalidArgumentError(f"{what} has an array of shape {list(array.shape)} for the input '{given.name}', "
                                   f"which takes {given}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidArgumentError(f"{what} has infinities or NaNs for the input '{given.name}'; ranges would be "
                                   "worthless")
    return np.asarray(array, order="C")  # Unlike ascontiguousarray, it keeps a number one.


class _Rows:
    """An array in a .npz file, read some rows at a time."""

    def __init__(self, archive: zipfile.ZipFile, member: str, path: str) -> None:
        self._file, name = archive.open(member), member[:-len(".npy")]
        version = np.lib.format.read_magic(self._file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        self.shape, fortran, self.dtype = read(self._file)
        if self.dtype.hasobject:
            raise InvalidArgumentError(f"the array '{name}' of '{path}' has Python objects; save numbers")
        if not self.shape:
            raise InvalidArgumentError(f"the array '{name}' of '{path}' has no dimensions; its first one must count "
                                       "samples")
        self._whole: Any = None
        if fortran and len(self.shape) > 1:  # Rows are not side by side.
            data = np.frombuffer(self._file.read(), self.dtype)
            self._whole = iter(data.reshape(self.shape[::-1]).transpose())

    def read(self, count: int) -> Any:
        if self._whole is not None:
            return np.stack(list(itertools.islice(self._whole, count)))
        shape = (count, *self.shape[1:])
        size = math.prod(shape) * self.dtype.itemsize
        data = self._file.read(size)
        if len(data) != size:
            raise ValueError("it ends early")
        return np.frombuffer(data, self.dtype).reshape(shape)


def _rows_of_sample(shape: Tuple[int, ...], given: Input, path: str) -> Tuple[int, bool]:
    """How many rows of an array make a sample, and whether the sample keeps the first dimension."""
    rank = len(given.shape)
    if len(shape) == rank + 1:
        return 1, False
    if len(shape) == rank and rank:
        batch = given.shape[0]
        return (1 if isinstance(batch, str) else batch), True
    raise InvalidArgumentError(f"the array '{given.name}' of '{path}' has the shape {list(shape)}; the model takes "
                               f"{given}, and the first dimension of the array counts samples")


def _read_npz(path: str, inputs: Sequence[Input]) -> Iterator[Sample]:
    """Samples of arrays whose first dimension counts them."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name[:-len(".npy")]: name for name in archive.namelist() if name.endswith(".npy")}
            names = [given.name for given in inputs]
            if set(members) != set(names):
                raise InvalidArgumentError(f"'{path}' has the arrays {', '.join(map(repr, sorted(members)))}; the "
                                           f"model has the inputs {', '.join(map(repr, names))}")
            arrays = {given.name: _Rows(archive, members[given.name], path) for given in inputs}
            rows = {given.name: _rows_of_sample(arrays[given.name].shape, given, path) for given in inputs}
            counts = {name: array.shape[0] // rows[name][0] for name, array in arrays.items()}
            if len(set(counts.values())) > 1:
                text = ", ".join(f"{count} for '{name}'" for name, count in counts.items())
                raise InvalidArgumentError(f"'{path}' has different numbers of samples: {text}")
            for _ in range(min(counts.values(), default=0)):
                sample = {}
                for name, array in arrays.items():
                    count, keeps = rows[name]
                    values = array.read(count)
                    sample[name] = values if keeps else values[0]
                yield sample
    except (zipfile.BadZipFile, EOFError, ValueError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"'{path}' is no .npz file, or it is damaged ({error})") from None


def _read_folder(folder: str, files: Sequence[str], inputs: Sequence[Input]) -> Iterator[Sample]:
    """A sample of each file."""
    for name in files:
        path = os.path.join(folder, name)
        try:
            loaded = np.load(path, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                sample = {inputs[0].name: loaded}
            else:
                sample = {key: loaded[key] for key in loaded.files}
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise InvalidArgumentError(f"'{path}' cannot be read ({error})") from None
        yield _checked(sample, inputs, f"'{path}'")


def load_script(path: str, function: str, purpose: str) -> Callable[..., Any]:
    """A function of a Python script.

    Raises:
        InvalidArgumentError: the script fails, or has no such function.
    """
    spec = importlib.util.spec_from_file_location("qcc_quantize_script", path)
    if spec is None or spec.loader is None:
        raise InvalidArgumentError(f"'{path}' is no Python script; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InvalidArgumentError(f"the script '{path}' fails ({type(error).__name__}: {error})") from error
    found = getattr(module, function, None)
    if not callable(found):
        raise InvalidArgumentError(f"the script '{path}' has no function {function}(), which {purpose}")
    return found  # type: ignore[no-any-return]


def _read_script(path: str, samples: Callable[[], Any]) -> Iterator[Sample]:
    try:
        yield from samples()
    except Exception as error:
        raise InvalidArgumentError(f"samples() of '{path}' fails ({type(error).__name__}: {error})") from error


def _read_random(inputs: Sequence[Input], shapes: Mapping[str, Tuple[int, ...]], seed: int) -> Iterator[Sample]:
    """Floats in [0, 1), integers that are 0 or 1."""
    random = np.random.default_rng(seed)
    while True:
        yield {given.name: random.random(shapes[given.name]).astype(given.dtype) if np.dtype(given.dtype).kind == "f"
               else random.integers(0, 2, shapes[given.name]).astype(given.dtype) for given in inputs}


def _random(text: str, inputs: Tuple[Input, ...], dims: Mapping[str, int], most: int) -> Data:
    numbers = text.split(":")[1:]
    if len(numbers) > 2 or not all(number.isdigit() for number in numbers):
        raise InvalidArgumentError(f"'{text}' must be random, random:SEED or random:SEED:N")
    seed = int(numbers[0]) if numbers else 0
    count = int(numbers[1]) if len(numbers) > 1 else 32
    shapes = {}
    for given in inputs:
        sizes = []
        for axis, size in enumerate(given.shape):
            known = dims.get(f"{given.name}:{axis}", dims.get(size)) if isinstance(size, str) else size
            if known is None:
                name = f"'{size}'" if size else str(axis)
                raise InvalidArgumentError(f"dimension {name} of the input '{given.name}' has no size, which random "
                                           f"data needs; give it as --dim={size or f'{given.name}:{axis}'}=N")
            if not known:
                raise InvalidArgumentError(f"dimension {axis} of the input '{given.name}' has the size 0, so random "
                                           "data has no values; give a size above 0")
            sizes.append(known)
        shapes[given.name] = tuple(sizes)
    return Data(f"random data of seed {seed}", inputs, lambda: _read_random(inputs, shapes, seed), min(count, most),
                random=True)


def _check_dims(inputs: Tuple[Input, ...], dims: Mapping[str, int]) -> None:
    dynamic = [(given.name, axis, size) for given in inputs for axis, size in enumerate(given.shape) if isinstance(size, str)]
    known = {f"{name}:{axis}" for name, axis, _ in dynamic} | {size for _, _, size in dynamic}
    for name in dims:
        if name not in known:
            named = ", ".join(dict.fromkeys(size or f"{of}:{axis}" for of, axis, size in dynamic))
            raise UsageError(f"'--dim={name}={dims[name]}': the model has no dimension '{name}'; " +
                             (f"it has: {named}" if named else "none of its dimensions is dynamic"))


def open_data(text: str, inputs: Sequence[Input], most: int = 300, dims: Optional[Mapping[str, int]] = None) -> Data:
    """The source that --data names: a .npz file, a folder, a script, or `random[:SEED[:N]]`.

    Args:
        text: as on the command line.
        inputs: of the model.
        most: how many samples are read at most.
        dims: sizes of dimensions for random data, by the name of the dimension or as INPUT:AXIS.

    Raises:
        NotFoundError: there is no such file.
        InvalidArgumentError: the file is none of these, or does not fit to the inputs.
        UsageError: the model has no dimension of a name.
    """
    of_model = tuple(inputs)
    _check_dims(of_model, dims or {})
    if text == "random" or text.startswith("random:"):
        return _random(text, of_model, dims or {}, most)
    if not os.path.exists(text):
        raise NotFoundError(f"'{text}' does not exist; --data takes a .npz file, a folder of .npz or .npy files, a "
                            "Python script, or random")
    if os.path.isdir(text):
        return _folder(text, of_model, most)
    if text.endswith(".npz"):
        return Data(f"'{text}'", of_model, lambda: _read_npz(text, of_model), most)
    if text.endswith(".py"):
        samples = load_script(text, "samples", "yields a dictionary of arrays for each sample")
        return Data(f"'{text}'", of_model, lambda: _read_script(text, samples), most)
    raise InvalidArgumentError(f"'{text}' has another kind of name; --data takes a .npz file, a folder of .npz or .npy "
                               "files, a Python script, or random")


def _folder(text: str, inputs: Tuple[Input, ...], most: int) -> Data:
    files: List[str] = sorted(name for name in os.listdir(text) if name.endswith((".npz", ".npy")))
    if not files:
        raise InvalidArgumentError(f"the folder '{text}' has no .npz or .npy files")
    single = next((name for name in files if name.endswith(".npy")), None)
    if single is not None and len(inputs) != 1:
        raise InvalidArgumentError(f"'{os.path.join(text, single)}' has one array, but the model has {len(inputs)} "
                                   "inputs; save each sample as a .npz file")
    return Data(f"the folder '{text}'", inputs, lambda: _read_folder(text, files, inputs), most)
