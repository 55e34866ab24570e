// What is measured on a page as Chromium draws it. Each function lists what is wrong: "what: how much".
"use strict";

(() => {
  const TARGET = 44;
  const SHORT = 8; // Letters of a name for which every head has room.
  const SENTENCE = 12; // Letters beside a link that make it a part of a sentence.
  const CONTROLS = 'a[href], button, summary, select, input, textarea, [tabindex="0"]:not([role="region"])';

  const name = (node) => `<${node.localName} class="${node.getAttribute("class") ?? ""}"> ${(node.textContent ?? "").trim().slice(0, 40)}`;
  const isSeen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest("[inert]");
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);

  /** A link within a sentence is as high as its line: WCAG 2.2 exempts it (2.5.8, inline). */
  const isInSentence = (node) => {
    if (!node.matches("a") || getComputedStyle(node).display !== "inline") return false;
    const block = node.parentElement.closest("p, li, dd, dt, td, span.means, span.hint, div, figcaption") ?? node.parentElement;
    return block.textContent.trim().length - node.textContent.trim().length >= SENTENCE;
  };

  function smallTargets() {
    return all(CONTROLS).flatMap((node) => {
      if (node.type === "hidden" || node.closest('[aria-hidden="true"]') || isInSentence(node)) return [];
      const boxes = [node, ...(node.labels ?? [])].map((one) => one.getBoundingClientRect());
      if (node.matches(".unseen") && node.nextElementSibling) boxes.push(node.nextElementSibling.getBoundingClientRect());
      if (getComputedStyle(node, "::after").position === "absolute") boxes.push((node.offsetParent ?? node).getBoundingClientRect()); // its whole frame is tapped
      const [width, height] = ["width", "height"].map((side) => Math.max(...boxes.map((box) => box[side])));
      if (width <= 1 || (width > TARGET - 0.5 && height > TARGET - 0.5)) return [];
      return [`${name(node)}: ${Math.round(width)} × ${Math.round(height)}`];
    });
  }

  /* Colors. */
  const parse = (color) => {
    const canvas = (parse.canvas ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true }));
    const known = (parse.known ??= new Map());
    if (!known.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      known.set(color, [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
    }
    return known.get(color);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, place) => part * a + below[place] * (1 - a));
  const light = (color) => {
    const [r, g, b] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  /** The color behind an element: of the nearest that paints one. @param {Element | null} node */
  const behind = (node) => {
    const layers = [];
    for (let one = node; one; one = one.parentElement) {
      const color = parse(getComputedStyle(one).backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [1, 1, 1]);
  };

  const MARKS = "circle, polyline, rect, path, polygon, line";
  const MEANS_NOTHING = ".grid, .band, .level-0, .bar-whole, .lead-line, .decoration, .decoration *, symbol *, .qr *";

  /** The edges by which a key, a field or a quiet button is known, and the marks of the charts, three to one. */
  function faintMarks() {
    const found = [];
    const note = (node, color, ground, what, most) => {
      const ratio = contrast(over(color, ground), ground);
      if (ratio < most) found.push(`${what} of ${name(node)}: ${ratio.toFixed(2)} to 1`);
    };
    for (const node of all(".key:enabled, .laid, .mini, input:not([type=checkbox], [type=radio], [type=hidden], .unseen), select, textarea")) {
      const style = getComputedStyle(node);
      const [edge, ground] = [parse(style.borderTopColor), behind(node.parentElement)];
      const ratio = Math.max(contrast(over(edge, ground), ground), contrast(behind(node), ground));
      if (ratio < 3) found.push(`edge of ${name(node)}: ${ratio.toFixed(2)} to 1`);
    }
    for (const node of all("main svg:not(.icon, .face, .shape, .corner) :is(circle, polyline, rect, path, polygon, line)")) {
      if (node.matches(MEANS_NOTHING) || node.closest('.qr, .card, .key, .laid, .mini, .wordmark, .seal, .end-mark, [aria-hidden="true"]:not(.bar, .form-strip)')) continue;
      const style = getComputedStyle(node);
      const ground = behind(node.closest("svg"));
      const colors = [style.stroke, style.fill].filter((color) => color !== "none" && !color.startsWith("url")).map(parse);
      const strongest = Math.max(0, ...colors.map((color) => contrast(over(color, ground), ground)));
      if (colors.length && strongest < 3) found.push(`mark ${name(node)}: ${strongest.toFixed(2)} to 1`);
    }
    return found;
  }

  /** Text, 4.5 to one, or 3 where it is large; what is disabled is exempt. */
  function faintText() {
    const found = new Set();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || !isSeen(node) || node.matches("script, style, title, desc, option, textarea")) continue;
      if (node.closest(":disabled, [aria-disabled=true], .unseen, .skip-link, .wordmark")) continue;
      const style = getComputedStyle(node);
      const size = parseFloat(style.fontSize);
      const most = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      const plate = matchMedia("(forced-colors: active)").matches && style.forcedColorAdjust === "auto"; // what the browser lays behind letters
      const ground = plate ? parse("Canvas").slice(0, 3) : behind(node);
      const color = parse(node instanceof SVGElement ? style.fill : style.color);
      const ratio = contrast(over(color, ground), ground);
      if (ratio < most) found.add(`${name(node)}: ${ratio.toFixed(2)} to 1`);
    }
    return [...found];
  }

  /** How a browser that forces its colors shows an element, but for the weight of its letters. */
  const look = (node) => {
    const style = getComputedStyle(node);
    const after = getComputedStyle(node, "::after");
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => {
      const width = style[`border${side}Width`];
      const color = style[`border${side}Color`];
      return width === "0px" || parse(color)[3] === 0 ? "none" : `${width} ${style[`border${side}Style`]} ${color}`;
    });
    const outline = style.outlineStyle === "none" ? "none" : `${style.outlineWidth} ${style.outlineColor}`;
    const drawn = after.content === "none" || after.content === "normal" ? "" : `${after.content} ${after.backgroundColor}`;
    return [style.backgroundColor, style.color, outline, style.textDecorationLine, drawn, ...sides].join("; ");
  };

  /** What is chosen, pressed or current must look otherwise than the others beside it. */
  function hiddenChoices() {
    const found = [];
    const groups = new Map();
    for (const node of all("[aria-pressed], [aria-current], .tabs a, .rooms a, .colors span, .direction a, .people button")) {
      const key = node.closest(".tabs, .rooms, .colors, .direction, .people, .chips, .lights, .choose-list, .row, .stepper, nav, ol, ul") ?? node.parentElement;
      groups.set(key, [...(groups.get(key) ?? []), node]);
    }
    const isChosen = (node) =>
      node.getAttribute("aria-pressed") === "true" ||
      !["false", null].includes(node.getAttribute("aria-current")) ||
      Boolean(node.previousElementSibling?.matches?.("input:checked") && node.matches(".colors span"));
    for (const nodes of groups.values()) {
      const others = new Set(nodes.filter((node) => !isChosen(node) && !node.disabled).map(look));
      for (const node of nodes.filter(isChosen)) {
        if (others.has(look(node))) found.push(`${name(node)} looks like what is not chosen`);
      }
    }
    return found;
  }

  /** What stays in place must hide what scrolls below it. */
  function seeThrough() {
    return all("body *").flatMap((node) => {
      const style = getComputedStyle(node);
      if (!["sticky", "fixed"].includes(style.position) || !node.textContent.trim() || node.closest(".skip-link, svg, .unseen")) return [];
      const paints = parse(style.backgroundColor)[3] === 1 || (style.backgroundImage !== "none" && !matchMedia("(forced-colors: active)").matches);
      return paints || node.matches("#messages *") ? [] : [`${name(node)} shows what lies below it`];
    });
  }

  /** How much of the height stays in place and does not scroll; a dialog is no such part, nor a message that goes by itself. */
  function stuckShare() {
    const stuck = all("body *").filter((node) => {
      const style = getComputedStyle(node);
      const box = node.getBoundingClientRect();
      return (
        ["sticky", "fixed"].includes(style.position) &&
        box.width > innerWidth / 2 && box.height > 0 &&
        style.top + style.bottom !== "autoauto" &&
        !node.closest("[data-open], #messages, .skip-link") &&
        !(style.position === "sticky" && Math.min(parseFloat(style.bottom) || 0, parseFloat(style.top) || 0) < -box.height)
      );
    });
    const height = stuck.filter((node) => !stuck.some((other) => other !== node && other.contains(node))).reduce((sum, node) => sum + node.getBoundingClientRect().height, 0);
    return height > innerHeight / 4 ? [`${stuck.map(name).join(", ")} take ${Math.round(height)} of ${innerHeight} px`] : [];
  }

  /** Tables say what they hold and which of their cells are heads; pictures have a name, or are no more than decoration. */
  function silentFigures() {
    const named = (node) => node.getAttribute("aria-label") || (node.getAttribute("aria-labelledby") ?? "").split(" ").some((id) => document.getElementById(id)?.textContent.trim());
    const tables = all("table").flatMap((table) => [
      ...(named(table) || table.caption ? [] : [`${name(table)} has no caption`]),
      ...[...table.querySelectorAll("th:not([scope])")].map((cell) => `${name(cell)} has no scope`),
      ...(table.querySelector("th[scope=col]") ? [] : [`${name(table)} has no heads`]),
    ]);
    const pictures = all("svg").filter((svg) => !svg.closest('[aria-hidden="true"], [role="img"]') || (svg.matches('[role="img"]') && !named(svg)));
    return [...tables, ...pictures.map((svg) => `${svg.outerHTML.slice(0, 80)} has no name and is not hidden`)];
  }

  /** Text stands in one of two typefaces: the one of prose, and the one of headings and figures. */
  function otherFaces() {
    const faces = ["--sans", "--display"].map((face) => getComputedStyle(document.documentElement).getPropertyValue(face).split(",")[0].replaceAll('"', "").trim());
    const hasText = (node) => [...node.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.textContent.trim());
    return all("body *").flatMap((node) => {
      const face = getComputedStyle(node).fontFamily.split(",")[0].replaceAll('"', "").trim();
      return faces.includes(face) || !(hasText(node) || node.matches("input, select, textarea")) ? [] : [`${name(node)} is set in ${face}`];
    });
  }

  /** Heads of tables are there whole, but for long names, and each button below a hand has its label in one line. */
  function cutLabels() {
    const cut = all("th, th *").filter((node) => {
      const hides = getComputedStyle(node).overflow !== "visible" && !node.matches(".unseen");
      if (node.matches("bdi") && node.textContent.trim().length > SHORT) return false;
      return hides && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1);
    });
    const wrapped = all(".standing-alone .pad-foot button").filter((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
    });
    return [...cut.map((node) => `${name(node)} is cut`), ...wrapped.map((node) => `${name(node)} wraps`)];
  }

  window.measures = { cutLabels, otherFaces, silentFigures, smallTargets, faintMarks, faintText, hiddenChoices, seeThrough, stuckShare };
})();
