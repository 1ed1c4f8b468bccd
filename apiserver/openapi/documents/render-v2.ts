/** Renders operations in the format of OpenAPI 2.0. The operations are defined in operations.ts. */
import type { JsonObject } from '../../../shared/values/json';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import type { Parameter } from './operation-shapes';
import { RESPONSE_TEXT, STRING_TYPE, type GroupVersionKindNames, type Operation, type PathEntry } from './operations';
import { CUSTOM_PATCH_MEDIA_TYPES, PATCH_MEDIA_TYPES } from './patch-types';

/** `reference` returns the published name of a type. */
export function renderPathV2(entry: PathEntry, dialect: Dialect, reference: (type: string) => string): JsonObject {
  const item: JsonObject = {};
  for (const operation of entry.operations) item[operation.method] = renderOperation(operation, entry, dialect, reference);
  if (entry.parameters.length > 0) item['parameters'] = entry.parameters.map(renderParameter);
  return item;
}

function renderOperation(operation: Operation, entry: PathEntry, dialect: Dialect, reference: (type: string) => string): JsonObject {
  const { body, parameters } = operation;
  const ref = (type: string): JsonObject => schemaOrReference(type, `#/definitions/${reference(type)}`);
  const rendered = parameters.map(renderParameter);
  if (body !== undefined)
    rendered.unshift({ name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema: ref(body.type) });
  const responses: JsonObject = {};
  for (const { code, type } of operation.responses) responses[code] = { description: RESPONSE_TEXT[code], schema: ref(type) };
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

export function extensionsOf({ on }: Operation): JsonObject {
  if (on === undefined) return {};
  return { 'x-kubernetes-action': on.action, 'x-kubernetes-group-version-kind': renderKind(on.kind) };
}

/** The schema of a response of the type. */
export function schemaOrReference(type: string, $ref: string): JsonObject {
  return type === STRING_TYPE ? { type: 'string' } : { $ref };
}

function consumedMediaTypes(operation: Operation, entry: PathEntry, dialect: Dialect): { consumes?: string[] } {
  const { custom, mediaTypes } = entry;
  if (mediaTypes !== undefined) return mediaTypes.consumes === undefined ? {} : { consumes: [...mediaTypes.consumes] };
  if (operation.body?.patch === true) return { consumes: [...patchTypes(entry)] };
  return { consumes: operation.on === undefined || custom === true ? producedMediaTypes(operation, entry, dialect) : ['*/*'] };
}

export function patchTypes({ custom }: PathEntry): readonly string[] {
  return custom === true ? CUSTOM_PATCH_MEDIA_TYPES : PATCH_MEDIA_TYPES;
}

export function producedMediaTypes({ watchable }: Operation, { custom, mediaTypes }: PathEntry, dialect: Dialect): string[] {
  if (mediaTypes !== undefined) return [...mediaTypes.produces];
  if (custom === true) return [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE];
  const protobuf = PROTOBUF_MEDIA_TYPE[dialect];
  const streams = watchable ? [`${JSON_MEDIA_TYPE};stream=watch`, `${protobuf};stream=watch`] : [];
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

const renderKind = memoize(({ group, kind, version }: GroupVersionKindNames): JsonObject => ({ group, kind, version }));

function memoize<T extends object>(render: (value: T) => JsonObject): (value: T) => JsonObject {
  const rendered = new WeakMap<T, JsonObject>();
  return (value) => {
    let result = rendered.get(value);
    if (result === undefined) rendered.set(value, (result = render(value)));
    return result;
  };
}
