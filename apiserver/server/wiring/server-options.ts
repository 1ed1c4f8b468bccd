/** What a server is made from: its options, and what it is given from outside. Holds no behaviour. */
import type { LiveConfiguration } from '../../../shared/configuration/configuration-files';
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect, GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import type { ProxyCredentials } from '../../aggregation/extensions';
import type { AskImages } from '../../admission/image-policy';
import type { AdmissionSettings } from '../../admission/settings';
import type { PluginSwitches } from '../../admission/switches';
import type { PortRange, ServiceRanges } from '../../allocation/ranges';
import type { Auditor } from '../../audit/auditor';
import type { Meters } from '../../metrics/meters';
import type { EncryptionMetrics } from '../../metrics/encryption-metrics';
import type { Store } from '../../storage/store';
import type { GrpcCalls } from '../../storage/grpc-calls';
import type { Tracing } from '../../tracing/span';
import type { AccessOptions } from '../access/access';
import type { ConnectionCaps, Connections } from '../connections/connection-limiter';
import type { BodyPace } from '../../endpoints/request/exchange-progress';
import type { BackendOptions } from '../../endpoints/forward/backend';
import type { ResolveHost } from '../../registry/operations/destination';
import type { Listener, TlsBounds, TlsFiles } from '../connections/listeners';
import type { ConnectionLimits } from '../connections/http2-sessions';
import type { StartGate } from '../start-gate';
import type { ServerState } from '../filters/server-state';

/** How machines are reached; absent = as the flags' defaults say. */
export interface KubeletOptions extends Omit<BackendOptions, 'clock'> {
  readonly addressTypes: readonly string[];
  /** Absent to use the system's resolver. */
  readonly resolveHost?: ResolveHost;
}

export interface ServerOptions extends AccessOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly tls: TlsFiles;
  /** Absent = the usual. */
  readonly tlsBounds?: TlsBounds;
  /** Plain HTTP as the local administrator; absent = none. */
  readonly local?: { readonly host: string; readonly port: number };
  readonly naming: Dialect;
  /** What is served; absent = everything that is not off by default. */
  readonly kinds?: readonly KindRow[];
  readonly gates: FeatureGates;
  readonly prefix: string;
  /** The name under which clients find it; absent = its address. */
  readonly externalHostname?: string | undefined;
  /** Where others reach this server; absent = it is left out of the default Service's endpoints. */
  readonly advertiseAddress: string | undefined;
  readonly serviceRanges: ServiceRanges;
  /** Which admission plug-ins are on; absent = as their table says. */
  readonly plugins?: PluginSwitches;
  /** What they are told; absent = nothing. */
  readonly admission?: AdmissionSettings | undefined;
  /** Who judges images, where the plug-in that asks is on. */
  readonly imageReviews?: AskImages | undefined;
  /** Only who is permitted may give Services addresses from outside the cluster. */
  readonly deniesServiceAddresses: boolean;
  readonly nodePorts: PortRange;
  /** Where the keys of tokens are found; absent = here. */
  readonly keySetAddress?: string | undefined;
  readonly eventTtlMs: number;
  readonly compactionMs: number;
  readonly requestTimeoutMs: number;
  readonly minRequestTimeoutSeconds: number;
  readonly maxReadOnly: number;
  readonly maxMutating: number;
  /** Whether flow schemas and priority levels decide who waits; then the two limits together are the seats of all levels. Absent = they do. */
  readonly flowControl?: boolean;
  readonly kubelets?: KubeletOptions;
  /** What servers behind APIServices are shown; absent = nothing. */
  readonly proxyCredentials?: () => ProxyCredentials;
  readonly maxStreams: number;
  /** Of each request, that its HTTP/2 connection is ended with it; absent = 0. */
  readonly goawayChance?: number;
  readonly connectionCaps: ConnectionCaps;
  /** Absent = nothing is recorded. */
  readonly audit?: Auditor | undefined;
  readonly livezGraceMs: number;
  readonly shutdownDelayMs: number;
  readonly shutdownWatchGraceMs: number;
  readonly sendRetryAfter: boolean;
  /** Patience with slow clients, where it is not the usual one. */
  readonly connectionLimits?: Partial<ConnectionLimits>;
  readonly bodyPace?: BodyPace;
}

/** The name of the configuration of encryption at rest. */
export const ENCRYPTION = 'encryption-provider-config';

/** What the server has to know of the encryption of its store. */
export interface EncryptionAtRest {
  readonly metrics: EncryptionMetrics;
  /** Identifies this replica in metrics. */
  readonly server: string;
  /** The listener is told whenever what could not be decrypted may be readable. */
  onChange(listener: () => void): void;
  /** Tells what is wrong with the services that keep keys; undefined = there will be none. */
  readonly health: (() => Promise<string | undefined>) | undefined;
}

/** The open ports, and what all of them share. */
export interface Listening {
  readonly progress: ServerState;
  readonly connections: Connections;
  readonly gate: StartGate;
  readonly secure: Listener;
  /** Plain HTTP; undefined when there is none. */
  readonly local: Listener | undefined;
  /** For a start that fails or is interrupted: refuses what waits and cuts all connections. */
  close(): Promise<void>;
}

/** What a server shares with the process around it. */
export interface Surroundings {
  /** The ports, where they were opened before the rest was there; absent = they are opened first of all. */
  readonly listening?: Listening;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The configuration files in use. */
  readonly configurations: readonly LiveConfiguration[];
  /** Absent = no traces are kept. */
  readonly tracing?: Tracing | undefined;
  /** Absent = the store is no service. */
  readonly storeCalls?: GrpcCalls | undefined;
  /** Absent = values are stored as they are. */
  readonly encryption?: EncryptionAtRest;
  /** What has been counted so far; absent = nothing. */
  readonly meters?: Meters;
}

/** What every phase of the composition is given. */
export interface Setting extends Surroundings {
  readonly options: ServerOptions;
  readonly names: GeneratedNames;
  /** What is counted and timed. */
  readonly meters: Meters;
  /** What went wrong and is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}
