/**
 * Whether somebody may do something: SubjectAccessReview for anyone, the local one within a namespace, the self one for
 * whoever asks. Decided by the same authorizers as requests are.
 */
import { invalidAs, invalidValue, type FieldError } from '../../shared/api/errors/field-error';
import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { invalid } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import { canonicalQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { canonicalUser } from '../authentication/union';
import { SIGNERS, type Attributes, type Authorizer } from '../authorization/authorizer';
import { selectorsOf, type RequestSelectors } from '../authorization/selectors';
import type { OperationHandler } from '../registry/operations/operation';

export interface AccessReviewParts {
  readonly authorizer: Authorizer;
  readonly names: GeneratedNames;
  /** Whether selectors count; else the answer does not repeat what did not count. */
  readonly withSelectors: boolean;
}

export function reviewAccess(parts: AccessReviewParts): OperationHandler {
  return ({ object }) => {
    const spec = specOf(object);
    refuse([...attributeFaults(spec), ...subjectFaults(spec), ...metadataFaults(object, [])]);
    return decide(parts, object, spec, subjectOf(spec), 'explained');
  };
}

export function reviewLocalAccess(parts: AccessReviewParts): OperationHandler {
  return ({ object, key }) => {
    const spec = specOf(object);
    refuse([
      ...attributeFaults(spec),
      ...subjectFaults(spec),
      ...metadataFaults(object, ['namespace']),
      ...placeFaults(spec, key.namespace),
    ]);
    return decide(parts, object, spec, subjectOf(spec), 'explained');
  };
}

export function reviewOwnAccess(parts: AccessReviewParts): OperationHandler {
  return ({ object, context }) => {
    const spec = specOf(object);
    refuse([...attributeFaults(spec), ...metadataFaults(object, [])]);
    return decide(parts, object, spec, context.user);
  };
}

function specOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

/** The kind is missing from upstream's message. */
function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid({ group: 'authorization.platform.io', kind: '' }, '', faults);
}

function attributeFaults(spec: JsonObject): readonly FieldError[] {
  const [resource, path] = [objectAt(spec, 'resourceAttributes'), objectAt(spec, 'nonResourceAttributes')];
  if (resource !== undefined && path !== undefined)
    return [invalidValue('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes')];
  if (resource !== undefined || path !== undefined) return [];
  return [invalidAs('spec.resourceAttributes', '"null"', 'exactly one of nonResourceAttributes or resourceAttributes must be specified')];
}

function subjectFaults(spec: JsonObject): readonly FieldError[] {
  const isNamed = (stringAt(spec, 'user') ?? '') !== '' || stringsAt(spec, 'groups').length > 0;
  return isNamed ? [] : [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** `allowed` members and what the server itself notes are overlooked. */
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

/** What a review within a namespace asks about lies in that namespace. */
function placeFaults(spec: JsonObject, namespace: string): readonly FieldError[] {
  const [resource, path] = [objectAt(spec, 'resourceAttributes'), objectAt(spec, 'nonResourceAttributes')];
  const asked = stringAt(resource, 'namespace') ?? '';
  return [
    ...(resource === undefined || asked === namespace
      ? []
      : [invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]),
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
  { authorizer, names, withSelectors }: AccessReviewParts,
  object: JsonObject,
  spec: JsonObject,
  reviewed: UserInfo,
  explained?: 'explained',
): Promise<JsonObject> {
  const resource = objectAt(spec, 'resourceAttributes');
  if (resource !== undefined && !withSelectors) for (const member of ['fieldSelector', 'labelSelector']) delete resource[member];
  const attributes = attributesOf(spec);
  const user = canonicalUser(reviewed, names);
  const { type, reason: short } = await authorizer.authorize(user, attributes);
  // Who may do anything does so by no rule.
  const isByRule = type !== 'allow' || short !== '';
  const more = explained === undefined || !isByRule ? '' : (authorizer.explain?.(user, attributes) ?? '');
  const reason = [short, more].filter((text) => text !== '').join('; ');
  const status = {
    allowed: type === 'allow',
    ...(type === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
  };
  return { ...object, status };
}

/** What is asked about; groups and namespaces are in stored spelling by now. */
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

/** Given as text or as requirements; it is told as requirements. */
function selectorAt(resource: JsonObject, member: keyof RequestSelectors): RequestSelectors | undefined {
  const selector = objectAt(resource, member);
  if (selector === undefined) return undefined;
  const raw = stringAt(selector, 'rawSelector') ?? '';
  if (raw === '') return { [member]: selector };
  return member === 'fieldSelector' ? selectorsOf(raw, undefined) : selectorsOf(undefined, raw);
}
