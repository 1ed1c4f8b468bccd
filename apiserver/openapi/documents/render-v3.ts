/**
 * Renders the operations of a path in the format of OpenAPI 3.0. The operations are defined in operations.ts; media
 * types and extensions are those of render-v2.ts.
 */
import type { JsonObject } from '../../../shared/values/json';
import type { Dialect } from '../../../shared/names/dialect';
import type { Parameter } from './operation-shapes';
import { RESPONSE_TEXT, type Operation, type PathEntry } from './operations';
import { extensionsOf, patchMediaTypes, producedMediaTypes, schemaOrReference } from './render-v2';

/** `dialect` is that of the media types; `reference` returns the published name of a type. */
export function renderPathV3(entry: PathEntry, dialect: Dialect, reference: (type: string) => string): JsonObject {
  const item: JsonObject = {};
  for (const operation of entry.operations) item[operation.method] = renderOperation(operation, entry, dialect, reference);
  if (entry.parameters.length > 0) item['parameters'] = entry.parameters.map(renderParameter);
  return item;
}

function renderOperation(operation: Operation, entry: PathEntry, dialect: Dialect, reference: (type: string) => string): JsonObject {
  const { body, parameters } = operation;
  /** The same schema for each media type. */
  const content = (type: string, mediaTypes: readonly string[]): JsonObject => {
    const schema = schemaOrReference(type, `#/components/schemas/${reference(type)}`);
    return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
  };
  const renderBody = ({ type, isRequired }: NonNullable<Operation['body']>): JsonObject => ({
    content: content(type, [...consumedMediaTypes(operation, entry, dialect)].sort()),
    ...(isRequired ? { required: true } : {}),
  });
  const responses: JsonObject = {};
  for (const { code, type } of operation.responses) {
    responses[code] = {
      description: RESPONSE_TEXT[code],
      content: content(type, [...producedMediaTypes(operation, entry, dialect)].sort()),
    };
  }
  responses['401'] = { description: 'Unauthorized' };
  const requestBody = body === undefined ? undefined : renderBody(body);
  return {
    tags: [entry.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(renderParameter) }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses,
    ...extensionsOf(operation),
  };
}

/** The media types of the body. */
function consumedMediaTypes(operation: Operation, entry: PathEntry, dialect: Dialect): readonly string[] {
  if (operation.body?.isPatch === true) return patchMediaTypes(entry);
  return entry.isCustom ? producedMediaTypes(operation, entry, dialect) : ['*/*'];
}

function renderParameter({ name, in: location, type, description }: Parameter): JsonObject {
  return { name, in: location, description, ...(location === 'path' ? { required: true } : {}), schema: { type, uniqueItems: true } };
}
