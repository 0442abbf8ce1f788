public import Crypto
import Glibc
public import RESP

/// What a link says first on each connection, in one write, and what of the answers it insists on (SH-19).
///
/// Without credentials and steps a connection counts as open before the server has said a word: `ROLE` makes it prove itself.
public struct Greeting: Sendable {
    /// Who the link is.
    public struct Credentials: Sendable {
        /// The user of the server's access list; nil for its default user.
        let user: String?
        /// The password.
        let password: Secret

        /// A user and the password.
        public init(user: String?, password: Secret) {
            self.user = user
            self.password = password
        }
    }

    /// One command behind the credentials.
    public struct Step: Sendable {
        /// What its answer must be for the connection to be used.
        public enum Expectation: Sendable {
            /// Anything but an error, as of `SELECT` and `SCRIPT LOAD`.
            case success
            /// Anything: whoever uses the link reads it, as of `INFO`, which a user may be denied.
            case anything
            /// The same of a key that another server may have; not of one that has not found out yet which keys are its own.
            case anythingSettled
            /// The answer of `ROLE` at a primary.
            case primary
        }

        /// The command; no secret, for it is kept.
        public var command: Command
        /// What its answer must be.
        public var expectation: Expectation

        /// A command and what its answer must be.
        public init(_ command: Command, _ expectation: Expectation) {
            self.command = command
            self.expectation = expectation
        }
    }

    /// Nil where the server wants none.
    public var credentials: Credentials?
    /// In their order.
    public var steps: [Step]

    /// Credentials first, then these steps.
    public init(credentials: Credentials? = nil, steps: [Step] = []) {
        self.credentials = credentials
        self.steps = steps
    }

    /// Writes all of it; the password has no copy elsewhere, for there is room before it comes.
    func write(to output: inout [UInt8]) {
        var count = steps.reduce(0) { $0 + $1.command.byteCount }
        if let credentials { count += 128 + (credentials.user?.utf8.count ?? 0) + credentials.password.count }
        output.reserveCapacity(output.count + count)
        if let credentials {
            CommandBytes.begin(credentials.user == nil ? 2 : 3, in: &output)
            CommandBytes.append("AUTH".utf8Span.span, to: &output)
            if let user = credentials.user { CommandBytes.append(user.utf8Span.span, to: &output) }
            CommandBytes.append(credentials.password.reveal().span, to: &output)
        }
        for step in steps { step.command.write(to: &output) }
    }
}

/// Memory that a password was in.
enum Overwriting {
    /// Makes zeros of the bytes, in a way that no optimizer leaves out (`explicit_bzero`).
    static func wipe(_ bytes: inout [UInt8]) {
        // All empty arrays share one storage, which no thread may write to.
        guard bytes.capacity > 0, !bytes.isEmpty else { return }
        bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        }
    }
}
