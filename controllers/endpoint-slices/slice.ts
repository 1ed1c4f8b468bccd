/** Slices as they are and as they are to be: which are a Service's own, what they hold, and the objects that are written. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { GeneratedNames } from '../../shared/names/dialect';
import { omitNames } from '../../shared/names/spellings';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { textsAt, type AddressType, type ServiceView } from '../service-pods/service';
import { portsKey, type SlicePort } from './endpoints';

export interface SliceNames {
  readonly serviceName: string;
  readonly managedBy: string;
  /** The value of `managedBy` in slices of this controller. */
  readonly manager: string;
  readonly headless: string;
  readonly triggerTime: string;
}

export function sliceNames({ prefix }: Pick<GeneratedNames, 'prefix'>, manager = 'endpointslice-controller'): SliceNames {
  return {
    serviceName: `${prefix}/service-name`,
    managedBy: `endpointslice.${prefix}/managed-by`,
    manager: `${manager}.${prefix === 'kubernetes.io' ? 'k8s.io' : prefix}`,
    headless: `service.${prefix}/headless`,
    triggerTime: `endpoints.${prefix}/last-change-trigger-time`,
  };
}

export interface SliceView {
  readonly object: ApiObject;
  readonly type: string;
  readonly portsKey: string;
  /** What it holds, by the ids that endpoints have. */
  readonly endpoints: ReadonlyMap<string, JsonObject>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerUid: string;
}

export function sliceView(object: ApiObject): SliceView {
  const { body } = object;
  const metadata = objectAt(body, 'metadata');
  const type = stringAt(body, 'addressType') ?? '';
  const endpoints = (arrayAt(body, 'endpoints') ?? []).filter(isObject);
  return {
    object,
    type,
    portsKey: portsKey(type, (arrayAt(body, 'ports') ?? []).filter(isObject).map(portOf)),
    endpoints: new Map(endpoints.map((endpoint) => [idOf(endpoint), endpoint])),
    labels: textsAt(metadata, 'labels'),
    annotations: textsAt(metadata, 'annotations'),
    ownerUid: stringAt((arrayAt(metadata, 'ownerReferences') ?? []).filter(isObject)[0], 'uid') ?? '',
  };
}

const portOf = (port: JsonObject): SlicePort => ({
  name: stringAt(port, 'name') ?? '',
  port: Number(port['port'] ?? 0),
  protocol: stringAt(port, 'protocol') ?? 'TCP',
  appProtocol: stringAt(port, 'appProtocol'),
});

function idOf(endpoint: JsonObject): string {
  const addresses = (arrayAt(endpoint, 'addresses') ?? []).filter((address) => typeof address === 'string');
  return `${stringAt(objectAt(endpoint, 'targetRef'), 'uid') ?? ''} ${addresses.join(' ')}`;
}

export interface SliceContent {
  readonly type: AddressType;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly JsonObject[];
}

/** Whose slices they are, and what they are to bear. */
export interface SliceOwner {
  readonly kind: 'Service' | 'Endpoints';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined = whatever stands there stays. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

export function serviceOwner(service: ServiceView, names: SliceNames): SliceOwner {
  const { namespace, name, uid } = service;
  return {
    kind: 'Service',
    namespace,
    name,
    uid,
    labels: labelsFor(service.labels, name, service.isHeadless, names),
    annotations: undefined,
  };
}

/** The owner's own ones, and what says whose they are. */
export function labelsFor(
  own: Readonly<Record<string, string>>,
  service: string,
  isHeadless: boolean,
  names: SliceNames,
): Readonly<Record<string, string>> {
  const reserved = [names.serviceName, names.managedBy, names.headless];
  return {
    ...omitNames(own, reserved),
    [names.serviceName]: service,
    [names.managedBy]: names.manager,
    ...(isHeadless ? { [names.headless]: '' } : {}),
  };
}

/** A slice to be made, or – with the one that is there – to be written. `trigger` undefined = nobody knows when it began. */
export function sliceObject(
  owner: SliceOwner,
  content: SliceContent,
  names: SliceNames,
  trigger: string | undefined,
  present?: ApiObject,
): JsonObject {
  const metadata = objectAt(present?.body, 'metadata') ?? {};
  const annotations = omitNames(owner.annotations ?? textsAt(metadata, 'annotations'), [names.triggerTime]);
  const { kind, namespace, name, uid, labels } = owner;
  return {
    ...present?.body,
    metadata: {
      ...metadata,
      namespace,
      ...(present === undefined ? { generateName: `${name}-` } : {}),
      labels: { ...labels },
      annotations: { ...annotations, ...(trigger === undefined ? {} : { [names.triggerTime]: trigger }) },
      ownerReferences: [{ apiVersion: 'v1', kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType: content.type,
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

/** An empty list is sent as null, which is also how it is stored: as `[]` it would be a field that the controller owns. */
const nullIfEmpty = (list: readonly JsonObject[]): JsonValue => (list.length === 0 ? null : [...list]);
