/// Encrypted tokens that another implementation made, for algorithms of which RFC 7520 prints none.
enum OtherJWEVectors {
    /// What all of them say: three segments, whatever is in them.
    static let plaintext = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyLTEifQ.AAAA"

    /// RSA-OAEP-256 and A256CBC-HS512.
    static let rsaOAEP256 = PublishedJWE(
        compact: """
            eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIiwiY3R5IjoiSldUIn0.YjvIBa0-3AMg\
            bjQ7lMBwbDc7hIsdMe4M_AyB1IW5qs0EQy4rq0choqN9QT8FpSRGfhBmbmxK152aeqIqvPn7umdJPokKkdigtxr2\
            repnkReIplevjRqA4E1IVOVn4l93Wr5m7v2vb4_p07wgIJAdIw4KPEu7X6QEd1KKulfOKobCbuGp9jLyhErhFNw6\
            Z24ZJ1ZZrAqA2aO5eFMNi2m7JJNPjqEXd2bX54J4ZK-YH9-QIxUUjHpilYlA_s7Z-mUd4lleHtfHd1B8EAxmvB3c\
            lqwuEdanGT-7m9mQ6RxEuUX-OSyD3i5_PvqSh2CT16Otl3j7b7iiyStKvPiixizWcg.aERcOsAphRWsmDNdOWegU\
            Q.tpyNvccTdvU9j5nyIJ0VWsSgeARONC4AcxB9ljpcVvgLSbuEMEn0gbtHuPYGOq1i.qwt4ewDA0jK40wGrgngtC\
            KlQxOTWDDFsX5NWk0Nb8Lw
            """,
        algorithm: "RSA-OAEP-256",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCwX/lFatw7KHhG
            jobsgA37JYbmHElqRVo/9nJw0kCWATcTBRK8dn5xrx5bswafuI4N856PvePZtjbQ
            GB5qpWsqfrkMOi6DzhQmq4inNvwCAnT9/Hgs+VA2BU5OyaeFd5Z22VZnaeYW8tbt
            /iyijUw3TWmkR7LwDrx3mw+lFjDH9hfeF0Fm5tRpjqHzo70c1WI8O/MdJYqYUHZQ
            TmPb0E8RizzCGEy/S3P+SxsxYrT55pdB/opVxMxt/wC19Jx6mHh2u1AAvHp2tqAi
            pA4fLRWRymQpOx/heqPALhx97LJnLOHzLA9WDDfGZMrZ8PcxqxI3yTlx0r6655Mf
            zPRnR5YRAgMBAAECggEACG5dDUrCenQ4vCg05k4ohO92PW6fmow0SEuWzMJ7NoR6
            Ok83NiG8sYDlVM03+Ud+aGezdiP11e7cO8o0XYUY7GoMfNt05OVzcIYJgTNLXIn7
            J1dD1CQKl9t88t6YQsS8wUOKSiUde+45tJyea/qQyLG7VaBdCxVMQHQtzTakaDGM
            hptLOTsXiHzckPiPCK5jYETLg+viuvl9VdFkGC+oBmOmMETRu5GD1G+KnenZfuuY
            o4a6uEdugi24eN1Af6WpJshFn9m/7gblodPHoShK1Hjhr8opjkC05uv92FA666Nr
            0z+FYxXaPGx8L7ByfAYWVcWhvJQqC7ZISU7AtFAeAQKBgQD3BqbLUnpblWU5hjvO
            H7ZLSP6FleDhH9Bt0qmr88uLlGkqZZG54DOYusKO5KL03mIFC7Eqf03V+PT1H89H
            SRN35zYxvKwwsqu4ZjzvxRx0TLTeexwqXaDOwbGkz6/N5BYG4J8VY9HHEHyM3Lh4
            x2mv+6jKwRS44zvJWQ8a6TagEQKBgQC2yEPfqNmPspHjIx8Njm2192DO1teErJ8z
            7FBhLeFfqgrFcrdJT5sPNAnRaNDl0APmWp1/N0UmGUD3YWaEct0fngP1duLBM4ri
            cmvppSxWdTuroiGbZQhponpXbdb5WaBbCm67AZYqWehqwU6aqRGJD7ObVf/+M7Jt
            fyKQLteWAQKBgEGv2ByK4xSFZnRkeHS4RA5C68Nz9meGwTLi6NFbs816+ngWqCiI
            MNA1IVVEAP0iQWhcEpFdZsI2QFUKT2ECUpX4upWBOTx91mHjdeLARG+8kf/zNqsh
            WIiCQw2zWGlkdGMByeuzLm5DuQrwCnG7fSQZxGmd7De53QUOlJCwYSExAoGBAKoe
            yPVxTVTuadQTC0LtznTvkr3QvnSwydhk2Qcp0brdI/tT4v2rxvEmiQDL4qoSqp6K
            tk4CXiywkoPstqMN2Xsk8iBTj4csdtZ+kqu63QJ3SJtdYpQkO+k9nUqkY9Jetd4m
            XptVRbOTTLuXwZY3R6fe4lbwezvYV/iLvNqfjm4BAoGAAQyesikzDzj3W0vJWfWy
            jeZta/MoKMCn4yFU1/rX86a8uc6WyjPZUKL9AopXWUHwpgvo7X4KaAMqwFkiUoBX
            cRbRpBhT83Ma6smY4qqxNyN5LH9NiQybCWw067/aoRihPPGkjQboHoangDXvi3ak
            vph9y9CCqcd3WNmC4TtqAcI=
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// ECDH-ES+A256KW on P-521 and A256GCM.
    static let p521 = PublishedJWE(
        compact: """
            eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsImVuYyI6IkEyNTZHQ00iLCJjdHkiOiJKV1QiLCJlcGsiOnsiY3J2Ijoi\
            UC01MjEiLCJ4IjoiQUpOaS1acENfSHRidEYxSVdSNkp5aFJ2T05hLVpkZG5QZVNqelpWY0l4Z1MteGUwNldYb09t\
            ZnZFbDgtZWNyMHlZcUlZWHFDOU01RFBseW5sdnRQNFVCVCIsInkiOiJBWjdiWjdjbzFmeC16RlpzdWZyVk5WSDRy\
            dHdaVUdGcXdpT2V1ZUlMNGx5RjZCekJ2aDVmV0ZXUHRTNXlHUXAybDhDTm5YajNKbFA4T253MmRRX3hVd1ZqIiwi\
            a3R5IjoiRUMifX0._NRxWsmkN9Tq4kF6i19wHkKoefjFhU_4a1HpueJMxdtQcB_yQ6xTEQ.uwoXUCSHjpj-yWD3.\
            z3c-p3ZCnyqucsRhZipYKN1tQRgMo9wq51dco4vq8Ck-jKKFmQxaWRU1Pt1vrrE.cLz_pfbRhsWZmg3xSQWPEw
            """,
        algorithm: "ECDH-ES+A256KW",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAEDRaNpvc0R0GFgBq
            K/jPL9d+ogGUCmoOdx3TCStLk4WBpAjdtngZu3mTQVmIPk3zhQTcRzY/1HRsVP15
            EOX/HWmhgYkDgYYABAApunN8torrizxLyBwyDycHQWVpb+W25CmPuiOGeJkfNRSB
            GNGGNq7LZsQiEwIVjk9SVioGUQIgpb759/eIBUERYwCGabIQW75Bah1IaE9EN0SV
            Z7WGcaxfm+8gZuTBr/ewm7OCR0FTP/vb1y58htw4/70jDF4+bP18I+pgA6zQma9e
            4g==
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// ECDH-ES on P-256 and A256CBC-HS512, with apu and apv.
    static let partyInfo = PublishedJWE(
        compact: """
            eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkNCQy1IUzUxMiIsImN0eSI6IkpXVCIsImFwdSI6IlFXeHBZMlUi\
            LCJhcHYiOiJRbTlpIiwiZXBrIjp7ImNydiI6IlAtMjU2IiwieCI6ImNhdEI4QmJ0YVJBbDhUcDEzSXlJODBlbjFM\
            b20wSmFpR1JUTVZBSEZ6NG8iLCJ5IjoiUWxLZGVtSDFCQmNzVXVJX3JjNFA0RG1fYW5OYmFqOHMwanpaMWNhOGhp\
            RSIsImt0eSI6IkVDIn19..gUUcUy7OW7qlFbaDou4YhA.BaNsWiF0Fk5MpSItn_QvZSIy9QJrna00DrDps9Tkk9u\
            _UOzC5xhUTJdKogBE23od.No3uBM6PbQ8GBv7LLVklzDRFyjUlm8wTahedvdL3RHY
            """,
        algorithm: "ECDH-ES",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJ1qLBXPFTW9BHjZH
            FJCD2RFOnluKwHejMxNdKmLcuo6hRANCAAR8dX5IWDGvmqzjsWcRvjPQ15zDBR7+
            nzAcNvkhcxgwSP6GjgJAiMvidHHMMIZGAz3RCGbM8aOROeFynkb8HcWm
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// ECDH-ES on X25519 and A128GCM.
    static let x25519 = PublishedJWE(
        compact: """
            eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTEyOEdDTSIsImN0eSI6IkpXVCIsImVwayI6eyJjcnYiOiJYMjU1MTki\
            LCJ4IjoibWZ6SWFEbUJNX3Rnam9UVXNPY3l1ZDl3SThhVDFVcUNqQnBFSXZhVXVqbyIsImt0eSI6Ik9LUCJ9fQ..\
            EX_IfdEvO8bLOfkl.E8QLutvf34qaqa8Buc1GRG6C_4JfAVKYncYcdsie_Bvw9k8D67Nh9AAdBfN_Q9s.Vd8DvFS\
            23-c9FH167-PatQ
            """,
        algorithm: "ECDH-ES",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VuBCIEIJCcvfXAFDIwz68pZg1F3H+Ge6/HEwr9/A7bkF2iqqZN
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// ECDH-ES+A128KW on X25519 and A128CBC-HS256.
    static let x25519WithWrap = PublishedJWE(
        compact: """
            eyJhbGciOiJFQ0RILUVTK0ExMjhLVyIsImVuYyI6IkExMjhDQkMtSFMyNTYiLCJjdHkiOiJKV1QiLCJlcGsiOnsi\
            Y3J2IjoiWDI1NTE5IiwieCI6ImFrcnlfUXJUQ0dTeEFFYXFmbTgzbnA2QlVHSllaWElMeFp4WFZVQzQ4VUEiLCJr\
            dHkiOiJPS1AifX0.IY00aCgL289uZ3xr5_edg3HKD8kVGBgGayf3W-_5kAm93sDRhXwe7g.gC_tg0tcCFF4DuDeM\
            5F-Ag.RXs5ynVUE8Hx4tg6IzS1a3UtCiyfkQBrF9A4AJS9o-dik6gEBLnZmYIMl9qWr6OV.WvsvGob_2_nm_3Hra\
            T4atw
            """,
        algorithm: "ECDH-ES+A128KW",
        key: .pem(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VuBCIEIJCcvfXAFDIwz68pZg1F3H+Ge6/HEwr9/A7bkF2iqqZN
            -----END PRIVATE KEY-----
            """),
        plaintext: plaintext)

    /// A256KW and A256CBC-HS512.
    static let a256KW = PublishedJWE(
        compact: """
            eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIiwiY3R5IjoiSldUIn0.aZnulML-t0udkPplTbX_\
            l_NBXuCGjGeiOzSCEmGZeY_C7JCh_D7oDLwNb1BZDnOrL03s7Z8-Pnb-oJUSC7oSOsoOCzCZA2vU.OnJEmavUaKo\
            g7QSzsQUHHw.B2BnH30jeI_wXy1NxgWtrx74J2nJaoS_UOjgbxe9Dz8NkTyFrKPz1YitDrHWDQt_.gPc8FE6vpsb\
            rM918qa8lPGS_KELv_BwRg11L017NHS4
            """,
        algorithm: "A256KW",
        key: .secret("oFidX_5zaba8cabeFksors7tMuCUcaPPmcm19n78Jc8"),
        plaintext: plaintext)

    /// dir and A256CBC-HS512.
    static let direct = PublishedJWE(
        compact: """
            eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIiwiY3R5IjoiSldUIn0..KrhcAH6z3SXRO15DFt5axw.\
            4lLoyYsPTBPg5s_T31bppCrz7_b6BNYUQF6vH_1azk9fIim38dAb6Pth1YuErn4D.zWFQXkGQLeN_jdSEDSg-8UH\
            _TwcBo4hchLMP-dDiaLg
            """,
        algorithm: "dir",
        key: .secret("Ara2u_XD1jpfjHIiORQEIrNjyHeLyuajZCjuoYy24f6jGnbiNYtTefWI2DsI0wfVbetPoYLRumhJ2o-735jneA"),
        plaintext: plaintext)
}
