extension StatusPage {
    /// Asks for the page every five seconds and puts in place what differs; pauses when nobody looks, or somebody says so.
    ///
    /// What comes is parsed as a document of its own, in which no script runs, and the policy lets none in either.
    static let script = #"""
        "use strict";(() => {
        const every = 5000, live = document.getElementById("live"), button = document.createElement("button");
        let paused = false, timer = 0, asking = false, last = Date.now();
        const inner = (part) => [...part.querySelectorAll("a,summary")];
        const say = (text, isOld) => { document.body.classList.toggle("old", isOld); live.textContent = text; };
        const put = (next) => {
          document.title = next.title;
          const icon = document.querySelector("link[rel=icon]"), other = next.querySelector("link[rel=icon]");
          if (icon.href !== other.href) icon.href = other.href;
          const main = document.querySelector("main"), wanted = [...next.querySelectorAll("main > section")];
          for (const part of [...main.children]) if (!wanted.some((each) => each.id === part.id)) part.remove();
          wanted.forEach((part, place) => {
            const shown = document.getElementById(part.id);
            const after = main.children[place] || null;
            if (!shown) return main.insertBefore(document.adoptNode(part), after);
            const folds = [...shown.querySelectorAll("details")].map((each) => each.open);
            [...part.querySelectorAll("details")].forEach((each, index) => { each.open = !!folds[index]; });
            if (shown.isEqualNode(part)) return;
            const focus = inner(shown).indexOf(document.activeElement);
            shown.className = part.className;
            shown.replaceChildren(...document.adoptNode(part).childNodes);
            if (focus >= 0) inner(shown)[focus]?.focus({ preventScroll: true });
          });
          document.body.classList.remove("old");
          live.replaceChildren(...document.adoptNode(next.getElementById("live")).childNodes);
          last = Date.now();
        };
        const look = async () => {
          clearTimeout(timer);
          if (paused || document.hidden || asking) return;
          asking = true;
          try {
            const answer = await fetch(location.pathname,
              { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(4 * every) });
            if (!answer.ok) throw new Error(`${answer.status}`);
            const next = new DOMParser().parseFromString(await answer.text(), "text/html");
            if (paused || !next.getElementById("live")) throw new Error("no page");
            if (getSelection().isCollapsed) put(next);
          } catch {
            if (!paused) say(`No answer for ${Math.round((Date.now() - last) / 1000)} s: what is below is old`, true);
          }
          asking = false;
          clearTimeout(timer);
          if (!paused && !document.hidden) timer = setTimeout(look, every);
        };
        button.type = "button";
        button.textContent = "Pause";
        button.addEventListener("click", () => {
          paused = !paused;
          button.textContent = paused ? "Go on" : "Pause";
          button.setAttribute("aria-pressed", String(paused));
          look();
        });
        document.querySelector(".live a").replaceWith(button);
        document.addEventListener("visibilitychange", look);
        timer = setTimeout(look, every);
        })();
        """#
}
