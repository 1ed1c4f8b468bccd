/** The authorizers in their order: the first that allows or denies decides; when all pass, the request is refused. */
import { forbidden, forbiddenPath, type StatusError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import { NO_OPINION, type Attributes, type Authorizer, type Decision, type ResourceAttributes } from './authorizer';

/** One authorizer out of many. Reasons of those that had no opinion stay with a refusal. */
export function inOrder(authorizers: readonly Authorizer[]): Authorizer {
  function from(start: number, user: UserInfo, attributes: Attributes, refused: string): MaybePromise<Decision> {
    let reasons = refused;
    for (let index = start; index < authorizers.length; index += 1) {
      const decision = authorizers[index]?.authorize(user, attributes) ?? NO_OPINION;
      if (decision instanceof Promise) {
        const soFar = reasons;
        return decision.then((known) =>
          known.type === 'no-opinion' ? from(index + 1, user, attributes, joined(soFar, known.reason)) : settled(known, soFar),
        );
      }
      if (decision.type !== 'no-opinion') return settled(decision, reasons);
      reasons = joined(reasons, decision.reason);
    }
    return reasons === '' ? NO_OPINION : { type: 'no-opinion', reason: reasons };
  }
  return {
    authorize: (user, attributes) => from(0, user, attributes, ''),
    explain: (user, attributes) => authorizers.flatMap((authorizer) => authorizer.explain?.(user, attributes) ?? []).join('; '),
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

const settled = (decision: Decision, reasons: string): Decision =>
  decision.type === 'allow' ? decision : { ...decision, reason: joined(reasons, decision.reason) };

const joined = (one: string, other: string): string => (one === '' || other === '' ? one + other : `${one}\n${other}`);

/** The 403 for a decision that allows nothing, in upstream's words, which clients show as they are. */
export function refusalOf(user: UserInfo, attributes: Attributes, { reason }: Decision): StatusError {
  const ending = reason === '' ? '' : `: ${reason}`;
  const who = `User ${escaped(JSON.stringify(user.name))} cannot ${attributes.verb}`;
  if (attributes.kind === 'path') return forbiddenPath(`${who} path ${escaped(JSON.stringify(attributes.path))}${ending}`);
  const { group, resource, subresource, namespace, name } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${escaped(JSON.stringify(namespace))}`;
  const what = `resource ${escaped(JSON.stringify(full))} in API group ${escaped(JSON.stringify(group))} ${scope}`;
  return forbidden({ group, resource }, name, `${who} ${what}${ending}`);
}

/**
 * The 403 for a request into which one that was allowed has turned on its way: it gives the reason and says no more (upstream behaviour).
 */
export function turnedRefusal(attributes: ResourceAttributes, { reason }: Decision): StatusError {
  return forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, reason);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
