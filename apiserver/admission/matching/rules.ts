/**
 * The rules of webhooks and policies: operation, group, version, resource and scope, where `*` matches all. A rule is
 * parsed once and matched against every request.
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
  /** '' = the resource itself. `*` matches all. */
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  /** `Namespaced`, `Cluster` or `*`. */
  readonly scope: string;
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
    resources: resources.map((text) => {
      const slash = text.indexOf('/');
      return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    }),
    scope,
  };
}

/** Whether every part of the rule matches the request. */
export function ruleMatches(rule: MatchRule, target: RuleTarget): boolean {
  return (
    includesOrAny(rule.operations, target.operation) &&
    includesOrAny(rule.groups, target.group) &&
    includesOrAny(rule.versions, target.version) &&
    rule.resources.some(
      ([resource, subresource]) =>
        (resource === ANY || resource === target.resource) && (subresource === ANY || subresource === target.subresource),
    ) &&
    isInScope(rule.scope, target)
  );
}

const includesOrAny = (names: ReadonlySet<string>, name: string): boolean => names.has(ANY) || names.has(name);

/** Namespaces are cluster-scoped, although their requests carry a namespace. */
function isInScope(scope: string, { namespace, group, resource }: RuleTarget): boolean {
  if (scope === ANY) return true;
  const isNamespaced = namespace !== '' && !(group === '' && resource === 'namespaces');
  return (scope === 'Namespaced') === isNamespaced;
}
