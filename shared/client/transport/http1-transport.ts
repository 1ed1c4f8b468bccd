/**
 * HTTP/1.1 transport with keep-alive, for `http:` servers and servers without HTTP/2. It sends each request once. The
 * ConnectionError of a failed request states whether the server may have received it, so that callers know whether they
 * may retry it.
 */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { errorCode } from '../../runtime/error-code';
import { PARTIAL_CHAIN_TRUST } from '../../pki/partial-chain-trust';
import type { TlsOptions } from '../kubeconfig/client-config';
import { ResponseBody } from './response-body';
import { connectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

/** Errors that occur only before any byte of the request is sent. */
const UNSENT_ERROR_CODES: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * An agent for connections that all have the same options. Node's agent looks up connections by a key that it computes from
 * the options, certificates included, for each request; here one key is enough.
 */
class SingleServerAgent extends HttpsAgent {
  override getName(): string {
    return '';
  }
}

/** HTTP/1.1 to one server, with a connection per concurrent request. */
export class Http1Transport implements Transport {
  private readonly agent: HttpAgent;
  private readonly isSecure: boolean;
  private readonly address: { readonly hostname: string; readonly port: string };

  constructor(
    private readonly server: URL,
    tls: TlsOptions,
  ) {
    this.isSecure = server.protocol === 'https:';
    // `keepAliveMsecs` is the delay of TCP keep-alive probes.
    const settings = { keepAlive: true, keepAliveMsecs: 15_000, noDelay: true };
    this.agent = this.isSecure ? new SingleServerAgent({ ...settings, ...PARTIAL_CHAIN_TRUST, ...tls }) : new HttpAgent(settings);
    const hostname = server.hostname.startsWith('[') ? server.hostname.slice(1, -1) : server.hostname;
    this.address = { hostname, port: server.port };
  }

  send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      // URL escapes invalid characters. The path is appended to the origin, not resolved against it, because a path with
      // two leading slashes would then name another server.
      const { pathname, search } = new URL(this.server.origin + path);
      const options = { method, path: pathname + search, headers, agent: this.agent, ...this.address };
      const onResponse = (message: IncomingMessage): void => resolve(responseOf(message, signal));
      const request: ClientRequest = this.isSecure ? httpsRequest(options, onResponse) : httpRequest(options, onResponse);
      if (signal !== undefined) destroyOnAbort(request, signal);
      request.on('error', (error) => {
        if (signal?.aborted === true) reject(signal.reason);
        else reject(connectionError(error, { wasSent: !UNSENT_ERROR_CODES.has(errorCode(error)), isReused: request.reusedSocket }));
      });
      request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Node's `signal` option treats the request as a stream, which costs more than sending it. */
function destroyOnAbort(request: ClientRequest, signal: AbortSignal): void {
  const abort = (): void => void request.destroy(new Error('the request was aborted'));
  signal.addEventListener('abort', abort, { once: true });
  request.once('close', () => signal.removeEventListener('abort', abort));
}

/** The body is read from the connection as the caller iterates over it. */
function responseOf(message: IncomingMessage, signal: AbortSignal | undefined): TransportResponse {
  return {
    status: message.statusCode ?? 0,
    header: (name) => {
      const value = message.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body: new ResponseBody(message, signal),
  };
}
