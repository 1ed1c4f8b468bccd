import { appendAll } from '../../values/append';
import { duplicateValue, invalidValue, requiredValue } from './field-error';
import { deniedByWebhook, invalid, statusErrorFrom } from './status';

const KIND = { group: '', kind: 'Pod' };
const invalidPod = (errors: Parameters<typeof invalid>[2]): { message: string; causes: readonly { message?: string }[] } => {
  const { message = '', details } = invalid(KIND, 'x', errors).status;
  return { message, causes: details?.causes ?? [] };
};

it('invalid() lists 100 causes and states how many more there are', () => {
  const errors = Array.from({ length: 300_000 }, (_, n) => requiredValue(`spec.containers[${n}].name`));
  const { message, causes } = invalidPod(errors);
  expect(causes).toHaveLength(101);
  expect(causes.at(-1)).toEqual({ message: 'and 299900 more' });
  expect(message).toMatch(/spec\.containers\[99\]\.name: Required value, and 299900 more\]$/);
  expect(invalidPod(errors.slice(0, 100)).causes.at(-1)).toMatchObject({ field: 'spec.containers[99].name' });
});

it('invalid() bounds the length of its message, whatever the length of fields and values', () => {
  const errors = Array.from({ length: 50 }, (_, n) => invalidValue(`a[${n}]`, 'x'.repeat(1_000_000), 'too much'));
  const { message, causes } = invalidPod(errors);
  expect(message.length).toBeLessThan(80_000);
  expect(causes.at(-1)).toEqual({ message: `and ${50 - (causes.length - 1)} more` });
  expect(invalidPod([invalidValue('y'.repeat(1_000_000), 'x'.repeat(1_000_000), 'z'.repeat(1_000_000))]).message.length).toBeLessThan(
    80_000,
  );
});

it('appendAll() appends a list of a million items', () => {
  const list = [0];
  appendAll(list, Array<number>(1_000_000).fill(1));
  expect(list).toHaveLength(1_000_001);
});

it('duplicateValue() prints 64-bit integers exactly inside an object value', () => {
  expect(duplicateValue('a[1]', { seconds: 9_007_199_254_740_993n }).text).toBe('a[1]: Duplicate value: {"seconds":9007199254740993}');
});

it('statusErrorFrom() restores the denial of a webhook with a reason and code of its own', () => {
  const { status } = deniedByWebhook('a.example.com', { message: 'no', reason: 'TooColorful', code: 418, details: undefined });
  expect(statusErrorFrom(status).status).toEqual(status);
});
