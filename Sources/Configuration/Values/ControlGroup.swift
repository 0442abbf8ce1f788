/// What the control groups of this process allow it (version 2, one hierarchy), from the kernel's own texts.
struct ControlGroup: Equatable {
    /// The texts of `cpu.max`, the process's own group first, then those around it.
    var quotas: [String] = []
    /// The texts of `memory.max`, in the same order.
    var memory: [String] = []

    /// As much memory as the narrowest group allows, in bytes; nil without a bound.
    var memoryLimit: Int? {
        memory.compactMap { text in
            let word = text.filter { !$0.isWhitespace }
            // `max` is no bound, and so is what is no number.
            return Int(word).flatMap { $0 > 0 ? $0 : nil }
        }
        .min()
    }

    /// Reads the files of the groups that `/proc/self/cgroup` names, from the process's own to the root.
    ///
    /// In a container the own group is the root that it sees; a service's is some folders below it, and any of those may
    /// have the bound.
    static func read(
        membership: String?, root: String = "/sys/fs/cgroup", file: (String) -> String?
    ) -> ControlGroup {
        var group = ControlGroup()
        for folder in folders(membership, root) {
            if let text = file(folder + "/cpu.max") { group.quotas.append(text) }
            if let text = file(folder + "/memory.max") { group.memory.append(text) }
        }
        return group
    }

    /// `0::/system.slice/portcullis.service` is two folders below the root.
    private static func folders(_ membership: String?, _ root: String) -> [String] {
        let line = membership?.split(separator: "\n").first { $0.hasPrefix("0::/") }
        var names = line?.dropFirst(4).split(separator: "/") ?? []
        // Of a group that is outside of what this process sees, nothing below the root is its own.
        if names.contains("..") { names = [] }
        return (0...names.count).reversed().map { ([Substring(root)] + names.prefix($0)).joined(separator: "/") }
    }
}
