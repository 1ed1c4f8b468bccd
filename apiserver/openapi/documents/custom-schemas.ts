/**
 * The published schemas of custom kinds and their lists. published-schema.ts converts the schema itself; this module
 * adds the members that every kind has.
 */
import type { CustomVersion } from '../../../shared/api/structural/version';
import { PublishedSchema } from './published-schema';
import type { JsonObject } from '../../../shared/values/json';
import { JsonIndex } from '../../../shared/values/json-index';
import type { KindRow } from '../../../shared/api/kinds';
import { openApiName } from '../../../shared/api/types';

const OBJECT_META = 'meta.v1.ObjectMeta';
const LIST_META = 'meta.v1.ListMeta';

/** The built-in types that the schemas refer to, which a document with custom kinds must define. */
export const CUSTOM_REFERENCES: readonly string[] = [OBJECT_META, LIST_META];

/** The document that the schemas belong to. */
export interface CustomSchemaOptions {
  readonly version: 2 | 3;
  /** Prefix of the published names of built-in types. */
  readonly namePrefix: string;
}

/** The descriptions of the members that every object or list has. */
interface MemberTexts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: string;
}

/** Descriptions after their first word, which differs between objects and embedded resources. */
const API_VERSION = 'defines the group and version of the schema in which the object is written.';
const KIND = 'is the kind of the object, in CamelCase; it cannot be changed.';
const TYPE_TEXTS = { apiVersion: `APIVersion ${API_VERSION}`, kind: `Kind ${KIND}` };
const METADATA = "Standard object's metadata: name, namespace, labels, annotations, and the members that the server maintains.";

/** Clients look for the words at the start of these descriptions. */
const TEXTS: Readonly<Record<'embedded' | 'list' | 'object', MemberTexts>> = {
  object: { ...TYPE_TEXTS, metadata: METADATA },
  list: { ...TYPE_TEXTS, metadata: 'Standard list metadata: the revision of the list and the token of its next page.' },
  embedded: { apiVersion: `apiVersion ${API_VERSION}`, kind: `kind ${KIND}`, metadata: METADATA },
};

/**
 * The schemas by published name; none for a built-in kind. That of the kind itself is as large as its definition, and
 * is converted only when it is written.
 */
export function customSchemas({ custom, ...row }: KindRow, options: CustomSchemaOptions): Record<string, JsonObject | PublishedSchema> {
  if (custom === undefined) return {};
  return {
    [openApiName(row.type, options.namePrefix)]: kindSchema(row, custom, options),
    [openApiName(`${row.type}List`, options.namePrefix)]: listSchema(row, options),
  };
}

/** The names under which {@link customSchemas} publishes the schemas of the kinds. */
export const customSchemaNames = (rows: readonly KindRow[], namePrefix: string): string[] =>
  rows.flatMap(({ type }) => [openApiName(type, namePrefix), openApiName(`${type}List`, namePrefix)]);

function kindSchema(row: KindRow, { schemaText }: CustomVersion, options: CustomSchemaOptions): PublishedSchema {
  const selectable = (row.selectableFields ?? []).map(({ path }) => ({ fieldPath: path }));
  return new PublishedSchema(new JsonIndex(schemaText()), {
    version: options.version,
    objectMembers: typeMetaProperties(TEXTS.object, OBJECT_META, options),
    embeddedMembers: typeMetaProperties(TEXTS.embedded, OBJECT_META, options),
    extraMembers: { ...groupVersionKindExtension(row, row.kind), 'x-kubernetes-selectable-fields': selectable },
  });
}

function listSchema(row: KindRow, options: CustomSchemaOptions): JsonObject {
  const name = openApiName(row.type, options.namePrefix);
  const items = options.version === 2 ? { $ref: `#/definitions/${name}` } : { $ref: `#/components/schemas/${name}` };
  return {
    description: `${row.kind}List is a list of ${row.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMetaProperties(TEXTS.list, LIST_META, options),
      items: { description: `List of ${row.resource}.`, type: 'array', items },
    },
    ...groupVersionKindExtension(row, `${row.kind}List`),
    'x-kubernetes-selectable-fields': [],
  };
}

/** The properties apiVersion, kind and metadata. */
function typeMetaProperties(
  { apiVersion, kind, metadata }: MemberTexts,
  type: string,
  { version, namePrefix }: CustomSchemaOptions,
): JsonObject {
  const name = openApiName(type, namePrefix);
  const reference = version === 2 ? { $ref: `#/definitions/${name}` } : { allOf: [{ $ref: `#/components/schemas/${name}` }] };
  return {
    apiVersion: { description: apiVersion, type: 'string' },
    kind: { description: kind, type: 'string' },
    metadata: { description: metadata, ...reference },
  };
}

/** The extension by which clients find the schema of a kind. */
function groupVersionKindExtension({ group, version }: KindRow, kind: string): JsonObject {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}
