/**
 * Starts API servers with an EncryptionConfiguration file, which tests replace while a server runs, or between several
 * servers over one store. The values that servers store are read past them, to see how they are encrypted.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEncryptionAtRest, type EncryptionFromFile } from '../../../apiserver/options/storage/encryption-options';
import type { Store } from '../../../apiserver/storage/store';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandomBytes, systemRandom } from '../../../shared/runtime/random';
import { MemoryStore } from '../../support/store/memory-store';
import { openTemporaryEmbeddedStore, openTemporaryEtcdStore, type OpenedStore } from '../../support/store/open-stores';
import { removeFolder, temporaryFolder } from '../../support/programs';
import type { ApiResponse } from './api-call';
import { startFixture, type Fixture } from './fixture';

export const SECRETS = '/api/v1/namespaces/default/secrets';
/** A value in a Secret, and the same value in base64 as in `data`. */
export const SECRET_VALUE = 'nobody-may-read-this';
export const ENCODED_SECRET_VALUE = Buffer.from(SECRET_VALUE).toString('base64');

export type EncryptionProvider = Readonly<Record<string, unknown>>;

/** An AES key in base64, made of one letter: the same letter is the same key. */
const encodedKeyOf = (letter: string): string => Buffer.alloc(32, letter).toString('base64');

/** A provider with keys of these letters, each named by its letter; the first key encrypts. */
export const providerWithKeys = (type: string, ...keys: readonly string[]): EncryptionProvider => ({
  [type]: { keys: keys.map((name) => ({ name, secret: encodedKeyOf(name) })) },
});

/** A provider with the key of a letter under another name. */
export const providerWithNamedKey = (type: string, name: string, letter: string): EncryptionProvider => ({
  [type]: { keys: [{ name, secret: encodedKeyOf(letter) }] },
});

/** Stores objects unencrypted. */
export const IDENTITY_PROVIDER: EncryptionProvider = { identity: {} };

/** Files are polled, and KMS plug-ins checked, twenty times as often. */
const SPEED_UP = 20;
const fastClock: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms / SPEED_UP, task) };

export interface EncryptedServer {
  readonly api: Fixture;
  readonly encryption: EncryptionFromFile;
  readonly configurations: ConfigurationFiles;
  /** Replaces the configuration in the file. */
  write(...providers: readonly EncryptionProvider[]): void;
  /** Deletes the configuration file; the store stays open. */
  stop(): Promise<void>;
}

/** Starts a server over `store` with these providers. */
export async function startEncryptedServer(store: Store, ...providers: readonly EncryptionProvider[]): Promise<EncryptedServer> {
  const folder = temporaryFolder('encryption');
  const file = path.join(folder, 'encryption.yaml');
  const write = (...next: readonly EncryptionProvider[]): void => {
    const resources = [{ resources: ['secrets', '*.stable.example.com'], providers: next }];
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }));
  };
  write(...providers);
  const configurations = new ConfigurationFiles(fastClock, silentLogger);
  const encryption = await openEncryptionAtRest({
    file,
    reloads: true,
    prefix: '/registry',
    server: 'test',
    dialect: 'platform',
    configurations,
    clock: fastClock,
    random: systemRandomBytes,
    uuid: () => systemRandom.uuid(),
    logger: silentLogger,
  });
  const api = await startFixture({}, { store: encryption.encryptStore(store), encryption });
  return {
    api,
    encryption,
    configurations,
    write,
    async stop() {
      configurations.close();
      await api.stop();
      encryption.close();
      removeFolder(folder);
    },
  };
}

/** Creates a Secret in the namespace `default` with {@link SECRET_VALUE} under the key `a`. */
export const createSecret = (api: Fixture, name = 's'): Promise<ApiResponse> =>
  api.post(SECRETS, { metadata: { name }, stringData: { a: SECRET_VALUE } });

/** The `data` of a Secret as the API returns it, in base64. */
export const readSecretData = async (api: Fixture, name = 's'): Promise<unknown> => (await api.read(`${SECRETS}/${name}`))['data'];

export const resourceVersionOf = (response: ApiResponse): string => Object(response.json['metadata']).resourceVersion;

/** The stored bytes of a Secret as Latin-1 text; empty when there is no such Secret. */
export const readStoredSecret = async (store: Store, name = 's'): Promise<string> =>
  (await store.get(`/registry/secrets/default/${name}`)).kv?.value.toString('latin1') ?? '';

/** Returns a store with a Secret that a server with these providers wrote. */
export async function createStoreWithSecret(...providers: readonly EncryptionProvider[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const { api, stop } = await startEncryptedServer(store, ...providers);
  await createSecret(api);
  await stop();
  return store;
}

/**
 * Expects that a server with these providers over `store` encrypts the Secret `s` again when a client writes it
 * unchanged: at the first such write that is no dry run, and not at the next. `expected` matches the stored text.
 */
export async function expectRewrite(store: Store, expected: RegExp, ...providers: readonly EncryptionProvider[]): Promise<void> {
  const { api, stop } = await startEncryptedServer(store, ...providers);
  const secretPath = `${SECRETS}/s`;
  const before = await api.get(secretPath);
  expect(before.json['data']).toEqual({ a: ENCODED_SECRET_VALUE });
  expect(resourceVersionOf(await api.put(`${secretPath}?dryRun=All`, before.text))).toBe(resourceVersionOf(before));
  const written = await api.put(secretPath, before.text);
  expect(resourceVersionOf(written)).not.toBe(resourceVersionOf(before));
  expect(await readStoredSecret(store)).toMatch(expected);
  expect(written.json['data']).toEqual({ a: ENCODED_SECRET_VALUE });
  expect(resourceVersionOf(await api.put(secretPath, written.text))).toBe(resourceVersionOf(written));
  await stop();
}

/** A store with access to the bytes that it keeps in files or in etcd. */
export interface InspectableStore extends OpenedStore {
  readRawText(): Promise<string>;
}

/** Its text is that of the database files, which also contain earlier revisions. */
export async function openInspectableEmbedded(): Promise<InspectableStore> {
  const { directory, ...opened } = await openTemporaryEmbeddedStore();
  const files = (): string[] => readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /\.mdb$|data/.test(name));
  const readRawText = async () => files().reduce((text, name) => text + readFileSync(path.join(directory, name), 'latin1'), '');
  return { ...opened, readRawText };
}

/** Its text is that of all values of the current revision. */
export async function openInspectableEtcd(): Promise<InspectableStore> {
  const opened = await openTemporaryEtcdStore();
  return {
    ...opened,
    async readRawText() {
      const { kvs } = await opened.store.range({ start: '\0', end: '\u{10ffff}' });
      return kvs.map(({ value }) => value.toString('latin1')).join('');
    },
  };
}
