/// A self-signed certificate made for these tests, its key, and the key of no certificate; they protect nothing.
enum RealCertificate {
    static let chain = """
        -----BEGIN CERTIFICATE-----
        MIIBjTCCATOgAwIBAgIUOPuUX/5NqZzpbmLWn8MPne9P18swCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAgFw0yNjExMjIwODE1NDhaGA8y
        MTI2MTAyOTA4MTU0OFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABIRPQTjeNfa9KrJXJyaj/Cimn2R7PUI5xm65
        1T29WXZurr5juxh8tYSEgH7EaVnRtbwQwPE3D/5zON9biGXRkJajUzBRMB0GA1Ud
        DgQWBBTHvEzVlwiWxHjoss+do71VOPhXUDAfBgNVHSMEGDAWgBTHvEzVlwiWxHjo
        ss+do71VOPhXUDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIE5f
        uzC9Tm4Z+ROjEoFMJyx06K8t2SN7d90ekjwr7iuWAiEAjfi52s2I5l8pasa29VLF
        d7rxbE4dIBrX8pc8Kd02jx4=
        -----END CERTIFICATE-----

        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguvPP+nWraMHFPByR
        JxVeScpQv32HhQIgi9c2ENytlryhRANCAASET0E43jX2vSqyVycmo/wopp9kez1C
        OcZuudU9vVl2bq6+Y7sYfLWEhIB+xGlZ0bW8EMDxNw/+czjfW4hl0ZCW
        -----END PRIVATE KEY-----

        """

    static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiOY3GNqc9xwZ+079
        A0VsMNfSfJe+xeJ1R10ztUHBWEKhRANCAAT52l5mZ+V4hXkEqD42j/QV9f0hoC6Y
        PTGjLnmNzFgy6eEJ3Mt/t9/BHXS045XiSj4GSDzCNpe7lwAVxDVi1lAB
        -----END PRIVATE KEY-----

        """

    /// Another key of no certificate, of another kind (Ed25519).
    static let edwardsKey = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIP0JdhVhxsrELtRbQsLJ2cA1oq7aCowgHSZ9c/4hrl3B
        -----END PRIVATE KEY-----

        """

    /// The revocation list of the certificate as an authority: nothing was revoked.
    static let revocations = """
        -----BEGIN X509 CRL-----
        MIGgMEkwCgYIKoZIzj0EAwIwGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbRcN
        MjYxMTIyMTExMjQ3WhgPMjEyNjEwMjkxMTEyNDdaMAoGCCqGSM49BAMCA0cAMEQC
        ICLJCLPRwM6144mwyTmy07S+9tqBhFQXRbuZH8Yj4T2AAiAIf2vaz2EI/F2ow5gW
        IYJnEDriOQyCMQAzoo5ev7AI5Q==
        -----END X509 CRL-----

        """
}
