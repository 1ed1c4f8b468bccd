import { withBoundedErrors, invalidShownValue, invalidValue, MAX_SHOWN_CHARACTERS, requiredValue, type FieldError } from './field-error';
import { invalid } from './status';

const KIND = { group: '', kind: 'ConfigMap' };

it('invalid() lists the first 100 of 300,000 field errors as causes and counts the rest', () => {
  const errors: FieldError[] = [];
  for (let n = 0; n < 300_000; n += 1) errors.push(requiredValue(`spec.items[${n}]`));
  const { causes = [] } = invalid(KIND, 'x', errors).status.details ?? {};
  // The last cause counts the rest.
  expect(causes).toHaveLength(100 + 1);
  expect(causes.at(99)?.field).toBe('spec.items[99]');
  expect(causes.at(-1)?.message).toBe('and 299900 more');
});

it('withBoundedErrors counts the field errors of one validation beyond its bound without building them', () => {
  const errors = withBoundedErrors(() => Array.from({ length: 100_000 }, (_, n) => requiredValue(`a[${n}]`)));
  // 20,000 errors, and one object that stands for all others.
  expect(new Set(errors).size).toBe(20_000 + 1);
  expect(invalid(KIND, 'x', errors).status.details?.causes?.at(-1)?.message).toBe('and 99900 more');
  expect(requiredValue('b').text).toBe('b: Required value');
});

it('a field error truncates an overlong value before copying it, without a visible difference in the Status', () => {
  const value = 'x'.repeat(MAX_SHOWN_CHARACTERS * 3);
  expect(invalidValue('a', value, 'is long').text.length).toBeLessThan(MAX_SHOWN_CHARACTERS * 1.1);
  const shown = invalid(KIND, 'x', [invalidShownValue('a', value, 'is long')]).status.details?.causes?.[0]?.message;
  expect(shown).toBe(`${`Invalid value: ${value}`.slice(0, MAX_SHOWN_CHARACTERS)}…`);
});
