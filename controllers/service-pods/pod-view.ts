/**
 * The part of a pod that determines the endpoints of Services, parsed from the object. A change of the pod that leaves
 * the view equal concerns no Service.
 */
import type { CoreV1Container, CoreV1PodStatus } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { parseIpAddress } from '../../shared/values/network/ip-address';
import type { AddressType, ServicePortView, ServiceView } from './service-view';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** A parsed pod; immutable, so that values can be cached by it. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The pod's IPs by family, each in the order of the status. */
  readonly addresses: Readonly<Record<AddressType, readonly string[]>>;
  /** Pod IPs that are no IP addresses. */
  readonly invalidAddresses: readonly string[];
  /** '' for a pod that is not scheduled. */
  readonly nodeName: string;
  readonly hostname: string;
  readonly subdomain: string;
  readonly isReady: boolean;
  /** The last transition time of the Ready condition; '' when there is none. */
  readonly readyTransitionTime: string;
  readonly isTerminating: boolean;
  /** All containers have ended for good. */
  readonly isTerminated: boolean;
  /** The ports of the containers and sidecars, for target ports that are names. */
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly number: number }[];
}

/** Parses the pod. Absent members are empty. */
export function podView(pod: Pod): PodView {
  const { namespace, name, uid, metadata } = pod;
  const { spec = {}, status = {} } = pod.body;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return {
    namespace,
    name,
    uid,
    labels: metadata.labels ?? {},
    ...addressesOf(status),
    nodeName: spec.nodeName ?? '',
    hostname: spec.hostname ?? '',
    subdomain: spec.subdomain ?? '',
    isReady: ready?.status === 'True',
    readyTransitionTime: ready?.lastTransitionTime ?? '',
    isTerminating: isBeingDeleted(pod),
    isTerminated: status.phase === 'Succeeded' || status.phase === 'Failed',
    ports: [...(spec.containers ?? []), ...sidecars].flatMap(portsOf),
  };
}

function addressesOf({ podIPs = [], podIP = '' }: CoreV1PodStatus): Pick<PodView, 'addresses' | 'invalidAddresses'> {
  const ips = (podIPs.length > 0 ? podIPs.map(({ ip = '' }) => ip) : [podIP]).filter((ip) => ip !== '');
  const familyOf = (ip: string): number | undefined => parseIpAddress(ip)?.family;
  return {
    addresses: { IPv4: ips.filter((ip) => familyOf(ip) === 4), IPv6: ips.filter((ip) => familyOf(ip) === 6) },
    invalidAddresses: ips.filter((ip) => familyOf(ip) === undefined),
  };
}

const portsOf = ({ ports = [] }: CoreV1Container): PodView['ports'] =>
  ports.map(({ name = '', protocol = 'TCP', containerPort = 0 }) => ({ name, protocol, number: containerPort }));

/** The port of the pod that a port of the Service targets; undefined when the pod has no port with that name. */
export function findPort(pod: PodView, { targetPort, protocol }: ServicePortView): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  return pod.ports.find((port) => port.name === targetPort && port.protocol === protocol)?.number;
}

/** Whether the Service selects the pod, by label keys in either spelling. False for a Service without a selector. */
export function isSelected(pod: PodView, { selector, namespace }: ServiceView): boolean {
  if (selector === undefined || pod.namespace !== namespace) return false;
  return Object.entries(selector).every(([key, value]) => valueInEitherSpelling(pod.labels, key) === value);
}
