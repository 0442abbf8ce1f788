extension RequirementTable {
    /// Rows of the container image, whose tests are `Tests/Image`.
    static let images: [Requirement] = [
        Requirement(
            id: "ECO-30", source: "policy of this gateway",
            promise: """
                The image holds the program, the shared libraries it loads, certificates and one user, in 40 MB \
                at most, 20 compressed. There is no shell in it, and no package manager.
                """),
        Requirement(
            id: "ECO-31", source: "CIS Docker Benchmark; Kubernetes Pod Security Standards, restricted",
            promise: """
                The gateway runs as a numeric user without any capability, with no new privileges, on a root that \
                cannot be written.
                """),
        Requirement(
            id: "ECO-32", source: "policy of this gateway",
            promise: """
                The program asks the admin listener of a configuration whether the gateway is well, and says so by \
                its status within a second.
                """),
        Requirement(
            id: "ECO-33", source: "CycloneDX 1.5",
            promise: """
                A bill of materials names each file of the image, each library with Debian's package and version, \
                and each Swift package with its revision.
                """),
        Requirement(
            id: "ECO-34", source: "OCI Image Specification",
            promise: """
                The same program and the same packages give the same image, which names its source, revision and \
                version.
                """),
        Requirement(
            id: "ECO-35", source: "policy of this gateway",
            promise: "The program ends with a failure, in one line that says so, where /proc is not mounted."),
        Requirement(
            id: "ECO-36", source: "policy of this gateway",
            promise: """
                The gateway takes the number of its workers from the control groups' quotas, and warns when its \
                caches may take more memory than they allow.
                """),
        Requirement(
            id: "ECO-45", source: "policy of this gateway",
            promise: """
                A profile lists the system calls that the gateway needs. The gateway itself gives up to run other \
                programs and to look into other processes.
                """),
    ]
}
