import { invalidValue, MAX_SHOWN_CHARACTERS, requiredValue, type FieldError } from './field-error';
import { deniedByWebhook, invalid, statusErrorFrom } from './status';

/** Longer than every limit of a Status. */
const LONG = 'x'.repeat(1_000_000);
const POD_KIND = { group: '', kind: 'Pod' };

interface InvalidPod {
  readonly message: string;
  readonly causes: readonly { readonly message?: string; readonly field?: string }[];
}

/** What a response shows of a text that is longer than the limit. */
const shortened = (text: string): string => `${text.slice(0, MAX_SHOWN_CHARACTERS)}…`;

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
  const errors = Array.from({ length: 50 }, (_, index) => invalidValue(`a[${index}]`, LONG, 'too much'));
  const { message, causes } = invalidPod(errors);
  // The limit of the texts together, 64 Ki characters, is that of four shortened texts.
  const texts = [0, 1, 2, 3].map((index) => shortened(`a[${index}]: Invalid value: "${LONG}`));
  expect(message).toBe(`Pod "x" is invalid: [${texts.join(', ')}, and 46 more]`);
  expect(causes).toHaveLength(4 + 1);
  expect(causes.at(4)).toEqual({ message: 'and 46 more' });
});

it.each([
  { part: 'path', error: invalidValue(LONG, 1, 'd'), field: shortened(LONG), body: 'Invalid value: 1: d' },
  { part: 'value', error: invalidValue('a', LONG, 'd'), field: 'a', body: shortened(`Invalid value: "${LONG}`) },
  { part: 'detail', error: invalidValue('a', 1, LONG), field: 'a', body: shortened(`Invalid value: 1: ${LONG}`) },
])('invalid() shortens a long $part', ({ error, field, body }) => {
  const { message, causes } = invalidPod([error]);
  expect(causes).toEqual([{ reason: 'FieldValueInvalid', field, message: body }]);
  expect(message).toBe(`Pod "x" is invalid: ${shortened(error.text)}`);
});

it('statusErrorFrom() restores the denial of a webhook with a reason and code of its own', () => {
  const { status } = deniedByWebhook('a.example.com', { message: 'no', reason: 'TooColorful', code: 418, details: undefined });
  expect(statusErrorFrom(status).status).toEqual(status);
});
