// The hand pad by keyboard: which letter lays which card, and what a pressed key means. It knows no deck.

/**
 * @typedef {{does: "lay" | "type", what: string} | {does: "erase" | "next" | "close" | "nothing"}} Meaning
 * @typedef {object} At what the pad is at
 * @property {boolean} entering a hand is being entered
 * @property {boolean} typing by its total instead of its cards
 * @property {boolean} free nothing has the focus that Enter would press
 * @property {(face: string) => boolean} has whether there is a key for a face
 * @property {Map<string, string>} letters the faces by their letters
 */

/** Give a letter to every card without a digit: an initial of its name that no card before it has, else another letter of it. @param {Iterable<[string, string]>} named faces with their names, in the order of their keys @returns {Map<string, string>} the faces by letter */
export function lettersOf(named) {
  /** @type {Map<string, string>} */
  const letters = new Map();
  const words = [...named].map(([face, name]) => ({ face, words: name.toLowerCase().match(/[a-z]+/g) ?? [] }));
  /** @param {string} face @param {string[]} wanted */
  const give = (face, wanted) => {
    const letter = wanted.find((one) => !letters.has(one));
    if (letter) letters.set(letter, face);
    return Boolean(letter);
  };
  const left = words.filter(
    (one) =>
      !give(
        one.face,
        one.words.map(([initial]) => initial),
      ),
  );
  for (const one of left) give(one.face, [...one.words.reverse().join("")]);
  return letters;
}

/** Say what a pressed key means; null where it means nothing here. @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat">} pressed @param {At} at @returns {Meaning | null} */
export function meaningOf({ key, ctrlKey, metaKey, altKey, repeat }, { entering, typing, free, has, letters }) {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === "Escape") return { does: "close" };
  if (key === "Enter") return repeat ? { does: "nothing" } : free ? { does: "next" } : null;
  if (!entering) return null;
  if (key === "Backspace") return { does: "erase" };
  if (key.length > 1 || repeat) return null;
  if (typing) return /[\d+]/.test(key) ? { does: "type", what: key } : null;
  const face = /\d/.test(key) ? key : letters.get(key.toLowerCase());
  return face !== undefined && has(face) ? { does: "lay", what: face } : null;
}
