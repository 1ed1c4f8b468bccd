/**
 * The public interface of the type tables. A type is named `<group>.<version>.<Kind>` with the folder name of the group in
 * Go: `core.v1.Pod`, `rbac.v1.Role`, `meta.v1.ObjectMeta`. Each function is documented where it is declared.
 */
export { decodeObject } from './decode';
export { DecodeError, jsonKindOf } from './decode-error';
export { applyDefaults } from './defaults';
export { dropDisabledFields } from './disabled-fields';
export { encodeBody, encodeBodyInSteps } from './encode';
export { CUSTOM_TYPE_PREFIX, buildDefinitions, openApiName, type PublishedKind } from './openapi';
export { hasSchema, schemaOf } from './tables';
export { readTypeMeta } from './type-meta';
export type { FieldSchema, FieldType } from './types';
