/**
 * Health and metrics over HTTPS: what is served is a table of paths, who may read it says {@link PathAccess}. Knows nothing of controllers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import { StatusError, internalError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { HEALTH_ENDPOINTS, type Health, type HealthEndpoint } from '../../shared/runtime/health';
import type { Logger } from '../../shared/runtime/logger';
import { readCertificate } from '../../shared/pki/certificates';
import type { PathAccess } from './path-access';
import type { ServingFiles } from './serving-files';

export interface ServingOptions {
  readonly host: string;
  /** 0 = any that is free. */
  readonly port: number;
  readonly files: ServingFiles;
  readonly access: Pick<PathAccess, 'check'>;
  readonly health: Pick<Health, 'answer'>;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit in milliseconds for a TLS handshake and for the head of a request; 10,000 by default. */
  readonly headMs?: number;
}

export interface PageServer {
  readonly port: number;
  /** From now on new connections see these certificates. */
  renew(files: ServingFiles): void;
  close(): Promise<void>;
}

interface Page {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

const PLAIN = 'text/plain; charset=utf-8';
const NOT_FOUND: Page = { code: 404, type: PLAIN, text: '404 page not found\n' };
const MOST_CONNECTIONS = 256;
const HEAD_MS = 10_000;
/** Time limit in milliseconds for a whole request. */
const REQUEST_MS = 30_000;

/** Rejects when the address cannot be had. */
export function serve(options: ServingOptions): Promise<PageServer> {
  const { host, port, files, headMs = HEAD_MS } = options;
  const limits = { handshakeTimeout: headMs, headersTimeout: headMs, requestTimeout: REQUEST_MS };
  // Node destroys the socket of a handshake that fails or times out, as long as the server has no `clientError` listener.
  const server = createServer({ ...secured(files), ...limits }, (request, response) => {
    void respond(options, request, response);
  });
  server.maxConnections = MOST_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: portOf(server), renew: (renewed) => server.setSecureContext(secured(renewed)), close: () => close(server) });
    });
  });
}

function secured({ certificate, key, clientAuthorities }: ServingFiles): object {
  const asked = clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true, rejectUnauthorized: false };
  return { cert: certificate, key, ...asked };
}

async function respond(options: ServingOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { code, type, text } = await pageFor(options, request).catch((error: unknown) => refusal(error, options.logger));
  response.writeHead(code, { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' });
  response.end(text);
}

async function pageFor({ access, health, metrics, clock }: ServingOptions, request: IncomingMessage): Promise<Page> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const caller = { authorization: request.headers.authorization, certified: certifiedBy(request, clock) };
  await access.check(caller, request.method ?? 'GET', path);
  if (path === '/metrics') return { code: 200, ...(await metrics()) };
  const [, name = '', ...rest] = path.split('/');
  const endpoint = HEALTH_ENDPOINTS.find((known) => known === name);
  return endpoint === undefined ? NOT_FOUND : healthPage(health, endpoint, rest.join('/'), new URLSearchParams(query));
}

async function healthPage(health: Pick<Health, 'answer'>, endpoint: HealthEndpoint, check: string, query: URLSearchParams): Promise<Page> {
  const asked = { endpoint, check: check === '' ? undefined : check, verbose: query.has('verbose'), exclude: query.getAll('exclude') };
  const { status, text } = await health.answer(asked);
  return { code: status, type: PLAIN, text };
}

/** Whom the connection's certificate names, if an authority that is trusted to tell clients vouches for it. */
function certifiedBy({ socket }: IncomingMessage, clock: Clock): UserInfo | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const { commonName, organizations, notAfter } = readCertificate(certificate.toString());
  // The handshake was long ago, perhaps.
  return notAfter < clock.now() ? undefined : { name: commonName, groups: [...organizations, 'system:authenticated'] };
}

function refusal(error: unknown, logger: Logger): Page {
  if (!(error instanceof StatusError)) logger.error('what is served could not be made', { error });
  const { status } = error instanceof StatusError ? error : internalError('the page could not be made');
  return { code: status.code, type: 'application/json', text: `${JSON.stringify(status, undefined, 2)}\n` };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
