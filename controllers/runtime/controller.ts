/**
 * What a controller is, and what it is given. Controllers know the API and nothing of the store, of each other, or of the process that they
 * run in.
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
import type { Followed } from '../../shared/runtime/files/followed-files';
import type { Logger } from '../../shared/runtime/logger';
import type { SigningAuthority } from '../../shared/pki/certificate-authority';
import type { Random } from '../../shared/runtime/random';

/** What requests for certificates are signed with. */
export interface Signers {
  readonly isEmpty: boolean;
  /** By the signer's name in canonical spelling; undefined = another one signs for it. */
  of(signer: string): SigningAuthority | undefined;
  /** Follows the files that it comes from; returns what ends that. */
  watch(clock: Clock, logger: Logger): () => void;
}

/** The flags that controllers look at. */
export interface ControllerSettings {
  /** PEM; undefined when nobody knows it. */
  readonly rootCertificate: Followed<string | undefined>;
  /** Signs the tokens that are kept in Secrets; undefined = nobody fills them. */
  readonly accountTokenKey: (() => TokenKey) | undefined;
  readonly concurrentNamespaceSyncs: number;
  /** How long a token that nobody asked for may lie unused. */
  readonly legacyTokenPeriodMs: number;
  readonly signers: Signers;
  /** Milliseconds that a certificate lives at most. */
  readonly longestCertificateMs: number;
  readonly concurrentQuotaSyncs: number;
  /** Milliseconds. */
  readonly quotaSyncPeriodMs: number;
  readonly concurrentEndpointSyncs: number;
  readonly concurrentEndpointSliceSyncs: number;
  readonly maxEndpointsPerSlice: number;
  readonly enableGarbageCollector: boolean;
  readonly concurrentGarbageCollectorSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentReplicationControllerSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentStatefulSetSyncs: number;
  readonly concurrentJobSyncs: number;
  readonly concurrentCronJobSyncs: number;
  /** Finished pods beyond this number go; none when it is not above zero. */
  readonly terminatedPodThreshold: number;
  /** Milliseconds that changes of pods wait for others. */
  readonly endpointBatchMs: number;
  readonly endpointSliceBatchMs: number;
  readonly concurrentMirrorSyncs: number;
  /** Addresses of a subset that are mirrored. */
  readonly mirroringMaxEndpoints: number;
  readonly mirroringBatchMs: number;
  readonly nodes: NodeSettings;
  readonly autoscaling: AutoscalingSettings;
}

/** How often autoscalers are looked at, and what they bear with. */
export interface AutoscalingSettings {
  readonly concurrentSyncs: number;
  /** Milliseconds. */
  readonly periodMs: number;
  /** Fewer pods are wanted only when none more have been for so long, where nothing else is said. */
  readonly downscaleStabilizationMs: number;
  /** Share. */
  readonly tolerance: number;
  readonly readiness: {
    /** So long after its start a pod's use of the processor counts only if it was measured while it was ready. */
    readonly cpuInitializationMs: number;
    /** A pod that was not ready so long after its start has never been. */
    readonly readinessDelayMs: number;
  };
}

/** When a node counts as lost, and how fast nodes are given up. */
export interface NodeSettings {
  /** Milliseconds. */
  readonly periodMs: number;
  readonly graceMs: number;
  readonly startupGraceMs: number;
  /** Nodes a second. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  /** Share of a zone's nodes. */
  readonly unhealthyZoneThreshold: number;
  /** Nodes. */
  readonly largeClusterThreshold: number;
}

export interface ControllerContext {
  /** Writes through it are refused once another copy leads. */
  readonly client: RestClient;
  readonly informers: InformerPool;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly names: GeneratedNames;
  readonly workload: WorkloadNames;
  readonly settings: ControllerSettings;
  /** Aborts when the controller must end. */
  readonly signal: AbortSignal;
  readonly queue: (options: QueueSettings) => WorkQueue;
  readonly metrics: MetricMaker;
}

export interface QueueSettings {
  /** In metrics: upstream's name for it. */
  readonly name: string;
  /** Milliseconds that bound an item's back-off. */
  readonly firstMs?: number;
  readonly longestMs?: number;
}

/** What a controller counts, under upstream's names; a metric that is there already, from an earlier term, goes on. */
export interface MetricMaker {
  counter(name: string, help: string, labelNames?: readonly string[]): (labels?: Labels, by?: number) => void;
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames?: readonly string[],
  ): (value: number, labels?: Labels) => void;
}

type Labels = Readonly<Record<string, string>>;

export interface Controller {
  /** As in `--controllers`, in leases, metrics and logs. */
  readonly name: string;
  /** Other names that `--controllers` understands: upstream has a longer and a shorter one for each. */
  readonly aliases: readonly string[];
  /** One line for the help. */
  readonly description: string;
  readonly isOnByDefault: boolean;
  /** What its Events say that they come from; by default its name with `-controller`. */
  readonly component?: string;
  /** The service account that it acts as, and the role that this is bound to after `system:controller:`; undefined = it acts as the process itself. */
  readonly account: string | undefined;
  /** Works until the signal is aborted, and resolves when nothing is under way any more. */
  run(context: ControllerContext): Promise<void>;
}

/** Resolves when all informers know their collections; false when the signal is aborted first. */
export async function waitForSync(informers: readonly Informer[], signal: AbortSignal): Promise<boolean> {
  try {
    await raceSignal(Promise.all(informers.map((informer) => informer.synced)), signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
