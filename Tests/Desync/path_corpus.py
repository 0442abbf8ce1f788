"""Paths with more than one reading (T-05 … T-09), and harmless ones among them."""

SLASHES = (
    b"/", b"//", b"///", b"%2f", b"%2F", b"%252f", b"%25252F", b"%25%32%66", b"%2%66", b"%%32%66", b"%c0%af", b"%c0%2f",
    b"%e0%80%af", b"%f0%80%80%af", b"\xc0\xaf", b"%ef%bc%8f", b"\xef\xbc\x8f", b"%e2%88%95", b"%u002f", b"%u2215",
    b"\\", b"%5c", b"%5C", b"%255c", b"%c1%9c", b"\\/", b"/\\", b"%2f%2f", b"%5c%2f", b"/./", b"/%2e/", b";/", b"/;/",
    b";a=b/", b"/;a=b/", b"%3b/", b"%253b/", b"%09/", b"%20/", b"%00/", b"\t/", b"%0d/", b"%0a/", b"%0d%0a/", b"./",
    b"%2e/", b"/.;/", b"%23/", b"%3f/", b"?/", b"#/", b"%7f/", b"%c2%a0/", b"+/", b"~/", b":/", b"|/")
DOTS = (
    b"..", b"%2e%2e", b"%2E%2E", b".%2e", b"%2e.", b"%252e%252e", b".%252e", b"%25%32%65%25%32%65", b"%c0%ae%c0%ae",
    b"%c0%2e%c0%2e", b"%e0%80%ae%e0%80%ae", b"\xc0\xae\xc0\xae", b"%ef%bc%8e%ef%bc%8e", b"%u002e%u002e",
    b"%uff0e%uff0e", b"..;", b"..;a=b", b"%2e%2e;", b"..%3b", b"..%253b", b"..%00", b"..%20", b"..%09", b"..%0d",
    b"..\t", b"...", b"....", b".. ", b"..%2e", b".;.", b".%00.", b"%2e%2e%20", b"..%c2%a0", b"..%e2%80%8b",
    b"%e2%80%a5", b"..%5c", b"..%2f", b".", b"%2e", b".;", b"%252e")
