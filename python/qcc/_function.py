# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of loaded programs."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import statistics
import time
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, overload

from . import _structures as c
from ._arrays import PLAIN, allocator, borrow, borrow_writable, get_pointer, is_on_gpu, result_type
from ._library import Handle, runtime
from ._names import make_documentation, make_signature, order_arrays, positions_by_name
from ._runs import CancelToken, Run, ThreadPool, run_options, unpack
from ._table import table
from ._types import Results, SupportsDLPack, Tensor, TensorType
from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from ._module import Module

# An object of its own without types of arguments: what it gets are objects of ctypes already, which is faster.
_run = runtime.functions["qccContextRun"]
_run.restype = ctypes.c_void_p


@dataclasses.dataclass(frozen=True)
class ProfiledStep:
    """A step of a function, and the time that it took."""

    name: str  #: such as "main.step0.contract"
    layer: str  #: the name of its layer in the model, or ""
    location: str  #: "file:line:column", or ""
    parallel: bool
    operations: int  #: arithmetic operations; a multiply-add counts two
    bytes: int  #: read and written
    nanoseconds: int  #: the median over the runs


@dataclasses.dataclass(frozen=True)
class Profile:
    """Where the time of a function goes; its text is a table."""

    function: str
    threads: int
    runs: int
    nanoseconds: int  #: of a whole run: the median
    steps: Tuple[ProfiledStep, ...]

    def __str__(self) -> str:
        rows = [("step", "layer", "time", "share", "op/ns", "B/ns")]
        total = sum(step.nanoseconds for step in self.steps) or 1
        for step in self.steps:
            time_of = max(step.nanoseconds, 1)
            rows.append((step.name, step.layer, f"{step.nanoseconds / 1000:.1f} us",
                         f"{100 * step.nanoseconds / total:.1f} %", f"{step.operations / time_of:.1f}",
                         f"{step.bytes / time_of:.1f}"))
        runs = "1 run" if self.runs == 1 else f"{self.runs} runs"
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.function}: {self.nanoseconds / 1000:.1f} us, the median of {runs} on {threads}\n{table(rows)}"


