/**
 * EndpointSlices: views of existing slices, the metadata that slices of an owner should have, and the objects to write.
 * The functions are pure.
 */
import type { DiscoveryV1Endpoint, DiscoveryV1EndpointPort, DiscoveryV1EndpointSlice } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { GeneratedNames } from '../../shared/names/dialect';
import { omitNames } from '../../shared/names/spellings';
import type { AddressType, ServiceView } from '../service-pods/service-view';
import { portGroupKey, type SlicePort } from './desired-endpoints';

export type EndpointSlice = ApiObject<DiscoveryV1EndpointSlice>;

/** Keys of labels and annotations, and the value of one label, in the dialect of the server. */
export interface SliceNames {
  readonly serviceName: string;
  readonly managedBy: string;
  /** The value of `managedBy` in the slices of this controller. */
  readonly manager: string;
  readonly headless: string;
  readonly triggerTime: string;
}

/** `manager`: the controller that manages the slices, without the domain. */
export function sliceNames({ prefix }: Pick<GeneratedNames, 'prefix'>, manager = 'endpointslice-controller'): SliceNames {
  return {
    serviceName: `${prefix}/service-name`,
    managedBy: `endpointslice.${prefix}/managed-by`,
    // Upstream's value has the domain k8s.io, while the keys of its labels have kubernetes.io.
    manager: `${manager}.${prefix === 'kubernetes.io' ? 'k8s.io' : prefix}`,
    headless: `service.${prefix}/headless`,
    triggerTime: `endpoints.${prefix}/last-change-trigger-time`,
  };
}

/** A parsed slice; immutable. */
export interface SliceView {
  readonly object: EndpointSlice;
  readonly addressType: string;
  /** See {@link portGroupKey}: slices of equal keys may exchange endpoints. */
  readonly groupKey: string;
  /** By the ids of {@link Endpoint}. */
  readonly endpoints: ReadonlyMap<string, DiscoveryV1Endpoint>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The uid of the first owner reference, '' without one. */
  readonly ownerUid: string;
}

export function sliceView(object: EndpointSlice): SliceView {
  const { metadata } = object;
  const { addressType = '', endpoints, ports } = object.body;
  return {
    object,
    addressType,
    groupKey: portGroupKey(addressType, (ports ?? []).map(portOf)),
    endpoints: new Map((endpoints ?? []).map((endpoint) => [idOf(endpoint), endpoint])),
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    ownerUid: metadata.ownerReferences?.[0]?.uid ?? '',
  };
}

function portOf({ name = '', port = 0, protocol = 'TCP', appProtocol }: DiscoveryV1EndpointPort): SlicePort {
  return { name, port, protocol, appProtocol };
}

const idOf = ({ targetRef, addresses }: DiscoveryV1Endpoint): string => `${targetRef?.uid ?? ''} ${(addresses ?? []).join(' ')}`;

/** What a slice contains; the ports apply to all its endpoints. */
export interface SliceContent {
  readonly addressType: AddressType;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly DiscoveryV1Endpoint[];
}

/** The owner of slices, and the metadata that they should have. */
export interface SliceOwner {
  readonly kind: 'Service' | 'Endpoints';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `undefined` for each slice to keep its annotations. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** The metadata that every slice of the Service should have. */
export function serviceOwner(service: ServiceView, names: SliceNames): SliceOwner {
  const { namespace, name, uid, isHeadless } = service;
  return {
    kind: 'Service',
    namespace,
    name,
    uid,
    labels: sliceLabels(service.labels, { service: name, isHeadless }, names),
    annotations: undefined,
  };
}

/** The owner's labels, and those that identify the Service and the controller. */
export function sliceLabels(
  ownerLabels: Readonly<Record<string, string>>,
  { service, isHeadless }: { readonly service: string; readonly isHeadless: boolean },
  names: SliceNames,
): Readonly<Record<string, string>> {
  const reserved = [names.serviceName, names.managedBy, names.headless];
  return {
    ...omitNames(ownerLabels, reserved),
    [names.serviceName]: service,
    [names.managedBy]: names.manager,
    ...(isHeadless ? { [names.headless]: '' } : {}),
  };
}

/** What the metadata of a slice is made of. */
export interface SliceMetadata {
  readonly owner: SliceOwner;
  readonly names: SliceNames;
  /** `undefined` removes the annotation. */
  readonly triggerTime: string | undefined;
}

/** The body of a new slice, or of the update of an existing one. */
export function sliceBody(
  { owner, names, triggerTime }: SliceMetadata,
  content: SliceContent,
  existing?: EndpointSlice,
): DiscoveryV1EndpointSlice {
  const metadata = existing?.metadata ?? {};
  const annotations = omitNames(owner.annotations ?? metadata.annotations ?? {}, [names.triggerTime]);
  const { kind, namespace, name, uid, labels } = owner;
  return {
    ...existing?.body,
    metadata: {
      ...metadata,
      namespace,
      ...(existing === undefined ? { generateName: `${name}-` } : {}),
      labels: { ...labels },
      annotations: { ...annotations, ...(triggerTime === undefined ? {} : { [names.triggerTime]: triggerTime }) },
      ownerReferences: [{ apiVersion: 'v1', kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType: content.addressType,
    endpoints: nullIfEmpty(content.endpoints),
    ports: nullIfEmpty(
      content.ports.map(({ name: portName, port, protocol, appProtocol }) => ({
        name: portName,
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      })),
    ),
  };
}

/**
 * An empty list is sent as null, which is also how it is stored: as `[]` it would be a field that the controller owns.
 */
const nullIfEmpty = <T>(list: readonly T[]): T[] | null => (list.length === 0 ? null : [...list]);
