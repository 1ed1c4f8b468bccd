/** The descriptors of the types of built-in kinds. Created by tables.ts and immutable. */

/**
 * Scalars and the types with a custom JSON form:
 * - `raw`: any JSON, stored as it was sent;
 * - `json`: any JSON, stored with its members sorted;
 * - `fields`: a field set of managedFields;
 * - `strings`: a list of strings that protobuf wraps in a message.
 */
export type Scalar =
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'float64'
  | 'string'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  | 'raw'
  | 'json'
  | 'fields'
  | 'strings';

/** The type of a field. `object` names a type of the tables, such as `core.v1.PodSpec`. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'object'; readonly type: string }
  | EitherType
  | { readonly kind: 'list'; readonly element: FieldType }
  | { readonly kind: 'map'; readonly element: FieldType };

/** Either an object of a type or a value of another type. In protobuf, a message with a field for each. */
export interface EitherType {
  readonly kind: 'either';
  /** The published name: `apiextensions.v1.JSONSchemaPropsOrBool`. */
  readonly type: string;
  /** The type of the object. */
  readonly object: string;
  /** The other type: a boolean, a list of such objects, or a list of strings. */
  readonly or: 'bool' | 'list' | 'strings';
}

/**
 * When the JSON output has a field:
 * - `omit`: unless it is zero or empty;
 * - `pointer`: when it is set, zero or not;
 * - `always`: also when it is unset, as its zero value (`0`, `""`, `{}`; null for a list, a map or a time);
 * - `null`: also when it is unset, as null.
 */
export type Presence = 'omit' | 'pointer' | 'always' | 'null';

/** How server-side apply merges a list: atomically, as a set, or as a map by the keys of its items. */
export type ListType = 'atomic' | 'set' | 'map';
/** How server-side apply merges a map or struct: as one value, or member by member. */
export type MapType = 'atomic' | 'granular';

/** A field of a type. */
export interface FieldSchema {
  /** The JSON field name; empty for an inline field, which has its embedded Go struct in `type`. */
  readonly name: string;
  /** The protobuf field number; 0 when the field is not part of the message. */
  readonly number: number;
  readonly type: FieldType;
  readonly presence: Presence;
  /** Whether the fields of the struct are fields of the enclosing object. In protobuf it is still a message of its own. */
  readonly inline: boolean;
  /** Whether the OpenAPI document lists the field as required. */
  readonly required: boolean;
  /** The type in error messages: `int32`, `v1.ServiceType`, `[]v1.ServicePort`. */
  readonly goType: string;
  /** Strategic merge patch: `merge`, `replace`, `retainKeys`, in upstream's order; empty means replace. */
  readonly patchStrategies: readonly string[];
  /** Strategic merge patch: the field that identifies the items of a list that is merged. */
  readonly mergeKey: string | undefined;
  /** `undefined` when nothing is published, which server-side apply treats as `atomic`. */
  readonly listType: ListType | undefined;
  /** For `listType: map`. */
  readonly listMapKeys: readonly string[];
  /** For a map or struct; `undefined` means granular, unless the struct type declares otherwise. */
  readonly mapType: MapType | undefined;
  /** The published values of an enum; empty when any value is permitted. */
  readonly values: readonly string[];
  /** The published default. Server-side apply uses it for a missing list map key. */
  readonly defaultValue: string | number | boolean | undefined;
}

/** A type of the tables. */
export interface TypeSchema {
  /** `core.v1.Pod`. */
  readonly name: string;
  /** `Pod`: the type in error messages. */
  readonly goName: string;
  /** Whether the type has `kind` and `apiVersion`, which are not among the fields. */
  readonly hasTypeMeta: boolean;
  /** `atomic` when server-side apply merges the struct as one value. */
  readonly mapType: MapType | undefined;
  /** The discriminator of a union and, by field, the discriminator value that selects it. */
  readonly union: { readonly discriminator: string; readonly members: Readonly<Record<string, string>> } | undefined;
  /** As declared, with inline structs as one field: the layout of the protobuf message. */
  readonly members: readonly FieldSchema[];
  /** JSON fields in upstream's output order, with the fields of inline structs in their position. */
  readonly fields: readonly FieldSchema[];
  /** The JSON field of that name; `undefined` for an unknown one. */
  field(name: string): FieldSchema | undefined;
}
