/**
 * The schemas of custom kinds and their lists as the documents publish them. What a version of OpenAPI can say of a custom schema is decided in
 * shared/api/structural/publish.ts; here it becomes a whole kind.
 */
import type { CustomVersion } from '../../shared/api/structural/version';
import { publishSchema } from '../../shared/api/structural/publish';
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { openApiName } from '../../shared/api/types';
import { parseStored } from '../../shared/serialization';
import type { Describe } from './descriptions';

const OBJECT_META = 'meta.v1.ObjectMeta';
const LIST_META = 'meta.v1.ListMeta';

/** Types of the tables to which the schemas refer. */
export const CUSTOM_REFERENCES: readonly string[] = [OBJECT_META, LIST_META];

export interface CustomSchemaOptions {
  readonly version: 2 | 3;
  /** What published names of built-in types begin with. */
  readonly root: string;
  readonly describe?: Describe;
}

/** By published name. */
export function customSchemas(rows: readonly KindRow[], options: CustomSchemaOptions): Record<string, JsonObject> {
  return Object.fromEntries(
    rows.flatMap((row): [string, JsonObject][] =>
      row.custom === undefined
        ? []
        : [
            [openApiName(row.type, options.root), kindSchema(row, row.custom, options)],
            [openApiName(`${row.type}List`, options.root), listSchema(row, options)],
          ],
    ),
  );
}

function kindSchema(row: KindRow, { schemaText }: CustomVersion, options: CustomSchemaOptions): JsonObject {
  const objectMembers = { ...typeMeta(options), metadata: reference(OBJECT_META, options) };
  const selectable = (row.selectableFields ?? []).map(({ path }) => ({ fieldPath: path }));
  return {
    ...publishSchema(parseStored(schemaText()), { version: options.version, objectMembers }),
    ...kindNames(row, row.kind),
    'x-kubernetes-selectable-fields': selectable,
  };
}

function listSchema(row: KindRow, options: CustomSchemaOptions): JsonObject {
  const name = openApiName(row.type, options.root);
  const items = options.version === 2 ? { $ref: `#/definitions/${name}` } : { $ref: `#/components/schemas/${name}` };
  return {
    description: `A list of objects of kind ${row.kind} of ${apiVersionOf(row)}.`,
    type: 'object',
    required: ['items'],
    properties: { ...typeMeta(options), items: { type: 'array', items }, metadata: reference(LIST_META, options) },
    ...kindNames(row, `${row.kind}List`),
    'x-kubernetes-selectable-fields': [],
  };
}

/** Described as those of a built-in kind are, where there are descriptions. */
function typeMeta({ describe }: CustomSchemaOptions): JsonObject {
  const member = (name: string): JsonObject => {
    const description = describe?.('core.v1.ConfigMap', name);
    return { ...(description === undefined ? {} : { description }), type: 'string' };
  };
  return { apiVersion: member('apiVersion'), kind: member('kind') };
}

function reference(type: string, { version, root, describe }: CustomSchemaOptions): JsonObject {
  const name = openApiName(type, root);
  const description = describe?.(type === OBJECT_META ? 'core.v1.ConfigMap' : 'core.v1.ConfigMapList', 'metadata');
  return {
    ...(description === undefined ? {} : { description }),
    ...(version === 2 ? { $ref: `#/definitions/${name}` } : { allOf: [{ $ref: `#/components/schemas/${name}` }] }),
  };
}

function kindNames({ group, version }: KindRow, kind: string): JsonObject {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}
