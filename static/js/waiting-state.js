// What is known of what waits, without a page or a database.

/** Tell answers that mean "not now" from those that mean "no". */
export const isAway = (status) => [0, 408, 429].includes(status) || status >= 500;

/** Tell a round from what else may wait. */
export const isRound = (item) => !item.kind;

/** Count what waits in words: "2 rounds and 1 ruling". */
export function counted(items) {
  const kinds = items.map((item) => item.kind ?? "round");
  return ["round", "correction", "ruling"].map((kind) => [kind, kinds.filter((one) => one === kind).length]).filter(([, count]) => count)
    .map(([kind, count]) => `${count} ${kind}${count > 1 ? "s" : ""}`).join(" and ");
}
