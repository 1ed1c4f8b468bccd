/** Reads only the beginning of an error response, so that a backend cannot make this server buffer a long body. */
import type { IncomingMessage } from 'node:http';

/** Returns at most `maxBytes` bytes as text, also when the response breaks off. Destroys the response. */
export async function readExcerpt(message: IncomingMessage, maxBytes: number): Promise<string> {
  let excerpt: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of message) {
      if (Buffer.isBuffer(chunk)) excerpt = Buffer.concat([excerpt, chunk]).subarray(0, maxBytes);
      if (excerpt.length >= maxBytes) break;
    }
  } catch {
    // The bytes received so far are the excerpt.
  }
  message.destroy();
  return excerpt.toString();
}
