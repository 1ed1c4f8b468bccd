/** The authorizers in their order: the first that allows or denies decides; when all pass, the request is refused. */
import { forbidden, forbiddenPath, type StatusError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { Attributes, Authorizer, Decision } from './authorizer';

/** One authorizer out of many. Reasons of those that had no opinion stay with a refusal. */
export function inOrder(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(user, attributes) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = authorizer.authorize(user, attributes);
        if (decision.type === 'allow') return decision;
        if (decision.reason !== '') reasons.push(decision.reason);
        if (decision.type === 'deny') return { type: 'deny', reason: reasons.join('\n') };
      }
      return { type: 'no-opinion', reason: reasons.join('\n') };
    },
    rules(user, namespace) {
      const all = authorizers.map((authorizer) => authorizer.rules(user, namespace));
      return {
        resources: all.flatMap(({ resources }) => resources),
        paths: all.flatMap(({ paths }) => paths),
        incomplete: all.some(({ incomplete }) => incomplete),
        errors: all.flatMap(({ errors }) => errors),
      };
    },
  };
}

/**
 * Undefined = allowed, else the 403 to answer with. `turned`: another request that was allowed has turned into this one on its way; then the refusal
 * gives the reason and says no more (upstream behaviour).
 */
export type AuthorizeRequest = (user: UserInfo, attributes: Attributes, turned?: 'turned') => StatusError | undefined;

export function authorizeRequests(authorizer: Authorizer): AuthorizeRequest {
  return (user, attributes, turned) => {
    const decision = authorizer.authorize(user, attributes);
    if (decision.type === 'allow') return undefined;
    if (turned === undefined || attributes.kind === 'path') return refusal(user, attributes, decision);
    return forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, decision.reason);
  };
}

/** In upstream's words, which clients show as they are. */
function refusal(user: UserInfo, attributes: Attributes, { reason }: Decision): StatusError {
  const ending = reason === '' ? '' : `: ${reason}`;
  const who = `User ${escaped(JSON.stringify(user.name))} cannot ${attributes.verb}`;
  if (attributes.kind === 'path') return forbiddenPath(`${who} path ${escaped(JSON.stringify(attributes.path))}${ending}`);
  const { group, resource, subresource, namespace, name } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${escaped(JSON.stringify(namespace))}`;
  const what = `resource ${escaped(JSON.stringify(full))} in API group ${escaped(JSON.stringify(group))} ${scope}`;
  return forbidden({ group, resource }, name, `${who} ${what}${ending}`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
