/** Cells of networking kinds, except Service. */
import { compareBytes, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import {
  creationAge,
  joinFirst,
  nameOf,
  NONE,
  numberAt,
  objectsAt,
  textOr,
  scalarText,
  selectorText,
  textsAt,
  UNSET,
  type PrintCells,
} from '../table/cell';

const MAX_ITEMS = 3;

export const NETWORKING_CELLS: Readonly<Record<string, PrintCells>> = {
  Endpoints: (object) => [nameOf(object), endpointsText(object), creationAge(object)],
  EndpointSlice: (object) => {
    const ports = objectsAt(object, 'ports').map((port) => scalarText(port, 'port') ?? stringAt(port, 'name') ?? '');
    const addresses = objectsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
    const type = stringAt(object, 'addressType') ?? '';
    return [nameOf(object), type, joinFirst(ports, MAX_ITEMS) || UNSET, joinFirst(addresses, MAX_ITEMS) || UNSET, creationAge(object)];
  },
  Ingress: (object) => {
    const spec = objectAt(object, 'spec');
    const hosts = objectsAt(spec, 'rules').flatMap((rule) => stringAt(rule, 'host') || []);
    return [
      nameOf(object),
      stringAt(spec, 'ingressClassName') ?? NONE,
      joinFirst(hosts, MAX_ITEMS) || '*',
      addressesText(object),
      objectsAt(spec, 'tls').length > 0 ? '80, 443' : '80',
      creationAge(object),
    ];
  },
  IngressClass: (object) => {
    const spec = objectAt(object, 'spec');
    return [nameOf(object), stringAt(spec, 'controller') ?? '', parametersText(objectAt(spec, 'parameters')), creationAge(object)];
  },
  NetworkPolicy: (object) => [nameOf(object), selectorText(objectAt(objectAt(object, 'spec'), 'podSelector')), creationAge(object)],
};

/** Every ready address with every port of its subset. */
function endpointsText(object: JsonObject): string {
  const subsets = objectsAt(object, 'subsets');
  if (subsets.length === 0) return NONE;
  const endpoints = subsets.flatMap((subset) => {
    const addresses = objectsAt(subset, 'addresses').map((address) => stringAt(address, 'ip') ?? '');
    const ports = objectsAt(subset, 'ports');
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => `${bracketIpv6(address)}:${numberAt(port, 'port')}`));
  });
  return joinFirst(endpoints, MAX_ITEMS);
}

function bracketIpv6(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function addressesText(object: JsonObject): string {
  const ingressPoints = objectsAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress');
  const addresses = new Set(ingressPoints.map((point) => textOr(stringAt(point, 'ip'), stringAt(point, 'hostname') ?? '')));
  addresses.delete('');
  return [...addresses].sort(compareBytes).join(',');
}

function parametersText(parameters: JsonObject | undefined): string {
  if (parameters === undefined) return NONE;
  const group = stringAt(parameters, 'apiGroup') ?? '';
  return `${stringAt(parameters, 'kind') ?? ''}${group === '' ? '' : `.${group}`}/${stringAt(parameters, 'name') ?? ''}`;
}
