/**
 * Decides which Endpoints are mirrored to EndpointSlices, and the endpoints that their slices should have. Pure; the
 * distribution to slices is left to ../endpoint-slices/reconcile.ts.
 */
import type { CoreV1EndpointAddress, CoreV1EndpointPort, CoreV1EndpointSubset } from '../../shared/api/types/generated/members';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { parseIpAddress } from '../../shared/values/network/ip-address';
import type { Endpoint, PortGroup, SlicePort } from '../endpoint-slices/desired-endpoints';
import { portGroupKey } from '../endpoint-slices/desired-endpoints';
import type { AddressType, ServiceView } from '../service-pods/service-view';
import type { Endpoints } from '../../shared/client/rest/typed-objects';

/** Keys of a label and of annotations in the server's dialect. */
export interface MirroringNames {
  /** The label with which clients opt out. */
  readonly skipMirror: string;
  /** The annotation in which old leader elections store their record. */
  readonly leader: string;
  /** The annotation of `kubectl apply`, which is not copied to slices. */
  readonly lastApplied: string;
}

/** The names with the prefix of a dialect. */
export const mirroringNames = (prefix: string): MirroringNames => ({
  skipMirror: `endpointslice.${prefix}/skip-mirror`,
  leader: `control-plane.alpha.${prefix}/leader`,
  lastApplied: `kubectl.${prefix}/last-applied-configuration`,
});

/**
 * Whether the Endpoints belong to a Service without a selector, for which no other controller writes slices, and are
 * neither excluded by a label nor the record of a leader election. `service` is undefined when there is none.
 */
export function shouldMirror({ metadata }: Endpoints, service: ServiceView | undefined, names: MirroringNames): boolean {
  if (service === undefined || service.hasSelector) return false;
  const isLeaderElectionRecord = valueInEitherSpelling(metadata.annotations ?? {}, names.leader) !== undefined;
  return valueInEitherSpelling(metadata.labels ?? {}, names.skipMirror) !== 'true' && !isLeaderElectionRecord;
}

/** The endpoints to write, and what is left out. */
export interface MirroredEndpoints {
  readonly groups: readonly PortGroup[];
  /** Texts that are no IP addresses. */
  readonly invalidAddresses: readonly string[];
  /** The number of addresses above the maximum. */
  readonly addressesSkipped: number;
}

/** Ready addresses take precedence when a subset has more than `maxAddressesPerSubset`. */
export function mirroredEndpoints({ body }: Endpoints, maxAddressesPerSubset: number): MirroredEndpoints {
  const groups = new Map<string, PortGroup & { readonly endpoints: Endpoint[] }>();
  const invalidAddresses: string[] = [];
  let addressesSkipped = 0;
  for (const subset of body.subsets ?? []) {
    const ports = (subset.ports ?? []).map(portOf);
    let capacity = maxAddressesPerSubset;
    for (const { address, isReady } of addressesOf(subset)) {
      const { ip = '' } = address;
      const family = parseIpAddress(ip)?.family;
      if (family === undefined) invalidAddresses.push(ip);
      else if (capacity === 0) addressesSkipped += 1;
      else {
        capacity -= 1;
        const addressType: AddressType = family === 6 ? 'IPv6' : 'IPv4';
        const key = portGroupKey(addressType, ports);
        const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
        groups.set(key, group);
        group.endpoints.push(endpointOf({ address, isReady }, ip));
      }
    }
  }
  return { groups: [...groups.values()], invalidAddresses, addressesSkipped };
}

/** An address of a subset, from either of its two lists. */
interface SubsetAddress {
  readonly address: CoreV1EndpointAddress;
  readonly isReady: boolean;
}

const addressesOf = ({ addresses = [], notReadyAddresses = [] }: CoreV1EndpointSubset): readonly SubsetAddress[] => [
  ...addresses.map((address) => ({ address, isReady: true })),
  ...notReadyAddresses.map((address) => ({ address, isReady: false })),
];

function portOf({ name = '', port = 0, protocol = 'TCP', appProtocol }: CoreV1EndpointPort): SlicePort {
  return { name, port, protocol, appProtocol };
}

function endpointOf({ address, isReady }: SubsetAddress, ip: string): Endpoint {
  const { hostname = '', nodeName = '', targetRef } = address;
  return {
    id: `${targetRef?.uid ?? ''} ${ip}`,
    isReady,
    zone: undefined,
    body: {
      addresses: [ip],
      conditions: { ready: isReady },
      ...(hostname === '' ? {} : { hostname }),
      ...(nodeName === '' ? {} : { nodeName }),
      ...(targetRef === undefined ? {} : { targetRef }),
    },
  };
}
