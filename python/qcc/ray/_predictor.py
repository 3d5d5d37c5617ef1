# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batch jobs of Ray Data."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .._module import Module
from ..errors import InvalidArgumentError, UnsupportedError
from ..serve._models import BatchOptions
from ..serve._signature import aligned
from ._artifact import Artifact, as_artifact

Array = Any


class Predictor:
    """Runs a program on the batches of a data set.

        artifact = qcc.ray.Artifact("classifier.so")
        ds = ds.map_batches(qcc.ray.Predictor, fn_constructor_args=[artifact], batch_size=1024,
                            compute=ray.data.ActorPoolStrategy(size=4))

    The columns of the data set that have the names of the program's arguments are its inputs. The result has a column for
    each result of the program. Arguments without names are `input0`, `input1` and so on, results `output0` and so on. A
    column of shape (rows, ...) is an argument of this shape, and its elements have the type of the argument.

    No result depends on `batch_size`, on the blocks of the data set, or on the number of actors: a program whose rows
    depend on the other rows of a batch is refused.
    """

    def __init__(self, artifact: "Union[str, os.PathLike[str], Artifact, Module]", *, keep: Sequence[str] = (),
                 threads: int = 1, device: Optional[str] = None, public_key: Optional[str] = None,
                 share_weights: bool = True) -> None:
        """
        Args:
            artifact: what runs: an `Artifact`, or a path, also FILE:FUNCTION, of a file that each node has.
            keep: the names of columns that go from the data set to the result, such as a key.
            threads: threads of a run; give map_batches the same number as num_cpus.
            device: what runs the program: None or "cpu", "cuda" or "cuda:N". Give map_batches num_gpus.
            public_key: load only an artifact that has a signature of this key, 64 hexadecimal digits.
            share_weights: leave weights in the pages of the file, which all processes of a node share. Without this, each
                copies weights of 8 MiB and more to larger pages, which is faster.

        Raises:
            InvalidArgumentError: the program cannot be applied to rows, or a name of `keep` is also one of a result.
            UnsupportedError: a result is bfloat16, which Arrow lacks, or this node cannot run the program.
            NotFoundError: there is no such file or function, or a node can no longer get the bytes.
            CorruptArtifactError, UntrustedError: the artifact is damaged, or lacks the signature.
        """
        known = as_artifact(artifact, share=False)
        name = os.path.splitext(os.path.basename(known.stored.path))[0]
        options = BatchOptions(max_batch=2, threads=threads, device=device, public_key=public_key, shared=share_weights)
        loaded = known.stored.load(name, known.file(), options)
        self._function, self._signature = loaded.function, loaded.signature
        self._keep = tuple(keep)
        outputs = [tensor.name for tensor in self._signature.outputs]
        for column in self._keep:
            if column in outputs:
                raise InvalidArgumentError(f"the column '{column}' cannot be kept, because a result has this name; rename it "
                                           "by Dataset.rename_columns")
        for tensor in self._signature.outputs:
            if tensor.dtype.kind == "V":
                raise UnsupportedError(f"result '{tensor.name}' is {tensor.dtype}, which columns cannot be; compile a program "
                                       "whose result is float32")
        self._rows_of_run = self._find_rows_of_run(loaded.unbatched)

    def _find_rows_of_run(self, unbatched: str) -> Optional[int]:
        """How many rows a run takes; None is any number. Raises InvalidArgumentError if the program has no rows."""
        if not unbatched:
            return None
        tensors = self._signature.inputs + self._signature.outputs
        sizes = {tensor.shape[0] if tensor.shape else None for tensor in tensors}
        size = sizes.pop() if len(sizes) == 1 and self._signature.inputs and self._signature.outputs else None
        if isinstance(size, int) and size > 0:
            return size
        raise InvalidArgumentError(f"the program cannot be applied to the rows of a data set: {unbatched}; compile one whose "
                                   "leading dimension is the batch")

    def __call__(self, batch: Mapping[str, Array]) -> Dict[str, Array]:
        """The results for a batch: arrays of numpy by the names of columns, with as many rows as the batch.

        Args:
            batch: arrays of shape (rows, ...) by the names of columns, which is the format "numpy" of Ray Data.

        Raises:
            InvalidArgumentError: a column is missing, or does not fit to the program; or the number of rows is not a
                multiple of the leading dimension, of a program that has a static one.
            What a call of the function raises.
        """
        if not isinstance(batch, Mapping):
            raise InvalidArgumentError(f"the batch is {type(batch).__name__}, but it must have arrays by names; give map_batches "
                                       "batch_format=\"numpy\"")
        arrays = [self._column(batch, tensor.name) for tensor in self._signature.inputs]
        results = self._run(arrays)
        columns = {name: _existing(batch, name) for name in self._keep}
        columns.update(zip([tensor.name for tensor in self._signature.outputs], results))
        return columns

    @staticmethod
    def _column(batch: Mapping[str, Array], name: str) -> Array:
        array = _existing(batch, name)
        if isinstance(array, np.ndarray) and array.dtype.kind == "O":
            raise InvalidArgumentError(f"the rows of column '{name}' differ in shape, or are no numbers; make them tensors of "
                                       "one shape")
        return array

    def _run(self, arrays: Sequence[Array]) -> Sequence[Array]:
        rows = arrays[0].shape[0] if arrays[0].ndim else 0
        size = self._rows_of_run
        if size is None:
            return self._run_once(arrays)
        if rows % size:
            raise InvalidArgumentError(f"the batch has {rows} rows, but a run takes {size}; give a batch_size and a number of "
                                       f"rows that are multiples of {size}, or compile with a dynamic leading dimension")
        parts: List[Tuple[Array, ...]] = [self._run_once([array[begin:begin + size] for array in arrays])
                                          for begin in range(0, rows, size)]
        if not parts:
            return [np.empty([0, *(0 if isinstance(extent, str) else extent for extent in tensor.shape[1:])], tensor.dtype)
                    for tensor in self._signature.outputs]
        return [np.concatenate(results) for results in zip(*parts)]

    def _run_once(self, arrays: Sequence[Array]) -> Tuple[Array, ...]:
        self._signature.check(arrays, sys.maxsize)
        results = self._function(*map(aligned, arrays))
        return results if isinstance(results, tuple) else (results,)


def _existing(batch: Mapping[str, Array], name: str) -> Array:
    if name not in batch:
        raise InvalidArgumentError(f"the data set has no column '{name}'; it has {', '.join(map(str, batch))}; rename one by "
                                   "Dataset.rename_columns")
    return batch[name]
