package import Issuers
import JOSE
package import OAuth

extension LoginSettings {
    /// What these settings want of the server: it is held against what the server says of itself (MD-07).
    package func demands(of client: ClientSettings, at issuer: IssuerSettings) -> LoginDemands {
        var demands = LoginDemands(settings: authorization, credentials: client.credentials)
        demands.requestObjectAlgorithm = keys.requestObject?.algorithm
        demands.wantsDPoP = dpop
        demands.assumesPKCE = assumesPKCE
        demands.isFAPI = isFAPI
        demands.logoutChannels = Set(
            (logout.backchannel ? [.back] : []) + (logout.frontchannel ? [LogoutChannel.front] : []))
        if identityFrom == nil {
            demands.idToken = LoginDemands.Made(
                signature: idToken.signature, mustBeEncrypted: idToken.mustBeEncrypted)
        }
        demands.response = response
        demands.decryptionAlgorithms = keys.decryption.map(\.algorithm)
        demands.userInfo =
            switch userInfo {
            case .off: .off
            case .optional: .optional
            case .required: .required
            }
        // What the operator wrote leads where the operator wants.
        demands.ports = issuer.endpoints == nil ? IssuerRequests(settings: issuer).ports : nil
        return demands
    }
}
