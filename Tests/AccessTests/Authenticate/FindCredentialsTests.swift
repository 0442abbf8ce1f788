import Access
import Bytes
import HTTPMessage
import TestTraits
import Testing

@Suite struct `the credentials of a head` {
    /// The scheme and the token, or nothing.
    private func find(
        _ lines: [String], query: String = "", schemes: SchemeSet = [.bearer, .dpop], rejectsQuery: Bool = true
    ) -> Outcome<String> {
        judged(["GET /x\(query) HTTP/1.1", "Host: a"] + lines) { head throws(Refused) in
            switch try head.credentials(schemes, rejectsQueryToken: rejectsQuery) {
            case .none: ""
            case .bearer(let range): "bearer " + text(head, range)
            case .dpop(let range): "dpop " + text(head, range)
            }
        }
    }

    private func text(_ head: HeadView, _ range: ByteRange) -> String { String(copying: head.text(range)) }

    @Test(
        .holds("RS-01"),
        arguments: [
            ([], ""), (["Authorization: Bearer abc"], "bearer abc"), (["Authorization: DPoP abc"], "dpop abc"),
            (["Authorization: bEaReR   a.b~c="], "bearer a.b~c="),
        ] as [([String], String)])
    func `are one token by its scheme`(lines: [String], found: String) {
        #expect(find(lines) == .passed(found))
    }

    @Test(.refuses("RS-03", "RS-04", "RS-05"))
    func `are refused when they are more than one, or of no scheme that is taken`() {
        #expect(
            find(["Authorization: Bearer a", "Authorization: Bearer a"]) == .refused(.credentialsRepeated, found: "2"))
        #expect(find(["Authorization: Bearer a, Bearer b"]) == .refused(.credentialsRepeated, found: "a list"))
        #expect(find(["Authorization: Bearer a b"]) == .refused(.credentialsMalformed, found: "something else"))
        #expect(find(["Authorization: Basic YTpi"]) == .refused(.schemeNotEnabled, found: "another scheme"))
        #expect(find(["Authorization: DPoP a"], schemes: .bearer) == .refused(.schemeNotEnabled, found: "DPoP"))
        #expect(find(["Authorization: Bearer a"], schemes: .dpop) == .refused(.schemeNotEnabled, found: "Bearer"))
    }

    @Test(
        .refuses("RS-06"),
        arguments: [
            "?access_token=x", "?a=b&access_token", "?%61ccess%5Ftoken=x", "?access_token=", "?&&access_token=x",
        ])
    func `are refused beside a token in the query where the route says so`(query: String) {
        let bearer = ["Authorization: Bearer a"]
        #expect(find(bearer, query: query) == .refused(.credentialsInQueryToo, found: "one in the query too"))
        #expect(find(bearer, query: query, rejectsQuery: false) == .passed("bearer a"))
        #expect(find([], query: query) == .passed(""))
    }

    @Test(
        .holds("RS-06"),
        arguments: ["?access_tokens=x", "?xaccess_token=x", "?a=access_token", "?access_toke", "?%6", "?access%5", ""])
    func `are alone beside other parameters`(query: String) {
        #expect(find(["Authorization: Bearer a"], query: query) == .passed("bearer a"))
    }

    @Test(.refuses("DPOP-01")) func `have one proof`() {
        func proof(_ lines: [String]) -> Outcome<String> {
            judged(["GET / HTTP/1.1", "Host: a"] + lines) { head throws(Refused) in text(head, try head.proof()) }
        }
        #expect(proof(["DPoP: a.b.c"]) == .passed("a.b.c"))
        #expect(proof([]) == .refused(.proofMissing, found: "none"))
        #expect(proof(["DPoP:"]) == .refused(.proofMissing, found: "an empty one"))
        #expect(proof(["DPoP: a", "DPoP: a"]) == .refused(.proofRepeated, found: "more"))
        #expect(proof(["DPoP: a.b.c, d.e.f"]) == .refused(.proofRepeated, found: "a list"))
    }
}
