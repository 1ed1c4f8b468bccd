/** Why a user may or may not do something, for those who may ask about others. Decides nothing. */
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Attributes, ResourceAttributes } from '../authorizer';
import type { RbacPolicy } from './policy';
import { decidingGrant, heldBy } from './authorizer';
import { allowsPath, fullResource, has, namesResource, type PolicyRule } from './rule';
import { shownRule } from './shown-rules';

/** Names the rule that allows the request, or what the rules of the user lack. The rule comes from the authorizer, so that reason and decision agree. */
export function explain(policy: RbacPolicy, user: UserInfo, attributes: Attributes): string {
  const deciding = decidingGrant(policy, user, attributes);
  if (deciding !== undefined) return `by the rule ${shownRule(deciding.rule)}`;
  const { rules } = heldBy(policy, user, attributes.kind === 'resource' ? attributes.namespace : '');
  const who = `user ${JSON.stringify(user.name)} or a group of it`;
  if (rules.length === 0) return `no role is bound to ${who}${attributes.kind === 'resource' ? placeOf(attributes) : ''}`;
  const near = attributes.kind === 'path' ? nearPath(rules, attributes) : nearResource(rules, attributes);
  return near ?? `none of the ${rules.length} rules that are bound to ${who} names ${whatOf(attributes)}`;
}

const placeOf = ({ namespace }: ResourceAttributes): string =>
  namespace === '' ? ' for the whole cluster' : ` for the whole cluster or the namespace ${JSON.stringify(namespace)}`;

function whatOf(attributes: Attributes): string {
  if (attributes.kind === 'path') return `the path ${JSON.stringify(attributes.path)}`;
  return `${JSON.stringify(fullResource(attributes))} of the API group ${JSON.stringify(attributes.group)}`;
}

/** Rules that name the resource but not this verb, or not this object. */
function nearResource(rules: readonly PolicyRule[], attributes: ResourceAttributes): string | undefined {
  const naming = rules.filter((rule) => namesResource(rule, attributes) && has(rule.groups, attributes.group));
  if (naming.length === 0) return undefined;
  const withVerb = naming.filter(({ verbs }) => has(verbs, attributes.verb));
  if (withVerb.length > 0) {
    const names = listed(withVerb.flatMap((rule) => rule.names));
    return `${JSON.stringify(attributes.verb)} of ${whatOf(attributes)} is allowed for these names only: ${names}`;
  }
  return `of ${whatOf(attributes)} these verbs only are allowed: ${listed(naming.flatMap(({ verbs }) => verbs))}`;
}

function nearPath(rules: readonly PolicyRule[], attributes: Extract<Attributes, { readonly kind: 'path' }>): string | undefined {
  const verbs = rules.flatMap((rule) => rule.verbs.filter((verb) => allowsPath(rule, { ...attributes, verb })));
  return verbs.length === 0 ? undefined : `of ${whatOf(attributes)} these verbs only are allowed: ${listed(verbs)}`;
}

const MOST = 20;

function listed(words: readonly string[]): string {
  const all = [...new Set(words)].sort();
  return all.slice(0, MOST).join(', ') + (all.length > MOST ? ` and ${all.length - MOST} more` : '');
}
