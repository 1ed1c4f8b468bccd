import { invalidValue, requiredValue, type FieldError } from './field-error';
import { deniedByWebhook, invalid, statusErrorFrom } from './status';

const POD_KIND = { group: '', kind: 'Pod' };

interface InvalidPod {
  readonly message: string;
  readonly causes: readonly { readonly message?: string; readonly field?: string }[];
}

/** The message and causes of the Status for a Pod with these errors. */
function invalidPod(errors: readonly FieldError[]): InvalidPod {
  const { message = '', details } = invalid(POD_KIND, 'x', errors).status;
  return { message, causes: details?.causes ?? [] };
}

const unnamedContainers = (count: number): readonly FieldError[] =>
  Array.from({ length: count }, (_, index) => requiredValue(`spec.containers[${index}].name`));

it('invalid() lists 100 errors', () => {
  const { causes } = invalidPod(unnamedContainers(100));
  expect(causes).toHaveLength(100);
  expect(causes.at(-1)).toMatchObject({ field: 'spec.containers[99].name' });
});

it('invalid() lists the first 100 of 300,000 errors, and adds a cause with the number of the others', () => {
  const { message, causes } = invalidPod(unnamedContainers(300_000));
  expect(causes).toHaveLength(100 + 1);
  expect(causes.at(99)).toMatchObject({ field: 'spec.containers[99].name' });
  expect(causes.at(100)).toEqual({ message: 'and 299900 more' });
  expect(message).toMatch(/spec\.containers\[99\]\.name: Required value, and 299900 more\]$/);
});

it('invalid() leaves out errors when their texts are long together, and states how many', () => {
  const errors = Array.from({ length: 50 }, (_, index) => invalidValue(`a[${index}]`, 'x'.repeat(1_000_000), 'too much'));
  const { message, causes } = invalidPod(errors);
  expect(message.length).toBeLessThan(80_000);
  expect(causes.at(-1)).toEqual({ message: `and ${50 - (causes.length - 1)} more` });
});

it('invalid() shortens the path, the value and the detail of a single error', () => {
  const error = invalidValue('y'.repeat(1_000_000), 'x'.repeat(1_000_000), 'z'.repeat(1_000_000));
  expect(invalidPod([error]).message.length).toBeLessThan(80_000);
});

it('statusErrorFrom() restores the denial of a webhook with a reason and code of its own', () => {
  const { status } = deniedByWebhook('a.example.com', { message: 'no', reason: 'TooColorful', code: 418, details: undefined });
  expect(statusErrorFrom(status).status).toEqual(status);
});
