/**
 * Decides the subsets of a Service's Endpoints, and whether the Endpoints must be created or updated. The functions are
 * pure.
 */
import type {
  CoreV1EndpointAddress,
  CoreV1EndpointPort,
  CoreV1Endpoints,
  CoreV1EndpointSubset,
} from '../../shared/api/types/generated/members';
import type { GeneratedNames } from '../../shared/names/dialect';
import { valueInEitherSpelling, omitNames } from '../../shared/names/spellings';
import { appendAll } from '../../shared/values/append';
import { equalJson } from '../../shared/values/json';
import { findPort, isSelected, type PodView } from '../service-pods/pod-view';
import { ServicePodCache } from '../service-pods/service-pod-cache';
import type { AddressType, ServiceView } from '../service-pods/service-view';
import { compareAddresses, sortSubsets, type Subset } from './canonical-order';
import type { Endpoints } from '../../shared/client/rest/typed-objects';

/** Upstream's maxCapacity: only EndpointSlices contain more addresses. */
const MAX_ADDRESSES = 1_000;

/** Keys of a label and of annotations in the server's dialect. */
export interface EndpointsNames {
  /** The label of Endpoints of a headless Service. */
  readonly headless: string;
  readonly triggerTime: string;
  /** The annotation that states that addresses were left out. */
  readonly overCapacity: string;
}

/** The names with the prefix of a dialect. */
export const endpointsNames = ({ prefix }: Pick<GeneratedNames, 'prefix'>): EndpointsNames => ({
  headless: `service.${prefix}/headless`,
  triggerTime: `endpoints.${prefix}/last-change-trigger-time`,
  overCapacity: `endpoints.${prefix}/over-capacity`,
});

/** The subsets of the Endpoints of a Service. */
export interface DesiredSubsets {
  readonly subsets: readonly CoreV1EndpointSubset[];
  /** Whether addresses beyond {@link MAX_ADDRESSES} were left out. */
  readonly isTruncated: boolean;
  /** Selected pods that are left out because of an error, and the error, for an Event. */
  readonly skipped: readonly { readonly pod: string; readonly reason: string }[];
}

/** A subset while addresses are added to it. */
interface GrowingSubset extends Subset {
  readonly ports: CoreV1EndpointPort[];
  readonly addresses: CoreV1EndpointAddress[];
  readonly notReadyAddresses: CoreV1EndpointAddress[];
}

/** `pods` may contain others than the selected ones. */
export function desiredSubsets(service: ServiceView, pods: readonly PodView[]): DesiredSubsets {
  /** By port; the key of addresses without a port is ''. */
  const byPort = new Map<string, GrowingSubset>();
  const skipped: { readonly pod: string; readonly reason: string }[] = [];
  const included: { readonly address: CoreV1EndpointAddress; readonly ports: PodEndpoint['ports']; readonly isReady: boolean }[] = [];
  for (const pod of pods) {
    if (pod.isTerminated || !isSelected(pod, service)) continue;
    if (pod.isTerminating && !service.publishNotReadyAddresses) continue;
    const { skipReason, address, ports } = POD_ENDPOINTS.get(service, pod);
    if (skipReason !== undefined) skipped.push({ pod: pod.name, reason: skipReason });
    if (address === undefined) continue;
    included.push({ address, ports, isReady: service.publishNotReadyAddresses || pod.isReady });
  }
  for (const { address, ports, isReady } of included.sort((a, b) => compareAddresses(a.address, b.address))) {
    for (const { key, port } of ports) {
      const subset = byPort.get(key) ?? { ports: port === undefined ? [] : [port], addresses: [], notReadyAddresses: [] };
      byPort.set(key, subset);
      (isReady ? subset.addresses : subset.notReadyAddresses).push(address);
    }
  }
  return { ...truncateToCapacity(sortSubsets(mergeSubsets([...byPort.values()]))), skipped };
}

/** What a pod contributes to the Endpoints of a Service; reused until the view of the Service or of the pod changes. */
interface PodEndpoint {
  /** Undefined for a pod that is not skipped. */
  readonly skipReason: string | undefined;
  /** Undefined for a skipped pod, and for one without an address of the Service's first IP family. */
  readonly address: CoreV1EndpointAddress | undefined;
  /** The subsets to which the pod belongs, by their ports. A Service without ports has one, with an undefined port. */
  readonly ports: readonly { readonly key: string; readonly port: CoreV1EndpointPort | undefined }[];
}

