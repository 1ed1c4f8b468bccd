/** NetworkPolicy: ports, peers, blocks of addresses and policy types (checked against release 1.31.1). */
import {
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { parseIpRange, isStrictSubrange } from '../../../shared/values/ip-address';
import { checkPortName } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/quote';
import { appendAll } from '../../../shared/values/append';
import { labelSelectorErrors, type SelectorRules } from '../../../shared/api/selectors/label-selector-rules';
import { checkCidr } from '../rules/addresses';
import { checkChoice, checkFormat, type Errors } from '../rules/checks';
import { checkPort } from '../rules/numbers';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  MetaV1LabelSelector,
  NetworkingV1IPBlock,
  NetworkingV1NetworkPolicy,
  NetworkingV1NetworkPolicyPeer,
  NetworkingV1NetworkPolicyPort,
} from '../../../shared/api/types/generated/members';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
const STRICT: SelectorRules = { allowsAnyValue: false };

export const networkPolicy: Strategy<NetworkingV1NetworkPolicy> = {
  validate: validatePolicy,
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: { stages: UPDATE.objectThenChange, validate: validatePolicy },
};

function validatePolicy({ spec = {} }: NetworkingV1NetworkPolicy, old: NetworkingV1NetworkPolicy | undefined): readonly FieldError[] {
  // Who has a wrong selector from the days before values were checked need not mend it (upstream behaviour).
  const allowsAnyValue = old !== undefined && labelSelectorErrors(old.spec?.podSelector, '', STRICT).length > 0;
  const selectors = { allowsAnyValue };
  const errors: Errors = [];
  checkSelector(spec.podSelector, 'spec.podSelector', selectors, errors);
  spec.ingress?.forEach(({ ports, from }, index) => {
    const place = `spec.ingress[${index}]`;
    checkPorts(ports, `${place}.ports`, errors);
    checkPeers(from, `${place}.from`, selectors, errors);
  });
  spec.egress?.forEach(({ ports, to }, index) => {
    const place = `spec.egress[${index}]`;
    checkPorts(ports, `${place}.ports`, errors);
    checkPeers(to, `${place}.to`, selectors, errors);
  });
  checkTypes(spec.policyTypes ?? [], errors);
  return errors;
}

/** An absent selector is good. */
function checkSelector(selector: MetaV1LabelSelector | undefined, field: string, rules: SelectorRules, errors: Errors): void {
  appendAll(errors, labelSelectorErrors(selector, field, rules));
}

function checkPorts(ports: readonly NetworkingV1NetworkPolicyPort[] | undefined, place: string, errors: Errors): void {
  ports?.forEach((port, index) => checkPolicyPort(port, `${place}[${index}]`, errors));
}

function checkPolicyPort(policyPort: NetworkingV1NetworkPolicyPort, place: string, errors: Errors): void {
  const { port, endPort: last } = policyPort;
  checkChoice(policyPort, 'protocol', place, PROTOCOLS, errors);
  if (typeof port === 'number') {
    checkPort(port, `${place}.port`, errors);
    if (last === undefined) return;
    if (last < port) errors.push(invalidShownValue(`${place}.endPort`, String(port), 'must be greater than or equal to `port`'));
    checkPort(last, `${place}.endPort`, errors);
    return;
  }
  const wanted = port === undefined ? 'is not specified' : 'is non-numeric';
  if (last !== undefined) errors.push(invalidShownValue(`${place}.endPort`, String(last), `may not be specified when \`port\` ${wanted}`));
  if (port !== undefined) checkFormat(port, `${place}.port`, checkPortName, errors);
}

function checkPeers(
  peers: readonly NetworkingV1NetworkPolicyPeer[] | undefined,
  place: string,
  selectors: SelectorRules,
  errors: Errors,
): void {
  peers?.forEach((peer, index) => checkPeer(peer, `${place}[${index}]`, selectors, errors));
}

function checkPeer(peer: NetworkingV1NetworkPolicyPeer, place: string, selectors: SelectorRules, errors: Errors): void {
  const { podSelector: pods, namespaceSelector: namespaces, ipBlock: block } = peer;
  checkSelector(pods, `${place}.podSelector`, selectors, errors);
  checkSelector(namespaces, `${place}.namespaceSelector`, selectors, errors);
  if (block !== undefined) checkBlock(block, `${place}.ipBlock`, errors);
  const selects = pods !== undefined || namespaces !== undefined;
  if (!selects && block === undefined) errors.push(requiredValue(place, 'must specify a peer'));
  else if (selects && block !== undefined) errors.push(forbiddenField(place, 'may not specify both ipBlock and another peer'));
}

function checkBlock({ cidr = '', except }: NetworkingV1IPBlock, place: string, errors: Errors): void {
  if (cidr === '') {
    errors.push(requiredValue(`${place}.cidr`));
    return;
  }
  checkCidr(cidr, `${place}.cidr`, errors);
  const range = parseIpRange(cidr);
  if (range === undefined) return;
  except?.forEach((text, index) => {
    const field = `${place}.except[${index}]`;
    const inner = parseIpRange(text);
    checkCidr(text, field, errors);
    if (inner !== undefined && !isStrictSubrange(inner, range)) errors.push(invalidValue(field, text, 'must be a strict subset of `cidr`'));
  });
}

function checkTypes(types: readonly string[], errors: Errors): void {
  if (types.length > TYPES.length) {
    const shown = `[]networking.PolicyType{${types.map((type) => quote(type)).join(', ')}}`;
    errors.push(invalidShownValue('spec.policyTypes', shown, 'may not specify more than two policyTypes'));
    return;
  }
  types.forEach((type, index) => {
    if (!TYPES.includes(type)) errors.push(unsupportedValue(`spec.policyTypes[${index}]`, type, TYPES));
  });
}
