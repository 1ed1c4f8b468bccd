/** Lease: it lasts more than no time, and its transitions are not negative. */
import { invalidAs, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, own, type JsonObject } from '../../../shared/values/json';
import type { Strategy } from '../../registry/strategy';

export const lease: Strategy = {
  validate,
  update: { validate },
};

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const errors: FieldError[] = [];
  const duration = own(spec, 'leaseDurationSeconds');
  if (typeof duration === 'number' && duration <= 0) {
    errors.push(invalidAs('spec.leaseDurationSeconds', String(duration), 'must be greater than 0'));
  }
  const transitions = own(spec, 'leaseTransitions');
  if (typeof transitions === 'number' && transitions < 0) {
    errors.push(invalidAs('spec.leaseTransitions', String(transitions), 'must be greater than or equal to 0'));
  }
  return errors;
}