# The protected names, spelt otherwise; %s of a slash.
NAMES = (
    b"//x/api/private", b"//x/api/private/", b"//x/api/private//", b"///x/admin/secret", b"//x//admin/secret",
    b"//x/%61dmin/secret", b"/\\x/admin/secret", b"/\\x\\admin\\secret", b"//x\\admin\\secret", b"/\\/x/admin/secret",
    b"/\\x/api/private/", b"//x/admin%2fsecret", b"//x/admin%252fsecret", b"//x/admin;/secret", b"//x;/admin/secret",
    b"//x/admin%5csecret", b"//x/api/private%2f", b"//x/api/private;/", b"//x/.portcullis/x", b"//x", b"//x/",
    b"/admin/secret", b"/%61dmin/secret", b"/adm%69n/secret", b"/%61%64%6d%69%6e/secret", b"/admin/%73ecret",
    b"/%2561dmin/secret", b"/ADMIN/secret", b"/Admin/secret", b"/%41dmin/secret", b"/admin", b"/admin/",
    b"/admin//secret", b"/admin//", b"//admin/secret", b"///admin/secret", b"//x/admin/secret", b"/\\admin/secret",
    b"/.//admin/secret", b"/./admin/secret", b"/%2e/admin/secret", b"/;/admin/secret", b"/;a=b/admin/secret",
    b"/.;/admin/secret", b"/admin;/secret", b"/admin;a=b/secret", b"/admin;a=b;c/secret", b"/admin%3b/secret",
    b"/admin%3ba=b/secret", b"/admin/secret;x", b"/admin;", b"/;admin/secret",
    b"/admin;%2fx", b"/admin;a%2fb/", b"/admin;\\x", b"/admin;%252fx/y", b"/api/private;%2fx", b"/api/private;a%2fb/",
    b"/api/private;\\x", b"/api/private;/x", b"/api/private%3b/x", b"/;/x/admin/secret", b"/;%2fx/admin/secret",
    b"/%2fx/admin/secret", b"//x%2fadmin/secret", b"/%5cx/api/private", b"/%252fx/admin/secret", b"/public/a;b%2fc",
    b"/admin%20/secret", b"/admin%20",
    b"/%20admin/secret", b"/admin./secret", b"/admin../secret", b"/admin%2e/secret", b"/admin%00/secret", b"/admin%00",
    b"/admin%09/secret", b"/admin%0a/secret", b"/admin%0d%0a/secret", b"/admin%23/secret", b"/admin%3f/secret",
    b"/admin?/secret", b"/admin#/secret", b"/admin#", b"/public#/../admin/secret", b"/public/?/../admin/secret",
    b"/public/?/admin/secret", b"/public/%3f/../admin/secret", b"/adm\xc4\xb1n/secret", b"/adm%c4%b1n/secret",
    b"/%ef%bd%81dmin/secret", b"/%c1%a1dmin/secret", b"/%u0061dmin/secret", b"/ad%c2%admin/secret", b"/ad%00min/secret",
    b"/ad%e2%80%8bmin/secret", b"/admi%6E/secret", b"/admi%6e%2fsecret", b"/admin%2fsecret", b"/admin%2Fsecret",
    b"/admin%5csecret", b"/admin\\secret", b"/admin%252fsecret", b"/admin%c0%afsecret", b"/%2fadmin/secret",
    b"/%2fadmin%2fsecret", b"/%5cadmin/secret", b"/%5cadmin%5csecret", b"%2fadmin/secret", b"admin/secret",
    b"\\admin\\secret", b"/*/admin/secret", b"*/admin/secret", b"/admin/secret%00.css", b"/admin/secret;.css",
    b"/admin/secret%3f.css", b"/admin/.css", b"/admin/%2e%2e/public/x", b"/admin/..%2fpublic/x", b"/public/x",
    b"/public/a%20b", b"/public/a%2Bb", b"/public/caf%c3%a9", b"/public/a;b=c", b"/public/a%2fb", b"/public/a%5cb",
    b"/public/a%25b", b"/public/a%2525b", b"/public/\xc3\xa9", b"/public/a//b", b"/public", b"/public/", b"/public//",
    b"/public../admin/secret", b"/public..%2fadmin/secret", b"/publicx/../admin/secret", b"/public.%2fadmin",
    b"/api/private", b"/api/private/", b"/api/private//", b"//api/private", b"/api//private", b"/api/./private",
    b"/api/private/.", b"/api/private/..", b"/api/private%2f", b"/api%2fprivate", b"/api%2Fprivate", b"/api\\private",
    b"/api%5cprivate", b"/api;/private", b"/api;a/private", b"/api/private;a=b", b"/api/private;", b"/api/;/private",
    b"/api/private%20", b"/api/private.", b"/api/private%2e", b"/api/private%00", b"/api/private%00.css",
    b"/api/private%09", b"/api/%70rivate", b"/api/privat%65", b"/api/PRIVATE", b"/API/private", b"/api/private?",
    b"/api/private?x=/public/", b"/api/private#", b"/api/private%23", b"/api/private%3f", b"/api/private%3b",
    b"/api/x/../private", b"/api/x/..%2fprivate", b"/api/x/..;/private", b"/api/x/%2e%2e/private", b"/api%252fprivate",
    b"/api/%2570rivate", b"/api/private/%2e", b"/%61pi/private", b"/api/privat%c1%a5", b"/api%c0%afprivate",
    b"/api/private%c0%ae", b"/api/private+", b"http://gw.test/admin/secret", b"http://gw.test/public/../admin/secret",
    b"http://gw.test//admin/secret", b"HTTP://GW.TEST/admin/secret", b"http://gw.test/%61dmin/secret",
    b"http://gw.test/admin%2fsecret", b"http://evil.test/admin/secret", b"http://evil.test/public/x",
    b"http://gw.test\\admin/secret", b"http://gw.test#/admin/secret", b"http://gw.test?/admin/secret",
    b"http://gw.test/public/..;/admin/secret", b"http://gw.test:80/admin/secret", b"http://admin@gw.test/admin/secret",
    b"http:///admin/secret", b"http:/admin/secret", b"http:admin/secret", b"https://gw.test/admin/secret",
    b"http://gw.test/public/x", b"http://gw.test/public/%2e%2e/admin/secret", b"//gw.test/admin/secret",
    b"//gw.test/public/../admin/secret", b"/http://gw.test/admin/secret", b"/public/http://gw.test/admin/secret",
    b"/.portcullis/x", b"/%2eportcullis/x", b"//.portcullis/x", b"/.portcullis%2fx", b"/.portcullis;/x",
    b"/.portcullis\\x", b"/.portcullis%5cx", b"/.portcullis%252fx", b"/.portcullis%c0%afx", b"/.portcullis//x",
    b"/.Portcullis/x", b"/.portcullis", b"/.portcullis/", b"/;/.portcullis/x", b"/%5c.portcullis/x",
    b"/%2f.portcullis/x", b"/.well-known/oauth-protected-resource%2fx", b"/.well-known%2foauth-protected-resource",
    b"/.well-known/oauth-protected-resource;x", b"/\xe2\x80\xa4portcullis/x")


