/**
 * Computes the usage of simulated pods from annotations: amounts that a pod has itself, or a load of its ReplicaSet or
 * StatefulSet, which is divided among its running pods. A Deployment passes its annotations on to its ReplicaSets. A
 * pod without an annotation uses a tenth of what it requests. Finding pods and owners is left to metrics-api.ts.
 */
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { podResourceAmounts } from '../../../shared/quota/pod-amounts';
import { simulationAnnotation, type SimulationAnnotation } from '../../../shared/names/simulation';
import { formatQuantity, parseQuantity, QuantityError, type Quantity } from '../../../shared/values/quantity';

type Annotations = Readonly<Record<string, string>> | undefined;

/** The usage of a pod, summed over its containers. */
export interface PodUsage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

/** A pod, and what its usage depends on. */
export interface UsageInput {
  readonly pod: Pod;
  /** The annotations of the pod's controller; undefined without one. */
  readonly ownerAnnotations: Annotations;
  /** The running pods of the same controller, this one included. */
  readonly siblingCount: number;
}

const NANOS_PER_UNIT = 1_000_000_000n;
const NANOS_PER_MILLICORE = NANOS_PER_UNIT / 1000n;
const NANOS_PER_KIBIBYTE = NANOS_PER_UNIT * 1024n;

/** How the usage of one resource is computed; amounts in billionths. */
interface ResourceRow {
  /** The annotation with the usage of a pod. */
  readonly podAnnotation: SimulationAnnotation;
  /** The annotation with the load that the running pods of an owner share. */
  readonly ownerAnnotation: SimulationAnnotation;
  readonly format: Quantity['format'];
  /** Usage is a multiple of this. */
  readonly stepNanos: bigint;
  /** The least usage without annotations. */
  readonly minNanos: bigint;
}

const RESOURCES: Readonly<Record<keyof PodUsage, ResourceRow>> = {
  cpu: {
    podAnnotation: 'cpuUsage',
    ownerAnnotation: 'cpuLoad',
    format: 'decimal',
    stepNanos: NANOS_PER_MILLICORE,
    minNanos: NANOS_PER_MILLICORE,
  },
  memory: {
    podAnnotation: 'memoryUsage',
    ownerAnnotation: 'memoryLoad',
    format: 'binary',
    stepNanos: NANOS_PER_KIBIBYTE,
    minNanos: 1024n * NANOS_PER_KIBIBYTE,
  },
};
/** A pod without annotations uses its requests divided by this. */
const REQUEST_DIVISOR = 10n;

/** The present usage; it changes only with the annotations and the number of siblings. */
export const podUsage = (input: UsageInput): PodUsage => ({
  cpu: resourceUsage(input, 'cpu'),
  memory: resourceUsage(input, 'memory'),
});

/**
 * Divides a usage evenly among the containers of a pod; the first one also gets the remainder. Returns `count`
 * quantities.
 */
export function perContainer({ nanos, format }: Quantity, count: number): readonly string[] {
  const part = nanos / BigInt(Math.max(1, count));
  return Array.from({ length: count }, (_, index) =>
    formatQuantity({ nanos: index === 0 ? nanos - part * BigInt(count - 1) : part, format }),
  );
}

/** The usage of several pods. */
export const sumUsage = (usages: readonly PodUsage[], resource: keyof PodUsage): Quantity => ({
  nanos: usages.reduce((sum, usage) => sum + usage[resource].nanos, 0n),
  format: RESOURCES[resource].format,
});

function resourceUsage({ pod, ownerAnnotations, siblingCount }: UsageInput, resource: keyof PodUsage): Quantity {
  const { podAnnotation, ownerAnnotation, format, stepNanos, minNanos } = RESOURCES[resource];
  const requested = podResourceAmounts(pod.body, 'requests').get(resource)?.nanos ?? 0n;
  const load = amountIn(ownerAnnotations, ownerAnnotation);
  const nanos =
    amountIn(pod.metadata.annotations, podAnnotation) ??
    (load === undefined ? max(requested / REQUEST_DIVISOR, minNanos) : load / BigInt(Math.max(1, siblingCount)));
  // Whole thousandths of a core and whole kibibytes, as measured values are written.
  return { nanos: nanos - (nanos % stepNanos), format };
}

/** `undefined` without the annotation, and for one that is not a quantity or is negative. */
function amountIn(annotations: Annotations, name: SimulationAnnotation): bigint | undefined {
  const text = simulationAnnotation(annotations, name);
  if (text === undefined) return undefined;
  try {
    const { nanos } = parseQuantity(text);
    return nanos < 0n ? undefined : nanos;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
