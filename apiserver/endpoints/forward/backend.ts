/** Connections to machines behind objects: with whom they are trusted and how long they may take to stand. Knows nothing of what is said on them. */
import { request as plainRequest, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as secureRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../../shared/runtime/clock';
import { TRUST_WHAT_IS_NAMED } from '../../../shared/pki/trust';
import type { Trust } from '../../registry/operations/destination';

/** With what kubelets are connected to; each absent = without. */
export interface KubeletCredentials {
  /** PEM. Without it every certificate is believed, as upstream does. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface BackendOptions {
  readonly clock: Clock;
  readonly credentials: () => KubeletCredentials;
  /** For a connection to stand. Milliseconds. */
  readonly timeoutMs: number;
}

export interface BackendRequest {
  readonly url: URL;
  readonly trust: Trust;
  /** The addresses to dial instead of resolving the host of the URL; absent to resolve it. */
  readonly pinned?: readonly string[] | undefined;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** With the query; as it is. */
  readonly path: string;
  /** The client does not care who answers. */
  readonly believesAll?: boolean;
}

export class Backends {
  constructor(private readonly options: BackendOptions) {}

  /** Each on a connection of its own. The caller sends the body and listens. */
  open({ url, trust, pinned, method, headers, path, believesAll = false }: BackendRequest): ClientRequest {
    const lookup = pinned === undefined ? {} : { lookup: lookupOf(pinned) };
    const settings = { method, headers, path, agent: false, setHost: headers['host'] === undefined, ...lookup };
    // Else the client's word for the server would count.
    const servername = isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '';
    const tls = { ...this.tlsFor(trust, believesAll), servername };
    const { clock, timeoutMs } = this.options;
    return dial({ clock, timeoutMs }, url, { ...settings, ...tls });
  }

  private tlsFor(trust: Trust, believesAll: boolean) {
    if (trust === 'any') return { rejectUnauthorized: false };
    const credentials = this.options.credentials();
    return { ...credentials, rejectUnauthorized: credentials.ca !== undefined && !believesAll };
  }
}

/** A lookup function that resolves every name to the given addresses. */
function lookupOf(pinned: readonly string[]): LookupFunction {
  const addresses = pinned.map((address) => ({ address, family: isIP(address) }));
  return (hostname, { all = false }, done) => {
    const [first] = addresses;
    if (first === undefined) done(new Error(`lookup ${hostname}: no such host`), '');
    else if (all) done(null, addresses);
    else done(null, first.address, first.family);
  };
}

/** A request to a server that has to be there in time. The caller sends the body and listens. */
export function dial({ clock, timeoutMs }: Pick<BackendOptions, 'clock' | 'timeoutMs'>, url: URL, settings: RequestOptions): ClientRequest {
  const isSecure = url.protocol === 'https:';
  const request = isSecure ? secureRequest(url, { ...TRUST_WHAT_IS_NAMED, ...settings }) : plainRequest(url, settings);
  const late = clock.after(timeoutMs, () =>
    request.destroy(Object.assign(new Error(`dial tcp ${url.host}: i/o timeout`), { code: 'ETIMEDOUT' })),
  );
  request.once('socket', (socket) => {
    if (request.reusedSocket) late.cancel();
    else socket.once(isSecure ? 'secureConnect' : 'connect', () => late.cancel());
  });
  request.once('close', () => late.cancel());
  return request;
}
