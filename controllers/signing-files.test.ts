import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseFlags } from '../shared/cli/flags';
import { errorMessage } from '../shared/runtime/error-message';
import { silentLogger } from '../shared/runtime/logger';
import { createAuthority } from '../shared/pki/certificates';
import { ManualClock, flushPromises } from '../test/support/clock/manual-clock';
import { flags, type ControllerFlags } from './flags';
import { SigningFiles, validateSigningFlags } from './signing-files';

const folder = mkdtempSync(path.join(tmpdir(), 'signing-'));
afterAll(() => rmSync(folder, { recursive: true }));
const clock = new ManualClock();
/** The interval in which watched files are compared, so that a change without an event is noticed. */
const FILE_WATCH_INTERVAL_MS = 60_000;
const CLIENT = 'platform.io/kube-apiserver-client';

function valuesOf(...args: string[]): ControllerFlags {
  const parsed = parseFlags({ name: 'controllers', description: '' }, flags, args);
  if (parsed.kind !== 'values') throw new Error('the flags are wrong');
  return parsed.values;
}

/** Writes an authority and its key to files, and returns the flags that name them. */
async function writeAuthority(name: string, prefix = 'cluster-signing-'): Promise<string[]> {
  const { certificate, key } = await createAuthority({ subject: { commonName: name }, lifetimeMs: 3_600_000, clock });
  const certificateFile = path.join(folder, `${name}.crt`);
  const keyFile = path.join(folder, `${name}.key`);
  writeFileSync(certificateFile, certificate);
  writeFileSync(keyFile, key);
  return [`--${prefix}cert-file=${certificateFile}`, `--${prefix}key-file=${keyFile}`];
}

test.each([
  [['--cluster-signing-cert-file=a'], '--cluster-signing-cert-file and --cluster-signing-key-file must be set together'],
  [
    ['--cluster-signing-kubelet-client-key-file=a'],
    '--cluster-signing-kubelet-client-cert-file and --cluster-signing-kubelet-client-key-file must be set together',
  ],
  [
    [
      '--cluster-signing-cert-file=a',
      '--cluster-signing-key-file=a',
      '--cluster-signing-legacy-unknown-cert-file=a',
      '--cluster-signing-legacy-unknown-key-file=a',
    ],
    '--cluster-signing-legacy-unknown-cert-file cannot be used with --cluster-signing-cert-file',
  ],
  [[], undefined],
])('validateSigningFlags for the flags %j returns %j', (args, problem) => expect(validateSigningFlags(valuesOf(...args))).toBe(problem));

test('SigningFiles selects the authority of a signer, or else the common one, or none', async () => {
  expect(new SigningFiles(valuesOf()).isEmpty).toBe(true);
  const common = new SigningFiles(valuesOf(...(await writeAuthority('common'))));
  expect(common.authorityOf(CLIENT)?.certificate).toBe(common.authorityOf('platform.io/kubelet-serving')?.certificate);
  expect(common.authorityOf(CLIENT)).toBeDefined();
  expect(common.authorityOf('example.com/other')).toBeUndefined();
  const own = new SigningFiles(valuesOf(...(await writeAuthority('own', 'cluster-signing-kube-apiserver-client-'))));
  expect(own.isEmpty).toBe(false);
  expect(own.authorityOf(CLIENT)).toBeDefined();
  expect(own.authorityOf('platform.io/kubelet-serving')).toBeUndefined();
});

test('SigningFiles rejects a key that does not belong to the certificate, without the key in the message', async () => {
  const [certificateFlag = ''] = await writeAuthority('one');
  const [, keyFlag = ''] = await writeAuthority('two');
  const message = messageOf(() => new SigningFiles(valuesOf(certificateFlag, keyFlag)));
  expect(message).toMatch(/^cannot sign with .*one\.crt and .*two\.key: the key does not belong/);
  for (const line of readFileSync(path.join(folder, 'two.key'), 'utf8').trim().split('\n')) expect(message).not.toContain(line);
});

/** The message of the error that the call throws, '' when it throws none. */
function messageOf(call: () => unknown): string {
  try {
    call();
    return '';
  } catch (error) {
    return errorMessage(error);
  }
}

test('SigningFiles reloads changed files and keeps the former authority when the new files are invalid', async () => {
  const files = new SigningFiles(valuesOf(...(await writeAuthority('followed'))));
  const unwatch = files.watch(clock, silentLogger);
  const first = files.authorityOf(CLIENT);
  await writeAuthority('followed');
  clock.advance(FILE_WATCH_INTERVAL_MS);
  await flushPromises();
  const second = files.authorityOf(CLIENT);
  expect(second?.certificate).not.toBe(first?.certificate);
  writeFileSync(path.join(folder, 'followed.key'), 'nothing');
  clock.advance(FILE_WATCH_INTERVAL_MS);
  await flushPromises();
  expect(files.authorityOf(CLIENT)).toBe(second);
  unwatch();
});
