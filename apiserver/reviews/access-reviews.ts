/**
 * Access reviews: SubjectAccessReview for any user, LocalSubjectAccessReview for any user within a namespace,
 * SelfSubjectAccessReview for the requesting user. Each reports in `status` whether the authorizers would allow the
 * request that its spec describes. A spec that describes no request is refused with 422.
 */
import { invalidShownValue, invalidValue, type FieldError } from '../../shared/api/errors/field-error';
import type {
  AuthorizationV1ResourceAttributes,
  AuthorizationV1SubjectAccessReview,
  AuthorizationV1SubjectAccessReviewSpec,
  AuthorizationV1SubjectAccessReviewStatus,
} from '../../shared/api/types/generated/members';
import type { JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { invalid } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import { canonicalQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { canonicalUser } from '../authentication/union';
import { SIGNERS, type Attributes, type Authorizer } from '../authorization/authorizer';
import { selectorsOf, type RequestSelectors } from '../authorization/selectors';
import type { OperationHandler } from '../registry/operations/operation';

type Spec = AuthorizationV1SubjectAccessReviewSpec;

/** What the three kinds of access reviews depend on. */
export interface AccessReviewDependencies {
  readonly authorizer: Authorizer;
  readonly names: GeneratedNames;
  /** Whether selectors of the spec are evaluated; otherwise the response does not repeat them. */
  readonly evaluatesSelectors: boolean;
}

/**
 * SubjectAccessReview. The reason may explain which roles decided, because the caller may review the access of others.
 */
export function reviewAccess(deps: AccessReviewDependencies): OperationHandler {
  return ({ object }) => {
    const spec = specOf(object);
    requireNoErrors([...attributeErrors(spec), ...subjectErrors(spec), ...metadataErrors(object, [])]);
    return authorizeReview(deps, { object, spec, subject: subjectOf(spec), isExplained: true });
  };
}

/** LocalSubjectAccessReview: only for attributes in the namespace of the request. */
export function reviewLocalAccess(deps: AccessReviewDependencies): OperationHandler {
  return ({ object, key }) => {
    const spec = specOf(object);
    requireNoErrors([
      ...attributeErrors(spec),
      ...subjectErrors(spec),
      ...metadataErrors(object, ['namespace']),
      ...namespaceErrors(spec, key.namespace),
    ]);
    return authorizeReview(deps, { object, spec, subject: subjectOf(spec), isExplained: true });
  };
}

/** SelfSubjectAccessReview: the reason does not explain the decision. */
export function reviewOwnAccess(deps: AccessReviewDependencies): OperationHandler {
  return ({ object, context }) => {
    const spec = specOf(object);
    requireNoErrors([...attributeErrors(spec), ...metadataErrors(object, [])]);
    return authorizeReview(deps, { object, spec, subject: context.user, isExplained: false });
  };
}

/** The spec of a SelfSubjectAccessReview has the attributes only. */
function specOf({ spec = {} }: AuthorizationV1SubjectAccessReview): Spec {
  return spec;
}

/** Throws 422 with the errors. The message names no kind and no object, as upstream's. */
function requireNoErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'authorization.platform.io', kind: '' }, '', errors);
}

function attributeErrors({ resourceAttributes: resource, nonResourceAttributes: path }: Spec): readonly FieldError[] {
  if (resource !== undefined && path !== undefined) {
    return [invalidValue('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes')];
  }
  if (resource !== undefined || path !== undefined) return [];
  return [
    invalidShownValue('spec.resourceAttributes', '"null"', 'exactly one of nonResourceAttributes or resourceAttributes must be specified'),
  ];
}

