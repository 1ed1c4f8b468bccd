/** What the controllers that lead Services to their pods need to know of a pod, read once from the object as it came. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { parseIpAddress } from '../../shared/values/ip-address';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { textsAt, type AddressType, type ServicePortView, type ServiceView } from './service';

export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: Readonly<Record<AddressType, readonly string[]>>;
  /** What stands among its addresses and is none. */
  readonly unreadable: readonly string[];
  /** '' = none. */
  readonly node: string;
  readonly hostname: string;
  readonly subdomain: string;
  readonly isReady: boolean;
  /** When it was last said whether it is ready; '' = it was not. */
  readonly readySince: string;
  readonly isTerminating: boolean;
  /** It has ended and does not begin anew. */
  readonly isOver: boolean;
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly number: number }[];
}

export function podView(object: ApiObject): PodView {
  const { namespace, name, uid, body } = object;
  const spec = objectAt(body, 'spec') ?? {};
  const status = objectAt(body, 'status') ?? {};
  const ready = (arrayAt(status, 'conditions') ?? []).filter(isObject).find((condition) => condition['type'] === 'Ready');
  const phase = stringAt(status, 'phase');
  return {
    namespace,
    name,
    uid,
    labels: textsAt(objectAt(body, 'metadata'), 'labels'),
    ...addressesOf(status),
    node: stringAt(spec, 'nodeName') ?? '',
    hostname: stringAt(spec, 'hostname') ?? '',
    subdomain: stringAt(spec, 'subdomain') ?? '',
    isReady: ready?.['status'] === 'True',
    readySince: stringAt(ready, 'lastTransitionTime') ?? '',
    isTerminating: isBeingDeleted(object),
    isOver: phase === 'Succeeded' || phase === 'Failed',
    ports: [...containersOf(spec, 'containers'), ...containersOf(spec, 'initContainers').filter(isSidecar)].flatMap(portsOf),
  };
}

function addressesOf(status: JsonObject): Pick<PodView, 'addresses' | 'unreadable'> {
  const listed = (arrayAt(status, 'podIPs') ?? []).filter(isObject).map((item) => stringAt(item, 'ip') ?? '');
  const texts = (listed.length > 0 ? listed : [stringAt(status, 'podIP') ?? '']).filter((text) => text !== '');
  const familyOf = (text: string): number | undefined => parseIpAddress(text)?.family;
  return {
    addresses: { IPv4: texts.filter((text) => familyOf(text) === 4), IPv6: texts.filter((text) => familyOf(text) === 6) },
    unreadable: texts.filter((text) => familyOf(text) === undefined),
  };
}

const containersOf = (spec: JsonObject, member: string): readonly JsonObject[] => (arrayAt(spec, member) ?? []).filter(isObject);

const isSidecar = (container: JsonObject): boolean => container['restartPolicy'] === 'Always';

function portsOf(container: JsonObject): PodView['ports'] {
  return containersOf(container, 'ports').map((port) => ({
    name: stringAt(port, 'name') ?? '',
    protocol: stringAt(port, 'protocol') ?? 'TCP',
    number: Number(port['containerPort'] ?? 0),
  }));
}

/** The number that a port of the Service leads to in this pod; undefined = the pod has no port of that name. */
export function targetIn(pod: PodView, { target, protocol }: ServicePortView): number | undefined {
  if (typeof target === 'number') return target;
  return pod.ports.find((port) => port.name === target && port.protocol === protocol)?.number;
}

export function isSelected(pod: PodView, { selector, namespace }: ServiceView): boolean {
  if (selector === undefined || pod.namespace !== namespace) return false;
  return Object.entries(selector).every(([key, value]) => valueInEitherSpelling(pod.labels, key) === value);
}
