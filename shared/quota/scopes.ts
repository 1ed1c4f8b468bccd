/**
 * Matches pods against the scopes of a ResourceQuota. A quota without scopes covers all objects, one with scopes covers
 * only pods.
 */
import type { GroupResource } from '../api/identity/identity';
import { arrayAt, isObject, objectAt, ownMember, stringAt, stringsAt, type JsonObject } from '../values/json';
import { isBestEffort } from './pod-amounts';

interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** All of them must match an object that counts. */
export type QuotaScopes = readonly QuotaScope[];

/** @param spec of a ResourceQuota */
export function quotaScopesOf(spec: JsonObject): QuotaScopes {
  const expressions = (arrayAt(objectAt(spec, 'scopeSelector'), 'matchExpressions') ?? []).filter(isObject);
  return [
    ...stringsAt(spec, 'scopes').map((name) => ({ name, operator: 'Exists', values: [] })),
    ...expressions.map((expression) => ({
      name: stringAt(expression, 'scopeName') ?? '',
      operator: stringAt(expression, 'operator') ?? '',
      values: stringsAt(expression, 'values'),
    })),
  ];
}

/** Whether a quota with these scopes covers the object. */
export function isInQuotaScopes({ group, resource }: GroupResource, object: JsonObject, scopes: QuotaScopes): boolean {
  if (scopes.length === 0) return true;
  return group === '' && resource === 'pods' && scopes.every((scope) => isInScope(object, scope));
}

function isInScope(pod: JsonObject, { name, operator, values }: QuotaScope): boolean {
  switch (name) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return isSelected(stringAt(objectAt(pod, 'spec'), 'priorityClassName') ?? '', operator, values);
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

const hasDeadline = (pod: JsonObject): boolean => typeof ownMember(objectAt(pod, 'spec') ?? {}, 'activeDeadlineSeconds') === 'number';

function isSelected(text: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return text !== '' && values.includes(text);
    case 'NotIn':
      return text === '' || !values.includes(text);
    case 'Exists':
      return text !== '';
    case 'DoesNotExist':
      return text === '';
    default:
      return false;
  }
}

/** Whether a term of its pod affinity or anti-affinity has namespaces or a namespace selector. */
function hasCrossNamespaceAffinity(pod: JsonObject): boolean {
  const affinity = objectAt(objectAt(pod, 'spec'), 'affinity');
  return ['podAffinity', 'podAntiAffinity'].some((member) => {
    const rules = objectAt(affinity, member);
    const required = (arrayAt(rules, 'requiredDuringSchedulingIgnoredDuringExecution') ?? []).filter(isObject);
    const preferred = (arrayAt(rules, 'preferredDuringSchedulingIgnoredDuringExecution') ?? [])
      .filter(isObject)
      .map((weighted) => objectAt(weighted, 'podAffinityTerm') ?? {});
    return [...required, ...preferred].some(
      (term) => stringsAt(term, 'namespaces').length > 0 || objectAt(term, 'namespaceSelector') !== undefined,
    );
  });
}
