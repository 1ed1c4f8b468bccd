/** The rules of a custom kind: those of its schema and of its scale. */
import { validateSchema } from '../../../shared/api/custom/validate';
import type { CustomVersion } from '../../../shared/api/custom/version';
import type { FieldError } from '../../../shared/api/field-error';
import type { JsonObject } from '../../../shared/api/json';
import { readMetadata, stringsAt } from '../../../shared/api/object-meta';
import { quote } from '../../../shared/api/quote';
import type { Strategy } from '../strategies/strategy';
import { specErrors, statusErrors } from './scale-rules';

export function customStrategy({ schema, scale }: CustomVersion): Strategy {
  const judge = (object: JsonObject, old?: JsonObject): readonly FieldError[] => [
    ...validateSchema(schema, object, old),
    ...(scale === undefined ? [] : specErrors(object, scale)),
  ];
  return {
    validate: (object) => judge(object),
    update: { validate: judge },
    status: {
      validate: (object, old) => [...validateSchema(schema, object, old), ...(scale === undefined ? [] : statusErrors(object, scale))],
    },
    warnings: finalizerWarnings,
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
