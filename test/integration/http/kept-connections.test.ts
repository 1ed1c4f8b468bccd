/** HTTP/1.1 connections that are kept: what a client sends before it has read the answer before is taken all the same, however long either is. */
import { connect, type TLSSocket } from 'node:tls';
import { ADMIN } from './call';
import { useServer } from './fixture';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Together more than the system keeps for a connection. */
const LARGE = 9;
const LARGE_BYTES = 900_000;
/** Two records of TLS. */
const BODY_BYTES = 20_000;

let socket: TLSSocket;
const api = useServer();
afterAll(async () => {
  socket.destroy();
});

const map = (name: string, size: number): string => JSON.stringify({ metadata: { name }, data: { filler: 'x'.repeat(size) } });

it('takes a long body while the answer before still waits for its reader', async () => {
  for (let index = 0; index < LARGE; index++) await api.post(MAPS, map(`large-${index}`, LARGE_BYTES));
  const body = map('late', BODY_BYTES);
  const common = `Host: a\r\nAuthorization: Bearer ${ADMIN}\r\n`;
  const read = `GET ${MAPS} HTTP/1.1\r\n${common}\r\n`;
  const write = `POST ${MAPS} HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket = connect({ port: api.server.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
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
  expect(statuses).toEqual(['200', '201']);
}, 60_000);
