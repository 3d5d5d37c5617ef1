"""Scores of recognized texts and of found boxes."""


def edits(expected, actual):
    """How many characters have to be inserted, removed or replaced."""
    row = list(range(len(actual) + 1))
    for count, one in enumerate(expected, 1):
        last, row[0] = row[0], count
        for index, other in enumerate(actual, 1):
            last, row[index] = row[index], min(row[index] + 1, row[index - 1] + 1, last + (one != other))
    return row[-1]


def overlap(one, other):
    """The share of the area of both boxes that both have."""
    sides = [min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1)]
    both = max(0, sides[0]) * max(0, sides[1])
    return both / (sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)) - both)


def matches(expected, actual):
    """How many of the expected boxes are found: each by a box of its own that overlaps by half."""
    left, found = list(actual), 0
    for box in expected:
        best = max(left, key=lambda other: overlap(box, other), default=None)
        if best is not None and overlap(box, best) >= 0.5:
            left.remove(best)
            found += 1
    return found
