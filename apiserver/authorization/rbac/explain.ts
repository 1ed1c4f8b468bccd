/** Explains RBAC decisions to users with permission to review the access of others. Deciding is left to authorizer.ts. */
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Attributes, ResourceAttributes } from '../authorizer';
import type { RbacPolicy } from './policy';
import { findDecidingGrant, resolveRules } from './authorizer';
import { allowsPath, fullResource, includesOrWildcard, namesResource, type PolicyRule } from './rule';
import { formatRule } from './format-rules';

/**
 * Names the rule that allows the request, or what the rules of the user lack. The rule comes from the authorizer, so
 * that explanation and decision agree.
 */
export function explainDecision(policy: RbacPolicy, user: UserInfo, attributes: Attributes): string {
  const grant = findDecidingGrant(policy, user, attributes);
  if (grant !== undefined) return `by the rule ${formatRule(grant.rule)}`;
  const { rules } = resolveRules(policy, user, attributes.kind === 'resource' ? attributes.namespace : '');
  const subject = `user ${JSON.stringify(user.name)} or its groups`;
  if (rules.length === 0) return `no role is bound to ${subject}${attributes.kind === 'resource' ? scopeText(attributes) : ''}`;
  const nearMiss = attributes.kind === 'path' ? nearMissOfPath(rules, attributes) : nearMissOfResource(rules, attributes);
  return nearMiss ?? `none of the ${rules.length} rules bound to ${subject} matches ${targetText(attributes)}`;
}

const scopeText = ({ namespace }: ResourceAttributes): string =>
  namespace === '' ? ' for the whole cluster' : ` for the whole cluster or the namespace ${JSON.stringify(namespace)}`;

function targetText(attributes: Attributes): string {
  if (attributes.kind === 'path') return `the path ${JSON.stringify(attributes.path)}`;
  return `${JSON.stringify(fullResource(attributes))} of the API group ${JSON.stringify(attributes.group)}`;
}

/**
 * What the rules that name the resource lack: the name of the object, or else the verb. `undefined` when no rule names
 * the resource. The caller has checked that no rule allows the request.
 */
function nearMissOfResource(rules: readonly PolicyRule[], attributes: ResourceAttributes): string | undefined {
  const resourceRules = rules.filter((rule) => namesResource(rule, attributes) && includesOrWildcard(rule.groups, attributes.group));
  if (resourceRules.length === 0) return undefined;
  const verbRules = resourceRules.filter(({ verbs }) => includesOrWildcard(verbs, attributes.verb));
  if (verbRules.length > 0) {
    const names = listText(verbRules.flatMap((rule) => rule.names));
    return `${JSON.stringify(attributes.verb)} of ${targetText(attributes)} is allowed only for these names: ${names}`;
  }
  return `of ${targetText(attributes)} only these verbs are allowed: ${listText(resourceRules.flatMap(({ verbs }) => verbs))}`;
}

/** Which verbs the rules allow for the path; `undefined` when they allow none. */
function nearMissOfPath(rules: readonly PolicyRule[], attributes: Extract<Attributes, { readonly kind: 'path' }>): string | undefined {
  const verbs = rules.flatMap((rule) => rule.verbs.filter((verb) => allowsPath(rule, { ...attributes, verb })));
  return verbs.length === 0 ? undefined : `of ${targetText(attributes)} only these verbs are allowed: ${listText(verbs)}`;
}

/** Words that a list shows before it only counts them. */
const MAX_LISTED = 20;

/** `a, b` or `a, b and 7 more`: sorted, without duplicates. */
function listText(words: readonly string[]): string {
  const unique = [...new Set(words)].sort();
  return unique.slice(0, MAX_LISTED).join(', ') + (unique.length > MAX_LISTED ? ` and ${unique.length - MAX_LISTED} more` : '');
}
