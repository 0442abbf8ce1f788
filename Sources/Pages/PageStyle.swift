import Bytes
import Crypto

/// What the pages look like: one sheet, in the page itself, known to its policy by its hash.
struct PageStyle: Sendable {
    /// For light and dark, for telephones and wide screens, without a font, an image or a line from elsewhere.
    let sheet: String
    /// The source that lets `sheet` in, and no other style.
    let source: String

    init(accent: PageAccent?) {
        let accent = accent ?? .standard
        sheet = PageStyle.rules
            .replacing("ACCENTLIGHT", with: accent.onLight.text).replacing("ACCENTDARK", with: accent.onDark.text)
        let utf8 = sheet.utf8Span
        source = "'sha256-" + Base64.encode(SHA256.hash(utf8.span).bytes.span) + "'"
    }

    private static let rules = """
        :root{color-scheme:light dark;--page:#f3f4f6;--card:#fff;--line:#e2e5ea;--edge:#7b8494;--text:#1b1f27;\
        --soft:#566072;--accent:ACCENTLIGHT;--onaccent:#fff;--warn:#a14a06;--warnback:#fdf1e0;--bad:#b3261e;\
        --badback:#fdecea;--good:#17693a;--goodback:#e5f5ea}
        @media(prefers-color-scheme:dark){:root{--page:#12151b;--card:#1b2029;--line:#313948;--edge:#7b869b;\
        --text:#eceff4;--soft:#a5afc0;--accent:ACCENTDARK;--onaccent:#0d1626;--warn:#ffbe76;--warnback:#3a2a14;\
        --bad:#ff9c94;--badback:#3d1f1f;--good:#86dba5;--goodback:#17321f}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;\
        justify-content:center;padding:1.25rem;background:var(--page);color:var(--text);overflow-wrap:break-word;\
        font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
        header{display:flex;align-items:center;gap:.7rem;width:100%;max-width:35rem;margin:0 0 1rem;font-weight:600}
        header img{display:block;max-width:min(12rem,100%);max-height:2.75rem}
        main{width:100%;max-width:35rem;background:var(--card);border:1px solid var(--line);border-radius:.9rem;\
        padding:clamp(1.4rem,5vw,2.4rem);box-shadow:0 1px 2px rgba(0,0,0,.05),0 12px 32px rgba(0,0,0,.07)}
        .mark{display:flex;align-items:center;justify-content:center;width:3rem;height:3rem;border-radius:50%;\
        margin:0 0 1.1rem}
        .mark svg{width:1.6rem;height:1.6rem;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;\
        stroke-linejoin:round}
        .warn{color:var(--warn);background:var(--warnback)}.bad{color:var(--bad);background:var(--badback)}
        .good{color:var(--good);background:var(--goodback)}.calm{color:var(--accent);background:var(--page)}
        h1{font-size:clamp(1.3rem,4.5vw,1.6rem);line-height:1.25;margin:0 0 .8rem;text-wrap:balance}
        h2{font-size:1rem;margin:1.4rem 0 .4rem}
        p{margin:0 0 .8rem}ul{margin:0 0 .8rem;padding-inline-start:1.2rem}li{margin:0 0 .5rem}
        .do{display:flex;flex-wrap:wrap;gap:.7rem;margin:1.6rem 0 0}
        .do form{display:contents}
        .button{display:inline-block;font:inherit;font-weight:600;padding:.65rem 1.2rem;border-radius:.55rem;\
        border:1px solid var(--accent);background:var(--accent);color:var(--onaccent);text-decoration:none;\
        cursor:pointer}
        .button.second{background:transparent;color:var(--accent);border-color:var(--edge)}
        .button:hover{text-decoration:underline}
        a{color:var(--accent)}
        :focus-visible{outline:3px solid var(--accent);outline-offset:3px}
        footer{margin:1.8rem 0 0;padding:1rem 0 0;border-top:1px solid var(--line);color:var(--soft);\
        font-size:.875rem}
        footer p{margin:0 0 .3rem}
        code{font:.95em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere;\
        user-select:all}
        @media(max-width:30rem){body{justify-content:flex-start;padding:.75rem}\
        .do .button{flex:1 1 100%;padding-inline:.7rem;text-align:center}code{font-size:.75rem}}
        """
}

/// A sign above the heading.
package enum PageMark: String, Sendable {
    case warn, bad, good, calm

    /// An element; drawn by hand, so that nothing is fetched.
    var element: String {
        let drawing =
            switch self {
            case .warn: "<path d=\"M12 4 2.6 20h18.8L12 4zM12 10v4.5M12 17.2v.3\"/>"
            case .bad: "<circle cx=\"12\" cy=\"12\" r=\"9\"/><path d=\"m9 9 6 6m0-6-6 6\"/>"
            case .good: "<path d=\"m5 12.5 4.5 4.5L19 7.5\"/>"
            case .calm:
                "<rect x=\"5\" y=\"11\" width=\"14\" height=\"9\" rx=\"2\"/><path d=\"M8 11V8a4 4 0 0 1 8 0v3\"/>"
            }
        return "<div class=\"mark \(rawValue)\" aria-hidden=\"true\"><svg viewBox=\"0 0 24 24\">\(drawing)</svg></div>"
    }
}
