/**
 * Access reviews: SubjectAccessReview for any user, LocalSubjectAccessReview within a namespace,
 * SelfSubjectAccessReview for the requesting user. They are decided by the authorizers of requests.
 */
import { invalidShownValue, invalidValue, type FieldError } from '../../shared/api/errors/field-error';
import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { invalid } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import { canonicalQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { canonicalUser } from '../authentication/union';
import { SIGNERS, type Attributes, type Authorizer } from '../authorization/authorizer';
import { selectorsOf, type RequestSelectors } from '../authorization/selectors';
import type { OperationHandler } from '../registry/operations/operation';

export interface AccessReviewDependencies {
  readonly authorizer: Authorizer;
  readonly names: GeneratedNames;
  /** Whether selectors are evaluated; otherwise the response does not repeat them. */
  readonly withSelectors: boolean;
}

export function reviewAccess(deps: AccessReviewDependencies): OperationHandler {
  return ({ object }) => {
    const spec = specOf(object);
    requireNoFaults([...attributeFaults(spec), ...subjectFaults(spec), ...metadataFaults(object, [])]);
    return decide(deps, object, spec, subjectOf(spec), 'explained');
  };
}

export function reviewLocalAccess(deps: AccessReviewDependencies): OperationHandler {
  return ({ object, key }) => {
    const spec = specOf(object);
    requireNoFaults([
      ...attributeFaults(spec),
      ...subjectFaults(spec),
      ...metadataFaults(object, ['namespace']),
      ...namespaceFaults(spec, key.namespace),
    ]);
    return decide(deps, object, spec, subjectOf(spec), 'explained');
  };
}

export function reviewOwnAccess(deps: AccessReviewDependencies): OperationHandler {
  return ({ object, context }) => {
    const spec = specOf(object);
    requireNoFaults([...attributeFaults(spec), ...metadataFaults(object, [])]);
    return decide(deps, object, spec, context.user);
  };
}

function specOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

/** Upstream's message lacks the kind. */
function requireNoFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid({ group: 'authorization.platform.io', kind: '' }, '', faults);
}

function attributeFaults(spec: JsonObject): readonly FieldError[] {
  const [resource, path] = [objectAt(spec, 'resourceAttributes'), objectAt(spec, 'nonResourceAttributes')];
  if (resource !== undefined && path !== undefined)
    return [invalidValue('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes')];
  if (resource !== undefined || path !== undefined) return [];
  return [
    invalidShownValue('spec.resourceAttributes', '"null"', 'exactly one of nonResourceAttributes or resourceAttributes must be specified'),
  ];
}

function subjectFaults(spec: JsonObject): readonly FieldError[] {
  const isNamed = (stringAt(spec, 'user') ?? '') !== '' || stringsAt(spec, 'groups').length > 0;
  return isNamed ? [] : [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** `allowed` members and managed fields, which the server sets, are ignored. */
function metadataFaults(object: JsonObject, allowed: readonly string[]): readonly FieldError[] {
  const { managedFields: _, ...metadata } = readMetadata(object);
  const given = Object.entries(metadata).filter(([member, value]) => !allowed.includes(member) && !isEmpty(value));
  if (given.length === 0) return [];
  return [invalidValue('metadata', metadata, `must be empty${allowed.map((member) => ` except for ${member}`).join('')}`)];
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined || value === '' || value === 0;
  return value === null || Object.keys(value).length === 0;
}

/** A local review must be about its own namespace. */
function namespaceFaults(spec: JsonObject, namespace: string): readonly FieldError[] {
  const [resource, path] = [objectAt(spec, 'resourceAttributes'), objectAt(spec, 'nonResourceAttributes')];
  const requested = stringAt(resource, 'namespace') ?? '';
  return [
    ...(resource === undefined || requested === namespace
      ? []
      : [invalidValue('spec.resourceAttributes.namespace', requested, 'must match metadata.namespace')]),
    ...(path === undefined ? [] : [invalidValue('spec.nonResourceAttributes', path, 'disallowed on this kind of request')]),
  ];
}

function subjectOf(spec: JsonObject): UserInfo {
  const uid = stringAt(spec, 'uid') ?? '';
  const given = objectAt(spec, 'extra') ?? {};
  const extra = Object.keys(given).map((key) => [key, stringsAt(given, key)] as const);
  return {
    name: stringAt(spec, 'user') ?? '',
    groups: stringsAt(spec, 'groups'),
    ...(uid === '' ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

async function decide(
  { authorizer, names, withSelectors }: AccessReviewDependencies,
  object: JsonObject,
  spec: JsonObject,
  reviewed: UserInfo,
  explained?: 'explained',
): Promise<JsonObject> {
  const resource = objectAt(spec, 'resourceAttributes');
  if (resource !== undefined && !withSelectors) for (const member of ['fieldSelector', 'labelSelector']) delete resource[member];
  const attributes = attributesOf(spec);
  const user = canonicalUser(reviewed, names);
  const { type, reason: authorizerReason } = await authorizer.authorize(user, attributes);
  // Unrestricted access is granted without a rule.
  const isByRule = type !== 'allow' || authorizerReason !== '';
  const explanation = explained === undefined || !isByRule ? '' : (authorizer.explain?.(user, attributes) ?? '');
  const reason = [authorizerReason, explanation].filter((text) => text !== '').join('; ');
  const status = {
    allowed: type === 'allow',
    ...(type === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
  };
  return { ...object, status };
}

/** The attributes of the review; groups and namespaces are already in stored spelling. */
function attributesOf(spec: JsonObject): Attributes {
  const resource = objectAt(spec, 'resourceAttributes');
  const text = (member: string): string => stringAt(resource ?? objectAt(spec, 'nonResourceAttributes'), member) ?? '';
  if (!isObject(resource)) return { kind: 'path', verb: text('verb'), path: text('path') };
  const [fields, labels] = [selectorAt(resource, 'fieldSelector'), selectorAt(resource, 'labelSelector')];
  return {
    kind: 'resource',
    verb: text('verb'),
    group: text('group'),
    version: text('version'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('resource') === SIGNERS ? canonicalQualifiedName(text('name')) : text('name'),
    ...(fields === undefined && labels === undefined ? {} : { selectors: { ...fields, ...labels } }),
  };
}

/** A selector given as text is converted to requirements. */
function selectorAt(resource: JsonObject, member: keyof RequestSelectors): RequestSelectors | undefined {
  const selector = objectAt(resource, member);
  if (selector === undefined) return undefined;
  const raw = stringAt(selector, 'rawSelector') ?? '';
  if (raw === '') return { [member]: selector };
  return member === 'fieldSelector' ? selectorsOf(raw, undefined) : selectorsOf(undefined, raw);
}
