// The sound of a match that ended: four notes upwards, made here.

const NOTES = [523.25, 659.25, 783.99, 1046.5]; // Hertz: C, E, G, C.
const STEP = 0.12; // Seconds from one note to the next.
const RINGS = 0.7; // Seconds that a note takes to fade.
const LOUD = 0.2;

/** @type {AudioContext | undefined} */
let context;

/** Play it; a browser that wants a tap first stays silent. */
export function chime() {
  if (!("AudioContext" in globalThis)) return;
  context ??= new AudioContext();
  context.resume().catch(() => {});
  for (const [place, pitch] of NOTES.entries()) {
    const begins = context.currentTime + place * STEP;
    const volume = new GainNode(context, { gain: LOUD });
    volume.gain.setValueAtTime(LOUD, begins);
    volume.gain.exponentialRampToValueAtTime(0.001, begins + RINGS);
    const note = new OscillatorNode(context, { frequency: pitch, type: "triangle" });
    note.connect(volume).connect(context.destination);
    note.start(begins);
    note.stop(begins + RINGS);
  }
}