class _Context:
    """What one caller at a time needs to run a function."""

    _stream: Optional[int] = None  # of a GPU

    def __init__(self, function: "Function", profile: bool = False) -> None:
        self._function = function
        options = c.ContextOptions()
        options.threads = function.threads
        options.pool = function.pool.handle.value if function.pool is not None else None
        options.profile = profile
        handle = ctypes.c_void_p()
        runtime.check(runtime.functions.qccContextCreate(
            function.module_handle.value, function.name.encode(), options, ctypes.byref(handle)))
        self.handle = Handle(handle, runtime.functions.qccContextDestroy)
        self._arguments = (ctypes.c_void_p * len(function.arguments))()
        self._results = (ctypes.c_void_p * len(function.results))()
        # What qccContextRun takes, converted once.
        self._call = (handle, ctypes.c_void_p(ctypes.addressof(self._arguments)), ctypes.c_size_t(len(self._arguments)),
                      ctypes.c_void_p(ctypes.addressof(self._results)), ctypes.c_size_t(len(self._results)))
        #: Arguments whose shapes decide those of the results.
        self._dynamic = [index for index, argument in enumerate(function.arguments)
                         if any(isinstance(size, str) for size in argument.shape)]
        #: The shapes of these in the last call, and how results are made then.
        self._planned: Optional[List[Tuple[int, ...]]] = None
        self._allocations: List[Tuple[Callable[..., Any], Tuple[int, ...], Any]] = []

    def run(self, arrays: Sequence[Any], out: Optional[Sequence[Any]], stream: Optional[int] = None,
            options: Optional[c.RunOptions] = None) -> List[Any]:
        """Runs once; the results are new arrays, or those of `out`."""
        held: List[Any] = []
        options = self._prepare(arrays, out, stream, options)
        results = self._bind(arrays, out, held)
        if options is None:
            status = _run(*self._call)
        else:
            status = runtime.functions.qccContextRunWithOptions(*self._call, options)
        if status:
            runtime.check(status)
        return results

    def start(self, arrays: Sequence[Any], out: Optional[Sequence[Any]], options: c.RunOptions,
              token: CancelToken, give_back: Callable[[], None]) -> Run:
        """Starts a run, which calls `give_back` when it has ended and nothing of the context is used any more."""
        self._prepare(arrays, out, None, options)
        held: List[Any] = [arrays]
        results = self._bind(arrays, out, held)
        handle = ctypes.c_void_p()
        runtime.check(runtime.functions.qccContextStart(*self._call, options, None, ctypes.byref(handle)))
        return Run(handle, token, results, held, give_back)

    def _prepare(self, arrays: Sequence[Any], out: Optional[Sequence[Any]], stream: Optional[int],
                 options: Optional[c.RunOptions]) -> Optional[c.RunOptions]:
        """What holds for one run; None where nothing special does."""
        if stream is not None:
            raise InvalidArgumentError("a stream is given, but the function runs on the CPU; give none")
        return options

    def _bind(self, arrays: Sequence[Any], out: Optional[Sequence[Any]], held: List[Any]) -> List[Any]:
        """Puts arguments and results into their slots, and what keeps them alive into `held`; returns the results."""
        self._fill(self._arguments, arrays, self._function.arguments, held)
        if out is None:
            results = self._new_results(arrays)
            self._fill(self._results, results, self._function.results, held)
        else:
            results = list(out)
            if any(array is None for array in results):
                new = self._new_results(arrays)
                results = [fresh if array is None else array for array, fresh in zip(results, new)]
            held.append(self._borrow_results(results))
        return results

    def _fill(self, slots: Any, arrays: Sequence[Any], types: Sequence[TensorType], held: List[Any]) -> None:
        """Puts the addresses of tensors into slots, and what keeps them alive into `held`."""
        index = 0
        for array in arrays:
            try:
                capsule = array.__dlpack__()
                slots[index] = get_pointer(capsule, PLAIN)
            except Exception:  # Whatever it is, the slow way knows what to say.
                slots[index], capsule = self._borrow(array, index, types[index].dtype)
            held.append(capsule)
            index += 1

    def _borrow(self, array: Any, index: int, dtype: str) -> Tuple[int, Any]:
        try:
            return borrow(array, dtype, self._stream)
        except InvalidArgumentError as error:
            name = self._function.arguments[index].name
            told = f"argument {index} ('{name}')" if name else f"argument {index}"
            raise InvalidArgumentError(f"{told} of '{self._function.name}' {error}") from None

    def _borrow_results(self, results: Sequence[Any]) -> List[Any]:
        held = []
        for index, array in enumerate(results):
            try:
                self._results[index], capsule = borrow_writable(array, self._stream)
            except InvalidArgumentError as error:
                raise InvalidArgumentError(f"result {index} of '{self._function.name}' {error}") from None
            held.append(capsule)
        return held

    def _new_results(self, arrays: Sequence[Any]) -> List[Any]:
        try:
            shapes: Optional[List[Tuple[int, ...]]] = [arrays[index].shape for index in self._dynamic]
        except AttributeError:  # DLPack alone says no shape.
            shapes = None
        if shapes is None or shapes != self._planned:
            self._plan()
            self._planned = shapes
        return [allocate(shape, dtype) for allocate, shape, dtype in self._allocations]

    def _plan(self) -> None:
        """Finds out what results are for the arguments in their slots."""
        self._planned = None
        runtime.check(runtime.functions.qccContextPlan(*self._call[:3]))
        allocations = []
        for index, result in enumerate(self._function.results):
            rank = len(result.shape)
            sizes = (ctypes.c_int64 * rank)()
            runtime.check(runtime.functions.qccContextGetResultShape(self.handle.value, index, sizes, rank))
            shape, dtype = tuple(sizes), result_type(result.dtype, index)
            allocations.append((allocator(math.prod(shape) * dtype.itemsize), shape, dtype))
        self._allocations = allocations

    def steps(self) -> List[c.StepInfo]:
        steps = []
        for index in range(self.info().num_steps):
            step = c.StepInfo()
            runtime.check(runtime.functions.qccContextGetStep(self.handle.value, index, step))
            steps.append(step)
        return steps

    def info(self) -> c.ContextInfo:
        info = c.ContextInfo()
        runtime.check(runtime.functions.qccContextGetInfo(self.handle.value, info))
        return info


#: CU_STREAM_LEGACY, the default stream.
_DEFAULT_STREAM = 1


