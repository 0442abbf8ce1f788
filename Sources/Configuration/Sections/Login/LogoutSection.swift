import Login
import Sessions

/// `logout` of a client: what a logout is beside the end of the session here.
enum LogoutSection {
    private static let table = SettingTable(
        "the settings of logouts", defaults: LogoutSettings(),
        [
            .flag(
                "at_server", \.atServer, "Sends the browser through the server's logout too, where it has one."),
            .flag(
                "post_hint", \.postsHint,
                "Sends the ID token that says whose logout it is in a form and never in a URL."),
            .flag(
                "backchannel", \.backchannel,
                "Lets the server end sessions at /.portcullis/backchannel-logout/NAME."),
            .flag("require_type", \.requiresType, "Takes logout tokens with typ logout+jwt alone."),
            .flag(
                "accept_without_expiry", \.acceptsWithoutExpiry,
                "Takes logout tokens without exp, for two minutes from iat: older servers send none."),
            .flag(
                "frontchannel", \.frontchannel,
                "Lets the server end a browser's session from a frame, at /.portcullis/frontchannel-logout/NAME."),
            .text(
                "landing", orNone: \.landing, LoginText.landing, example: "/goodbye",
                "The path where the browser ends up after a logout; a page of ours by default."),
        ])
    static let shape = table.shape

    static func translate(
        _ client: CheckedObject, _ session: SessionSettings, _ problems: ProblemList
    ) -> LogoutSettings {
        guard let object = client.object("logout") else { return LogoutSettings() }
        var settings = LogoutSettings()
        table.read(object, into: &settings)
        if settings.postsHint, !settings.atServer {
            refuse("post_hint", without: "at_server: true", in: object, problems)
        }
        for key in ["require_type", "accept_without_expiry"] where object.flag(key) == true && !settings.backchannel {
            refuse(key, without: "backchannel: true", in: object, problems)
        }
        // LO-10: the endings of sealed sessions are remembered here, and a restart forgets them before the cookies do.
        if settings.backchannel, session.store == .cookie, !session.keys.isEmpty {
            problems.warning(
                at: object.place(of: "backchannel"),
                expected: "endings that last as long as cookies do", found: "store: cookie with keys of its own",
                remedy:
                    "a session that the server ended is alive again after a restart, and on other replicas: with store: memory it is not"
            )
        }
        return settings
    }

    private static func refuse(
        _ key: String, without other: String, in object: CheckedObject, _ problems: ProblemList
    ) {
        problems.error(
            at: object.place(of: key), expected: "\(other) beside \(key)", found: "none",
            remedy: "add  \(other) , or leave \(key) out")
    }
}
