# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several processes of one server: they share weights, and one that ends is started again."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
import time
from typing import Callable, Dict, List, NoReturn, Optional

from .._exit_codes import FAILED, SUCCESS, code_of
from ..errors import Error
from ._metrics import Board, Metrics
from ._models import Watcher
from ._server import ServerOptions, load_all, run_process

log = logging.getLogger("qcc.serve")

_STOP = (signal.SIGTERM, signal.SIGINT)
_WAITED = {*_STOP, signal.SIGCHLD}
#: A process that ends this soon after its start is no accident.
_EARLY = 5.0
_MOST_EARLY = 5


class Workers:
    """The process that starts the others, and serves nothing itself."""

    def __init__(self, options: ServerOptions, watcher: Watcher, sockets: List[socket.socket]) -> None:
        self.options = options
        self.watcher = watcher
        self.sockets = sockets
        self.board = Board(len(sockets) + 1, len(options.sources))  # The last one is for this process.
        self.metrics = Metrics()
        self.count_starts(0)
        self.pids: Dict[int, int] = {}  # the number of a process by its id
        self.pipes: Dict[int, int] = {}  # for commands to a process, by its number
        self.started: Dict[int, float] = {}
        self.early = 0
        self.ready, self.say_ready = os.pipe()  # a byte for each process that has started
        os.set_blocking(self.ready, False)

    def run(self, started: Callable[[], None]) -> int:
        """Until SIGTERM or SIGINT; the exit code of the server. Calls `started` when all processes serve."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED)
        for number in range(len(self.sockets)):
            self.start(number)
        missing = len(self.sockets)
        while True:
            received = signal.sigtimedwait(_WAITED, 0.02 if missing > 0 else self.options.reload_seconds or 60.0)
            if received is not None and received.si_signo in _STOP:
                return self.stop(SUCCESS)
            if not self.reap():
                return self.stop(FAILED)
            if missing > 0:
                missing -= self.count_ready()
                if missing <= 0:
                    started()
            elif received is None and self.options.reload_seconds:
                for source in self.watcher.changed():
                    self.send(json.dumps([source.name, self.watcher.place(source)]))

    def count_ready(self) -> int:
        """How many processes have started since the last call."""
        try:
            return len(os.read(self.ready, 1024))
        except BlockingIOError:
            return 0

    def count_starts(self, count: int) -> None:
        """Counts processes that are started in place of others."""
        self.metrics.count("qcc_worker_starts_total", count)
        self.board.write(len(self.sockets), self.metrics.dump())

    def tell_ready(self) -> None:
        os.write(self.say_ready, b".")

    def start(self, number: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(write)
            self.work(number, read)
        os.close(read)
        if number in self.pipes:
            os.close(self.pipes[number])
        self.pids[pid], self.pipes[number], self.started[number] = number, write, time.monotonic()

    def work(self, number: int, commands: int) -> NoReturn:
        """In the new process."""
        code = FAILED
        try:
            # Without this, the end of the starting process would not be seen.
            for pipe in self.pipes.values():
                os.close(pipe)
            for index, one in enumerate(self.sockets):
                if index != number:
                    one.close()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED)
            loaded = load_all(self.options, self.watcher)
            self.watcher.close()  # An artifact that is replaced later must not stay in memory.
            run_process(self.options, self.watcher, loaded, self.sockets[number].dup(),
                        self.tell_ready, self.board, number, commands)
            code = SUCCESS
        except Error as error:
            log.error("%s", error)
            code = code_of(error)
        except KeyboardInterrupt:
            code = SUCCESS
        except BaseException:
            log.exception("process %d failed", number)
        finally:
            logging.shutdown()
            os._exit(code)

    def send(self, line: str) -> None:
        for pipe in self.pipes.values():
            try:
                os.write(pipe, line.encode() + b"\n")
            except OSError:  # It has ended, and gets the new snapshot when it is started again.
                pass

    def reap(self) -> bool:
        """Starts processes again that have ended; false if there is no point in that."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return bool(self.pids)
            if pid == 0:
                return True
            number: Optional[int] = self.pids.pop(pid, None)
            if number is None:
                continue
            how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"code {os.WEXITSTATUS(status)}"
            self.early = self.early + 1 if time.monotonic() - self.started[number] < _EARLY else 0
            if self.early >= _MOST_EARLY:
                log.error("process %d ended with %s, as %d did soon after their start; the server stops", number, how,
                          self.early)
                return False
            log.error("process %d ended with %s; another one is started", number, how)
            time.sleep(0.05 * self.early)
            self.count_starts(1)
            self.start(number)

    def stop(self, code: int) -> int:
        for one in self.sockets:
            one.close()
        for pid in self.pids:
            os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + self.options.drain_delay + self.options.drain_timeout + 5
        while self.pids and time.monotonic() < end:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid:
                self.pids.pop(pid, None)
                # One that was starting has no handler of the signal yet.
                if status and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM):
                    code = code or FAILED
            else:
                signal.sigtimedwait({signal.SIGCHLD}, 0.1)
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        return code
