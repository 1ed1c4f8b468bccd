/** Cells of the kinds of traffic, besides Services. */
import { compareBytes, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { created, firstOf, name, NONE, numberAt, objects, or, scalarText, selectorText, texts, UNSET, type Cells } from '../table/cell';

const MOST = 3;

export const NETWORKING_CELLS: Readonly<Record<string, Cells>> = {
  Endpoints: (object) => [name(object), endpointsText(object), created(object)],
  EndpointSlice: (object) => {
    const ports = objects(object, 'ports').map((port) => scalarText(port, 'port') ?? stringAt(port, 'name') ?? '');
    const addresses = objects(object, 'endpoints').flatMap((endpoint) => texts(endpoint, 'addresses'));
    const type = stringAt(object, 'addressType') ?? '';
    return [name(object), type, firstOf(ports, MOST) || UNSET, firstOf(addresses, MOST) || UNSET, created(object)];
  },
  Ingress: (object) => {
    const spec = objectAt(object, 'spec');
    const hosts = objects(spec, 'rules').flatMap((rule) => stringAt(rule, 'host') || []);
    return [
      name(object),
      stringAt(spec, 'ingressClassName') ?? NONE,
      firstOf(hosts, MOST) || '*',
      addressesText(object),
      objects(spec, 'tls').length > 0 ? '80, 443' : '80',
      created(object),
    ];
  },
  IngressClass: (object) => {
    const spec = objectAt(object, 'spec');
    return [name(object), stringAt(spec, 'controller') ?? '', parametersText(objectAt(spec, 'parameters')), created(object)];
  },
  NetworkPolicy: (object) => [name(object), selectorText(objectAt(objectAt(object, 'spec'), 'podSelector')), created(object)],
};

/** Every ready address with every port of its subset. */
function endpointsText(object: JsonObject): string {
  const subsets = objects(object, 'subsets');
  if (subsets.length === 0) return NONE;
  const all = subsets.flatMap((subset) => {
    const addresses = objects(subset, 'addresses').map((address) => stringAt(address, 'ip') ?? '');
    const ports = objects(subset, 'ports');
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => `${inBrackets(address)}:${numberAt(port, 'port')}`));
  });
  return firstOf(all, MOST);
}

function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function addressesText(object: JsonObject): string {
  const points = objects(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress');
  const given = new Set(points.map((point) => or(stringAt(point, 'ip'), stringAt(point, 'hostname') ?? '')));
  given.delete('');
  return [...given].sort(compareBytes).join(',');
}

function parametersText(parameters: JsonObject | undefined): string {
  if (parameters === undefined) return NONE;
  const group = stringAt(parameters, 'apiGroup') ?? '';
  return `${stringAt(parameters, 'kind') ?? ''}${group === '' ? '' : `.${group}`}/${stringAt(parameters, 'name') ?? ''}`;
}
