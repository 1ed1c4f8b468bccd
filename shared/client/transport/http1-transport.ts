/** HTTP/1.1 with connections that are kept and used again; for plain `http:` servers and those that speak nothing newer. */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { errorCode } from '../../runtime/error-code';
import { PARTIAL_CHAIN_TRUST } from '../../pki/partial-chain-trust';
import type { TlsOptions } from '../kubeconfig/client-config';
import { StreamChunks } from './stream-chunks';
import { connectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

/** The server was not reached: none of these comes after a request's bytes have left. */
const UNREACHED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** All connections lead to one server in one way: their name need not be made of it, certificates and all, for each request. */
class OneServerAgent extends HttpsAgent {
  override getName(): string {
    return '';
  }
}

export class Http1Transport implements Transport {
  private readonly agent: HttpAgent;
  private readonly isSecure: boolean;
  private readonly place: { readonly hostname: string; readonly port: string };

  constructor(
    private readonly server: URL,
    tls: TlsOptions,
  ) {
    this.isSecure = server.protocol === 'https:';
    const settings = { keepAlive: true, keepAliveMsecs: 15_000, noDelay: true };
    this.agent = this.isSecure ? new OneServerAgent({ ...settings, ...PARTIAL_CHAIN_TRUST, ...tls }) : new HttpAgent(settings);
    const hostname = server.hostname.startsWith('[') ? server.hostname.slice(1, -1) : server.hostname;
    this.place = { hostname, port: server.port };
  }

  send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      // What stands in no URL is escaped; a path that begins with two strokes names no other server.
      const { pathname, search } = new URL(this.server.origin + path);
      const options = { ...this.place, method, path: pathname + search, headers, agent: this.agent };
      const answered = (message: IncomingMessage): void => resolve(responseOf(message, signal));
      const request: ClientRequest = this.isSecure ? httpsRequest(options, answered) : httpRequest(options, answered);
      if (signal !== undefined) endWith(request, signal);
      request.on('error', (error) => {
        if (signal?.aborted === true) reject(signal.reason);
        else reject(connectionError(error, !UNREACHED.has(errorCode(error)), request.reusedSocket));
      });
      request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Until it is over. Node's own way looks at the request as at any stream, which costs more than sending it. */
function endWith(request: ClientRequest, signal: AbortSignal): void {
  const end = (): void => void request.destroy(new Error('the request was given up'));
  signal.addEventListener('abort', end, { once: true });
  request.once('close', () => signal.removeEventListener('abort', end));
}

function responseOf(message: IncomingMessage, signal: AbortSignal | undefined): TransportResponse {
  return {
    status: message.statusCode ?? 0,
    header: (name) => {
      const value = message.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body: new StreamChunks(message, signal),
  };
}
