/** A server whose store is encrypted by a file, for tests: several over one store, one after the other, and the file in another's place. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEncryptionAtRest, type EncryptionFromFile } from '../../../apiserver/options/encryption-options';
import type { Store } from '../../../apiserver/storage/store';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemBytes, systemRandom } from '../../../shared/runtime/random';
import { type Answer } from './call';
import { type Fixture, startFixture } from './fixture';

export const folder = path.join(tmpdir(), `encryption-${process.pid}-${randomBytes(4).toString('hex')}`);

/** Makes the folder of a file's configurations and stores before its tests, and removes it after them. */
export function useEncryptionFolder(): void {
  beforeAll(() => mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true }));
}

export type Provider = Readonly<Record<string, unknown>>;
export const keyed = (type: string, ...keys: readonly string[]): Provider => ({
  [type]: { keys: keys.map((one) => ({ name: one, secret: Buffer.alloc(32, one).toString('base64') })) },
});
export const named = (type: string, name: string, letter: string): Provider => ({
  [type]: { keys: [{ name, secret: Buffer.alloc(32, letter).toString('base64') }] },
});
export const PLAIN: Provider = { identity: {} };
const rows = (...providers: readonly Provider[]): readonly unknown[] => [{ resources: ['secrets', '*.stable.example.com'], providers }];

export interface Encrypted {
  readonly encryption: EncryptionFromFile;
  readonly configurations: ConfigurationFiles;
  /** Puts another configuration in the file's place. */
  write(...providers: readonly Provider[]): void;
}

/** Files are looked at, and services asked how they are doing, twenty times as often. */
const HASTE = 20;
const hurried: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms / HASTE, task) };

let files = 0;
async function encrypting(...providers: readonly Provider[]): Promise<Encrypted> {
  const file = path.join(folder, `${++files}.yaml`);
  const write = (...next: readonly Provider[]): void =>
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources: rows(...next) }),
    );
  write(...providers);
  const configurations = new ConfigurationFiles(hurried, silentLogger);
  const encryption = await openEncryptionAtRest({
    file,
    reloads: true,
    prefix: '/registry',
    server: 'test',
    dialect: 'platform',
    configurations,
    clock: hurried,
    random: systemBytes,
    uuid: () => systemRandom.uuid(),
    logger: silentLogger,
  });
  return { encryption, configurations, write };
}

export interface Served extends Encrypted {
  readonly api: Fixture;
  stop(): Promise<void>;
}

/** A server over `store` with these providers. */
export async function serve(store: Store, ...providers: readonly Provider[]): Promise<Served> {
  const encrypted = await encrypting(...providers);
  const { encryption, configurations } = encrypted;
  const api = await startFixture({}, encryption.over(store), silentLogger, encryption);
  return {
    ...encrypted,
    api,
    async stop() {
      configurations.close();
      await api.stop();
      encryption.close();
    },
  };
}

export const SECRETS = '/api/v1/namespaces/default/secrets';
export const create = (api: Fixture, name: string, value: string): Promise<Answer> =>
  api.post(SECRETS, { metadata: { name }, stringData: { a: value } });
export const objectOf = ({ text }: Answer): Record<string, Record<string, string>> => JSON.parse(text);
export const stored = async (store: Store, name: string): Promise<string> =>
  (await store.get(`/registry/secrets/default/${name}`)).kv?.value.toString('latin1') ?? '';

/** What somebody sees who reads the files of an embedded store. */
export const contentOf = (directory: string): string =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(directory, name))
    .filter((name) => name.endsWith('.mdb') || name.includes('data'))
    .map((name) => readFileSync(name, 'latin1'))
    .join('');
