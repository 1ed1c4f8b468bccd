/**
 * Secrets encrypted with a KMS plug-in: the stored bytes, and the responses when the plug-in is slow, unreachable, or
 * returns errors.
 */
import path from 'node:path';
import type { Store } from '../../../apiserver/storage/store';
import { systemRandomBytes } from '../../../shared/runtime/random';
import { readCases } from '../../replay/recording';
import { either, nullValue, number, shape, text } from '../../replay/shape';
import { describeWithEtcd } from '../../support/external/etcd';
import { KmsPlugin, type PluginBehaviour } from '../../support/servers/kms-plugin';
import { encryptedByOtherServer } from '../../support/store/kms-envelope-fixture';
import { MemoryStore } from '../../support/store/memory-store';
import { waitUntil } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';
import {
  createSecret,
  readSecretData,
  ENCODED_SECRET_VALUE,
  expectRewrite,
  providerWithKeys,
  openInspectableEmbedded,
  openInspectableEtcd,
  IDENTITY_PROVIDER,
  SECRETS,
  startEncryptedServer,
  readStoredSecret,
  createStoreWithSecret,
  SECRET_VALUE,
  resourceVersionOf,
  type EncryptionProvider,
  type InspectableStore,
} from './encrypted-server';

const folder = useFolder('kms');
/** All plug-ins of this file, which stop after its tests. */
const plugins: KmsPlugin[] = [];
afterAll(() => plugins.forEach((plugin) => plugin.stop()));

/** A plug-in with a socket of its own, which has not been started. */
function createPlugin(): KmsPlugin {
  const created = new KmsPlugin(path.join(folder, `kms-${plugins.length}.sock`));
  plugins.push(created);
  return created;
}

const kmsProvider = (plugin: KmsPlugin, name = 'key-box'): EncryptionProvider => ({
  kms: { apiVersion: 'v2', name, endpoint: plugin.endpoint, timeout: '1s' },
});

/** Writes two Secrets through one server, reads them through another, and inspects the bytes of the store. */
async function expectSecretsEncrypted({ store, readRawText, dispose }: InspectableStore): Promise<void> {
  const plugin = await createPlugin().start();
  await writeSecretsThroughFirstServer(store, plugin);
  await readSecretsThroughSecondServer(store, plugin);
  const bytes = await readRawText();
  expect(bytes).toContain('platform:enc:kms:v2:key-box:');
  const seeds = plugin.encryptedSecrets.map((seed) => seed.toString('latin1'));
  for (const text of [SECRET_VALUE, ENCODED_SECRET_VALUE, ...seeds]) expect(bytes).not.toContain(text);
  await dispose();
}

async function writeSecretsThroughFirstServer(store: Store, plugin: KmsPlugin): Promise<void> {
  const { api, stop } = await startEncryptedServer(store, kmsProvider(plugin), IDENTITY_PROVIDER);
  for (const name of ['s', 't']) expect((await createSecret(api, name)).status).toBe(201);
  expect(await readStoredSecret(store)).toMatch(/^platform:enc:kms:v2:key-box:/);
  // Both Secrets are encrypted with one seed.
  expect([plugin.count('Encrypt'), plugin.count('Decrypt')]).toEqual([1, 0]);
  await stop();
}

async function readSecretsThroughSecondServer(store: Store, plugin: KmsPlugin): Promise<void> {
  const { api, stop } = await startEncryptedServer(store, kmsProvider(plugin));
  for (const name of ['s', 't']) expect(await readSecretData(api, name)).toEqual({ a: ENCODED_SECRET_VALUE });
  // The server encrypts a seed of its own, and decrypts the first server's once.
  expect([plugin.count('Encrypt'), plugin.count('Decrypt')]).toEqual([2, 1]);
  // The key is the same, so an unchanged write does not re-encrypt.
  const before = await api.get(`${SECRETS}/s`);
  expect(resourceVersionOf(await api.put(`${SECRETS}/s`, before.text))).toBe(resourceVersionOf(before));
  await stop();
}

test('the embedded store contains no Secret in plain text, although another server reads it', async () =>
  expectSecretsEncrypted(await openInspectableEmbedded()));
describeWithEtcd('etcd', () => {
  test('contains no Secret in plain text, although another server reads it', async () =>
    expectSecretsEncrypted(await openInspectableEtcd()));
});

