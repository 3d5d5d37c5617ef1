#!/usr/bin/env python3
"""Prints `PASSED FAILED` for the results of a test runner: lit's JSON or a JUnit XML file.

Tests that were skipped or are not supported on this host count as neither.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree


def count_lit(path):
    with open(path) as file:
        codes = [test["code"] for test in json.load(file)["tests"]]
    passed = sum(code in ("PASS", "FLAKYPASS", "XFAIL") for code in codes)
    ignored = sum(code in ("SKIPPED", "UNSUPPORTED", "EXCLUDED") for code in codes)
    return passed, len(codes) - passed - ignored


def count_junit(path):
    passed = failed = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            failed += 1
        elif "skipped" not in outcomes:
            passed += 1
    return passed, failed


def main():
    path = sys.argv[1]
    passed, failed = (count_lit if path.endswith(".json") else count_junit)(path)
    print(passed, failed)


if __name__ == "__main__":
    main()
