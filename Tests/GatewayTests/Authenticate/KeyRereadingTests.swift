import Issuers
import OAuth
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a failed signature` {
    @Test(.holds("JOSE-17")) func `lets one failed signature in an interval have the keys read again`() {
        var view = IssuerView(
            IssuerSettings(
                name: "main", url: "https://id.example/", rules: AccessTokenRules(issuer: "https://id.example/"),
                unknownKeyRefetchSeconds: 30))
        // A clock that is set back keeps nobody from asking for long.
        let answers = [1000, 1000, 1029, 1030, 10, 11].map { view.mayReadKeysAgain(at: $0) }
        #expect(answers == [true, false, false, true, true, false])
    }
}
