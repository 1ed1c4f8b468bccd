import { connect, type TLSSocket } from 'node:tls';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../shared/runtime/pki';
import type { RequestListener } from './chain';
import { Connections } from './connections';
import { listenSecurely, type Listener } from './listeners';

const ANSWER_BYTES = 8 << 20;
/** Two records of TLS, and more than is taken at once. */
const BODY_BYTES = 20_000;

describe('a kept HTTP/1.1 connection', () => {
  let listener: Listener;
  const bodies: number[] = [];

  const answer: RequestListener = (request, response) => {
    let bytes = 0;
    const input = 'on' in request ? request : response;
    input.on('data', (chunk: Buffer) => (bytes += chunk.length));
    input.on('end', () => {
      bodies.push(bytes);
      response.end(Buffer.alloc(ANSWER_BYTES));
    });
  };

  beforeAll(async () => {
    const common = { lifetimeMs: 86_400_000, clock: systemClock };
    const authority = await createAuthority({ ...common, subject: { commonName: 'listeners' } });
    const server = await issueCertificate({ ...common, authority, usage: 'server', subject: { commonName: 'a' }, names: ['127.0.0.1'] });
    const tls = { cert: Buffer.from(server.certificate), key: Buffer.from(server.key) };
    const connections = new Connections({ total: 10, perAddress: 10 });
    const place = { host: '127.0.0.1', port: 0, connections, clock: systemClock };
    listener = await listenSecurely({ ...place, tls, oldestTls: 'TLSv1.2', maxStreams: 10, handshakeFailed: () => undefined }, answer);
  });
  afterAll(async () => {
    listener.stopAccepting();
    await listener.close();
  });

  it('takes a request with a long body while the answer before still waits for its reader', async () => {
    const socket = await opened(listener.port);
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
    const body = 'x'.repeat(BODY_BYTES);
    let received = 0;
    const enough = new Promise<number>((resolve, reject) => {
      socket.on('data', (chunk: Buffer) => {
        // Of the first answer only what has to be read to see that it has begun.
        if (received === 0) {
          socket.pause();
          socket.write(head + body);
          setImmediate(() => socket.resume());
        }
        received += chunk.length;
        if (received > 2 * ANSWER_BYTES) resolve(received);
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`cut after ${received} bytes`)));
    });
    socket.write(head + body);
    try {
      expect(await enough).toBeGreaterThan(2 * ANSWER_BYTES);
      expect(bodies).toEqual([BODY_BYTES, BODY_BYTES]);
    } finally {
      socket.destroy();
    }
  });
});

function opened(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => resolve(socket));
    socket.once('error', reject);
  });
}
