/// Keys that the world knows, and keys that nobody should use, as PEM text.
enum PEMVectors {
    /// RFC 7515 appendix A.2, as PKCS#1.
    static let rfc7515RSA = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0
        l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL+yRT+SFd2lZS+pC
        gNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb/7OMg0LOL+bSf63kpaSHSX
        ndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD
        Zlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK+DWNmoudF8NAco9/h9iaGNj8
        q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQIDAQABAoIBABKucaRpzQorw35S
        bEUAVx8dYXUdZOlJcHtiWQ+dC6V8ljxAHj/PLyzTveyI5QO/xkObCyjIL303l2cf
        UhPu2MFaJdjVzqACXuOrLot/eSFvxjvqVidTtAZExqFRJ9mylUVAoLvhowVWmC1O
        n95fZCXxTUtxNEG1Xcc7m0rtzJKs45J+N/V9DP1edYH6USyPSWGp6wuA+KgHRnKK
        Vf9GRx80JQY7nVNkL17eHoTWEwga+lwi0FEoW9Y7lDtWXYmKBWhUE+U8PGxlJf8f
        40493HDw1WRQ/aSLoS4QTp3rn7gYgeHEvfJdkkf0UMhlknlo53M09EFPdadQ4TlU
        bjqKc50CgYEA4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH/5IB3jw3bcxGn6QLvnE
        tfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw/Py5PJdTJNPY8cQn7ouZ2KKDcmnPG
        BY5t7yLc1QlQ5xHdwW1VhvKn+nXqhJTBgIPgtldC+KDV5z+y2XDwGUcCgYEAuQPE
        fgmVtjL0Uyyx88GZFF1fOunH3+7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYs
        p1ZSe7zFYHj7C6ul7TjeLQeZD/YwD66t62wDmpe/HlB+TnBA+njbglfIsRLtXlnD
        zQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdcCgYAHAp9XcCSrn8wVkMVkKdb7
        DOX4IKjzdahm+ctDAJN4O/y7OW5FKebvUjdAIt2GuoTZ71iTG+7F0F+lP88jtjP4
        U4qe7VHoewl4MKOfXZKTe+YCS1XbNvfgwJ3Ltyl1OH9hWvu2yza7q+d5PCsDzqtm
        27kxuvULVeya+TEdAB1ijQKBgQCH/3r6YrVH/uCWGy6bzV1nGNOdjKc9tmkfOJmN
        54dxdixdpozCQ6U4OxZrsj3FcOhHBsqAHvX2uuYjagqvo3cOj1TRqNocX40omfCC
        Mx3bD1yPPf/6TI2XECva/ggqEY2mYzmIiA5LVVmc5nrybr+lssFKneeyxN2Wq93S
        0iJMdQKBgCGHewxzoa1r8ZMD0LETNrToK423K377UCYqXfg5XMclbrjPbEC3YI1Z
        NqMtuhdBJqUnBi6tjKMF+34Xf0CUN8ncuXGO2CAYvO8PdyCixHX52ybaDjy1FtCE
        6yUXjoKNXKvUm7MWGsAYH6f4IegOetN5NvmUMFStCSkh7ixZLkN1
        -----END RSA PRIVATE KEY-----
        """

    /// RFC 7515 appendix A.3, as SEC1.
    static let rfc7515P256 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
        AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
        focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END EC PRIVATE KEY-----
        """

    /// RFC 7515 appendix A.4, as SEC1.
    static let rfc7515P521 = """
        -----BEGIN EC PRIVATE KEY-----
        MIHcAgEBBEIBjmlvsDRQWIHdEQtIPrh9Ms5JX+NrN0Xt8tjK5PDyU59GFaDpjqtS
        s8DF6sTOB1GFqOe7R96sHR3ne8z2YTXmPYKgBwYFK4EEACOhgYkDgYYABAHpKQUP
        Ek/GvFXH1TkzZd+d70qwwiyyV5j5NOsE48a643AaV6eRDp2BvzYxWejryxVdY0n0
        vbbM+KlMXFnHqsEBpAA0pkQON2dQ0jcf0b3CyPO3HS9O5eo0MsgVzKMVYP5dk4fs
        d0tVg4Yw5cu/Woy+CpHdAGTGmZofbm5n+t3t5MjI9g==
        -----END EC PRIVATE KEY-----
        """

    /// RFC 8037 appendix A.1, as PKCS#8.
    static let rfc8037 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----
        """

    /// A curve that JOSE here has not.
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgPYIVVecLFYx4gVq/4OLG
        W0QCi+q1psf5KfTQWaA6t1+hRANCAAR2TpvlCsVyiRJYA4bBNGjfFI2O3h43krQP
        aMWKcasnzZGm90EZ1Y46PGoJnfjXd/MkjUAikafJNtj5zlMOA2O6
        -----END PRIVATE KEY-----
        """

