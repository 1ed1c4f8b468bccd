/**
 * An HTTPS server for webhooks of tests and recorders, with a certificate of its own authority. The caller's function
 * produces the responses.
 */
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Body } from '../../replay/json-response';
import type { Reply } from '../../replay/webhooks/behaviours';
import { makeAuthority, makePair } from '../certificates/credential-files';
import { closeServer, listen } from './listen';

export interface WebhookRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The common name in the client certificate; `undefined` when there is none or none is requested. */
  readonly client: string | undefined;
}

/** A review that a webhook received. */
export interface WebhookCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly review: Body;
}

export interface WebhookServer {
  readonly port: number;
  /** In base64, as webhook configurations and definitions contain it. */
  readonly caBundle: string;
  close(): Promise<void>;
}

export interface WebhookServerOptions {
  /** The names in the certificate; `localhost` and 127.0.0.1 by default. */
  readonly names?: readonly string[];
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** A free port when absent. */
  readonly port?: number;
  /** Requests a client certificate, of any authority. */
  readonly requestsClientCertificate?: boolean;
  readonly reply: (request: WebhookRequest) => Reply;
}

/** Resolves when the server listens. `reply` returns the response to each request. */
export async function startWebhookServer({
  names = ['localhost', '127.0.0.1'],
  host = '127.0.0.1',
  port = 0,
  requestsClientCertificate = false,
  reply,
}: WebhookServerOptions): Promise<WebhookServer> {
  const authority = await makeAuthority('webhooks');
  const { certificate, key } = await makePair(authority, 'server', { names, commonName: 'webhook' });
  const settings = { cert: certificate, key, requestCert: requestsClientCertificate, rejectUnauthorized: false };
  const server = createServer(settings, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { socket } = request;
      const peer = requestsClientCertificate && socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
      // A certificate may have several common names.
      const [client] = [peer?.subject?.CN].flat();
      respond(reply({ method: request.method ?? '', url: request.url ?? '', headers, text: Buffer.concat(chunks).toString(), client }));
    });
    function respond(sent: Reply): void {
      if (sent === 'hang') return;
      if (sent === 'cut') {
        request.socket.destroy();
        return;
      }
      const { status = 200, headers = { 'content-type': 'application/json' }, body } = sent;
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return { port: await listen(server, port, host), caBundle, close: () => closeServer(server) };
}
