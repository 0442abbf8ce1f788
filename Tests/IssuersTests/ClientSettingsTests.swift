// SPDX-License-Identifier: Apache-2.0
import Issuers
import JOSE
import OAuth
import TestSupport
import Testing

@Suite struct `the clients of several servers` {
    private func client(
        _ name: String, issuer: Int, _ key: SigningKey, audience: ClientCredentials.AssertionAudience = .issuer
    ) throws -> ClientSettings {
        ClientSettings(
            name: name, issuer: issuer,
            credentials: try ClientCredentials(
                clientID: name, method: .privateKeyJWT(key.signer()), assertionAudience: audience))
    }

    @Test func `CA-10 CA-11 with a key each have no conflict`() throws {
        let clients = try [
            client("a", issuer: 0, .p256, audience: .endpoint), client("b", issuer: 1, .otherP256, audience: .endpoint),
        ]
        #expect(try ClientSettings.conflicts(among: clients, assertionKeys: [SigningKey.rsa.signer()]) == [])
    }

    @Test func `CA-10 may not sign with the key of identity assertions`() throws {
        let found = try ClientSettings.conflicts(
            among: [client("a", issuer: 0, .p256)], assertionKeys: [SigningKey.rsa.signer(), SigningKey.p256.signer()])
        let name = try SigningKey.p256.signer().keyID
        #expect(found == [.keyForTwoPurposes(keyID: name, purposes: ["client a", "identity assertions"])])
    }

    @Test func `CA-11 may share a key only where every assertion names the configured issuer`() throws {
        let name = try SigningKey.p256.signer().keyID
        let bound = try client("a", issuer: 0, .p256)
        for audience in [ClientCredentials.AssertionAudience.endpoint, .tokenEndpoint] {
            let other = try client("b", issuer: 1, .p256, audience: audience)
            for clients in [[bound, other], [other, bound]] {
                #expect(
                    ClientSettings.conflicts(among: clients) == [
                        .keyForSeveralServers(keyID: name, clients: clients.map(\.name))
                    ])
            }
        }
        #expect(try ClientSettings.conflicts(among: [bound, client("b", issuer: 1, .p256)]) == [])
        let same = try client("b", issuer: 0, .p256, audience: .endpoint)
        #expect(ClientSettings.conflicts(among: [bound, same]) == [])
    }
}
