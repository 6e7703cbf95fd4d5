// Text in, trees out.

export const parse = {
  name: "parse",
  async mount(container, context) {
    container.textContent = "…";
  },
  unmount() {},
};
