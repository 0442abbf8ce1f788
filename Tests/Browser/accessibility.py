"""What must be so of a page for everybody to be able to use it: WCAG 2.2, as far as a program can tell."""

CHECK = r"""() => {
  const faults = [], all = (selector) => [...document.querySelectorAll(selector)];
  const fail = (what) => faults.push(what);
  const root = document.documentElement;
  if (!/^[a-z]{2,3}(-|$)/i.test(root.lang)) fail("3.1.1 no language");
  if (!document.title.trim()) fail("2.4.2 no title");
  if (all("main").length !== 1) fail("1.3.1 not one main");
  if (all("h1").length !== 1) fail("1.3.1 not one h1");
  let level = 0;
  for (const heading of all("h1,h2,h3,h4,h5,h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) fail(`1.3.1 ${heading.tagName} after h${level}`);
    if (!heading.textContent.trim()) fail("2.4.6 an empty heading");
    level = next;
  }
  for (const image of all("img")) if (!image.hasAttribute("alt")) fail("1.1.1 an image without alt");
  for (const drawing of all("svg")) if (!drawing.closest("[aria-hidden=true]") && !drawing.getAttribute("aria-label"))
    fail("1.1.1 a drawing without a name");
  for (const link of all("a,button")) {
    if (!(link.innerText || link.getAttribute("aria-label") || "").trim()) fail("2.4.4 a link without a name");
    const box = link.getBoundingClientRect();
    if (link.matches(".button,button") && (box.height < 24 || box.width < 24)) fail("2.5.8 a target below 24 px");
  }
  const ids = all("[id]").map((each) => each.id);
  if (new Set(ids).size !== ids.length) fail("4.1.2 an id twice");
  if (all("meta[name=viewport]").some((each) => /user-scalable=no|maximum-scale/.test(each.content))) fail("1.4.4 no zoom");
  if (root.scrollWidth > root.clientWidth) fail(`1.4.10 ${root.scrollWidth - root.clientWidth} px beyond the window`);
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
      if (colour[3] > 0) fail("a half transparent background");
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || parent.closest("script,noscript,[hidden]")) continue;
    const style = getComputedStyle(parent);
    if (style.visibility === "hidden" || !parent.getClientRects().length) continue;
    seen += 1;
    const [first, second] = [light(parse(style.color)), light(ground(parent))];
    const ratio = (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
    if (ratio < 4.5) fail(`1.4.3 ${ratio.toFixed(2)} of "${texts.currentNode.textContent.trim().slice(0, 30)}"`);
  }
  if (!seen) fail("no text");
  return faults;
}"""

FOCUS = """(target) => {
  target.focus();
  if (document.activeElement !== target || target.tabIndex < 0) return null;
  const style = getComputedStyle(target);
  return `${target.tagName} ${style.outlineStyle} ${parseFloat(style.outlineWidth)}`;
}"""


def faults(page):
    """What is wrong with the page that a window shows, in the words of WCAG's numbers."""
    found = page.evaluate(CHECK)
    # From now on the browser shows the focus, as to everybody who uses the keyboard.
    page.keyboard.press("Tab")
    for target in page.locator("main a, main button").all():
        focused = target.evaluate(FOCUS)
        if focused is None:
            found.append("2.1.1 not to be reached by the keyboard")
        elif " none " in focused or focused.endswith(" 0"):
            found.append(f"2.4.7 no focus to be seen: {focused}")
    return found
