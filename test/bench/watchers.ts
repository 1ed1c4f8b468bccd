/** Measures fan-out: the cost of delivering one event to one of many watches of an object. */
import type { IncomingMessage } from 'node:http';
import { cpuSeconds } from './harness/measure';

export interface FanOut {
  readonly events: number;
  /** Microseconds of the server's CPU per delivered event. */
  readonly cpuMicros: number;
}

/** Opens `count` streams, then calls `push` `events` times, each time waiting until every stream has grown. */
export async function measureFanOut(
  pid: number,
  count: number,
  events: number,
  open: () => Promise<IncomingMessage>,
  push: (index: number) => Promise<void>,
): Promise<FanOut> {
  let received = 0;
  let arrived: () => void = () => undefined;
  const streams: IncomingMessage[] = [];
  for (let i = 0; i < count; i += 1) {
    const stream = await open();
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      // Every frame ends in a newline and contains no other.
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) received += 1;
      arrived();
    });
    streams.push(stream);
  }
  const waitForEvents = (target: number): Promise<void> =>
    new Promise((resolve) => {
      arrived = () => void (received >= target && resolve());
      arrived();
    });
  await push(0);
  await waitForEvents(count);
  const cpu = cpuSeconds(pid);
  const start = received;
  for (let i = 1; i <= events; i += 1) {
    const target = received + count;
    await push(i);
    await waitForEvents(target);
  }
  const delivered = received - start;
  const cost = ((cpuSeconds(pid) - cpu) * 1e6) / delivered;
  for (const stream of streams) stream.destroy();
  return { events: delivered, cpuMicros: cost };
}
