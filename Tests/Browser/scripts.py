"""What is no navigation starts no login."""
import json

from people import person, same


def test_a_fetch_without_a_session_is_told_where_to_log_in(browser, stack):
    """CF-08: 401 and JSON, no redirect to a server that would refuse the script."""
    with person(browser, stack) as alice:
        alice.open("/open/")
        alice.page.wait_for_selector("#user")
        answer = alice.fetch("/api/orders?x=1")
        same((answer["status"], answer["type"]), (401, "application/json"))
        content = json.loads(answer["text"])
        same(content["error"], "login_required")
        same(content["login"], f"{stack.url}/.portcullis/login/web")
        same(alice.cookies(), {})
        alice.page.evaluate("url => { location.href = url + '?return_to=' + encodeURIComponent('/open/#x') }",
                            content["login"])
        alice.is_at_server()
        alice.sign_in()
        same(alice.page.url, f"{stack.url}/open/#x")
        same(alice.fetch("/seen")["status"], 200)


def test_an_image_or_a_frame_starts_no_login(browser, stack):
    """CF-08: the last of them would decide where the user comes back to, and none would show anything."""
    with person(browser, stack) as alice:
        alice.open("/open/")
        alice.page.wait_for_selector("#user")
        answers = []
        alice.page.on("response", lambda answer: answers.append((answer.url, answer.status)))
        alice.page.evaluate("""() => Promise.all([["img", "/a.png"], ["iframe", "/framed"], ["script", "/a.js"]].map(
            ([name, address]) => new Promise(done => { const element = document.createElement(name);
            element.onload = element.onerror = done; element.src = address; document.body.append(element) })))""")
        same({url.removeprefix(stack.url): status for url, status in answers if not url.endswith("/ticks")},
             {"/a.png": 401, "/framed": 401, "/a.js": 401})
        same(alice.cookies(), {})


def test_a_script_reads_the_session_but_no_token(browser, stack):
    """SC-12: who, until when, and where to log out; nothing that is good for anything else."""
    with person(browser, stack) as alice:
        alice.enter("/")
        document = json.loads(alice.fetch("/.portcullis/session/web")["text"])
        same(document["authenticated"], True)
        same(document["claims"], {"name": "Alice Liddell"})
        assert "eyJ" not in json.dumps(document), document
        same(alice.page.evaluate("document.cookie"), "")
        alice.log_out_by_script()
        same(alice.fetch("/.portcullis/session/web")["status"], 401)
