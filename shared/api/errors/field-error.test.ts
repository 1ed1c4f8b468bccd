import { duplicateValue, invalidShownValue, invalidValue, MAX_SHOWN_CHARACTERS, requiredValue, withBoundedErrors } from './field-error';
import { invalid } from './status';

const KIND = { group: '', kind: 'ConfigMap' };

it('withBoundedErrors counts the field errors of one validation beyond its bound without building them', () => {
  const errors = withBoundedErrors(() => Array.from({ length: 100_000 }, (_, index) => requiredValue(`a[${index}]`)));
  expect(errors).toHaveLength(100_000);
  // 20,000 errors, and one object that stands for all others.
  expect(new Set(errors).size).toBe(20_000 + 1);
  // The 100 errors that a Status lists are among those that were built.
  expect(invalid(KIND, 'x', errors).status.details?.causes?.at(-1)?.message).toBe('and 99900 more');
});

it('field errors are built again after withBoundedErrors has returned', () => {
  withBoundedErrors(() => Array.from({ length: 100_000 }, () => requiredValue('a')));
  expect(requiredValue('b').text).toBe('b: Required value');
});

it('a field error truncates an overlong value before copying it, without a visible difference in the Status', () => {
  const value = 'x'.repeat(MAX_SHOWN_CHARACTERS * 3);
  expect(invalidValue('a', value, 'is long').text.length).toBeLessThan(MAX_SHOWN_CHARACTERS * 1.1);
  const shown = invalid(KIND, 'x', [invalidShownValue('a', value, 'is long')]).status.details?.causes?.[0]?.message;
  expect(shown).toBe(`${`Invalid value: ${value}`.slice(0, MAX_SHOWN_CHARACTERS)}…`);
});

it('duplicateValue prints 64-bit integers exactly inside an object value', () => {
  expect(duplicateValue('a[1]', { seconds: 9_007_199_254_740_993n }).text).toBe('a[1]: Duplicate value: {"seconds":9007199254740993}');
});
