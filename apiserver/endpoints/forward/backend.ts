/**
 * Opens connections to backends (kubelets, pods, services, nodes), with the trust and the connect time-out that apply
 * to them.
 */
import { request as plainRequest, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as secureRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../../shared/runtime/clock';
import { PARTIAL_CHAIN_TRUST } from '../../../shared/pki/partial-chain-trust';
import type { CertificateVerification } from '../../registry/operations/destination';

/** Credentials for connections to kubelets; each is optional. */
export interface KubeletCredentials {
  /** PEM. Without it every certificate is accepted, as upstream does. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface BackendOptions {
  readonly clock: Clock;
  readonly credentials: () => KubeletCredentials;
  /** Connect time-out in milliseconds. */
  readonly timeoutMs: number;
}

export interface BackendRequest {
  readonly url: URL;
  readonly trust: CertificateVerification;
  /** The addresses to dial instead of resolving the host of the URL; absent to resolve it. */
  readonly pinned?: readonly string[] | undefined;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** Includes the query; sent unchanged. */
  readonly path: string;
  /** The client has disabled verification of the certificate. */
  readonly insecureSkipTlsVerify?: boolean;
}

export class Backends {
  constructor(private readonly options: BackendOptions) {}

  /** Opens a new connection for each request. The caller sends the body and listens for the response. */
  open({ url, trust, pinned, method, headers, path, insecureSkipTlsVerify = false }: BackendRequest): ClientRequest {
    const lookup = pinned === undefined ? {} : { lookup: fixedLookup(pinned) };
    const settings = { method, headers, path, agent: false, setHost: headers['host'] === undefined, ...lookup };
    // Otherwise Node would take the server name from the client's Host header.
    const servername = isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '';
    const tls = { ...this.tlsFor(trust, insecureSkipTlsVerify), servername };
    const { clock, timeoutMs } = this.options;
    return dial({ clock, timeoutMs }, url, { ...settings, ...tls });
  }

  private tlsFor(trust: CertificateVerification, insecureSkipTlsVerify: boolean) {
    if (trust === 'any') return { rejectUnauthorized: false };
    const credentials = this.options.credentials();
    return { ...credentials, rejectUnauthorized: credentials.ca !== undefined && !insecureSkipTlsVerify };
  }
}

/** A lookup function that resolves every name to the given addresses. */
function fixedLookup(pinned: readonly string[]): LookupFunction {
  const addresses = pinned.map((address) => ({ address, family: isIP(address) }));
  return (hostname, { all: returnsAll = false }, done) => {
    const [first] = addresses;
    if (first === undefined) done(new Error(`lookup ${hostname}: no such host`), '');
    else if (returnsAll) done(null, addresses);
    else done(null, first.address, first.family);
  };
}

/**
 * Opens a request to a server that must accept the connection in time. The caller sends the body and listens for the
 * response.
 */
export function dial({ clock, timeoutMs }: Pick<BackendOptions, 'clock' | 'timeoutMs'>, url: URL, settings: RequestOptions): ClientRequest {
  const isSecure = url.protocol === 'https:';
  const request = isSecure ? secureRequest(url, { ...PARTIAL_CHAIN_TRUST, ...settings }) : plainRequest(url, settings);
  const timer = clock.after(timeoutMs, () =>
    request.destroy(Object.assign(new Error(`dial tcp ${url.host}: i/o timeout`), { code: 'ETIMEDOUT' })),
  );
  request.once('socket', (socket) => {
    if (request.reusedSocket) timer.cancel();
    else socket.once(isSecure ? 'secureConnect' : 'connect', () => timer.cancel());
  });
  request.once('close', () => timer.cancel());
  return request;
}
