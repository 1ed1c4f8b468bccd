/** What somebody says who does not do what he was asked for: a beginning of it, and no more is read. */
import type { IncomingMessage } from 'node:http';

/** So many bytes at most, as text; also of an answer that breaks off. Ends the answer. */
export async function saidIn(message: IncomingMessage, mostBytes: number): Promise<string> {
  let said: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of message) {
      if (Buffer.isBuffer(chunk)) said = Buffer.concat([said, chunk]).subarray(0, mostBytes);
      if (said.length >= mostBytes) break;
    }
  } catch {
    // What has come is told.
  }
  message.destroy();
  return said.toString();
}
