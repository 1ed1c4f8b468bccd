/**
 * Which requests the rules of webhooks and policies are about: operation, group, version, resource and scope, of which a star names all. Read once from an object, and
 * asked for every request. Decides nothing else.
 */
import { stringsAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { canonicalGroup } from '../../../shared/names/dialect';

const ALL = '*';

/** Of a request; groups in canonical spelling, '' = no subresource, no namespace. */
export interface RuleTarget {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

export interface MatchRule {
  readonly operations: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly versions: ReadonlySet<string>;
  /** Resource and subresource, '' = none. */
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  readonly scope: string;
}

export function readRule(rule: JsonObject): MatchRule {
  return {
    operations: new Set(stringsAt(rule, 'operations') ?? []),
    groups: new Set((stringsAt(rule, 'apiGroups') ?? []).map(canonicalGroup)),
    versions: new Set(stringsAt(rule, 'apiVersions') ?? []),
    resources: (stringsAt(rule, 'resources') ?? []).map((text) => {
      const slash = text.indexOf('/');
      return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    }),
    scope: stringAt(rule, 'scope') ?? ALL,
  };
}

export function ruleMatches(rule: MatchRule, target: RuleTarget): boolean {
  return (
    holds(rule.operations, target.operation) &&
    holds(rule.groups, target.group) &&
    holds(rule.versions, target.version) &&
    rule.resources.some(
      ([resource, subresource]) =>
        (resource === ALL || resource === target.resource) && (subresource === ALL || subresource === target.subresource),
    ) &&
    isInScope(rule.scope, target)
  );
}

const holds = (names: ReadonlySet<string>, name: string): boolean => names.has(ALL) || names.has(name);

/** Namespaces are in no namespace, whatever their requests say. */
function isInScope(scope: string, { namespace, group, resource }: RuleTarget): boolean {
  if (scope === ALL) return true;
  const isNamespaced = namespace !== '' && !(group === '' && resource === 'namespaces');
  return (scope === 'Namespaced') === isNamespaced;
}
