"""What is in the store, and what it is asked: nothing of it says who somebody is, or lets anybody be him."""
import base64
import json

from browser import back_channel
from checks import eventually, needs_no_fault, note, same
from fleet import fleet
from issuer import NAME, SUBJECT

# Shorter words stand anywhere by chance.
SHORTEST = 8


def forms(word):
    """A word as it is, in hexadecimal, and inside of whatever was written by base64, at each place where it may begin."""
    word = word.encode() if isinstance(word, str) else word
    yield word
    yield word.hex().encode()
    yield word.hex().upper().encode()
    for before in range(3):
        text = base64.b64encode(b"\0" * before + word)
        # What the bytes around it have a part in is left out.
        inner = text[(before * 8 + 5) // 6:len(text) - 4 if (before + len(word)) % 3 else len(text)]
        if len(inner) >= SHORTEST:
            yield inner
            yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def unescaped(line):
    """A line of MONITOR as the bytes that it stands for."""
    out, place = bytearray(), 0
    while place < len(line):
        if line[place:place + 2] == b"\\x":
            out.append(int(line[place + 2:place + 4], 16))
            place += 4
        elif line[place:place + 1] == b"\\":
            named = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b"}
            letter = line[place + 1:place + 2]
            out += named.get(letter, letter)
            place += 2
        else:
            out += line[place:place + 1]
            place += 1
    return bytes(out)


def found(secrets, places):
    """Which of the secrets stand where, in whatever form."""
    return sorted({f"{str(word)[:12]}… in {name}" for word in secrets for form in forms(word)
                   for name, content in places.items() if form in content})


def places(running, lines):
    """All that somebody can read of the store: what lies in it, its file, its slow log, and what it was asked."""
    store = running.store
    store.ask("CONFIG", "SET", "rdbcompression", "no")
    store.ask("SAVE")
    slow = store.ask("SLOWLOG", "GET", 10000)
    contents = store.contents()
    return {"contents": b"\n".join(contents), "file": (store.folder / "dump.rdb").read_bytes(),
            "slow log": json.dumps(slow, default=lambda word: word.decode("latin-1")).encode("latin-1", "replace"),
            "MONITOR": b"\n".join(unescaped(line) for line in lines)}


@needs_no_fault
# holds SH-51, SH-27
# refuses SH-51, SH-50, SH-48
def test_nothing_that_is_secret_or_says_who_somebody_is_can_be_read_in_the_store(binary):
    """After logins, a refresh, proofs, a logout and a logout token, while somebody listens."""
    with fleet(binary, recheck="0s") as running:
        first, second, third = running.gateways
        listener = running.store.listen()
        running.store.ask("CONFIG", "SET", "slowlog-log-slower-than", "0")
        running.store.ask("CONFIG", "SET", "slowlog-max-len", "10000")
        issuer, program = running.issuer, running.program()
        staying, leaving, told = (running.browser(seconds=5).log_in(gateway) for gateway in running.gateways)
        cookies = {value for browser in (staying, leaving, told) for value in browser.cookies.values()
                   if value and not value.isdecimal()}
        # Behind the identifier stands what nobody but the browser has.
        sessions = [browser.session for browser in (staying, leaving, told)]

        def is_refreshed():
            same(staying.ask(third).status, 200, "a session")
            return issuer.spent
        eventually(is_refreshed, "refreshed")
        for gateway in running.gateways:
            same(program.prove(gateway).status, 200, "a proof")
            same(staying.ask(gateway).status, 200, "a session")
        same(leaving.log_out(second).status, 200, "a logout")
        same(back_channel(first, issuer.logout_token(issuer.sids[2])).status, 200, "a logout token")
        # But for the epoch, which has nothing in it, all that is there goes.
        eternal = [key for key in running.store.keys() if running.store.ask("PTTL", key) == -1]
        same(eternal, [b"pc:epoch"], "keys that stay for ever")
        read = places(running, listener.lines())
        assert b"pc:s:" in read["contents"] and b"pc:p:" in read["file"], "nothing is there"
        for command in (b"EVALSHA", b"SET", b"HGET", b"XREAD"):
            assert command in read["MONITOR"] and command in read["slow log"], f"no {command}"
        secret = {SUBJECT, NAME, issuer.url, running.key.thumbprint(), *issuer.secrets, *cookies,
                  *(part for session in sessions for part in (session[:21], session[22:]))}
        same([word for word in secret if len(word) < SHORTEST], [], "words that are too short to look for")
        same(found(secret, read), [], "secrets that can be read")
        note(f"confidential: {len(secret)} words looked for in {sum(map(len, read.values())) / 1000:.0f} kB")
        sees_what_is_planted(running, secret)


def sees_what_is_planted(running, secrets):
    """What would be found if one of these lay there, in one form or another."""
    for number, word in enumerate(sorted(secrets)):
        word, listener = word.encode(), running.store.listen()
        form = [word, word.hex().encode(), base64.b64encode(b"some" + word), base64.urlsafe_b64encode(b"other" + word),
                b"\0\n\xff" + word][number % 5]
        running.store.ask("SET", "pc:planted", b"before" + form + b"behind")
        seen = found([word.decode()], {"contents": b"".join(running.store.contents()),
                                       "MONITOR": b"".join(map(unescaped, listener.lines()))})
        same(len(seen), 2, f"where {word[:12]}… was found")
        running.store.ask("DEL", "pc:planted")
