/** HTTP/1.1 with connections that are kept and used again; for plain `http:` servers and those that speak nothing newer. */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { errorCode } from '../runtime/error-code';
import type { TlsOptions } from './client-config';
import { StreamChunks } from './stream-chunks';
import { connectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

/** The server was not reached: none of these comes after a request's bytes have left. */
const UNREACHED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export class Http1Transport implements Transport {
  private readonly agent: HttpAgent;
  private readonly isSecure: boolean;

  constructor(
    private readonly server: URL,
    tls: TlsOptions,
  ) {
    this.isSecure = server.protocol === 'https:';
    const settings = { keepAlive: true, keepAliveMsecs: 15_000, noDelay: true };
    this.agent = this.isSecure ? new HttpsAgent({ ...settings, ...tls }) : new HttpAgent(settings);
  }

  send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.agent, ...(signal === undefined ? {} : { signal }) };
      const target = new URL(path, this.server);
      const answered = (message: IncomingMessage): void => resolve(responseOf(message, signal));
      const request: ClientRequest = this.isSecure ? httpsRequest(target, options, answered) : httpRequest(target, options, answered);
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
