/**
 * The endpoints that a Service should have, grouped by address type and by the ports that the pods have. Pure; their
 * distribution to slices is left to packing.ts.
 */
import type { DiscoveryV1Endpoint } from '../../shared/api/types/generated/members';
import { compareBytes } from '../../shared/values/json';
import { compareNames } from '../runtime/pods';
import { findPort, isSelected, type PodView } from '../service-pods/pod-view';
import { ServicePodCache } from '../service-pods/service-pod-cache';
import type { AddressType, ServiceView } from '../service-pods/service-view';

/** The part of a node that determines its endpoints; `zone` is undefined without the label. */
export interface NodeView {
  readonly zone: string | undefined;
}

/** An endpoint, with what its distribution depends on. */
export interface Endpoint {
  /** Identifies the endpoint in its slice while its conditions change. */
  readonly id: string;
  /** Whether clients should use it. */
  readonly isReady: boolean;
  /** `undefined` when the pod's node has no zone. */
  readonly zone: string | undefined;
  /** The endpoint as it is written, without hints. */
  readonly body: DiscoveryV1Endpoint;
}

/** A port of a slice, with the defaults of the API. */
export interface SlicePort {
  /** '' for an unnamed port, which is the only one of its Service. */
  readonly name: string;
  /** The port of the pod; a named target port is resolved. */
  readonly port: number;
  readonly protocol: string;
  /** `undefined` when the Service names none. */
  readonly appProtocol: string | undefined;
}

/** Endpoints that may share a slice: they have the same address type and ports. */
export interface PortGroup {
  readonly addressType: AddressType;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly Endpoint[];
}

/** A selected pod that is left out because of an error, and the error, for an Event. */
export interface SkippedPod {
  readonly pod: string;
  readonly reason: string;
}

/** The endpoints of a Service. */
export interface DesiredEndpoints {
  readonly groups: readonly PortGroup[];
  readonly skipped: readonly SkippedPod[];
}

/**
 * `pods` may contain others than the selected ones. `nodeOf` returns undefined for an unknown node: a pod on it is
 * skipped, unless the Service publishes addresses that are not ready. Groups and their endpoints are sorted, so that
 * equal inputs have equal results.
 */
export function desiredEndpoints(
  service: ServiceView,
  pods: readonly PodView[],
  nodeOf: (name: string) => NodeView | undefined,
): DesiredEndpoints {
  const groups = new Map<string, PortGroup & { readonly endpoints: Endpoint[] }>();
  const skipped: SkippedPod[] = [];
  for (const pod of [...pods].sort(compareNames)) {
    if (pod.isTerminated || !isSelected(pod, service)) continue;
    if (pod.invalidAddresses.length > 0) {
      skipped.push({ pod: pod.name, reason: `address ${JSON.stringify(pod.invalidAddresses[0])} is not a valid IP` });
      continue;
    }
    const podEndpoints = podEndpointsCache.get(service, pod);
    if (podEndpoints.length === 0) continue;
    const node = nodeOf(pod.nodeName);
    if (node === undefined && !service.publishNotReadyAddresses) {
      skipped.push({ pod: pod.name, reason: `Node ${pod.nodeName} Not Found` });
      continue;
    }
    for (const podEndpoint of podEndpoints) {
      const { addressType, ports, groupKey } = podEndpoint;
      const group = groups.get(groupKey) ?? { addressType, ports, endpoints: [] };
      groups.set(groupKey, group);
      group.endpoints.push(podEndpoint.inZone(node?.zone));
    }
  }
  // Sort by address type and ports: the insertion order depends on which pods exist.
  const sorted = [...groups].sort(([a], [b]) => compareBytes(a, b));
  return { groups: sorted.map(([, group]) => group), skipped };
}

/** The endpoint of a pod with its addresses of one type, for one view of the Service and of the pod. */
class PodEndpoint {
  readonly groupKey: string;
  private endpoint: Endpoint | undefined;

  constructor(
    private readonly service: ServiceView,
    private readonly pod: PodView,
    readonly addressType: AddressType,
    readonly ports: readonly SlicePort[],
  ) {
    this.groupKey = portGroupKey(addressType, ports);
  }

  /** Returns the same object until the zone changes. */
  inZone(zone: string | undefined): Endpoint {
    if (this.endpoint === undefined || this.endpoint.zone !== zone) {
      this.endpoint = endpointOf(this.service, this.pod, zone, this.addressType);
    }
    return this.endpoint;
  }
}

/** The endpoints of a pod, one for each IP family of the Service in which the pod has an address. Shared by all syncs. */
const podEndpointsCache = new ServicePodCache((service, pod): readonly PodEndpoint[] => {
  const ports = portsOf(service, pod);
  const addressTypes = service.ipFamilies.filter((addressType) => pod.addresses[addressType].length > 0);
  return addressTypes.map((addressType) => new PodEndpoint(service, pod, addressType, ports));
});

/** Equal for slices and endpoints with the same address type and ports, in any order of the ports. */
export function portGroupKey(addressType: string, ports: readonly SlicePort[]): string {
  const texts = ports.map(({ name, port, protocol, appProtocol }) => `${name}/${port}/${protocol}/${appProtocol ?? ''}`);
  return `${addressType} ${texts.sort().join(' ')}`;
}

/** The ports of the Service, without those with a named target that the pod does not have. */
function portsOf(service: ServiceView, pod: PodView): readonly SlicePort[] {
  return service.ports.flatMap((servicePort) => {
    const port = findPort(pod, servicePort);
    const { name, protocol, appProtocol } = servicePort;
    return port === undefined ? [] : [{ name, port, protocol, appProtocol }];
  });
}

function endpointOf(service: ServiceView, pod: PodView, zone: string | undefined, addressType: AddressType): Endpoint {
  const ready = service.publishNotReadyAddresses || (pod.isReady && !pod.isTerminating);
  const { namespace, name, uid, nodeName, hostname } = pod;
  const addresses = pod.addresses[addressType];
  const hasDnsName = hostname !== '' && pod.subdomain === service.name;
  return {
    id: `${uid} ${addresses.join(' ')}`,
    isReady: ready,
    zone,
    body: {
      addresses: [...addresses],
      conditions: { ready, serving: pod.isReady, terminating: pod.isTerminating },
      ...(hasDnsName ? { hostname } : {}),
      targetRef: { kind: 'Pod', namespace, name, uid },
      ...(nodeName === '' ? {} : { nodeName }),
      ...(zone === undefined ? {} : { zone }),
    },
  };
}
