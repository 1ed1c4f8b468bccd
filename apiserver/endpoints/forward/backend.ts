/**
 * Opens requests to backends (kubelets, pods, Services, nodes), with the trust and the connect time-out that apply to
 * them. Requests that may be repeated share kept connections to kubelets. The number of open requests is limited.
 */
import { request as plainRequest, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as secureRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../shared/runtime/clock';
import { PARTIAL_CHAIN_TRUST } from '../../../shared/pki/partial-chain-trust';
import { hostWithoutBrackets } from '../../../shared/values/network/host-url';
import type { CertificateVerification } from '../../registry/operations/destination';
import { IdleCheckingAgent } from './idle-checking-agent';
import { DEFAULT_OPEN_REQUEST_LIMITS, OpenRequests, type OpenRequestLimits } from './open-requests';

/** Credentials for connections to kubelets. */
export interface KubeletCredentials {
  /** The authorities of kubelets, in PEM. Without them every certificate is accepted, as in upstream. */
  readonly ca?: Buffer;
  /** Client certificate and its private key, in PEM. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Configuration of the connections to backends, for the life of the server. */
export interface BackendOptions {
  readonly clock: Clock;
  /** The present client certificate for kubelets; called for each request, because the files may have been replaced. */
  readonly credentials: () => KubeletCredentials;
  /** Connect time-out in milliseconds. */
  readonly timeoutMs: number;
  /** Absent for {@link DEFAULT_OPEN_REQUEST_LIMITS}. */
  readonly limits?: OpenRequestLimits;
  /** Absent when connections are not counted. */
  readonly meters?: BackendMeters;
}

/** Counts what {@link Backends} does. Called per connection and per rejected request. */
export interface BackendMeters {
  /** Called with 1 for each connection that is opened, and with -1 when it is closed. */
  addConnections(trust: CertificateVerification, by: number): void;
  /** Called for each request that a limit rejects. */
  countRejected(): void;
}

/** A request to a kubelet, pod, Service or node, without its body. */
export interface BackendRequest {
  readonly url: URL;
  /**
   * `kubelet` verifies the server certificate against {@link KubeletCredentials.ca} and presents the client
   * certificate; `any` does neither.
   */
  readonly trust: CertificateVerification;
  /** The addresses to dial instead of resolving the host of the URL; absent to resolve it. */
  readonly pinned?: readonly string[] | undefined;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** Includes the query; sent unchanged. */
  readonly path: string;
  /** Whether the client has disabled verification of the certificate. */
  readonly insecureSkipTlsVerify?: boolean;
  /**
   * Whether the request has no body and no effect, so that it may use a kept connection to a kubelet, and may be sent
   * again when the kubelet closes that connection at the same time.
   */
  readonly isRepeatable?: boolean;
}

/** Number of idle connections to one kubelet, and how long they are kept: shorter than kubelets keep them (90 s). */
const IDLE_CONNECTIONS = { maxFreeSockets: 4, timeout: 60_000 };

/** The connections of a server to all backends. */
export class Backends {
  private readonly openRequests: OpenRequests;
  private readonly keptConnections = new IdleCheckingAgent({ keepAlive: true, ...IDLE_CONNECTIONS });
  private readonly countedSockets = new WeakSet<Duplex>();

  constructor(private readonly options: BackendOptions) {
    this.openRequests = new OpenRequests(options.limits ?? DEFAULT_OPEN_REQUEST_LIMITS);
  }

  /**
   * Opens a request, on a new connection unless it is a repeatable one to a kubelet. The caller sends the body and listens
   * for the response. Throws 429 when a limit of open requests is reached.
   */
  open(request: BackendRequest): ClientRequest {
    const release = this.acquire(request.url.host);
    try {
      const opened = this.connect(request);
      this.releaseAtEnd(opened, request.trust, release);
      return opened;
    } catch (error) {
      // A method, path or header that HTTP does not allow.
      release();
      throw error;
    }
  }

  /** Counts a request to the host as open. Returns the function that ends it; throws 429 when a limit is reached. */
  private acquire(host: string): () => void {
    try {
      return this.openRequests.acquire(host);
    } catch (error) {
      this.options.meters?.countRejected();
      throw error;
    }
  }

  /** Calls `release` when the request has ended; after an upgrade, when its connection closes. Counts new connections. */
  private releaseAtEnd(request: ClientRequest, trust: CertificateVerification, release: () => void): void {
    const { meters } = this.options;
    let isUpgraded = false;
    request.once('socket', (socket) => {
      if (this.countedSockets.has(socket)) return;
      this.countedSockets.add(socket);
      meters?.addConnections(trust, 1);
      socket.once('close', () => meters?.addConnections(trust, -1));
    });
    // Also on a reused connection: a kubelet may respond with an upgrade that was not requested.
    request.once('upgrade', (_message, socket) => {
      isUpgraded = true;
      socket.once('close', release);
    });
    request.once('close', () => {
      if (!isUpgraded) release();
    });
  }

  private connect(backendRequest: BackendRequest): ClientRequest {
    const { url, trust, pinned, method, headers, path, insecureSkipTlsVerify = false, isRepeatable = false } = backendRequest;
    const lookup = pinned === undefined ? {} : { lookup: fixedLookup(pinned) };
    // A pinned host name may have other addresses the next time, so its connections are not kept.
    const agent = isRepeatable && trust === 'kubelet' && pinned === undefined ? this.keptConnections : false;
    const plainOptions = { method, headers, path, agent, setHost: headers['host'] === undefined, ...lookup };
    // Set explicitly: by default, Node takes the server name from the Host header, which the client chooses.
    const servername = isIP(hostWithoutBrackets(url)) === 0 ? url.hostname : '';
    const tlsOptions = { ...this.tlsFor(trust, insecureSkipTlsVerify), servername };
    const { clock, timeoutMs } = this.options;
    return dial({ clock, timeoutMs }, url, { ...plainOptions, ...tlsOptions });
  }

  /** The credentials for the backend, and whether its certificate is verified. */
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
export function dial({ clock, timeoutMs }: Pick<BackendOptions, 'clock' | 'timeoutMs'>, url: URL, options: RequestOptions): ClientRequest {
  const isSecure = url.protocol === 'https:';
  const request = isSecure ? secureRequest(url, { ...PARTIAL_CHAIN_TRUST, ...options }) : plainRequest(url, options);
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
