/** Which Endpoints are shown as slices, and as which endpoints; decided from what is seen, without a server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { parseIpAddress } from '../../shared/values/ip-address';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { Endpoint, PortGroup, SlicePort } from '../endpoint-slices/endpoints';
import { portsKey } from '../endpoint-slices/endpoints';
import { textsAt, type AddressType, type ServiceView } from '../service-pods/service';

export interface MirrorNames {
  readonly skip: string;
  /** What an old election leaves. */
  readonly leader: string;
  readonly lastApplied: string;
}

export const mirrorNames = (prefix: string): MirrorNames => ({
  skip: `endpointslice.${prefix}/skip-mirror`,
  leader: `control-plane.alpha.${prefix}/leader`,
  lastApplied: `kubectl.${prefix}/last-applied-configuration`,
});

/** Whether they are somebody's own work that leads somewhere. */
export function isMirrored(endpoints: ApiObject, service: ServiceView | undefined, names: MirrorNames): boolean {
  const metadata = objectAt(endpoints.body, 'metadata');
  if (service === undefined || service.namesSelector) return false;
  const isElection = valueInEitherSpelling(textsAt(metadata, 'annotations'), names.leader) !== undefined;
  return valueInEitherSpelling(textsAt(metadata, 'labels'), names.skip) !== 'true' && !isElection;
}

export interface Mirrored {
  readonly groups: readonly PortGroup[];
  /** Addresses that are none. */
  readonly unreadable: readonly string[];
  /** How many there were too many. */
  readonly left: number;
}

/** `most`: addresses of a subset that are shown. */
export function mirrored({ body }: ApiObject, most: number): Mirrored {
  const groups = new Map<string, { readonly type: AddressType; readonly ports: readonly SlicePort[]; readonly endpoints: Endpoint[] }>();
  const unreadable: string[] = [];
  let left = 0;
  for (const subset of (arrayAt(body, 'subsets') ?? []).filter(isObject)) {
    const ports = (arrayAt(subset, 'ports') ?? []).filter(isObject).map(portOf);
    let room = most;
    for (const [member, ready] of [
      ['addresses', true],
      ['notReadyAddresses', false],
    ] as const) {
      for (const address of (arrayAt(subset, member) ?? []).filter(isObject)) {
        const ip = stringAt(address, 'ip') ?? '';
        const family = parseIpAddress(ip)?.family;
        if (family === undefined) unreadable.push(ip);
        else if (room === 0) left += 1;
        else {
          room -= 1;
          const type: AddressType = family === 6 ? 'IPv6' : 'IPv4';
          const key = portsKey(type, ports);
          const group = groups.get(key) ?? { type, ports, endpoints: [] };
          groups.set(key, group);
          group.endpoints.push(endpointOf(address, ip, ready));
        }
      }
    }
  }
  return { groups: [...groups.values()], unreadable, left };
}

const portOf = (port: JsonObject): SlicePort => ({
  name: stringAt(port, 'name') ?? '',
  port: Number(port['port'] ?? 0),
  protocol: stringAt(port, 'protocol') ?? 'TCP',
  appProtocol: stringAt(port, 'appProtocol'),
});

function endpointOf(address: JsonObject, ip: string, ready: boolean): Endpoint {
  const hostname = stringAt(address, 'hostname') ?? '';
  const nodeName = stringAt(address, 'nodeName') ?? '';
  const targetRef = objectAt(address, 'targetRef');
  return {
    id: `${stringAt(targetRef, 'uid') ?? ''} ${ip}`,
    isReady: ready,
    zone: undefined,
    object: {
      addresses: [ip],
      conditions: { ready },
      ...(hostname === '' ? {} : { hostname }),
      ...(nodeName === '' ? {} : { nodeName }),
      ...(targetRef === undefined ? {} : { targetRef }),
    },
  };
}
