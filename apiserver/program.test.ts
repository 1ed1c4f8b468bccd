/** Refusals of the API server program to start: exit code and message for unusable flags, files and stores. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MemoryStore } from '../test/support/store/memory-store';
import { parseFlags } from '../shared/cli/flags';
import { exitCodeOf, PERMANENT_EXIT_CODE } from '../shared/runtime/process/permanent-error';
import { errorMessage } from '../shared/runtime/error-message';
import { systemClock } from '../shared/runtime/clock';
import { silentLogger } from '../shared/runtime/logger';
import { Lifecycle } from '../shared/runtime/process/lifecycle';
import { systemRandom as random } from '../shared/runtime/random';
import { FLAGS } from './options/flags/flags';
import { PROGRAM, runServer } from './program';
import { DATA_FORMAT, DATA_FORMAT_VERSION } from './storage/format-marker';
import type { Store } from './storage/store';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The error with which the server fails to start; `undefined` when it starts. */
async function startError(args: readonly string[], store: Store | 'embedded' = new MemoryStore()): Promise<unknown> {
  const parsed = parseFlags(PROGRAM, FLAGS, [
    '--storage-backend=embedded',
    `--storage-dir=${folder}/store`,
    '--etcd-prefix=/registry',
    '--secure-port=0',
    ...args,
  ]);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  const clock = systemClock;
  const lifecycle = new Lifecycle({ clock, logger: silentLogger, process: { on: () => undefined, exit: () => undefined } });
  try {
    await runServer(parsed, { clock, random, logger: silentLogger, lifecycle, ...(store !== 'embedded' && { store }) });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await lifecycle.stop('the test is over');
  }
}

/** The flags that name files, with the flags without which they have no effect. */
const FILE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  'tls-cert-file': ['--tls-private-key-file=FILE'],
  'tls-private-key-file': ['--tls-cert-file=FILE'],
  'client-ca-file': [],
  'requestheader-client-ca-file': [],
  'encryption-provider-config': [],
  'admission-control-config-file': [],
  'token-auth-file': [],
  'kubelet-certificate-authority': [],
  'kubelet-client-certificate': ['--kubelet-client-key=FILE'],
  'kubelet-client-key': ['--kubelet-client-certificate=FILE'],
  'proxy-client-cert-file': ['--proxy-client-key-file=FILE'],
  'proxy-client-key-file': ['--proxy-client-cert-file=FILE'],
  'authorization-policy-file': ['--authorization-mode=ABAC'],
  'authorization-config': [],
  'authorization-webhook-config-file': ['--authorization-mode=Webhook'],
  'authentication-token-webhook-config-file': [],
  'authentication-config': [],
  'oidc-ca-file': ['--oidc-issuer-url=https://issuer.example', '--oidc-client-id=a'],
  'service-account-key-file': ['--service-account-issuer=https://a', '--service-account-signing-key-file=FILE'],
  'service-account-signing-key-file': ['--service-account-issuer=https://a', '--service-account-key-file=FILE'],
  'tracing-config-file': [],
  'audit-policy-file': [],
  'audit-webhook-config-file': [],
};

