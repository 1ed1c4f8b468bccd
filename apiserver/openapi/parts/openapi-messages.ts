/**
 * Fields of the published protobuf messages of OpenAPI v2 and v3, as far as the documents use them: member, number,
 * shape. The numbers are those of the published descriptors; the type `MessageShape` (message.ts) defines the shapes.
 */
import type { OpenApiVersion } from '../documents/response-form';
import type { Messages, MessageShape } from '../message/message';

const messageShape = (message: string): MessageShape => ({ message });
const listShape = (shape: MessageShape): MessageShape => ({ list: shape });
/** The value as the only field of a message, as the published messages have it for maps, lists of types and choices. */
const wrappedShape = (field: number, shape: MessageShape): MessageShape => ({ within: field, shape });
const entriesShape = (shape: MessageShape): { readonly entries: MessageShape } => ({ entries: shape });
const orReferenceShape = (message: string): MessageShape => ({ orReference: message });
/** A repeated field of strings. */
const STRINGS = listShape('string');

/** A parameter of v2, which has a message of its own for each place of the request. */
const PARAMETER_V2: MessageShape = {
  byParameterIn: {
    body: wrappedShape(1, messageShape('BodyParameter')),
    query: wrappedShape(2, wrappedShape(3, { shared: 'QueryParameter' })),
    path: wrappedShape(2, wrappedShape(4, { shared: 'PathParameter' })),
  },
};

/** The repeated field of a document's paths, and the shape of its entries. */
export const PATHS_FIELD = { v2: [2, entriesShape(messageShape('PathItem'))], v3: [1, entriesShape(messageShape('PathItem'))] } as const;
/** The repeated field of a document's schemas, and the shape of its entries. */
export const SCHEMAS_FIELD = { v2: [1, entriesShape(messageShape('Schema'))], v3: [1, entriesShape(orReferenceShape('Schema'))] } as const;

const OPENAPI_V2: Messages = {
  Document: {
    fields: [
      ['swagger', 1, 'string'],
      ['info', 2, messageShape('Info')],
      ['paths', 8, wrappedShape(...PATHS_FIELD.v2)],
      ['definitions', 9, wrappedShape(...SCHEMAS_FIELD.v2)],
      ['security', 12, listShape(wrappedShape(1, entriesShape(wrappedShape(1, STRINGS))))],
      ['securityDefinitions', 13, wrappedShape(1, entriesShape(wrappedShape(2, messageShape('ApiKeySecurity'))))],
    ],
    extensions: 16,
  },
  Info: {
    fields: [
      ['title', 1, 'string'],
      ['version', 2, 'string'],
      ['description', 3, 'string'],
    ],
  },
  PathItem: {
    fields: [
      ['get', 2, messageShape('Operation')],
      ['put', 3, messageShape('Operation')],
      ['post', 4, messageShape('Operation')],
      ['delete', 5, messageShape('Operation')],
      ['patch', 8, messageShape('Operation')],
      ['parameters', 9, listShape(wrappedShape(1, PARAMETER_V2))],
    ],
    extensions: 10,
  },
  Operation: {
    fields: [
      ['tags', 1, STRINGS],
      ['description', 3, 'string'],
      ['operationId', 5, 'string'],
      ['produces', 6, STRINGS],
      ['consumes', 7, STRINGS],
      ['parameters', 8, listShape(wrappedShape(1, PARAMETER_V2))],
      ['responses', 9, wrappedShape(1, entriesShape(wrappedShape(1, messageShape('Response'))))],
      ['schemes', 10, STRINGS],
    ],
    extensions: 13,
  },
  Response: {
    fields: [
      ['description', 1, 'string'],
      ['schema', 2, wrappedShape(1, messageShape('Schema'))],
    ],
    extensions: 5,
  },
  BodyParameter: {
    fields: [
      ['description', 1, 'string'],
      ['name', 2, 'string'],
      ['in', 3, 'string'],
      ['required', 4, 'boolean'],
      ['schema', 5, messageShape('Schema')],
    ],
  },
  QueryParameter: {
    fields: [
      ['required', 1, 'boolean'],
      ['in', 2, 'string'],
      ['description', 3, 'string'],
      ['name', 4, 'string'],
      ['type', 6, 'string'],
      ['uniqueItems', 20, 'boolean'],
    ],
  },
  PathParameter: {
    fields: [
      ['required', 1, 'boolean'],
      ['in', 2, 'string'],
      ['description', 3, 'string'],
      ['name', 4, 'string'],
      ['type', 5, 'string'],
      ['uniqueItems', 19, 'boolean'],
    ],
  },
  Schema: {
    fields: [
      ['$ref', 1, 'string'],
      ['format', 2, 'string'],
      ['description', 4, 'string'],
      ['default', 5, 'any'],
      ['required', 19, STRINGS],
      ['enum', 20, listShape('any')],
      ['additionalProperties', 21, wrappedShape(1, messageShape('Schema'))],
      ['type', 22, wrappedShape(1, 'string')],
      ['items', 23, wrappedShape(1, messageShape('Schema'))],
      ['properties', 25, wrappedShape(1, entriesShape(messageShape('Schema')))],
    ],
    extensions: 31,
  },
  ApiKeySecurity: {
    fields: [
      ['type', 1, 'string'],
      ['name', 2, 'string'],
      ['in', 3, 'string'],
      ['description', 4, 'string'],
    ],
  },
};

