import Access

/// What every section needs beside its own values: where problems go, and what lies outside the text.
struct Translation {
    let problems: ProblemList
    let sources: ConfigurationSources
    /// The folder of the configuration file; relative paths start there.
    let folder: String

    /// The path of a named file as the rest of the gateway opens it.
    func resolved(_ path: PlacedText) -> String { FilePath.resolve(path.text, in: folder) }

    /// The bytes of a named file, or nil after the problem has been noted.
    func file(_ path: PlacedText, noun: String, limit: Int = 1 << 20) -> ConfigurationSources.File? {
        let resolved = resolved(path)
        switch sources.file(resolved, limit) {
        case .success(let file): return file
        case .failure(.larger(let limit)):
            problems.error(
                at: path.place, expected: "\(noun) of at most \(ByteCountText.text(limit))", found: "a larger file",
                remedy: "check that this is the right file")
        case .failure(let refusal):
            var remedy = refusal.remedy(resolved)
            if refusal == .missing { remedy += "; paths are absolute, or relative to this file's folder" }
            problems.error(
                at: path.place, expected: "a readable file with \(noun)",
                found: "\(Quoted.text(path.text)): \(refusal.found)", remedy: remedy)
        }
        return nil
    }

    /// Notes a private key that everybody on the machine can read or replace (CA-17).
    func refuseWorldAccess(to file: ConfigurationSources.File, at path: PlacedText, noun: String) {
        guard file.permissions & 0o006 != 0 else { return }
        let mode = String(file.permissions & 0o777, radix: 8)
        problems.error(
            at: path.place, expected: "\(noun) that only its owner and group can read",
            found: "\(Quoted.text(path.text)) with mode 0\(mode)",
            remedy: "chmod o= the file, or mount it with mode 0440")
    }

    /// The resolved path of a file with certification authorities, checked.
    func certificateAuthority(_ object: CheckedObject) -> String? {
        authorities(
            object, "certificate_authority",
            remedy: "give the PEM file of the authority that signed the server's certificate")
    }

    /// The same for another key that names such a file.
    func authorities(_ object: CheckedObject, _ key: String, remedy: String) -> String? {
        guard let path = object.text(key) else { return nil }
        if let file = file(path, noun: "certificates of certification authorities") {
            if let fault = sources.documents.authorities(file) {
                problems.error(
                    at: path.place, expected: "certificates of certification authorities in PEM", found: fault,
                    remedy: remedy)
            } else if isSingle(file) {
                // Of many some may be over: nobody's certificate need be signed by those.
                CertificateJudgement.judgeTime(file, at: path.place, self)
            }
        }
        return resolved(path)
    }

    /// Whether a file in PEM has one certificate.
    private func isSingle(_ file: ConfigurationSources.File) -> Bool {
        String(decoding: file.bytes, as: UTF8.self).split(separator: "-----BEGIN ", omittingEmptySubsequences: false)
            .count { $0.hasPrefix("CERTIFICATE") || $0.hasPrefix("TRUSTED CERTIFICATE") } == 1
    }

    /// The certificate that a server is shown, by `client_certificate` and `client_key`, of which neither goes alone.
    func clientCertificate(_ object: CheckedObject, _ shape: ObjectShape) -> CertificateFiles? {
        for (one, other) in [("client_certificate", "client_key"), ("client_key", "client_certificate")]
        where object.says(one) && !object.says(other) {
            problems.error(
                at: object.place(of: one), expected: "\(other) beside \(one)", found: "nothing",
                remedy: "add  \(shape[other].map { "\(other): \($0.example)" } ?? other)")
        }
        guard let certificate = object.text("client_certificate"), let key = object.object("client_key")?.text("file")
        else { return nil }
        judgePair(certificate, key)
        return CertificateFiles(certificateFile: resolved(certificate), keyFile: resolved(key))
    }

    /// Notes what is wrong with a certificate chain and the private key of its leaf.
    func judgePair(_ certificate: PlacedText, _ keyPath: PlacedText) {
        let chain = file(certificate, noun: "a certificate chain")
        let key = file(keyPath, noun: "a private key")
        if let key { refuseWorldAccess(to: key, at: keyPath, noun: "a private key") }
        guard let chain, let key else { return }
        guard let fault = sources.documents.certificateAndKey(chain, key) else {
            return CertificateJudgement.judgeTime(chain, at: certificate.place, self)
        }
        problems.error(
            at: certificate.place, expected: "a certificate chain in PEM and the private key of its leaf",
            found: fault,
            remedy: fault == PEMText.encrypted
                ? PEMText.withoutPassphrase
                : "check that certificate and key name the right files, and belong together")
    }
}
