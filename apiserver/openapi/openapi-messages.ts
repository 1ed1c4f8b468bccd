/**
 * The fields of the published protobuf forms of OpenAPI 2 and 3, as far as our documents use them: member, number, shape. Numbers are facts
 * of the published descriptors.
 */
import type { OpenApiVersion } from './response-form';
import type { Messages, MessageShape } from './message';

const m = (message: string): MessageShape => ({ message });
const list = (shape: MessageShape): MessageShape => ({ list: shape });
const within = (field: number, shape: MessageShape): MessageShape => ({ within: field, shape });
const entries = (shape: MessageShape): { readonly entries: MessageShape } => ({ entries: shape });
const or = (message: string): MessageShape => ({ orReference: message });
const STRINGS = list('string');

const PARAMETER_V2: MessageShape = {
  byPlace: {
    body: within(1, m('BodyParameter')),
    query: within(2, within(3, { shared: 'QueryParameter' })),
    path: within(2, within(4, { shared: 'PathParameter' })),
  },
};

/** The entries of a document's paths and schemas: the field that repeats them, and their shape. */
export const PATHS = { v2: [2, entries(m('PathItem'))], v3: [1, entries(m('PathItem'))] } as const;
export const SCHEMAS = { v2: [1, entries(m('Schema'))], v3: [1, entries(or('Schema'))] } as const;

const OPENAPI_V2: Messages = {
  Document: {
    fields: [
      ['swagger', 1, 'string'],
      ['info', 2, m('Info')],
      ['paths', 8, within(...PATHS.v2)],
      ['definitions', 9, within(...SCHEMAS.v2)],
      ['security', 12, list(within(1, entries(within(1, STRINGS))))],
      ['securityDefinitions', 13, within(1, entries(within(2, m('ApiKeySecurity'))))],
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
      ['get', 2, m('Operation')],
      ['put', 3, m('Operation')],
      ['post', 4, m('Operation')],
      ['delete', 5, m('Operation')],
      ['patch', 8, m('Operation')],
      ['parameters', 9, list(within(1, PARAMETER_V2))],
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
      ['parameters', 8, list(within(1, PARAMETER_V2))],
      ['responses', 9, within(1, entries(within(1, m('Response'))))],
      ['schemes', 10, STRINGS],
    ],
    extensions: 13,
  },
  Response: {
    fields: [
      ['description', 1, 'string'],
      ['schema', 2, within(1, m('Schema'))],
    ],
    extensions: 5,
  },
  BodyParameter: {
    fields: [
      ['description', 1, 'string'],
      ['name', 2, 'string'],
      ['in', 3, 'string'],
      ['required', 4, 'boolean'],
      ['schema', 5, m('Schema')],
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
      ['enum', 20, list('any')],
      ['additionalProperties', 21, within(1, m('Schema'))],
      ['type', 22, within(1, 'string')],
      ['items', 23, within(1, m('Schema'))],
      ['properties', 25, within(1, entries(m('Schema')))],
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
      ['info', 2, m('Info')],
      ['paths', 4, within(...PATHS.v3)],
      ['components', 5, m('Components')],
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
      ['get', 4, m('Operation')],
      ['put', 5, m('Operation')],
      ['post', 6, m('Operation')],
      ['delete', 7, m('Operation')],
      ['patch', 10, m('Operation')],
      ['parameters', 13, list(or('Parameter'))],
    ],
    extensions: 14,
  },
  Operation: {
    fields: [
      ['tags', 1, STRINGS],
      ['description', 3, 'string'],
      ['operationId', 5, 'string'],
      ['parameters', 6, list(or('Parameter'))],
      ['requestBody', 7, or('RequestBody')],
      ['responses', 8, within(2, entries(or('Response')))],
    ],
    extensions: 13,
  },
  Parameter: {
    fields: [
      ['name', 1, 'string'],
      ['in', 2, 'string'],
      ['description', 3, 'string'],
      ['required', 4, 'boolean'],
      ['schema', 10, or('Schema')],
    ],
  },
  RequestBody: {
    fields: [
      ['description', 1, 'string'],
      ['content', 2, within(1, entries(m('MediaType')))],
      ['required', 3, 'boolean'],
    ],
  },
  Response: {
    fields: [
      ['description', 1, 'string'],
      ['content', 3, within(1, entries(m('MediaType')))],
    ],
  },
  MediaType: { fields: [['schema', 1, or('Schema')]] },
  Components: {
    fields: [
      ['schemas', 1, within(...SCHEMAS.v3)],
      ['securitySchemes', 7, within(1, entries(or('SecurityScheme')))],
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
      ['enum', 24, list('any')],
      ['type', 25, 'string'],
      ['allOf', 26, list(or('Schema'))],
      ['oneOf', 27, list(or('Schema'))],
      ['items', 30, within(1, or('Schema'))],
      ['properties', 31, within(1, entries(or('Schema')))],
      ['additionalProperties', 32, within(1, or('Schema'))],
      ['default', 33, 'scalar'],
      ['description', 34, 'string'],
      ['format', 35, 'string'],
    ],
    extensions: 36,
  },
};

export const MESSAGES: Readonly<Record<OpenApiVersion, Messages>> = { v2: OPENAPI_V2, v3: OPENAPI_V3 };
