/**
 * Cells of networking kinds, except Service (../cells.ts). The cells of an object are in the order of the columns in
 * ../columns/networking.ts, and are compared with recorded rows.
 */
import type { CoreV1Endpoints, NetworkingV1IngressClassParametersReference } from '../../../shared/api/types/generated/members';
import { creationAge, joinFirst, loadBalancerAddresses, nameOf, NONE, selectorText, UNSET, type CellTable } from '../table/cell';

/** Ports, addresses and hosts that a cell shows; the others are only counted. */
const MAX_ITEMS = 3;

/** By the type in which objects are stored. */
export const NETWORKING_CELLS = {
  'core.v1.Endpoints': (object) => [nameOf(object), endpointsText(object), creationAge(object)],
  'discovery.v1.EndpointSlice': (object) => {
    const ports = object.ports?.map(({ port, name = '' }) => (port === undefined ? name : String(port))) ?? [];
    const addresses = object.endpoints?.flatMap((endpoint) => endpoint.addresses ?? []) ?? [];
    const type = object.addressType ?? '';
    return [nameOf(object), type, joinFirst(ports, MAX_ITEMS) || UNSET, joinFirst(addresses, MAX_ITEMS) || UNSET, creationAge(object)];
  },
  'networking.v1.Ingress': (object) => {
    const { ingressClassName = NONE, rules = [], tls = [] } = object.spec ?? {};
    return [
      nameOf(object),
      ingressClassName,
      joinFirst(
        rules.flatMap(({ host }) => host || []),
        MAX_ITEMS,
      ) || '*',
      loadBalancerAddresses(object.status?.loadBalancer?.ingress).join(','),
      tls.length > 0 ? '80, 443' : '80',
      creationAge(object),
    ];
  },
  'networking.v1.IngressClass': (object) => {
    const { controller = '', parameters } = object.spec ?? {};
    return [nameOf(object), controller, parametersText(parameters), creationAge(object)];
  },
  'networking.v1.NetworkPolicy': (object) => [nameOf(object), selectorText(object.spec?.podSelector), creationAge(object)],
} satisfies CellTable;

/** The first ready addresses with their ports: `10.0.0.1:80`. */
function endpointsText({ subsets = [] }: CoreV1Endpoints): string {
  if (subsets.length === 0) return NONE;
  const endpoints = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip = '' }) => ip);
    if (ports.length === 0) return ips;
    return ports.flatMap(({ port = 0 }) => ips.map((ip) => `${bracketIpv6(ip)}:${port}`));
  });
  return joinFirst(endpoints, MAX_ITEMS);
}

function bracketIpv6(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function parametersText(parameters: NetworkingV1IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return NONE;
  const { apiGroup = '', kind = '', name = '' } = parameters;
  return `${kind}${apiGroup === '' ? '' : `.${apiGroup}`}/${name}`;
}
