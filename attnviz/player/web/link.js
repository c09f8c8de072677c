// Messages between the projector's window and the presenter's. Each carries the lecture's id, so that two lectures in
// two windows do not steer each other. Nothing here knows what a message means.

class Link {
  constructor(session, hear) {
    this.session = session;
    this.hear = hear;
    this.number = 0;
    this.me = Math.random().toString(36).slice(2);
    this.heard = new Map(); // the last number of each sender: a message may come both ways
    this.window = window.opener;
    try {
      this.channel = new BroadcastChannel(`attnviz ${page.id} ${session}`);
      this.channel.onmessage = (event) => this.take(event.data);
    } catch {
      this.channel = null;
    }
    window.addEventListener("message", (event) => this.take(event.data));
  }

  send(type, body) {
    const message = { attnviz: page.id, session: this.session, from: this.me, number: (this.number += 1), type, body };
    this.channel?.postMessage(message);
    this.window?.postMessage(message, "*");
  }

  take(message) {
    if (message?.attnviz !== page.id || message.session !== this.session || message.from === this.me) return;
    if (message.number <= (this.heard.get(message.from) ?? 0)) return;
    this.heard.set(message.from, message.number);
    this.hear(message.type, message.body);
  }
}
