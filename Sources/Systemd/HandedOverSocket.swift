/// A socket that a service manager opened and handed over with the start (sd_listen_fds(3)).
public struct HandedOverSocket: Sendable, Equatable {
    /// What the manager calls it: `FileDescriptorName=` of a socket unit.
    public let name: String
    /// Its number in this process.
    public let descriptor: Int32

    /// Names a descriptor.
    public init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
    }

    /// The first descriptor that is handed over (`SD_LISTEN_FDS_START`).
    private static let first: Int32 = 3
    /// More sockets than listeners there are: a number beyond it is a mistake.
    private static let limit: UInt64 = 1024

    /// What was handed over to this process: nothing without `LISTEN_FDS`, or where `LISTEN_PID` names another process.
    ///
    /// Without `LISTEN_FDNAMES` each is called `unknown`, as systemd has it.
    public static func all(
        in environment: ServiceEnvironment, ownPID: Int32
    ) throws(ServiceEnvironmentFault) -> [HandedOverSocket] {
        guard let text = environment.listenDescriptors, let pid = environment.listenPID else { return [] }
        guard let receiver = ServiceText.number(pid) else {
            throw ServiceEnvironmentFault("LISTEN_PID", expected: "the number of a process", found: pid)
        }
        // Inherited from a parent that they were meant for.
        guard receiver == UInt64(clamping: ownPID) else { return [] }
        guard let count = ServiceText.number(text), count <= limit else {
            throw ServiceEnvironmentFault("LISTEN_FDS", expected: "a number of sockets up to \(limit)", found: text)
        }
        guard count > 0 else { return [] }
        var names = [String](repeating: "unknown", count: Int(count))
        if let list = environment.listenNames {
            names = list.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard names.count == Int(count) else {
                throw ServiceEnvironmentFault(
                    "LISTEN_FDNAMES", expected: "\(count) names, as LISTEN_FDS says, with colons between them",
                    found: list)
            }
        }
        return names.enumerated().map { HandedOverSocket(name: $1, descriptor: first + Int32($0)) }
    }

    /// Which socket each listener gets, by the listener's place, and what does not fit together, a sentence each.
    ///
    /// Where anything is handed over, every listener with a name gets the socket of that name, and every socket has a
    /// listener. A listener without a name (nil), or one that is `optional`, opens a socket of its own where none is
    /// handed over.
    public static func match(
        _ sockets: [HandedOverSocket], to listeners: [String?], optional: Set<String> = []
    ) -> (places: [HandedOverSocket?], problems: [HandOverProblem]) {
        guard !sockets.isEmpty else { return (listeners.map { _ in nil }, []) }
        var problems: [HandOverProblem] = []
        let known = listeners.compactMap(\.self)
        for (index, socket) in sockets.enumerated() {
            if sockets[..<index].contains(where: { $0.name == socket.name }) {
                problems.append(.twice(socket.name))
            } else if !known.contains(socket.name) {
                problems.append(.surplus(socket.name, listeners: known))
            }
        }
        let places = listeners.map { name in sockets.first { $0.name == name } }
        for (name, place) in zip(listeners, places) {
            guard let name, place == nil, !optional.contains(name) else { continue }
            problems.append(.missing(name, sockets: sockets.map(\.name)))
        }
        return (places, problems)
    }
}

/// What keeps sockets that were handed over and listeners from fitting together.
public enum HandOverProblem: Error, Sendable, Equatable {
    /// No listener is called so.
    case surplus(String, listeners: [String])
    /// A listener is called so, and no socket.
    case missing(String, sockets: [String])
    /// Several sockets are called so.
    case twice(String)
    /// The descriptor of this name is no socket that listens for streams: what it is instead.
    case unfit(String, descriptor: Int32, found: String)

    /// What was expected and what was found, as one sentence.
    public var description: String {
        switch self {
        case .surplus(let name, _):
            "expected a listener for each socket that was handed over, found none for the socket \(Self.quoted(name))"
        case .missing(let name, _):
            "expected a socket for each listener that has a name, found none for the listener \(Self.quoted(name))"
        case .twice(let name):
            "expected each socket that was handed over to have a name of its own, found two sockets \(Self.quoted(name))"
        case .unfit(let name, let descriptor, let found):
            "expected the socket \(Self.quoted(name)) (descriptor \(descriptor)) to listen for streams, found \(found)"
        }
    }

    /// What to change.
    public var remedy: String {
        switch self {
        case .surplus(_, let listeners):
            listeners.isEmpty
                ? "no listener has a name: give one  name:  as FileDescriptorName= of the socket unit says"
                : "write FileDescriptorName= of the socket unit as a listener's name: "
                    + Self.list(listeners)
        case .missing(_, let sockets):
            "the sockets are called \(Self.list(sockets)): start the socket unit of this listener too, or take its name away"
        case .twice: "give each socket a unit of its own, with a FileDescriptorName= of its own"
        case .unfit: "say ListenStream= and Accept=no in its socket unit"
        }
    }

    private static func quoted(_ name: String) -> String { "\"\(ServiceText.line(name, limit: 64))\"" }

    private static func list(_ names: [String]) -> String {
        let some = names.prefix(8).map { ServiceText.line($0, limit: 64) }.joined(separator: ", ")
        return some + (names.count > 8 ? ", …" : "")
    }
}
