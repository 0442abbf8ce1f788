@testable import Access
import JOSE
import OAuth
import TestTraits
import Testing

@Suite struct `what a route says of proofs` {
    @Test(.holds("DPOP-03", "DPOP-10", "DPOP-16")) func `is its own for algorithms, and all routes' for time and size`()
    {
        var proofs = ProofSettings()
        #expect(DPoPRules(DPoPSettings(), proofs) == DPoPRules())
        proofs.past = .seconds(11)
        proofs.future = .seconds(12)
        proofs.maximumBytes = 13
        proofs.maximumIDBytes = 14
        #expect(
            DPoPRules(DPoPSettings(algorithms: [.edDSA, .es512]), proofs)
                == DPoPRules(
                    algorithms: [.edDSA, .es512], pastSeconds: 11, futureSeconds: 12, maximumBytes: 13,
                    maximumIDBytes: 14))
    }

    @Test(
        .holds("DPOP-22", "RS-03"),
        arguments: [
            ([.bearer], "Bearer"), ([.dpop], "DPoP"), ([.bearer, .dpop], "Bearer or DPoP"),
            ([.dpop, .bearer], "Bearer or DPoP"), ([.dpop, .dpop], "DPoP"), ([], ""),
        ] as [([TokenSettings.Scheme], String)])
    func `is taken as its schemes, which the operator reads by name`(
        schemes: [TokenSettings.Scheme], names: String
    ) {
        let set = SchemeSet(schemes)
        #expect(set.names == names)
        #expect(set.contains(.bearer) == schemes.contains(.bearer))
        #expect(set.contains(.dpop) == schemes.contains(.dpop))
    }
}
