/** Compares the acceptance and the errors of encryption configurations with those recorded from upstream. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigurationError } from '../../../shared/configuration/configuration-error';
import { readConfiguration } from '../../../shared/configuration/read-configuration';
import { readCases } from '../../../test/replay/recording';
import { anything, either, nullValue, shape, text } from '../../../test/replay/shape';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { decodeSecret, ENCRYPTION_FORMAT } from './encryption-configuration';

const isCase = shape({ title: text, file: anything, error: either(text, nullValue) });

const folder = mkdtempSync(path.join(tmpdir(), 'encryption-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'encryption.yaml');

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

it.each([...readCases('encryption/files', isCase), ...readCases('encryption/kms-files', isCase)])(
  'the encryption configuration is accepted or rejected as recorded: $title',
  async ({ title, file: content, error }) => {
    const errors = await errorsOf(content);
    if (error === null) expect(errors).toEqual([]);
    else if (OWN_WORDS.test(title)) expect(errors).not.toEqual([]);
    else {
      const withoutValue = (message: string): string => message.replace(VALUE, 'Invalid value: ');
      // Upstream starts with what it did: `error while parsing file: …`.
      const recorded = withoutValue(error.replace(/^error while [^:]*: /, ''));
      expect(withoutValue(errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`)).toBe(recorded);
    }
  },
);

it('decodeSecret decodes base64 secrets as upstream does', () => {
  expect(decodeSecret('YWI=')?.toString()).toBe('ab');
  expect(decodeSecret('YW\nI=\r\n')?.toString()).toBe('ab');
  for (const bad of ['YWI', 'YW_=', 'Y', 'YWI==']) expect(decodeSecret(bad)).toBeUndefined();
});

it('the errors of an encryption configuration contain no secret', async () => {
  const keys = [{ name: 'a', secret: 'hunter2' }];
  const row = { resources: ['secrets'], providers: [{ aescbc: { keys } }] };
  const errors = await errorsOf({ apiVersion: 'apiserver.config.platform.io/v1', kind: 'EncryptionConfiguration', resources: [row] });
  expect(errors).toHaveLength(1);
  expect(errors.join()).not.toContain('hunter2');
});
