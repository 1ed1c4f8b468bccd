/**
 * HTTP/2 streams that the server resets while it still reads their heads. Node 20 frees such a stream too early: memory is corrupted, and the process ends some connections
 * later.
 */
import type { TLSSocket } from 'node:tls';
import { connectionPreface, FRAME, frameTypes, headersFrame, rawFrame, streamWindow, windowUpdate } from '../../support/raw-http2';
import { waitUntil } from '../../support/programs';
import { hostileTarget, list, rawConnection } from './hostile-client';

/** Of the C library: freed memory is merged with its neighbours immediately, so that corruption ends the process within a few connections. */
const MALLOC = 'glibc.malloc.tcache_count=0';
const tunablesBefore = process.env['GLIBC_TUNABLES'];
beforeAll(() => void (process.env['GLIBC_TUNABLES'] = MALLOC));
const target = hostileTarget();
const CONNECTIONS = 100;
const AT_ONCE = 20;
const STREAMS = 30;

const pseudoHeaders = (method: string): readonly (readonly [string, string])[] => [
  [':method', method],
  [':scheme', 'https'],
  [':path', list],
  [':authority', 'x'],
];
const get = (stream: number): Buffer => headersFrame(stream, pseudoHeaders('GET'));
const streamIds = Array.from({ length: STREAMS }, (_, index) => 2 * index + 1);
const opening = Buffer.concat([connectionPreface(), streamWindow(1_000_000), windowUpdate(0, 1_000_000)]);
const goaway = rawFrame(FRAME.goaway, 0, 0, Buffer.alloc(8));
const requests = streamIds.map(get);
/** Each part is a TLS record: frames of a record are processed while answers to those before are about to be written. */
const behindGoaway = [opening, ...requests.slice(0, 5), goaway, ...requests.slice(5)];

function writeRecords(socket: TLSSocket, records: readonly Buffer[]): void {
  for (const record of records) socket.write(record);
}

it('the server keeps serving when on a hundred connections requests follow a GOAWAY of the client', async () => {
  const { client, server } = target();
  const sendAndReset = async (): Promise<void> => {
    const socket = await rawConnection(client, ['h2']);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => void (received = Buffer.concat([received, chunk])));
    writeRecords(socket, behindGoaway);
    await waitUntil('an answer', () => frameTypes(received).includes(FRAME.headers) || !server.process.running);
    socket.destroy();
  };
  for (let sent = 0; sent < CONNECTIONS && server.process.running; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, sendAndReset));
  expect({ running: server.process.running, output: server.process.output }).toEqual({ running: true, output: '' });
  expect((await client.get('/livez')).status).toBe(200);
}, 60_000);

it('the server answers the requests before a GOAWAY of the client, and none behind it', async () => {
  const socket = await rawConnection(target().client, ['h2']);
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => void (received = Buffer.concat([received, chunk])));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  writeRecords(socket, behindGoaway);
  await closed;
  const types = frameTypes(received);
  expect(types.filter((type) => type === FRAME.headers)).toHaveLength(5);
  expect(types).toContain(FRAME.goaway);
});

afterAll(() => {
  if (tunablesBefore === undefined) delete process.env['GLIBC_TUNABLES'];
  else process.env['GLIBC_TUNABLES'] = tunablesBefore;
});
