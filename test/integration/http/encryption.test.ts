/**
 * Secrets that are encrypted at rest with local keys: responses, stored bytes, and behaviour when keys are replaced or
 * wrong.
 */
import { describeWithEtcd } from '../../support/external/etcd';
import { joinChunks } from '../../support/exposition';
import { MemoryStore } from '../../support/store/memory-store';
import { waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';
import { MERGE_PATCH, type CallOptions } from './api-call';
import {
  createSecret,
  readSecretData,
  ENCODED_SECRET_VALUE,
  expectRewrite,
  providerWithKeys,
  providerWithNamedKey,
  openInspectableEmbedded,
  openInspectableEtcd,
  IDENTITY_PROVIDER,
  SECRETS,
  startEncryptedServer,
  readStoredSecret,
  createStoreWithSecret,
  SECRET_VALUE,
  type InspectableStore,
} from './encrypted-server';
import { useStarter } from './fixture';

const start = useStarter();

/** Writes a Secret through a server, and checks that its value is not in the raw text of the store. */
async function expectSecretUnreadable({ store, readRawText, dispose }: InspectableStore): Promise<void> {
  const { api, stop } = await startEncryptedServer(store, providerWithKeys('aesgcm', 'a'), IDENTITY_PROVIDER);
  expect((await createSecret(api)).status).toBe(201);
  await api.createConfigMap('c', { a: 'in-the-open' });
  expect(await readStoredSecret(store)).toMatch(/^platform:enc:aesgcm:v1:a:/);
  await stop();
  const bytes = await readRawText();
  expect(bytes).toContain('in-the-open');
  for (const text of [SECRET_VALUE, ENCODED_SECRET_VALUE]) expect(bytes).not.toContain(text);
  const restarted = await startEncryptedServer(store, providerWithKeys('aesgcm', 'a'));
  expect(await readSecretData(restarted.api)).toEqual({ a: ENCODED_SECRET_VALUE });
  await restarted.stop();
  await dispose();
}

test('the files of the embedded store do not contain the Secret', async () => expectSecretUnreadable(await openInspectableEmbedded()));
describeWithEtcd('etcd', () => {
  test('does not contain the Secret', async () => expectSecretUnreadable(await openInspectableEtcd()));
});

test.each([
  ['another key', [providerWithKeys('aesgcm', 'b', 'a')], /^platform:enc:aesgcm:v1:b:/],
  ['another provider', [providerWithKeys('secretbox', 'c'), providerWithKeys('aesgcm', 'a')], /^platform:enc:secretbox:v1:c:/],
  ['plain text', [IDENTITY_PROVIDER, providerWithKeys('aesgcm', 'a')], /^PV/],
])('a Secret that is written unchanged is stored with %s once that is configured', async (_title, providers, expected) => {
  await expectRewrite(await createStoreWithSecret(providerWithKeys('aesgcm', 'a'), IDENTITY_PROVIDER), expected, ...providers);
});

describe('with the wrong key', () => {
  const REASON = 'cipher: message authentication failed';
  /** The status, reason and message of a rejection. */
  const internalError = (text: string): readonly unknown[] => [500, 'InternalError', `Internal error occurred: ${text}`];
  const LIST_FAILURE = `unable to transform key "/registry/secrets/default/s": ${REASON}`;
  const BUSY = [429, 'TooManyRequests', 'storage is (re)initializing'];
  const EXISTS = [409, 'AlreadyExists', 'secrets "s" already exists'];

  const store = useResource(() => createStoreWithSecret(providerWithNamedKey('aesgcm', 'key', 'a'), IDENTITY_PROVIDER));
  const server = useResource(
    () => startEncryptedServer(store(), providerWithNamedKey('aesgcm', 'key', 'b')),
    ({ stop }) => stop(),
  );
  const statusAt = async (path: string): Promise<number> => (await server().api.get(path)).status;

  // As recorded of the reference server.
  test.each<[title: string, path: string, options: CallOptions, rejection: readonly unknown[]]>([
    ['a get', `${SECRETS}/s`, {}, internalError(REASON)],
    ['a cached get', `${SECRETS}/s?resourceVersion=0`, {}, internalError(REASON)],
    ['an update', `${SECRETS}/s`, { method: 'PUT', body: { metadata: { name: 's' }, stringData: { a: 'x' } } }, internalError(REASON)],
    ['a patch', `${SECRETS}/s`, { method: 'PATCH', type: MERGE_PATCH, body: { metadata: { labels: { a: 'b' } } } }, internalError(REASON)],
    ['a create', SECRETS, { method: 'POST', body: { metadata: { name: 's' } } }, EXISTS],
    ['a delete', `${SECRETS}/s`, { method: 'DELETE' }, internalError(REASON)],
    ['a list', '/api/v1/secrets', {}, BUSY],
    ['a cached list', '/api/v1/secrets?resourceVersion=0', {}, BUSY],
    ['a page', '/api/v1/secrets?limit=1', {}, internalError(LIST_FAILURE)],
    ['a list of another namespace', '/api/v1/namespaces/platform-system/secrets', {}, BUSY],
    ['a watch', '/api/v1/secrets?watch=1', {}, BUSY],
    ['a watch from 0', '/api/v1/secrets?watch=1&resourceVersion=0', {}, BUSY],
    ['a delete of the collection', SECRETS, { method: 'DELETE' }, internalError(LIST_FAILURE)],
  ])('%s of the Secret is rejected', async (_title, path, options, expected) => {
    const response = await server().api.call(path, options);
    expect([response.status, response.json['reason'], response.message]).toEqual(expected);
  });

  it('other objects are served, and the server is live but not ready', async () => {
    expect((await createSecret(server().api, 'other')).status).toBe(201);
    const paths = [`${SECRETS}/other`, '/api/v1/configmaps', '/healthz', '/readyz'];
    expect(await Promise.all(paths.map(statusAt))).toEqual([200, 200, 200, 500]);
  });

  it('the Secret is served once the right key is configured', async () => {
    server().write(providerWithNamedKey('aesgcm', 'key', 'b'), providerWithNamedKey('aesgcm', 'key', 'a'));
    await waitUntil('the Secret', async () => (await statusAt(`${SECRETS}/s`)) === 200);
    expect(await Promise.all(['/api/v1/secrets', '/readyz'].map(statusAt))).toEqual([200, 200]);
  });

  it('an invalid configuration leaves the previous one in use', async () => {
    server().write();
    const [configuration] = server().configurations.configurations;
    await waitUntil('the error', () => configuration?.error !== undefined);
    expect(configuration?.error).toContain('at least one resources[0].providers is required');
    expect(await statusAt(`${SECRETS}/s`)).toBe(200);
    expect((await createSecret(server().api, 'third')).status).toBe(201);
    expect(await readStoredSecret(store(), 'third')).toMatch(/^platform:enc:aesgcm:v1:key:/);
  });
});

test('a key that stored Secrets need cannot be removed from the configuration while the server runs', async () => {
  const store = await createStoreWithSecret(providerWithKeys('aesgcm', 'a'));
  const { api, configurations, write, stop } = await startEncryptedServer(store, providerWithKeys('aesgcm', 'b', 'a'));
  const [configuration] = configurations.configurations;
  write(providerWithKeys('aesgcm', 'b'));
  await waitUntil('the refusal', () => configuration?.error !== undefined);
  const error = 'stored objects need keys that the configuration does not have: secrets: 1 object needs key "a" of provider aesgcm';
  expect(configuration?.error).toContain(error);
  const gauge = 'apiserver_encryption_missing_key_objects{resource="secrets",provider="aesgcm",key="a"}';
  expect(await api.metrics()).toContain(`${gauge} 1`);
  const secret = await api.get(`${SECRETS}/s`);
  expect(secret.json['data']).toEqual({ a: ENCODED_SECRET_VALUE });

  await api.put(`${SECRETS}/s`, secret.text);
  expect(await readStoredSecret(store)).toMatch(/^platform:enc:aesgcm:v1:b:/);
  await waitUntil('the configuration to be used without a further change', () => configuration?.error === undefined);
  expect(await api.metrics()).toContain(`${gauge} 0`);
  expect((await api.get(`${SECRETS}/s`)).status).toBe(200);
  await stop();
});

test('a read of an encrypted Secret fails without a configuration', async () => {
  const store = await createStoreWithSecret(providerWithKeys('aesgcm', 'a'), IDENTITY_PROVIDER);
  const api = await start({}, { store });
  const text = expect.stringContaining('identity transformer tried to read encrypted data');
  expect(await api.get(`${SECRETS}/s`)).toMatchObject({ status: 500, text });
});

test('a value is decrypted once, however often it is read', async () => {
  const { api, encryption, stop } = await startEncryptedServer(new MemoryStore(), providerWithKeys('aesgcm', 'a'));
  await createSecret(api);
  await api.get(`${SECRETS}/s`);
  const before = joinChunks(encryption.metrics.expose());
  for (let round = 0; round < 5; round++) {
    await api.get(`${SECRETS}/s`);
    await api.get(SECRETS);
  }
  expect(joinChunks(encryption.metrics.expose())).toBe(before);
  const metrics = await api.metrics();
  expect(metrics).toMatch(
    /apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="platform:enc:aesgcm:v1:",status="OK"\} \d/,
  );
  expect(metrics).toContain('apiserver_storage_transformation_duration_seconds_bucket{transformation_type="from_storage"');
  await stop();
});
