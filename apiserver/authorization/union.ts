/** The authorizers in their order: the first that allows or denies decides; when all pass, the request is refused. */
import { forbidden, forbiddenPath, type StatusError } from '../../shared/api/status';
import type { UserInfo } from '../../shared/api/user';
import type { Attributes, Authorizer } from './contract';

/** Undefined = allowed, else the 403 to answer with. */
export type AuthorizeRequest = (user: UserInfo, attributes: Attributes) => StatusError | undefined;

export function authorizeInOrder(authorizers: readonly Authorizer[]): AuthorizeRequest {
  return (user, attributes) => {
    const reasons: string[] = [];
    for (const authorizer of authorizers) {
      const decision = authorizer.authorize(user, attributes);
      if (decision.type === 'allow') return undefined;
      if (decision.reason !== '') reasons.push(decision.reason);
      if (decision.type === 'deny') break;
    }
    return refusal(user, attributes, reasons.join('\n'));
  };
}

/** Texts of behaviour-reference §1.4. */
function refusal(user: UserInfo, attributes: Attributes, reason: string): StatusError {
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
