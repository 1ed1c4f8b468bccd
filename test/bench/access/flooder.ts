/**
 * Floods a server with lists until its parent sends a message, and then sends the parent their FloodCounts. A process of
 * its own, so that its reading does not delay the measuring client. Arguments: port, token, path, number of
 * connections, niceness.
 */
import { setPriority } from 'node:os';
import { BenchClient } from '../harness/client';

/** The numbers of lists of the flooding user, by outcome. */
export interface FloodCounts {
  /** Lists with status 200. */
  readonly served: number;
  /** Lists with another status. */
  readonly refused: number;
  /** Lists that failed without a complete response. */
  readonly cut: number;
}

const [port = '0', token = '', path = '', connections = '1', niceness = '0'] = process.argv.slice(2);
setPriority(Number(niceness));
const client = new BenchClient(Number(port), token);
const counts = { served: 0, refused: 0, cut: 0 };
let isEnded = false;

/** One of the concurrent readers: lists until the parent ends the flood. */
async function repeatList(): Promise<void> {
  while (!isEnded) {
    try {
      const response = await client.open('GET', path);
      for await (const chunk of response) void chunk;
      counts[response.statusCode === 200 ? 'served' : 'refused'] += 1;
    } catch {
      counts.cut += 1;
    }
  }
}

process.on('message', () => {
  isEnded = true;
});
void Promise.all(Array.from({ length: Number(connections) }, repeatList)).then(() => {
  process.send?.(counts satisfies FloodCounts);
  process.disconnect();
});
