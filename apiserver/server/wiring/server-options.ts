/** The options and dependencies from which a server is composed. Contains no behaviour. */
import type { LiveConfiguration } from '../../../shared/configuration/configuration-files';
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect, GeneratedNames } from '../../../shared/names/dialect';
import type { CertificateExpirations } from '../../../shared/pki/certificate-expirations';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import type { PageScripts } from '../../api-docs/api-docs';
import type { ProxyCredentials } from '../../aggregation/extension-servers';
import type { SendImageReview } from '../../admission/plugins/pods/image-policy';
import type { AdmissionSettings } from '../../admission/plugins/admission-settings';
import type { PluginOverrides } from '../../admission/plugins/plugin-overrides';
import type { PortRange, ServiceRanges } from '../../allocation/ranges';
import type { Auditor } from '../../audit/auditor';
import type { MetricsPages } from '../../metrics/registry/exposition';
import type { Meters } from '../../metrics/registry/meters';
import type { EncryptionMetrics } from '../../metrics/storage/encryption-metrics';
import type { Store } from '../../storage/store';
import type { GrpcCallCounters } from '../../storage/grpc-call-counters';
import type { Tracing } from '../../tracing/span';
import type { AccessOptions } from '../access/access';
import type { ConnectionCaps, ConnectionLimiter } from '../connections/connection-limiter';
import type { BodyPace } from '../../endpoints/request/exchange-progress';
import type { BackendOptions } from '../../endpoints/forward/backend';
import type { ResolveHost } from '../../registry/operations/destination';
import type { Listener, TlsBounds, TlsFiles } from '../connections/listeners';
import type { ConnectionTimeouts } from '../connections/http2-sessions';
import type { StartGate } from '../start-gate';
import type { ServerState } from '../filters/server-state';

/** How kubelets are reached; absent for the defaults of the flags. */
export interface KubeletOptions extends Omit<BackendOptions, 'clock' | 'meters'> {
  /** Types of node addresses in order of preference. */
  readonly addressTypes: readonly string[];
  /** Absent to use the system's resolver. */
  readonly resolveHost?: ResolveHost;
}

/** The options of a server, as apiserver/options makes them of flags and files. Times are in the unit of their name. */
export interface ServerOptions extends AccessOptions {
  /** The bind address of the secure listener. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: TlsFiles;
  /** Absent for the defaults. */
  readonly tlsBounds?: TlsBounds;
  /** Plain HTTP on loopback, for the local administrator; absent for none. */
  readonly local?: { readonly host: string; readonly port: number };
  /** The dialect of names that the server generates, and of responses to requests that choose none. */
  readonly naming: Dialect;
  /** The served kinds; absent for all kinds that are not disabled by default. */
  readonly kinds?: readonly KindRow[];
  readonly gates: FeatureGates;
  /** The flags as `name=value`, for `/flagz`; absent for none. */
  readonly flagLines?: readonly string[];
  /** The scripts of the page at `/docs`; absent when the page is not served. */
  readonly apiDocs?: PageScripts | undefined;
  /** Prefix of all keys in the store, without a trailing slash. */
  readonly prefix: string;
  /** The name under which clients reach the server; absent for its address. */
  readonly externalHostname?: string | undefined;
  /**
   * The address under which other machines reach this server; absent when it is not in the endpoints of the default
   * Service.
   */
  readonly advertiseAddress: string | undefined;
  /** The ranges of cluster IPs, that of the default family first. */
  readonly serviceRanges: ServiceRanges;
  /** Enabled and disabled admission plug-ins; absent for the defaults. */
  readonly plugins?: PluginOverrides;
  /** Configuration of the admission plug-ins; absent for none. */
  readonly admission?: AdmissionSettings | undefined;
  /** The image review backend of the plug-in ImagePolicyWebhook. */
  readonly imageReviews?: SendImageReview | undefined;
  /** Only permitted users may set external addresses of Services. */
  readonly deniesServiceAddresses: boolean;
  readonly nodePorts: PortRange;
  /** URL of the token keys; absent when they are at this server. */
  readonly keySetAddress?: string | undefined;
  /** Time to live of an Event after its last write. */
  readonly eventTtlMs: number;
  /** Interval of the store's compaction; 0 when this server compacts nothing. */
  readonly compactionMs: number;
  readonly requestTimeoutMs: number;
  /** Minimum duration of a watch that requests no time-out. */
  readonly minRequestTimeoutSeconds: number;
  /** Maximum numbers of requests in flight; 0 for no limit. */
  readonly maxReadOnly: number;
  readonly maxMutating: number;
  /**
   * Whether API Priority and Fairness is enabled, which is the default. The number of its seats is the sum of the two
   * limits.
   */
  readonly flowControl?: boolean;
  readonly kubelets?: KubeletOptions;
  /** Credentials for aggregated API servers; absent for none. */
  readonly proxyCredentials?: () => ProxyCredentials;
  /** Concurrent streams of an HTTP/2 connection. */
  readonly maxStreams: number;
  /** Probability per request of ending its HTTP/2 connection with GOAWAY; absent for 0. */
  readonly goawayChance?: number;
  readonly connectionCaps: ConnectionCaps;
  /** Absent when no audit events are recorded. */
  readonly audit?: Auditor | undefined;
  /** How long after the start /livez ignores incomplete startup steps. */
  readonly livezGraceMs: number;
  /** How long requests are still served after /readyz fails. */
  readonly shutdownDelayMs: number;
  /** The time over which the ends of watches are spread at shutdown. */
  readonly shutdownWatchGraceMs: number;
  /** Whether requests during shutdown are rejected with 429, to be repeated, instead of 503. */
  readonly sendRetryAfter: boolean;
  /** Overrides of the default timeouts for slow clients. */
  readonly connectionTimeouts?: Partial<ConnectionTimeouts>;
  /** The minimum pace of request bodies; absent for the default. */
  readonly bodyPace?: BodyPace;
}

