/** Compares the acceptance and the errors of encryption configurations with those recorded from upstream. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationError } from '../../../shared/configuration/configuration-error';
import { readConfiguration } from '../../../shared/configuration/read-configuration';
import { readCases } from '../../../test/replay/recording';
import { anything, either, nullValue, shape, text } from '../../../test/replay/shape';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { useFolder } from '../../../test/support/use-resource';
import { decodeSecret, ENCRYPTION_FORMAT } from './encryption-configuration';

const isCase = shape({ title: text, file: anything, error: either(text, nullValue) });

const file = path.join(useFolder('encryption'), 'encryption.yaml');

async function errorsOf(content: unknown): Promise<readonly string[]> {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  try {
    await readConfiguration(file, [ENCRYPTION_FORMAT], new ManualClock());
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.errors.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`));
  }
}

/**
 * Titles of the cases that this server rejects with messages of its own: errors of the schema, which has the same
 * messages for all configuration files; KMS version 1, which is not supported here; values that cannot be read.
 */
const OWN_WORDS =
  /^(?:unknown |wrong |no kind|kms v1|kms endpoint that|kms with a timeout that|text instead|not yaml|empty file|secret that is no)/;
/** Values that upstream prints in the syntax of Go: `Invalid value: v1.Duration{Duration:0}: …`. */
const VALUE = /Invalid value: (?:apiserver\.ProviderConfiguration\{.*?\(nil\)\}|v1\.Duration\{.*?\}|\{[a-z0-9, ]*\}|-?\d+m?s): /gs;

/** Upstream starts with what it did: `error while parsing file: …`. */
const PREAMBLE = /^error while [^:]*: /;

const withoutValues = (message: string): string => message.replace(VALUE, 'Invalid value: ');
/** Several errors as upstream prints them. */
const joinErrors = (errors: readonly string[]): string => (errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`);

const CASES = [...readCases('encryption/files', isCase), ...readCases('encryption/kms-files', isCase)];
const VALID_CASES = CASES.filter(({ error }) => error === null);
const REJECTED_CASES = CASES.flatMap(({ title, file: content, error }) => (error === null ? [] : [{ title, content, error }]));

it.each(VALID_CASES)('the encryption configuration is accepted as recorded: $title', async ({ file: content }) => {
  expect(await errorsOf(content)).toEqual([]);
});

it.each(REJECTED_CASES.filter(({ title }) => OWN_WORDS.test(title)))(
  'the encryption configuration is rejected in words of this server: $title',
  async ({ content }) => {
    expect(await errorsOf(content)).not.toEqual([]);
  },
);

it.each(REJECTED_CASES.filter(({ title }) => !OWN_WORDS.test(title)))(
  'the encryption configuration is rejected with the recorded errors: $title',
  async ({ content, error }) => {
    expect(withoutValues(joinErrors(await errorsOf(content)))).toBe(withoutValues(error.replace(PREAMBLE, '')));
  },
);

it.each([
  ['padding', 'YWI='],
  ['line breaks', 'YW\nI=\r\n'],
])('decodeSecret decodes base64 with %s', (_title, secret) => expect(decodeSecret(secret)?.toString()).toBe('ab'));

it.each(['YWI', 'YW_=', 'Y', 'YWI=='])('decodeSecret returns undefined for the malformed base64 %s', (secret) =>
  expect(decodeSecret(secret)).toBeUndefined(),
);

it('the errors of an encryption configuration contain no secret', async () => {
  const keys = [{ name: 'a', secret: 'hunter2' }];
  const row = { resources: ['secrets'], providers: [{ aescbc: { keys } }] };
  const errors = await errorsOf({ apiVersion: 'apiserver.config.platform.io/v1', kind: 'EncryptionConfiguration', resources: [row] });
  expect(errors).toHaveLength(1);
  expect(errors.join()).not.toContain('hunter2');
});
