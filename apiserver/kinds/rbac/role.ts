/**
 * Role and ClusterRole strategies: a rule allows verbs on resources, or on non-resource URLs in a ClusterRole, not on
 * both. That a user grants only what the user may do is checked before the write (authorization/rbac).
 */
import { invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { RbacV1AggregationRule, RbacV1ClusterRole, RbacV1PolicyRule, RbacV1Role } from '../../../shared/api/types/generated/members';

export const role: Strategy<RbacV1Role> = {
  validate: (object) => validateRules(object, { isNamespaced: true }),
  update: { stages: UPDATE.objectTwiceThenChange },
};
export const clusterRole: Strategy<RbacV1ClusterRole> = {
  validate(object) {
    const errors = validateRules(object, { isNamespaced: false });
    if (object.aggregationRule !== undefined) checkAggregation(object.aggregationRule, errors);
    return errors;
  },
  update: { stages: UPDATE.objectTwiceThenChange },
};

/** Whether the rules are those of a Role, which cannot allow non-resource URLs. */
interface RuleScope {
  readonly isNamespaced: boolean;
}

function validateRules(object: RbacV1Role | RbacV1ClusterRole, scope: RuleScope): Errors {
  const errors: Errors = [];
  object.rules?.forEach((rule, index) => checkRule(rule, `rules[${index}]`, scope, errors));
  return errors;
}

const RESOURCE_MEMBERS = ['apiGroups', 'resources', 'resourceNames'] as const;

function checkRule(rule: RbacV1PolicyRule, fieldPath: string, { isNamespaced }: RuleScope, errors: Errors): void {
  if (isEmpty(rule.verbs)) errors.push(requiredValue(`${fieldPath}.verbs`, 'verbs must contain at least one value'));
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length > 0) {
    const urlsError = (text: string): FieldError => invalidValue(`${fieldPath}.nonResourceURLs`, urls, text);
    if (isNamespaced) errors.push(urlsError('namespaced rules cannot apply to non-resource URLs'));
    const isMixed = RESOURCE_MEMBERS.some((member) => !isEmpty(rule[member]));
    if (isMixed) errors.push(urlsError('rules cannot apply to both regular resources and non-resource URLs'));
    return;
  }
  if (isEmpty(rule.apiGroups)) errors.push(requiredValue(`${fieldPath}.apiGroups`, 'resource rules must supply at least one api group'));
  if (isEmpty(rule.resources)) errors.push(requiredValue(`${fieldPath}.resources`, 'resource rules must supply at least one resource'));
}

const isEmpty = (list: readonly string[] | null | undefined): boolean => (list ?? []).length === 0;

function checkAggregation(rule: RbacV1AggregationRule, errors: Errors): void {
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = rule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) errors.push(requiredValue(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  selectors.forEach((selector, index) => {
    const fieldPath = `${field}[${index}]`;
    const errorCountBefore = errors.length;
    checkSelector(selector, fieldPath, errors);
    // Upstream also reports that it cannot build the selector, and shows null.
    if (errors.length > errorCountBefore) errors.push(invalidValue(fieldPath, 'null', 'invalid label selector.'));
  });
}
