/**
 * What the rest of the programs use of the type tables. Types are named `<group>.<version>.<Kind>` in short form: `core.v1.Pod`,
 * `coordination.v1.Lease`, `meta.v1.ObjectMeta`, `meta.v1.Status`, `meta.v1.DeleteOptions`, `core.v1.PodList`.
 *
 *   schemaOf(type): TypeSchema                        fields in upstream's member order; throws on an unknown type name
 *   hasSchema(type): boolean
 *   decodeObject(type, value, literals?): { object, unknown }
 *        a fresh object, pruned and canonical (times, quantities), without `kind` and `apiVersion`; `unknown` holds the field paths in order of
 *        appearance, at most 100. Throws DecodeError, whose message is upstream's (`json: cannot unmarshal …`), on a wrong type.
 *   readTypeMeta(value): { apiVersion, kind }         of any parsed body; throws DecodeError (`couldn't get version/kind; json parse error: …`)
 *   applyDefaults(type, object): void                 in place; what upstream's defaulting adds to this version
 *   dropDisabled(type, object): void                  in place; members of features that are off
 *   encodeBody(type, object): string                  canonical JSON without kind and apiVersion: `{"metadata":{…},…}`
 *   encodingBody(type, object): Steps<string>         the same in steps
 *   definitions(types, options)                       OpenAPI v2 definitions or v3 schemas by published name
 */
export { decodeObject } from './decode';
export { DecodeError, kindOf } from './decode-error';
export { applyDefaults } from './defaults';
export { dropDisabled } from './disabled';
export { encodeBody, encodingBody } from './encode';
export { CUSTOM_TYPE, definitions, openApiName, type PublishedKind } from './openapi';
export { hasSchema, schemaOf } from './tables';
export { readTypeMeta } from './type-meta';
export type { FieldSchema, FieldType } from './types';
