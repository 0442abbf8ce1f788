import TestSupport
import TestTraits
import Testing

@testable import Access

@Suite struct `the reserved names` {
    private static let identity = ["X-User-Id", "Roles", "user.mail", "X_Tenant", "2FA-Level", "_internal", "!mark"]
    private static let names = ReservedNames(identity)

    private func isReserved(_ name: String) -> Bool { Self.names.contains(Array(name.utf8).span) }

    /// A spelling that CGI, WSGI, PHP or lighttpd would read as the same name.
    private func spelling(of name: String, _ numbers: inout Numbers) -> String {
        var spelt = ""
        for character in name {
            if "-_.!".contains(character) {
                spelt.append(numbers.pick(["-", "_", ".", "+", "!", "#", "$", "%", "&", "'", "*", "^", "`", "|", "~"]))
            } else {
                spelt += numbers.below(2) == 0 ? character.uppercased() : character.lowercased()
            }
        }
        return spelt
    }

    @Test(.holds("HTTP-12", "HTTP-42")) func `cover every spelling of every fixed name`() {
        var numbers = Numbers(seed: 12)
        for name in ReservedNames.fixed {
            #expect(isReserved(name))
            for _ in 0..<200 {
                let spelt = spelling(of: name, &numbers)
                #expect(isReserved(spelt), "\(spelt)")
            }
        }
    }

    @Test func `cover what gRPC reads as bytes of an identity's name`() {
        for name in ["x-user-id-bin", "X_User_Id_Bin", "roles-bin"] { #expect(isReserved(name), "\(name)") }
        #expect(!isReserved("x-other-bin"))
    }

    @Test(.holds("HTTP-12", "HTTP-42")) func `cover every spelling of every configured identity name`() {
        var numbers = Numbers(seed: 42)
        for name in Self.identity {
            #expect(isReserved(name), "\(name)")
            for _ in 0..<200 {
                let spelt = spelling(of: name, &numbers)
                #expect(isReserved(spelt), "\(spelt)")
            }
        }
    }

    @Test(.holds("HTTP-12", "HTTP-42")) func `cover whatever begins like a family`() {
        var numbers = Numbers(seed: 7)
        for family in ReservedNames.familyPrefixes {
            for end in ["", "for", "user", "x-y.z_0", "9"] {
                for _ in 0..<40 {
                    let spelt = spelling(of: family + end, &numbers)
                    #expect(isReserved(spelt), "\(spelt)")
                }
            }
        }
        for name in [
            "X-Forwarded-For", "x_forwarded_user", "X-Original-URL", "X.SSL.Client_S_DN", "X-Client-Cert",
            "X-Client-Certificate", "X-Authenticated-User", "X-Portcullis-Anything",
        ] { #expect(isReserved(name), "\(name)") }
    }

    @Test(
        .holds("HTTP-42"),
        arguments: [
            "", "-", "_", ".", "accept", "Accept-Language", "user-agent", "x", "X-", "x-foo", "x-user", "x-user-idx",
            "x-user-i", "y-user-id", "role", "roless", "xroles", "x-roles", "x-forward", "xforwarded-for",
            "forwarde", "forwarded-", "remote-users", "x-original", "x-ssl", "x-authenticated", "client-cert-chains",
            "client-certificate", "x-real-ips", "x-http-methods", "traceparent", "x--user-id", "x-user--id",
            "x-user-id+",
            "x-user-id ", "2fa", "2fa-levels", "internal", "!", "mark", "x-us\u{E9}r-id", "\u{1F}",
        ])
    func `leave ordinary names alone`(name: String) { #expect(!isReserved(name)) }

    private static func letter(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39, 0x61...0x7A: byte
        case 0x41...0x5A: byte + 32
        default: nil
        }
    }

    @Test(.holds("HTTP-42")) func `differ in no byte but case and the separators`() {
        // Bytes whose case bit makes them look like letters or separators are others.
        for name in ["X-User-Id", "Roles", "2FA-Level"] {
            let bytes = Array(name.utf8)
            for (place, changed) in everyChange(of: bytes) {
                // What is neither letter nor digit separates.
                let isAlike = Self.letter(changed[place]) == Self.letter(bytes[place])
                #expect(Self.names.contains(changed.span) == isAlike, "\(name) with \(changed[place]) at \(place)")
            }
        }
    }

    @Test(.holds("HTTP-42")) func `hold without any identity name, and with many`() {
        let none = ReservedNames([])
        let (family, identity) = (
            none.contains(Array("x-forwarded-for".utf8).span), none.contains(Array("x-user-id".utf8).span)
        )
        #expect(family)
        #expect(!identity)
        let many = (0..<500).map { "X-Claim-\($0)" } + ["X-Claim-1", "x_claim_1"]
        let names = ReservedNames(many)
        for name in many {
            let isReserved = names.contains(Array(name.utf8).span)
            #expect(isReserved, "\(name)")
        }
        let isOther = names.contains(Array("X-Claim-500".utf8).span)
        #expect(!isOther)
    }
}