# What is behind a guarded program or page, to a server that takes it for their argument.
ARGUMENTS = (b"/x", b"/", b"//x", b"/.css", b"/x/y", b"/x?y", b"/%78", b"/..%2fx", b"/x;y", b"/.../x", b"/~", b"/index.html",
             b"/*", b"/:", b"/%3fx", b"/%23", b"/%20", b"%20/x", b"./x", b"%2e/x", b"/x.php", b"/report.cgi", b"/page.html/x")


def behind_programs():
    """Paths behind those that are guarded by themselves alone, spelt in many ways."""
    for folder in (b"", b"/public"):
        for name in (b"/report.cgi", b"/page.html"):
            stem, extension = name.split(b".")
            for argument in ARGUMENTS:
                yield folder + name + argument
            for slash in SLASHES:
                yield folder + name + slash + b"x"
                yield folder + slash + name[1:] + b"/x"
            for spelling in (stem + b"%2e" + extension, b"/%" + stem[1:2].hex().encode() + stem[2:] + b"." + extension,
                             name.upper(), stem + b".%" + extension[:1].hex().upper().encode() + extension[1:],
                             stem + b"%252e" + extension, b"/" + name, b"/;" + name, b"//x" + name, b"/x/.." + name):
                yield folder + spelling + b"/x"
                yield folder + spelling + b"/.css"


def of_streams():
    """Paths that a line of HTTP/1.1 has no place for: each octet that ends or divides one, and requests behind it."""
    paths = []
    for octet in (*range(0x21), 0x7f):
        odd = bytes([octet])
        paths += (b"/public/.." + odd + b"/admin/secret", b"/public/" + odd + b"../admin/secret", b"/admin" + odd + b"/secret",
                    b"/" + odd + b"admin/secret", b"/api/private" + odd, b"/public/x" + odd + b"/../../admin/secret",
                    odd + b"/admin/secret", b"/public/x?" + odd, b"/report.cgi" + odd + b"/x")
    for end in (b"\r\n", b"\n", b"\r", b" HTTP/1.1\r\n", b" HTTP/1.1\n", b" ", b"\t", b"\0", b"\r\n\r\n"):
        for rest in (b"X-Version: v3", b"Host: open.test\r\n\r\nGET /admin/secret", b"GET /admin/secret HTTP/1.1", b"/admin/secret"):
            paths += (b"/public/x" + end + rest,
                      b"/public/x HTTP/1.1" + end + rest + b" HTTP/1.1\r\nHost: gw.test\r\n\r\n")
    paths += (b"", b"*", b"?", b"#", b"/#", b"gw.test:80", b"gw.test/admin/secret", b"?/admin/secret", b":")
    return list(dict.fromkeys(paths))


def corpus():
    """All of them, each once, in one order."""
    paths = list(NAMES)
    for slash in SLASHES:
        paths += [b"/public" + slash + b"..%sadmin/secret" % slash, b"/public/.." + slash + b"admin/secret",
                  b"/public" + slash + b"../admin/secret", slash + b"admin" + slash + b"secret",
                  b"/admin" + slash + b"secret", b"/" + slash + b"admin/secret", b"/api" + slash + b"private",
                  b"/api/private" + slash, b"/x" + slash + b"admin/secret"]
    for dots in DOTS:
        paths += [b"/public/" + dots + b"/admin/secret", b"/public/x/" + dots + b"/" + dots + b"/admin/secret",
                  b"/public/" + dots + b"%2fadmin/secret", b"/public/" + dots + b"\\admin/secret",
                  b"/" + dots + b"/admin/secret", b"/api/" + dots + b"/admin/secret",
                  b"/admin/" + dots + b"/admin/secret", b"/public/" + dots + b";/admin/secret",
                  b"/public/" + dots + b"%5cadmin/secret", b"/api/x/" + dots + b"/private",
                  b"/public" + dots + b"/admin/secret", b"/public/" + dots + b"%252fadmin/secret"]
    paths += behind_programs()
    return list(dict.fromkeys(paths))
