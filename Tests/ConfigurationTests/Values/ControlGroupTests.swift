import Testing

@testable import Configuration

@Suite struct `the control groups of the process` {
    /// Groups as a machine with systemd has them.
    private static let files = [
        "/sys/fs/cgroup/system.slice/portcullis.service/cpu.max": "150000 100000\n",
        "/sys/fs/cgroup/system.slice/portcullis.service/memory.max": "max\n",
        "/sys/fs/cgroup/system.slice/cpu.max": "max 100000\n",
        "/sys/fs/cgroup/system.slice/memory.max": "67108864\n",
        "/sys/fs/cgroup/memory.max": "134217728\n",
    ]

    @Test func `are its own and those around it, of which the narrowest counts`() {
        let group = ControlGroup.read(
            membership: "0::/system.slice/portcullis.service\n", file: { Self.files[$0] })
        #expect(group.quotas == ["150000 100000\n", "max 100000\n"])
        #expect(group.memory == ["max\n", "67108864\n", "134217728\n"])
        #expect(group.memoryLimit == 64 << 20)
        #expect(ProcessorCount.allowed(status: "Cpus_allowed:\tff\n", quotas: group.quotas, online: 8) == 2)
    }

    @Test(
        arguments: [
            // As in a container, on a machine with the former hierarchy, of a group outside of what is seen, without /proc.
            "0::/\n", "4:memory:/a\n3:cpu:/a\n", "0::/../outside\n", nil,
        ] as [String?])
    func `are the root alone where that is all that is seen`(membership: String?) {
        let group = ControlGroup.read(membership: membership, file: { Self.files[$0] })
        #expect(group == ControlGroup(quotas: [], memory: ["134217728\n"]))
    }

    @Test(arguments: ["max\n", "", "x", "0\n", "-1\n", "99999999999999999999\n"])
    func `have no bound where the kernel writes none`(text: String) {
        #expect(ControlGroup(memory: [text]).memoryLimit == nil)
        #expect(ControlGroup(memory: [text, "4096\n"]).memoryLimit == 4096)
    }

    @Test func `are read from real files`() throws {
        let folder = try TemporaryFolder()
        try folder.write("67108864\n", to: "memory.max")
        try folder.write("250000 100000\n", to: "cpu.max")
        let group = ControlGroup.read(
            membership: "0::/\n", root: folder.path,
            file: { path in
                guard case .success(let file) = ConfigurationSources.system.file(path, 100) else { return nil }
                return String(decoding: file.bytes, as: UTF8.self)
            })
        #expect(group.memoryLimit == 64 << 20)
        #expect(ProcessorCount.allowed(status: nil, quotas: group.quotas, online: 8) == 3)
    }
}

@Suite struct `the memory that caches may take` {
    private static func warnings(_ limit: Int?, _ rest: String = "", workers: Int = 2) throws -> [String] {
        var sources = ConfigurationSources.scripted()
        sources.memoryLimit = limit
        let text = Sample(rest: "workers: \(workers)\n" + rest).text
        return try Configuration.load(text: Array(text.utf8), folder: ".", from: sources).warnings.map {
            $0.text(file: "gateway.yaml")
        }
    }

    @Test func `is compared with what the control group allows, and the sum is told`() throws {
        #expect(
            try Self.warnings(64 << 20) == [
                """
                gateway.yaml: warning: token_cache.bytes: expected caches that fit into the 64MiB that this process may \
                have (memory.max), found 256MiB: 256MiB of verified tokens (token_cache.bytes × 2 workers)
                    lower token_cache.bytes, dpop.replay_memory or workers, or allow more: the kernel ends a process that \
                takes more, and all its requests with it
                """
            ])
    }

    @Test func `is no reason to warn where it fits, or where nothing bounds it`() throws {
        #expect(try Self.warnings(256 << 20) == [])
        #expect(try Self.warnings((256 << 20) - 1).count == 1)
        #expect(try Self.warnings(nil) == [])
        #expect(try Self.warnings(64 << 20, "token_cache: { bytes: 16MiB }") == [])
        #expect(try Self.warnings(128 << 20, workers: 1) == [])
    }

    @Test func `is no reason not to load, however large`() throws {
        let rest = "token_cache: { bytes: 1GiB }"
        #expect(try Self.warnings(1, rest, workers: 256)[0].contains("found 256GiB"))
    }
}
