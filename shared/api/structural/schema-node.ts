/**
 * A structural schema (`spec.versions[].schema.openAPIV3Schema`) in precise types, read once from the definition.
 * Decoding, defaulting, pruning, validation and publication of custom resources derive from it.
 */
import type { JsonObject, JsonValue } from '../../values/json';

export type SchemaType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/** A CEL validation rule (`x-kubernetes-validations`); see shared/expression. */
export interface ValidationRule {
  readonly rule: string;
  /** This and `messageExpression` are empty when the definition has none. */
  readonly message: string;
  readonly messageExpression: string;
  /** The reason of the error; `undefined` means `FieldValueInvalid`. */
  readonly reason: string | undefined;
  /** The path of the error relative to the node (`.spec.name`); empty for the node itself. */
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** Value validation of a node, also used below `allOf`, `anyOf`, `oneOf` and `not`. */
export interface ValueValidation {
  /**
   * At a node, `undefined` only for int-or-string values and for values of any type. Below `anyOf` and similar, set
   * only to distinguish the two alternatives of int-or-string.
   */
  readonly type: SchemaType | undefined;
  readonly format: string;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** In RE2 syntax; empty when there is none. */
  readonly pattern: string;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly enumValues: readonly JsonValue[] | undefined;
  readonly allOf: readonly ValueValidation[];
  readonly anyOf: readonly ValueValidation[];
  readonly oneOf: readonly ValueValidation[];
  readonly not: ValueValidation | undefined;
  /** Value validation of members and items; at a {@link SchemaNode} these are nodes themselves. */
  readonly properties: ReadonlyMap<string, ValueValidation>;
  readonly items: ValueValidation | undefined;
}

/** One node of a structural schema. */
export interface SchemaNode extends ValueValidation {
  readonly title: string;
  readonly description: string;
  readonly nullable: boolean;
  readonly defaultValue: JsonValue | undefined;
  readonly intOrString: boolean;
  readonly preservesUnknownFields: boolean;
  /** A complete object with its own kind, apiVersion and metadata. */
  readonly embeddedResource: boolean;
  readonly listType: 'atomic' | 'map' | 'set' | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly rules: readonly ValidationRule[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /**
   * The schema of other members; `true` allows any value, `false` forbids other members, `undefined` does not specify
   * them.
   */
  readonly additionalProperties: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | undefined;
  /** The JSON of this node in the definition, for publication. */
  readonly source: JsonObject;
}

/** Whether this is a node of a structural schema and not only value validation. */
export function isSchemaNode(schema: ValueValidation): schema is SchemaNode {
  return 'source' in schema;
}