describe('a Secret that is written unchanged', () => {
  const first = createPlugin();
  const second = createPlugin();
  beforeAll(() => Promise.all([first.start(), second.start()]));

  interface Move {
    readonly title: string;
    /** The providers with which the Secret was stored. */
    readonly before: readonly EncryptionProvider[];
    /** The providers with which it is written unchanged; the first one encrypts. */
    readonly after: readonly EncryptionProvider[];
    /** The stored text after that. */
    readonly stored: RegExp;
  }
  const kms = kmsProvider(first);
  /** Unencrypted values start with `PV`. */
  const MOVES: readonly Move[] = [
    {
      title: 'one plug-in to another',
      before: [kms],
      after: [kmsProvider(second, 'new-box'), kms],
      stored: /^platform:enc:kms:v2:new-box:/,
    },
    {
      title: 'a local key to a plug-in',
      before: [providerWithKeys('aescbc', 'a')],
      after: [kms, providerWithKeys('aescbc', 'a')],
      stored: /^platform:enc:kms:v2:key-box:/,
    },
    {
      title: 'a plug-in to a local key',
      before: [kms],
      after: [providerWithKeys('secretbox', 'a'), kms],
      stored: /^platform:enc:secretbox:v1:a:/,
    },
    { title: 'a plug-in to plain text', before: [kms], after: [IDENTITY_PROVIDER, kms], stored: /^PV/ },
    {
      title: 'plain text to a plug-in',
      before: [IDENTITY_PROVIDER],
      after: [kms, IDENTITY_PROVIDER],
      stored: /^platform:enc:kms:v2:key-box:/,
    },
  ];

  test.each(MOVES)('moves from $title', async ({ before, after, stored }) => {
    await expectRewrite(await createStoreWithSecret(...before), stored, ...after);
  });

  test('moves to another key of the same plug-in', async () => {
    const store = await createStoreWithSecret(kmsProvider(first));
    first.keyId = 'key-2';
    expect(await readStoredSecret(store)).not.toContain('key-2');
    await expectRewrite(store, /key-2/, kmsProvider(first));
  });
});

/** A value in the format of another server, encrypted with a seed that the plug-in does not have. */
function encryptUnderUnknownSeed(seed = systemRandomBytes(32), name = 's'): Buffer {
  const message = encryptedByOtherServer(seed, { keyID: 'key-1' }, 'no object', `/registry/secrets/default/${name}`);
  return Buffer.concat([Buffer.from('k8s:enc:kms:v2:key-box:'), message]);
}

const putValue = (store: Store, name: string, value: Buffer): Promise<unknown> =>
  store.transact({ compare: [], operations: [{ type: 'put', key: `/registry/secrets/default/${name}`, value }] });

describe('a value that cannot be decrypted', () => {
  /** How the plug-in responds: a gRPC status, a plaintext of some length, raw bytes, or a word for no response. */
  const pluginResponse = either(
    either(shape({ code: number, details: text }), shape({ length: number })),
    either(shape({ raw: text }), text),
  );
  const recordedCase = shape({ title: text, answer: pluginResponse, code: number, message: text, page: either(text, nullValue) });
  const cases = readCases('encryption/kms-decryptions', recordedCase);
  const plugin = createPlugin();
  const store = new MemoryStore();
  const server = useResource(
    async () => startEncryptedServer(store, kmsProvider(await plugin.start()), IDENTITY_PROVIDER),
    ({ stop }) => stop(),
  );

  const behaviourOf = (pluginResult: (typeof cases)[number]['answer']): PluginBehaviour => {
    if (typeof pluginResult === 'string') return () => 'never';
    if ('code' in pluginResult) return () => ({ failure: pluginResult });
    if ('raw' in pluginResult) return () => ({ raw: Buffer.from(pluginResult.raw, 'base64') });
    return () => ({ plaintext: Buffer.alloc(pluginResult.length, 7) });
  };

  test.each(cases)('fails its request with the recorded error: $title', async ({ answer: pluginResult, code, message }) => {
    plugin.setBehaviour('Decrypt', behaviourOf(pluginResult));
    if (pluginResult === 'away') plugin.stop();
    // A plug-in that did not respond is not called again at once.
    await waitUntil('the message', async () => {
      await putValue(store, 's', encryptUnderUnknownSeed());
      const response = await server().api.get(`${SECRETS}/s`);
      return response.status === code && String(response.message).replace(plugin.path, 'SOCKET') === message;
    });
  });
});

