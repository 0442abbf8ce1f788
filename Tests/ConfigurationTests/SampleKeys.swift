/// Private keys made for these tests; they protect nothing.
enum SampleKeys {
    /// A P-256 key, as the three after it.
    static let request = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZDxlL4RFJSckPLVX
        6nDcnkCZ9a7N6WQY1mJD8HI2Nw+hRANCAARMSwke+Oad2avId8yB06aACZrtZf9F
        EOa7g1mAk2e+04W2oyM6uSDC42qtVhrJ1eBKB8cyb/oGODDX3aLVP9E/
        -----END PRIVATE KEY-----

        """

    static let next = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcq6sWRmjcVvqsRQz
        uGP8u69tp0VqNgOzaEZmp97EAO+hRANCAASkLh4Rfbp11ZOTlccfUyZoTDTIcSQA
        XKlNCz/7IhzAF/k9CTvtZ7bK9WeKryn51y6T1JpZ6TNJv8qNEkPbxzLB
        -----END PRIVATE KEY-----

        """

    static let decryption = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIQd0g/VBIR6OuYCE
        HiBZZHXNtATkoxG+E4tAP8iKs6uhRANCAAQUrLElWbFX05wuYdzCVltoBrrELjXk
        XB9xR8zaRRYG2gw6/Y31nAOwNhMlVXX9RbWRvyapBfDlGpk1anoQ1IH1
        -----END PRIVATE KEY-----

        """

    static let payments = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0mxbD6Y0I3SDXo8o
        jM8Rvsg6JUrao16DyDmSzl861mmhRANCAASFsALFAIy7ODxuLSug0t6hmNH6jj6N
        S9/iCOotzIDbTMbqkLLuAD71CQgdGknVC+PVvUdYyGs6TGmKd5qRfUfb
        -----END PRIVATE KEY-----

        """

    /// An RSA key of 2048 bits.
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDG42bQMUir8+cJ
        MUlOZbsfsmeuur3odJRk9mKUv8MrYVawyD4N37AqmXZn2iDW/4PQNrDgb0jodoKU
        Is7nOYh1QAFByWe5f4eJfu/9JbDEq1Ksf1PfXrEkewpejBF1NUtw9HFvXlq6rpFe
        metJaVor56m4X49SEb4szOB+v/MBpvd32asVuYzfdUQZYkl+JIQSkIYg8Tdp5m+H
        yT6+SavqC48Erm/lwbEAgelrv0OMJPtIbo9pmE4H2slGFEFLV/QkqLNMF6BkvmwV
        dBojYwpUoFsBYgv0V4QkwND5Za8r9x9YnrllHYnZwX5Tol78q44p46sax2RHPVhI
        HMmochm9AgMBAAECggEAIm4S6hciCrx0IjQBSfxT9sKCbu3eetuVpd2+Rpxky8Fz
        ybI8hdfTrig3ZnaNKVL97WFOYOf68d00MTNOaJpd3Fhab1pPpb3lR4DtSEBKV92F
        uB1ptlk05skTDDeIvSbe+ryiV4J4x+j4+uy/3ctKZB/cUnHehHlUV/qWoXKWvZHs
        928pO5CgzPqCOfmOUjPyxYorHkMu+AcDvkh9WP2m2uhpTmnJYvHyRdoqZpm9apvQ
        ZtrMc/hm03B2fG1WsJoUHQUdVoauW9F1CdHUnwioQQ987bfL12FDEo+3gwbRUeSO
        i39I41XagyJ2dYhYP6AxFyqYcCMVCUXs/kKpLin6YQKBgQDuM+Jr9zmXuCirvkjp
        4F6QwQGH9t3+rsSYL6P5cpD6v1RwVnxFcg4O0oxW+SAeRvGOxxzdosfx5AJQbwEo
        dQ2z0+hJLiDqjVRJ1ndQgujS2CIiQiVStT7OhrHRruHn23NcnZ2glCjF47R/HAMf
        1tOBOBe7UD80ySUyaFjl8Y6qIQKBgQDVv4x6k8D5gv6P/BuBO0jMB0WcBvgcW2Qv
        nwm7v6WJy8wd7yPhoY0IMUzZ/PeWOGskGmXawkxz0FPslOWX0ffxPGM80j4P2H2U
        /Gh+tzuqxOQ2p7hL/DIxBWRRUC6rMFFjBZs82VsfHFlUn8GMtshkPQ/e1CNrd3YS
        hVQsiLZUHQKBgQCJRN8bhsnqs9bEOhD8ri7wzjjaqJn/talXZkThcHM5/N5lKoHM
        51BQnGcBi+lFaW607+ujkbYVoGbxATcyoFn4Ior++RVA9Zb4Qh5aCEaxkpoBEgs+
        IXKDQ73fbx+CJMXTPoViz167w1/1zCfExmD2W2PZrwHtomjMJrPsNwsW4QKBgQCU
        EYAn/ailb7gWWCdZi47vP25aGn3PbwPk9T/R3n23CgVZCysJB1diQHyjWVjNqEGY
        He1G8GfzpnIspiyx0hL2+sUoAeBaK7c6+OsONLJRptkMf3zsrkS6rqiCp4/cqLkI
        Zn7WVR+JWqMLOyvh5VDGF4Kh8sSiknupctEPlJjxhQKBgDA6GUg3HAqRKf1cxWYQ
        fpKz8Lk2h3UWFl53hpegic+x7nXsYMui5m8qBLd0haE8p/wPUIDyMeRlUBiGJneN
        PwvYaRHd19Ccn/Z0KGkWWPgSiO/rG1N6Hl8uhOxx0+TeNuoMhgF5XZ54ed7AWbLz
        Id6nthDUND/7ja6+gbUhY+aC
        -----END PRIVATE KEY-----

        """
}
