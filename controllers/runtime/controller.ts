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
  readonly isEmpty: boolean;
  /** `signer`: in canonical spelling. Undefined for a signer that this process does not have. */
  authorityOf(signer: string): SigningAuthority | undefined;
  /** Reloads changed files; returns a function that ends it. */
  watch(clock: Clock, logger: Logger): () => void;
}

/** The settings of controllers, from flags. */
export interface ControllerSettings {
  /** PEM; undefined when it is not configured. */
  readonly rootCertificate: DynamicValue<string | undefined>;
  /** The key of ServiceAccount tokens in Secrets; undefined: this process creates no such tokens. */
  readonly accountTokenKey: (() => TokenKey) | undefined;
  readonly concurrentNamespaceSyncs: number;
  /** The clean-up period of auto-generated tokens in Secrets. */
  readonly legacyTokenPeriodMs: number;
  readonly signers: SigningAuthorities;
  /** The longest lifetime of an issued certificate. */
  readonly maxCertificateMs: number;
  readonly concurrentQuotaSyncs: number;
  /** Milliseconds. */
  readonly quotaSyncPeriodMs: number;
  readonly concurrentEndpointSyncs: number;
  readonly concurrentEndpointSliceSyncs: number;
  readonly maxEndpointsPerSlice: number;
  readonly enableGarbageCollector: boolean;
  readonly concurrentGarbageCollectorSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly concurrentEphemeralVolumeSyncs: number;
  /** The time between two syncs of all volumes and claims. Milliseconds. */
  readonly volumeSyncPeriodMs: number;
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentReplicationControllerSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentStatefulSetSyncs: number;
  readonly concurrentJobSyncs: number;
  readonly concurrentCronJobSyncs: number;
  /** Terminated pods beyond this number are deleted; 0 or less: none are. */
  readonly terminatedPodThreshold: number;
  /** The delay after a change of a pod, in which other changes are batched. */
  readonly endpointBatchMs: number;
  readonly endpointSliceBatchMs: number;
  readonly concurrentMirrorSyncs: number;
  /** The maximum number of addresses of a subset that are mirrored. */
  readonly mirroringMaxEndpoints: number;
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
  readonly periodMs: number;
  readonly graceMs: number;
  readonly startupGraceMs: number;
  /** Nodes per second. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  /** The fraction of a zone's nodes. */
  readonly unhealthyZoneThreshold: number;
  /** Nodes. */
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

export interface ClusterCidr {
  readonly range: IpRange;
  /** The prefix length of a node's pod CIDR. */
  readonly nodePrefix: number;
}

export interface ControllerContext {
  /** The API server rejects its writes after another process became the leader. */
  readonly client: RestClient;
  /** Shared by the controllers of the process; objects from them must not be changed. */
  readonly informers: InformerPool;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Names that contain the product's name, in the dialect that the server generates. */
  readonly names: GeneratedNames;
  readonly workload: WorkloadNames;
  /** The settings of all controllers, from the flags. */
  readonly settings: ControllerSettings;
  /** Aborted when the controller must end. */
  readonly signal: AbortSignal;
  /** Creates a work queue, which has metrics under its name. */
  readonly queue: (options: QueueSettings) => WorkQueue;
  /** Registers metrics of the process; each name once. */
  readonly metrics: MetricMaker;
}

export interface QueueSettings {
  /** Upstream's name of the queue, for metrics. */
  readonly name: string;
  /** The first and the longest back-off of an item. */
  readonly initialMs?: number;
  readonly maxMs?: number;
}

/** Creates metrics, with upstream's names. A metric that exists from an earlier term is used again. */
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

export interface LabelledValue {
  readonly labels: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

export interface Controller {
  /** In `--controllers`, leases, metrics and logs. */
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
  /** Runs until the signal is aborted; resolves when all running syncs have ended. */
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
