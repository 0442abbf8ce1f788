import Crypto

extension Session {
    /// What logs call a session, from its login to its end, whatever its cookie is by now: the first 64 bits of a digest
    /// of its identifier, with which nobody can use or end it.
    package var reference: UInt64 { UInt64(bigEndian: SHA256.hash(id.span).prefix) }
}
