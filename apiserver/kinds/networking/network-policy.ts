/**
 * NetworkPolicy strategy: selectors, peers and ports (checked against release 1.31.1). Invalid selector values may
 * stay in updates of a policy that has them. Policies are enforced by the network plug-in.
 */
import {
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { parseIpRange, isStrictSubrange } from '../../../shared/values/network/ip-address';
import { checkPortName } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/text/quote';
import { appendAll } from '../../../shared/values/append';
import { labelSelectorErrors, type SelectorRules } from '../../../shared/api/selectors/label-selector-rules';
import { checkCidr } from '../rules/addresses';
import { checkEnum, checkFormat, type Errors } from '../rules/checks';
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

/** In the order of messages, which differs from that of other kinds. */
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
const STRICT: SelectorRules = { allowsAnyValue: false };

export const networkPolicy: Strategy<NetworkingV1NetworkPolicy> = {
  validate: validatePolicy,
  // Upstream validates the whole object twice, which shows in the causes.
  update: { stages: UPDATE.objectThenChange, validate: validatePolicy },
};

function validatePolicy({ spec = {} }: NetworkingV1NetworkPolicy, old: NetworkingV1NetworkPolicy | undefined): readonly FieldError[] {
  // Invalid selector values are accepted if the stored podSelector is invalid, because it may be older than their
  // validation (upstream behaviour).
  const allowsAnyValue = old !== undefined && labelSelectorErrors(old.spec?.podSelector, '', STRICT).length > 0;
  const selectors = { allowsAnyValue };
  const errors: Errors = [];
  checkSelector(spec.podSelector, 'spec.podSelector', selectors, errors);
  spec.ingress?.forEach(({ ports, from }, index) => {
    const fieldPath = `spec.ingress[${index}]`;
    checkPorts(ports, `${fieldPath}.ports`, errors);
    checkPeers(from, `${fieldPath}.from`, selectors, errors);
  });
  spec.egress?.forEach(({ ports, to }, index) => {
    const fieldPath = `spec.egress[${index}]`;
    checkPorts(ports, `${fieldPath}.ports`, errors);
    checkPeers(to, `${fieldPath}.to`, selectors, errors);
  });
  checkTypes(spec.policyTypes ?? [], errors);
  return errors;
}

/** An absent selector is valid. */
function checkSelector(selector: MetaV1LabelSelector | undefined, field: string, rules: SelectorRules, errors: Errors): void {
  appendAll(errors, labelSelectorErrors(selector, field, rules));
}

function checkPorts(ports: readonly NetworkingV1NetworkPolicyPort[] | undefined, fieldPath: string, errors: Errors): void {
  ports?.forEach((port, index) => checkPolicyPort(port, `${fieldPath}[${index}]`, errors));
}

function checkPolicyPort(policyPort: NetworkingV1NetworkPolicyPort, fieldPath: string, errors: Errors): void {
  const { port, endPort } = policyPort;
  checkEnum(policyPort, 'protocol', fieldPath, PROTOCOLS, errors);
  if (typeof port === 'number') {
    checkPort(port, `${fieldPath}.port`, errors);
    if (endPort === undefined) return;
    // The error shows the port instead of the end (upstream behaviour).
    if (endPort < port) errors.push(invalidShownValue(`${fieldPath}.endPort`, String(port), 'must be greater than or equal to `port`'));
    checkPort(endPort, `${fieldPath}.endPort`, errors);
    return;
  }
  if (endPort !== undefined) {
    const reason = port === undefined ? 'is not specified' : 'is non-numeric';
    errors.push(invalidShownValue(`${fieldPath}.endPort`, String(endPort), `may not be specified when \`port\` ${reason}`));
  }
  if (port !== undefined) checkFormat(port, `${fieldPath}.port`, checkPortName, errors);
}

function checkPeers(
  peers: readonly NetworkingV1NetworkPolicyPeer[] | undefined,
  fieldPath: string,
  selectors: SelectorRules,
  errors: Errors,
): void {
  peers?.forEach((peer, index) => checkPeer(peer, `${fieldPath}[${index}]`, selectors, errors));
}

function checkPeer(peer: NetworkingV1NetworkPolicyPeer, fieldPath: string, selectors: SelectorRules, errors: Errors): void {
  const { podSelector: pods, namespaceSelector: namespaces, ipBlock: block } = peer;
  checkSelector(pods, `${fieldPath}.podSelector`, selectors, errors);
  checkSelector(namespaces, `${fieldPath}.namespaceSelector`, selectors, errors);
  if (block !== undefined) checkIpBlock(block, `${fieldPath}.ipBlock`, errors);
  const hasSelector = pods !== undefined || namespaces !== undefined;
  if (!hasSelector && block === undefined) errors.push(requiredValue(fieldPath, 'must specify a peer'));
  else if (hasSelector && block !== undefined) errors.push(forbiddenField(fieldPath, 'may not specify both ipBlock and another peer'));
}

function checkIpBlock({ cidr = '', except }: NetworkingV1IPBlock, fieldPath: string, errors: Errors): void {
  if (cidr === '') {
    errors.push(requiredValue(`${fieldPath}.cidr`));
    return;
  }
  checkCidr(cidr, `${fieldPath}.cidr`, errors);
  const range = parseIpRange(cidr);
  if (range === undefined) return;
  except?.forEach((text, index) => {
    const field = `${fieldPath}.except[${index}]`;
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
