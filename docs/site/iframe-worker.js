// Search in pages that are opened as files: browsers start no worker there, so a hidden frame takes its place.
(() => {
  if (location.protocol !== "file:") return;

  const say = (to, data) => setTimeout(() => to.dispatchEvent(new MessageEvent("message", { data })));

  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];

    constructor(url) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const inside = this.#frame.contentWindow;
      // What the script in the frame says goes to whoever made the worker, later, as from a worker.
      inside.postMessage = (data) => say(this, data);
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        const waiting = this.#waiting;
        this.#waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      inside.document.body.append(script);
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else say(this.#frame.contentWindow, data);
    }

    terminate() {
      this.#frame.remove();
    }
  };
})();
