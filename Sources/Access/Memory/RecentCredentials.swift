import Bytes
import Crypto

/// The digests of the tokens, or of the sessions' cookies, that came a moment ago.
///
/// A client sends the same one with each of many requests, and to compare its bytes takes a small part of the time that its
/// SHA-256 takes. The digest is the same either way: what is found by it is found as exactly as before (JOSE-34).
///
/// It holds secrets, so what it holds is bounded and short-lived: only what a record was found for, which nobody can fill it
/// with by guessing, in so many places, and none for more than about a second after it came last. Whatever leaves is
/// overwritten.
@safe
struct RecentCredentials {
    /// How many there are at most: one bit of a word for each.
    static let places = 64
    /// Longer ones are hashed each time.
    static let longest = 2048
    /// Shorter ones too: the last eight bytes say where one belongs.
    static let shortest = 16
    /// Sweeps of the caches, ten a second, that one stays for after it came last.
    static let sweepsKept = 10

    private struct Place {
        var count: Int
        var digest: SHA256Digest
        var sweepsLeft: Int
    }

    // Their owner's alone, until `destroy`. What is at a place has a meaning while its bit says so; its bytes are the first
    // of the `longest` that it has for them.
    private let kept: UnsafeMutablePointer<Place>
    let bytes: UnsafeMutablePointer<UInt8>
    private var occupied: UInt64 = 0

    init() {
        unsafe kept = .allocate(capacity: RecentCredentials.places)
        unsafe bytes = .allocate(capacity: RecentCredentials.places * RecentCredentials.longest)
    }

    /// How many there are.
    var count: Int { occupied.nonzeroBitCount }

    /// SHA-256 of a credential.
    func digest(of credential: Span<UInt8>) -> SHA256Digest {
        guard let place = RecentCredentials.place(of: credential), has(place),
            unsafe kept[place].count == credential.count, isEqual(place, credential)
        else { return SHA256.hash(credential) }
        unsafe kept[place].sweepsLeft = RecentCredentials.sweepsKept
        return unsafe kept[place].digest
    }

    /// Keeps one that a record was found for, in place of another one.
    mutating func keep(_ credential: Span<UInt8>, _ digest: SHA256Digest) {
        guard let place = RecentCredentials.place(of: credential) else { return }
        if has(place) {
            guard unsafe kept[place].digest != digest else { return }
            empty(place, from: credential.count)
        }
        // Both are within what was allocated: a place is less than `places`, and a credential has `longest` bytes at most.
        unsafe (kept + place).initialize(
            to: Place(count: credential.count, digest: digest, sweepsLeft: RecentCredentials.sweepsKept))
        unsafe credential.withUnsafeBufferPointer { credential in
            guard let start = credential.baseAddress else { return }
            unsafe (bytes + place * RecentCredentials.longest).update(from: start, count: credential.count)
        }
        occupied |= 1 << UInt64(place)
    }

    /// Has those leave that have not come for a while; with each sweep of the caches.
    mutating func sweep() {
        var left = occupied
        while left != 0 {
            let place = left.trailingZeroBitCount
            left &= left &- 1
            unsafe kept[place].sweepsLeft -= 1
            if unsafe kept[place].sweepsLeft <= 0 { empty(place) }
        }
    }

    /// Empties it for good, and frees its memory.
    mutating func destroy() {
        while occupied != 0 { empty(occupied.trailingZeroBitCount) }
        unsafe kept.deallocate()
        unsafe bytes.deallocate()
    }

    private func has(_ place: Int) -> Bool { occupied & (1 << UInt64(place)) != 0 }

    /// Overwrites what is at a place, but for so many bytes that are overwritten next.
    private mutating func empty(_ place: Int, from offset: Int = 0) {
        occupied &= ~(1 << UInt64(place))
        let count = unsafe max(0, kept[place].count - offset)
        unsafe (bytes + place * RecentCredentials.longest + offset).update(repeating: 0, count: count)
    }

    /// Where one belongs, by its last bytes: those of a signature, or as random.
    private static func place(of credential: Span<UInt8>) -> Int? {
        guard credential.count >= shortest, credential.count <= longest else { return nil }
        let mixed = credential.word(at: credential.count &- 8) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed &>> 58) & (places &- 1)
    }

    /// Compares every byte, whatever the first ones say: the time tells nobody how much of a token was guessed.
    private func isEqual(_ place: Int, _ credential: Span<UInt8>) -> Bool {
        // As many bytes as the credential has were put there.
        let known = unsafe UnsafeRawPointer(bytes + place * RecentCredentials.longest)
        var (difference, offset) = (UInt64(0), 0)
        while offset &+ 8 <= credential.count {
            difference |=
                unsafe known.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
                ^ credential.word(at: offset)
            offset &+= 8
        }
        // The last eight once more, for those behind the last multiple of eight.
        let last = credential.count &- 8
        difference |=
            unsafe known.loadUnaligned(fromByteOffset: last, as: UInt64.self).littleEndian
            ^ credential.word(at: last)
        return difference == 0
    }
}
