/**
 * HTTP/1.1 keep-alive: a request that is sent before the previous response is read is processed, however long either
 * is.
 */
import { requestBytes } from './api-call';
import { useServer } from './fixture';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** The list of these objects is larger than the socket buffers of a connection. */
const LARGE_OBJECTS = 9;
/** Nearly the largest ConfigMap: the response does not fit into the buffers of a socket. */
const LARGE_BYTES = 900_000;
/** More than one TLS record. */
const BODY_BYTES = 20_000;

const api = useServer();
const configMapJson = (name: string, size: number): string => JSON.stringify({ metadata: { name }, data: { filler: 'x'.repeat(size) } });

it('a long body is accepted while the previous response still waits for its reader', async () => {
  for (let index = 0; index < LARGE_OBJECTS; index++) await api.post(MAPS, configMapJson(`large-${index}`, LARGE_BYTES));
  const body = configMapJson('late', BODY_BYTES);
  const read = requestBytes(`GET ${MAPS}`);
  const write = requestBytes(`POST ${MAPS}`, ['Content-Type: application/json', `Content-Length: ${body.length}`]) + body;
  const socket = api.openSocket();
  let hasStarted = false;
  const statuses: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d+) /g)) statuses.push(status);
      if (statuses.length === 2) resolve();
      // The client reads only the beginning of the first response before it sends the second request.
      if (hasStarted) return;
      hasStarted = true;
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
