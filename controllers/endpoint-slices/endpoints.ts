/** Where a Service leads: its endpoints by address type and by the ports that they have. Pure; knows nothing of slices. */
import { compareBytes, type JsonObject } from '../../shared/values/json';
import { compareNames } from '../runtime/pods';
import { PerPod } from '../service-pods/per-pod';
import { isSelected, targetIn, type PodView } from '../service-pods/pod';
import type { AddressType, ServiceView } from '../service-pods/service';

/** What is known of a node; undefined members = nothing. */
export interface NodeView {
  readonly zone: string | undefined;
}

export interface Endpoint {
  /** Which endpoint of which pod it is: what stays the same while its conditions change. */
  readonly id: string;
  readonly isReady: boolean;
  readonly zone: string | undefined;
  /** In the form of the API, without hints. */
  readonly object: JsonObject;
}

export interface SlicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol: string | undefined;
}

/** Endpoints with the same ports. */
export interface PortGroup {
  readonly type: AddressType;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly Endpoint[];
}

export interface Wanted {
  readonly groups: readonly PortGroup[];
  /** Pods that were left out, and why. */
  readonly skipped: readonly { readonly pod: string; readonly why: string }[];
}

export function wantedEndpoints(service: ServiceView, pods: readonly PodView[], nodeOf: (name: string) => NodeView | undefined): Wanted {
  const groups = new Map<string, { readonly type: AddressType; readonly ports: readonly SlicePort[]; readonly endpoints: Endpoint[] }>();
  const skipped: { readonly pod: string; readonly why: string }[] = [];
  for (const pod of [...pods].sort(compareNames)) {
    if (pod.isOver || !isSelected(pod, service)) continue;
    const reaches = REACHES.of(service, pod);
    if (pod.unreadable.length > 0) {
      skipped.push({ pod: pod.name, why: `address ${JSON.stringify(pod.unreadable[0])} is not a valid IP` });
      continue;
    }
    if (reaches.length === 0) continue;
    const node = nodeOf(pod.node);
    if (node === undefined && !service.publishesUnready) {
      skipped.push({ pod: pod.name, why: `Node ${pod.node} Not Found` });
      continue;
    }
    for (const reach of reaches) {
      const { type, ports, key } = reach;
      const group = groups.get(key) ?? { type, ports, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(reach.endpointIn(node?.zone));
    }
  }
  // Sort by ports: the insertion order depends on the pods, which come and go.
  const sorted = [...groups].sort(([one], [other]) => compareBytes(one, other));
  return { groups: sorted.map(([, group]) => group), skipped };
}

/** A pod under the addresses of one type. */
class Reach {
  /** Tells groups of endpoints apart. */
  readonly key: string;
  private last: Endpoint | undefined;

  constructor(
    private readonly service: ServiceView,
    private readonly pod: PodView,
    readonly type: AddressType,
    readonly ports: readonly SlicePort[],
  ) {
    this.key = portsKey(type, ports);
  }

  /** The same object as long as the zone is the same. */
  endpointIn(zone: string | undefined): Endpoint {
    if (this.last === undefined || this.last.zone !== zone) this.last = endpointOf(this.service, this.pod, zone, this.type);
    return this.last;
  }
}

const REACHES = new PerPod((service, pod): readonly Reach[] => {
  const ports = portsFor(service, pod);
  return service.families.filter((type) => pod.addresses[type].length > 0).map((type) => new Reach(service, pod, type, ports));
});

/** Tells groups apart. */
export function portsKey(type: string, ports: readonly SlicePort[]): string {
  const texts = ports.map(({ name, port, protocol, appProtocol }) => `${name}/${port}/${protocol}/${appProtocol ?? ''}`);
  return `${type} ${texts.sort().join(' ')}`;
}

function portsFor(service: ServiceView, pod: PodView): readonly SlicePort[] {
  return service.ports.flatMap((port) => {
    const number = targetIn(pod, port);
    const { name, protocol, appProtocol } = port;
    return number === undefined ? [] : [{ name, port: number, protocol, appProtocol }];
  });
}

function endpointOf(service: ServiceView, pod: PodView, zone: string | undefined, type: AddressType): Endpoint {
  const ready = service.publishesUnready || (pod.isReady && !pod.isTerminating);
  const { namespace, name, uid } = pod;
  const addresses = pod.addresses[type];
  const isNamed = pod.hostname !== '' && pod.subdomain === service.name;
  return {
    id: `${uid} ${addresses.join(' ')}`,
    isReady: ready,
    zone,
    object: {
      addresses: [...addresses],
      conditions: { ready, serving: pod.isReady, terminating: pod.isTerminating },
      ...(isNamed ? { hostname: pod.hostname } : {}),
      targetRef: { kind: 'Pod', namespace, name, uid },
      ...(pod.node === '' ? {} : { nodeName: pod.node }),
      ...(zone === undefined ? {} : { zone }),
    },
  };
}
