/** EndpointSlice (behaviour-reference §5.8, limits of specification §9). */
import { append } from '../../../shared/values/append';
import { duplicate, invalidValue, notSupported, required, tooMany, type FieldError } from '../../../shared/api/errors/field-error';
import { equalJson, type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../shared/values/json';
import { dnsLabel, dnsSubdomain, fullyQualifiedName, labelValue, qualifiedName } from '../../../shared/values/name-formats';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { listed, misnamed, misnamedMember, PROTOCOLS, unreachableErrors } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
/** Upstream's bound: beyond the 100 that the specification promises, so that whoever has more is not refused here alone. */
const MOST_PORTS = 100;
const MOST_ZONES = 8;

type AddressRule = (address: string, field: string) => readonly FieldError[];

const ADDRESS_RULES: ReadonlyMap<string, AddressRule> = new Map<string, AddressRule>([
  ['FQDN', fullyQualifiedErrors],
  ['IPv4', (address, field) => unreachableErrors(address, field, 4)],
  ['IPv6', (address, field) => unreachableErrors(address, field, 6)],
]);

export const endpointSlice: Strategy = {
  prepareForCreate: (object) => listed(object, 'endpoints').forEach(dropTopology),
  validate,
  update: {
    stages: UPDATE.objectThenChangeAlone,
    prepareForUpdate: settleTopology,
    validate(object, old) {
      const type = typeOf(object);
      return type === typeOf(old) ? [] : [invalidValue('addressType', type, 'field is immutable')];
    },
  },
  warningsOnCreate: (object) => (typeOf(object) === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
};

const typeOf = (object: JsonObject): string => stringAt(object, 'addressType') ?? '';

function dropTopology(endpoint: JsonObject): void {
  delete endpoint['deprecatedTopology'];
}

/** The topology of an older version stays as long as the endpoints do; afterwards only the node that it named is left of it. */
function settleTopology(object: JsonObject, old: JsonObject): void {
  if (equalJson(own(object, 'endpoints'), own(old, 'endpoints'))) return;
  const nodes = new Set(listed(old, 'endpoints').map(nodeOfTopology));
  for (const endpoint of listed(object, 'endpoints')) {
    const node = nodeOfTopology(endpoint);
    if (node !== undefined && nodes.has(node) && own(endpoint, 'nodeName') === undefined) endpoint['nodeName'] = node;
    dropTopology(endpoint);
  }
}

function nodeOfTopology(endpoint: JsonObject): string | undefined {
  const topology = objectAt(endpoint, 'deprecatedTopology') ?? {};
  const name = Object.keys(topology).find((key) => canonicalQualifiedName(key) === 'platform.io/hostname');
  return name === undefined ? undefined : stringAt(topology, name);
}

function validate(object: JsonObject): readonly FieldError[] {
  return [...addressTypeErrors(typeOf(object)), ...endpointsErrors(object), ...portsErrors(listed(object, 'ports'))];
}

function addressTypeErrors(type: string): readonly FieldError[] {
  if (type === '') return [required('addressType')];
  return ADDRESS_RULES.has(type) ? [] : [notSupported('addressType', type, [...ADDRESS_RULES.keys()])];
}

function endpointsErrors(object: JsonObject): readonly FieldError[] {
  const endpoints = listed(object, 'endpoints');
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MOST_ENDPOINTS)];
  const rule = ADDRESS_RULES.get(typeOf(object));
  return endpoints.flatMap((endpoint, index) => endpointErrors(endpoint, `endpoints[${index}]`, rule));
}

function endpointErrors(endpoint: JsonObject, place: string, rule: AddressRule | undefined): readonly FieldError[] {
  const addresses = stringsAt(endpoint, 'addresses');
  const field = `${place}.addresses`;
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(field, 'must contain at least 1 address'));
  else if (addresses.length > MOST_ADDRESSES) errors.push(tooMany(field, addresses.length, MOST_ADDRESSES));
  if (rule !== undefined) addresses.forEach((address, index) => append(errors, rule(address, `${field}[${index}]`)));
  const seen = new Set<string>();
  addresses.slice(0, MOST_ADDRESSES).forEach((address, index) => {
    if (seen.has(address)) errors.push(duplicate(`${field}[${index}]`, address));
    seen.add(address);
  });
  append(errors, misnamedMember(endpoint, 'nodeName', place, dnsSubdomain));
  append(errors, misnamedMember(endpoint, 'hostname', place, dnsLabel));
  return [...errors, ...zoneErrors(listed(objectAt(endpoint, 'hints'), 'forZones'), `${place}.hints.forZones`)];
}

function zoneErrors(zones: readonly JsonObject[], field: string): readonly FieldError[] {
  if (zones.length > MOST_ZONES) return [tooMany(field, zones.length, MOST_ZONES)];
  const names = zones.map((zone) => stringAt(zone, 'name') ?? '');
  return names.flatMap((name, index) => {
    const place = `${field}[${index}].name`;
    const again = names.indexOf(name) < index;
    return again ? [duplicate(place, name), ...misnamed(name, place, labelValue)] : misnamed(name, place, labelValue);
  });
}

/** An absent number, name or protocol is left to the consumer; numbers are not looked at (upstream behaviour). */
function portsErrors(ports: readonly JsonObject[]): readonly FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany('ports', ports.length, MOST_PORTS)];
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const place = `ports[${index}]`;
    const errors: FieldError[] = [];
    const name = stringAt(port, 'name') ?? '';
    if (name !== '') append(errors, misnamed(name, `${place}.name`, dnsLabel));
    if (seen.has(name)) errors.push(duplicate(`${place}.name`, name));
    seen.add(name);
    const protocol = stringAt(port, 'protocol');
    if (protocol === undefined) errors.push(required(`${place}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${place}.protocol`, protocol, PROTOCOLS));
    return [...errors, ...misnamedMember(port, 'appProtocol', place, qualifiedName)];
  });
}

function fullyQualifiedErrors(address: string, field: string): readonly FieldError[] {
  if (address === '') return [required(field)];
  return fullyQualifiedName(address).map(({ part, text }) => invalidValue(field, part, text));
}
