/** What one object uses of the resources that quotas limit. Pure, and the same for whoever counts and whoever admits. */
import type { GroupResource } from '../api/identity/identity';
import { canonicalQualifiedName } from '../names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../values/json';
import { parseQuantity, type Quantity } from '../values/quantity';
import { parseInstant } from '../values/time';
import { whole, type Amounts } from './amounts';
import { countName, ofClass } from './counted-resource';
import { podAmounts } from './pod-amounts';

type Entry = readonly [name: string, amount: Quantity];

/** What objects of a kind use besides being there. */
type Evaluator = (object: JsonObject, now: number) => readonly Entry[];

const ONE = whole(1);
/** Kinds that are counted under their plain name as well. */
const PLAIN: ReadonlySet<string> = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);
const EVALUATORS: ReadonlyMap<string, Evaluator> = new Map([
  ['pods', podEntries],
  ['services', serviceEntries],
  ['persistentvolumeclaims', claimEntries],
]);

/** By canonical names. `now`: milliseconds since 1970. */
export function usageOf(kind: GroupResource, object: JsonObject, now: number): Amounts {
  const entries: Entry[] = [[countName(kind), ONE]];
  if (kind.group === '' && PLAIN.has(kind.resource)) entries.push([kind.resource, ONE]);
  const evaluator = kind.group === '' ? EVALUATORS.get(kind.resource) : undefined;
  return new Map([...entries, ...(evaluator?.(object, now) ?? [])]);
}

/** When an object that is going stops to use anything but its place, in milliseconds since 1970; undefined = time changes nothing. */
export function usedUntil({ group, resource }: GroupResource, object: JsonObject): number | undefined {
  if (group !== '' || resource !== 'pods') return undefined;
  const metadata = objectAt(object, 'metadata') ?? {};
  const deleted = stringAt(metadata, 'deletionTimestamp');
  const grace = own(metadata, 'deletionGracePeriodSeconds');
  if (deleted === undefined || typeof grace !== 'number') return undefined;
  return (parseInstant(deleted, false).seconds + grace) * 1000;
}

const BOTH_NAMES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

function podEntries(pod: JsonObject, now: number): readonly Entry[] {
  const phase = stringAt(objectAt(pod, 'status'), 'phase');
  const until = usedUntil({ group: '', resource: 'pods' }, pod);
  if (phase === 'Succeeded' || phase === 'Failed' || (until !== undefined && now > until)) return [];
  const entries: Entry[] = [['pods', ONE]];
  for (const [name, amount] of podAmounts(pod, 'requests')) {
    entries.push([`requests.${name}`, amount]);
    if (BOTH_NAMES.has(name) || name.startsWith('hugepages-')) entries.push([name, amount]);
  }
  for (const [name, amount] of podAmounts(pod, 'limits')) if (BOTH_NAMES.has(name)) entries.push([`limits.${name}`, amount]);
  return entries;
}

function serviceEntries(service: JsonObject): readonly Entry[] {
  const spec = objectAt(service, 'spec');
  const ports = (arrayAt(spec, 'ports') ?? []).filter(isObject);
  const entries: Entry[] = [['services', ONE]];
  const type = stringAt(spec, 'type');
  if (type === 'NodePort') entries.push(['services.nodeports', whole(ports.length)]);
  if (type === 'LoadBalancer') {
    const isGiven = own(spec ?? {}, 'allocateLoadBalancerNodePorts') !== false;
    const nodePorts = isGiven ? ports : ports.filter((port) => typeof port['nodePort'] === 'number' && port['nodePort'] > 0);
    entries.push(['services.loadbalancers', ONE], ['services.nodeports', whole(nodePorts.length)]);
  }
  return entries;
}

const CLASS_ANNOTATION = 'volume.beta.platform.io/storage-class';

function claimEntries(claim: JsonObject): readonly Entry[] {
  const spec = objectAt(claim, 'spec');
  const text = stringAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage');
  const storage = text === undefined ? whole(0) : parseQuantity(text);
  const storageClass = annotationAt(claim, CLASS_ANNOTATION) ?? stringAt(spec, 'storageClassName') ?? '';
  const entries: Entry[] = [
    ['persistentvolumeclaims', ONE],
    ['requests.storage', storage],
  ];
  if (storageClass !== '')
    entries.push([ofClass(storageClass, 'persistentvolumeclaims'), ONE], [ofClass(storageClass, 'requests.storage'), storage]);
  return entries;
}

/** In either spelling. */
function annotationAt(object: JsonObject, canonical: string): string | undefined {
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations') ?? {};
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === canonical);
  return name === undefined ? undefined : stringAt(annotations, name);
}
