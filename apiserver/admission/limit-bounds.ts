/** What a limit range says against the amounts of a pod or a claim, in upstream's words; seen at release 1.31.1. Changes nothing. */
import { podResourceAmounts } from '../../shared/quota/pod-amounts';
import type { CoreV1LimitRangeItem } from '../../shared/api/types/generated/members';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { formatQuantity, parseQuantity, type Quantity } from '../../shared/values/quantity';

interface Asked {
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
}

/** Of a pod: those of all containers, and then its own. */
export function podFaults(limits: readonly CoreV1LimitRangeItem[], pod: JsonObject): readonly string[] {
  const spec = objectAt(pod, 'spec');
  const containers = [...(arrayAt(spec, 'containers') ?? []), ...(arrayAt(spec, 'initContainers') ?? [])].filter(isObject);
  return limits.flatMap((limit) => {
    switch (limit.type) {
      case 'Container':
        return containers.flatMap((container) => faults(limit, amountsOf(objectAt(container, 'resources'))));
      case 'Pod':
        return faults(limit, { requests: podResourceAmounts(pod, 'requests'), limits: podResourceAmounts(pod, 'limits') });
      default:
        return [];
    }
  });
}

/** A claim has no limits: what it asks for is held against both bounds. */
export function claimFaults(limits: readonly CoreV1LimitRangeItem[], claim: JsonObject): readonly string[] {
  const { requests } = amountsOf(objectAt(objectAt(claim, 'spec'), 'resources'));
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((limit) => [
      ...belowMinimum(limit, requests),
      ...bounds(limit.max).flatMap(([name, most]) => aboveMaximum(limit, name, most, requests.get(name), 'request')),
    ]);
}

function amountsOf(resources: JsonObject | undefined): Asked {
  const of = (member: string): ReadonlyMap<string, Quantity> => {
    const amounts = objectAt(resources, member) ?? {};
    return new Map(Object.keys(amounts).map((name) => [name, parseQuantity(stringAt(amounts, name) ?? '0')]));
  };
  return { requests: of('requests'), limits: of('limits') };
}

function faults(limit: CoreV1LimitRangeItem, { requests, limits }: Asked): readonly string[] {
  return [
    ...belowMinimum(limit, requests),
    ...bounds(limit.max).flatMap(([name, most]) => aboveMaximum(limit, name, most, limits.get(name), 'limit')),
    ...bounds(limit.maxLimitRequestRatio).flatMap(([name, most]) => beyondRatio(limit, name, most, requests.get(name), limits.get(name))),
  ];
}

function bounds(amounts: Record<string, string> | undefined): readonly (readonly [string, Quantity])[] {
  return Object.keys(amounts ?? {})
    .sort()
    .map((name) => [name, parseQuantity(stringAt(amounts, name) ?? '0')] as const);
}

function belowMinimum(limit: CoreV1LimitRangeItem, requests: Asked['requests']): readonly string[] {
  return bounds(limit.min).flatMap(([name, least]) => {
    const start = `minimum ${name} usage per ${limit.type ?? ''} is ${formatQuantity(least)}`;
    const request = requests.get(name);
    if (request === undefined) return [`${start}.  No request is specified`];
    return request.nanos < least.nanos ? [`${start}, but request is ${formatQuantity(request)}`] : [];
  });
}

function aboveMaximum(
  { type = '' }: CoreV1LimitRangeItem,
  name: string,
  most: Quantity,
  amount: Quantity | undefined,
  what: 'limit' | 'request',
): readonly string[] {
  const start = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  if (amount === undefined) return [`${start}.  No ${what} is specified`];
  return amount.nanos > most.nanos ? [`${start}, but ${what} is ${formatQuantity(amount)}`] : [];
}

/** A ratio is shown with six digits, as upstream shows it. */
const DIGITS = 6;

function beyondRatio(
  { type = '' }: CoreV1LimitRangeItem,
  name: string,
  most: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): readonly string[] {
  const start = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
  if (request === undefined || request.nanos === 0n) return [`${start}, but no request is specified or request is 0`];
  if (limit === undefined || limit.nanos === 0n) return [`${start}, but no limit is specified or limit is 0`];
  const [ratio, allowed] = [Number(limit.nanos) / Number(request.nanos), Number(most.nanos) / 1e9];
  return ratio > allowed ? [`${start}, but provided ratio is ${ratio.toFixed(DIGITS)}`] : [];
}
