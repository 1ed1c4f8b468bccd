/**
 * The interface of controllers, and their context. Controllers use the API only: they are independent of the store, of
 * each other, and of the process in which they run.
 */
import type { TokenKey } from '../../shared/api/identity/token-keys';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import type { InformerPool } from '../../shared/client/informer/informer-pool';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { raceSignal } from '../../shared/client/signals';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { WorkloadNames } from '../../shared/names/workload';
import type { Clock } from '../../shared/runtime/clock';
import type { DynamicValue } from '../../shared/runtime/files/file-backed-value';
import type { Logger } from '../../shared/runtime/logger';
import type { SigningAuthority } from '../../shared/pki/certificate-authority';
import type { Random } from '../../shared/runtime/random';
import type { IpRange } from '../../shared/values/network/ip-address';

/** The certificate authorities that sign CertificateSigningRequests. */
export interface SigningAuthorities {
  /** Whether no signer has an authority. */
  readonly isEmpty: boolean;
  /** `signer`: in canonical spelling. Undefined for a signer that this process does not have. */
  authorityOf(signer: string): SigningAuthority | undefined;
  /** Reloads changed files; returns a function that ends it. */
  watch(clock: Clock, logger: Logger): () => void;
}

/**
 * The settings of all controllers of a process, from its flags. `concurrent…Syncs` is the number of objects that a
 * controller syncs at a time; times are in milliseconds.
 */
export interface ControllerSettings {
  /**
   * The certificate authority of the API server (PEM) that is published in every namespace, and its changes;
   * `undefined` when neither a flag nor the kubeconfig has one.
   */
  readonly rootCertificate: DynamicValue<string | undefined>;
  /** The key that signs ServiceAccount tokens in Secrets; `undefined` when this process creates no such tokens. */
  readonly accountTokenKey: (() => TokenKey) | undefined;
  readonly concurrentNamespaceSyncs: number;
  /**
   * Auto-generated ServiceAccount tokens in Secrets are invalidated when they were not used for this time, and deleted
   * after the same time again.
   */
  readonly legacyTokenPeriodMs: number;
  readonly signers: SigningAuthorities;
  /** The longest lifetime of an issued certificate. */
  readonly maxCertificateMs: number;
  readonly concurrentQuotaSyncs: number;
  /** The time between two full recalculations of a ResourceQuota. */
  readonly quotaSyncPeriodMs: number;
  readonly concurrentEndpointSyncs: number;
  readonly concurrentEndpointSliceSyncs: number;
  readonly maxEndpointsPerSlice: number;
  readonly enableGarbageCollector: boolean;
  readonly concurrentGarbageCollectorSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly concurrentEphemeralVolumeSyncs: number;
  /** The time between two syncs of all volumes and claims. */
  readonly volumeSyncPeriodMs: number;
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentReplicationControllerSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentStatefulSetSyncs: number;
  readonly concurrentJobSyncs: number;
  readonly concurrentCronJobSyncs: number;
  /** Terminated pods beyond this number are deleted; 0 or less: none are. */
  readonly terminatedPodThreshold: number;
  /** How long an update of Endpoints is delayed after a change of a pod, so that further changes join it. */
  readonly endpointBatchMs: number;
  /** As `endpointBatchMs`, for EndpointSlices. */
  readonly endpointSliceBatchMs: number;
  readonly concurrentMirrorSyncs: number;
  /** The maximum number of addresses of a subset that are mirrored. */
  readonly mirroringMaxEndpoints: number;
  /** As `endpointBatchMs`, for the EndpointSlices that mirror Endpoints. */
  readonly mirroringBatchMs: number;
  readonly nodes: NodeSettings;
  /** `undefined` when these controllers assign no pod CIDRs to nodes. */
  readonly nodeIpam: NodeIpamSettings | undefined;
  /** `undefined` when the load balancer for development does not run. */
  readonly developmentLoadBalancer: LoadBalancerSettings | undefined;
  readonly autoscaling: AutoscalingSettings;
}

/** Defaults and limits of HorizontalPodAutoscalers. */
export interface AutoscalingSettings {
  readonly concurrentSyncs: number;
  /** The time between two syncs of an autoscaler. */
  readonly periodMs: number;
  /** The stabilization window for scaling down, where the spec does not set one. */
  readonly downscaleStabilizationMs: number;
  /** Ratios of a metric to its target that differ from 1 by at most this much change nothing. */
  readonly tolerance: number;
  readonly readiness: {
    /** After its start a pod's CPU usage counts only if it was measured while the pod was ready. */
    readonly cpuInitializationMs: number;
    /** A pod has never been ready if its Ready condition last changed within this time after its start. */
    readonly readinessDelayMs: number;
  };
}

