/**
 * The HTTPS server of the simulation. It serves the metrics API to the API server, which authenticates with its
 * front-proxy certificate, and it answers in place of the kubelets of simulated nodes: logs, exec and port-forward do not
 * exist there, which each response states.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import { forbiddenPath, internalError, StatusError } from '../../../shared/api/errors/status';
import { readCertificate, type Credential } from '../../../shared/pki/certificates';
import type { Logger } from '../../../shared/runtime/logger';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';

export interface SimulationServerOptions {
  readonly host: string;
  /** 0: any unused port. */
  readonly port: number;
  readonly certificate: Credential;
  /** Clients that may read metrics: with a certificate of this authority (PEM) for one of these names. Undefined: none. */
  readonly frontProxy: { readonly authority: string; readonly names: readonly string[] } | undefined;
  readonly isMetricsPath: (path: string) => boolean;
  readonly metrics: (path: string, query: URLSearchParams) => JsonObject;
  readonly logger: Logger;
}

export interface SimulationServer {
  readonly port: number;
  close(): Promise<void>;
}

interface ResponseContent {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

const MAX_CONNECTIONS = 256;
const HEAD_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const JSON_TYPE = 'application/json';
const NOT_IMPLEMENTED = 501;

/** What a kubelet serves below each path, for messages. */
const KUBELET_FEATURES: Readonly<Partial<Record<string, string>>> = {
  containerLogs: 'it has no logs',
  exec: 'no command can be executed in it',
  attach: 'there is nothing to attach to',
  portForward: 'it has no ports',
};

/** Rejects when the address cannot be bound. */
export function startSimulationServer(options: SimulationServerOptions): Promise<SimulationServer> {
  const { certificate, frontProxy, host, port } = options;
  const clientCertificates = frontProxy === undefined ? {} : { ca: frontProxy.authority, requestCert: true, rejectUnauthorized: false };
  const limits = { handshakeTimeout: HEAD_TIMEOUT_MS, headersTimeout: HEAD_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer({ cert: certificate.certificate, key: certificate.key, ...clientCertificates, ...limits });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response: ServerResponse) => respond(options, request, response));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: portOf(server), close: () => close(server) });
    });
  });
}

function respond(options: SimulationServerOptions, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const { code, type, text } = responseTo(options, request);
  response.writeHead(code, { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' });
  response.end(text);
}

function responseTo(options: SimulationServerOptions, request: IncomingMessage): ResponseContent {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  if (!options.isMetricsPath(path)) return path.startsWith('/openapi/') ? NOT_FOUND : notSimulated(path);
  try {
    if (!isFrontProxy(options, request)) throw forbiddenPath('metrics are read through the API server');
    return { code: 200, type: JSON_TYPE, text: stringifyJson(options.metrics(path, new URLSearchParams(query))) };
  } catch (error) {
    if (!(error instanceof StatusError)) options.logger.error('metrics could not be computed', { error });
    const { status } = error instanceof StatusError ? error : internalError('metrics could not be computed');
    return { code: status.code, type: JSON_TYPE, text: JSON.stringify(status) };
  }
}

const NOT_FOUND: ResponseContent = { code: 404, type: 'text/plain; charset=utf-8', text: '404 page not found\n' };

/** The path is that of a kubelet: `/containerLogs/{namespace}/{pod}/{container}`. */
function notSimulated(path: string): ResponseContent {
  const [, feature = '', namespace = '', pod = ''] = path.split('/');
  const reason = KUBELET_FEATURES[feature];
  const text =
    reason === undefined
      ? 'the node is simulated: its kubelet serves nothing'
      : `pod ${namespace}/${pod} runs on a simulated node, without containers: ${reason}`;
  return { code: NOT_IMPLEMENTED, type: 'text/plain; charset=utf-8', text };
}

function isFrontProxy({ frontProxy }: SimulationServerOptions, { socket }: IncomingMessage): boolean {
  if (frontProxy === undefined || !(socket instanceof TLSSocket) || !socket.authorized) return false;
  const certificate = socket.getPeerX509Certificate();
  return certificate !== undefined && frontProxy.names.includes(readCertificate(certificate.toString()).commonName);
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
