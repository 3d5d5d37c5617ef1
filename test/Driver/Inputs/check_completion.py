"""Every option that the help of a command shows is in the completion of every shell, and the scripts are well formed."""

import re
import subprocess


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


scripts = {shell: output("qcc", "completion", shell) for shell in ("bash", "zsh", "fish")}
subprocess.run(["bash", "-n"], input=scripts["bash"], text=True, check=True)
commands = re.findall(r"^  ([a-z][a-z-]*)  ", output("qcc", "help"), re.M)
assert len(commands) >= 9, commands
for command in commands:
    shown = output("qcc", "help", command).split("Examples:")[0]
    for letter, name in re.findall(r"^  (?:-(\w), )?--([\w-]+)", shown, re.M):
        for option in [f"-{letter}"] * bool(letter) + [f"--{name}"]:
            wanted = {
                "bash": rf"^    {command}\) words='[^']*{option}[= ]",
                "zsh": rf"^  {command}\)\n(    .*\n)*?      '\*?{option}[=\[-]",
                "fish": rf"_from {command}' -l {name} " + (f"-s {letter} " if letter else ""),
            }
            for shell, pattern in wanted.items():
                assert re.search(pattern, scripts[shell], re.M), (shell, command, option)
