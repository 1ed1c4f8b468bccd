/**
 * Cells of networking kinds. The cells of an object are in the order of the columns in
 * ../columns/networking.ts, and are compared with recorded rows.
 */
import type {
  CoreV1Endpoints,
  CoreV1Service,
  CoreV1ServicePort,
  NetworkingV1IngressClassParametersReference,
} from '../../../shared/api/types/generated/members';
import {
  creationAge,
  joinFirst,
  labelPairs,
  loadBalancerAddresses,
  nameOf,
  NONE,
  selectorText,
  textOr,
  UNSET,
  type CellTable,
} from '../table/cell';
import type { Cell } from '../table/convertor';

/** Ports, addresses and hosts that a cell shows; the others are only counted. */
const MAX_ITEMS = 3;

/** By the type in which objects are stored. */
export const NETWORKING_CELLS = {
  'core.v1.Endpoints': (object) => [nameOf(object), endpointsText(object), creationAge(object)],
  'core.v1.Service': serviceCells,
  'discovery.v1.EndpointSlice': (object) => {
    const ports = object.ports?.map(({ port, name = '' }) => (port === undefined ? name : String(port))) ?? [];
    const addresses = object.endpoints?.flatMap((endpoint) => endpoint.addresses ?? []) ?? [];
    const type = object.addressType ?? '';
    return [nameOf(object), type, joinFirst(ports, MAX_ITEMS) || UNSET, joinFirst(addresses, MAX_ITEMS) || UNSET, creationAge(object)];
  },
  'networking.v1.Ingress': (object) => {
    const { ingressClassName = NONE, rules = [], tls = [] } = object.spec ?? {};
    const hosts = rules.map(({ host = '' }) => host).filter((host) => host !== '');
    return [
      nameOf(object),
      ingressClassName,
      joinFirst(hosts, MAX_ITEMS) || '*',
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

function serviceCells(service: CoreV1Service): Cell[] {
  const { spec = {} } = service;
  return [
    nameOf(service),
    spec.type ?? '',
    textOr(spec.clusterIPs?.[0] ?? spec.clusterIP, NONE),
    externalAddresses(service),
    spec.ports?.map(portText).join(',') || NONE,
    creationAge(service),
    labelPairs(spec.selector),
  ];
}

function externalAddresses({ spec = {}, status }: CoreV1Service): string {
  const manual = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer':
      return [...loadBalancerAddresses(status?.loadBalancer?.ingress), ...manual].join(',') || '<pending>';
    default:
      return manual.join(',') || NONE;
  }
}

/** `80/TCP`; with a node port `80:30080/TCP`. */
function portText({ nodePort = 0, port = 0, protocol = '' }: CoreV1ServicePort): string {
  return `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`;
}

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
