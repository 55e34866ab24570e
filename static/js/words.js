// What the phone says by itself: the sentences of words/<language>.js, which are written from referee/web/phone.toml.

/** @typedef {typeof import("./words/en.js").default} Words */

/** The language of the page. */
export const spoken = globalThis.document?.documentElement.lang || "en";
const plurals = new Intl.PluralRules(spoken);
/** @type {{default: Words}} */
const { default: WORDS } = await import(`./words/${spoken}.js`);

/** @typedef {Exclude<keyof Words, `${string}.${string}`>} Key */
/** @template {string} Text @typedef {Text extends `${string}{${infer Place}}${infer Rest}` ? Place | Places<Rest> : never} Places */
/** @template {Key} Said @typedef {Places<Words[Said]> | (`${Said}.one` extends keyof Words ? "n" : never)} Wanted */
/** @template {Key} Said @template Filling @typedef {[Wanted<Said>] extends [never] ? [] : [Record<Wanted<Said>, Filling>]} Given */

/** Return a number with a typographic minus sign; a name written from the right between marks, so that a number stays behind it. @param {string | number} value */
export const written = (value) =>
  typeof value === "number"
    ? String(value).replace("-", "−")
    : value.replace(/.*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc].*/, "\u200e$&\u200e");

/** Return points with their sign: "+20", "−20". @param {number} points */
export const signed = (points) => `${points > 0 ? "+" : ""}${written(points)}`;

/**
 * Return a sentence in parts for `append`, its places filled with texts, numbers or elements.
 * @template {Key} Said
 * @param {Said} key
 * @param {Given<Said, string | number | Element>} given
 */
export function pieces(key, ...given) {
  const places = /** @type {Record<string, string | number | Element>} */ (given[0] ?? {});
  const all = /** @type {Record<string, string>} */ (WORDS);
  const form = typeof places.n === "number" && all[`${key}.${plurals.select(places.n)}`];
  const text = form || all[key];
  return text.split(/\{(\w+)\}/).map((part, at) => {
    const filled = at % 2 ? places[part] : part;
    return typeof filled === "object" ? filled : written(filled);
  });
}

/**
 * Return a sentence, its places filled.
 * @template {Key} Said
 * @param {Said} key
 * @param {Given<Said, string | number>} given
 */
export const worded = (key, ...given) => pieces(key, ...given).join("");

/** Return a time of day as the server writes it, with its weekday if asked. @param {Date} moment @param {boolean} [weekday] */
export const atTime = (moment, weekday = false) =>
  moment.toLocaleString(spoken, {
    hour: "numeric",
    minute: "2-digit",
    ...(weekday && { weekday: "short" }),
  });

/** Return a sentence that came with the page, its places filled. @param {string} text @param {Record<string, string | number>} places */
export const filled = (text, places) => text.replaceAll(/\{(\w+)\}/g, (_, place) => written(places[place]));
