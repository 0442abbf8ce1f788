import TestTraits
import Testing

@Suite struct `bounds and logs that does not load` {
    @Test func `a size without a unit is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { request_line: 8192 }").text)
                == """
                gateway.yaml:4:25: limits.request_line: expected a size from 1KiB to 64KiB, found the number 8192
                    say the unit: 8192B
                """)
    }

    @Test func `a size in decimal units is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { request_line: 8KB }").text)
                == """
                gateway.yaml:4:25: limits.request_line: expected a size from 1KiB to 64KiB, found "8KB"
                    write a whole number and one of B, KiB, MiB, GiB, such as 64KiB
                """)
    }

    @Test func `a size out of bounds is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { request_line: 1MiB }").text)
                == """
                gateway.yaml:4:25: limits.request_line: expected a size from 1KiB to 64KiB, found "1MiB"
                    choose a size from 1KiB to 64KiB
                """)
    }

    @Test func `a size that overflows is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { request_body: 99999999999999GiB }").text)
                == """
                gateway.yaml:4:25: limits.request_body: expected a size from 0B to 1048576GiB or unlimited, found "99999999999999GiB"
                    write a whole number and one of B, KiB, MiB, GiB, such as 64KiB
                """)
    }

    @Test func `unlimited is refused where there must be a bound`() {
        #expect(
            refusal(of: Sample(rest: "limits: { field_line: unlimited }").text)
                == """
                gateway.yaml:4:23: limits.field_line: expected a size from 1KiB to 64KiB, found "unlimited"
                    write a whole number and one of B, KiB, MiB, GiB, such as 64KiB
                """)
    }

    @Test func `more fields than can be held are refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { field_count: 129 }").text)
                == """
                gateway.yaml:4:24: limits.field_count: expected a whole number from 8 to 128, found the number 129
                    choose a number from 8 to 128
                """)
    }

    @Test func `a field line above its section is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { header_section: 16KiB }").text)
                == """
                gateway.yaml:4:11: limits.header_section: expected field_line of at most header_section, found 32KiB and 16KiB
                    raise header_section or lower field_line
                """)
    }

    @Test func `a token above its field line is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { access_token: 64KiB }").text)
                == """
                gateway.yaml:4:11: limits.access_token: expected access_token of at most field_line, found 64KiB and 32KiB
                    raise field_line or lower access_token
                """)
    }

    @Test func `more waiting of one client than it leaves to others is refused`() throws {
        #expect(
            refusal(of: Sample(rest: "limits: { parked_requests: 10, parked_requests_per_client: 6 }").text)
                == """
                gateway.yaml:4:32: limits.parked_requests_per_client: expected parked_requests_per_client of at most half of parked_requests, found 6 and 10
                    raise parked_requests or lower parked_requests_per_client
                """)
        for good in [
            "parked_requests: 10, parked_requests_per_client: 5", "parked_requests: 1, parked_requests_per_client: 1",
        ] {
            #expect(refusal(of: Sample(rest: "limits: { \(good) }").text) == "")
        }
    }

    @Test func `more connections to an upstream of one client than it leaves to others are refused`() throws {
        #expect(
            refusal(of: Sample(rest: "limits: { upstream_connections: 9, upstream_connections_per_client: 5 }").text)
                == """
                gateway.yaml:4:36: limits.upstream_connections_per_client: expected upstream_connections_per_client of at most half of upstream_connections, found 5 and 9
                    raise upstream_connections or lower upstream_connections_per_client
                """)
        for good in [
            "upstream_connections: 10, upstream_connections_per_client: 5",
            "upstream_connections: 1, upstream_connections_per_client: 1", "upstream_connections: 1",
            "upstream_connections_per_client: 2048",
        ] {
            #expect(refusal(of: Sample(rest: "limits: { \(good) }").text) == "")
        }
    }

    @Test func `more handshakes of one client than it may have connections are refused`() throws {
        #expect(
            refusal(of: Sample(rest: "limits: { connections: 500, handshakes_per_client: 501 }").text)
                == """
                gateway.yaml:4:29: limits.handshakes_per_client: expected handshakes_per_client of at most connections_per_client, found 501 and 125
                    raise connections_per_client or lower handshakes_per_client
                """)
        #expect(
            refusal(of: Sample(rest: "limits: { connections_per_client: 20, handshakes_per_client: 21 }").text)
                .contains("found 21 and 20"))
        for good in [
            // What nobody said is not held against what was.
            "connections: 500", "connections_per_client: 20", "connections_per_client: 20, handshakes_per_client: 20",
            "connections: 500, handshakes_per_client: 125", "handshakes_per_client: 12500",
        ] {
            #expect(refusal(of: Sample(rest: "limits: { \(good) }").text) == "", "\(good)")
        }
    }

    @Test func `more lookups and forms of one client than it ever gets are warned of`() throws {
        func warned(_ limit: String) throws -> String {
            try warnings(of: Sample(rest: "limits: { \(limit) }").text)
        }
        #expect(try warned("lookups_per_client: 32") == warned("login_bodies_per_client: 12MiB"))
        #expect(
            try warned("lookups_per_client: 33").contains(
                "limits.lookups_per_client: expected at most 32, which is half of those that one server is asked at a time, found 33"
            ))
        #expect(
            try warned("login_bodies_per_client: 13MiB").contains(
                "limits.login_bodies_per_client: expected at most 12MiB, which is half of what one worker has for them, found 13MiB"
            ))
    }

    @Test func `more logins of one client than it ever gets are warned of`() throws {
        func warned(_ limit: String) throws -> String {
            try warnings(of: Sample(rest: "workers: 2\nlimits: { \(limit) }").text)
        }
        #expect(try warned("logins_per_client: 384") == warned("logins_per_client: 64"))
        let text = try warned("logins_per_client: 385")
        #expect(
            text.contains(
                "limits.logins_per_client: expected at most 384, which is 192 of each of 2 workers, found 385"))
        #expect(refusal(of: Sample(rest: "limits: { login_bodies_per_client: 17MiB }").text).contains("16MiB"))
    }

    @Test func `a share of nothing is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { login_rate_per_client: 0 }").text)
                == """
                gateway.yaml:4:34: limits.login_rate_per_client: expected a whole number from 1 to 1000000, found the number 0
                    choose a number from 1 to 1000000
                """)
    }

    @Test func `a timeout of nothing is refused`() {
        #expect(
            refusal(of: Sample(rest: "timeouts: { drain: 0s }").text)
                == """
                gateway.yaml:4:20: timeouts.drain: expected a duration from 1ms to 24h, found "0s"
                    choose a duration from 1ms to 24h
                """)
    }

    @Test func `a timeout of days is refused`() {
        #expect(
            refusal(of: Sample(rest: "timeouts: { keep_alive: 25h }").text)
                == """
                gateway.yaml:4:25: timeouts.keep_alive: expected a duration from 1ms to 24h, found "25h"
                    choose a duration from 1ms to 24h
                """)
    }

    @Test func `a timeout with a space before its unit is refused`() {
        #expect(
            refusal(of: Sample(rest: "timeouts: { keep_alive: 30 s }").text)
                == """
                gateway.yaml:4:25: timeouts.keep_alive: expected a duration from 1ms to 24h, found "30 s"
                    write a whole number and one of ms, s, m, h, such as 30s
                """)
    }

    @Test func `an unknown log level is refused`() {
        #expect(
            refusal(of: Sample(rest: "log: { level: warn }").text)
                == """
                gateway.yaml:4:15: log.level: expected one of debug, info, warning, error, found "warn"
                    did you mean warning?
                """)
    }

    @Test func `a misspelt log destination is refused`() {
        #expect(
            refusal(of: Sample(rest: "log: { access: stdot }").text)
                == """
                gateway.yaml:4:16: log.access: expected stderr, stdout, off, or the path of a file, found "stdot"
                    did you mean stdout?
                """)
    }

    @Test(.refuses("OPS-06")) func `off that another program wrote as false is told to be quoted`() {
        #expect(
            refusal(of: Sample(rest: "log: { access: false }").text)
                == """
                gateway.yaml:4:16: log.access: expected stderr, stdout, off, or the path of a file, found false
                    write it as  "off"  with the quotation marks
                """)
        let nonce = refusal(of: Sample.token("dpop: { nonce: false }"))
        #expect(nonce.contains("routes[0].token.dpop.nonce: expected"), "\(nonce)")
        #expect(nonce.contains("write it as  \"off\"  with the quotation marks"), "\(nonce)")
        let level = refusal(of: Sample(rest: "log: { level: false }").text)
        #expect(!level.contains("\"off\""), "\(level)")
    }

    @Test func `a log file that cannot be appended to is refused`() {
        #expect(
            refusal(of: Sample(rest: "log: { operator: /nowhere/portcullis.log }").text)
                == """
                gateway.yaml:4:18: log.operator: expected a file that can be appended to, found "/nowhere/portcullis.log": /nowhere: No such file or directory
                    make its folder, and give it to the user that the gateway runs as
                """)
    }

    @Test func `a log destination that is no path is refused`() {
        #expect(
            refusal(of: Sample(rest: "log: { operator: portcullis.log }").text)
                == """
                gateway.yaml:4:18: log.operator: expected stderr, stdout, off, or the path of a file, found "portcullis.log"
                    a path has a / in it: ./portcullis.log is a file in this file's folder
                """)
    }

    @Test func `a token cache of nothing is refused`() {
        #expect(
            refusal(of: Sample(rest: "token_cache: { entries: 0 }").text)
                == """
                gateway.yaml:4:25: token_cache.entries: expected a whole number from 1 to 10000000, found the number 0
                    choose a number from 1 to 10000000
                """)
    }
}