class _DeviceContext(_Context):
    """The same for a function on a GPU, whose tensors may be there.

    Work of other libraries that a tensor waits for is ordered before a stream: the caller's, or the default one, at
    the end of which the run returns.
    """

    def _prepare(self, arrays: Sequence[Any], out: Optional[Sequence[Any]], stream: Optional[int],
                 options: Optional[c.RunOptions]) -> Optional[c.RunOptions]:
        options = c.RunOptions() if options is None else options
        if stream is not None:
            self._stream = stream or _DEFAULT_STREAM
        else:
            # Without tensors there, the run has a stream of its own.
            self._stream = _DEFAULT_STREAM if any(map(is_on_gpu, (*arrays, *(out or ())))) else None
            options.flags = c.RUN_WAIT
        options.stream = self._stream
        return options

    def _fill(self, slots: Any, arrays: Sequence[Any], types: Sequence[TensorType], held: List[Any]) -> None:
        for index, (array, of_type) in enumerate(zip(arrays, types)):
            slots[index], capsule = self._borrow(array, index, of_type.dtype)
            held.append(capsule)


#: A tensor that a call writes its result to.
_Out = TypeVar("_Out", bound=SupportsDLPack)


class Function:
    """A function of a module, which any number of threads may call at once.

    Each call has memory for temporaries of its own, which is kept for later calls, and so are the threads where their
    number was given: such calls run at the same time. Without a number they use the threads of the process, one call
    after the other.

    A function is pickled as its module, its name, its number of threads and its pool. A copy is another function of the
    same module and pool, with memory of its own.
    """

    def __init__(self, module: Module, handle: Handle, name: str, arguments: Tuple[TensorType, ...],
                 results: Tuple[TensorType, ...], threads: int, pool: Optional[ThreadPool] = None) -> None:
        self.module = module  #: what it is a function of
        self.module_handle = handle
        self.name = name
        self.arguments = arguments  #: the tensors that a call takes, in order
        self.results = results  #: the tensors that a call gives, in order
        self.threads = threads  #: how many threads a run uses; 0 is all of the pool
        self.pool = pool  #: whose threads they are; None: the process's, or the function's own
        context = _Context(self)
        self.device = context.info().device.decode()  #: what runs it: "cpu", or a GPU such as "cuda:0"
        self._context_type = _Context if self.device == "cpu" else _DeviceContext
        self._idle = [context if self.device == "cpu" else _DeviceContext(self)]
        self.positions = positions_by_name(arguments)  #: of arguments that a call can give by name
        self.__signature__ = make_signature(arguments, results)
        self.__doc__ = make_documentation(self)

    def __copy__(self) -> "Function":
        return Function(self.module, self.module_handle, self.name, self.arguments, self.results, self.threads,
                        self.pool)

    def __deepcopy__(self, memo: Any) -> "Function":
        return self.__copy__()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickle, (self.module, self.name, self.threads, self.pool)

    @overload
    def __call__(self, /, *arrays: Tensor, out: None = None, stream: Optional[int] = None,
                 timeout: Optional[float] = None, cancel: Optional[CancelToken] = None, **named: Tensor) -> Results: ...

    @overload
    def __call__(self, /, *arrays: Tensor, out: _Out, stream: Optional[int] = None, timeout: Optional[float] = None,
                 cancel: Optional[CancelToken] = None, **named: Tensor) -> _Out: ...

    @overload
    def __call__(self, /, *arrays: Tensor, out: Union[List[Any], Tuple[Any, ...], Mapping[str, Any]],
                 stream: Optional[int] = None, timeout: Optional[float] = None,
                 cancel: Optional[CancelToken] = None, **named: Tensor) -> Any: ...

    def __call__(self, /, *arrays: Tensor, out: Any = None, stream: Optional[int] = None,
                 timeout: Optional[float] = None, cancel: Optional[CancelToken] = None, **named: Tensor) -> Any:
        """Runs the function.

        Args:
            arrays: one for each of `arguments`, with its shape and element type: numpy arrays, or tensors of host
                memory of any library that has DLPack (torch, jax). Their memory is read in place, so they must be
                compact and row-major. A number of Python is an argument without dimensions.
            named: arrays by the names of their arguments. A name that is no identifier of Python is a key of a
                mapping: `function(**{"input.1": x})`. The names of options below always mean the options; give
                arguments with these names by position.
            out: memory for the results: an array for one result, a sequence of arrays for several, or a mapping from
                names of results. A result that it leaves out, or gives as None, is a new numpy array, which other
                libraries take over without a copy (`torch.from_dlpack`). The array may be that of the argument
                `in_place_argument` of the result, which then goes on in its memory.
            stream: of a function on a GPU: the CUstream that the run follows, as a number; 0 and 1 are the default
                one. If all tensors are on the GPU, the call returns before the run ends; wait for the stream. None:
                the call returns at the end.
            timeout: how many seconds the run may take; None is no limit.
            cancel: what ends the run when another thread calls its `cancel()`.

        Returns:
            The result, or a tuple of the results where there is not exactly one.

        Raises:
            InvalidArgumentError: the number, a name, a shape, an element type or the layout of arrays is not what the
                function takes.
            KernelFailedError: the program cannot run with these shapes.
            OutOfMemoryError: there is no memory for temporaries or results.
            TimedOutError, CancelledError: the run ended early. What is in `out` is undefined then.
        """
        if named or len(arrays) != len(self.arguments):
            arrays = order_arrays(self, arrays, named)
        given = None if out is None else self._given(out)
        options = None if timeout is None and cancel is None else run_options(timeout, cancel)
        context = self._take_context()
        try:
            results = context.run(arrays, given, stream, options)
        finally:
            self._idle.append(context)
        return unpack(results)

    def start(self, /, *arrays: Tensor, out: Any = None, timeout: Optional[float] = None,
              cancel: Optional[CancelToken] = None, **named: Tensor) -> Run:
        """Starts a run, which goes on while the caller does something else.

        Args:
            arrays, named, out: as in a call. They must not be changed, nor `out` be read, until the run has ended.
            timeout, cancel: as in a call.

        Returns:
            What can be waited for and cancelled, and gives the results; in a coroutine, `await` gives them.

        Raises:
            InvalidArgumentError: as in a call.
        """
        if named or len(arrays) != len(self.arguments):
            arrays = order_arrays(self, arrays, named, "start")
        given = None if out is None else self._given(out)
        token = CancelToken() if cancel is None else cancel
        options = run_options(timeout, token)
        context = self._take_context()
        try:
            return context.start(arrays, given, options, token, lambda: self._idle.append(context))
        except BaseException:
            self._idle.append(context)
            raise

    def _take_context(self) -> _Context:
        try:
            return self._idle.pop()
        except IndexError:
            return self._context_type(self)

    def _given(self, out: Any) -> Sequence[Any]:
        if isinstance(out, Mapping):
            names = [result.name for result in self.results]
            for name in out:
                if not name or names.count(name) != 1:
                    raise InvalidArgumentError(f"out has memory for '{name}', but {self} has no one result of that name")
            return [out.get(name) if name else None for name in names]
        given = tuple(out) if isinstance(out, (list, tuple)) else (out,)
        if len(given) != len(self.results):
            raise InvalidArgumentError(f"{self} has {len(self.results)} results, but out has {len(given)}")
        return given

    def profile(self, /, *arrays: Tensor, runs: int = 10, out: Any = None, **named: Tensor) -> Profile:
        """Runs the function once to warm up and `runs` times more, and measures each step.

        Args:
            arrays, named, out: as in a call. `runs` always means the option.
            runs: at least 1.

        Raises:
            What a call raises.
        """
        if named or len(arrays) != len(self.arguments):
            arrays = order_arrays(self, arrays, named, "profile")
        if runs < 1:
            raise InvalidArgumentError(f"runs is {runs}, but it must be at least 1")
        context = self._context_type(self, profile=True)
        results = context.run(arrays, None if out is None else self._given(out), None)
        totals, times = [], []
        for _ in range(runs):
            start = time.perf_counter_ns()
            context.run(arrays, results, None)
            totals.append(time.perf_counter_ns() - start)
            times.append([step.nanoseconds for step in context.steps()])
        medians = [int(statistics.median(of_step)) for of_step in zip(*times)]
        steps = tuple(
            ProfiledStep(step.name.decode(), step.layer.decode(), step.location.decode(), step.parallel,
                         step.operations, step.bytes, median)
            for step, median in zip(context.steps(), medians))
        return Profile(self.name, context.info().threads, runs, int(statistics.median(totals)), steps)

    def __str__(self) -> str:
        arguments = ", ".join(str(argument) for argument in self.arguments)
        results = ", ".join(str(result) for result in self.results)
        return f"{self.name}({arguments}) -> ({results})"

    def __repr__(self) -> str:
        return f"<qcc.Function {self}>"


def _unpickle(module: Module, name: str, threads: int, pool: Optional[ThreadPool]) -> Function:
    """The function of a pickle. Pickles name this function."""
    return module.function(name, threads=threads, pool=pool)
