"""What people see when a route refuses them."""
import contextlib

from accessibility import faults
from apps import App, listening
from pages import LOOKS, picture, shows_ids
from people import SESSION, person, same

NOT_HERE = "There is nothing here"
# Address and heading of each that an address alone leads to; what begins with a number is the app's own answer.
PAGES = {
    "bad-request": (400, "/open/a%2Fb", "This request could not be understood"),
    "programs": (401, "/programs/a", "This address is for programs"),
    "not-found": (404, "/.portcullis/nothing", NOT_HERE),
    "method": (405, "/posts/", "This cannot be asked for in this way"),
    "long-address": (414, "/open/" + 9000 * "a", "The address is too long"),
    "app-down": (502, "/down/", "The application does not answer properly"),
    "not-allowed": (403, "/odd/403", "This is not allowed"),
    "too-slow": (408, "/odd/408", "That took too long"),
    "too-many": (429, "/odd/429", "Too many requests"),
    "app-out": (503, "/odd/503", "The application does not answer properly"),
    "app-slow": (504, "/odd/504", "The application takes too long"),
}


# holds ECO-88
# refuses ECO-88
def test_a_page_of_an_outage_comes_back_by_itself(browser, stack):
    """When the app is there again its page is, without a click.

    The first of these tests: pages of an outage that has lasted for a while wait longer.
    """
    with odd_app(stack) as app, person(browser, stack) as alice:
        alice.open("/odd/503")
        same(alice.page.inner_text("h1"), "The application does not answer properly")
        app.is_well = True
        alice.shows("body", "well again")


# holds ECO-85, ECO-86
def test_each_refusal_has_a_page_that_everybody_can_use(browser, stack):
    """Light, dark and on a telephone; small, and of nothing but itself."""
    with odd_app(stack):
        for look, options in LOOKS.items():
            with person(browser, stack, **options) as alice:
                said, asked = [], []
                alice.page.on("console", lambda message, said=said: said.append(message.text))
                alice.page.on("request", lambda request, asked=asked: asked.append(request.url))
                for name, (status, path, heading) in PAGES.items():
                    answer = alice.page.goto(f"{stack.url}{path}", wait_until="load")
                    same(answer.status, status, name)
                    same(alice.page.inner_text("h1"), heading, name)
                    check(alice.page, stack, answer, name, look)
                same([text for text in said if "Content Security Policy" in text], [])
                same([url for url in asked if not url.startswith(stack.url)], [])


# holds ECO-85
def test_other_names_and_other_schemes_lead_to_the_site(browser, stack):
    """An address that is not the site's, and one that everybody on the way can read."""
    places = {
        "other-host": (421, f"https://127.0.0.1:{stack.ports['gateway']}/", "This site has another address"),
        "plain-http": (400, f"http://localhost:{stack.ports['gateway']}/x", "This site is reached with https://"),
    }
    for look, options in LOOKS.items():
        with person(browser, stack, **options) as alice:
            for name, (status, url, heading) in places.items():
                answer = alice.page.goto(url, wait_until="load")
                same(answer.status, status, name)
                same(alice.page.inner_text("h1"), heading, name)
                same(alice.page.get_attribute("a.button", "href"), f"{stack.url}/")
                check(alice.page, stack, answer, name, look)


# holds ECO-85
def test_too_many_cookies_are_told_of(browser, stack):
    """Only a page can tell people what to do about them."""
    for look, options in LOOKS.items():
        with person(browser, stack, **options) as alice:
            alice.context.add_cookies(
                [{"name": f"c{number}", "value": 3900 * "x", "url": stack.url} for number in range(20)])
            answer = alice.page.goto(f"{stack.url}/open/", wait_until="load")
            same(answer.status, 431)
            same(alice.page.inner_text("h1"), "Your browser sends too much")
            check(alice.page, stack, answer, "cookies", look)


# holds ECO-85
def test_many_small_cookies_pass_and_large_ones_end_in_a_page(browser, stack):
    """By HTTP/2 each cookie is a field, and each of these bounds another one: fields, their bytes, and bytes as sent.

    Chromium itself keeps 180 cookies of a site at most.
    """
    for count, value, status in ((150, "small", 200), (17, 3900 * "a", 431), (40, 3900 * "a", 431)):
        with person(browser, stack, known=False) as alice:
            alice.context.add_cookies(
                [{"name": f"c{number}", "value": value, "url": stack.url} for number in range(count)])
            answer = alice.page.goto(f"{stack.url}/open/", wait_until="load")
            same(answer.status, status, f"{count} of {len(value)} bytes")
            if status != 200:
                same(alice.page.inner_text("h1"), "Your browser sends too much")


