/**
 * The HTTPS server of the simulation. It serves the metrics API to the API server, which authenticates with its
 * front-proxy certificate. It also responds in place of the kubelets of simulated nodes: requests for logs, exec and
 * port-forward get the status 501 and the reason. Only metrics need authentication.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { forbiddenPath, internalError, StatusError } from '../../../shared/api/errors/status';
import { readCertificate, type Credential } from '../../../shared/pki/certificates';
import type { Logger } from '../../../shared/runtime/logger';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import {
  PATH_NOT_FOUND,
  PLAIN_TEXT,
  sendContent,
  startHttpsServer,
  type HttpsServer,
  type ResponseContent,
} from '../../serving/https-server';

/** Where the server listens, and what it serves to which clients. */
export interface SimulationServerOptions {
  readonly host: string;
  /** 0: any unused port. */
  readonly port: number;
  readonly certificate: Credential;
  /**
   * Clients that may read metrics: those with a certificate of this authority (PEM) for one of these common names. No
   * client may when it is undefined.
   */
  readonly frontProxy: { readonly authority: string; readonly names: readonly string[] } | undefined;
  readonly isMetricsPath: (path: string) => boolean;
  /** The response to a GET of a metrics path. Throws StatusError. */
  readonly metrics: (path: string, query: URLSearchParams) => JsonObject;
  readonly logger: Logger;
}

const JSON_TYPE = 'application/json';
const NOT_IMPLEMENTED = 501;

/** What a kubelet serves below each path, for messages. */
const KUBELET_FEATURES: Readonly<Partial<Record<string, string>>> = {
  containerLogs: 'it has no logs',
  exec: 'no command can be executed in it',
  attach: 'there is nothing to attach to',
  portForward: 'it has no ports',
};

/** Resolves when the server listens; rejects when the address cannot be bound. */
export function startSimulationServer(options: SimulationServerOptions): Promise<HttpsServer> {
  const { certificate, frontProxy, host, port } = options;
  const certificates = { ...certificate, clientAuthorities: frontProxy?.authority };
  return startHttpsServer({ host, port, certificates }, (request, response) => respond(options, request, response));
}

function respond(options: SimulationServerOptions, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  sendContent(response, responseTo(options, request));
}

function responseTo(options: SimulationServerOptions, request: IncomingMessage): ResponseContent {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  if (path === '/healthz') return { code: 200, type: PLAIN_TEXT, text: 'ok' };
  if (!options.isMetricsPath(path)) return path.startsWith('/openapi/') ? PATH_NOT_FOUND : notSimulated(path);
  try {
    if (!isFrontProxy(options, request)) throw forbiddenPath('metrics are read through the API server');
    return { code: 200, type: JSON_TYPE, text: stringifyJson(options.metrics(path, new URLSearchParams(query))) };
  } catch (error) {
    if (!(error instanceof StatusError)) options.logger.error('metrics could not be computed', { error });
    const { status } = error instanceof StatusError ? error : internalError('metrics could not be computed');
    return { code: status.code, type: JSON_TYPE, text: JSON.stringify(status) };
  }
}

/** The path is that of a kubelet: `/containerLogs/{namespace}/{pod}/{container}`. */
function notSimulated(path: string): ResponseContent {
  const [, feature = '', namespace = '', pod = ''] = path.split('/');
  const reason = KUBELET_FEATURES[feature];
  const text =
    reason === undefined
      ? 'the node is simulated: its kubelet serves nothing'
      : `pod ${namespace}/${pod} runs on a simulated node, without containers: ${reason}`;
  return { code: NOT_IMPLEMENTED, type: PLAIN_TEXT, text };
}

function isFrontProxy({ frontProxy }: SimulationServerOptions, { socket }: IncomingMessage): boolean {
  const isVerified = socket instanceof TLSSocket && socket.authorized;
  if (frontProxy === undefined || !isVerified) return false;
  const certificate = socket.getPeerX509Certificate();
  return certificate !== undefined && frontProxy.names.includes(readCertificate(certificate.toString()).commonName);
}