const POD_ENDPOINTS = new ServicePodCache((service, pod): PodEndpoint => {
  const skipReason = skipReasonOf(pod);
  const address = skipReason === undefined ? addressOf(service, pod, service.ipFamilies[0] ?? 'IPv4') : undefined;
  const ports = service.ports.length === 0 ? [undefined] : portsOf(service, pod);
  return { skipReason, address, ports: ports.map((port) => ({ key: port === undefined ? '' : portKey(port), port })) };
});

/**
 * Merges subsets that have the same addresses into one with all their ports. Equal lists of addresses are in the same
 * order.
 */
function mergeSubsets(subsets: readonly GrowingSubset[]): readonly Subset[] {
  if (subsets.length === 1) return subsets;
  const byAddresses = new Map<string, GrowingSubset>();
  for (const subset of subsets) {
    const key = [subset.addresses, subset.notReadyAddresses].map((addresses) => addresses.map(addressKey).join('\n')).join('\n\n');
    const sameAddresses = byAddresses.get(key);
    if (sameAddresses === undefined) byAddresses.set(key, subset);
    else appendAll(sameAddresses.ports, subset.ports);
  }
  return [...byAddresses.values()];
}

function skipReasonOf(pod: PodView): string | undefined {
  const [invalid] = pod.invalidAddresses;
  if (invalid !== undefined) return `address ${JSON.stringify(invalid)} is not a valid IP`;
  const hasAddress = pod.addresses.IPv4.length + pod.addresses.IPv6.length > 0;
  return hasAddress && pod.nodeName === '' ? 'it has an address but no node' : undefined;
}

/** `undefined` for a pod without an address of the family. */
function addressOf(service: ServiceView, pod: PodView, family: AddressType): CoreV1EndpointAddress | undefined {
  const [ip] = pod.addresses[family];
  if (ip === undefined) return undefined;
  const { namespace, name, uid, nodeName, hostname } = pod;
  const hasDnsName = hostname !== '' && pod.subdomain === service.name;
  return { ip, ...(hasDnsName ? { hostname } : {}), nodeName, targetRef: { kind: 'Pod', namespace, name, uid } };
}

