import OAuth
import TestSupport
import TestTraits
import Testing

/// Why a proof for `target` is refused at `path` under `bases`.
private func refusal(_ target: String, _ path: String, _ bases: [String]) -> DPoPRefusal? {
    Asked(path: path, bases: bases).refusal(ProofMint(target: target).proof())
}

@Suite struct `the target of a proof` {
    @Test(
        .holds("DPOP-08"),
        arguments: [
            ("https://api.example/a~b", "/a~b"), ("HTTPS://API.example:443/a%7eb?x#y", "/a~b"),
            ("https://api.example/a~b", "/a%7Eb"), ("https://api.example/a%7Eb", "/a%7eb"),
            ("https://api.example/%61%2Db", "/a-b"), ("https://api.example/a%2fb", "/a%2Fb"),
            ("https://api.example/?q=1", "/"), ("https://api.example", "/"), ("https://api.example?q", "/"),
            ("https://api.example#f", "/"), ("https://api.example/a?x=1", "/a?y=2"),
            ("https://api.example/a", "/a?y=2#z"),
            ("https://api.example:0443/a", "/a"), ("https://api.example/b/../a", "/a"),
            ("https://api.example/./a", "/a"),
            ("https://api.example/b/%2e%2e/a", "/a"), ("https://api.example/a/.", "/a/"),
            ("https://api.example/a/b/..", "/a/"),
            ("https://api.example/../a", "/a"), ("https://api.example/a//b", "/a//b"), ("https://api.example//", "//"),
            ("https://api.example/a/", "/a/"), ("https://api.example/a%20b", "/a%20b"),
            ("https://api.example/a;b", "/a;b"),
        ])
    func `a URI that RFC 3986 takes for the same is the same`(target: String, path: String) {
        #expect(refusal(target, path, ["https://api.example"]) == nil)
        #expect(refusal(target, path, ["https://api.example/"]) == nil)
        #expect(refusal(target, path, ["HTTPS://API.EXAMPLE:443"]) == nil)
    }

    @Test(
        .refuses("DPOP-08"),
        arguments: [
            ("https://other.example/a", "/a"), ("http://api.example/a", "/a"), ("https://api.example:8443/a", "/a"),
            ("https://api.example:80/a", "/a"), ("https://api.example/a/", "/a"), ("https://api.example/a", "/a/"),
            ("https://api.example/A", "/a"), ("https://api.example/a%2Fb", "/a/b"),
            ("https://api.example/a/b", "/a%2Fb"),
            ("https://api.example/a%2561", "/a%61"), ("https://api.example/a", "/ab"), ("https://api.example/ab", "/a"),
            ("https://api.example.evil.example/a", "/a"), ("https://evil.example/https://api.example/a", "/a"),
            ("https://api.example@evil.example/a", "/a"), ("https://user@api.example/a", "/a"),
            ("https://user:x@api.example/a", "/a"), ("https://api.example./a", "/a"),
            ("https://api.example\\\\/a", "/a"),
            ("//api.example/a", "/a"), ("/a", "/a"), ("a", "/a"), ("https:/api.example/a", "/a"), ("https:///a", "/a"),
            ("https://api.example", "/a"), ("https://api.example/a//", "/a/"), ("https://api.example//a", "/a"),
            (" https://api.example/a", "/a"), ("https://api.example/a ", "/a"), ("https://api.example/a%", "/a%"),
            ("https://api.example/a%zz", "/azz"), ("https://api.example/\\u00e9", "/%C3%A9"),
            ("ftp://api.example/a", "/a"),
            ("https://api.example:/a", "/a"), ("https://api.example:443443/a", "/a"), ("https://[::1]/a", "/a"),
            ("https://api%2Eexample/a", "/a"), ("https://api.example/a/..%2fb", "/b"),
            ("https://api.example\\u0000/a", "/a"),
        ])
    func `any other URI is refused`(target: String, path: String) {
        // A path whose escape is none comes this far on no route; byte for byte it would be the same.
        let isByteEqual = target == "https://api.example" + path
        #expect(refusal(target, path, ["https://api.example"]) == (isByteEqual ? nil : .targetMismatch))
    }

    @Test(.holds("DPOP-08"), .refuses("DPOP-08")) func `names, ports and addresses are compared as what they are`() {
        #expect(refusal("https://[2001:DB8::1]:8443/a", "/a", ["https://[2001:db8::1]:8443"]) == nil)
        #expect(refusal("https://[2001:db8::1]/a", "/a", ["https://[2001:db8::1]:443"]) == nil)
        #expect(refusal("https://[2001:db8::1]/a", "/a", ["https://[2001:db8::2]"]) == .targetMismatch)
        #expect(refusal("http://127.0.0.1:80/a", "/a", ["http://127.0.0.1"]) == nil)
        #expect(refusal("http://127.0.0.1:443/a", "/a", ["http://127.0.0.1"]) == .targetMismatch)
        #expect(refusal("https://api.example:8443/a", "/a", ["https://api.example:8443"]) == nil)
    }

    @Test(.holds("DPOP-09")) func `the target is a configured base and the path, one of several`() {
        let bases = ["https://api.example", "https://old.example/v1/", "http://127.0.0.1:8080"]
        #expect(refusal("https://api.example/a", "/a", bases) == nil)
        #expect(refusal("https://old.example/v1/a", "/a", bases) == nil)
        #expect(refusal("https://old.example/v1/", "/", bases) == nil)
        #expect(refusal("https://OLD.example/v1/x/../a", "/a", bases) == nil)
        #expect(refusal("http://127.0.0.1:8080/a", "/a", bases) == nil)
    }

    @Test(.refuses("DPOP-09")) func `a target that is no configured base and the path is refused`() {
        let bases = ["https://api.example", "https://old.example/v1/", "http://127.0.0.1:8080"]
        #expect(refusal("https://old.example/a", "/a", bases) == .targetMismatch)
        #expect(refusal("https://old.example/v1a", "/a", bases) == .targetMismatch)
        #expect(refusal("https://old.example/v2/a", "/a", bases) == .targetMismatch)
        #expect(refusal("https://api.example/v1/a", "/a", bases) == .targetMismatch)
        #expect(refusal("https://third.example/a", "/a", bases) == .targetMismatch)
        #expect(refusal("https://api.example/a", "/a", []) == .targetMismatch)
    }

    @Test(
        .refuses("DPOP-09"),
        arguments: [
            "", "api.example", "/a", "https://", "https://user@api.example", "https://api.example/a?b",
            "https://api.example#a",
            "ftp://api.example", "wss://api.example", "https://api.example:", "https://a b", "https:api.example",
        ])
    func `what is no public URL is no base`(url: String) {
        #expect(TargetBase(url) == nil)
    }

    @Test(.holds("DPOP-09")) func `a base is understood as most clients write it`() {
        #expect(TargetBase("HTTPS://API.Example:443/")?.url == "https://api.example")
        #expect(TargetBase("https://api.example:8443/v1/")?.url == "https://api.example:8443/v1")
        #expect(TargetBase("http://[::1]:80")?.url == "http://[::1]")
        #expect(TargetBase("https://api.example") == TargetBase("https://API.example:443/"))
    }
}
