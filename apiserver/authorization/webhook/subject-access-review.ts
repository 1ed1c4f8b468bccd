/**
 * Builds the SubjectAccessReview that asks an authorization webhook, and reads the decision from its response. Sending,
 * caching and the handling of failures are left to the authorizer.
 */
import { apiVersionInDialect, groupInDialect, qualifiedNameInDialect, type Dialect } from '../../../shared/names/dialect';
import type {
  AuthorizationV1ResourceAttributes,
  AuthorizationV1SubjectAccessReviewSpec,
} from '../../../shared/api/types/generated/members';
import { isObject, objectAt, ownMember, stringAt, type JsonValue } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';
import { SIGNERS, type Attributes, type Decision, type ResourceAttributes } from '../authorizer';

/** The versions of the API in which a remote server can be asked. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** The spec of the review in v1, with names in the spelling of `dialect`. Members without a value are omitted. */
export function subjectAccessReviewSpec(user: UserInfo, attributes: Attributes, dialect: Dialect): AuthorizationV1SubjectAccessReviewSpec {
  const { name, uid = '', groups, extra = {} } = user;
  const attributesSpec: AuthorizationV1SubjectAccessReviewSpec =
    attributes.kind === 'path'
      ? { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } }
      : { resourceAttributes: resourceAttributesSpec(attributes, dialect) };
  const extraCopy = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return {
    ...attributesSpec,
    ...withoutEmpty({ user: name, uid } satisfies AuthorizationV1SubjectAccessReviewSpec),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extraCopy).length === 0 ? {} : { extra: extraCopy }),
  };
}

function resourceAttributesSpec(attributes: ResourceAttributes, dialect: Dialect): AuthorizationV1ResourceAttributes {
  const texts = {
    namespace: attributes.namespace,
    verb: attributes.verb,
    group: groupInDialect(dialect, attributes.group),
    version: attributes.version,
    resource: attributes.resource,
    subresource: attributes.subresource,
    name: attributes.resource === SIGNERS ? qualifiedNameInDialect(dialect, attributes.name) : attributes.name,
  } satisfies AuthorizationV1ResourceAttributes;
  return { ...withoutEmpty(texts), ...attributes.selectors };
}

/** The texts that are not empty. */
function withoutEmpty<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const member in texts) if (texts[member] !== '') kept[member] = texts[member];
  return kept;
}

/** The review as JSON. In v1beta1 the member `groups` is named `group`. */
export function subjectAccessReviewBody(spec: AuthorizationV1SubjectAccessReviewSpec, version: ReviewVersion, dialect: Dialect): Buffer {
  const { groups, ...otherMembers } = spec;
  const versionedSpec = version === 'v1' || groups === undefined ? spec : { ...otherMembers, group: groups };
  const apiVersion = apiVersionInDialect(dialect, `authorization.platform.io/${version}`);
  return Buffer.from(
    JSON.stringify({
      kind: 'SubjectAccessReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec: versionedSpec,
      status: { allowed: false },
    }),
  );
}

/**
 * The decision in the status of the response. `undefined` when the response is not JSON, when it has no status, or when it
 * both allows and denies the request.
 */
export function readDecision(bytes: Buffer): Decision | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
  const status = isObject(value) ? objectAt(value, 'status') : undefined;
  const allowed = ownMember(status ?? {}, 'allowed');
  const denied = ownMember(status ?? {}, 'denied');
  if (status === undefined || (allowed === true && denied === true)) return undefined;
  const reason = stringAt(status, 'reason') ?? '';
  if (allowed === true) return { type: 'allow', reason };
  return denied === true ? { type: 'deny', reason } : { type: 'no-opinion', reason };
}
