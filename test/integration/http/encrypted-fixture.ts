/** Servers whose store is encrypted by a file: several over one store, one after the other, and the file replaced while they run. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEncryptionAtRest, type EncryptionFromFile } from '../../../apiserver/options/encryption-options';
import type { Store } from '../../../apiserver/storage/store';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandomBytes, systemRandom } from '../../../shared/runtime/random';
import { MemoryStore } from '../../support/memory-store';
import { openEmbedded, openEtcd, type OpenedStore } from '../../support/open-stores';
import { removeFolder, temporaryFolder } from '../../support/programs';
import type { Answer } from './call';
import { startFixture, type Fixture } from './fixture';

export const SECRETS = '/api/v1/namespaces/default/secrets';
/** A value of a Secret, and its encoding in the API. */
export const VALUE = 'nobody-may-read-this';
export const ENCODED = Buffer.from(VALUE).toString('base64');

export type Provider = Readonly<Record<string, unknown>>;
const secretOf = (letter: string): string => Buffer.alloc(32, letter).toString('base64');
export const keyed = (type: string, ...keys: readonly string[]): Provider => ({
  [type]: { keys: keys.map((name) => ({ name, secret: secretOf(name) })) },
});
export const named = (type: string, name: string, letter: string): Provider => ({ [type]: { keys: [{ name, secret: secretOf(letter) }] } });
export const PLAIN: Provider = { identity: {} };

/** Files are looked at, and services asked how they are doing, twenty times as often. */
const HASTE = 20;
const hurried: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms / HASTE, task) };

export interface Encrypted {
  readonly api: Fixture;
  readonly encryption: EncryptionFromFile;
  readonly configurations: ConfigurationFiles;
  /** Replaces the configuration in the file. */
  write(...providers: readonly Provider[]): void;
  stop(): Promise<void>;
}

/** A server over `store` with these providers. */
export async function serve(store: Store, ...providers: readonly Provider[]): Promise<Encrypted> {
  const folder = temporaryFolder('encryption');
  const file = path.join(folder, 'encryption.yaml');
  const write = (...next: readonly Provider[]): void => {
    const resources = [{ resources: ['secrets', '*.stable.example.com'], providers: next }];
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }));
  };
  write(...providers);
  const configurations = new ConfigurationFiles(hurried, silentLogger);
  const place = { file, reloads: true, prefix: '/registry', server: 'test', dialect: 'platform', configurations } as const;
  const parts = { clock: hurried, random: systemRandomBytes, uuid: () => systemRandom.uuid(), logger: silentLogger };
  const encryption = await openEncryptionAtRest({ ...place, ...parts });
  const api = await startFixture({}, encryption.over(store), silentLogger, encryption);
  return {
    ...{ api, encryption, configurations, write },
    async stop() {
      configurations.close();
      await api.stop();
      encryption.close();
      removeFolder(folder);
    },
  };
}

export const createSecret = (api: Fixture, name = 's', value = VALUE): Promise<Answer> =>
  api.post(SECRETS, { metadata: { name }, stringData: { a: value } });
export const dataOf = async (api: Fixture, name = 's'): Promise<unknown> => (await api.read(`${SECRETS}/${name}`))['data'];
export const versionOf = (answer: Answer): string => Object(answer.json['metadata']).resourceVersion;
export const stored = async (store: Store, name = 's'): Promise<string> =>
  (await store.get(`/registry/secrets/default/${name}`)).kv?.value.toString('latin1') ?? '';

/** A store of a Secret that a server with these providers has written. */
export async function storeOf(...providers: readonly Provider[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const { api, stop } = await serve(store, ...providers);
  await createSecret(api);
  await stop();
  return store;
}

/** A server with other keys over `store` writes the Secret in its own way, once, when a client writes it unchanged. */
export async function expectRewrite(store: Store, expected: RegExp, ...providers: readonly Provider[]): Promise<void> {
  const { api, stop } = await serve(store, ...providers);
  const [path, dry] = [`${SECRETS}/s`, `${SECRETS}/s?dryRun=All`];
  const before = await api.get(path);
  expect(before.json['data']).toEqual({ a: ENCODED });
  expect(versionOf(await api.put(dry, before.text))).toBe(versionOf(before));
  const written = await api.put(path, before.text);
  expect(versionOf(written)).not.toBe(versionOf(before));
  expect(await stored(store)).toMatch(expected);
  expect(written.json['data']).toEqual({ a: ENCODED });
  expect(versionOf(await api.put(path, written.text))).toBe(versionOf(written));
  await stop();
}

/** A store, and all that can be read of what lies below it. */
export interface VisibleStore extends OpenedStore {
  seen(): Promise<string>;
}

export async function openVisibleEmbedded(): Promise<VisibleStore> {
  const { directory, ...opened } = await openEmbedded();
  const files = (): string[] => readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /\.mdb$|data/.test(name));
  const seen = async () => files().reduce((text, name) => text + readFileSync(path.join(directory, name), 'latin1'), '');
  return { ...opened, seen };
}

export async function openVisibleEtcd(): Promise<VisibleStore> {
  const opened = await openEtcd();
  return {
    ...opened,
    async seen() {
      const { kvs } = await opened.store.range({ start: '\0', end: '\u{10ffff}' });
      return kvs.map(({ value }) => value.toString('latin1')).join('');
    },
  };
}
