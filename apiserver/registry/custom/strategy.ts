/** The rules of a custom kind: those of its schema, of its scale, and those that it states in the expression language. */
import { validateSchema } from '../../../shared/api/custom/validate';
import type { CustomVersion } from '../../../shared/api/custom/version';
import { invalidAs, type FieldError } from '../../../shared/api/field-error';
import type { JsonObject } from '../../../shared/api/json';
import { readMetadata, stringsAt } from '../../../shared/api/object-meta';
import { quote } from '../../../shared/api/quote';
import { compileRules, type Rules } from '../../../shared/expression/custom/compile-rules';
import type { Strategy } from '../strategies/strategy';
import { specErrors, statusErrors } from './scale-rules';

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

export function customStrategy({ schema, scale }: CustomVersion): Strategy {
  let compiled: Rules | undefined;
  const rules = (): Rules => (compiled ??= compileRules(schema));
  const judge = (object: JsonObject, old?: JsonObject): readonly FieldError[] => {
    const errors = validateSchema(schema, object, old);
    if (rules().isEmpty) return errors;
    return errors.length > 0 ? [...errors, invalidAs('<nil>', '"null"', UNCHECKED)] : rules().validate(object, old).errors;
  };
  const judgeSpec = (object: JsonObject, old?: JsonObject): readonly FieldError[] => [
    ...judge(object, old),
    ...(scale === undefined ? [] : specErrors(object, scale)),
  ];
  return {
    validate: (object) => judgeSpec(object),
    update: { validate: judgeSpec },
    status: { validate: (object, old) => [...judge(object, old), ...(scale === undefined ? [] : statusErrors(object, scale))] },
    // What was stored before a rule was made is borne with, and said.
    warnings: (object, old) => [...finalizerWarnings(object), ...(old === undefined ? [] : rules().validate(object, old).warnings)],
  };
}

const KNOWN_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'kubernetes', 'orphan']);

function finalizerWarnings(object: JsonObject): readonly string[] {
  return stringsAt(readMetadata(object), 'finalizers')
    .filter((finalizer) => !finalizer.includes('/') && !KNOWN_FINALIZERS.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}
