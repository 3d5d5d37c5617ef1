"""check_trace.py TRACE.json THREADS: a trace has a track for runs, one for steps, and one for each thread."""

import collections
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
threads = int(sys.argv[2])
names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
assert names == {1: "runs", 2: f"steps, on {threads} threads", **{3 + i: f"thread {i}" for i in range(threads)}}, names
spans = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X":
        assert event["dur"] >= 0 and event["tid"] in names, event
        spans[event["tid"]].append((event["ts"], event["ts"] + event["dur"], event))
for track in spans.values():
    for before, after in zip(track, track[1:]):
        # Times are rounded to nanoseconds.
        assert after[0] >= before[1] - 0.01, (before, after)
runs, steps = spans[1], spans[2]
shares = [share for thread in range(threads) for share in spans[3 + thread]]
assert all(share[2]["cat"] == "share" for share in shares)
# In each run somebody has a share of each step, and nobody at another time. Who has it depends on who comes.
for begin, finish, _ in runs:
    steps_of_run = {event["args"]["step"] for start, end, event in steps if begin - 0.01 <= start and end <= finish + 0.01}
    shares_of_run = {event["args"]["step"] for start, end, event in shares if begin - 0.01 <= start and end <= finish + 0.01}
    assert steps_of_run and steps_of_run == shares_of_run, (steps_of_run, shares_of_run)
for start, end, event in shares:
    assert any(run[0] - 0.01 <= start and end <= run[1] + 0.01 for run in runs), event
