// SPDX-License-Identifier: Apache-2.0
import HTTPMessage

/// Where a server sends browsers back to: one string for each client, made of the configuration alone (CF-02).
public enum RedirectURI {
    /// `path` of the gateway at `publicURL`; nil unless that is an https URL without query and fragment (RFC 6749
    /// §3.1.2; PAR-07).
    ///
    /// Never derived from a request's Host, in which an attacker could name a place of their own.
    public static func make(publicURL: String, path: String) -> String? {
        var origin = publicURL[...]
        while origin.utf8.last == UInt8(ascii: "/") { origin = origin.dropLast() }
        let text = origin + path
        guard path.utf8.first == UInt8(ascii: "/"), let uri = URI(String(text)), uri.scheme == "https",
            !uri.host.isEmpty, uri.query == nil, uri.fragment == nil
        else { return nil }
        return String(text)
    }
}
