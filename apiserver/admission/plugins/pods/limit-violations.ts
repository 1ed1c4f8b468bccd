/**
 * Compares the resources of a pod or PersistentVolumeClaim with a LimitRange. Messages are those of upstream 1.31.1.
 * Changes nothing.
 */
import { podResourceAmounts } from '../../../../shared/quota/pod-amounts';
import type {
  CoreV1LimitRangeItem,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  CoreV1ResourceRequirements,
} from '../../../../shared/api/types/generated/members';
import { formatQuantity, parseQuantity, type Quantity } from '../../../../shared/values/quantity';

/** The resources of a container, pod or claim. */
interface ResourceAmounts {
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
}

/** Violations of each container, and then of the pod as a whole. */
export function podLimitViolations(limits: readonly CoreV1LimitRangeItem[], pod: CoreV1Pod): readonly string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return limits.flatMap((limit) => {
    switch (limit.type) {
      case 'Container':
        return containers.flatMap(({ resources }) => violationsOf(limit, amountsOf(resources)));
      case 'Pod':
        return violationsOf(limit, { requests: podResourceAmounts(pod, 'requests'), limits: podResourceAmounts(pod, 'limits') });
      default:
        return [];
    }
  });
}

/** A claim has no limits, so its requests are compared with the minimum and the maximum. */
export function claimLimitViolations(limits: readonly CoreV1LimitRangeItem[], { spec }: CoreV1PersistentVolumeClaim): readonly string[] {
  const { requests } = amountsOf(spec?.resources);
  const claimLimits = limits.filter(({ type }) => type === 'PersistentVolumeClaim');
  return claimLimits.flatMap((limit) => [
    ...belowMinimum(limit, requests),
    ...upperBounds(limit, limit.max).flatMap((bound) => aboveMaximum(bound, requests.get(bound.name), 'request')),
  ]);
}

type Amounts = Readonly<Record<string, string>>;

function amountsOf({ requests, limits }: Pick<CoreV1ResourceRequirements, 'limits' | 'requests'> = {}): ResourceAmounts {
  const readAmounts = (amounts: Amounts = {}): ReadonlyMap<string, Quantity> =>
    new Map(Object.entries(amounts).map(([name, amount]) => [name, parseQuantity(amount)]));
  return { requests: readAmounts(requests), limits: readAmounts(limits) };
}

/** Violations of the minimum, the maximum and the ratio of one item, in this order. */
function violationsOf(limit: CoreV1LimitRangeItem, { requests, limits }: ResourceAmounts): readonly string[] {
  return [
    ...belowMinimum(limit, requests),
    ...upperBounds(limit, limit.max).flatMap((bound) => aboveMaximum(bound, limits.get(bound.name), 'limit')),
    ...upperBounds(limit, limit.maxLimitRequestRatio).flatMap((bound) =>
      aboveMaximumRatio(bound, requests.get(bound.name), limits.get(bound.name)),
    ),
  ];
}

/** The amounts in order of name. */
function sortedQuantities(amounts: Amounts = {}): readonly { readonly name: string; readonly quantity: Quantity }[] {
  const names = Object.keys(amounts).sort();
  return names.map((name) => ({ name, quantity: parseQuantity(amounts[name] ?? '0') }));
}

function belowMinimum(limit: CoreV1LimitRangeItem, requests: ResourceAmounts['requests']): readonly string[] {
  return sortedQuantities(limit.min).flatMap(({ name, quantity: min }) => {
    const start = `minimum ${name} usage per ${limit.type ?? ''} is ${formatQuantity(min)}`;
    const request = requests.get(name);
    // The two spaces are upstream's.
    if (request === undefined) return [`${start}.  No request is specified`];
    return request.nanos < min.nanos ? [`${start}, but request is ${formatQuantity(request)}`] : [];
  });
}

/** The greatest amount or ratio of one resource. */
interface UpperBound {
  /** What the bound applies to: `Pod`, `Container`, `PersistentVolumeClaim`. */
  readonly type: string;
  /** Name of the resource. */
  readonly name: string;
  readonly max: Quantity;
}

const upperBounds = ({ type = '' }: CoreV1LimitRangeItem, amounts: Amounts | undefined): readonly UpperBound[] =>
  sortedQuantities(amounts).map(({ name, quantity: max }) => ({ type, name, max }));

function aboveMaximum({ type, name, max }: UpperBound, amount: Quantity | undefined, amountType: 'limit' | 'request'): readonly string[] {
  const start = `maximum ${name} usage per ${type} is ${formatQuantity(max)}`;
  if (amount === undefined) return [`${start}.  No ${amountType} is specified`];
  return amount.nanos > max.nanos ? [`${start}, but ${amountType} is ${formatQuantity(amount)}`] : [];
}

/** Upstream prints a ratio with six decimals. */
const RATIO_DIGITS = 6;
const NANOS_PER_UNIT = 1e9;

function aboveMaximumRatio({ type, name, max }: UpperBound, request: Quantity | undefined, limit: Quantity | undefined): readonly string[] {
  const start = `${name} max limit to request ratio per ${type} is ${formatQuantity(max)}`;
  if (request === undefined || request.nanos === 0n) return [`${start}, but no request is specified or request is 0`];
  if (limit === undefined || limit.nanos === 0n) return [`${start}, but no limit is specified or limit is 0`];
  const ratio = Number(limit.nanos) / Number(request.nanos);
  const maxRatio = Number(max.nanos) / NANOS_PER_UNIT;
  return ratio > maxRatio ? [`${start}, but provided ratio is ${ratio.toFixed(RATIO_DIGITS)}`] : [];
}
