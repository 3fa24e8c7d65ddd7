// Sounds of moves, for those who have turned them on. They are made here, from waves: there is no
// file of sound. Where the browser allows none the page stays silent.

import { setting } from "./settings.js";
import { t } from "./words.js";

/** Without a choice there is no sound. */
export const SOUNDS = [
  ["off", t("Off")],
  ["on", t("On")],
];

/** The tones of each sound: frequency in Hertz, seconds until it begins, seconds that it lasts. */
const TONES = {
  move: [[320, 0, 0.07]],
  capture: [[320, 0, 0.06], [200, 0.05, 0.09]],
  check: [[660, 0, 0.08], [880, 0.09, 0.12]],
  end: [[523, 0, 0.16], [659, 0.14, 0.16], [392, 0.28, 0.3]],
};
const LOUDNESS = 0.16;
/** Seconds in which a tone comes: without them it would crack. */
const RISE = 0.006;

const isOn = () => setting("sounds", SOUNDS.map(([value]) => value)) === "on";

/** Returns what is heard at a move. */
function soundOf({ san, isCapture, isEnd }) {
  if (isEnd || san?.endsWith("#")) return "end";
  if (san?.endsWith("+")) return "check";
  return isCapture ? "capture" : "move";
}

export class Sounds {
  /** `board` tells each move that it shows by an event, `moved`. */
  constructor(board) {
    this.isTouched = false;
    for (const name of ["pointerdown", "keydown"]) {
      addEventListener(name, () => { this.isTouched = true; }, { once: true, capture: true });
    }
    board.root.addEventListener("moved", ({ detail }) => this.play(soundOf(detail)));
    // Who turns them on hears one.
    addEventListener("setting", ({ detail }) => detail === "sounds" && this.play("move"));
  }

  /**
   * Plays a sound. Browsers allow none before the reader has done something on the page, and
   * complain if one is tried.
   */
  play(name) {
    if (!isOn() || !this.isTouched || !globalThis.AudioContext) return;
    try {
      this.context ??= new AudioContext();
      // It sleeps when the page was long in the background.
      this.context.resume().catch(() => {});
      for (const tone of TONES[name]) this.sound(tone);
    } catch {
      // There is no way to make a sound, which nobody has to be told.
    }
  }

  sound([frequency, delay, seconds]) {
    const { context } = this;
    const start = context.currentTime + delay;
    const wave = new OscillatorNode(context, { type: "triangle", frequency });
    const loudness = new GainNode(context, { gain: 0 });
    loudness.gain.setValueAtTime(0, start);
    loudness.gain.linearRampToValueAtTime(LOUDNESS, start + RISE);
    loudness.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    wave.connect(loudness).connect(context.destination);
    wave.start(start);
    wave.stop(start + seconds);
  }
}
