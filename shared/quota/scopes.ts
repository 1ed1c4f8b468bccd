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

/** The scopes of one quota. A pod counts when it matches all of them. */
export type QuotaScopes = readonly QuotaScope[];

/**
 * The scopes of both forms: an entry of `scopes` is a scope with the operator `Exists`.
 *
 * @param spec of a ResourceQuota
 */
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

/** False for a scope of an unknown name. The operator counts for `PriorityClass` only; other scopes allow just `Exists`. */
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

/** The scope `Terminating` is about pods that run for a limited time, not about pods that are being deleted. */
const hasDeadline = (pod: JsonObject): boolean => typeof ownMember(objectAt(pod, 'spec') ?? {}, 'activeDeadlineSeconds') === 'number';

/** Whether a selector matches a text, where the empty text stands for an absent one. */
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

/** Whether a term of the pod's affinity or anti-affinity has namespaces or a namespace selector. */
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
