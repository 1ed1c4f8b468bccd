/**
 * Free TCP ports for programs under test. Never from the range that the system hands to outgoing connections: a port of that range can be
 * taken between the moment it was found free and the moment a program listens on it. For the same reason test files that run side by side
 * look in ranges of their own, and what one file asks for goes round its range: two programs of a test get two ports although neither listens
 * yet when the second one is looked for.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below every usual ephemeral range, above the well-known services. */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const ATTEMPTS = 100;
/** As many as work side by side, and more; jest numbers them from 1. */
const WORKERS = 20;
const worker = (Number(process.env['JEST_WORKER_ID'] ?? WORKERS) - 1) % WORKERS;
const SHARE = Math.floor((HIGHEST - LOWEST) / WORKERS);
const FIRST = LOWEST + worker * SHARE;

/** Where the next search begins, counted from the first of the range; by chance at first, so that a file does not get what the one before it left. */
let next = randomInt(SHARE);

/** `count` consecutive ports of 127.0.0.1 that nothing listens on at the moment, and that were not given lately. */
export async function freePorts(count: number): Promise<number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ports = reserve(count);
    const availability = await Promise.all(ports.map(isFree));
    if (availability.every(Boolean)) return ports;
  }
  throw new Error(`found no ${count} free ports in a row`);
}

/** Taken at once, before anything is waited for: others may ask meanwhile. */
function reserve(count: number): number[] {
  const offset = next + count > SHARE ? 0 : next;
  next = offset + count;
  return Array.from({ length: count }, (_, index) => FIRST + offset + index);
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
