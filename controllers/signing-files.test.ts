import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseFlags } from '../shared/cli/flags';
import { silentLogger } from '../shared/runtime/logger';
import { createAuthority } from '../shared/pki/certificates';
import { ManualClock, flushPromises } from '../test/support/clock/manual-clock';
import { flags, type ControllerFlags } from './flags';
import { SigningFiles, validateSigningFlags } from './signing-files';

const folder = mkdtempSync(path.join(tmpdir(), 'signing-'));
afterAll(() => rmSync(folder, { recursive: true }));
const clock = new ManualClock();
const CLIENT = 'platform.io/kube-apiserver-client';

function valuesOf(...args: string[]): ControllerFlags {
  const parsed = parseFlags({ name: 'controllers', description: '' }, flags, args);
  if (parsed.kind !== 'values') throw new Error('the flags are wrong');
  return parsed.values;
}

/** Writes an authority, and returns the flags that name it. */
async function authority(name: string, prefix = 'cluster-signing-'): Promise<string[]> {
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
    ['--cluster-signing-cert-file=a', '--cluster-signing-key-file=a'].flatMap((flag) => [
      flag,
      flag.replace('signing-', 'signing-legacy-unknown-'),
    ]),
    '--cluster-signing-legacy-unknown-cert-file cannot be used with --cluster-signing-cert-file',
  ],
  [[], undefined],
])('validateSigningFlags for the flags %j returns %j', (args, problem) => expect(validateSigningFlags(valuesOf(...args))).toBe(problem));

test('SigningFiles selects the authority of a signer, or else the common one, or none', async () => {
  expect(new SigningFiles(valuesOf()).isEmpty).toBe(true);
  const common = new SigningFiles(valuesOf(...(await authority('common'))));
  expect(common.authorityOf(CLIENT)?.certificate).toBe(common.authorityOf('platform.io/kubelet-serving')?.certificate);
  expect(common.authorityOf(CLIENT)).toBeDefined();
  expect(common.authorityOf('example.com/other')).toBeUndefined();
  const own = new SigningFiles(valuesOf(...(await authority('own', 'cluster-signing-kube-apiserver-client-'))));
  expect([own.isEmpty, own.authorityOf(CLIENT) === undefined, own.authorityOf('platform.io/kubelet-serving')]).toEqual([
    false,
    false,
    undefined,
  ]);
});

test('SigningFiles rejects a key that does not belong to the certificate, and does not print it', async () => {
  const [certificate = ''] = await authority('one');
  const [, key = ''] = await authority('two');
  expect(() => new SigningFiles(valuesOf(certificate, key))).toThrow(
    /^cannot sign with .*one\.crt and .*two\.key: the key does not belong/,
  );
});

test('SigningFiles reloads changed files and keeps the former authority when the new files are invalid', async () => {
  const files = new SigningFiles(valuesOf(...(await authority('followed'))));
  const unwatch = files.watch(clock, silentLogger);
  const first = files.authorityOf(CLIENT);
  await authority('followed');
  clock.advance(60_000);
  await flushPromises();
  const second = files.authorityOf(CLIENT);
  expect(second?.certificate).not.toBe(first?.certificate);
  writeFileSync(path.join(folder, 'followed.key'), 'nothing');
  clock.advance(60_000);
  await flushPromises();
  expect(files.authorityOf(CLIENT)).toBe(second);
  unwatch();
});