/** The name of the configuration of encryption at rest. */
export const ENCRYPTION = 'encryption-provider-config';

/** The parts of encryption at rest that the server uses. */
export interface EncryptionAtRest {
  readonly metrics: EncryptionMetrics;
  /** Identifies this replica in metrics. */
  readonly server: string;
  /** `listener` is called when values that could not be decrypted may have become readable. */
  onChange(listener: () => void): void;
  /** Resolves with the problem of the key management services, or `undefined` when they work. `undefined` when none are configured. */
  readonly health: (() => Promise<string | undefined>) | undefined;
}

/** The open ports, and the state that they share. */
export interface Listening {
  readonly serverState: ServerState;
  readonly connections: ConnectionLimiter;
  /** Holds requests until the server is ready. */
  readonly gate: StartGate;
  /** HTTPS. */
  readonly secure: Listener;
  /** Plain HTTP; `undefined` when there is none. */
  readonly local: Listener | undefined;
  /** Called when startup fails or is interrupted: refuses held requests and destroys all connections. */
  close(): Promise<void>;
}

/** The dependencies that the process provides. */
export interface ServerDependencies {
  /** Listeners that were opened before; absent when the server is to open them. */
  readonly listening?: Listening;
  readonly store: Store;
  /** Whether the last writes were refused because the store is full; absent when that is not known. */
  readonly isStoreFull?: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The configuration files in use. */
  readonly configurations: readonly LiveConfiguration[];
  /** Absent when requests are not traced. */
  readonly tracing?: Tracing | undefined;
  /** Absent when the store is in process. */
  readonly storeCalls?: GrpcCallCounters | undefined;
  /** Absent when values are stored in plain text. */
  readonly encryption?: EncryptionAtRest;
  /** The certificates that the process uses besides those of the listeners; absent for none. */
  readonly certificates?: CertificateExpirations;
  /** Metrics counted so far; absent for none. */
  readonly meters?: Meters;
  /** Absent when this server is alone on its ports. */
  readonly worker?: WorkerRole | undefined;
}

/** What distinguishes one of several workers that serve the same ports. */
export interface WorkerRole {
  /** From 1; unique among the workers, and stable across restarts. */
  readonly number: number;
  /** Returns the metrics pages of all workers, given this worker's. */
  shareMetrics(own: MetricsPages): MetricsPages;
}

/** The options and dependencies that every phase of the composition uses. */
export interface ServerContext extends ServerDependencies {
  readonly options: ServerOptions;
  readonly names: GeneratedNames;
  readonly meters: Meters;
  readonly certificates: CertificateExpirations;
  /** Logs a failure that will be retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}
