// The sounds of the app, made here: four notes upwards for a match that ended, a whistle for a ruling.

const NOTES = [523.25, 659.25, 783.99, 1046.5]; // Hertz: C, E, G, C.
const STEP = 0.12; // Seconds from one note to the next.
const RINGS = 0.7; // Seconds that a note takes to fade.
const LOUD = 0.2;
const WHISTLE = { pitch: 2900, trill: 38, wide: 220, lasts: 0.4 }; // Hertz and seconds: a pea that rolls in a pipe.

/** @type {AudioContext | undefined} */
let context;

/** Play a note; a browser that wants a tap first stays silent. @param {number} pitch @param {number} wait @param {number} lasts @param {OscillatorType} type */
function play(pitch, wait, lasts, type) {
  if (!("AudioContext" in globalThis)) return null;
  context ??= new AudioContext();
  context.resume().catch(() => {});
  const begins = context.currentTime + wait;
  const volume = new GainNode(context, { gain: LOUD });
  volume.gain.setValueAtTime(LOUD, begins);
  volume.gain.exponentialRampToValueAtTime(0.001, begins + lasts);
  const note = new OscillatorNode(context, { frequency: pitch, type });
  note.connect(volume).connect(context.destination);
  note.start(begins);
  note.stop(begins + lasts);
  return note;
}

/** Play the sound of a match that ended. */
export function chime() {
  for (const [place, pitch] of NOTES.entries()) play(pitch, place * STEP, RINGS, "triangle");
}

/** Whistle, as a referee does. */
export function whistle() {
  const { pitch, trill, wide, lasts } = WHISTLE;
  const note = play(pitch, 0, lasts, "sine");
  const pea = context && new OscillatorNode(context, { frequency: trill });
  if (!note || !pea) return;
  pea.connect(new GainNode(/** @type {AudioContext} */ (context), { gain: wide })).connect(note.frequency);
  pea.start();
  note.addEventListener("ended", () => pea.stop());
}
