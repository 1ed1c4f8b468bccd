/**
 * Chains authorizers: the first that allows or denies decides. Also creates the 403 for a request that is not allowed;
 * sending it is left to the callers.
 */
import { forbidden, forbiddenPath, type StatusError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import { whenResolved, type MaybePromise } from '../../shared/runtime/maybe-promise';
import { NO_OPINION, type Attributes, type Authorizer, type Decision, type ResourceAttributes } from './authorizer';

/**
 * Returns the chain, which is synchronous as long as the authorizers that it asks are. The reason of a request that is not
 * allowed includes the reasons of the authorizers without opinion.
 */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  /** Asks the authorizers from `index` on, one per call. `earlierReasons` are those of the authorizers before, one a line. */
  function authorizeFrom(index: number, user: UserInfo, attributes: Attributes, earlierReasons: string): MaybePromise<Decision> {
    const authorizer = authorizers[index];
    if (authorizer === undefined) return earlierReasons === '' ? NO_OPINION : { type: 'no-opinion', reason: earlierReasons };
    return whenResolved(authorizer.authorize(user, attributes), (decision) =>
      decision.type === 'no-opinion'
        ? authorizeFrom(index + 1, user, attributes, joinReasons(earlierReasons, decision.reason))
        : withReasons(decision, earlierReasons),
    );
  }
  return {
    authorize: (user, attributes) => authorizeFrom(0, user, attributes, ''),
    explain: (user, attributes) => authorizers.flatMap((authorizer) => authorizer.explain?.(user, attributes) ?? []).join('; '),
    rules(user, namespace) {
      const rulesByAuthorizer = authorizers.map((authorizer) => authorizer.rules(user, namespace));
      return {
        resources: rulesByAuthorizer.flatMap(({ resources }) => resources),
        paths: rulesByAuthorizer.flatMap(({ paths }) => paths),
        isIncomplete: rulesByAuthorizer.some(({ isIncomplete }) => isIncomplete),
        errors: rulesByAuthorizer.flatMap(({ errors }) => errors),
      };
    },
  };
}

/** Adds the reasons of earlier authorizers to a denial. The reason of an allowed request is that of its authorizer alone. */
const withReasons = (decision: Decision, reasons: string): Decision =>
  decision.type === 'allow' ? decision : { ...decision, reason: joinReasons(reasons, decision.reason) };

const joinReasons = (a: string, b: string): string => (a === '' || b === '' ? a + b : `${a}\n${b}`);

/**
 * The 403 for a request that is not allowed, in upstream's words, because clients print the message. Texts of the client are
 * escaped in it, in case a browser shows it.
 */
export function forbiddenError(user: UserInfo, attributes: Attributes, { reason }: Decision): StatusError {
  const ending = reason === '' ? '' : `: ${reason}`;
  const prefix = `User ${escapeHtml(JSON.stringify(user.name))} cannot ${attributes.verb}`;
  if (attributes.kind === 'path') return forbiddenPath(`${prefix} path ${escapeHtml(JSON.stringify(attributes.path))}${ending}`);
  const { group, resource, subresource, namespace, name } = attributes;
  const fullResource = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${escapeHtml(JSON.stringify(namespace))}`;
  const target = `resource ${escapeHtml(JSON.stringify(fullResource))} in API group ${escapeHtml(JSON.stringify(group))} ${scope}`;
  return forbidden({ group, resource }, name, `${prefix} ${target}${ending}`);
}

/**
 * The 403 for an action that follows from an allowed request, such as the creation of a missing object by an update or
 * patch. It reports only the reason (upstream behaviour).
 */
export function forbiddenReasonError(attributes: ResourceAttributes, { reason }: Decision): StatusError {
  return forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, reason);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
