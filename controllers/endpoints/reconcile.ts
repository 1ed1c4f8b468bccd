/** What the Endpoints of a Service are to say; decided from what is seen, without a server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { GeneratedNames } from '../../shared/names/dialect';
import { valueInEitherSpelling, omitNames } from '../../shared/names/spellings';
import { appendAll } from '../../shared/values/append';
import { arrayAt, equalJson, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { byAddress, sortSubsets, type Subset } from './canonical-order';
import { PerPod } from '../service-pods/per-pod';
import { isSelected, targetIn, type PodView } from '../service-pods/pod';
import { textsAt, type AddressType, type ServiceView } from '../service-pods/service';

/** Addresses in an object at most; slices have the others. */
export const MOST_ADDRESSES = 1_000;

export interface EndpointsNames {
  readonly headless: string;
  readonly triggerTime: string;
  readonly overCapacity: string;
}

export const endpointsNames = ({ prefix }: Pick<GeneratedNames, 'prefix'>): EndpointsNames => ({
  headless: `service.${prefix}/headless`,
  triggerTime: `endpoints.${prefix}/last-change-trigger-time`,
  overCapacity: `endpoints.${prefix}/over-capacity`,
});

export interface WantedEndpoints {
  readonly subsets: readonly JsonObject[];
  readonly isTruncated: boolean;
  /** Pods that were left out, and why. */
  readonly skipped: readonly { readonly pod: string; readonly why: string }[];
}

interface GrowingSubset {
  readonly ports: JsonObject[];
  readonly ready: JsonObject[];
  readonly unready: JsonObject[];
}

export function wantedSubsets(service: ServiceView, pods: readonly PodView[]): WantedEndpoints {
  /** By port; those without any stand under the empty text. */
  const byPort = new Map<string, GrowingSubset>();
  const skipped: { readonly pod: string; readonly why: string }[] = [];
  const reached: { readonly address: JsonObject; readonly ports: Reach['ports']; readonly isReady: boolean }[] = [];
  for (const pod of pods) {
    if (pod.isOver || !isSelected(pod, service) || (pod.isTerminating && !service.publishesUnready)) continue;
    const { why, address, ports } = REACHES.of(service, pod);
    if (why !== undefined) skipped.push({ pod: pod.name, why });
    if (address === undefined) continue;
    reached.push({ address, ports, isReady: service.publishesUnready || pod.isReady });
  }
  for (const { address, ports, isReady } of reached.sort((one, other) => byAddress(one.address, other.address))) {
    for (const { key, port } of ports) {
      const subset = byPort.get(key) ?? { ports: port === undefined ? [] : [port], ready: [], unready: [] };
      byPort.set(key, subset);
      (isReady ? subset.ready : subset.unready).push(address);
    }
  }
  return { ...withinCapacity(sortSubsets(joined([...byPort.values()]))), skipped };
}

/** How a pod is reached. */
interface Reach {
  /** Why it is not. */
  readonly why: string | undefined;
  /** Undefined = it has none, or none of use. */
  readonly address: JsonObject | undefined;
  readonly ports: readonly { readonly key: string; readonly port: JsonObject | undefined }[];
}

const REACHES = new PerPod((service, pod): Reach => {
  const why = unusable(pod);
  const address = why === undefined ? addressOf(service, pod, service.families[0] ?? 'IPv4') : undefined;
  const ports = service.ports.length === 0 ? [undefined] : portsFor(service, pod);
  return { why, address, ports: ports.map((port) => ({ key: port === undefined ? '' : itemText(port), port })) };
});

/** Merges subsets that have the same addresses into one with all their ports. Equal lists of addresses are in the same order. */
function joined(subsets: readonly GrowingSubset[]): readonly Subset[] {
  if (subsets.length === 1) return subsets;
  const byAddresses = new Map<string, GrowingSubset>();
  for (const subset of subsets) {
    const key = [subset.ready, subset.unready].map((addresses) => addresses.map(itemText).join('\n')).join('\n\n');
    const known = byAddresses.get(key);
    if (known === undefined) byAddresses.set(key, subset);
    else appendAll(known.ports, subset.ports);
  }
  return [...byAddresses.values()];
}

function unusable(pod: PodView): string | undefined {
  const [text] = pod.unreadable;
  if (text !== undefined) return `address ${JSON.stringify(text)} is not a valid IP`;
  const hasAddress = pod.addresses.IPv4.length + pod.addresses.IPv6.length > 0;
  return hasAddress && pod.node === '' ? 'it has an address and no node' : undefined;
}

function addressOf(service: ServiceView, pod: PodView, family: AddressType): JsonObject | undefined {
  const [ip] = pod.addresses[family];
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod;
  const isNamed = pod.hostname !== '' && pod.subdomain === service.name;
  return { ip, ...(isNamed ? { hostname: pod.hostname } : {}), nodeName: pod.node, targetRef: { kind: 'Pod', namespace, name, uid } };
}

