/** A webhook server of its own for tests and recorders: HTTPS, with a certificate of its own authority; what it answers to a review stands in its path. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../shared/runtime/pki';
import type { Body } from '../recordings/reference';
import { BEHAVIOURS, type Reply } from '../recordings/webhooks/behaviours';

const HOUR_MS = 3_600_000;

export interface Called {
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly review: Body;
}

export interface ReviewServer {
  readonly port: number;
  /** In base64, as configurations want it. */
  readonly caBundle: string;
  /** What has been asked, in order. */
  readonly calls: Called[];
  close(): Promise<void>;
}

/** `names`: whom its certificate is for; `clientCa`: whose certificates it asks for. */
export async function startReviewServer(names: readonly string[] = ['localhost', '127.0.0.1'], host = '127.0.0.1'): Promise<ReviewServer> {
  const authority = await createAuthority({ subject: { commonName: 'webhooks' }, lifetimeMs: HOUR_MS, clock: systemClock });
  const { certificate, key } = await issueCertificate({
    subject: { commonName: 'webhook' },
    lifetimeMs: HOUR_MS,
    clock: systemClock,
    authority,
    usage: 'server',
    names,
  });
  const calls: Called[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = request.url ?? '';
      const text = Buffer.concat(chunks).toString();
      // Who follows a redirect comes back with nothing.
      const review: unknown = text === '' ? { request: {} } : JSON.parse(text);
      if (!isReview(review)) throw new Error('no review');
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      calls.push({ url, headers, review });
      const name = url.split('?', 1)[0]?.slice(1) ?? '';
      const reply = BEHAVIOURS[name]?.(review['request']) ?? { status: 404, body: 'no such behaviour' };
      answer(reply);
    });
    function answer(reply: Reply): void {
      if (reply === 'hang') return;
      if (reply === 'cut') {
        request.socket.destroy();
        return;
      }
      const { status = 200, headers = { 'content-type': 'application/json' }, body } = reply;
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { port: portOf(server), caBundle: Buffer.from(authority.certificate).toString('base64'), calls, close: () => closed(server) };
}

function isReview(value: unknown): value is Body & { readonly request: Body } {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'object' && value.request !== null;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
