// SPDX-License-Identifier: Apache-2.0
import Glibc
import HTTP1
import Telemetry
import Transport

/// What all workers share: read at start, then only read.
struct SharedParts {
    let tables: RouteTable
    let upstreams: [UpstreamSettings]
    let clientTLS: [ClientTLS?]
    let serverTLS: [ServerTLS?]
    let resolver: Resolver
    let operatorLog: OperatorLog

    init(_ settings: GatewaySettings, operatorLog: OperatorLog) throws(GatewayFailure) {
        try UpstreamCredential.check(settings.routes)
        var upstreams: [UpstreamSettings] = []
        for route in settings.routes where !upstreams.contains(route.upstream) { upstreams.append(route.upstream) }
        self.upstreams = upstreams
        tables = RouteTable(settings, upstreams: upstreams)
        clientTLS = try SharedParts.clientTLS(upstreams)
        serverTLS = try SharedParts.serverTLS(settings.listeners)
        resolver = Resolver()
        self.operatorLog = operatorLog
    }

    private static func clientTLS(_ upstreams: [UpstreamSettings]) throws(GatewayFailure) -> [ClientTLS?] {
        var made: [ClientTLS?] = []
        for upstream in upstreams {
            guard upstream.tls else {
                made.append(nil)
                continue
            }
            do throws(TLSFailure) {
                made.append(try ClientTLS(certificateAuthorityFile: upstream.certificateAuthorityFile))
            } catch {
                throw GatewayFailure("TLS to \(upstream.host) could not be set up", "\(error)")
            }
        }
        return made
    }

    private static func serverTLS(_ listeners: [ListenerSettings]) throws(GatewayFailure) -> [ServerTLS?] {
        var made: [ServerTLS?] = []
        for listener in listeners {
            guard let settings = listener.tls else {
                made.append(nil)
                continue
            }
            do throws(TLSFailure) {
                made.append(
                    try ServerTLS(
                        identities: settings.certificates.map {
                            ServerTLS.Identity(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
                        }, minimumVersion: settings.minimumVersion == .tls13 ? .tls13 : .tls12))
            } catch {
                throw GatewayFailure("TLS for \(listener.publicURL) could not be set up", "\(error)")
            }
        }
        return made
    }
}
