/// The Ed25519 signature published in RFC 8037, appendix A.4.
enum RFC8037Vectors {
    /// RFC 8037 Appendix A.4.
    static let ed25519 = PublishedJWS(
        compact: """
            eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09P\
            GcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """,
        key: """
            {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
            """)
}
