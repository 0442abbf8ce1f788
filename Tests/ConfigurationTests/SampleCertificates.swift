/// Certificates as they are when somebody has not looked at them for a while; their key was thrown away.
enum SampleCertificates {
    /// By what is the matter with each at noon of 2026-11-22.
    static let byName = [
        ("expired.crt", expired), ("early.crt", early), ("ending.crt", ending), ("elsewhere.crt", elsewhere),
        ("nameless.crt", nameless), ("good.crt", good),
    ]

    /// Of shop.example.com, until 2026-11-01.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBVjCB/aADAgECAhQfUN6pOPdJOflt4mXWoQMNi5g/djAKBggqhkjOPQQDAjAb
        MRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMB4XDTI1MDEwMTAwMDAwMFoXDTI2
        MTEwMTAwMDAwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABOswc0KhQ+a09EQyeXJgwaKzHUgzJmLVuj+aJ8dP
        1ZuC9JNHbwOSrTs0Mjj1/qJPuJ5wDwYxPGPUguyDQkk/q2ejHzAdMBsGA1UdEQQU
        MBKCEHNob3AuZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgEbo63FMVPsk6
        qh6vAIRYVM3VCTaZvIUPI6kM2QywgYMCIQCZRGfrt8ngOdl9RvRbxfz5xmjFxDe2
        l83owGrudyRK5A==
        -----END CERTIFICATE-----

        """

    /// Of shop.example.com, from 2027-01-01 on.
    static let early = """
        -----BEGIN CERTIFICATE-----
        MIIBVjCB/aADAgECAhQpT7wqIJ1dXuEOCyI7kWTyCklEQjAKBggqhkjOPQQDAjAb
        MRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMB4XDTI3MDEwMTAwMDAwMFoXDTM2
        MDEwMTAwMDAwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABOswc0KhQ+a09EQyeXJgwaKzHUgzJmLVuj+aJ8dP
        1ZuC9JNHbwOSrTs0Mjj1/qJPuJ5wDwYxPGPUguyDQkk/q2ejHzAdMBsGA1UdEQQU
        MBKCEHNob3AuZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgFXBxSe5m/mFK
        lO2kS5kq+6cXmdyrSjGfpzIQCdN8rwkCIQC0KkN0vg4wHDi0gcT1DAtvzVtCLdpA
        J07nYCYJRM55Dg==
        -----END CERTIFICATE-----

        """

    /// Of shop.example.com, until 2026-11-30.
    static let ending = """
        -----BEGIN CERTIFICATE-----
        MIIBVzCB/aADAgECAhQbj6gTwwPAtR88o5Nw0PM5j02DVDAKBggqhkjOPQQDAjAb
        MRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMB4XDTI1MDEwMTAwMDAwMFoXDTI2
        MTEzMDAwMDAwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABOswc0KhQ+a09EQyeXJgwaKzHUgzJmLVuj+aJ8dP
        1ZuC9JNHbwOSrTs0Mjj1/qJPuJ5wDwYxPGPUguyDQkk/q2ejHzAdMBsGA1UdEQQU
        MBKCEHNob3AuZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAMqVvU01SJT/
        8yRZQk0jSWGScRQ/Y+r9hkKxN1f+gy0ZAiEAg9gQaPmpfRaqKJP0F+Woz+9BQ2cM
        UhVe6c1RNDJ1aAI=
        -----END CERTIFICATE-----

        """

    /// Of www.example.com, *.shop.example.com, 192.0.2.7 and 2001:db8::7.
    static let elsewhere = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASqgAwIBAgIUPHgGClWudiJSwRNqCb5LGHNM6MwwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAgFw0yNTAxMDEwMDAwMDBaGA8y
        MTI2MDEwMTAwMDAwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABOswc0KhQ+a09EQyeXJgwaKzHUgzJmLVuj+a
        J8dP1ZuC9JNHbwOSrTs0Mjj1/qJPuJ5wDwYxPGPUguyDQkk/q2ejSjBIMEYGA1Ud
        EQQ/MD2CD3d3dy5leGFtcGxlLmNvbYISKi5zaG9wLmV4YW1wbGUuY29thwTAAAIH
        hxAgAQ24AAAAAAAAAAAAAAAHMAoGCCqGSM49BAMCA0gAMEUCIQDRqRO0LlTuKeNH
        6+TL9wM6twzCg2sQp1zbDpSz8MQELgIgClQc7toPo1KRrm8D9kcApX85DvdvSfP4
        qZ8ElaiA6PY=
        -----END CERTIFICATE-----

        """

    /// With a common name alone, shop.example.com.
    static let nameless = """
        -----BEGIN CERTIFICATE-----
        MIIBNzCB3qADAgECAhR7XXwCj1Ga64HMgqyPx+jrhwDBezAKBggqhkjOPQQDAjAb
        MRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMCAXDTI1MDEwMTAwMDAwMFoYDzIx
        MjYwMTAxMDAwMDAwWjAbMRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMFkwEwYH
        KoZIzj0CAQYIKoZIzj0DAQcDQgAE6zBzQqFD5rT0RDJ5cmDBorMdSDMmYtW6P5on
        x0/Vm4L0k0dvA5KtOzQyOPX+ok+4nnAPBjE8Y9SC7INCST+rZzAKBggqhkjOPQQD
        AgNIADBFAiASEAo8cYekXnpy+Lmdq2cI72FOZsuanJh1IsmsnGfA0QIhAKzKbNb8
        IaY14ACcx7mVme4/fbCJMk1ZD035ZETiESwV
        -----END CERTIFICATE-----

        """

    /// Of shop.example.com and *.example.net.
    static let good = """
        -----BEGIN CERTIFICATE-----
        MIIBaDCCAQ6gAwIBAgIUUTro2cBUiyuFCx67X8tFTV7Ml6kwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAgFw0yNTAxMDEwMDAwMDBaGA8y
        MTI2MDEwMTAwMDAwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABOswc0KhQ+a09EQyeXJgwaKzHUgzJmLVuj+a
        J8dP1ZuC9JNHbwOSrTs0Mjj1/qJPuJ5wDwYxPGPUguyDQkk/q2ejLjAsMCoGA1Ud
        EQQjMCGCEHNob3AuZXhhbXBsZS5jb22CDSouZXhhbXBsZS5uZXQwCgYIKoZIzj0E
        AwIDSAAwRQIhAM48NweQ03vZEcLmbM5GH+pMwJWEhQcp7GeSmMN/uO0tAiBDFqoq
        J36N9a7Lvlui6UUsjJr3sL1c/n9wicICFNXavw==
        -----END CERTIFICATE-----

        """
}
