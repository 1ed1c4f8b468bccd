/**
 * Computes the quota usage of an object: by how much it raises each resource of a ResourceQuota. Shared by the quota
 * controller, which sums usage, and by admission, which enforces limits.
 */
import type { GroupResource } from '../api/identity/identity';
import { canonicalQualifiedName } from '../names/dialect';
import { BETA_STORAGE_CLASS } from '../names/storage';
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../values/json';
import { parseQuantity, type Quantity } from '../values/quantity';
import { parseInstant } from '../values/time/time';
import { wholeQuantity, type ResourceAmounts } from './amounts';
import { objectCountName, storageClassResourceName } from './counted-resource';
import { podResourceAmounts } from './pod-amounts';

type Entry = readonly [name: string, amount: Quantity];

/** The usage of an object at `now` (milliseconds since 1970), besides its object count. */
type Evaluator = (object: JsonObject, now: number) => readonly Entry[];

const ONE = wholeQuantity(1);
/** Core kinds with objects that count as `secrets` too, besides `count/secrets`. */
const COUNTED_BY_PLAIN_NAME: ReadonlySet<string> = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);
const EVALUATORS: ReadonlyMap<string, Evaluator> = new Map([
  ['pods', podEntries],
  ['services', serviceEntries],
  ['persistentvolumeclaims', claimEntries],
]);

/**
 * The usage by canonical resource names, at `now` (milliseconds since 1970). Throws QuantityError when an amount is not a
 * quantity.
 */
export function quotaUsageOf(kind: GroupResource, object: JsonObject, now: number): ResourceAmounts {
  const entries: Entry[] = [[objectCountName(kind), ONE]];
  if (kind.group === '' && COUNTED_BY_PLAIN_NAME.has(kind.resource)) entries.push([kind.resource, ONE]);
  const evaluator = kind.group === '' ? EVALUATORS.get(kind.resource) : undefined;
  return new Map([...entries, ...(evaluator?.(object, now) ?? [])]);
}

/**
 * The time after which a terminating pod counts only in its object count, in milliseconds since 1970. `undefined` when
 * the usage of the object does not depend on time. As upstream, the time is one grace period after `deletionTimestamp`,
 * although `deletionTimestamp` is the end of the grace period already.
 */
export function quotaReleasedAt({ group, resource }: GroupResource, object: JsonObject): number | undefined {
  if (group !== '' || resource !== 'pods') return undefined;
  const metadata = objectAt(object, 'metadata') ?? {};
  const deleted = stringAt(metadata, 'deletionTimestamp');
  const grace = ownMember(metadata, 'deletionGracePeriodSeconds');
  if (deleted === undefined || typeof grace !== 'number') return undefined;
  return (parseInstant(deleted, 'Time').seconds + grace) * 1000;
}

const COMPUTE_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

function podEntries(pod: JsonObject, now: number): readonly Entry[] {
  const phase = stringAt(objectAt(pod, 'status'), 'phase');
  const releasedAt = quotaReleasedAt({ group: '', resource: 'pods' }, pod);
  const isFinished = phase === 'Succeeded' || phase === 'Failed';
  const isReleased = releasedAt !== undefined && now > releasedAt;
  if (isFinished || isReleased) return [];
  const entries: Entry[] = [['pods', ONE]];
  for (const [name, amount] of podResourceAmounts(pod, 'requests')) {
    entries.push([`requests.${name}`, amount]);
    if (COMPUTE_RESOURCES.has(name) || name.startsWith('hugepages-')) entries.push([name, amount]);
  }
  for (const [name, amount] of podResourceAmounts(pod, 'limits')) if (COMPUTE_RESOURCES.has(name)) entries.push([`limits.${name}`, amount]);
  return entries;
}

/** A load balancer without allocated node ports counts only the ports for which the user has chosen a node port. */
function serviceEntries(service: JsonObject): readonly Entry[] {
  const spec = objectAt(service, 'spec');
  const ports = (arrayAt(spec, 'ports') ?? []).filter(isObject);
  const entries: Entry[] = [['services', ONE]];
  const type = stringAt(spec, 'type');
  if (type === 'NodePort') entries.push(['services.nodeports', wholeQuantity(ports.length)]);
  if (type === 'LoadBalancer') {
    const allocatesNodePorts = ownMember(spec ?? {}, 'allocateLoadBalancerNodePorts') !== false;
    const nodePorts = allocatesNodePorts ? ports : ports.filter((port) => typeof port['nodePort'] === 'number' && port['nodePort'] > 0);
    entries.push(['services.loadbalancers', ONE], ['services.nodeports', wholeQuantity(nodePorts.length)]);
  }
  return entries;
}

function claimEntries(claim: JsonObject): readonly Entry[] {
  const spec = objectAt(claim, 'spec');
  const text = stringAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage');
  const storage = text === undefined ? wholeQuantity(0) : parseQuantity(text);
  const storageClass = annotationAt(claim, BETA_STORAGE_CLASS) ?? stringAt(spec, 'storageClassName') ?? '';
  const entries: Entry[] = [
    ['persistentvolumeclaims', ONE],
    ['requests.storage', storage],
  ];
  if (storageClass !== '')
    entries.push(
      [storageClassResourceName(storageClass, 'persistentvolumeclaims'), ONE],
      [storageClassResourceName(storageClass, 'requests.storage'), storage],
    );
  return entries;
}

/** The value of an annotation. Its name in the object may have either spelling (see shared/names/dialect.ts). */
function annotationAt(object: JsonObject, canonical: string): string | undefined {
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations') ?? {};
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === canonical);
  return name === undefined ? undefined : stringAt(annotations, name);
}
