import Gateway
import Glibc
import TestSupport
import Testing

@testable import Explain
@testable import GatewayTests

@Suite struct `a pasted cURL command` {
    private func head(_ text: String) throws -> String {
        String(decoding: try CurlCommand.head(Array(text.utf8)).head, as: UTF8.self)
    }

    private func refusal(_ text: String) -> String {
        do throws(RequestDraft.Problem) {
            _ = try CurlCommand.head(Array(text.utf8))
            return ""
        } catch {
            return error.text
        }
    }

    @Test func `of Chromium is the request that the browser sent`() throws {
        #expect(
            try head(
                #"""
                curl 'https://shop.example.com/api/orders/7?a=b&c=d#top' \
                  -H 'accept: application/json' \
                  -H 'accept-language: en' \
                  -b '__Host-portcullis-shop=abc; theme=dark' \
                  -H 'authorization: Bearer a.b.c' \
                  -H $'x-name: O\'Neil \u00e4\u0021' \
                  --compressed
                """#)
                    == """
                    GET /api/orders/7?a=b&c=d HTTP/1.1\r
                    Host: shop.example.com\r
                    accept: application/json\r
                    accept-language: en\r
                    authorization: Bearer a.b.c\r
                    x-name: O'Neil \u{e4}!\r
                    Cookie: __Host-portcullis-shop=abc; theme=dark\r
                    \r

                    """)
    }

    /// Processor time that this thread takes for a command with a word of so many bytes, in nanoseconds.
    private func cost(ofWord count: Int) throws -> Int {
        func processorTime() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        let command = Array(("curl " + String(repeating: "a", count: count)).utf8)
        let start = processorTime()
        _ = try ShellWords.split(command)
        return processorTime() - start
    }

    @Test func `costs its bytes, though it were one word of a megabyte`() throws {
        // Four times as much for four times the bytes; sixteen times, if each byte cost what came before it. The least of
        // some: what else the machine does only adds to it.
        var (short, long) = (Int.max, Int.max)
        for round in 0..<5 where round == 0 || long / 10 >= short {
            short = min(short, try cost(ofWord: 1 << 18))
            long = min(long, try cost(ofWord: 1 << 20))
        }
        #expect(long / 10 < short, "\(long) and \(short) ns")
    }

    @Test func `that was made for cmd is called so`() {
        let command = "curl ^\"https://shop.example.com/a^\" ^\r\n  -H ^\"accept: */*^\""
        #expect(refusal(command).contains("the one for cmd"), "\(refusal(command))")
        #expect(refusal("curl https://shop.example.com/\nid\n").contains("a second command"))
    }

    @Test func `of Firefox with a body is a POST of that length and type`() throws {
        #expect(
            try head(
                #"curl 'https://shop.example.com/api/' -X POST -H 'Content-Type: application/json' --data-raw '{"a":"'\''"}'"#
            )
                == """
                POST /api/ HTTP/1.1\r
                Host: shop.example.com\r
                Accept: */*\r
                Content-Type: application/json\r
                Content-Length: 9\r
                \r

                """)
    }

    @Test(
        arguments: [
            ("curl https://a.test", "GET / HTTP/1.1"), ("curl -sSLk https://a.test/x", "GET /x HTTP/1.1"),
            ("curl -XPUT https://a.test/x", "PUT /x HTTP/1.1"), ("curl -I https://a.test/x", "HEAD /x HTTP/1.1"),
            ("curl a.test/x -d a=b", "POST /x HTTP/1.1"),
            ("curl -G a.test/x?q=1 -d a=b -d c", "GET /x?q=1&a=b&c HTTP/1.1"),
            ("curl -G a.test --data-urlencode 'q=a b&'", "GET /?q=a+b%26 HTTP/1.1"),
            ("curl --url 'https://a.test/\"'", "GET /\" HTTP/1.1"),
            ("curl \"https://a.test/a\\\"b'\"", "GET /a\"b' HTTP/1.1"),
            ("curl a.test -T file", "PUT / HTTP/1.1"), ("curl a.test -F a=b", "POST / HTTP/1.1"),
            ("curl a.test # a comment & more", "GET / HTTP/1.1"),
            ("\u{FEFF}curl 'https://a.test' \\\r\n  -s\r\n", "GET / HTTP/1.1"),
        ])
    func `has the method and target that curl would send`(command: String, line: String) throws {
        #expect(try head(command).hasPrefix(line + "\r\n"))
    }

    @Test(
        arguments: [
            ("-H 'Host: b.test'", "Host: b.test\r\n"), ("-u 'jo:p?>'", "Authorization: Basic am86cD8+\r\n"),
            ("--oauth2-bearer t", "Authorization: Bearer t\r\n"), ("-A 'my agent'", "User-Agent: my agent\r\n"),
            ("-H 'X-Empty;'", "X-Empty: \r\n"), ("-b a=1 -b b=2", "Cookie: a=1; b=2\r\n"),
            ("--json '{}'", "Content-Type: application/json\r\nContent-Length: 2\r\n"),
            ("-d a=1 -d b=2", "Content-Length: 7\r\n"),
        ])
    func `has the fields that its options stand for`(options: String, fields: String) throws {
        #expect(try head("curl 'https://a.test/' \(options)").contains(fields))
    }

    @Test func `takes away what curl would add when it says so, and tells no length of a file`() throws {
        let without = try head("curl https://a.test -H 'Accept:'")
        #expect(!without.contains("Accept"))
        #expect(try !head("curl https://a.test -d @file").contains("Content-Length"))
    }

    @Test(
        arguments: [
            ("wget https://a.test", "does not begin with curl"), ("", "does not begin with curl"),
            ("curl ^\"https://a.test^\"", "more than one URL|wants the whole URL|a host"),
            ("curl https://a.test/?a=b&c=d", "& outside of quotation marks"), ("curl https://a.test | jq", "| outside"),
            ("curl https://a.test; rm -rf /", "; outside"), ("curl https://a.test > out", "> outside"),
            ("curl https://a.test -H \"Authorization: Bearer $TOKEN\"", "only your shell knows"),
            ("curl https://a.test -H \"X: `id`\"", "only your shell knows"), ("curl $URL", "only your shell knows"),
            ("curl https://a.test\nrm -rf /", "a second command"), ("curl 'https://a.test", "is not closed"),
            ("curl https://a.test -H", "nothing stands behind"),
            ("curl https://a.test --frobnicate", "--frobnicate is not known"),
            ("curl https://a.test -H 'no colon'", "--header wants"), ("curl https://a.test -H @file", "is not read"),
            ("curl https://a.test -b jar", "is not read"), ("curl https://a.test https://b.test", "more than one URL"),
            ("curl", "has no URL"), ("curl 'https://a.test/a b'", "spaces or control characters"),
            ("curl https://a.test -H $'X: a\\r\\nY: b'", "a line end"), ("curl $'https://a.test/\\q'", "an escape"),
            ("curl $'https://a.test/\\ud800'", "names no character"),
            ("curl https://a.test -X 'GET / HTTP/1.1'", "--request"),
        ])
    func `that a shell would make something else of is refused, in a sentence`(command: String, words: String) throws {
        let said = refusal(command)
        #expect(words.split(separator: "|").contains { said.contains($0) } || said.contains(words), "\(said)")
    }

    @Test(arguments: [
        "curl https://a.test -H 'Authorization: Bearer s3cret' -H", "curl https://a.test -b s3cret",
        "curl https://a.test --s3cret=s3cret", "curl https://a.test -u jo:s3cret 's3cret", "curl https://a.test s3cret",
        "curl https://a.test -H 's3cret'", "curl https://a.test -H $'X: s3cret\\n'", "curl 'https://s3cret@a.test/'",
    ])
    func `is refused without a word of what may be secret in it`(command: String) {
        let said = refusal(command)
        #expect(!said.isEmpty)
        #expect(!said.contains("s3cret="))
        #expect(!said.replacing("--s3cret", with: "").contains("s3cret"), "\(said)")
    }

    @Test func `of any bytes is read or refused, and never more than its bytes`() throws {
        let command = #"curl 'https://a.test/x?y' -H $'a: \u00e4\'' --data-raw '{"a":1}' -b "c=\"d\"" \"#
        let good = Array((command + "\n -sSL -XPUT #").utf8)
        var numbers = Numbers(seed: 11)
        for round in 0..<20_000 {
            var bytes = good
            for _ in 0...numbers.below(4) { bytes[numbers.below(bytes.count)] = UInt8(numbers.below(256)) }
            if round % 3 == 0 { bytes = Array(bytes.prefix(numbers.below(bytes.count))) }
            do throws(RequestDraft.Problem) {
                let (head, _) = try CurlCommand.head(bytes)
                #expect(head.count <= 3 * bytes.count + 256)
                #expect(head.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A])
            } catch {
                #expect(!error.text.isEmpty && error.text.utf8.count < 400)
            }
        }
    }

    @Test func `of many words ends at a limit`() {
        #expect(refusal("curl https://a.test" + String(repeating: " -s", count: 5000)).contains("more than 4096 words"))
    }
}

@Suite struct `a short explanation` {
    @Test func `has what is wrong and what to change, and nothing that was right`() throws {
        var rig = ExplainRig()
        rig.scheme = nil
        let whole = try rig.explain().text
        let brief = Explanation.brief(whole)
        #expect(brief.hasPrefix(whole.prefix { $0 != "\n" }))
        #expect(brief.contains("To change"))
        #expect(brief.split(separator: "\n").filter { $0.hasPrefix("FAILED") }.count == 1)
        #expect(brief.contains("wanted  "))
        for word in ["\nok ", "\nnot reached", "\nnot needed", "Token "] { #expect(!brief.contains(word), "\(brief)") }
        #expect(brief.split(separator: "\n").count < 20, "\(brief)")
    }

    @Test func `of a request that passes is its verdict and what the upstream gets`() throws {
        let brief = Explanation.brief(try ExplainRig().explain().text)
        #expect(brief.hasPrefix("FORWARDED\n"))
        #expect(brief.contains("The upstream gets these fields of the gateway's:\n  "))
        #expect(!brief.contains("\nok ") && !brief.contains("header {"), "\(brief)")
    }

    @Test func `of a WebSocket's handshake that goes on as a plain GET says so`() throws {
        var rig = ExplainRig()
        rig.fields += [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        let lines = Explanation.brief(try rig.explain().text).split(separator: "\n")
        #expect(lines.first == "FORWARDED")
        #expect(lines.count { $0.hasPrefix("not needed") } == 1, "\(lines)")
        #expect(lines.contains { $0.contains("WebSocket") && $0.contains("goes on as a plain GET") }, "\(lines)")
    }
}