# holds ECO-85
def test_a_wrong_account_finds_the_way_out(browser, stack):
    """Sign in as somebody else, or sign out; both lead there."""
    for look, options in LOOKS.items():
        with person(browser, stack, **options) as alice:
            alice.enter("/")
            answer = alice.page.goto(f"{stack.url}/staff/", wait_until="load")
            same(answer.status, 403)
            same(alice.page.inner_text("h1"), "Your account may not see this page")
            check(alice.page, stack, answer, "forbidden", look)
            if look == "light":
                alice.page.click("a.button:has-text('Sign in as somebody else')")
                alice.is_at_server()
                alice.page.goto(f"{stack.url}/staff/", wait_until="load")
                alice.page.click("a.button:has-text('Sign out')")
                alice.shows("h1", "Do you want to sign out?")
                same(list(alice.cookies(SESSION)), [SESSION])


# holds ECO-85
def test_what_is_too_large_says_so(browser, stack):
    """Of a form, too."""
    for look, options in LOOKS.items():
        with person(browser, stack, **options) as alice:
            alice.open("/open/")
            with alice.page.expect_navigation() as navigation:
                alice.page.evaluate(
                    """() => { const form = document.createElement("form"), field = document.createElement("input");
                       form.method = "post"; form.action = "/posts/"; field.name = "a"; field.value = "x".repeat(100);
                       form.append(field); document.body.append(form); form.submit() }""")
            same(navigation.value.status, 413)
            same(alice.page.inner_text("h1"), "What you sent is too large")
            check(alice.page, stack, navigation.value, "too-large", look)


# refuses ECO-85
def test_scripts_and_images_get_no_page(browser, stack):
    """What is no navigation is answered as ever."""
    with person(browser, stack) as alice:
        alice.open("/open/")
        answer = alice.fetch("/.portcullis/nothing")
        same((answer["status"], answer["type"], answer["text"]), (404, None, ""))
        problem = alice.fetch("/.portcullis/nothing", headers={"Accept": "application/problem+json"})
        same((problem["status"], problem["type"]), (404, "application/problem+json"))


# holds ECO-87
def test_pages_speak_the_readers_language(browser, stack):
    """As the browser says."""
    with person(browser, stack, locale="de-AT", **LOOKS["phone"]) as alice:
        answer = alice.page.goto(f"{stack.url}/.portcullis/nothing", wait_until="load")
        same(alice.page.inner_text("h1"), "Hier ist nichts")
        same(alice.page.get_attribute("html", "lang"), "de")
        check(alice.page, stack, answer, "not-found-german", "phone")
        answer = alice.page.goto(f"{stack.url}/.portcullis/logout/web", wait_until="load")
        same(alice.page.inner_text("h1"), "Möchten Sie sich abmelden?")
        check(alice.page, stack, answer, "sign-out-german", "phone", has_id=False)


# holds ECO-85, ECO-87
def test_every_page_that_there_is_can_be_used_by_everybody(browser, stack):
    """Of each topic in each language, with all the ways on that a page can have at once."""
    files = sorted(stack.pages.resolve().glob("*.html"))
    assert len(files) >= 70, f"{stack.pages} has {len(files)} pages"
    for look, options in LOOKS.items():
        with person(browser, stack, **options) as alice:
            for file in files:
                alice.page.goto(file.as_uri(), wait_until="load")
                picture(alice.page, stack, file.stem, look)
                same(faults(alice.page), [], f"{file.stem}, {look}")


test_every_page_that_there_is_can_be_used_by_everybody.needs_pages = True


def test_the_check_of_pages_finds_what_is_wrong(browser, stack):
    """A check that finds nothing says nothing."""
    with person(browser, stack) as alice:
        alice.page.set_content("<p style='color:#999;background:#fff'>pale</p><div style='width:3000px'>wide</div>"
                               "<h3>deep</h3><main><a href='/' style='outline:none'></a></main><img src='x:'>")
        found = {each.split()[0] for each in faults(alice.page)}
        same(found, {"3.1.1", "2.4.2", "1.3.1", "1.1.1", "2.4.4", "1.4.10", "1.4.3", "2.4.7"})


def check(page, stack, answer, name, look, has_id=True):
    """Whether everybody can use the page; and a picture of it. Pages that are no refusal have no id of a request."""
    picture(page, stack, name, look)
    same(faults(page), [], f"{name}, {look}")
    size = len(answer.body())
    assert size <= 8192, f"{name}: {size} bytes"
    shows_ids(page, name, has_id)


@contextlib.contextmanager
def odd_app(stack):
    """An app that answers with the status that the path ends with, until it is well."""
    class Handler(App):
        def do_GET(self):  # pylint: disable=invalid-name
            status = 200 if server.is_well else int(self.path.rpartition("/")[2])
            content = b"<!doctype html><title>app</title><p>well again" if server.is_well else b"own"
            self.answer(status, "text/html", content)

    with listening(stack.ports["odd"], Handler) as server:
        server.is_well = False
        yield server
