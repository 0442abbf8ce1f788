/// The commented reference configuration, as `portcullis defaults` prints it.
package enum ReferenceText {
    /// The text of config/reference.yaml, which the build puts into the program.
    package static let yaml = String(decoding: PackageResources.reference_yaml, as: UTF8.self)
}
