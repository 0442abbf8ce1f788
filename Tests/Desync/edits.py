"""What is done to the bytes of a request, whatever they mean; registered as mutations are."""
from recorder import MARK

EDITS = []


def edit(function):
    """Registers a change of bytes."""
    EDITS.append((function.__name__.replace("_", " "), function))
    return function


def place_in(choose, data):
    """A place in the head mostly, and in no mark: marks say what belongs to whom."""
    marked = [found.span() for found in MARK.finditer(data)]
    while True:
        place = choose.randrange(min(len(data), choose.choice((60, 400, 30000))))
        if not any(start <= place < end for start, end in marked):
            return place


def odd_byte(choose):
    """A byte that matters to some reader."""
    return bytes([choose.choice((0, 9, 10, 13, 11, 12, 32, 34, 44, 45, 47, 48, 58, 59, 61, 92, 95, 127, 133, 160, 255,
                                 choose.randrange(256)))])


@edit
def byte_inserted(choose, data):
    for _ in range(choose.choice((1, 1, 2, 3))):
        place = place_in(choose, data)
        data = data[:place] + odd_byte(choose) + data[place:]
    return data


@edit
def byte_removed(choose, data):
    for _ in range(choose.choice((1, 1, 2, 3))):
        place = place_in(choose, data)
        data = data[:place] + data[place + 1:]
    return data


@edit
def byte_replaced(choose, data):
    for _ in range(choose.choice((1, 1, 2, 3))):
        place = place_in(choose, data)
        data = data[:place] + odd_byte(choose) + data[place + 1:]
    return data


@edit
def bytes_swapped(choose, data):
    place = place_in(choose, data)
    return data[:place] + data[place:place + 2][::-1] + data[place + 2:]


@edit
def line_twice(choose, data):
    lines = data.split(b"\r\n")
    place = choose.randrange(min(len(lines), 12))
    return b"\r\n".join(lines[:place + 1] + lines[place:])


@edit
def lines_swapped(choose, data):
    lines = data.split(b"\r\n")
    place = choose.randrange(min(len(lines), 12))
    lines[place:place + 2] = lines[place:place + 2][::-1]
    return b"\r\n".join(lines)


@edit
def cut_off(choose, data):
    return data[:choose.randrange(1, len(data))]