describe('a plug-in that is unreachable at the start', () => {
  const plugin = createPlugin();
  const server = useResource(
    async () => {
      const store = await createStoreWithSecret(kmsProvider(await plugin.start()));
      plugin.stop();
      return startEncryptedServer(store, kmsProvider(plugin), kmsProvider(createPlugin(), 'never-there'), IDENTITY_PROVIDER);
    },
    ({ stop }) => stop(),
  );
  const get = (path: string) => server().api.get(path);

  it('keeps the server from being ready, but not from being live and from serving other objects', async () => {
    const paths = ['/readyz', '/healthz', '/livez', '/api/v1/configmaps'];
    expect(await Promise.all(paths.map(async (path) => (await get(path)).status))).toEqual([500, 500, 200, 200]);
    expect((await get('/readyz?verbose')).text).toContain('[-]kms-providers failed: reason withheld\n');
    expect((await get('/livez?verbose')).text).not.toContain('kms');
    const unreachable =
      /rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix \S+: connect: no such file or directory"/;
    const health = (await get('/healthz/kms-providers')).text;
    expect(health).toMatch(/^internal server error: \[kms-provider-0: .*, kms-provider-1: .*\]\n$/);
    expect(health).toMatch(unreachable);
    expect((await get(`${SECRETS}/s`)).refusal).toEqual([500, expect.stringMatching(unreachable)]);
    const message = 'Internal error occurred: got unexpected nil transformer';
    expect((await createSecret(server().api, 't')).refusal).toEqual([500, message]);
  });

  it('is used as soon as it is reachable', async () => {
    await plugin.start();
    await waitUntil('the Secret', async () => (await get(`${SECRETS}/s`)).status === 200, 15_000);
    expect(await readSecretData(server().api)).toEqual({ a: ENCODED_SECRET_VALUE });
    expect((await createSecret(server().api, 't')).status).toBe(201);
    expect((await get('/api/v1/secrets')).status).toBe(200);
    expect((await get('/healthz/kms-providers')).text).toMatch(/^internal server error: kms-provider-1: /);
  });
});

test('while a plug-in is unreachable, a server that has its seed still reads and writes Secrets', async () => {
  const plugin = await createPlugin().start();
  const { api, stop } = await startEncryptedServer(new MemoryStore(), kmsProvider(plugin), IDENTITY_PROVIDER);
  await createSecret(api);
  plugin.stop();
  expect(await readSecretData(api)).toEqual({ a: ENCODED_SECRET_VALUE });
  expect((await createSecret(api, 't')).status).toBe(201);
  expect(await readSecretData(api, 't')).toEqual({ a: ENCODED_SECRET_VALUE });
  expect((await api.get('/api/v1/secrets')).status).toBe(200);
  await stop();
});

test('a changed configuration is used once its plug-ins are healthy, and the previous one until then', async () => {
  const first = await createPlugin().start();
  const second = createPlugin();
  const store = new MemoryStore();
  const { api, write, configurations, stop } = await startEncryptedServer(store, kmsProvider(first), IDENTITY_PROVIDER);
  await createSecret(api);
  write(kmsProvider(second, 'new-box'), kmsProvider(first));
  const [configuration] = configurations.configurations;
  await waitUntil('the error', () => configuration?.error !== undefined, 15_000);
  expect(configuration?.error).toMatch(/^health check for new transformers failed: kms-provider-0: rpc error: code = DeadlineExceeded/);
  expect((await api.get('/readyz')).status).toBe(200);
  await createSecret(api, 'before');
  expect(await readStoredSecret(store, 'before')).toMatch(/^platform:enc:kms:v2:key-box:/);
  await second.start();
  await waitUntil('the reload', () => configuration?.error === undefined, 15_000);
  await createSecret(api, 'after');
  expect(await readStoredSecret(store, 'after')).toMatch(/^platform:enc:kms:v2:new-box:/);
  expect(await readSecretData(api)).toEqual({ a: ENCODED_SECRET_VALUE });
  // The plug-in in both configurations is not called for another seed.
  expect(first.count('Encrypt')).toBe(1);
  await stop();
});

test('metrics count the calls of plug-ins and the keys of values', async () => {
  const { api, stop } = await startEncryptedServer(new MemoryStore(), kmsProvider(await createPlugin().start()), IDENTITY_PROVIDER);
  await createSecret(api);
  await api.get(`${SECRETS}/s`);
  const metrics = await api.metrics();
  for (const series of [
    /^apiserver_envelope_encryption_kms_operations_latency_seconds_count\{provider_name="key-box",method_name="\/v2\.KeyManagementService\/Status",grpc_status_code="OK"\} \d+$/m,
    /^apiserver_envelope_encryption_kms_operations_latency_seconds_bucket\{provider_name="key-box",method_name="\/v2\.KeyManagementService\/Encrypt",grpc_status_code="OK",le="52\.4288"\} 1$/m,
    /^apiserver_envelope_encryption_key_id_hash_total\{transformation_type="to_storage",provider_name="key-box",key_id_hash="sha256:[0-9a-f]{64}",apiserver_id_hash="sha256:[0-9a-f]{64}"\} 1$/m,
    /^apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds\{.*\} \d{10}/m,
    /^apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds\{.*\} \d{10}/m,
    /^apiserver_envelope_encryption_dek_source_cache_size\{provider_name="key-box"\} 1$/m,
    /^apiserver_storage_data_key_generation_duration_seconds_count 1$/m,
    /^apiserver_storage_data_key_generation_failures_total 0$/m,
    /^apiserver_storage_envelope_transformation_cache_misses_total 0$/m,
    /^apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="platform:enc:kms:v2:key-box:",status="OK"\} 1$/m,
  ])
    expect(metrics).toMatch(series);
  expect(metrics).not.toContain('key-1');
  await stop();
});
