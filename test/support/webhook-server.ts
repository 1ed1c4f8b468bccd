/** An HTTPS server of its own for webhooks of tests and recorders, with a certificate of its own authority: what it says to a request is its owner's. */
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../shared/runtime/pki';
import type { Body } from '../replay/reference';
import type { Reply } from '../replay/webhooks/behaviours';

const HOUR_MS = 3_600_000;

export interface WebhookRequest {
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The common name in the certificate of whoever asks; undefined = it has shown none. */
  readonly client: string | undefined;
}

/** A request that a webhook has understood. */
export interface Called {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly review: Body;
}

export interface WebhookServer {
  readonly port: number;
  /** In base64, as configurations and definitions want it. */
  readonly caBundle: string;
  close(): Promise<void>;
}

export interface WebhookServerOptions {
  /** Whom its certificate is for. */
  readonly names: readonly string[];
  readonly host: string;
  /** Any that is free when nothing is said. */
  readonly port?: number;
  /** Who asks may show a certificate, of whichever authority. */
  readonly asksForCertificates?: boolean;
  readonly reply: (request: WebhookRequest) => Reply;
}

export async function startWebhookServer({
  names,
  host,
  port = 0,
  asksForCertificates = false,
  reply,
}: WebhookServerOptions): Promise<WebhookServer> {
  const authority = await createAuthority({ subject: { commonName: 'webhooks' }, lifetimeMs: HOUR_MS, clock: systemClock });
  const subject = { commonName: 'webhook' };
  const { certificate, key } = await issueCertificate({
    subject,
    lifetimeMs: HOUR_MS,
    clock: systemClock,
    authority,
    usage: 'server',
    names,
  });
  const settings = { cert: certificate, key, requestCert: asksForCertificates, rejectUnauthorized: false };
  const server = createServer(settings, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { socket } = request;
      const shown = asksForCertificates && socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
      const [client] = [shown?.subject?.CN].flat();
      answer(reply({ url: request.url ?? '', headers, text: Buffer.concat(chunks).toString(), client }));
    });
    function answer(said: Reply): void {
      if (said === 'hang') return;
      if (said === 'cut') {
        request.socket.destroy();
        return;
      }
      const { status = 200, headers = { 'content-type': 'application/json' }, body } = said;
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { port: address.port, caBundle: Buffer.from(authority.certificate).toString('base64'), close };
}
