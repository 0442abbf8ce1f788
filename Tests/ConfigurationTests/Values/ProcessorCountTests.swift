import Testing

@testable import Configuration

@Suite struct `the number of processors` {
    @Test(
        arguments: [
            ("Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n", nil, 4),
            ("Cpus_allowed:\tffffffff,00000003\n", "max 100000\n", 34),
            ("Cpus_allowed:\tff\n", "150000 100000\n", 2),
            ("Cpus_allowed:\tff\n", "50000 100000\n", 1),
            ("Cpus_allowed:\t1\n", "800000 100000\n", 1),
            ("Cpus_allowed:\t0\n", nil, 6),
            ("", "0 100000", 6), ("", "100000 0", 6), ("", "-1 100000", 6), ("", "x", 6),
            (nil, nil, 6),
        ] as [(String?, String?, Int)])
    func `is what the scheduler and the control group allow`(status: String?, quota: String?, count: Int) {
        #expect(ProcessorCount.allowed(status: status, quotas: [quota].compactMap(\.self), online: 6) == count)
    }

    @Test func `is never below one`() {
        #expect(ProcessorCount.allowed(status: nil, quotas: [], online: -1) == 1)
    }
}
