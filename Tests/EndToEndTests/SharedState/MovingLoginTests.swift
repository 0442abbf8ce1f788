import Foundation
import TestSupport
import TestTraits
import Testing

/// Rows SH-26 and SH-28 over real sockets: gateways of several configurations, and releases, at once.
@Suite(.serialized, .byEachProtocol) struct `a login at replicas that are not alike` {
    private static let route = "{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"

    private static func session(_ words: String) -> String {
        "session: { \(words), keys: [{ file: $FOLDER/session.key }] }"
    }

    private static func ask(_ gateway: GatewayProcess, _ browser: inout CookieJar) throws -> WireResponse {
        let answer = try gateway.exchange(request("GET", "/app/a", fields: browser.lines))
        browser.take(answer)
        return answer
    }

    private static func isSmall(_ browser: CookieJar) -> Bool { browser[SessionStage.cookie]?.utf8.count == 64 }

    /// The steps of a fleet's operator, each with a replica of the step before.
    @Test(.holds("SH-28"), .refuses("SH-28"))
    func `moves into the store and stays the same login, at the old and at the new`() throws {
        let store = try StoreServer()
        let sealed = Self.session("store: cookie")
        let stage = try SessionStage(
            LoginPlan(routes: [Self.route], client: [sealed], files: Fleet.keys))
        func replica(_ words: String) throws -> GatewayProcess {
            try stage.another {
                $0.replacingOccurrences(sealed, with: Self.session(words))
                    + Fleet.settings(store, "recheck: 0s, " + Fleet.patiently) + "\n"
            }
        }
        let readsBoth = try replica("store: cookie, accept: [shared]")
        let movesThem = try replica("store: shared, accept: [cookie]")
        let shared = try replica("store: shared")
        var browser = try stage.login()
        let old = browser
        #expect(!Self.isSmall(browser))
        // First step: both read the old cookie, and write it.
        for gateway in [stage.gateway, readsBoth, stage.gateway] {
            #expect(try Self.ask(gateway, &browser).status == 200, "\(gateway.diagnosis)")
            #expect(!Self.isSmall(browser))
        }
        // Second step: whoever moves it gives the browser the small one, which those of the first step read.
        let isMoved = eventually {
            #expect((try? Self.ask(movesThem, &browser))?.status == 200, "\(movesThem.diagnosis)")
            return Self.isSmall(browser)
        }
        #expect(isMoved)
        let names = browser.cookies.map(\.name).filter { $0.hasPrefix(SessionStage.cookie) }
        #expect(names == [SessionStage.cookie], "the chunks are gone")
        for gateway in [readsBoth, movesThem, readsBoth, shared, movesThem, shared] {
            #expect(try Self.ask(gateway, &browser).status == 200, "\(gateway.diagnosis)")
            #expect(Self.isSmall(browser))
        }
        #expect(stage.server.issuer.fetches(ScriptedIssuer.tokenPath) == 1, "nobody logged in again")
        // The old cookie is the same login, until that ends: then it is none, wherever it comes.
        var before = old
        #expect(try Self.ask(movesThem, &before).status == 200)
        let end = try shared.exchange(
            request("POST", "/.portcullis/logout/web", fields: browser.lines + ownPage), method: "POST")
        #expect(end.status == 303 || end.status == 200, "\(end.headText)")
        for gateway in [movesThem, shared, readsBoth] {
            var (small, large) = (browser, old)
            #expect(eventually { (try? Self.ask(gateway, &small))?.status == 401 }, "\(gateway.diagnosis)")
            // One that writes sealed cookies asks the store about none of them, but has heard that this one's session is over.
            #expect(eventually { (try? Self.ask(gateway, &large))?.status == 401 }, "\(gateway.diagnosis)")
        }
    }

    /// What a release writes that is a format ahead: the first byte says it, and nothing else of it can be read here.
    @Test(.refuses("SH-26")) func `that a newer release wrote is no error of the browser's, and is kept`() throws {
        let store = try StoreServer()
        let stage = try SessionStage(
            LoginPlan(
                routes: [Self.route], client: [Self.session("store: shared")],
                settings: Fleet.settings(store, "recheck: 0s, " + Fleet.patiently), files: Fleet.keys))
        let other = try stage.another()
        var browser = try stage.login()
        #expect(try Self.ask(other, &browser).status == 200)
        let rewrite = """
            local name = redis.call('KEYS', 'pc:s:*')[1]
            local fields = redis.call('HGETALL', name)
            local count = 0
            for i = 1, #fields, 2 do
                local value = fields[i + 1]
                if #value > 100 then
                    redis.call('HSET', name, fields[i], string.char(tonumber(ARGV[1])) .. string.sub(value, 2))
                    count = count + string.byte(value)
                end
            end
            return count
            """
        // The format that it had.
        #expect(try store.ask("EVAL", rewrite, "0", "99") == ":2")
        let late = try stage.another()
        for gateway in [late] {
            let answer = try gateway.exchange(request("GET", "/app/a", fields: browser.lines + navigation))
            #expect(answer.status == 503, "\(answer.headText)\(gateway.diagnosis)")
            #expect(answer.fields["set-cookie"].isEmpty && answer.fields.only("retry-after") != nil)
        }
        #expect(try store.ask("EVAL", rewrite, "0", "2") == ":99", "nobody deleted or changed it")
        for gateway in [late, other, stage.gateway] {
            #expect(eventually { (try? Self.ask(gateway, &browser))?.status == 200 }, "\(gateway.diagnosis)")
        }
    }

    /// A fleet in the middle of an upgrade: who writes the older format and who writes the newer, each reads both.
    @Test(.holds("SH-26")) func `goes on at both while one writes the format before`() throws {
        let store = try StoreServer()
        let stage = try SessionStage(
            LoginPlan(
                routes: [Self.route], client: [Self.session("store: shared")],
                settings: Fleet.settings(store, "format: 1, recheck: 0s, " + Fleet.patiently), files: Fleet.keys))
        let newer = try stage.another { $0.replacingOccurrences("format: 1", with: "format: 2") }
        for (first, second, format) in [(stage.gateway, newer, ":1"), (newer, stage.gateway, ":2")] {
            var browser = try stage.login(at: first)
            #expect(try store.ask("EVAL", Self.formats, "0") == format)
            #expect(try Self.ask(second, &browser).status == 200, "\(second.diagnosis)")
            #expect(try Self.ask(first, &browser).status == 200, "\(first.diagnosis)")
            let end = try second.exchange(
                request("POST", "/.portcullis/logout/web", fields: browser.lines + ownPage), method: "POST")
            #expect(end.status == 303 || end.status == 200, "\(end.headText)")
            #expect(try Self.ask(first, &browser).status == 401, "\(first.diagnosis)")
        }
    }

    /// The sum of the first bytes of all sealed sessions in the store.
    private static let formats = """
        local sum = 0
        for _, name in ipairs(redis.call('KEYS', 'pc:s:*')) do
            local value = redis.call('HGET', name, 'v')
            if value then sum = sum + string.byte(value) end
        end
        return sum
        """
}
