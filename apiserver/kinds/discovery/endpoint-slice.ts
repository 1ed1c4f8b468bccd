/**
 * EndpointSlice strategy: all addresses have the slice's immutable address type, and the numbers of endpoints,
 * addresses, ports and zones are bounded. Which pods are endpoints is left to the controller.
 */
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
import { checkNonSpecialIp } from '../rules/addresses';
import { checkDistinct, checkFormat, checkIfPresent, checkIfNotEmpty, type Errors } from '../rules/checks';
import { checkProtocol } from '../rules/numbers';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  DiscoveryV1Endpoint,
  DiscoveryV1EndpointPort,
  DiscoveryV1EndpointSlice,
  DiscoveryV1ForZone,
} from '../../../shared/api/types/generated/members';

const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
/** The documented limit; upstream's server accepts 20,000 (test/support/deviations/validation-deviations.ts). */
const MAX_PORTS = 100;
const MAX_ZONES = 8;

/** Checks one address of an endpoint. */
type AddressRule = (address: string, field: string, errors: Errors) => void;

/** By address type. */
const ADDRESS_RULES: ReadonlyMap<string, AddressRule> = new Map<string, AddressRule>([
  ['FQDN', checkFullyQualified],
  ['IPv4', (address, field, errors) => checkNonSpecialIp(address, field, errors, 4)],
  ['IPv6', (address, field, errors) => checkNonSpecialIp(address, field, errors, 6)],
]);

export const endpointSlice: Strategy<DiscoveryV1EndpointSlice> = {
  prepareForCreate: (object) => object.endpoints?.forEach(dropTopology),
  validate,
  update: {
    stages: UPDATE.objectThenChangeAlone,
    prepareForUpdate: dropTopologyOnUpdate,
    validate(object, old) {
      const type = addressTypeOf(object);
      return type === addressTypeOf(old) ? [] : [invalidValue('addressType', type, 'field is immutable')];
    },
  },
  warningsOnCreate: (object) => (addressTypeOf(object) === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
};

const addressTypeOf = (object: DiscoveryV1EndpointSlice): string => object.addressType ?? '';

function dropTopology(endpoint: DiscoveryV1Endpoint): void {
  delete endpoint.deprecatedTopology;
}

/** Keeps the deprecated topology while the endpoints do not change; afterwards only the node name is carried over. */
function dropTopologyOnUpdate(object: DiscoveryV1EndpointSlice, old: DiscoveryV1EndpointSlice): void {
  if (equalJson(object.endpoints, old.endpoints)) return;
  const nodes = new Set(old.endpoints?.map(nodeOfTopology));
  for (const endpoint of object.endpoints ?? []) {
    const node = nodeOfTopology(endpoint);
    if (node !== undefined && nodes.has(node) && endpoint.nodeName === undefined) endpoint.nodeName = node;
    dropTopology(endpoint);
  }
}

/** The node that the deprecated topology names; `undefined` when it names none. */
function nodeOfTopology({ deprecatedTopology: topology = {} }: DiscoveryV1Endpoint): string | undefined {
  const name = Object.keys(topology).find((key) => canonicalQualifiedName(key) === 'platform.io/hostname');
  return name === undefined ? undefined : stringAt(topology, name);
}

function validate(object: DiscoveryV1EndpointSlice): readonly FieldError[] {
  const type = addressTypeOf(object);
  const errors: Errors = [];
  if (type === '') errors.push(requiredValue('addressType'));
  else if (!ADDRESS_RULES.has(type)) errors.push(unsupportedValue('addressType', type, [...ADDRESS_RULES.keys()]));
  checkEndpoints(object.endpoints ?? [], ADDRESS_RULES.get(type), errors);
  checkPorts(object.ports ?? [], errors);
  return errors;
}

function checkEndpoints(endpoints: readonly DiscoveryV1Endpoint[], rule: AddressRule | undefined, errors: Errors): void {
  if (endpoints.length > MAX_ENDPOINTS) errors.push(tooManyItems('endpoints', endpoints.length, MAX_ENDPOINTS));
  else endpoints.forEach((endpoint, index) => checkEndpoint(endpoint, `endpoints[${index}]`, rule, errors));
}

function checkEndpoint(endpoint: DiscoveryV1Endpoint, fieldPath: string, rule: AddressRule | undefined, errors: Errors): void {
  const addresses = endpoint.addresses ?? [];
  const field = `${fieldPath}.addresses`;
  if (addresses.length === 0) errors.push(requiredValue(field, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES) errors.push(tooManyItems(field, addresses.length, MAX_ADDRESSES));
  if (rule !== undefined) checkAddresses(addresses, field, rule, errors);
  checkIfPresent(endpoint, 'nodeName', fieldPath, errors, checkDnsSubdomain);
  checkIfPresent(endpoint, 'hostname', fieldPath, errors, checkDnsLabel);
  checkZones(endpoint.hints?.forZones ?? [], `${fieldPath}.hints.forZones`, errors);
}

/** Only for known types: addresses of an unknown type cannot be compared. */
function checkAddresses(addresses: readonly string[], field: string, rule: AddressRule, errors: Errors): void {
  addresses.forEach((address, index) => rule(address, `${field}[${index}]`, errors));
  // Repeated addresses beyond the limit are not reported, because the number of addresses is reported.
  checkDistinct(addresses.slice(0, MAX_ADDRESSES), field, errors);
}

function checkZones(zones: readonly DiscoveryV1ForZone[], field: string, errors: Errors): void {
  if (zones.length > MAX_ZONES) {
    errors.push(tooManyItems(field, zones.length, MAX_ZONES));
    return;
  }
  const seen = new Set<string>();
  zones.forEach(({ name = '' }, index) => {
    const fieldPath = `${field}[${index}].name`;
    if (seen.has(name)) errors.push(duplicateValue(fieldPath, name));
    seen.add(name);
    checkFormat(name, fieldPath, checkLabelValue, errors);
  });
}

/** Names and numbers may be absent, and numbers are not validated (upstream behaviour). */
function checkPorts(ports: readonly DiscoveryV1EndpointPort[], errors: Errors): void {
  if (ports.length > MAX_PORTS) {
    errors.push(tooManyItems('ports', ports.length, MAX_PORTS));
    return;
  }
  const seen = new Set<string>();
  ports.forEach((port, index) => {
    const fieldPath = `ports[${index}]`;
    const { name = '', protocol } = port;
    checkIfNotEmpty(port, 'name', fieldPath, errors, checkDnsLabel);
    if (seen.has(name)) errors.push(duplicateValue(`${fieldPath}.name`, name));
    seen.add(name);
    if (protocol === undefined) errors.push(requiredValue(`${fieldPath}.protocol`));
    else checkProtocol(protocol, `${fieldPath}.protocol`, errors);
    checkIfPresent(port, 'appProtocol', fieldPath, errors, checkQualifiedName);
  });
}

function checkFullyQualified(address: string, field: string, errors: Errors): void {
  if (address === '') errors.push(requiredValue(field));
  else for (const { part, message } of checkFullyQualifiedDomainName(address)) errors.push(invalidValue(field, part, message));
}
