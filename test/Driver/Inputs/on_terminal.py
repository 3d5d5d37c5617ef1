"""on_terminal.py COLUMNS COMMAND...: runs it on a terminal; prints what it wrote, erased lines apart."""

import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(COLUMNS=sys.argv[1], TERM="xterm")
    os.execvp(sys.argv[2], sys.argv[2:])
written = b""
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:  # the other end is closed
        break
    if not data:
        break
    written += data
print(repr(written.decode()).replace("\\x1b[K", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
