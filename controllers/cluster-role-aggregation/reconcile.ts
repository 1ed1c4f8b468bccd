/**
 * Decides the rules of aggregated ClusterRoles, those with an `aggregationRule`. Pure: writing them is left to the
 * controller.
 */
import { selectorMatches } from '../../shared/api/selectors/object-selector';
import type { RbacV1ClusterRole, RbacV1PolicyRule } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { equalJson } from '../../shared/values/json';
import { compareNames } from '../runtime/pods';

export type ClusterRole = ApiObject<RbacV1ClusterRole>;

/** Whether the controller writes the rules of the role. */
export const isAggregated = ({ body }: ClusterRole): boolean => body.aggregationRule !== undefined;

/**
 * The rules of all other ClusterRoles that the role selects, in the order of their names, without duplicates. Undefined
 * when the role has these rules or is not aggregated.
 */
export function desiredRules(role: ClusterRole, clusterRoles: Iterable<ClusterRole>): readonly RbacV1PolicyRule[] | undefined {
  const { aggregationRule } = role.body;
  if (aggregationRule === undefined) return undefined;
  const { clusterRoleSelectors = [] } = aggregationRule;
  const isSelected = ({ name, metadata }: ClusterRole): boolean =>
    name !== role.name && clusterRoleSelectors.some((selector) => selectorMatches(selector, metadata.labels ?? {}));
  const rules: RbacV1PolicyRule[] = [];
  const serializedRules = new Set<string>();
  for (const selected of [...clusterRoles].filter(isSelected).sort(compareNames)) {
    for (const rule of selected.body.rules ?? []) {
      const serialized = JSON.stringify(rule);
      if (!serializedRules.has(serialized)) rules.push(rule);
      serializedRules.add(serialized);
    }
  }
  return equalJson(rules, role.body.rules ?? []) ? undefined : rules;
}
