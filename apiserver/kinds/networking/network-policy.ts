/** NetworkPolicy: ports, peers, blocks of addresses and policy types (checked against release 1.31.1). */
import { append } from '../../../shared/values/append';
import { forbiddenField, invalidAs, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { parseIpRange, rangeIsWithin } from '../../../shared/values/ip-address';
import { type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../shared/values/json';
import { portName } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/quote';
import { labelSelectorErrors, type SelectorRules } from '../../../shared/api/selectors/label-selector-rules';
import { cidrErrors, listed, misnamed, portNumberErrors } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
const STRICT: SelectorRules = { anyValue: false };

export const networkPolicy: Strategy = {
  validate: policyErrors,
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: { stages: UPDATE.objectThenChange, validate: policyErrors },
};

function policyErrors(object: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  // Who has a wrong selector from the days before values were checked need not mend it (upstream behaviour).
  const anyValue = old !== undefined && labelSelectorErrors(objectAt(specOf(old), 'podSelector'), '', STRICT).length > 0;
  return specErrors(specOf(object), { anyValue });
}

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

function specErrors(spec: JsonObject, selectors: SelectorRules): readonly FieldError[] {
  return [
    ...labelSelectorErrors(objectAt(spec, 'podSelector'), 'spec.podSelector', selectors),
    ...listed(spec, 'ingress').flatMap((rule, index) => ruleErrors(rule, `spec.ingress[${index}]`, 'from', selectors)),
    ...listed(spec, 'egress').flatMap((rule, index) => ruleErrors(rule, `spec.egress[${index}]`, 'to', selectors)),
    ...typeErrors(stringsAt(spec, 'policyTypes')),
  ];
}

function ruleErrors(rule: JsonObject, place: string, peers: 'from' | 'to', selectors: SelectorRules): readonly FieldError[] {
  return [
    ...listed(rule, 'ports').flatMap((port, index) => portErrors(port, `${place}.ports[${index}]`)),
    ...listed(rule, peers).flatMap((peer, index) => peerErrors(peer, `${place}.${peers}[${index}]`, selectors)),
  ];
}

function portErrors(port: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const protocol = stringAt(port, 'protocol');
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) errors.push(notSupported(`${place}.protocol`, protocol, PROTOCOLS));
  const value = own(port, 'port');
  const end = own(port, 'endPort');
  const last = typeof end === 'number' ? end : undefined;
  if (typeof value === 'number') {
    append(errors, portNumberErrors(value, `${place}.port`));
    if (last !== undefined) append(errors, rangeErrors(value, last, `${place}.endPort`));
  } else {
    const wanted = typeof value === 'string' ? 'is non-numeric' : 'is not specified';
    if (last !== undefined) errors.push(invalidAs(`${place}.endPort`, String(last), `may not be specified when \`port\` ${wanted}`));
    if (typeof value === 'string') append(errors, misnamed(value, `${place}.port`, portName));
  }
  return errors;
}

function rangeErrors(first: number, last: number, field: string): readonly FieldError[] {
  const backwards = last < first ? [invalidAs(field, String(first), 'must be greater than or equal to `port`')] : [];
  return [...backwards, ...portNumberErrors(last, field)];
}

function peerErrors(peer: JsonObject, place: string, selectors: SelectorRules): readonly FieldError[] {
  const [pods, namespaces, block] = [objectAt(peer, 'podSelector'), objectAt(peer, 'namespaceSelector'), objectAt(peer, 'ipBlock')];
  const errors = [
    ...labelSelectorErrors(pods, `${place}.podSelector`, selectors),
    ...labelSelectorErrors(namespaces, `${place}.namespaceSelector`, selectors),
    ...(block === undefined ? [] : blockErrors(block, `${place}.ipBlock`)),
  ];
  const selects = pods !== undefined || namespaces !== undefined;
  if (!selects && block === undefined) errors.push(required(place, 'must specify a peer'));
  else if (selects && block !== undefined) errors.push(forbiddenField(place, 'may not specify both ipBlock and another peer'));
  return errors;
}

function blockErrors(block: JsonObject, place: string): readonly FieldError[] {
  const cidr = stringAt(block, 'cidr') ?? '';
  if (cidr === '') return [required(`${place}.cidr`)];
  const range = parseIpRange(cidr);
  if (range === undefined) return cidrErrors(cidr, `${place}.cidr`);
  return stringsAt(block, 'except').flatMap((except, index) => {
    const field = `${place}.except[${index}]`;
    const inner = parseIpRange(except);
    if (inner === undefined) return cidrErrors(except, field);
    return rangeIsWithin(inner, range) ? [] : [invalidValue(field, except, 'must be a strict subset of `cidr`')];
  });
}

function typeErrors(types: readonly string[]): readonly FieldError[] {
  if (types.length > TYPES.length) {
    const shown = `[]networking.PolicyType{${types.map((type) => quote(type)).join(', ')}}`;
    return [invalidAs('spec.policyTypes', shown, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, index) => (TYPES.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, TYPES)]));
}
