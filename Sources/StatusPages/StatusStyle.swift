extension StatusPage {
    /// For light and dark, for telephones and wide screens, without a font, an image or a line from elsewhere.
    static let style = """
        :root{color-scheme:light dark;--page:#f3f4f6;--card:#fff;--line:#e2e5ea;--edge:#7b8494;--text:#1b1f27;\
        --soft:#566072;--accent:#1d4ed8;--warn:#8f4105;--warnback:#fdf1e0;--bad:#a8211a;--badback:#fdecea;\
        --good:#17693a;--goodback:#e5f5ea;--calmback:#eceef2;--bar:#7b8494;--badbar:#c9302c}
        @media(prefers-color-scheme:dark){:root{--page:#12151b;--card:#1b2029;--line:#313948;--edge:#7b869b;\
        --text:#eceff4;--soft:#a5afc0;--accent:#93b4ff;--warn:#ffbe76;--warnback:#3a2a14;--bad:#ff9c94;\
        --badback:#3d1f1f;--good:#86dba5;--goodback:#17321f;--calmback:#272e3a;--bar:#7b869b;--badbar:#e5675f}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere;\
        font:.9375rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
        header,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}
        header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:.2rem 1.5rem;\
        padding-top:1.1rem;padding-bottom:.8rem}
        header p{margin:0}header b{font-size:1.1rem}
        .name span,.live,footer,.note,small{color:var(--soft)}
        .live{font-variant-numeric:tabular-nums}
        main{display:grid;gap:1rem}
        section{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem 1.25rem;min-width:0;\
        scroll-margin-top:1rem}
        h1{font-size:1.35rem;line-height:1.25;margin:0}
        h2{font-size:1.0625rem;margin:0 0 .6rem}
        #verdict{border-inline-start:.4rem solid var(--tone)}
        #verdict h1{color:var(--tone)}
        #verdict.good{--tone:var(--good)}#verdict.warn{--tone:var(--warn)}#verdict.bad{--tone:var(--bad)}
        #verdict ul{list-style:none;margin:.7rem 0 0;padding:0;display:grid;gap:.45rem}
        #verdict li{display:flex;gap:.6rem;align-items:baseline}#verdict .chip{min-width:4.1rem;text-align:center}
        .chip{display:inline-block;padding:.05rem .5rem;border-radius:1rem;font-weight:600;font-size:.85rem;\
        white-space:nowrap}
        .chip.bad{color:var(--bad);background:var(--badback)}.chip.warn{color:var(--warn);background:var(--warnback)}
        .chip.good{color:var(--good);background:var(--goodback)}.chip.calm{color:var(--soft);background:var(--calmback)}
        dl{margin:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.9rem 1.5rem}
        dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-variant-numeric:tabular-nums}
        dl .wide{grid-column:span 2}
        #traffic dd b{font-size:1.7rem;font-weight:650;line-height:1.2}
        #traffic .bad b{color:var(--bad)}
        small{font-size:.8125rem;display:block}
        .places small{display:inline}th small{font-weight:400}
        .facts{margin:.15rem 0 0;color:var(--soft);font-size:.875rem}
        .note{margin:-.4rem 0 .6rem;font-size:.8125rem}
        .calm{margin:0;color:var(--soft)}
        table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
        caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        th,td{text-align:start;vertical-align:top;padding:.4rem .5rem;border-top:1px solid var(--line)}
        thead th{color:var(--soft);font-weight:500;font-size:.8125rem;border-top:0;vertical-align:bottom;\
        overflow-wrap:normal}
        th[scope=row]{font-weight:600;width:32%}
        th:first-child{padding-inline-start:0}td:last-child,thead th:last-child{padding-inline-end:0}
        .n{text-align:end}
        code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
        .bar{display:block;width:100%;max-width:16rem;height:.25rem;margin-top:.3rem}
        .bar rect{fill:var(--bar)}.bar.bad rect{fill:var(--badbar)}
        details{margin-top:.6rem}
        summary{cursor:pointer;color:var(--accent);padding:.2rem 0}
        a{color:var(--accent)}
        button{font:inherit;padding:.2rem .8rem;border-radius:.45rem;border:1px solid var(--edge);background:var(--card);\
        color:var(--text);cursor:pointer;min-height:1.9rem}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        footer{padding-top:.4rem;padding-bottom:1.5rem;font-size:.85rem}
        .old #live{color:var(--bad);font-weight:600}
        @media(max-width:44rem){header,main,footer{padding-left:.75rem;padding-right:.75rem}main{gap:.75rem}\
        section{padding:.85rem .9rem}dl{grid-template-columns:repeat(2,minmax(0,1fr))}\
        #traffic dd b{font-size:1.4rem}thead{display:none}\
        table,tbody,tr{display:block}tr{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.3rem .8rem;\
        padding:.65rem 0;border-top:1px solid var(--line)}tr:first-child{border-top:0}\
        th,td{display:block;padding:0;border:0}th[scope=row]{grid-column:1/-1;width:auto}.n{text-align:start}\
        #verdict li{display:block}.chip{white-space:normal}\
        td::before{content:attr(data-label);display:block;color:var(--soft);font-size:.75rem}\
        #refused td:nth-child(3),#last td:nth-child(2),#issuers td:last-child,#certificates td:nth-child(3),#certificates td:nth-child(4),#last td:nth-child(4)\
        {grid-column:span 2}}
        """
}
