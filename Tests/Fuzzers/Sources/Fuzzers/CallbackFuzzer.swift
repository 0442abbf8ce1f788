import Bytes
import Crypto
import JOSE
import OAuth

/// What a browser came back with: a query, and the same bytes as a signed response, or its three parts a line each.
enum CallbackFuzzer {
    /// The moment at which every response is read.
    static let now: Int64 = 1_800_000_000
    static let issuer = "https://honest.as.example"
    static let clientID = "s6BhdRkqt3"

    static func attempt(_ input: [UInt8]) -> Outcome {
        let plain = judge(input, isSigned: false)
        checkPlain(plain, input)
        let token = DecodedParts.token(input)
        let response = Array("response=".utf8) + token
        let signed = judge(response, isSigned: true)
        if case .success(let content) = signed {
            hold(known.contain(token), "no signed response is believed but what the issuer signed")
            let beside = Array("&code=evil&state=evil&error=evil&iss=evil&code=again".utf8)
            hold(
                judge(response + beside, isSigned: true) == .success(content), "nothing counts beside a signed response"
            )
        }
        return isRefused(plain) && isRefused(signed) ? .refused : .accepted
    }

    /// What was read, in a form that can be compared.
    private struct Content: Equatable {
        let state: String
        let code: [UInt8]?
        let error: AuthorizationError?
    }

    private typealias Judgement = Result<Content, AuthorizationResponseRefusal>

    /// Whether a reader that knows nothing but forms finds the same in an accepted response.
    private static func checkPlain(_ judgement: Judgement, _ input: [UInt8]) {
        guard case .success(let content) = judgement else { return }
        let pairs = input.split(separator: UInt8(ascii: "&")).map { part in
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (name: decode(Array(sides[0])), value: sides.count == 2 ? decode(Array(sides[1])) : [])
        }
        func values(_ name: String) -> [[UInt8]?] {
            pairs.filter { $0.name == Array(name.utf8) }.map(\.value)
        }
        hold(values("state") == [Array(content.state.utf8)], "the state is the only one")
        hold(values("iss") == [Array(issuer.utf8)], "the issuer is the one that was asked, and the only one")
        hold(values("code") == (content.code.map { [$0] } ?? []), "the code is the only one")
        hold(values("error") == (content.error.map { [Array($0.code.utf8)] } ?? []), "the error is the only one")
        hold((content.code == nil) != (content.error == nil), "a response is a code or an error")
        hold(values("access_token").isEmpty && values("id_token").isEmpty, "no token is in it")
        hold(content.code?.allSatisfy { $0 >= 0x20 && $0 <= 0x7E } ?? true, "a code ends no line")
        hold((content.code ?? [0]).count <= 2048 && content.state.utf8.count <= 512, "a response is small")
        if values("response").isEmpty {
            hold(isRefused(judge(input, isSigned: true)), "a plain response does not pass for a signed one")
        }
        let space = AuthorizationResponseRules.maximumBytes - input.count
        for again in ["&code=x", "&error=x", "&state=x", "&iss=x", "&id_token", "&%61ccess_token="]
        where again.utf8.count <= space {
            hold(
                isRefused(judge(input + Array(again.utf8), isSigned: false)), "nothing is said again, nor a token shown"
            )
        }
        let unknown = Array("&unknown=%zz&=&".utf8)
        if unknown.count <= space {
            hold(judge(unknown + input, isSigned: false) == judgement, "what is unknown makes no difference")
        }
    }

    private static func judge(_ form: [UInt8], isSigned: Bool) -> Judgement {
        let first = read(form, isSigned, server.keys)
        hold(first == read(form, isSigned, VerificationKeys(server.set)), "the same form says the same")
        return first
    }

    private static func read(_ form: [UInt8], _ isSigned: Bool, _ keys: VerificationKeys?) -> Judgement {
        Result { () throws(AuthorizationResponseRefusal) in
            let response = try UncheckedAuthorizationResponse(form.span, isSigned: isSigned)
            switch try response.check(rules, keys: keys, now: now) {
            case .code(let code): return Content(state: response.state, code: code.reveal(), error: nil)
            case .error(let error): return Content(state: response.state, code: nil, error: error)
            }
        }
    }

    private static func isRefused(_ judgement: Judgement) -> Bool {
        if case .failure = judgement { true } else { false }
    }

    /// Another decoder than the one that is tested.
    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                output.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            output.append(value)
            rest = rest.dropFirst(2)
        }
        return output
    }

    private static let rules = AuthorizationResponseRules(
        issuer: issuer, clientID: clientID, requiresIssuer: true, signature: .algorithms([.es256]))
    /// The key that signed the seeds.
    nonisolated(unsafe) private static let server = KnownKeys(
        """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"seed","alg":"ES256","use":"sig","x":"nwO6n7mHgbiQiC0lP3et_\
        zGR3QNut6SKFWOOdO4SpA0","y":"29FF429j_mI0dCEXBwemdjU4UvS7w7S9Z4izXn4TAus"}]}
        """)
    private static let known = SignedSeeds("callback")
}
