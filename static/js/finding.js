// Which texts are meant by what somebody types: those that have most of the words.

const LITTLE = new Set("a an and are can do does for i if in is it may my of on or the to what with you".split(" "));

/** @param {string} text */
const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

/** @param {string} typed */
export const wordsOf = (typed) =>
  plain(typed)
    .split(/[^\p{L}\p{N}+]+/u)
    .filter((one) => one && !LITTLE.has(one))
    .map((one) => one.replace(/(?<=\w{3})(ing|ed|s)$/, ""));

/** Tell of each text whether it has as many of the words as any. @param {string[]} texts @param {string[]} words */
export function fitting(texts, words) {
  const counts = texts.map((text) => words.filter((one) => plain(text).includes(one)).length);
  const most = Math.max(...counts);
  return counts.map((count) => !words.length || (most > 0 && count === most));
}