function portsFor(service: ServiceView, pod: PodView): readonly JsonObject[] {
  return service.ports.flatMap((port) => {
    const number = targetIn(pod, port);
    if (number === undefined) return [];
    const { name, protocol, appProtocol } = port;
    return [{ ...(name === '' ? {} : { name }), port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** Those that are ready go first; each subset gets its share. */
function withinCapacity(subsets: readonly Subset[]): Pick<WantedEndpoints, 'subsets' | 'isTruncated'> {
  const count = (member: 'ready' | 'unready'): number => subsets.reduce((sum, subset) => sum + subset[member].length, 0);
  const [ready, unready] = [count('ready'), count('unready')];
  const isTruncated = ready + unready > MOST_ADDRESSES;
  const readyShares = shares(
    subsets.map((subset) => subset.ready.length),
    MOST_ADDRESSES,
  );
  const unreadyShares = shares(
    subsets.map((subset) => subset.unready.length),
    Math.max(0, MOST_ADDRESSES - ready),
  );
  const objects = subsets.map((subset, index) => subsetObject(subset, readyShares[index] ?? 0, unreadyShares[index] ?? 0));
  return { subsets: objects.filter((subset) => 'addresses' in subset || 'notReadyAddresses' in subset), isTruncated };
}

/** How many of each there are left when all together are `most` at most. */
function shares(counts: readonly number[], most: number): readonly number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= most) return counts;
  const parts = counts.map((count) => Math.floor((count * most) / total));
  let rest = most - parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part, index) => {
    if (rest === 0 || part >= (counts[index] ?? 0)) return part;
    rest -= 1;
    return part + 1;
  });
}

function subsetObject({ ports, ready, unready }: Subset, readyShare: number, unreadyShare: number): JsonObject {
  const [addresses, notReadyAddresses] = [ready.slice(0, readyShare), unready.slice(0, unreadyShare)];
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports: [...ports] }),
  };
}

export type EndpointsAction = { readonly type: 'none' } | { readonly type: 'create' | 'update'; readonly object: JsonObject };

export function endpointsAction(
  service: ServiceView,
  present: ApiObject | undefined,
  { subsets, isTruncated }: WantedEndpoints,
  names: EndpointsNames,
  trigger: string | undefined,
): EndpointsAction {
  const given = omitNames(service.labels, [names.headless]);
  const labels = { ...given, ...(service.isHeadless ? { [names.headless]: '' } : {}) };
  const metadata = objectAt(present?.body, 'metadata') ?? {};
  const capacity = valueInEitherSpelling(textsAt(metadata, 'annotations'), names.overCapacity);
  const annotations = omitNames(textsAt(metadata, 'annotations'), [names.triggerTime, names.overCapacity]);
  if (present !== undefined) {
    const isSame =
      sameSubsets(present.body, subsets) &&
      equalJson({ ...textsAt(metadata, 'labels') }, { ...labels }) &&
      (capacity === 'truncated') === isTruncated;
    if (isSame) return { type: 'none' };
  }
  const object: JsonObject = {
    ...present?.body,
    metadata: {
      ...metadata,
      namespace: service.namespace,
      name: service.name,
      labels,
      annotations: {
        ...annotations,
        ...(trigger === undefined ? {} : { [names.triggerTime]: trigger }),
        ...(isTruncated ? { [names.overCapacity]: 'truncated' } : {}),
      },
    },
    subsets: [...subsets],
  };
  return { type: present === undefined ? 'create' : 'update', object };
}

/** Whether the object has exactly these subsets, in this order. */
const sameSubsets = (body: JsonObject, subsets: readonly JsonObject[]): boolean =>
  sameItems(itemsAt(body, 'subsets'), subsets, (one, other) =>
    ['addresses', 'notReadyAddresses', 'ports'].every((member) =>
      sameItems(itemsAt(one, member), itemsAt(other, member), (item, otherItem) => itemText(item) === itemText(otherItem)),
    ),
  );

const sameItems = (
  some: readonly JsonObject[],
  others: readonly JsonObject[],
  areSame: (one: JsonObject, other: JsonObject) => boolean,
): boolean =>
  some.length === others.length &&
  some.every((one, index) => {
    const other = others[index];
    return other !== undefined && areSame(one, other);
  });

const itemsAt = (object: JsonObject, member: string): readonly JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

const texts = new WeakMap<JsonObject, string>();

/** Tells addresses apart, and ports; neither ever changes. */
function itemText(item: JsonObject): string {
  let text = texts.get(item);
  if (text === undefined) {
    const members = ['ip', 'hostname', 'nodeName', 'name', 'protocol', 'appProtocol'].map((member) => stringAt(item, member) ?? '');
    text = JSON.stringify([...members, item['port'] ?? 0, stringAt(objectAt(item, 'targetRef'), 'uid') ?? '']);
    texts.set(item, text);
  }
  return text;
}
