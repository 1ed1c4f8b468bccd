/** Which rules a role has that is made of others; decided from what is seen, without a server. */
import { selectorMatches } from '../../shared/api/selectors/object-selector';
import { arrayAt, equalJson, isObject, objectAt, type JsonObject } from '../../shared/values/json';
import type { ApiObject } from '../../shared/client/rest/api-object';

export const isAggregated = ({ body }: ApiObject): boolean => objectAt(body, 'aggregationRule') !== undefined;

/** The rules of all roles that the role selects, by name, each rule once; undefined = it has them. */
export function missingRules(role: ApiObject, all: Iterable<ApiObject>): readonly JsonObject[] | undefined {
  if (!isAggregated(role)) return undefined;
  const selectors = (arrayAt(objectAt(role.body, 'aggregationRule'), 'clusterRoleSelectors') ?? []).filter(isObject);
  const rules: JsonObject[] = [];
  const seen = new Set<string>();
  const others = [...all].filter(
    (other) => other.name !== role.name && selectors.some((selector) => selectorMatches(selector, labelsOf(other))),
  );
  for (const other of others.sort((one, two) => (one.name < two.name ? -1 : 1))) {
    for (const rule of rulesOf(other)) {
      const text = JSON.stringify(rule);
      if (!seen.has(text)) rules.push(rule);
      seen.add(text);
    }
  }
  return equalJson(rules, [...rulesOf(role)]) ? undefined : rules;
}

const labelsOf = ({ body }: ApiObject): JsonObject => objectAt(objectAt(body, 'metadata'), 'labels') ?? {};

const rulesOf = ({ body }: ApiObject): readonly JsonObject[] => (arrayAt(body, 'rules') ?? []).filter(isObject);
