// A video that is steered by frames. A frame is named by its number in the reel; it is shown from number / fps on.
// What decides which frame to show lives in steps.js.

class Film {
  constructor(video, index) {
    this.video = video;
    this.rate = 1;
    this.turn = 0; // counts commands: one that comes later ends those before it
    video.src = addressOf(index);
    this.isBroken = false; // a browser without H.264: then the lecture goes on in words
    this.ready = new Promise((resolve) => {
      video.addEventListener("loadeddata", resolve, { once: true });
      video.addEventListener(
        "error",
        () => {
          this.isBroken = true;
          resolve();
        },
        { once: true },
      );
    });
  }

  /** The frame that is shown. */
  get frame() {
    return Math.floor(this.video.currentTime * page.fps + 1e-3);
  }

  /** Stand still on a frame; true once it is there, false where another command came in between. */
  async show(frame) {
    const turn = (this.turn += 1);
    await this.ready;
    if (turn !== this.turn) return false;
    this.video.pause();
    if (!this.isBroken) await this.seek(frame);
    return turn === this.turn;
  }

  /** Play from a frame on until `rest`, before `end`; true once it stands there, false where it was stopped. */
  async play(from, rest, end, shown = () => {}) {
    const turn = (this.turn += 1);
    await this.ready;
    if (turn !== this.turn) return false;
    this.video.pause();
    if (!this.isBroken) await this.seek(from);
    if (turn !== this.turn) return false;
    shown();
    if (this.isBroken) return true;
    if (from < rest) {
      this.video.playbackRate = this.rate;
      await this.video.play().catch(() => {});
      await this.until(turn, rest);
      if (turn !== this.turn) return false;
      this.video.pause();
    }
    if (this.frame !== rest) await this.seek(Math.min(rest, end - 1)); // the same picture, named exactly
    return turn === this.turn;
  }

  /** Stop where it is. */
  hold() {
    this.turn += 1;
    this.video.pause();
  }

  async seek(frame) {
    const time = (frame + 0.5) / page.fps;
    if (Math.abs(this.video.currentTime - time) < 0.1 / page.fps && !this.video.seeking) return;
    await new Promise((resolve) => {
      this.video.addEventListener("seeked", resolve, { once: true });
      this.video.currentTime = time;
    });
  }

  /** Wait for a frame while the film plays: told by the browser frame by frame, or by a timer where it holds one. */
  until(turn, rest) {
    return new Promise((resolve) => {
      let timer = 0;
      const look = (shown) => {
        const frame = Math.max(shown, this.frame);
        clearTimeout(timer);
        if (turn !== this.turn || frame >= rest || this.video.ended || this.video.paused) return resolve();
        timer = setTimeout(() => look(0), Math.max(4, ((rest + 0.5 - frame) / page.fps / this.rate) * 1000));
        return undefined;
      };
      const hear = (now, facts) => {
        look(Math.round(facts.mediaTime * page.fps));
        if (turn === this.turn && !this.video.paused) this.video.requestVideoFrameCallback(hear);
      };
      if (this.video.requestVideoFrameCallback) this.video.requestVideoFrameCallback(hear);
      this.video.addEventListener("pause", () => look(0), { once: true });
      look(0);
    });
  }
}
