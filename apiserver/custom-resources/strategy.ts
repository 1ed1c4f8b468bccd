/** The rules of a custom kind: those of its schema, of its scale, and those that it states in the expression language. */
import { stringsAt } from '../../shared/values/json';
import { patternStepsPerCharacter } from '../../shared/api/structural/pattern-steps';
import { validateSchema } from '../../shared/api/structural/validate';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import type { CustomVersion } from '../../shared/api/structural/version';
import { invalidShownValue, type FieldError, type FieldErrorReason } from '../../shared/api/errors/field-error';
import { apiVersionOf, type GroupVersionKind } from '../../shared/api/identity/identity';
import type { JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { quote } from '../../shared/values/quote';
import { compileRules, type CompiledRules } from '../../shared/expression/custom/compile-rules';
import type { Strategy, StrategyContext } from '../registry/strategy';
import { specErrors, statusErrors } from './scale-rules';

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** What leaves it open whether the object is what the rules are written for. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** They stay as long as the schema that states them. */
const compiled = new WeakMap<SchemaNode, CompiledRules>();

function rulesOf(schema: SchemaNode): CompiledRules {
  let rules = compiled.get(schema);
  if (rules === undefined) compiled.set(schema, (rules = compileRules(schema)));
  return rules;
}

/** What rules and patterns may take of a write on the server's thread: each is some 20 ms. */
const INLINE_COST = 100_000;
const INLINE_STEPS = 1_000_000;

const mostInline = new WeakMap<SchemaNode, number>();

/** Bytes of the largest write whose rules and patterns certainly take no longer. */
function mostInlineOf(schema: SchemaNode): number {
  let most = mostInline.get(schema);
  if (most === undefined) {
    most = Math.min(rulesOf(schema).maxBytesWithinCost(INLINE_COST), Math.floor(INLINE_STEPS / patternStepsPerCharacter(schema)));
    mostInline.set(schema, most);
  }
  return most;
}

export function customStrategy(kind: GroupVersionKind, version: CustomVersion): Strategy {
  const { scale } = version;
  const head: JsonObject = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  /** The schema and its rules see objects with their apiVersion and kind, which are not kept with them. */
  const whole = <T extends JsonObject | undefined>(object: T): T => (object === undefined ? object : { ...head, ...object });
  const judge = (
    bare: JsonObject,
    bareOld: JsonObject | undefined,
    { warn }: StrategyContext,
    scaleErrors: typeof specErrors,
  ): readonly FieldError[] => {
    const [object, old] = [whole(bare), whole(bareOld)];
    const { schema } = version;
    const others = scale === undefined ? [] : scaleErrors(bare, scale);
    const errors = validateSchema(schema, object, old, others);
    const rules = rulesOf(schema);
    if (rules.isEmpty) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, invalidShownValue('<nil>', '"null"', UNCHECKED)];
    const outcome = rules.validate(object, old);
    // A violation that was stored before the rule existed causes only a warning, which is sent whether or not there are other errors.
    outcome.warnings.forEach(warn);
    return [...errors, ...outcome.errors];
  };
  const judgeSpec = (object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly FieldError[] =>
    judge(object, old, context, specErrors);
  return {
    get mostInline() {
      return mostInlineOf(version.schema);
    },
    validate: (object, _, context) => judgeSpec(object, undefined, context),
    update: { validate: judgeSpec },
    status: { validate: (object, old, context) => judge(object, old, context, statusErrors) },
    warningsOnCreate: (object) => finalizerWarnings(object, []),
    warningsOnUpdate: (object, old) => finalizerWarnings(object, finalizersOf(old)),
  };
}

const KNOWN_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'kubernetes', 'orphan']);

const finalizersOf = (object: JsonObject): readonly string[] => stringsAt(readMetadata(object), 'finalizers');

/** Of those that the object did not have before. */
function finalizerWarnings(object: JsonObject, before: readonly string[]): readonly string[] {
  const known = new Set([...KNOWN_FINALIZERS, ...before]);
  return finalizersOf(object)
    .filter((finalizer) => !finalizer.includes('/') && !known.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}