    /// A key for agreeing on keys, which cannot sign.
    static let x25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIPAWWKGznsiBjdULxfR+TQDwaZy27kXFVx7zKRhW5AR1
        -----END PRIVATE KEY-----
        """

    /// The private half of one P-256 key with the public half of another.
    static let halvesOfTwoKeys = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIA/KYDM0q9nVdINdJ+nJvZ5G88/qJQZWsLOfy8vuZdOmoAoGCCqGSM49
        AwEHoUQDQgAEFcxiUjSYyAO4T/EJssO2JkN+8/bCrIzzmi062+AdZTIWux9V0qGF
        H3AGoDQbxCtwbAM7ah0x0Gg/+T0zHH5Rig==
        -----END EC PRIVATE KEY-----
        """

    /// An RSA key whose exponent is 3.
    static let exponentThree = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC+AsOlmbgJ9TLp
        M5nvna8CVDDwreYgI5tmldDRPqukErf6ibJ+jwbH7yb7CMCvS3uCc2e2IgR+RjMU
        +oWF12EvzoUMaPiFUpNQEbDDTOfQQhV0QtpJuDkCTXNtGU0hijPonznGtqReAdn4
        euAF1KS8gKm6ucBDiVcwfZ5AKvZmMKRX1qhOZn+UapGf0J0dIp0lJL4YLJqpeYor
        o390rr37mmGRDoj5aZfZQyxTEfzX1NWhbaPDApNBXKiusdGKVkfk4HHa6CMbMRB9
        X/ajakhZMz8IPZzVVxrGI0ZA12lJTtwVZTSN/oXwjv24uElwunkaXuoYYsWtRb+o
        Uo9kUulzAgEDAoIBAH6sgm5merFOIfDNEUppH1biy0semWrCZ5m5NeDUcm1hz/xb
        zFRfWdqfb1IF1coyUlb3mnlsAv7Zd2NRrlk6QMqJrghF+wOMYjVhIIIzRTWBY6LX
        PDEle1beTPNmM2uxd/BqJoR5wulWkVBR6q6NwyhVxnx71YJbj3WpFCrHTu7J8iH9
        lh3ZtYV9+IGNws0T4H8v5j28htZnnztIE0ZA84kksM8CwMBV7/IaDnh24Agq9UIb
        ZnM5sFYylTNR0pTcf1s125zgq+eAzJ/7ZtniwP4MUCYuK9FwqoB1LoxWFwvr4QKF
        dc4Ma523ZhQNxNrOZvOjkccUXNH1rGxNqTzzwjsCgYEA35xPjf0teBnyzLugKljs
        FZBGXJfRgf1b12YW78lzCHeZ5+hAL3iHqmkmFhDPugUFV9dTwqip01/NPvy1hjx+
        rCI3D0qBI8trWvpzbMdqnfIKJbBsxUzHEl1j/2yIsQ1lnEcWRBm3RDeZTkPu4MpI
        r/xFnwyHDLebHgvpxf+RLJcCgYEA2YiKuSRydzI60CHbzpCYttYWiCPATmqCQ+yg
        csHaSDZJcHJKOGBhBYT2AI2P8saPDebwx22CN2BDieUBj26M3LnYmSUV/XSEgpLz
        b5UriOoWoR6Llc5nCKgPgQHNlaoHbkqGv780oExilla0wV48LrCj8GE9Lbq6Hvn0
        S4lUGYUCgYEAlRLfs/4eUBFMiH0VcZCdY7WEPbqLq/49OkQPSoZMsE+77/AqylBa
        cZtuuWCKfANY5To31xsb4j/eKf3OWX2pyBbPX4cAwoec51GiSITxvqFcGSBIg4iE
        tujtVPMFy15DvYS5grvPgs+7iYKfQIbbH/2Dv12vXc+8vrKb2VULcw8CgYEAkQWx
        0ML2+iF8isE9NGBlzzlkWsKANEcBgp3ATIE8MCQw9aGG0EBArlikAF5f9y8KCUSg
        hPOsJOrXsUNWX58IkyaQZhi5U6MDAbdM9Q4dBfFka2myY97vWxq1AKveY8avntxZ
        1SojFYhBuY8jK5QoHyBtSut+Hnx8FKai3QY4EQMCgYEAt8g25MAV7C7DLdDehHnm
        b5hLp4Hm+rdCZsYFxPjb5G2FyWdlLlvZZ55JzTP0nQvaPic6UutJH33j/FtPzMeH
        s5iFw/Bkf0lgTGAwNIZsy3LOu2SBYZv+whvjfzBkuJaDMy29koLr2MbD/H6QwrRe
        y28XimiGxCmKY/BQ6Ec/peM=
        -----END PRIVATE KEY-----
        """
}
