import Bytes
import Crypto
import JSON
import OAuth
import Sessions
import TestTraits
import Testing

@testable import Access

@Suite struct `the record of a verified token` {
    @Test(
        .holds("JOSE-28", "JOSE-34"),
        arguments: [
            // The later of nbf and iat, less the leeway.
            (1_799_999_990, nil, 1_799_999_960), (1_800_000_020, 1_800_000_000, 1_799_999_990),
            (nil, 1_800_000_000, 1_799_999_970), (1_799_999_970, 1_799_999_980, 1_799_999_950), (nil, nil, 0),
        ] as [(Int64?, Int64?, Int64)])
    func `says from when until when it may be believed, and by which keys`(
        notBefore: Int64?, issuedAt: Int64?, usableFrom: Int64
    ) throws {
        let records = TokenRecords(of: try userToken(notBefore: notBefore, issuedAt: issuedAt))
        let record = records.make(digest(0), leeway: 30)
        defer { record.release() }
        #expect(record.expiresAt == 1_800_000_330)
        #expect(record.usableUntil == 1_800_000_330)
        #expect(record.usableFrom == usableFrom)
        #expect(record.generation == 7)
        #expect(record.issuer == 1)
    }

    @Test(
        .refuses("INT-06"),
        arguments: [(100, 100), (1_800_000_330, 1_800_000_330), (.max, 1_800_000_330)] as [(Int64, Int64)])
    func `is believed as long as whoever judged it says, and never longer than it lives`(limit: Int64, until: Int64)
        throws
    {
        let record = TokenRecord(
            digest(0), try userToken(), issuer: 0, generation: 0, leeway: 30, usableUntil: limit, answers: [])
        defer { record.release() }
        #expect(record.usableUntil == until)
        #expect(record.expiresAt == 1_800_000_330)
    }

    @Test(.refuses("JOSE-28")) func `of a token whose end with the leeway is no number has ended`() throws {
        let record = TokenRecord(
            digest(0), try userToken(), issuer: 0, generation: 0, leeway: .max, answers: [])
        defer { record.release() }
        #expect(record.usableUntil < 0)
    }

    @Test(.holds("RS-22", "MTLS-01"), arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `says what its sender must prove`(isKeyBound: Bool, isCertificateBound: Bool) throws {
        let binding = TokenBinding(
            keyThumbprint: isKeyBound ? digest(1) : nil, certificateThumbprint: isCertificateBound ? digest(2) : nil)
        let records = TokenRecords(of: try userToken(binding: binding))
        let record = records.make(digest(0))
        defer { record.release() }
        #expect(record.isKeyBound == isKeyBound && record.isCertificateBound == isCertificateBound)
        #expect((record.keyThumbprint == digest(1)) == isKeyBound)
        #expect((record.certificateThumbprint == digest(2)) == isCertificateBound)
    }

    @Test(
        .refuses("STEP-02"),
        arguments: [
            ("1700000000", 1_700_000_000), ("1700000000.9", 1_700_000_000), (nil, .min), ("\"1700000000\"", .min),
            ("null", .min), ("1e300", .min), ("true", .min),
        ] as [(String?, Int64)])
    func `keeps when the user was authenticated, and what is no date is none`(claim: String?, expected: Int64) throws {
        let records = try TokenRecords(claim.map { #"{"auth_time":\#($0)}"# } ?? "{}")
        let record = records.make(digest(1))
        defer { record.release() }
        #expect(record.authTime == expected)
    }

    @Test(arguments: [0, 1, 2, 9]) func `has as many words of answers as it was made with, and no byte of its text`(
        count: Int
    ) throws {
        let words = (0..<count).map { UInt64($0) << 32 | 0xFFFF_FFFF }
        let record = TokenRecord(
            digest(1), try userToken(clientID: "shop"), issuer: 0, generation: 0, leeway: 0, answers: words)
        defer { record.release() }
        let answers = record.answers
        #expect(answers.count == count)
        #expect(answers.indices.map { answers[$0] } == words)
        #expect(String(copying: record.clientID) == "shop")
    }

    @Test(arguments: ["{}", #"{"roles":["a","b"]}"#, #"{"long":"\#(String(repeating: "ä", count: 5000))"}"#])
    func `keeps the claims and the client apart, whatever their lengths`(claims: String) throws {
        for clientID in [nil, "", "shop", String(repeating: "x", count: 300)] {
            let records = TokenRecords(of: try userToken(claims, clientID: clientID))
            let record = records.make(digest(0), wordCount: 3)
            defer { record.release() }
            #expect(String(copying: record.clientID) == clientID ?? "")
            let kept = record.claims
            #expect(kept?.members.map(\.name) == (try userToken(claims)).claims.members.map(\.name))
        }
    }

    @Test func `shows a claim to the operator, and says where there is none`() throws {
        let record = try TokenRecords(#"{"roles":["a","b"],"sub":"user-1"}"#).make(digest(0))
        defer { record.release() }
        #expect(record.shown("roles") == "a, b")
        #expect(record.shown("sub") == "user-1")
        #expect(record.shown("absent") == "none")
    }

    @Test(.holds("OPS-01", "OPS-03")) func `is referred to by the first digits of digests`() throws {
        let empty: [UInt8] = []
        #expect(SHA256.hash(empty.span).leadingBits >> 32 == 0xe3b0_c442)
        let record = try TokenRecords().make(digest(0))
        defer { record.release() }
        #expect(record.digest == digest(0))
        #expect(record.subjectDigest == SHA256.hash(Array("user-1".utf8).span).leadingBits)
    }

    @Test func `is another than a second one of the same token`() throws {
        let records = try TokenRecords()
        let (one, other) = (records.make(digest(0)), records.make(digest(0)))
        defer {
            one.release()
            other.release()
        }
        #expect(one == one)
        #expect(one != other)
    }
}

@Suite struct `the record of a session` {
    @Test(.holds("SC-03")) func `knows its login, its store's endings, and what logs call it`() throws {
        let witness = try Witness()
        defer { witness.record.release() }
        let state = try #require(witness.record.session)
        #expect(state.login == 3 && state.endings == 5)
        #expect(state.session.subject == "user-1")
        #expect(state.reference == state.session.reference)
        #expect(state.proofs == nil)
        #expect(state.store.endings == 0)
    }

    @Test func `costs the cache what the session takes besides`() throws {
        let witness = try Witness()
        defer { witness.record.release() }
        let plain = TokenRecord(digest(0), try userToken(), issuer: 0, generation: 0, leeway: 0, answers: [1])
        defer { plain.release() }
        #expect(plain.session == nil)
        #expect(witness.record.cost == plain.cost + 100)
    }
}
