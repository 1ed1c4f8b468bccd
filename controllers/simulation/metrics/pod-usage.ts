/**
 * The usage of simulated pods, from annotations: figures of a pod, or a load of its ReplicaSet or StatefulSet that its
 * running pods share. A Deployment passes its annotations on to its ReplicaSets. Pure. Without an annotation a pod uses a
 * tenth of what it requests.
 */
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { podResourceAmounts } from '../../../shared/quota/pod-amounts';
import { simulationAnnotation, type SimulationAnnotation } from '../../../shared/names/simulation';
import { formatQuantity, parseQuantity, QuantityError, type Quantity } from '../../../shared/values/quantity';

type Annotations = Readonly<Record<string, string>> | undefined;

export interface PodUsage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

export interface UsageInput {
  readonly pod: Pod;
  /** The annotations of the pod's controller. */
  readonly ownerAnnotations: Annotations;
  /** The running pods of the same controller, this one included. */
  readonly siblingCount: number;
}

/**
 * `own`, `shared`: the annotations with the usage of a pod, and with the load that the pods of an owner share. `unit`: the
 * step of measured values, in billionths; `minNanos`: the least usage without annotations.
 */
const RESOURCES = [
  { name: 'cpu', own: 'cpuUsage', shared: 'cpuLoad', format: 'decimal', unit: 1_000_000n, minNanos: 1_000_000n },
  {
    name: 'memory',
    own: 'memoryUsage',
    shared: 'memoryLoad',
    format: 'binary',
    unit: 1_024_000_000_000n,
    minNanos: 1_048_576_000_000_000n,
  },
] as const;
const REQUEST_SHARE = 10n;

export function podUsage(input: UsageInput): PodUsage {
  const [cpu, memory] = RESOURCES.map((resource) => resourceUsage(input, resource));
  if (cpu === undefined || memory === undefined) throw new Error('a resource has no row');
  return { cpu, memory };
}

/** Divides among the containers of a pod; the first one gets the rest. */
export function perContainer({ nanos, format }: Quantity, count: number): readonly string[] {
  const part = nanos / BigInt(Math.max(1, count));
  return Array.from({ length: count }, (_, index) =>
    formatQuantity({ nanos: index === 0 ? nanos - part * BigInt(count - 1) : part, format }),
  );
}

export const sumUsage = (usages: readonly PodUsage[], resource: keyof PodUsage): Quantity => ({
  nanos: usages.reduce((sum, usage) => sum + usage[resource].nanos, 0n),
  format: resource === 'cpu' ? 'decimal' : 'binary',
});

function resourceUsage(
  { pod, ownerAnnotations, siblingCount }: UsageInput,
  { name, own, shared, format, unit, minNanos }: (typeof RESOURCES)[number],
): Quantity {
  const requested = podResourceAmounts(pod.body, 'requests').get(name)?.nanos ?? 0n;
  const load = amountIn(ownerAnnotations, shared);
  const nanos =
    amountIn(pod.metadata.annotations, own) ??
    (load === undefined ? max(requested / REQUEST_SHARE, minNanos) : load / BigInt(Math.max(1, siblingCount)));
  // Whole thousandths of a core and whole kibibytes, as measured values are written.
  return { nanos: nanos - (nanos % unit), format };
}

/** Undefined without the annotation, and for one that is no positive quantity. */
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
