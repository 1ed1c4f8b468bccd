/** The shape of the type tables in memory. Made by tables.ts; nobody changes them. */

/**
 * Scalars and the types with a JSON form of their own. `strings` is a list of strings that protobuf wraps in a message; `raw` is kept as it was
 * sent, `json` has its members sorted.
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

export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'object'; readonly type: string }
  | EitherType
  | { readonly kind: 'list'; readonly of: FieldType }
  | { readonly kind: 'map'; readonly of: FieldType };

/** An object of a type or, just as well, a value that is none. In protobuf a message with a field for each. */
export interface EitherType {
  readonly kind: 'either';
  /** The name that is published: `apiextensions.v1.JSONSchemaPropsOrBool`. */
  readonly type: string;
  /** The type of the object. */
  readonly object: string;
  /** A boolean, a list of such objects, or a list of strings. */
  readonly or: 'bool' | 'list' | 'strings';
}

/**
 * When JSON output has a member: `omit` = unless it is zero or empty; `pointer` = when it is set, zero or not; `always` = also when it is
 * unset, then as its zero value (`0`, `""`, `{}`, a list or time as null); `null` = also when it is unset, then null.
 */
export type Presence = 'omit' | 'pointer' | 'always' | 'null';

/** How server-side apply merges a list: as one value, as a set, or by the keys of its items. */
export type ListType = 'atomic' | 'set' | 'map';
export type MapType = 'atomic' | 'granular';

export interface FieldSchema {
  /** The JSON member; of an inline member the Go struct that it embeds is in `type`, and the name is empty. */
  readonly name: string;
  /** The protobuf number; 0 = not part of the message. */
  readonly number: number;
  readonly type: FieldType;
  readonly presence: Presence;
  /** The members of its struct stand in the enclosing object (in protobuf it is a message of its own). */
  readonly inline: boolean;
  readonly required: boolean;
  /** How error texts call the type: `int32`, `v1.ServiceType`, `[]v1.ServicePort`. */
  readonly goType: string;
  /** Strategic merge: `merge`, `replace`, `retainKeys`, in upstream's order; empty = replace. */
  readonly patchStrategies: readonly string[];
  readonly mergeKey: string | undefined;
  readonly listType: ListType | undefined;
  /** For `listType: map`. */
  readonly listMapKeys: readonly string[];
  /** Of a map or struct member; undefined = granular unless the struct type says otherwise. */
  readonly mapType: MapType | undefined;
  /** Published values of an enumeration; empty = anything. */
  readonly values: readonly string[];
  /** The published default: what a missing list map key counts as in server-side apply. */
  readonly defaultValue: string | number | boolean | undefined;
}

export interface TypeSchema {
  /** `core.v1.Pod`. */
  readonly name: string;
  /** `Pod`: how error texts call it. */
  readonly goName: string;
  /** It has `kind` and `apiVersion` (they are not among the fields). */
  readonly hasTypeMeta: boolean;
  /** Merged as one value by server-side apply. */
  readonly mapType: MapType | undefined;
  /** A union's deciding member and, by member, the value that stands for it. */
  readonly union: { readonly discriminator: string; readonly members: Readonly<Record<string, string>> } | undefined;
  /** As declared, inline structs as one member: the layout of the protobuf message. */
  readonly members: readonly FieldSchema[];
  /** JSON members in upstream's output order, those of inline structs in their place. */
  readonly fields: readonly FieldSchema[];
  /** The JSON member of that name; undefined for an unknown one. */
  field(name: string): FieldSchema | undefined;
}
