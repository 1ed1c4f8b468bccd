/**
 * HTTP/2 requests that follow a GOAWAY of the client: the server resets their streams while it reads the headers. Node
 * 20 frees such a stream too early, which corrupts memory and ends the process some connections later.
 */
import type { TLSSocket } from 'node:tls';
import {
  connectionPreface,
  FRAME,
  frameTypes,
  headersFrame,
  pseudoHeaders,
  rawFrame,
  streamWindow,
  windowUpdate,
} from '../../support/http/raw-http2';
import { waitUntil } from '../../support/programs';
import { useHostileTarget, CONFIGMAPS, openRawConnection } from './hostile-client';

/**
 * Setting of glibc: freed memory is merged with its neighbours immediately, so that corruption ends the process within
 * a few connections.
 */
const MALLOC_TUNABLES = 'glibc.malloc.tcache_count=0';
const tunablesBefore = process.env['GLIBC_TUNABLES'];
// The server inherits the environment. Hooks run in the order of their declaration, so this one is before the server.
beforeAll(() => void (process.env['GLIBC_TUNABLES'] = MALLOC_TUNABLES));
afterAll(() => {
  if (tunablesBefore === undefined) delete process.env['GLIBC_TUNABLES'];
  else process.env['GLIBC_TUNABLES'] = tunablesBefore;
});
const target = useHostileTarget();
/** Connections in all, and how many are open at a time. */
const CONNECTIONS = 100;
const BATCH = 20;
/** Requests on each connection, and how many of them precede the GOAWAY. */
const STREAMS = 30;
const STREAMS_BEFORE_GOAWAY = 5;

const get = (stream: number): Buffer => headersFrame(stream, pseudoHeaders('GET', CONFIGMAPS));
const streamIds = Array.from({ length: STREAMS }, (_, index) => 2 * index + 1);
const preface = Buffer.concat([connectionPreface(), streamWindow(1_000_000), windowUpdate(0, 1_000_000)]);
const goaway = rawFrame(FRAME.goaway, 0, 0, Buffer.alloc(8));
const requests = streamIds.map(get);
/**
 * Each part is a TLS record: the frames of a record are processed while responses to earlier ones are about to be
 * written.
 */
const requestsAroundGoaway = [preface, ...requests.slice(0, STREAMS_BEFORE_GOAWAY), goaway, ...requests.slice(STREAMS_BEFORE_GOAWAY)];

function writeRecords(socket: TLSSocket, records: readonly Buffer[]): void {
  for (const record of records) socket.write(record);
}

it('the server keeps serving when requests follow a GOAWAY of the client on a hundred connections', async () => {
  const { client, server } = target();
  const sendRequestsAroundGoaway = async (): Promise<void> => {
    const socket = await openRawConnection(client, ['h2']);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => void (received = Buffer.concat([received, chunk])));
    writeRecords(socket, requestsAroundGoaway);
    await waitUntil('a response', () => frameTypes(received).includes(FRAME.headers) || !server.process.isRunning);
    socket.destroy();
  };
  for (let sent = 0; sent < CONNECTIONS && server.process.isRunning; sent += BATCH)
    await Promise.all(Array.from({ length: BATCH }, sendRequestsAroundGoaway));
  expect({ running: server.process.isRunning, output: server.process.output }).toEqual({ running: true, output: '' });
  expect((await client.get('/livez')).status).toBe(200);
}, 60_000);

it('the server responds to the requests before a GOAWAY of the client, and none after it', async () => {
  const socket = await openRawConnection(target().client, ['h2']);
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => void (received = Buffer.concat([received, chunk])));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  writeRecords(socket, requestsAroundGoaway);
  await closed;
  const types = frameTypes(received);
  expect(types.filter((type) => type === FRAME.headers)).toHaveLength(STREAMS_BEFORE_GOAWAY);
  expect(types).toContain(FRAME.goaway);
});
