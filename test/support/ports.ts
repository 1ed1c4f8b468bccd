/**
 * Free TCP ports for programs under test, outside the range that the system uses for outgoing connections: a port of
 * that range can be taken between the check and the moment when a program listens on it. Each Jest worker has a range of
 * its own and cycles through it, so that two programs get different ports although neither listens yet.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the usual ephemeral ranges, above the well-known services. */
const LOWEST_PORT = 12_000;
const HIGHEST_PORT = 32_000;
/** Ports that are tried before an error: other programs may use some. */
const ATTEMPTS = 100;
/** At least the number of parallel Jest workers, which Jest numbers from 1. */
const WORKERS = 20;
const worker = (Number(process.env['JEST_WORKER_ID'] ?? WORKERS) - 1) % WORKERS;
/** The number of ports for each worker. */
const PORTS_PER_WORKER = Math.floor((HIGHEST_PORT - LOWEST_PORT) / WORKERS);
/** The first port of this worker. */
const FIRST_PORT = LOWEST_PORT + worker * PORTS_PER_WORKER;

/**
 * Where the next search starts, as an offset from the first port. Starts at random, so that a test file does not reuse the ports of the
 * previous one.
 */
let nextOffset = randomInt(PORTS_PER_WORKER);

/** `count` consecutive ports of 127.0.0.1 on which nothing listens and that were not returned recently. */
export async function freePorts(count: number): Promise<number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ports = reserve(count);
    const availability = await Promise.all(ports.map(isFree));
    if (availability.every(Boolean)) return ports;
  }
  throw new Error(`found no ${count} free ports in a row`);
}

/** Reserves ports synchronously, because other calls may run while the ports are checked. */
function reserve(count: number): number[] {
  const offset = nextOffset + count > PORTS_PER_WORKER ? 0 : nextOffset;
  nextOffset = offset + count;
  return Array.from({ length: count }, (_, index) => FIRST_PORT + offset + index);
}

/** A port of 127.0.0.1 on which nothing listens and that was not returned recently. */
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
