// A link that holds the text and the settings: in what follows `#`, which browsers do not send to servers.

export const LONGEST = 30_000;

const toBase64 = (bytes) => {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function encode(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return toBase64(await through(bytes, new CompressionStream("deflate-raw")));
}

/** What `encode` was given; throws where a link is damaged. */
export async function decode(text) {
  const bytes = await through(fromBase64(text), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