/** The ports of the Service, without those with a named target that the pod does not have. */
function portsOf(service: ServiceView, pod: PodView): readonly CoreV1EndpointPort[] {
  return service.ports.flatMap((servicePort) => {
    const port = findPort(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol, appProtocol } = servicePort;
    return [{ ...(name === '' ? {} : { name }), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** Keeps ready addresses first, and the same share of the addresses of each subset. */
function truncateToCapacity(subsets: readonly Subset[]): Pick<DesiredSubsets, 'subsets' | 'isTruncated'> {
  const readyCounts = subsets.map(({ addresses }) => addresses.length);
  const notReadyCounts = subsets.map(({ notReadyAddresses }) => notReadyAddresses.length);
  const ready = sum(readyCounts);
  const notReady = sum(notReadyCounts);
  const readyShares = sharesOf(readyCounts, MAX_ADDRESSES);
  const notReadyShares = sharesOf(notReadyCounts, Math.max(0, MAX_ADDRESSES - ready));
  const truncated = subsets.map((subset, index) => subsetBody(subset, readyShares[index] ?? 0, notReadyShares[index] ?? 0));
  return {
    subsets: truncated.filter(({ addresses, notReadyAddresses }) => addresses !== undefined || notReadyAddresses !== undefined),
    isTruncated: ready + notReady > MAX_ADDRESSES,
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Reduces the counts in proportion, so that their sum is at most `max`. The first ones get what rounding down leaves over. */
function sharesOf(counts: readonly number[], max: number): readonly number[] {
  const total = sum(counts);
  if (total <= max) return counts;
  const shares = counts.map((count) => Math.floor((count * max) / total));
  let remainder = max - sum(shares);
  return shares.map((share, index) => {
    if (remainder === 0 || share >= (counts[index] ?? 0)) return share;
    remainder -= 1;
    return share + 1;
  });
}

function subsetBody({ ports, ...subset }: Subset, readyShare: number, notReadyShare: number): CoreV1EndpointSubset {
  const addresses = subset.addresses.slice(0, readyShare);
  const notReadyAddresses = subset.notReadyAddresses.slice(0, notReadyShare);
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports: [...ports] }),
  };
}

/** The write that a Service's Endpoints need. */
export type EndpointsAction = { readonly type: 'none' } | { readonly type: 'create' | 'update'; readonly body: CoreV1Endpoints };

/** The existing Endpoints of a Service, and what they should contain. */
export interface EndpointsState {
  readonly service: ServiceView;
  /** `undefined` when the Service has no Endpoints yet. */
  readonly existing: Endpoints | undefined;
  readonly desired: DesiredSubsets;
  readonly names: EndpointsNames;
  /** When the change that is written happened, RFC 3339; `undefined` removes the annotation. */
  readonly triggerTime: string | undefined;
}

/** A trigger time alone causes no write. */
export function endpointsAction({ service, existing, desired, names, triggerTime }: EndpointsState): EndpointsAction {
  const { subsets, isTruncated } = desired;
  const labels = { ...omitNames(service.labels, [names.headless]), ...(service.isHeadless ? { [names.headless]: '' } : {}) };
  const metadata = existing?.metadata ?? {};
  const existingAnnotations = metadata.annotations ?? {};
  if (existing !== undefined) {
    const isUpToDate =
      equalSubsets(existing.body.subsets ?? [], subsets) &&
      equalJson(metadata.labels ?? {}, labels) &&
      (valueInEitherSpelling(existingAnnotations, names.overCapacity) === 'truncated') === isTruncated;
    if (isUpToDate) return { type: 'none' };
  }
  const body: CoreV1Endpoints = {
    ...existing?.body,
    metadata: {
      ...metadata,
      namespace: service.namespace,
      name: service.name,
      labels,
      annotations: {
        ...omitNames(existingAnnotations, [names.triggerTime, names.overCapacity]),
        ...(triggerTime === undefined ? {} : { [names.triggerTime]: triggerTime }),
        ...(isTruncated ? { [names.overCapacity]: 'truncated' } : {}),
      },
    },
    subsets: [...subsets],
  };
  return { type: existing === undefined ? 'create' : 'update', body };
}

/** Whether the lists have the same subsets in the same order. Compares the members that this controller writes. */
const equalSubsets = (a: readonly CoreV1EndpointSubset[], b: readonly CoreV1EndpointSubset[]): boolean =>
  equalLists(
    a,
    b,
    (subset, other) =>
      equalLists(subset.addresses ?? [], other.addresses ?? [], equalAddresses) &&
      equalLists(subset.notReadyAddresses ?? [], other.notReadyAddresses ?? [], equalAddresses) &&
      equalLists(subset.ports ?? [], other.ports ?? [], equalPorts),
  );

const equalAddresses = (a: CoreV1EndpointAddress, b: CoreV1EndpointAddress): boolean => addressKey(a) === addressKey(b);
const equalPorts = (a: CoreV1EndpointPort, b: CoreV1EndpointPort): boolean => portKey(a) === portKey(b);

const equalLists = <T>(a: readonly T[], b: readonly T[], areEqual: (a: T, b: T) => boolean): boolean =>
  a.length === b.length &&
  a.every((item, index) => {
    const other = b[index];
    return other !== undefined && areEqual(item, other);
  });

/** The keys of addresses and ports, which are immutable. */
const keys = new WeakMap<CoreV1EndpointAddress | CoreV1EndpointPort, string>();

/** Equal for addresses that differ only in members which this controller does not write. */
function addressKey(address: CoreV1EndpointAddress): string {
  const existing = keys.get(address);
  if (existing !== undefined) return existing;
  const { ip = '', hostname = '', nodeName = '', targetRef } = address;
  const key = JSON.stringify([ip, hostname, nodeName, targetRef?.uid ?? '']);
  keys.set(address, key);
  return key;
}

function portKey(port: CoreV1EndpointPort): string {
  const existing = keys.get(port);
  if (existing !== undefined) return existing;
  const { name = '', protocol = '', appProtocol = '', port: number = 0 } = port;
  const key = JSON.stringify([name, protocol, appProtocol, number]);
  keys.set(port, key);
  return key;
}
