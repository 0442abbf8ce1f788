import COpenSSL
import Glibc
import Synchronization

/// The keys that session tickets are sealed with: those of every listener, worker and configuration of this process.
///
/// Made here, a key seals for twelve hours and opens for twelve more, in which whoever resumes by it gets a ticket of
/// its successor; then it is overwritten and what it sealed is a full handshake. Given by the operator, the first key
/// seals and all of them open, on every replica that has them (RFC 5077 §5.5, RFC 9325 §4.1).
///
/// Any thread. A lock is held for the copy of 80 bytes, once for each ticket made or opened: a handshake is a thousand
/// times as much work. Wraps `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
public final class TicketKeys: Sendable {
    /// How long a key of our own making seals, and then opens, in seconds.
    public static let rotationSeconds: UInt64 = 12 * 3600
    /// Shortest key an operator may give, in bytes.
    private static let minimumKeyBytes = 32

    /// Name, cipher key and MAC key, one after the other.
    struct Key: Equatable {
        var bytes: [UInt8]

        static let nameCount = 16
        static let count = 80

        /// A new one, or nil when the system has no randomness left.
        static func random() -> Key? {
            var bytes = [UInt8](repeating: 0, count: count)
            guard RAND_priv_bytes(&bytes, Int32(count)) == 1 else { return nil }
            return Key(bytes: bytes)
        }

        /// The same three on every replica, none of which tells anything about the secret or another.
        init?(derivedFrom secret: [UInt8]) {
            var bytes: [UInt8] = []
            for purpose in ["name", "cipher", "mac"] {
                let label = Array("portcullis ticket \(purpose)".utf8)
                var digest = [UInt8](repeating: 0, count: 32)
                var count: UInt32 = 0
                let made = HMAC(
                    EVP_sha256(), secret, Int32(clamping: secret.count), label, label.count, &digest, &count)
                guard made != nil, count == 32 else { return nil }
                bytes += purpose == "name" ? digest.prefix(Key.nameCount) : digest[...]
            }
            self.bytes = bytes
        }

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Keys OpenSSL's contexts for one ticket.
        func prepare(
            _ cipher: OpaquePointer?, _ mac: OpaquePointer?, _ vector: UnsafeMutablePointer<UInt8>, seals: Int32
        ) -> Bool {
            bytes.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return false }
                return portcullis_key_ticket(cipher, mac, start + Key.nameCount, vector, seals) == 1
            }
        }

        mutating func overwrite() { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    }

    private struct State {
        /// The first seals.
        var keys: [Key]
        /// When the first began to.
        var since: UInt64
    }

    private let state: Mutex<State>
    private let rotates: Bool
    private let now: @Sendable () -> UInt64

    /// Keys of our own making, that die with this process.
    ///
    /// `now` is monotonic, in seconds.
    public init(now: @escaping @Sendable () -> UInt64 = TicketKeys.monotonicSeconds) {
        rotates = true
        self.now = now
        state = Mutex(State(keys: [], since: 0))
    }

    /// Keys derived from secrets that replicas share; nil when there is none, or one is too short to be a key.
    public init?(shared secrets: [[UInt8]]) {
        let keys = secrets.compactMap { $0.count < TicketKeys.minimumKeyBytes ? nil : Key(derivedFrom: $0) }
        guard !keys.isEmpty, keys.count == secrets.count else { return nil }
        rotates = false
        now = { 0 }
        state = Mutex(State(keys: keys, since: 0))
    }

    deinit {
        state.withLock { state in
            for index in state.keys.indices { state.keys[index].overwrite() }
        }
    }

    /// The clock that a step of the system's time does not move; wraps `clock_gettime`.
    public static let monotonicSeconds: @Sendable () -> UInt64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec)
    }

    /// The key that seals now; nil without randomness.
    func sealing() -> Key? {
        let now = now()
        return state.withLock { state in
            rotate(&state, now)
            return state.keys.first
        }
    }

    /// The key of a name, and whether a newer one seals by now.
    func opening(_ name: UnsafePointer<UInt8>) -> (key: Key, isOld: Bool)? {
        let now = now()
        return state.withLock { state in
            rotate(&state, now)
            for (index, key) in state.keys.enumerated() where memcmp(key.bytes, name, Key.nameCount) == 0 {
                return (key, index > 0)
            }
            return nil
        }
    }

    private func rotate(_ state: inout State, _ now: UInt64) {
        guard rotates else { return }
        let age = now &- state.since
        guard state.keys.isEmpty || age >= TicketKeys.rotationSeconds, let next = Key.random() else { return }
        // One that has not sealed for as long as it did opens nothing any more either.
        let kept = age >= 2 * TicketKeys.rotationSeconds ? 0 : 1
        for index in state.keys.indices.dropFirst(kept) { state.keys[index].overwrite() }
        state.keys = [next] + state.keys.prefix(kept)
        state.since = now
    }
}

// Called by OpenSSL on the worker's thread for each ticket made (`seals` 1) or shown. 0 asks for a full handshake.
let onTicketKey:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, OpaquePointer?,
        Int32
    ) -> Int32 = { ssl, name, initialVector, cipher, mac, seals in
        guard let ssl, let name, let initialVector, let keys = ContextExtras.of(ssl)?.ticketKeys else { return 0 }
        if seals == 1 {
            guard let key = keys.sealing(), RAND_bytes(initialVector, portcullis_ticket_vector_length()) == 1 else {
                ERR_clear_error()
                return 0
            }
            memcpy(name, key.bytes, TicketKeys.Key.nameCount)
            return key.prepare(cipher, mac, initialVector, seals: 1) ? 1 : -1
        }
        guard let (key, isOld) = keys.opening(name) else { return 0 }
        guard key.prepare(cipher, mac, initialVector, seals: 0) else { return -1 }
        // A ticket of TLS 1.3 is for one use (RFC 8446 §C.4): each resumption brings the next one.
        return isOld || SSL_version(ssl) == TLS1_3_VERSION ? 2 : 1
    }
