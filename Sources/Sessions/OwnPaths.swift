/// The part of every origin that is the gateway's: no route has it, and no login leads back into it.
package enum OwnPaths {
    /// What all of these paths begin with; at this path itself, and behind a slash after it.
    package static let prefix = "/.portcullis"
}
