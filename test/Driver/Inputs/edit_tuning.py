"""Changes the first entry of a tuning database: edit_tuning.py FROM TO MEMBER OLD NEW."""

import json
import sys

source, target, member, old, new = sys.argv[1:]
with open(source) as file:
    database = json.load(file)
entry = database["entries"][0]
assert old in entry[member], (old, entry[member])
entry[member] = entry[member].replace(old, new)
with open(target, "w") as file:
    json.dump(database, file)
