import Bytes
import TestTraits
import Testing

@testable import Access

@Suite struct `a request that a person waits for` {
    private func isNavigation(_ method: String, _ lines: [String], otherwise: Bool = false) -> Bool? {
        let outcome = judged(["\(method) /a HTTP/1.1", "Host: a"] + lines) { head throws(Refused) in
            head.isNavigation(otherwise: otherwise)
        }
        guard case .passed(let found) = outcome else { return nil }
        return found
    }

    /// Every combination of what a browser says, beside a rule of its own words.
    @Test(.holds("CF-08", "ECO-17"), .refuses("CF-08", "ECO-17"))
    func `is told by what its browser says, and by Accept where it says nothing`() {
        let modes: [[String]] = [[], ["navigate"], ["cors"], ["navigate", "cors"], ["Navigate"]]
        let destinations: [[String]] = [[], ["document"], ["iframe"], ["document", "image"], ["empty"]]
        let accepts: [[String]] = [[], ["text/html"], ["*/*"], ["application/json", "text/html"]]
        let others: [[String]] = [[], ["Sec-Purpose: prefetch"], ["X-Requested-With: XMLHttpRequest"]]
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PURGE"] {
            for mode in modes {
                for destination in destinations {
                    for accept in accepts {
                        for other in others {
                            for otherwise in [false, true] {
                                let lines =
                                    mode.map { "Sec-Fetch-Mode: \($0)" }
                                    + destination.map { "Sec-Fetch-Dest: \($0)" } + accept.map { "Accept: \($0)" }
                                    + other
                                let says =
                                    mode.allSatisfy { $0 == "navigate" }
                                    && destination.allSatisfy { $0 == "document" }
                                let isSilent = mode.isEmpty && destination.isEmpty
                                let wants = accept.contains("text/html") || otherwise
                                let expected =
                                    ["GET", "HEAD", "POST"].contains(method) && other.isEmpty
                                    && (isSilent ? wants : says)
                                #expect(
                                    isNavigation(method, lines, otherwise: otherwise) == expected,
                                    "\(method) \(lines) \(otherwise)")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(.refuses("CF-08")) func `is no WebSocket`() {
        let offer = ["Connection: Upgrade", "Upgrade: websocket", "Sec-Fetch-Mode: navigate"]
        #expect(isNavigation("GET", offer) == false)
        #expect(isNavigation("GET", ["Sec-Fetch-Mode: navigate"]) == true)
    }
}

@Suite struct `where a login begins` {
    private func pointer(
        _ target: String, _ lines: [String] = [], stepsUp: Bool = false,
        _ change: (inout LoginAccessSettings) -> Void = { _ in }
    ) throws -> LoginPointer {
        let rig = try JudgeRig([JudgeRig.session("/", change)], logins: [JudgeRig.login()])
        let first = rig.table.index.list[0].login
        let login = try #require(first)
        let outcome = judged(["\(target) HTTP/1.1", "Host: a"] + lines) { head throws(Refused) in
            LoginPointer(login, head, stepsUp: stepsUp)
        }
        guard case .passed(let found) = outcome else { throw JudgeRig.NotAHead() }
        return found
    }

    private let navigation = ["Sec-Fetch-Mode: navigate"]

    @Test(.holds("CF-08")) func `carries the way back for a person, and for no script`() throws {
        #expect(try pointer("GET /a?b=c").location == "/.portcullis/login/shop")
        let found = try pointer("GET /a?b=c", navigation)
        #expect(found.location == "/.portcullis/login/shop?return_to=%2Fa%3Fb%3Dc" && found.isNavigation)
        #expect(String(decoding: found.query, as: UTF8.self) == "return_to=%2Fa%3Fb%3Dc")
        #expect(try pointer("GET /a").query.isEmpty)
        // Whatever stands in a target stays one value.
        #expect(
            try pointer("GET //evil.example/?return_to=x&step_up=1", navigation).location
                == "/.portcullis/login/shop?return_to=%2F%2Fevil.example%2F%3Freturn_to%3Dx%26step_up%3D1")
    }

    @Test(.holds("STEP-04")) func `asks for more where the route needs more, and only then`() throws {
        let strict = { (access: inout LoginAccessSettings) in access.rights.acrValues = ["gold"] }
        #expect(try pointer("GET /a", stepsUp: true, strict).location == "/.portcullis/login/shop?step_up=0")
        #expect(
            try pointer("GET /a", navigation, stepsUp: true, strict).location
                == "/.portcullis/login/shop?return_to=%2Fa&step_up=0")
        #expect(try pointer("GET /a", stepsUp: false, strict).location == "/.portcullis/login/shop")
        #expect(try pointer("GET /a", stepsUp: true).location == "/.portcullis/login/shop")
    }

    @Test(.holds("CF-08")) func `keeps a form that a person has posted, where the route says so`() throws {
        for keepsForm in [false, true] {
            for (method, isPost) in [("GET", false), ("HEAD", false), ("POST", true), ("PUT", false)] {
                for lines in [[], navigation] {
                    let found = try pointer("\(method) /a", lines) { $0.keepsForm = keepsForm }
                    #expect(found.keepsForm == (keepsForm && isPost && !lines.isEmpty))
                }
            }
        }
    }
}
