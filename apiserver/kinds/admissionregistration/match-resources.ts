/**
 * Validates the match resources of policies and bindings: rules, excluded rules, and selectors. Whether a request
 * matches is decided in admission.
 */
import { duplicateValue } from '../../../shared/api/errors/field-error';
import type {
  AdmissionregistrationV1MatchResources,
  AdmissionregistrationV1NamedRuleWithOperations,
} from '../../../shared/api/types/generated/members';
import { checkPathSegment } from '../../../shared/values/name-formats';
import { checkEnum, checkFormat, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { checkRuleWithOperations } from './webhook-rules';

const MATCH_POLICIES = ['Equivalent', 'Exact'];

export function checkMatchResources(match: AdmissionregistrationV1MatchResources, fieldPath: string, errors: Errors): void {
  checkEnum(match, 'matchPolicy', fieldPath, MATCH_POLICIES, errors);
  checkSelector(match.namespaceSelector, `${fieldPath}.namespaceSelector`, errors);
  checkSelector(match.objectSelector, `${fieldPath}.objectSelector`, errors);
  (match.resourceRules ?? []).forEach((rule, index) => checkNamedRule(rule, `${fieldPath}.resourceRules[${index}]`, errors));
  (match.excludeResourceRules ?? []).forEach((rule, index) => checkNamedRule(rule, `${fieldPath}.excludeResourceRules[${index}]`, errors));
}

function checkNamedRule(rule: AdmissionregistrationV1NamedRuleWithOperations, fieldPath: string, errors: Errors): void {
  const names = new Set<string>();
  (rule.resourceNames ?? []).forEach((name, index) => {
    const field = `${fieldPath}.resourceNames[${index}]`;
    checkFormat(name, field, checkPathSegment, errors);
    if (names.has(name)) errors.push(duplicateValue(field, name));
    names.add(name);
  });
  checkRuleWithOperations(rule, fieldPath, errors);
}
