import HTTPMessage
import JSON
import OAuth

/// An authorization server's metadata (RFC 8414 §3), for one issuer and for the one that the document itself names.
enum DiscoveryFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        guard let asked = try? IssuerIdentifier("https://id.example/tenant") else { fatalError("the issuer is one") }
        checkOwnIssuer(input)
        let first = accept(input, asked)
        hold(first == accept(input, asked), "the same document says the same, or is refused for the same reason")
        guard case .success(let metadata) = first else { return .refused }
        check(metadata, input, asked)
        hold((try? accept(input, asked, schemes: .insecureHTTPAllowed).get()) == metadata, "https is always allowed")
        hold((try? accept(input, asked, keys: .optional).get()) == metadata, "keys may always be there")
        for other in ["https://id.example/tenant/", "https://id.example/Tenant", "https://id.example"] {
            guard let other = try? IssuerIdentifier(other) else { fatalError("the issuer is one") }
            hold((try? accept(input, other).get()) == nil, "a document is for one issuer")
        }
        hold((try? accept(input, asked, contentType: "text/html").get()) == nil, "a page is no document")
        hold((try? accept(input, asked, status: 404).get()) == nil, "an error is no document")
        return .accepted
    }

    private static func accept(
        _ body: [UInt8], _ issuer: IssuerIdentifier, schemes: EndpointSchemes = .httpsOnly,
        keys: ServerMetadata.KeySetLocation = .required, contentType: String = "application/json", status: Int = 200
    ) -> Result<ServerMetadata, MetadataRefusal> {
        Result { () throws(MetadataRefusal) in
            try ServerMetadata.accept(
                FetchResponse(status: status, contentType: contentType, body: body), issuer: issuer, schemes: schemes,
                keySetLocation: keys)
        }
    }

    /// Against what stands there to a reader of JSON alone.
    private static func check(_ metadata: ServerMetadata, _ input: [UInt8], _ issuer: IssuerIdentifier) {
        guard let document = try? JSONValue.parse(input.span), document.kind == .object else {
            fatalError("metadata is a JSON object")
        }
        hold(document["issuer"]?.utf8 == Array(issuer.text.utf8), "a document names the issuer that was asked")
        hold(metadata.issuer.utf8.elementsEqual(issuer.text.utf8), "metadata is the issuer's that was asked")
        hold(metadata.jwksURI != nil && metadata.jwksURI == document["jwks_uri"]?.string, "keys are where it says")
        let aliases = document["mtls_endpoint_aliases"]
        for (name, endpoint) in [
            ("token", metadata.token), ("introspection", metadata.introspection), ("revocation", metadata.revocation),
            ("pushed_authorization_request", metadata.pushedAuthorization),
        ] {
            let member = name + "_endpoint"
            hold(endpoint.url == document[member]?.string, "an endpoint is the member of its name")
            hold(endpoint.mutualTLSAlias == aliases?[member]?.string, "an alias is the member of its name")
            for url in [endpoint.url, endpoint.mutualTLSAlias] { url.map(checkURL) }
        }
        for url in [
            metadata.jwksURI, metadata.authorizationEndpoint, metadata.userInfo, metadata.endSession,
        ] { url.map(checkURL) }
        for (name, list) in [
            ("response_types_supported", metadata.responseTypes),
            ("code_challenge_methods_supported", metadata.codeChallengeMethods),
            ("dpop_signing_alg_values_supported", metadata.dpopSigningAlgorithms),
        ] {
            guard let list else { continue }
            hold(document[name]?.elements.map(\.string) == list, "a list is the member of its name, all of it")
        }
        hold(
            metadata.requiresPushedRequests == (document["require_pushed_authorization_requests"]?.bool == true),
            "what is demanded is what it says")
    }

    private static func checkURL(_ url: String) {
        hold(url.lowercased().hasPrefix("https://"), "secrets go nowhere but to https")
        guard let uri = URI(url) else { fatalError("an endpoint is a URL") }
        hold(uri.scheme == "https" && !uri.host.isEmpty, "an endpoint has a host")
    }

    /// The issuer as the document names it: whether it could be one, and where its metadata would be asked for.
    private static func checkOwnIssuer(_ input: [UInt8]) {
        guard let document = try? JSONValue.parse(input.span), let text = document["issuer"]?.string,
            let issuer = try? IssuerIdentifier(text), let uri = URI(text)
        else { return }
        hold(
            uri.scheme == "https" && uri.query == nil && uri.fragment == nil, "an issuer is an https URL without query")
        for form in [MetadataRequest.Form.automatic, .openIDConnect, .oauth] {
            let candidates = MetadataRequest.candidates(issuer: issuer, form: form)
            hold((form == .automatic ? 2...3 : 1...1).contains(candidates.count), "a fixed form is one place")
            hold(Set(candidates).count == candidates.count, "no place is asked twice")
            for candidate in candidates {
                guard let place = URI(candidate) else { fatalError("a place is a URL") }
                hold(
                    place.scheme == uri.scheme && place.authority == uri.authority && place.query == nil
                        && place.fragment == nil,
                    "an issuer is asked at its own host")
                hold(place.path.contains("/.well-known/"), "a place is a well-known one")
            }
        }
        if case .success(let metadata) = accept(input, issuer) { check(metadata, input, issuer) }
    }
}