const OPENAPI_V3: Messages = {
  Document: {
    fields: [
      ['openapi', 1, 'string'],
      ['info', 2, messageShape('Info')],
      ['paths', 4, wrappedShape(...PATHS_FIELD.v3)],
      ['components', 5, messageShape('Components')],
    ],
    extensions: 9,
  },
  Info: {
    fields: [
      ['title', 1, 'string'],
      ['description', 2, 'string'],
      ['version', 6, 'string'],
    ],
  },
  PathItem: {
    fields: [
      ['get', 4, messageShape('Operation')],
      ['put', 5, messageShape('Operation')],
      ['post', 6, messageShape('Operation')],
      ['delete', 7, messageShape('Operation')],
      ['patch', 10, messageShape('Operation')],
      ['parameters', 13, listShape(orReferenceShape('Parameter'))],
    ],
    extensions: 14,
  },
  Operation: {
    fields: [
      ['tags', 1, STRINGS],
      ['description', 3, 'string'],
      ['operationId', 5, 'string'],
      ['parameters', 6, listShape(orReferenceShape('Parameter'))],
      ['requestBody', 7, orReferenceShape('RequestBody')],
      ['responses', 8, wrappedShape(2, entriesShape(orReferenceShape('Response')))],
    ],
    extensions: 13,
  },
  Parameter: {
    fields: [
      ['name', 1, 'string'],
      ['in', 2, 'string'],
      ['description', 3, 'string'],
      ['required', 4, 'boolean'],
      ['schema', 10, orReferenceShape('Schema')],
    ],
  },
  RequestBody: {
    fields: [
      ['description', 1, 'string'],
      ['content', 2, wrappedShape(1, entriesShape(messageShape('MediaType')))],
      ['required', 3, 'boolean'],
    ],
  },
  Response: {
    fields: [
      ['description', 1, 'string'],
      ['content', 3, wrappedShape(1, entriesShape(messageShape('MediaType')))],
    ],
  },
  MediaType: { fields: [['schema', 1, orReferenceShape('Schema')]] },
  Components: {
    fields: [
      ['schemas', 1, wrappedShape(...SCHEMAS_FIELD.v3)],
      ['securitySchemes', 7, wrappedShape(1, entriesShape(orReferenceShape('SecurityScheme')))],
    ],
  },
  SecurityScheme: {
    fields: [
      ['type', 1, 'string'],
      ['description', 2, 'string'],
      ['name', 3, 'string'],
      ['in', 4, 'string'],
    ],
  },
  Schema: {
    fields: [
      ['uniqueItems', 20, 'boolean'],
      ['required', 23, STRINGS],
      ['enum', 24, listShape('any')],
      ['type', 25, 'string'],
      ['allOf', 26, listShape(orReferenceShape('Schema'))],
      ['oneOf', 27, listShape(orReferenceShape('Schema'))],
      ['items', 30, wrappedShape(1, orReferenceShape('Schema'))],
      ['properties', 31, wrappedShape(1, entriesShape(orReferenceShape('Schema')))],
      ['additionalProperties', 32, wrappedShape(1, orReferenceShape('Schema'))],
      ['default', 33, 'scalar'],
      ['description', 34, 'string'],
      ['format', 35, 'string'],
    ],
    extensions: 36,
  },
};

/** By the version of OpenAPI; `Document` is the outermost message of both. */
export const OPENAPI_MESSAGES: Readonly<Record<OpenApiVersion, Messages>> = { v2: OPENAPI_V2, v3: OPENAPI_V3 };
