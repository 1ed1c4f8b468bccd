/**
 * The HTTPS server for health checks and metrics. Access is decided by {@link PathAccess}. Independent of controllers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import { StatusError, internalError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { HEALTH_ENDPOINTS, type HealthChecks, type HealthEndpoint } from '../../shared/runtime/health';
import type { Logger } from '../../shared/runtime/logger';
import { readCertificate } from '../../shared/pki/certificates';
import type { PathAccess } from './path-access';
import type { ServingCertificates } from './serving-certificates';

export interface ServingOptions {
  readonly host: string;
  /** 0: any unused port. */
  readonly port: number;
  readonly certificates: ServingCertificates;
  readonly access: Pick<PathAccess, 'check'>;
  readonly health: Pick<HealthChecks, 'respond'>;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit in milliseconds for a TLS handshake and for the head of a request; 10,000 by default. */
  readonly headTimeoutMs?: number;
}

export interface HealthServer {
  readonly port: number;
  /** New connections use these certificates. */
  renew(certificates: ServingCertificates): void;
  close(): Promise<void>;
}

interface ResponseContent {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

const PLAIN = 'text/plain; charset=utf-8';
const NOT_FOUND: ResponseContent = { code: 404, type: PLAIN, text: '404 page not found\n' };
const MAX_CONNECTIONS = 256;
const HEAD_TIMEOUT_MS = 10_000;
/** Time limit in milliseconds for a whole request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Rejects when the address cannot be bound. */
export function startServer(options: ServingOptions): Promise<HealthServer> {
  const { host, port, certificates, headTimeoutMs = HEAD_TIMEOUT_MS } = options;
  const limits = { handshakeTimeout: headTimeoutMs, headersTimeout: headTimeoutMs, requestTimeout: REQUEST_TIMEOUT_MS };
  // Node destroys the socket of a handshake that fails or times out, unless the server has a `clientError` listener.
  const server = createServer({ ...tlsOptions(certificates), ...limits }, (request, response) => {
    void respond(options, request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: portOf(server), renew: (renewed) => server.setSecureContext(tlsOptions(renewed)), close: () => close(server) });
    });
  });
}

function tlsOptions({ certificate, key, clientAuthorities }: ServingCertificates): object {
  const clientCertificates = clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true, rejectUnauthorized: false };
  return { cert: certificate, key, ...clientCertificates };
}

async function respond(options: ServingOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { code, type, text } = await handleRequest(options, request).catch((error: unknown) => errorResponse(error, options.logger));
  response.writeHead(code, { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' });
  response.end(text);
}

async function handleRequest({ access, health, metrics, clock }: ServingOptions, request: IncomingMessage): Promise<ResponseContent> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const credentials = { authorization: request.headers.authorization, certificateUser: certificateUserOf(request, clock) };
  await access.check(credentials, request.method ?? 'GET', path);
  if (path === '/metrics') return { code: 200, ...(await metrics()) };
  const [, name = '', ...rest] = path.split('/');
  const endpoint = HEALTH_ENDPOINTS.find((candidate) => candidate === name);
  return endpoint === undefined ? NOT_FOUND : healthResponse(health, endpoint, rest.join('/'), new URLSearchParams(query));
}

async function healthResponse(
  health: Pick<HealthChecks, 'respond'>,
  endpoint: HealthEndpoint,
  check: string,
  query: URLSearchParams,
): Promise<ResponseContent> {
  const request = { endpoint, check: check === '' ? undefined : check, verbose: query.has('verbose'), exclude: query.getAll('exclude') };
  const { status, text } = await health.respond(request);
  return { code: status, type: PLAIN, text };
}

/** The user that the client certificate of the connection names, if it is valid and from a trusted authority. */
function certificateUserOf({ socket }: IncomingMessage, clock: Clock): UserInfo | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const { commonName, organizations, notAfter } = readCertificate(certificate.toString());
  // The certificate may have expired since the handshake.
  return notAfter < clock.now() ? undefined : { name: commonName, groups: [...organizations, 'system:authenticated'] };
}

function errorResponse(error: unknown, logger: Logger): ResponseContent {
  if (!(error instanceof StatusError)) logger.error('the response could not be created', { error });
  const { status } = error instanceof StatusError ? error : internalError('the response could not be created');
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
