import OAuth
import TestTraits
import Testing

@testable import Login

/// A client that proves nothing, whose logins PKCE alone guards.
@Suite struct `the login of a public client` {
    @Test(.holds("CA-14"), .refuses("CA-14"), arguments: [AuthorizationRequestSettings.Form.plain, .pushed])
    func `redeems its code with the verifier of its own login, and no secret`(
        form: AuthorizationRequestSettings.Form
    ) async throws {
        let world = try LoginWorld(form: form, method: .publicClient)
        world.server.habits.clientIsPublic = true
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.session(of: browser) != nil)
        // A server that knows a secret of the client takes no such request.
        world.server.habits.clientIsPublic = false
        var another = Browser()
        let started = await world.start(&another)
        if form == .plain {
            let answer = await world.callback(try await world.authorize(started), &another)
            #expect(answer.location == nil && answer.refusal != nil)
        } else {
            #expect(started.location == nil && started.refusal != nil)
        }
        #expect(world.session(of: another) == nil)
    }
}
