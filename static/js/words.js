// What the phone says by itself: whole sentences, one for each case, with {places} for names and numbers. `key-one` is the
// sentence for one. What the server says as well comes with the page.

const WORDS = /** @type {const} */ ({
  "offline": "Offline. Last updated {when}.",
  "unreachable": "Can’t reach the server.",
  "unreachable-saved": "Can’t reach the server. Your entries are saved on this phone. Try again in a moment.",
  "unreachable-unsaved":
    "Can’t reach the server, and this browser can’t save offline. Leave the page open and try again in a moment.",
  "unreachable-typed": "Can’t reach the server. Your text is still here; send it again in a moment.",
  "server-failed": "The server answered {status}. Your entries are saved on this phone; try again.",
  "sheet-gone": "This sheet was deleted, or this phone locked out. Reload the page.",
  "changed-elsewhere": "Another phone saved a change. Your cards are still here.",

  // an import
  "uploading": "Uploading …",
  "checking-file": "Checking the file …",
  "importing": "Importing match {done} of {of} …",
  "import-cut-off": "The connection broke. Reload this page in a moment to see what was imported.",

  // what waits on this phone
  "waiting-rounds": "{n} rounds not sent yet",
  "waiting-rounds-one": "1 round not sent yet",
  "waiting-corrections": "{n} corrections not sent yet",
  "waiting-corrections-one": "1 correction not sent yet",
  "waiting-rulings": "{n} rulings not sent yet",
  "waiting-rulings-one": "1 ruling not sent yet",
  "waiting-entries": "{n} entries not sent yet",
  "waiting-entries-one": "1 entry not sent yet",
  "sent-rounds": "{n} rounds sent.",
  "sent-rounds-one": "1 round sent.",
  "sent-corrections": "{n} corrections sent.",
  "sent-corrections-one": "1 correction sent.",
  "sent-rulings": "{n} rulings sent.",
  "sent-rulings-one": "1 ruling sent.",
  "sent-entries": "{n} entries sent.",
  "sent-entries-one": "1 entry sent.",
  "all-sent": "Everything is on the server.",
  "records-offline": "Rounds you record are saved on this phone.",
  "undo": "Undo",
  "saved-here-announced": "{said} Saved on this phone, will send when you’re back online.",
  "saved-here": "Saved on this phone. Will send when you’re back online.",
  "will-send": "Will send when you’re back online.",
  "sending": "Sending …",
  "check-marked": "Check what’s marked; nothing is lost.",
  "over-when-sent": "By these totals the match is over. You’ll see the winner when you’re back online.",
  "change-uncounted": "The totals don’t include every change yet.",
  "waiting-round": "Round {n}: {says}",
  "waiting-row": "Round {n}, not sent yet",
  "stands-waiting": "Round {n}, {waiting} not sent yet",
  "stands-sent": "Round {n}",
  "taken-back": "Taken back. It’s with what you discarded.",
  "show-waiting": "Show",
  "discarded-here": "Discarded on this phone ({n})",
  "open-in-pad": "Open in the hand pad.",
  "theirs": "Another phone saved a round. On the server:",
  "theirs-now": "On the server:",
  "theirs-unknown": "See the sheet below.",
  "theirs-round": "Round {n}: {name} went out. {points}",
  "theirs-round-nobody": "Round {n}: nobody went out. {points}",
  "send-again": "Send again",
  "discard": "Discard",
  "discard-all": "Discard all {n} entries",
  "waiting-at": "{where}: {what}",
  "send-now": "Send now",
  "anyway": "Do it anyway",
  "change": "Change",
  "correct-anyway": "Correct anyway",
  "keep-theirs": "Keep theirs",
  "review-ruling": "Review ruling",
  "review-correction": "Review correction",
  "cannot-reopen": "You can’t add a round to this match now.",
  "finish-first": "Finish the round in the hand pad first.",
  "reached": "target reached",
  "safari-deletes":
    "Safari deletes unsent rounds after a week without a visit. Add the app to your home screen to prevent that.",
  "leave-open": "Leave this page open: without https you can’t reopen it offline.",
  "no-https":
    "Without https the app doesn’t work offline. Whoever runs this server finds out how in the hosting guide.",
  "understood": "Understood",

  // a match that begins without a connection
  "waiting-start": "Start a match: {names}",
  "waiting-rematch": "Rematch: {names}",
  "rematch": "Rematch",
  "agree-offline": "Start offline",
  "who-deals": "{names}. {name} deals.",
  "starts-offline": "You’re offline. The match starts on this phone and is sent when you’re back online.",
  "other-rules-offline":
    "You’re offline, and these rules aren’t cached. Start by rules you played lately, or wait until you’re online.",
  "start-match": "Start match",
  "start-by": "Start: {rules}",
  "back-to-form": "Back",
  "no-start-offline": "No rules for so many players are cached on this phone. Start the match when you’re online.",
  "no-rematch-offline": "The rules of this match aren’t cached on this phone. Start the rematch when you’re online.",
  "two-players": "Enter at least two players.",
  "named-twice": "{name} is listed twice.",

  // what waits for another club
  "elsewhere": "Not sent to {club} yet ({n})",
  "elsewhere-member": "To send, open the link of {club}, or leave this club first.",
  "elsewhere-stranger": "To send, open the link of {club} or use its recovery sheet.",
  "delete-here": "Delete from this phone",
  "delete-for-good": "Delete permanently",

  // the list of disputes, and a ruling over the whole screen
  "disputes-found": "{n} disputes, first: {first}",
  "disputes-found-one": "1 dispute: {first}",
  "read-aloud": "Read aloud",
  "stop-reading": "Stop reading",

  // the hand pad
  "went-out": "{name} went out",
  "went-out-corrected": "{title}: {name} went out",
  "nobody": "Nobody",
  "next": "Next: {name}",
  "saving": "Saving …",
  "totals-corrected": "The server counts differently. These are its totals.",
  "tap-cards": "Tap cards",
  "type-total": "Type total",
  "tap-each": "Tap each card left in the hand.",
  "take-back": "Take back {card}",
  "card-laid": "{card}. {sum}.",
  "card-taken-back": "{card} taken back. {sum}.",
  "last-card": "{name} went out with:",
  "note-out": "out",
  "note-aside": "not counted",
  "note-sat-out": "sat out",
  "note-knocked-out": "knocked out",
  "note-left-over": "last one left",
  "last-one-left": "{name} is the last one left",
  "side-showed": "{side} showed at the end.",
  "set-aside-cards": "Cards from the other side are set aside: {names}.",
  "note-left": "{n} left",
  "unit-cards-left": "cards left",
  "unit-cards-left-one": "card left",
  "unit-cards": "{n} cards",
  "unit-cards-one": "1 card",
  "unit-points": "points",
  "cards-held": "cards",
  "cards-held-one": "card",
  "so-far": "so far",
  "hands": "Hands: {hands}",

  "saved-by-example": "Saved on this phone. When you’re back online, the sheet asks for the exact cards.",
  "ruling-unsaved": "This browser can’t save offline. Save the ruling when you’re back online.",
  "seat": "Seat {n}",
  "move-up": "Move {name} up",
  "remove-player": "Remove {name}",
  "rules-found": "{n} rules found. {first}",
  "rules-found-one": "1 rule found. {first}",
  "table-decided": "{ruling} The table decided: {decided}",

  "time-is-up": "Time is up. Stop playing and record the cards left.",
  "copied": "Copied.",
  "selected": "Selected. Press and hold to copy.",
  "cannot-share": "Couldn’t share. Copy the text instead.",
  "board-closed": "This board was closed.",
});

/** @typedef {Exclude<keyof typeof WORDS, `${string}-one`>} Key */
/** @template {string} Text @typedef {Text extends `${string}{${infer Place}}${infer Rest}` ? Place | Places<Rest> : never} Places */
/** @template {Key} Said @typedef {Places<typeof WORDS[Said]> | (`${Said}-one` extends keyof typeof WORDS ? "n" : never)} Wanted */
/** @template {Key} Said @template Filling @typedef {[Wanted<Said>] extends [never] ? [] : [Record<Wanted<Said>, Filling>]} Given */

/** Return a number as text, with a typographic minus sign. @param {string | number} value */
export const written = (value) => (typeof value === "number" ? String(value).replace("-", "−") : value);

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
  const text = (places.n === 1 && all[`${key}-one`]) || all[key];
  return text.split(/\{(\w+)\}/).map((part, at) => {
    const filled = at % 2 ? places[part] : part;
    return typeof filled === "number" ? written(filled) : filled;
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
  moment.toLocaleString("en", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(weekday && { weekday: "short" }),
  });

/** Return a sentence that came with the page, its places filled. @param {string} text @param {Record<string, string | number>} places */
export const filled = (text, places) => text.replaceAll(/\{(\w+)\}/g, (_, place) => written(places[place]));
