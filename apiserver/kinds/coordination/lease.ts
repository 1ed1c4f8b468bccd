/**
 * Lease strategy: the duration is positive and the count of transitions not negative. Holders renew and take over
 * Leases by ordinary updates; expiry is left to them.
 */
import { invalidShownValue, type FieldError } from '../../../shared/api/errors/field-error';
import type { CoordinationV1Lease } from '../../../shared/api/types/generated/members';
import type { Strategy } from '../../registry/strategy';
import type { Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';

export const lease: Strategy<CoordinationV1Lease> = {
  validate,
  update: { validate },
};

function validate({ spec = {} }: CoordinationV1Lease): readonly FieldError[] {
  const errors: Errors = [];
  const { leaseDurationSeconds: duration } = spec;
  if (duration !== undefined && duration <= 0) {
    errors.push(invalidShownValue('spec.leaseDurationSeconds', String(duration), 'must be greater than 0'));
  }
  checkNonNegative(spec, 'leaseTransitions', 'spec', errors);
  return errors;
}
