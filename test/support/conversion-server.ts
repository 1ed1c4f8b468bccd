/** A conversion webhook of its own for tests and recorders: HTTPS, with a certificate of its own authority; what it does can be changed at any time. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../shared/runtime/pki';
import { CONVERSIONS } from '../recordings/conversions/behaviours';
import { isBody, type Body, type Json } from '../recordings/reference';
import type { Reply } from '../recordings/webhooks/behaviours';

const HOUR_MS = 3_600_000;

export interface ConversionCall {
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly review: Body;
}

export interface ConversionServer {
  readonly port: number;
  /** In base64, as definitions want it. */
  readonly caBundle: string;
  /** One of the behaviours; `hang` = it never answers. */
  does: string;
  /** The resource version that was last told to whoever asks with it. */
  lastVersion: string;
  /** What has been asked, in order. */
  readonly calls: ConversionCall[];
  close(): Promise<void>;
}

export async function startConversionServer(names: readonly string[] = ['localhost', '127.0.0.1']): Promise<ConversionServer> {
  const authority = await createAuthority({ subject: { commonName: 'conversions' }, lifetimeMs: HOUR_MS, clock: systemClock });
  const { certificate, key } = await issueCertificate({
    subject: { commonName: 'webhook' },
    lifetimeMs: HOUR_MS,
    clock: systemClock,
    authority,
    usage: 'server',
    names,
  });
  const calls: ConversionCall[] = [];
  const state = { does: 'good', lastVersion: '' };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const review: Json = text === '' ? {} : JSON.parse(text);
      if (!isBody(review)) throw new Error('no review');
      const { accept = '', 'content-type': type = '' } = request.headers;
      calls.push({ url: request.url ?? '', headers: { accept, 'content-type': type }, review });
      answer(replyTo(state.does, review));
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return Object.assign(state, { port: portOf(server), caBundle, calls, close: () => closed(server) });
}

function replyTo(does: string, review: Body): Reply {
  if (does === 'hang') return 'hang';
  const { request, apiVersion } = review;
  const conversion = CONVERSIONS[does];
  if (conversion === undefined) return { status: 404, body: 'no such behaviour' };
  return conversion(isBody(request) ? request : {}, typeof apiVersion === 'string' ? apiVersion : '');
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
