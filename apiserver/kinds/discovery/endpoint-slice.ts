/** EndpointSlice: what its endpoints, their addresses and its ports may say, and how many of each there may be. */
import {
  duplicateValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  tooManyItems,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { equalJson, stringAt } from '../../../shared/values/json';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkFullyQualifiedDomainName,
  checkLabelValue,
  checkQualifiedName,
} from '../../../shared/values/name-formats';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { checkReachable } from '../rules/addresses';
import { checkDistinct, checkFormat, checkGiven, checkOptional, type Errors } from '../rules/checks';
import { PROTOCOLS } from '../rules/numbers';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  DiscoveryV1Endpoint,
  DiscoveryV1EndpointPort,
  DiscoveryV1EndpointSlice,
  DiscoveryV1ForZone,
} from '../../../shared/api/types/generated/members';

const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
/** As the API documents it; upstream's own server takes 20,000 (test/support/deviations.ts). */
const MOST_PORTS = 100;
const MOST_ZONES = 8;

type AddressRule = (address: string, field: string, errors: Errors) => void;

const ADDRESS_RULES: ReadonlyMap<string, AddressRule> = new Map<string, AddressRule>([
  ['FQDN', checkFullyQualified],
  ['IPv4', (address, field, errors) => checkReachable(address, field, errors, 4)],
  ['IPv6', (address, field, errors) => checkReachable(address, field, errors, 6)],
]);

export const endpointSlice: Strategy<DiscoveryV1EndpointSlice> = {
  prepareForCreate: (object) => object.endpoints?.forEach(dropTopology),
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

const typeOf = (object: DiscoveryV1EndpointSlice): string => object.addressType ?? '';

function dropTopology(endpoint: DiscoveryV1Endpoint): void {
  delete endpoint.deprecatedTopology;
}

/** The topology of an older version stays as long as the endpoints do; afterwards only the node that it named is left of it. */
function settleTopology(object: DiscoveryV1EndpointSlice, old: DiscoveryV1EndpointSlice): void {
  if (equalJson(object.endpoints, old.endpoints)) return;
  const nodes = new Set(old.endpoints?.map(nodeOfTopology));
  for (const endpoint of object.endpoints ?? []) {
    const node = nodeOfTopology(endpoint);
    if (node !== undefined && nodes.has(node) && endpoint.nodeName === undefined) endpoint.nodeName = node;
    dropTopology(endpoint);
  }
}

function nodeOfTopology({ deprecatedTopology: topology = {} }: DiscoveryV1Endpoint): string | undefined {
  const name = Object.keys(topology).find((key) => canonicalQualifiedName(key) === 'platform.io/hostname');
  return name === undefined ? undefined : stringAt(topology, name);
}

function validate(object: DiscoveryV1EndpointSlice): readonly FieldError[] {
  const type = typeOf(object);
  const errors: Errors = [];
  if (type === '') errors.push(requiredValue('addressType'));
  else if (!ADDRESS_RULES.has(type)) errors.push(unsupportedValue('addressType', type, [...ADDRESS_RULES.keys()]));
  checkEndpoints(object.endpoints ?? [], ADDRESS_RULES.get(type), errors);
  checkPorts(object.ports ?? [], errors);
  return errors;
}

function checkEndpoints(endpoints: readonly DiscoveryV1Endpoint[], rule: AddressRule | undefined, errors: Errors): void {
  if (endpoints.length > MOST_ENDPOINTS) errors.push(tooManyItems('endpoints', endpoints.length, MOST_ENDPOINTS));
  else endpoints.forEach((endpoint, index) => checkEndpoint(endpoint, `endpoints[${index}]`, rule, errors));
}

function checkEndpoint(endpoint: DiscoveryV1Endpoint, place: string, rule: AddressRule | undefined, errors: Errors): void {
  const addresses = endpoint.addresses ?? [];
  const field = `${place}.addresses`;
  if (addresses.length === 0) errors.push(requiredValue(field, 'must contain at least 1 address'));
  else if (addresses.length > MOST_ADDRESSES) errors.push(tooManyItems(field, addresses.length, MOST_ADDRESSES));
  if (rule !== undefined) checkAddresses(addresses, field, rule, errors);
  checkGiven(endpoint, 'nodeName', place, errors, checkDnsSubdomain);
  checkGiven(endpoint, 'hostname', place, errors, checkDnsLabel);
  checkZones(endpoint.hints?.forZones ?? [], `${place}.hints.forZones`, errors);
}

/** Of a known type; of another one nobody knows which are the same. */
function checkAddresses(addresses: readonly string[], field: string, rule: AddressRule, errors: Errors): void {
  addresses.forEach((address, index) => rule(address, `${field}[${index}]`, errors));
  checkDistinct(addresses.slice(0, MOST_ADDRESSES), field, errors);
}

function checkZones(zones: readonly DiscoveryV1ForZone[], field: string, errors: Errors): void {
  if (zones.length > MOST_ZONES) {
    errors.push(tooManyItems(field, zones.length, MOST_ZONES));
    return;
  }
  const seen = new Set<string>();
  zones.forEach(({ name = '' }, index) => {
    const place = `${field}[${index}].name`;
    if (seen.has(name)) errors.push(duplicateValue(place, name));
    seen.add(name);
    checkFormat(name, place, checkLabelValue, errors);
  });
}

/** An absent number, name or protocol is left to the consumer; numbers are not looked at (upstream behaviour). */
function checkPorts(ports: readonly DiscoveryV1EndpointPort[], errors: Errors): void {
  if (ports.length > MOST_PORTS) {
    errors.push(tooManyItems('ports', ports.length, MOST_PORTS));
    return;
  }
  const seen = new Set<string>();
  ports.forEach((port, index) => {
    const place = `ports[${index}]`;
    const { name = '', protocol } = port;
    checkOptional(port, 'name', place, errors, checkDnsLabel);
    if (seen.has(name)) errors.push(duplicateValue(`${place}.name`, name));
    seen.add(name);
    if (protocol === undefined) errors.push(requiredValue(`${place}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(unsupportedValue(`${place}.protocol`, protocol, PROTOCOLS));
    checkGiven(port, 'appProtocol', place, errors, checkQualifiedName);
  });
}

function checkFullyQualified(address: string, field: string, errors: Errors): void {
  if (address === '') errors.push(requiredValue(field));
  else for (const { part, message } of checkFullyQualifiedDomainName(address)) errors.push(invalidValue(field, part, message));
}
