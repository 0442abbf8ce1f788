import Testing
import TestSupport

/// `portcullis explain --check` to an operator who has an id from a log line, and nothing else at hand.
@Suite struct `portcullis explain --check` {
    private func explain(_ arguments: [String]) throws -> (end: ProcessEnd?, output: [String], errors: [String]) {
        let child = try ChildProcess(GatewayProcess.binary, ["explain"] + arguments)
        let lines = try #require(child.outputToItsEnd())
        return (child.waitForEnd(), lines, child.errors.now)
    }

    @Test func `says what an id promises, where that comes from and which refusals stand for it`() throws {
        let run = try explain(["--check", "RS-13"])
        #expect(run.end == .exited(0) && run.errors == [], "\(run.errors)")
        #expect(run.output.first == "RS-13  access tokens")
        #expect(run.output.contains { $0.hasPrefix("The gateway accepts a token only if aud holds an audience") })
        #expect(run.output.contains("Source: RFC 9068 §4; RFC 8707 §2; RFC 9700 §2.3"))
        #expect(run.output.contains("  401  token_audience_missing"))
        #expect(run.output.last == "Tests that carry it: .holds(\"RS-13\") and .refuses(\"RS-13\")")
    }

    @Test func `names every cause of a check that several have, each with its status`() throws {
        let causes = try explain(["--check", "HTTP-65"]).output.filter { $0.hasPrefix("  ") }
        #expect(
            causes == [
                "  414  request_line_too_long", "  431  header_section_too_large", "  413  request_body_too_large",
            ])
    }

    @Test func `names no cause for a decision that stands for none, and reads small letters`() throws {
        let run = try explain(["--check", "d-17"])
        #expect(run.end == .exited(0), "\(run.errors)")
        #expect(run.output.first == "D-17  decisions where the standards leave room")
        #expect(!run.output.contains { $0.hasPrefix("Refusals") || $0.hasPrefix("Tests") })
    }

    @Test(arguments: ["RS", "RS-", "XX-99", "token_audience_missing", ""])
    func `says of an unknown id what one looks like`(id: String) throws {
        let run = try explain(["--check", id])
        #expect(run.end == .exited(2))
        #expect(run.output == [])
        #expect(
            run.errors.first
                == "portcullis explain: --check wants the id of a requirement, such as RS-13, found \"\(id)\"")
        #expect(run.errors.last?.contains("the families are HTTP, H2, JOSE, RS, ") == true, "\(run.errors)")
    }

    @Test(arguments: [["--json"], ["--url", "http://gateway.test/"], ["--login", "web"], ["--request-id", "x"]])
    func `goes with no request and no other form`(others: [String]) throws {
        let run = try explain(["--check", "RS-13"] + others)
        #expect(run.end == .exited(2) && run.output == [], "\(run.output)")
        #expect(run.errors.first?.hasPrefix("portcullis explain: --check asks about an id: leave") == true)
    }

    @Test func `is the one way to do without a configuration`() throws {
        let run = try explain(["--url", "http://gateway.test/"])
        #expect(run.end == .exited(64) && run.output == [], "\(run.output)")
        #expect(run.errors.first == "Error: Missing expected argument '<config>'")
    }
}
