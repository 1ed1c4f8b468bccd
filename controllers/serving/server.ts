/**
 * The HTTPS server for the health checks and metrics of a process. {@link PathAccess} decides which requests it serves;
 * the owners of the checks and metrics provide the text.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { StatusError, internalError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { HEALTH_ENDPOINTS, type HealthChecks, type HealthEndpoint } from '../../shared/runtime/health';
import type { Logger } from '../../shared/runtime/logger';
import { readCertificate } from '../../shared/pki/certificates';
import {
  PATH_NOT_FOUND,
  PLAIN_TEXT,
  sendContent,
  startHttpsServer,
  type HttpsServer,
  type HttpsServerOptions,
  type ResponseContent,
} from './https-server';
import type { PathAccess } from './path-access';

/** The server, and the sources of its responses. */
export interface ServingOptions extends HttpsServerOptions {
  /** Called before each response; a StatusError that it throws becomes the response. */
  readonly access: Pick<PathAccess, 'check'>;
  readonly health: Pick<HealthChecks, 'respond'>;
  /** Called for each request of `/metrics`. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Resolves when the server listens; rejects when the address cannot be bound. */
export function startServer(options: ServingOptions): Promise<HttpsServer> {
  return startHttpsServer(options, (request, response) => void respond(options, request, response));
}

async function respond(options: ServingOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  sendContent(response, await handleRequest(options, request).catch((error: unknown) => errorResponse(error, options.logger)));
}

async function handleRequest({ access, health, metrics, clock }: ServingOptions, request: IncomingMessage): Promise<ResponseContent> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const credentials = { authorization: request.headers.authorization, certificateUser: certificateUserOf(request, clock) };
  await access.check(credentials, request.method ?? 'GET', path);
  if (path === '/metrics') return { code: 200, ...(await metrics()) };
  const [, name = '', ...rest] = path.split('/');
  const endpoint = HEALTH_ENDPOINTS.find((candidate) => candidate === name);
  return endpoint === undefined ? PATH_NOT_FOUND : healthResponse(health, endpoint, rest.join('/'), new URLSearchParams(query));
}

async function healthResponse(
  health: Pick<HealthChecks, 'respond'>,
  endpoint: HealthEndpoint,
  check: string,
  query: URLSearchParams,
): Promise<ResponseContent> {
  const request = { endpoint, check: check === '' ? undefined : check, verbose: query.has('verbose'), exclude: query.getAll('exclude') };
  const { status, text } = await health.respond(request);
  return { code: status, type: PLAIN_TEXT, text };
}

/** The user that the client certificate of the connection names, if it is valid and from a trusted authority. */
function certificateUserOf({ socket }: IncomingMessage, clock: Clock): UserInfo | undefined {
  const isVerified = socket instanceof TLSSocket && socket.authorized;
  if (!isVerified) return undefined;
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
