// Keep the screen on without the wake lock, which a plain home address has not: a muted video of one dot, fed by a canvas
// of ours, plays while someone looks at the page. Chromium keeps the screen on for a stream within the window, however
// small it is, where a file would have to be large.

const PACE = 1000; // Milliseconds from one picture to the next; a stream without new ones counts as stalled.

/** @type {HTMLVideoElement | null} */
let video = null;
let drawing = 0;

/** Play, or rest while nobody looks. @param {boolean} wanted */
export function playOn(wanted) {
  clearInterval(drawing);
  if (!wanted) {
    video?.pause();
    return;
  }
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  if (!pen || !canvas.captureStream) return;
  canvas.width = canvas.height = 2;
  let light = false;
  const draw = () => {
    light = !light;
    pen.fillStyle = light ? "white" : "black";
    pen.fillRect(0, 0, 2, 2);
  };
  draw();
  drawing = setInterval(draw, PACE);
  video?.remove();
  video = Object.assign(document.createElement("video"), { className: "awake", muted: true, playsInline: true });
  video.setAttribute("aria-hidden", "true");
  video.srcObject = canvas.captureStream();
  document.body.append(video);
  const play = () => video?.play();
  play()?.catch(() => addEventListener("pointerup", () => play()?.catch(() => {}), { once: true })); // Some wait for a tap.
}
