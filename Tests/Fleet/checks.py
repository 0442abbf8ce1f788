"""What an answer has to be, and waiting for it."""
import time

from faults import MADE

# For whatever has to come about; much less is usual. A self-check waits for what never comes, and less long.
PATIENCE = {"seconds": 20}


def same(found, expected, what="found"):
    """Fails unless both are equal."""
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, not {expected!r}")


def eventually(question, what, seconds=None):
    """The first good answer to a question, asked again and again."""
    end = time.monotonic() + (seconds if seconds and MADE["enabled"] else PATIENCE["seconds"])
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"never {what}")
        time.sleep(0.02)


def blames_nobody(answer, what="answer"):
    """Neither says that somebody is not logged in, nor takes a cookie away, nor sends anybody to log in again."""
    said = (f"{what}: {answer.status}, {answer.fields('set-cookie')}, {answer.fields('www-authenticate')}, "
            f"{answer.fields('location')}")
    if answer.status in (401, 403) or answer.fields("set-cookie") or answer.fields("www-authenticate"):
        raise AssertionError(said)
    if answer.status == 303 and "/.portcullis/login" in (answer.field("location") or ""):
        raise AssertionError(said)


def unavailable(answer, what="answer"):
    """Is 503 for the store's sake: come again, with what you have."""
    blames_nobody(answer, what)
    same((answer.status, answer.field("retry-after")), (503, "1"), what)


def served_or_unavailable(answer, what="answer"):
    """Is one of both, whatever the moment."""
    blames_nobody(answer, what)
    if answer.status != 200:
        unavailable(answer, what)


def becomes(question, status, what):
    """Waits for this status; until then nobody can say, because connections come back one after the other."""
    def is_so():
        answer = question()
        if answer.status != status:
            unavailable(answer, what)
        return answer.status == status
    eventually(is_so, f"{status}: {what}")


def served_or_later(answer, what="answer"):
    """Is served, or 503 with the time after which to come again."""
    blames_nobody(answer, what)
    if answer.status != 200:
        same((answer.status, (answer.field("retry-after") or "").isdigit()), (503, True), what)


def signs_out(gateways, gateway, leaving, staying):
    """Somebody signs out at one of them: he is signed out at all, and somebody else is not."""
    former = dict(leaving.cookies)
    becomes(lambda: leaving.log_out(gateway), 200, "a logout")
    leaving.cookies = former
    for one in gateways:
        eventually(lambda at=one: leaving.status(at) == 401, "over at each of them")
        becomes(lambda at=one: staying.ask(at), 200, "somebody else's")


class LeftOut(Exception):
    """A test cannot be run here, and says why."""


def waits(test):
    """Has a test run beside the others, because it waits for a clock."""
    test.waits = True
    return test


def takes_long(test):
    """A test that is left out unless all are asked for (`--long`)."""
    test.takes_long = True
    return test


def needs_no_fault(test):
    """A test that shows what goes well; a self-check has nothing to leave out of it."""
    test.needs_no_fault = True
    return test


def alone(test):
    """A test beside which no other one runs, but those that wait for a clock."""
    test.alone = True
    return test


def note(text):
    """A line for whoever reads along."""
    print(f"        {text}", flush=True)
