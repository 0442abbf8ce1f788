import Pages
import Testing

@testable import Gateway

struct UpstreamPageTests {
    @Test(arguments: [400, 401, 402, 403, 404, 405, 408, 410, 413, 414, 418, 429, 431, 451, 500, 502, 503, 504, 599])
    func `a response of the upstream has a page for its status`(status: UInt16) {
        let topic = PageTopic(upstreamStatus: status)
        #expect(![.otherHost, .plainHTTP, .forbidden, .programs, .checkDown].contains(topic))
        // A 503 may be a restart: nobody here knows how many people are there.
        if status >= 500 { #expect(topic == (status == 504 ? .appSlow : .appDown)) }
    }
}

struct OutageBackoffTests {
    private static let second: UInt64 = 1_000_000

    @Test func `pages come back later the longer an outage lasts, and never later than a minute and a half`() {
        var pace = OutageBackoff()
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
        #expect(OutageBackoff.silence > 90 * Self.second)
    }

    @Test func `after a silence it is another outage, and a clock that went back begins one too`() {
        var pace = OutageBackoff()
        _ = pace.seconds(at: 100 * Self.second, random: 0)
        #expect(pace.seconds(at: 180 * Self.second, random: 0) == 20)
        #expect(pace.seconds(at: 400 * Self.second, random: 0) == 2)
        #expect(pace.seconds(at: 399 * Self.second, random: 0) == 2)
    }

    @Test func `readers of one outage do not come back at one time`() {
        var pace = OutageBackoff()
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