describe('runServer', () => {
  it('is tested with every flag that names a file', () => {
    const isFile = (name: string): boolean => /file$|-config$|certificate|-key$|-authority$/.test(name) && !name.startsWith('etcd');
    const fileFlags = Object.entries(FLAGS).filter(
      ([name, { isHidden, placeholder }]) => isFile(name) && isHidden !== true && placeholder.startsWith('string'),
    );
    expect(fileFlags.map(([name]) => name).sort()).toEqual(Object.keys(FILE_FLAGS).sort());
  });

  it.each(Object.entries(FILE_FLAGS))('refuses to start when the file of --%s does not exist, with flag and path', async (name, others) => {
    const file = path.join(folder, 'absent');
    const policy = name === 'audit-webhook-config-file' ? [`--audit-policy-file=${auditPolicy()}`] : [];
    const error = await startError([`--${name}=${file}`, ...others.map((flag) => flag.replace('FILE', `${folder}/other`)), ...policy]);
    const message = errorMessage(error);
    expect(message).toMatch(/^--[a-z-]+=\S+: the file does not exist$/);
    const isPair = others.some((flag) => flag.includes('FILE'));
    // Of a pair, the file that is read first is named.
    if (isPair) expect(message).toMatch(/=\S+\/(absent|other):/);
    else expect(message).toContain(`--${name}=${file}:`);
    expect(exitCodeOf(error)).toBe(PERMANENT_EXIT_CODE);
  });

  it.each(Object.entries(FILE_FLAGS))('refuses to start when the file of --%s does not parse, with flag and path', async (name, others) => {
    const file = path.join(folder, 'invalid');
    writeFileSync(file, 'invalid: [');
    const policy = name === 'audit-webhook-config-file' ? [`--audit-policy-file=${auditPolicy()}`] : [];
    const error = await startError([`--${name}=${file}`, ...others.map((flag) => flag.replace('FILE', file)), ...policy]);
    expect(errorMessage(error)).toContain(`--${name}=${file}`);
    expect(errorMessage(error)).not.toContain('\n');
    expect(exitCodeOf(error)).toBe(PERMANENT_EXIT_CODE);
  });

  it('refuses to start on a port in use, with its flag', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = portOf(server);
    const error = await startError(['--bind-address=127.0.0.1', `--secure-port=${port}`]);
    const insecurePortError = await startError([`--insecure-port=${port}`]);
    server.close();
    expect(errorMessage(error)).toBe(`--secure-port=${port}: the port is in use by another program`);
    expect(exitCodeOf(error)).toBe(PERMANENT_EXIT_CODE);
    expect(errorMessage(insecurePortError)).toBe(`--insecure-port=${port}: the port is in use by another program`);
  });

  it('refuses to start when stored objects need keys that are not configured, with their number', async () => {
    const store = new MemoryStore();
    const value = Buffer.from('k8s:enc:aescbc:v1:key1:rubbish');
    for (const name of ['a', 'b'])
      await store.transact({ compare: [], operations: [{ type: 'put', key: `/registry/secrets/default/${name}`, value }] });
    const marker = Buffer.from(JSON.stringify({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming: 'platform' }));
    await store.transact({ compare: [], operations: [{ type: 'put', key: '/registry/platform-format', value: marker }] });
    const text = 'stored objects need keys that the configuration does not have: secrets: 2 objects need key "key1" of provider aescbc';
    const error = await startError([], store);
    expect(errorMessage(error)).toContain(`--encryption-provider-config: ${text}`);
    expect(exitCodeOf(error)).toBe(PERMANENT_EXIT_CODE);

    const file = path.join(folder, 'encryption.json');
    const keys = [{ name: 'key2', secret: Buffer.alloc(32).toString('base64') }];
    const resources = [{ resources: ['secrets'], providers: [{ aescbc: { keys } }] }];
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }));
    expect(errorMessage(await startError([`--encryption-provider-config=${file}`], store))).toContain(
      `--encryption-provider-config=${file}: ${text}`,
    );
  });

  it('refuses to start on a damaged store, with its folder and the remedy', async () => {
    const storeFolder = path.join(folder, 'store');
    expect(await startError(['--audit-policy-file=/none'], 'embedded')).toBeDefined();
    writeFileSync(path.join(storeFolder, 'data.mdb'), Buffer.alloc(20_000, 'x'));
    const error = await startError([], 'embedded');
    expect(errorMessage(error)).toMatch(`--storage-dir=${storeFolder}: ${storeFolder}/data.mdb is not a file of an embedded store`);
    expect(errorMessage(error)).toContain('restore a backup');
    expect(exitCodeOf(error)).toBe(PERMANENT_EXIT_CODE);
  });
});

function auditPolicy(): string {
  const file = path.join(folder, 'policy.yaml');
  writeFileSync(file, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]\n');
  return file;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
