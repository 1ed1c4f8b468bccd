/**
 * The public interface of the type tables. Types are named `<group>.<version>.<Kind>` in short form: `core.v1.Pod`,
 * `coordination.v1.Lease`, `meta.v1.ObjectMeta`, `meta.v1.Status`, `meta.v1.DeleteOptions`, `core.v1.PodList`. Each
 * function is documented where it is declared.
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
