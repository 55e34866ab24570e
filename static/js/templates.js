// Draws by the server's own templates: what referee/web/offline/documents.py wrote of their macros, filled with a view.

/** @typedef {string | [string, ...any[]]} Part a text, or what to do with the values that follow */
/** @typedef {{takes: string[], defaults: unknown[], body: Part[]}} Macro */
/** @typedef {{macros: Record<string, Macro>, values: Record<string, unknown>}} Templates */
/** @typedef {Record<string, unknown>} Scope */

/** HTML that is not escaped once more. */
class Drawn {
  /** @param {string} html */
  constructor(html) {
    this.html = html;
  }
}

/** @type {Record<string, string>} */
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

/** @param {unknown} value */
export const escaped = (value) => String(value ?? "").replace(/[&<>'"]/g, (one) => ESCAPED[one]);

/** Return whether a template takes a value for true: as in Jinja, an empty list is not. @param {unknown} value */
const holds = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/**
 * Return a function that draws a macro with the values it takes, as HTML.
 * @param {Templates} templates
 * @returns {(name: string, ...taken: unknown[]) => string}
 */
export function drawing({ macros, values }) {
  /** @type {Record<string, (scope: Scope, ...rest: any[]) => unknown>} */
  const means = {
    is: (_, value) => value,
    name: (scope, name) => scope[name],
    of: (scope, whole, name) => evaluate(whole, scope)?.[evaluate(name, scope)],
    not: (scope, one) => !holds(evaluate(one, scope)),
    and: (scope, one, other) => (holds(evaluate(one, scope)) ? evaluate(other, scope) : evaluate(one, scope)),
    or: (scope, one, other) => (holds(evaluate(one, scope)) ? evaluate(one, scope) : evaluate(other, scope)),
    choose: (scope, test, yes, no) => evaluate(holds(evaluate(test, scope)) ? yes : no, scope),
    equal: (scope, one, other) => evaluate(one, scope) === evaluate(other, scope),
    roles: (scope, one) =>
      new Drawn(
        escaped(evaluate(one, scope)).replaceAll("\u2068", '<span class="role">').replaceAll("\u2069", "</span>"),
      ),
    call: (scope, name, given) =>
      new Drawn(draw(name, ...given.map((/** @type {Part} */ one) => evaluate(one, scope)))),
    say: (scope, text, places) =>
      new Drawn(escaped(text).replace(/\{(\w+)\}/g, (_, name) => String(means.out(scope, places[name])))),
    out: (scope, one) => {
      const value = evaluate(one, scope);
      return value instanceof Drawn ? value.html : escaped(value);
    },
    if: (scope, test, yes, no) => body(holds(evaluate(test, scope)) ? yes : no, scope),
    for: (scope, name, each, parts, otherwise) => {
      const all = /** @type {unknown[]} */ (evaluate(each, scope) ?? []);
      const drawn = all.map((one, place) => {
        const loop = { index0: place, index: place + 1, first: place === 0, last: place === all.length - 1 };
        return body(parts, { ...scope, [name]: one, loop });
      });
      return drawn.length ? drawn.join("") : body(otherwise, scope);
    },
  };
  /** @param {any} part @param {Scope} scope @returns {any} */
  const evaluate = ([means_, ...rest], scope) => means[means_](scope, ...rest);
  /** @param {Part[]} parts @param {Scope} scope */
  const body = (parts, scope) =>
    parts.map((part) => (typeof part === "string" ? part : evaluate(part, scope))).join("");
  /** @param {string} name @param {...unknown} taken */
  function draw(name, ...taken) {
    const { takes, defaults, body: parts } = macros[name];
    const missing = takes.length - defaults.length;
    const own = takes.map((one, place) => [one, place < taken.length ? taken[place] : defaults[place - missing]]);
    return body(parts, { ...values, ...Object.fromEntries(own) });
  }
  return draw;
}
