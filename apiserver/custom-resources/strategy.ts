/**
 * The strategy of custom resources: validates objects against the schema, the scale subresource and CEL rules, in this
 * order. Rules are skipped when an object may not have the types that they expect. Decoding, pruning and defaulting are
 * left to the codec.
 */
import { patternStepsPerCharacter } from '../../shared/api/structural/pattern-steps';
import { validateSchema } from '../../shared/api/structural/validation/validate';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import type { CustomVersion } from '../../shared/api/structural/version';
import { invalidShownValue, type FieldError, type FieldErrorReason } from '../../shared/api/errors/field-error';
import { apiVersionOf, type GroupVersionKind } from '../../shared/api/identity/identity';
import { stringsAt, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { quote } from '../../shared/values/text/quote';
import { compileRules, type CompiledRules } from '../../shared/expression/custom/evaluate-rules';
import type { Strategy, StrategyContext } from '../registry/strategy';
import { scaleSpecErrors, scaleStatusErrors } from './scale-rules';

const RULES_SKIPPED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Errors after which the object may not have the types that the rules expect. */
const TYPE_ERRORS: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The strategy of one version of a custom kind. Created per definition, not per request. */
export function customResourceStrategy(kind: GroupVersionKind, version: CustomVersion): Strategy {
  const typeMeta: JsonObject = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const validateSpec: Validate = (object, old, context) =>
    validateObject({ version, typeMeta, scaleErrors: scaleSpecErrors }, object, old, context);
  const validateStatus: Validate = (object, old, context) =>
    validateObject({ version, typeMeta, scaleErrors: scaleStatusErrors }, object, old, context);
  return {
    get maxInlineBytes() {
      return maxInlineBytesOf(version.schema);
    },
    // For creates only: the stages of an update of a custom resource do not include `object`.
    validate: (object, _, context) => validateSpec(object, undefined, context),
    update: { validate: validateSpec },
    status: { validate: validateStatus },
    warningsOnCreate: (object) => finalizerWarnings(object, []),
    warningsOnUpdate: (object, old) => finalizerWarnings(object, finalizersOf(old)),
  };
}

type Validate = (object: JsonObject, old: JsonObject | undefined, context: StrategyContext) => readonly FieldError[];

/** The version of the object, and how it is validated. */
interface ValidationSettings {
  readonly version: CustomVersion;
  /** The apiVersion and kind, which are not stored; the schema and its rules apply to objects with them. */
  readonly typeMeta: JsonObject;
  /** Checks the fields of the scale subresource. */
  readonly scaleErrors: typeof scaleSpecErrors;
}

/** The errors of the object; warnings go to the context. `old` is the stored object of an update. */
function validateObject(
  { version: { schema, scale }, typeMeta, scaleErrors }: ValidationSettings,
  object: JsonObject,
  old: JsonObject | undefined,
  { warn }: StrategyContext,
): readonly FieldError[] {
  const typedObject = { ...typeMeta, ...object };
  const typedOld = old === undefined ? undefined : { ...typeMeta, ...old };
  const scaleFieldErrors = scale === undefined ? [] : scaleErrors(object, scale);
  const errors = validateSchema(schema, typedObject, typedOld, scaleFieldErrors);
  const rules = rulesOf(schema);
  if (rules.isEmpty) return errors;
  // The additional error belongs to no field (upstream behaviour).
  if (errors.some(({ reason }) => TYPE_ERRORS.has(reason))) return [...errors, invalidShownValue('<nil>', '"null"', RULES_SKIPPED)];
  const outcome = rules.validate(typedObject, typedOld);
  // A violation that was stored before the rule existed causes only a warning, which is sent whether or not there are
  // other errors.
  outcome.warnings.forEach(warn);
  return [...errors, ...outcome.errors];
}

/** Compiled rules, kept as long as their schema. */
const rulesBySchema = new WeakMap<SchemaNode, CompiledRules>();

function rulesOf(schema: SchemaNode): CompiledRules {
  let rules = rulesBySchema.get(schema);
  if (rules === undefined) rulesBySchema.set(schema, (rules = compileRules(schema)));
  return rules;
}

/** Limit of the CEL cost of the rules in a write on the server's thread: about 20 ms. */
const MAX_INLINE_COST = 100_000;
/** Limit of the steps of pattern matching in a write on the server's thread: about 20 ms. */
const MAX_INLINE_PATTERN_STEPS = 1_000_000;

/** Results of {@link maxInlineBytesOf}, kept as long as their schema. */
const maxInlineBytesBySchema = new WeakMap<SchemaNode, number>();

/** The maximum size in bytes of a write on the server's thread: rules and patterns stay within these limits. */
function maxInlineBytesOf(schema: SchemaNode): number {
  let maxBytes = maxInlineBytesBySchema.get(schema);
  if (maxBytes === undefined) {
    maxBytes = Math.min(
      rulesOf(schema).maxBytesWithinCost(MAX_INLINE_COST),
      Math.floor(MAX_INLINE_PATTERN_STEPS / patternStepsPerCharacter(schema)),
    );
    maxInlineBytesBySchema.set(schema, maxBytes);
  }
  return maxBytes;
}

/** Finalizers without a domain that cause no warning. */
const KNOWN_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'kubernetes', 'orphan']);

const finalizersOf = (object: JsonObject): readonly string[] => stringsAt(readMetadata(object), 'finalizers');

/** Warnings about finalizers that the object did not have before. */
function finalizerWarnings(object: JsonObject, before: readonly string[]): readonly string[] {
  const accepted = new Set([...KNOWN_FINALIZERS, ...before]);
  const unqualified = finalizersOf(object).filter((finalizer) => !finalizer.includes('/') && !accepted.has(finalizer));
  return unqualified.map(
    (finalizer) =>
      `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
  );
}
