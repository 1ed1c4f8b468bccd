/**
 * What a custom resource's schema says of one value, read once from the definition's JSON (`spec.versions[].schema.openAPIV3Schema`) into precise
 * types. Everything that is done with custom resources follows from it. Holds no objects and no code.
 */
import type { JsonObject, JsonValue } from '../../values/json';

export type SchemaType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/** A rule in the expression language (`x-kubernetes-validations`); see shared/expression. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  /** Absent counts as `FieldValueInvalid`. */
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** What restricts a value; it may stand at a node and below `allOf`, `anyOf`, `oneOf` and `not`. */
export interface Restrictions {
  /** Undefined at a node only where the value is an integer or string, or may be anything; elsewhere set only to say which of the two it is. */
  readonly type: SchemaType | undefined;
  readonly format: string;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** RE2 syntax; '' = none. */
  readonly pattern: string;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly values: readonly JsonValue[] | undefined;
  readonly allOf: readonly Restrictions[];
  readonly anyOf: readonly Restrictions[];
  readonly oneOf: readonly Restrictions[];
  readonly not: Restrictions | undefined;
  /** Restrictions of members and items; at a {@link SchemaNode} they are nodes themselves. */
  readonly properties: ReadonlyMap<string, Restrictions>;
  readonly items: Restrictions | undefined;
}

/** One value of a structural schema. */
export interface SchemaNode extends Restrictions {
  readonly title: string;
  readonly description: string;
  readonly nullable: boolean;
  readonly defaultValue: JsonValue | undefined;
  readonly intOrString: boolean;
  readonly preservesUnknownFields: boolean;
  /** A whole object with kind, apiVersion and metadata of its own. */
  readonly embeddedResource: boolean;
  readonly listType: 'atomic' | 'map' | 'set' | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly rules: readonly ValidationRule[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** What other members must be; true = anything, false = there are none; undefined = nothing is said. */
  readonly additionalProperties: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | undefined;
  /** As it stands in the definition, for publication. */
  readonly source: JsonObject;
}

/** Whether these are not only restrictions but a schema of its own. */
export function isSchemaNode(restrictions: Restrictions): restrictions is SchemaNode {
  return 'source' in restrictions;
}
