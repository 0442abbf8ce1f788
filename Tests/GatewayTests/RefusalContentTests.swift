import JSON
import Pages
import Testing

@testable import Gateway

struct RefusalContentTests {
    private func reader(isNavigation: Bool = false, wantsProblem: Bool = false) -> Reader {
        var reader = Reader()
        (reader.isNavigation, reader.wantsProblem) = (isNavigation, wantsProblem)
        return reader
    }

    @Test(arguments: Refusal.allCases) func `people get a page about each refusal, in words that fit its status`(
        _ refusal: Refusal
    ) {
        let wanted: [UInt16: Set<PageTopic>] = [
            400: [.badRequest, .plainHTTP], 401: [.programs], 403: [.notAllowed, .crossSite], 404: [.notFound],
            405: [.method], 408: [.tooSlow], 413: [.tooLarge], 414: [.longAddress], 417: [.badRequest],
            421: [.otherHost], 426: [.badRequest], 429: [.tooMany, .loop], 431: [.cookies], 501: [.badRequest],
            502: [.appDown, .misconfigured], 503: [.busy, .checkDown, .sessionDown, .serverDown], 504: [.appSlow],
            505: [.badRequest], 508: [.circle],
        ]
        guard case .page(let topic) = refusal.content(for: reader(isNavigation: true)) else {
            Issue.record("no page")
            return
        }
        #expect(wanted[refusal.status]?.contains(topic) == true, "\(refusal.status): \(topic)")
        // What cannot be reached is not the reader's fault, and is never told as one.
        if refusal.blame == .client { #expect(![.appDown, .appSlow, .checkDown, .serverDown].contains(topic)) }
        #expect(refusal.content(for: reader(isNavigation: true, wantsProblem: true)) == .page(topic))
    }

    @Test(arguments: Refusal.allCases) func `programs get nothing, or the problem that they ask for`(_ refusal: Refusal)
        throws
    {
        #expect(refusal.content(for: reader(wantsProblem: true)) == .problem)
        let document = Problem.document(refusal, requestID: "0123")
        let value = try JSONValue.parse(document.span)
        #expect(value["type"]?.string == "about:blank")
        #expect(value["status"]?.integer == Int64(refusal.status))
        #expect(value["request_id"]?.string == "0123")
        // What only the operator is to know stays out.
        #expect(!String(decoding: document, as: UTF8.self).contains("\(refusal.word)\""))
        #expect(refusal.content(for: reader()) == (refusal == .plainHTTP ? .sentence : .nothing))
    }

    @Test func `whoever is signed in is told that the account is the reason`() {
        for refusal in [Refusal.claimRuleUnmet, .scopeInsufficient, .sessionScopeInsufficient] {
            #expect(refusal.content(for: reader(isNavigation: true), isSignedIn: true) == .page(.forbidden))
        }
        #expect(
            Refusal.crossSiteRequest.content(for: reader(isNavigation: true), isSignedIn: true) == .page(.crossSite))
    }

    @Test(arguments: [400, 401, 402, 403, 404, 405, 408, 410, 413, 414, 418, 429, 431, 451, 500, 502, 503, 504, 599])
    func `a response of the upstream has a page for its status`(status: UInt16) {
        let topic = PageTopic(upstreamStatus: status)
        #expect(![.otherHost, .plainHTTP, .forbidden, .programs, .checkDown].contains(topic))
        // A 503 may be a restart: nobody here knows how many people are there.
        if status >= 500 { #expect(topic == (status == 504 ? .appSlow : .appDown)) }
    }
}

struct OutagePaceTests {
    private static let second: UInt64 = 1_000_000

    @Test func `pages come back later the longer an outage lasts, and never later than a minute and a half`() {
        var pace = OutagePace()
        var middles: [Int] = []
        for elapsed in stride(from: UInt64(100), through: 900, by: 20) {
            let now = elapsed * Self.second
            let shortest = pace.seconds(at: now, random: 0)
            var other = pace
            let longest = (0..<500).map { other.seconds(at: now, random: $0) }.max() ?? 0
            #expect(shortest >= 2 && longest <= 90 && longest > shortest)
            middles.append((shortest + longest) / 2)
        }
        #expect(middles == middles.sorted())
        #expect(middles.first == 4 && middles.last == 60)
        // No page waits so long that the outage would be taken for another.
        #expect(OutagePace.silence > 90 * Self.second)
    }

    @Test func `after a silence it is another outage, and a clock that went back begins one too`() {
        var pace = OutagePace()
        _ = pace.seconds(at: 100 * Self.second, random: 0)
        #expect(pace.seconds(at: 180 * Self.second, random: 0) == 20)
        #expect(pace.seconds(at: 400 * Self.second, random: 0) == 2)
        #expect(pace.seconds(at: 399 * Self.second, random: 0) == 2)
    }

    @Test func `readers of one outage do not come back at one time`() {
        var pace = OutagePace()
        _ = pace.seconds(at: 1, random: 0)
        let times = Set((0..<200).map { pace.seconds(at: 100 * Self.second, random: $0 * 331) })
        #expect(times.count > 40)
    }
}

struct UnreadHeadTests {
    private func read(_ text: String) -> UnreadHead {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { buffer in
            let head = UnreadHead(buffer)
            if let language = head.acceptLanguage { #expect(language.elementsEqual("de".utf8)) }
            return head
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nSec-Fetch-Mode: navigate\r\nCookie: a", "GET / HTTP/1.1\nACCEPT:text/html,*/*\n\n",
        "POST / HTTP/1.1\r\nAccept: text/HTML\r\nAccept-Language:  de \r\nSec-Fetch-Dest: document\r\n",
    ])
    func `a person is told by lines that are whole`(_ text: String) { #expect(read(text).isNavigation) }

    @Test(arguments: [
        "", "GET", "HEAD / HTTP/1.1\r\nSec-Fetch-Mode: navigate\r\n", "PUT / HTTP/1.1\r\nAccept: text/html\r\n",
        "GET / HTTP/1.1\r\nSec-Fetch-Mode: cors\r\nAccept: text/html\r\n",
        "GET / HTTP/1.1\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
        "GET / HTTP/1.1\r\nSec-Fetch-Mode: navigate", "GET / HTTP/1.1\r\nSec-Fetch-Mode : navigate\r\n",
        "GET / HTTP/1.1\r\nSec-Purpose: prefetch\r\nAccept: text/html\r\n",
        "GET / HTTP/1.1\r\nX: Accept: text/html\r\n", "GET /\r\nAccept: */*\r\n", "\n\n\n\n", "GET \r\n:\r\n \r\n",
        "POST / HTTP/1.1\r\nHost: a\r\n\r\nAccept: text/html\r\n", "GET / HTTP/1.1\n\nSec-Fetch-Mode: navigate\n",
    ])
    func `nobody else is taken for one`(_ text: String) { #expect(!read(text).isNavigation) }
}
