/** Which requests a policy or a binding is about: rules, rules that take some of it away, and selectors. */
import { duplicateValue } from '../../../shared/api/errors/field-error';
import type {
  AdmissionregistrationV1MatchResources,
  AdmissionregistrationV1NamedRuleWithOperations,
} from '../../../shared/api/types/generated/members';
import { checkPathSegment } from '../../../shared/values/name-formats';
import { checkChoice, checkFormat, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { checkRule } from './webhook-rules';

const MATCH_POLICIES = ['Equivalent', 'Exact'];

export function checkMatchResources(match: AdmissionregistrationV1MatchResources, place: string, errors: Errors): void {
  checkChoice(match, 'matchPolicy', place, MATCH_POLICIES, errors);
  checkSelector(match.namespaceSelector, `${place}.namespaceSelector`, errors);
  checkSelector(match.objectSelector, `${place}.objectSelector`, errors);
  (match.resourceRules ?? []).forEach((rule, index) => checkNamedRule(rule, `${place}.resourceRules[${index}]`, errors));
  (match.excludeResourceRules ?? []).forEach((rule, index) => checkNamedRule(rule, `${place}.excludeResourceRules[${index}]`, errors));
}

function checkNamedRule(rule: AdmissionregistrationV1NamedRuleWithOperations, place: string, errors: Errors): void {
  const names = new Set<string>();
  (rule.resourceNames ?? []).forEach((name, index) => {
    const field = `${place}.resourceNames[${index}]`;
    checkFormat(name, field, checkPathSegment, errors);
    if (names.has(name)) errors.push(duplicateValue(field, name));
    names.add(name);
  });
  checkRule(rule, place, errors);
}
