/**
 * The rules of webhooks and policies: operation, group, version, resource and scope, where `*` matches all. A rule is
 * parsed once and matched against every request. Selectors of namespaces and objects are left to the callers.
 */
import type { AdmissionregistrationV1RuleWithOperations } from '../../../shared/api/types/generated/members';
import { canonicalGroup } from '../../../shared/names/dialect';

const ANY = '*';

/** Attributes of a request. Groups are in canonical spelling; '' = no subresource, or no namespace. */
export interface RuleTarget {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

/** A parsed rule; groups are in canonical spelling. */
export interface MatchRule {
  readonly operations: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly versions: ReadonlySet<string>;
  readonly resources: readonly RuleResource[];
  /** `Namespaced`, `Cluster` or `*`. */
  readonly scope: string;
}

/** A resource or subresource of a rule; `*` matches all. */
interface RuleResource {
  readonly resource: string;
  /** '' = the resource itself. */
  readonly subresource: string;
}

/** Parses a rule of a webhook or policy, which may name groups in either spelling. */
export function readRule({
  operations,
  apiGroups = [],
  apiVersions,
  resources = [],
  scope = ANY,
}: AdmissionregistrationV1RuleWithOperations): MatchRule {
  return {
    operations: new Set(operations),
    groups: new Set(apiGroups.map(canonicalGroup)),
    versions: new Set(apiVersions),
    resources: resources.map(readRuleResource),
    scope,
  };
}

/** `pods` or `pods/status`. */
function readRuleResource(text: string): RuleResource {
  const slash = text.indexOf('/');
  return slash < 0 ? { resource: text, subresource: '' } : { resource: text.slice(0, slash), subresource: text.slice(slash + 1) };
}

/** Whether every part of the rule matches the request. */
export function ruleMatches(rule: MatchRule, target: RuleTarget): boolean {
  return (
    includesOrAny(rule.operations, target.operation) &&
    includesOrAny(rule.groups, target.group) &&
    includesOrAny(rule.versions, target.version) &&
    rule.resources.some((ruleResource) => resourceMatches(ruleResource, target)) &&
    isInScope(rule.scope, target)
  );
}

/** Whether the resource of a rule matches that of a request. */
export const resourceMatches = ({ resource, subresource }: RuleResource, target: Pick<RuleTarget, 'resource' | 'subresource'>): boolean =>
  (resource === ANY || resource === target.resource) && (subresource === ANY || subresource === target.subresource);

const includesOrAny = (names: ReadonlySet<string>, name: string): boolean => names.has(ANY) || names.has(name);

/** Namespaces are cluster-scoped, although their requests carry a namespace. */
function isInScope(scope: string, { namespace, group, resource }: RuleTarget): boolean {
  if (scope === ANY) return true;
  const isNamespaced = namespace !== '' && !(group === '' && resource === 'namespaces');
  return (scope === 'Namespaced') === isNamespaced;
}
