"""Makes the stacks that the allocation counter wrote readable, and counts equal ones."""
import collections
import re
import shutil
import subprocess

FRAME = re.compile(r"^(?P<object>[^(\[]+)\((?P<symbol>[^+)]*)\+?(?P<offset>0x[0-9a-f]+)?\)")
COUNTER = "allocation_counter.so"


def common_stacks(text, most=5):
    """The most frequent stacks as (times, frames), the allocating function first."""
    stacks = [
        tuple(frame for line in stack.splitlines() if (frame := FRAME.match(line)) and COUNTER not in frame["object"])
        for stack in text.strip().split("\n\n")
    ]
    names = symbol_names({(frame["object"], frame["offset"])
                          for stack in stacks for frame in stack if frame["offset"] and not frame["symbol"]})
    counted = collections.Counter(
        tuple(frame["symbol"] or names.get((frame["object"], frame["offset"]), frame[0]) for frame in stack)
        for stack in stacks if stack)
    return [(times, demangled(stack)) for stack, times in counted.most_common(most)]


def symbol_names(places):
    """Names for (object, offset) pairs, where the object has a symbol table."""
    names = {}
    finder = shutil.which("addr2line")
    for path in {path for path, _ in places} if finder else ():
        offsets = sorted(offset for other, offset in places if other == path)
        found = subprocess.run(
            [finder, "-f", "-C", "-e", path, *offsets], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=False).stdout.splitlines()[::2]
        names.update({(path, offset): name for offset, name in zip(offsets, found) if name != "??"})
    return names


def demangled(stack):
    """Swift's own spelling of the frames."""
    tool = shutil.which("swift-demangle") or shutil.which("swift")
    if not tool:
        return list(stack)
    command = [tool] if tool.endswith("demangle") else [tool, "demangle"]
    shown = subprocess.run(
        [*command, "--simplified"], input="\n".join(stack), stdout=subprocess.PIPE, text=True, check=False)
    return shown.stdout.splitlines() or list(stack)
