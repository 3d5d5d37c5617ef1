"""Runs a command whose standard output goes nowhere: `full`, to a full disk, or `pipe`, to a pipe that nobody
reads. Prints the exit code and the messages of the command."""

import os
import subprocess
import sys

if sys.argv[1] == "full":
    target = os.open("/dev/full", os.O_WRONLY)
else:
    reader, target = os.pipe()
    os.close(reader)
done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=target, stderr=subprocess.PIPE, text=True)
print(f"exit code {done.returncode}\n{done.stderr}", end="")
