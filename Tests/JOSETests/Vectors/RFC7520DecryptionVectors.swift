/// Encrypted tokens published in RFC 7520, section 5, with the keys that decrypt them.
enum RFC7520DecryptionVectors {
    /// What all of them say.
    static let plaintext = """
        You can trust us to stick with you through thick and thin–to the bitter end. And you can t\
        rust us to keep any secret of yours–closer than you keep it yourself. But you cannot trust\
         us to let you face trouble alone, and go off without a word. We are your friends, Frodo.
        """

    /// RFC 7520 section 5.2: RSA-OAEP and A256GCM.
    static let rsaOAEP = PublishedJWE(
        compact: RFC7520EncryptedVectors.rsaOAEP.compact,
        algorithm: "RSA-OAEP",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MIIJQwIBADANBgkqhkiG9w0BAQEFAASCCS0wggkpAgEAAoICAQDBt3EjnlVpqdlc
            9jb0uDmF2a/ZeG+oCGjFSRqd/N/b7nNVTFrqmsdGsjik/UCGiolGVl9i1ZZ3maYd
            EbakAciWHTJIn3CLQGKhkGXVc/Z74L4XJckZxPLQd0pBaWt+FObjYRbtW/TiviB9
            qjq7GMsbB+katktquiGJYI+eQ2uDvVLYK41lJAEg8aNd+SYjLa2X9VaAacvbYamX
            JePliUEt3Fendd5K2yqjnvW601+hRNTwTip3MndTUMi2hWQ8awzCWaacmLADuxdE
            i0EKK9Hgzmqdm13D7u/ha5Hjvv25sO4nmdqUy/ZLrr5E9ycUDNZIrG0EOcUkkMYh
            R7tPOLOODWeazRer/I+5v9Q6VafR5zzkUJ+3WEAKlYbyxyGs4F42ocE4MWyRilRz
            YsLkkDZNo8XZ0Drt2DVNOwL8W6l9DaQ0ZwTUuCmvEodxVZhBvzoH4ejOMdlyq1q4
            HMU1Xm1tO4H5OmRy8l81wUuUfdvyZv4f+jHfkWOoFICMsrKh6p8pOlWO9eF3T2Sf
            CAl/pUqrpQLjXz9M6WMxV8VNZdTGWd+E46fNbodJLMPVz1asK5XOxQy/nizOJ1D3
            B/VxhZ/eDmoUPENAqKz32BwNqIIDAzfIQEjO4154Jrl1qu0cNvXEQH8dwdJ5huCF
            syMZ9qy8qfRplGydPILTGFYGWyiVkQIDAQABAoICAQCft/Mlzf9Ybn1UQ4FORrLO
            5IwzvzQ4lC5mM38psfyU5kbblmgDtPgHFxzTFCfmhkTm5IIjCD3WgK3Qm/E9ymar
            NolmDWeKuNxZn6gG1WTuAIBar4HeqF8XeLOVuSiyvOMdqMhxjfccGGzLj9Z6uteD
            gwM0TgdiiPLrxNzFPYthBHFQ4J/lO0le8zyiV7GVIa1WdCcNG63ERQLCJ7B+aat+
            94SiAvH0QD4oyACNOIhJfGohdCFZRBfUbu/+ZX8evZi4iZhw1weRG+n0TuiiTTzv
            oOGQ7y/hQ5kvADU6VRf3yaSirBznwD9jaUFhtXHX+zmWk+wSptsf6eoiOHV8vSB0
            1+KEvGdyVa1bukLO0uciZkDJ4JYAbtkh+/5Gf18si/2Nnqvuv4xIf2ypu7OIc3aC
            saMP+N9GW4wdrSXzh8UqXptyo3UlbE9WHM1mjTXIMX7UuJCepRhJ6k9/pfdrZI52
            SoFGKq4ToS8u5JggOkmreMMiyCgvwyjUuiiaCInFTAv8ZYQ4a7byCmXLOb71DRTS
            fKER/W6FJHxokBBYCIUiZYflb8hBP0jv7KuKd2v/Z9ZD+LVSAywbMDto4bNl8+WN
            HLrP61j8q4EbTT7bxL9pa+PJRz4CWnwBTIqMFn7sJYffZ8ZYrjyPW37OiavCMv+a
            eGw9sazRz1axaBHMj4ryAQKCAQEA7/2v3OQZzlPFcHyYfLABQ3XP85Es4hCdwCkb
            DeltaUXgVy9l9etKghvM4hRkOvbb01kYVuLFmxIkCDtpi+zLCYAdXKrAK3PtSbtz
            ld/XZ9nlsYa/QZWpXB/IrtFjVfdKUdMz94pHUhFGFj7nr6NNxfpiHSHWFE1zD/AC
            3mY46J961Y2LRnreVwAGNw53p07Db8yD/92pDa97vqcZOdgtybH9q6uma+RFNhO1
            AoiJhYZj69hjmMRXx+x56HO9cnXNbmzNSCFCKnQmn4GQLmRj9sfbZRqL94bbtE4/
            e0Zrpo8RNo8vxRLqQNwIy85fc6BRgBJomt8QdQvIgPgWCv5HoQKCAQEAzqOHk1P6
            WN/rHuM7ZF1cXH0x6RuOHq67WuHiSknqQeefGBA9PWs6ZyKQCO+O6mKXtcgE8/Q/
            hA2kMRcKOcvHil1hqMCNSXlflM7WPRPZu2qCDcqssd/uMbP+DqYthH/EzwL9KnYo
            H7JQFxxmcv5An8oXUtTwk4knKjkIYGRuUwfQTus0w1NfjFAyxOOiAQ37ussIcE6C
            6ZSsM3n41UlbJ7TCqewzVJaPJN5cxjySPZPD3Vp01a9YgAD6a3IIaKJdIxJS1Imn
            fPevSJQBE79+EXe2kSwVgOzvt+gsmM29QQ8veHy4uAqca5dZzMs7hkkHtw1z0jHV
            90epQJJlXXnH8QKCAQEA19oDkBh1AXelMIxQFm2zZTqUhAzCIr4xNIGEPNoDt1jK
            83/FJA+xnx5kA7+1erdHdms/Ef67HsONNv5A60JaR7w8LHnDiBGnjdaUmmuO8XAx
            QJ/ia5mxjxNjS6E2yD44USo2JmHvzeeNczq25elqbTPLhUpGo1IZuG72FZQ5gTjX
            oTXC2+xtCDEUZfaUNh4IeAipfLugbpe0JAFlFfrTDAMUFpC3iXjxqzbEanflwPvj
            6V9iDSgjj8SozSM0dLtxvu0LIeIQAeEgT/yXcrKGmpKdSO08kLBx8VUjkbv/3Pn2
            0Gyu2YEuwpFlM/H1NikuxJNKFGmnAq9LcnwwT0jvoQKCAQBLqnn0quWbMbNpBhAz
            ejRd8cIa9+octiMI7nnsdhB/vY72QswJ93/VUESp4P7WOPAQsoONyTyQ4GXlS+iE
            rWgN9I/UOV4DL5yeYvb0OpaaGDAzWKnQII2aSayYNKWqRRcOLqwBpm6e3K6TJ+Uj
            6pJDcL8Fp8/IVoqu3V+B3ITBhrTykRIrDBaKzLsqeahS9ondJoeaiEVLvxMnblx9
            zXTBn2FA06sgKFmWSI50UK3EOp2YKo1pyeGATdtlCManefzc4NLP3PAlxJS84OVc
            E9zYDJwfoKLnKNvG3g+mjH/mmObrGdCSI+CPTUamxSywyYE3uIdWysTs3aLOcE0J
            45QhAoIBABWYQpQTMsFVY57lLnftOaneQmFNHSu/WpAIMvaF+kV+iNyCCD3JAnIk
            a6JMYJWZ/qJgGOQpwnuCna54xTk+WFGROxvz4OOF4Al2mqy0H+IZfNKDxH+voyeS
            MusD0cextnvKi8Z4fXDnX/pEaoDktxePFHL8N5muVeihjMEKlhXld9V7WfJeXFSP
            iNzcwUu6pbaVFYM9ibtNtXsnOyJaoM0ffKijjZduw7hBEtGitFhPe457Mjtu2KfP
            FmtkYgaxKHDPPUGSNbHiYhg4sx0VD+FGccPc7F8MOOsMtD+n/YK52Ke7fC5Mgw5P
            HqCOCl+kjTDVXMlUvSFo5avBM6mRCiA=
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// RFC 7520 section 5.4: ECDH-ES+A128KW and A128GCM.
    static let agreementWithWrap = PublishedJWE(
        compact: RFC7520EncryptedVectors.ecdhES.compact,
        algorithm: "ECDH-ES+A128KW",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCJPHamTvBb4aomQdwS
            QVBvYQXJhw7tG6CZpbeZGtBUA5SI+iaZPQh2dgrbEOVmH6OhZANiAARhTitFTN2Z
            WqZG1Y6zY6kMT9Pl+w0ih1wbwbkVY+tM8zLGnOxI4ZpAul7YWnEGa7YDz7LEIfGR
            8HPeEpl8jWNRgyNSGwS95n1Me7AWMfawI122SxElTsPn5KSBoUvURM8=
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// RFC 7520 section 5.5: ECDH-ES and A128CBC-HS256.
    static let agreement = PublishedJWE(
        compact: """
            eyJhbGciOiJFQ0RILUVTIiwia2lkIjoibWVyaWFkb2MuYnJhbmR5YnVja0BidWNrbGFuZC5leGFtcGxlIiwiZXBr\
            Ijp7Imt0eSI6IkVDIiwiY3J2IjoiUC0yNTYiLCJ4IjoibVBVS1RfYkFXR0hJaGcwVHBqanFWc1AxclhXUXVfdndW\
            T0hIdE5rZFlvQSIsInkiOiI4QlFBc0ltR2VBUzQ2ZnlXdzVNaFlmR1RUMElqQnBGdzJTUzM0RHY0SXJzIn0sImVu\
            YyI6IkExMjhDQkMtSFMyNTYifQ..yc9N8v5sYyv3iGQT926IUg.BoDlwPnTypYq-ivjmQvAYJLb5Q6l-F3LIgQom\
            lz87yW4OPKbWE1zSTEFjDfhU9IPIOSA9Bml4m7iDFwA-1ZXvHteLDtw4R1XRGMEsDIqAYtskTTmzmzNa-_q4F_ev\
            APUmwlO-ZG45Mnq4uhM1fm_D9rBtWolqZSF3xGNNkpOMQKF1Cl8i8wjzRli7-IXgyirlKQsbhhqRzkv8IcY6aHl2\
            4j03C-AR2le1r7URUhArM79BY8soZU0lzwI-sD5PZ3l4NDCCei9XkoIAfsXJWmySPoeRb2Ni5UZL4mYpvKDiwmyz\
            Gd65KqVw7MsFfI_K767G9C9Azp73gKZD0DyUn1mn0WW5LmyX_yJ-3AROq8p1WZBfG-ZyJ6195_JGG2m9Csg.WCCk\
            Na-x4BeB9hIDIfFuhg
            """,
        algorithm: "ECDH-ES",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr/kHyZ+a06rmxM3y
            ESK84r1otSg+aQcVStkRhA+iCM+hRANCAARl7aWhJXfCuugpQ3/jOHAaEKqjdeG7
            W13hCN5DnAhVHR5S7XVwEWP3+eQN3580Gz3JuoYK9+DKfKfp7s0AhNGc
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// RFC 7520 section 5.6: dir and A128GCM.
    static let direct = PublishedJWE(
        compact: RFC7520EncryptedVectors.direct.compact,
        algorithm: "dir",
        key: .secret("XctOhJAkA-pD9Lh7ZgW_2A"),
        plaintext: plaintext)

    /// RFC 7520 section 5.8: A128KW and A128GCM.
    static let wrap = PublishedJWE(
        compact: """
            eyJhbGciOiJBMTI4S1ciLCJraWQiOiI4MWIyMDk2NS04MzMyLTQzZDktYTQ2OC04MjE2MGFkOTFhYzgiLCJlbmMi\
            OiJBMTI4R0NNIn0.CBI6oDw8MydIx1IBntf_lQcw2MmJKIQx.Qx0pmsDa8KnJc9Jo.AwliP-KmWgsZ37BvzCefNe\
            n6VTbRK3QMA4TkvRkH0tP1bTdhtFJgJxeVmJkLD61A1hnWGetdg11c9ADsnWgL56NyxwSYjU1ZEHcGkd3EkU0vjH\
            i9gTlb90qSYFfeF0LwkcTtjbYKCsiNJQkcIp1yeM03OmuiYSoYJVSpf7ej6zaYcMv3WwdxDFl8REwOhNImk2Xld2\
            JXq6BR53TSFkyT7PwVLuq-1GwtGHlQeg7gDT6xW0JqHDPn_H-puQsmthc9Zg0ojmJfqqFvETUxLAF-KjcBTS5dNy\
            6egwkYtOt8EIHK-oEsKYtZRaa8Z7MOZ7UGxGIMvEmxrGCPeJa14slv2-gaqK0kEThkaSqdYw0FkQZF.ER7MWJZ1F\
            BI_NKvn7Zb1Lw
            """,
        algorithm: "A128KW",
        key: .secret("GZy6sIZ6wl9NJOKB-jnmVQ"),
        plaintext: plaintext)

    /// RFC 7520 section 5.7, A256GCMKW: not among the algorithms here.
    static let wrapGCM = """
        eyJhbGciOiJBMjU2R0NNS1ciLCJraWQiOiIxOGVjMDhlMS1iZmE5LTRkOTUtYjIwNS0yYjRkZDFkNDMyMWQiLCJ0\
        YWciOiJrZlBkdVZRM1QzSDZ2bmV3dC0ta3N3IiwiaXYiOiJLa1lUMEdYXzJqSGxmcU5fIiwiZW5jIjoiQTEyOENC\
        Qy1IUzI1NiJ9.lJf3HbOApxMEBkCMOoTnnABxs_CvTWUmZQ2ElLvYNok.gz6NjyEFNm_vm8Gj6FwoFQ.Jf5p9-Zh\
        JlJy_IQ_byKFmI0Ro7w7G1QiaZpI8OaiVgD8EqoDZHyFKFBupS8iaEeVIgMqWmsuJKuoVgzR3YfzoMd3GxEm3VxN\
        hzWyWtZKX0gxKdy6HgLvqoGNbZCzLjqcpDiF8q2_62EVAbr2uSc2oaxFmFuIQHLcqAHxy51449xkjZ7ewzZaGV3e\
        Fqhpco8o4DijXaG5_7kp3h2cajRfDgymuxUbWgLqaeNQaJtvJmSMFuEOSAzw9Hdeb6yhdTynCRmu-kqtO5Dec4lT\
        2OMZKpnxc_F1_4yDJFcqb5CiDSmA-psB2k0JtjxAj4UPI61oONK7zzFIu4gBfjJCndsZfdvG7h8wGjV98QhrKEnR\
        7xKZ3KCr0_qR1B-gxpNk3xWU.DKW7jrb4WaRSNfbXVPlT5g
        """

    /// The private key of RFC 7520 section 5.1, for RSA1_5.
    static let frodo = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCZrGFuyYG11DcI
        2sq+mtQTqf2Vhyt6AMwtg15MBZwuPw2c9T1chh6BMdUdCPEoNIc/aX4XmNLuymkb
        XCB0CpnKGda9eFg29wztF+ArGo3H/EAfHp/fLLuz4z09I0LA8LaWHpQCRHgjTQSF
        X2WvKkz0+LiUFSin23l9L1blQ3BoCWWGt36ixAY+Mh4jV14dPDH5lMe7cLrQ+78s
        kiXqEqf3BvBpSYDhxHkF3amBtpjsBKCyMJRu1glo0gdKgdemtR0lkpQwDNXRY4o9
        8Do48jijKkFp2O8xnhkCPcGddpJiwRmFq55Ne9kHh5k4CMjKHZ79U4gpUyycOslg
        BWi0aW8xAgMBAAECggEAKn9tgoHfiTVi8uPu5b9TnwyHwG5dK6RE0uFdlpCGnJN7
        ZEi963R7wybQ1PLAHmpIbNTztfrheoAniRV1NCIqXaW/qS461xiDTp4ntEPnqcKs
        yO5jMAji7+CL8vhpYYowNFvIesgMoVaPRYMYT9TW63hNM0aWs7USZ/hLg6Oe1mY0
        vHTI3FucjSM86Nff4oIENt43r2fspgEPGRrdE6fpLc9Oaq+qeP1GFULimrRdndm+
        P8q8kvN3KHlNAtEgrQAgTTgz80S+3VD0FgWfgnb1PNmiuPUxO8OpI9KDIfu/acc6
        fg14nsNaJqXe6RESvhGPH2afjHqSy/Fd2vpzj85bQQKBgQDYPBCZnjcWhOdDwiRS
        PcGYpF/kSHaaLNkDnEQnYyKdQTex1NgpIu1oSh6Rf29sFm5bEd1WEzpScoIn/aI2
        TxnRrItgcvT8bbVpd/366fKcSlSwfscdOSUulgDM47HVmBWWOjEB1Y2feGIQWuNk
        tkZLuU4f5rdBCUMNCgk4nZUWZQKBgQC17wtjj5bsjJqofUTG6OMyqRMCVN5Fu/RU
        tCd8tjbEg2etZ3CJD3f9UXT31o/URJ4uNrafD7qIoh76pPua0I+jMp9W1Rh/Pkes
        n9djaR97Ekg1v2WFkcy/mnWyRml4hL4Y8cILqBGUqjWr6J2f+rHK6x9a/tYDGVJV
        9B+Tx3oS3QKBgFH2CnC/6K+Pdr1XND88C0qZW4OC9/mecC+PJsIrMG6czsiIHdsR
        0x0JoyaRQCGfKvs3/UZoCV5A6xbPa5HcT7QLC9VmHXgk+XNduRZHYN9eyVUQ6NYp
        1+8dinYfBEQq3lvP+M1yLbk5fyol2TVOZbzEI1myMNnk8dZabH5aNK2FAoGBAIhI
        HDvkH6XqXR/BVne5lBcq13ZzpFyQQqIAoWOmCriBxnP6fC3vTG6RShEsxGi5TdRI
        X9weqBgZeSM/2slJWY9iKEGfNs56FK6WvX1WDaLfOwAn8yBu6vTL+0YjwHXq2YtN
        7ZFVwHWgWrv/b7Oa0vuxzLcZFa8UlLyWNeE5F5RxAoGBAJAvpc2TqqBWmQq+ZdLT
        lbURCqFamgGIUIqiERi/jM0uLApkZMZub2ZV2MekbRNZ/wGoI6mo5ZI4nhpcU004
        Rw/CIGun6BgTGgK+bkdYRkKUnOxpewhdQ2ZASTE0DehLIWM2X8VtPJiDvDOkc7od
        G3i+nxvZpA3CMj6wV8dm0P5j
        -----END PRIVATE KEY-----
        """
}