function subjectErrors({ user = '', groups = [] }: Spec): readonly FieldError[] {
  const isNamed = user !== '' || groups.length > 0;
  return isNamed ? [] : [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** Metadata must be empty, except for the `allowed` members and managed fields, which the server sets. */
function metadataErrors(object: JsonObject, allowed: readonly string[]): readonly FieldError[] {
  const { managedFields: _managedFields, ...metadata } = readMetadata(object);
  const given = Object.entries(metadata).filter(([member, value]) => !allowed.includes(member) && !isEmpty(value));
  if (given.length === 0) return [];
  return [invalidValue('metadata', metadata, `must be empty${allowed.map((member) => ` except for ${member}`).join('')}`)];
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined || value === '' || value === 0;
  return value === null || Object.keys(value).length === 0;
}

/** A local review must be about its own namespace. */
function namespaceErrors({ resourceAttributes: resource, nonResourceAttributes: path }: Spec, namespace: string): readonly FieldError[] {
  const requested = resource?.namespace ?? '';
  return [
    ...(resource === undefined || requested === namespace
      ? []
      : [invalidValue('spec.resourceAttributes.namespace', requested, 'must match metadata.namespace')]),
    ...(path === undefined ? [] : [invalidValue('spec.nonResourceAttributes', path, 'disallowed on this kind of request')]),
  ];
}

function subjectOf({ user = '', uid = '', groups = [], extra = {} }: Spec): UserInfo {
  const extraValues = Object.entries(extra).map(([key, values]) => [key, values ?? []] as const);
  return {
    name: user,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(extraValues.length === 0 ? {} : { extra: Object.fromEntries(extraValues) }),
  };
}

interface AccessReview {
  readonly object: JsonObject;
  /** The spec of `object`. */
  readonly spec: Spec;
  /** The reviewed user. */
  readonly subject: UserInfo;
  /** Whether the reason may name the roles that decided; it must not in a review of the caller's own access. */
  readonly isExplained: boolean;
}

/** Returns the object with its status. Removes selectors from the spec when they are not evaluated. */
async function authorizeReview(
  { authorizer, names, evaluatesSelectors }: AccessReviewDependencies,
  { object, spec, subject, isExplained }: AccessReview,
): Promise<JsonObject> {
  if (spec.resourceAttributes !== undefined && !evaluatesSelectors) {
    delete spec.resourceAttributes.fieldSelector;
    delete spec.resourceAttributes.labelSelector;
  }
  const attributes = attributesOf(spec);
  const user = canonicalUser(subject, names);
  const { type, reason: authorizerReason } = await authorizer.authorize(user, attributes);
  // A permission without a reason does not come from a rule: that of `system:masters`, for example.
  const isExplicable = type !== 'allow' || authorizerReason !== '';
  const explanation = isExplained && isExplicable ? (authorizer.explain?.(user, attributes) ?? '') : '';
  const reason = [authorizerReason, explanation].filter((text) => text !== '').join('; ');
  const status: AuthorizationV1SubjectAccessReviewStatus = {
    allowed: type === 'allow',
    ...(type === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
  };
  return { ...object, status };
}

/** The attributes of the review; groups and namespaces are already in stored spelling. */
function attributesOf({ resourceAttributes, nonResourceAttributes }: Spec): Attributes {
  if (resourceAttributes === undefined) {
    const { verb = '', path = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', verb, path };
  }
  const { verb = '', group = '', version = '', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes;
  return {
    kind: 'resource',
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name: resource === SIGNERS ? canonicalQualifiedName(name) : name,
    ...selectorsMember(resourceAttributes),
  };
}

/** The selectors of the review. `rawSelector`, a selector as text, is converted to requirements. */
function selectorsMember({ fieldSelector, labelSelector }: AuthorizationV1ResourceAttributes): { readonly selectors?: RequestSelectors } {
  if (fieldSelector === undefined && labelSelector === undefined) return {};
  const { rawSelector: rawFields = '' } = fieldSelector ?? {};
  const { rawSelector: rawLabels = '' } = labelSelector ?? {};
  return {
    selectors: {
      ...(fieldSelector === undefined || rawFields !== '' ? {} : { fieldSelector }),
      ...(labelSelector === undefined || rawLabels !== '' ? {} : { labelSelector }),
      ...(rawFields === '' ? {} : selectorsOf({ fieldSelector: rawFields })),
      ...(rawLabels === '' ? {} : selectorsOf({ labelSelector: rawLabels })),
    },
  };
}
