/** HTTP/1.1 connections that are kept: what a client sends before it has read the answer before is taken all the same, however long either is. */
import { requestBytes } from './call';
import { useServer } from './fixture';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Together more than the system keeps for a connection. */
const LARGE = 9;
const LARGE_BYTES = 900_000;
/** Two records of TLS. */
const BODY_BYTES = 20_000;

const api = useServer();
const map = (name: string, size: number): string => JSON.stringify({ metadata: { name }, data: { filler: 'x'.repeat(size) } });

it('a long body is accepted while the previous response still waits for its reader', async () => {
  for (let index = 0; index < LARGE; index++) await api.post(MAPS, map(`large-${index}`, LARGE_BYTES));
  const body = map('late', BODY_BYTES);
  const read = requestBytes(`GET ${MAPS}`);
  const write = requestBytes(`POST ${MAPS}`, ['Content-Type: application/json', `Content-Length: ${body.length}`]) + body;
  const socket = api.connect();
  let begun = false;
  const statuses: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d+) /g)) statuses.push(status);
      if (statuses.length === 2) resolve();
      // Of the first answer no more is read than it takes to see that it has begun.
      if (begun) return;
      begun = true;
      socket.pause();
      socket.write(write, () => setImmediate(() => socket.resume()));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`cut off after ${statuses.join(', ')}`)));
    socket.once('secureConnect', () => socket.write(read));
  });
  socket.destroy();
  expect(statuses).toEqual(['200', '201']);
}, 60_000);
