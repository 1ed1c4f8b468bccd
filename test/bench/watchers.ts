/** Measures fan-out: the cost of delivering one event to one of many watches of an object. */
import type { IncomingMessage } from 'node:http';
import { cpuSeconds } from '../support/process-usage';
import { EventCounter } from './harness/event-counter';

export interface FanOutLoad {
  /** The process that delivers the events. */
  readonly pid: number;
  readonly streams: number;
  /** The number of events of each stream. */
  readonly events: number;
  open(): Promise<IncomingMessage>;
  /** Causes one event on every stream. */
  push(index: number): Promise<void>;
}

export interface FanOut {
  readonly events: number;
  /** Microseconds of the server's CPU per delivered event. */
  readonly cpuMicros: number;
}

/** Causes each event after every stream has received the previous one. */
export async function measureFanOut(load: FanOutLoad): Promise<FanOut> {
  const { pid, streams, events } = load;
  const counter = new EventCounter();
  for (let stream = 0; stream < streams; stream += 1) counter.count(await load.open());
  await load.push(0);
  await counter.waitFor(streams);
  const [cpu, start] = [cpuSeconds(pid), counter.received];
  for (let event = 1; event <= events; event += 1) {
    const total = counter.received + streams;
    await load.push(event);
    await counter.waitFor(total);
  }
  const delivered = counter.received - start;
  const cpuMicros = ((cpuSeconds(pid) - cpu) * 1e6) / delivered;
  counter.close();
  return { events: delivered, cpuMicros };
}
