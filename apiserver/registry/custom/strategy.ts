/** The rules of a custom kind: those of its schema. */
import { validateSchema } from '../../../shared/api/custom/validate';
import type { CustomVersion } from '../../../shared/api/custom/version';
import type { Strategy } from '../strategies/strategy';

export function customStrategy({ schema }: CustomVersion): Strategy {
  return {
    validate: (object) => validateSchema(schema, object),
    update: { validate: (object, old) => validateSchema(schema, object, old) },
    status: { validate: (object, old) => validateSchema(schema, object, old) },
  };
}
