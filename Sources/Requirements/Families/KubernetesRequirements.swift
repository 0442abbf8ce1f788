extension RequirementTable {
    /// Rows of the gateway in Kubernetes.
    static let kubernetes: [Requirement] = [
        Requirement(
            id: "ECO-37", source: "Kubernetes 1.29 sidecar containers; Pod Security Standards",
            promise: """
                The manifests of a sidecar start the gateway before the app and end it after the app, let nothing but \
                the gateway reach the app, and fit the restricted standard.
                """),
        Requirement(
            id: "ECO-38", source: "policy of this gateway",
            promise: """
                The replicas of a Deployment share the keys of sessions, session tickets, nonces and assertions. The \
                gateway warns of each that a configuration for several replicas lacks.
                """),
        Requirement(
            id: "ECO-39", source: "policy of this gateway",
            promise: """
                The configuration in each manifest passes the gateway's check, with its files as Kubernetes mounts \
                them.
                """),
        Requirement(
            id: "ECO-40", source: "Kubernetes ConfigMaps and Secrets as volumes",
            promise: """
                The gateway takes renewed files without a signal, all of one exchange together. It goes on with the old \
                ones where the new ones do not fit, and says so.
                """),
    ]
}