/** When a node is unhealthy, and how fast pods are evicted from unhealthy nodes. */
export interface NodeSettings {
  /** The time between two checks of all nodes. */
  readonly periodMs: number;
  /** A node without a sign of life for this time is unhealthy. */
  readonly graceMs: number;
  /** As `graceMs`, for a node without a Ready condition. */
  readonly startupGraceMs: number;
  /** Unhealthy nodes per second from which pods are evicted, in a healthy zone or in a zone without a ready node. */
  readonly evictionRate: number;
  /** As `evictionRate`, in a large unhealthy zone; in a small one no pods are evicted. */
  readonly secondaryEvictionRate: number;
  /** The fraction of a zone's nodes, from 0 to 1, that must be unhealthy for the zone to be unhealthy. */
  readonly unhealthyZoneThreshold: number;
  /** A zone with more nodes than this is large. */
  readonly largeClusterThreshold: number;
}

/** The ranges from which nodes get their pod CIDRs. */
export interface NodeIpamSettings {
  /** One range, or one of each family. A node gets a pod CIDR from each, in this order. */
  readonly clusterCidrs: readonly ClusterCidr[];
  /** Addresses of Services, which are in no pod CIDR. */
  readonly serviceRanges: readonly IpRange[];
}

/** The load balancer for development, which hands out addresses only. */
export interface LoadBalancerSettings {
  /** One range, or one of each family. */
  readonly ranges: readonly IpRange[];
  /** Services without a load balancer class get an address too. */
  readonly servesDefaultClass: boolean;
}

/** A range that is divided into the pod CIDRs of nodes, all of one size. */
export interface ClusterCidr {
  readonly range: IpRange;
  /** The prefix length of a node's pod CIDR. */
  readonly nodePrefix: number;
}

/**
 * What a controller gets for one term: with leader election, the time for which this process holds the lease of the
 * controller; without it, the time until the controller ends.
 */
export interface ControllerContext {
  /** With leader election, the API server rejects the writes of this client after another process became the leader. */
  readonly client: RestClient;
  /** Shared by the controllers of the process; objects from them must not be changed. */
  readonly informers: InformerPool;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Names that contain the product's name, in the dialect that the server generates. */
  readonly names: GeneratedNames;
  /** Names that workloads see, such as ConfigMaps in every namespace, in the same dialect. */
  readonly workload: WorkloadNames;
  /** The settings of all controllers, from the flags. */
  readonly settings: ControllerSettings;
  /** Aborted when the controller must end. */
  readonly signal: AbortSignal;
  /** Creates a work queue with metrics and a back-off for each item. */
  readonly queue: (options: QueueSettings) => WorkQueue;
  /** Registers metrics of the process. */
  readonly metrics: MetricMaker;
}

/** A work queue of a controller. The back-off of an item doubles from `initialMs` to `maxMs`, in milliseconds. */
export interface QueueSettings {
  /** Upstream's name of the queue, for metrics. */
  readonly name: string;
  readonly initialMs?: number;
  readonly maxMs?: number;
}

/**
 * Creates metrics under upstream's names; `counter`, `gauge` and `histogram` return the function that records a value. A
 * metric that exists from an earlier term is used again. Durations are in seconds, as Prometheus has them.
 */
export interface MetricMaker {
  counter(name: string, help: string, labelNames?: readonly string[]): (labels?: Labels, by?: number) => void;
  gauge(name: string, help: string, labelNames?: readonly string[]): (value: number, labels?: Labels) => void;
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames?: readonly string[],
  ): (value: number, labels?: Labels) => void;
  /** A gauge with values that are collected at each scrape, until the returned function is called. */
  collectedGauge(name: string, help: string, labelNames: readonly string[], collect: () => Iterable<LabelledValue>): () => void;
}

/** One series of a gauge. */
export interface LabelledValue {
  readonly labels: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

/** A controller: its names, and how it runs. `controllers/table.ts` lists all of them. */
export interface Controller {
  /** The name in `--controllers`, leases, health checks and logs. */
  readonly name: string;
  /** Other names in `--controllers`: upstream has a longer and a shorter name for each controller. */
  readonly aliases: readonly string[];
  /** One line in the help of `--controllers`. */
  readonly description: string;
  readonly isOnByDefault: boolean;
  /**
   * Whether the settings enable it; always when absent. A controller that is not enabled is not started and holds no
   * lease, so that another process can run it.
   */
  isEnabled?(settings: ControllerSettings): boolean;
  /** The source component of its Events; `{name}-controller` by default. */
  readonly component?: string;
  /**
   * The name of its ServiceAccount and of its ClusterRole `system:controller:{account}`; undefined: it uses the
   * credentials of the process.
   */
  readonly account: string | undefined;
  /**
   * Called once for each term. Runs until the signal of the context is aborted; resolves when all running syncs have
   * ended. When it rejects, or resolves before the signal is aborted, the term ends and another follows after a back-off.
   */
  run(context: ControllerContext): Promise<void>;
}

/** Resolves with true when all informers have synced, with false when the signal is aborted before. */
export async function waitForSync(informers: readonly Informer[], signal: AbortSignal): Promise<boolean> {
  try {
    await raceSignal(Promise.all(informers.map((informer) => informer.synced)), signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
