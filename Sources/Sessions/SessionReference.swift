import Crypto

extension Session {
    /// What logs call a session, from its login to its end, whatever its cookie is by now: 64 bits of the digest of its identifier,
    /// with which nobody can use or end it.
    ///
    /// Not those that its name in a store is made of: logs and names of keys together do not tell whose session is which.
    package var reference: UInt64 { UInt64(bigEndian: idDigest.afterLongPrefix) }
}
