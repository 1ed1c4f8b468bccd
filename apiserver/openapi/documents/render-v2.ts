/**
 * Renders the operations of a path in the format of OpenAPI 2.0, and the parts that OpenAPI 3.0 has in common with it:
 * media types and extensions. The operations are defined in operations.ts.
 */
import type { JsonObject } from '../../../shared/values/json';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import type { Parameter } from './operation-shapes';
import type { GroupVersionKindNames } from './operation-names';
import { RESPONSE_TEXT, STRING_TYPE, type Operation, type PathEntry } from './operations';

/** `dialect` is that of the media types; `reference` returns the published name of a type. */
export function renderPathV2(entry: PathEntry, dialect: Dialect, reference: (type: string) => string): JsonObject {
  const item: JsonObject = {};
  for (const operation of entry.operations) item[operation.method] = renderOperation(operation, entry, dialect, reference);
  if (entry.parameters.length > 0) item['parameters'] = entry.parameters.map(renderParameter);
  return item;
}

function renderOperation(operation: Operation, entry: PathEntry, dialect: Dialect, reference: (type: string) => string): JsonObject {
  const { body, parameters } = operation;
  const schemaOf = (type: string): JsonObject => schemaOrReference(type, `#/definitions/${reference(type)}`);
  const rendered = parameters.map(renderParameter);
  if (body !== undefined) {
    rendered.unshift({ name: 'body', in: 'body', ...(body.isRequired ? { required: true } : {}), schema: schemaOf(body.type) });
  }
  const responses: JsonObject = {};
  for (const { code, type } of operation.responses) responses[code] = { description: RESPONSE_TEXT[code], schema: schemaOf(type) };
  responses['401'] = { description: 'Unauthorized' };
  return {
    description: operation.description,
    ...consumedMediaTypes(operation, entry, dialect),
    produces: producedMediaTypes(operation, entry, dialect),
    schemes: ['https'],
    tags: [entry.tag],
    operationId: operation.id,
    ...(rendered.length === 0 ? {} : { parameters: rendered }),
    responses,
    ...extensionsOf(operation),
  };
}

/** The extensions from which clients learn the action and the kind; none for an operation without a kind. */
export function extensionsOf({ target }: Operation): JsonObject {
  if (target === undefined) return {};
  return { 'x-kubernetes-action': target.action, 'x-kubernetes-group-version-kind': renderKind(target.kind) };
}

/** The schema of a response or body of the type; `$ref` is the reference to its definition. */
export function schemaOrReference(type: string, $ref: string): JsonObject {
  return type === STRING_TYPE ? { type: 'string' } : { $ref };
}

/** The member `consumes`; none for a path that states no media types for bodies. */
function consumedMediaTypes(operation: Operation, entry: PathEntry, dialect: Dialect): { consumes?: string[] } {
  const { isCustom, mediaTypes } = entry;
  if (mediaTypes !== undefined) return mediaTypes.consumes === undefined ? {} : { consumes: [...mediaTypes.consumes] };
  if (operation.body?.isPatch === true) return { consumes: [...patchMediaTypes(entry)] };
  const consumesWhatItProduces = operation.target === undefined || isCustom;
  return { consumes: consumesWhatItProduces ? producedMediaTypes(operation, entry, dialect) : ['*/*'] };
}

const PATCH_MEDIA_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
/** Custom kinds have no strategic merge patch. */
const CUSTOM_PATCH_MEDIA_TYPES: readonly string[] = PATCH_MEDIA_TYPES.filter((type) => !type.includes('strategic'));

/** The media types of a PATCH of the resource at the path. */
export function patchMediaTypes({ isCustom }: PathEntry): readonly string[] {
  return isCustom ? CUSTOM_PATCH_MEDIA_TYPES : PATCH_MEDIA_TYPES;
}

/** The media types of the response. */
export function producedMediaTypes({ mayStream }: Operation, { isCustom, mediaTypes }: PathEntry, dialect: Dialect): string[] {
  if (mediaTypes !== undefined) return [...mediaTypes.produces];
  if (isCustom) return [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE];
  const protobuf = PROTOBUF_MEDIA_TYPE[dialect];
  const streams = mayStream ? [`${JSON_MEDIA_TYPE};stream=watch`, `${protobuf};stream=watch`] : [];
  return [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, protobuf, ...streams];
}

/** There are few parameters, which occur in nearly every operation: each is rendered once. */
const renderParameter = memoize(({ name, in: location, type, description }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  description,
  name,
  in: location,
  ...(location === 'path' ? { required: true } : {}),
}));

/** The same for the kinds. */
const renderKind = memoize(({ group, kind, version }: GroupVersionKindNames): JsonObject => ({ group, kind, version }));

/** Renders each object once. */
function memoize<T extends object>(render: (value: T) => JsonObject): (value: T) => JsonObject {
  const rendered = new WeakMap<T, JsonObject>();
  return (value) => {
    const existing = rendered.get(value);
    if (existing !== undefined) return existing;
    const created = render(value);
    rendered.set(value, created);
    return created;
  };
}
