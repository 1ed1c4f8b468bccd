/** Secrets that are encrypted at rest: what clients see, what is stored, and what happens when keys are replaced or wrong. */
import { describeWithEtcd } from '../../support/etcd';
import { joined } from '../../support/exposition';
import { MemoryStore } from '../../support/memory-store';
import { waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';
import { MERGE_PATCH, type Call } from './call';
import {
  createSecret,
  dataOf,
  ENCODED,
  expectRewrite,
  keyed,
  named,
  openVisibleEmbedded,
  openVisibleEtcd,
  PLAIN,
  SECRETS,
  serve,
  stored,
  storeOf,
  VALUE,
  type VisibleStore,
} from './encrypted-fixture';
import { startFixture } from './fixture';

async function expectHidden({ store, seen, dispose }: VisibleStore): Promise<void> {
  const { api, stop } = await serve(store, keyed('aesgcm', 'a'), PLAIN);
  expect((await createSecret(api)).status).toBe(201);
  await api.createConfigMap('c', { a: 'in-the-open' });
  expect(await stored(store)).toMatch(/^platform:enc:aesgcm:v1:a:/);
  await stop();
  const bytes = await seen();
  expect(bytes).toContain('in-the-open');
  for (const text of [VALUE, ENCODED]) expect(bytes).not.toContain(text);
  const again = await serve(store, keyed('aesgcm', 'a'));
  expect(await dataOf(again.api)).toEqual({ a: ENCODED });
  await again.stop();
  await dispose();
}

test('the files of the embedded store do not contain the Secret', async () => expectHidden(await openVisibleEmbedded()));
describeWithEtcd('etcd', () => {
  test('does not contain the Secret', async () => expectHidden(await openVisibleEtcd()));
});

test.each([
  ['another key', [keyed('aesgcm', 'b', 'a')], /^platform:enc:aesgcm:v1:b:/],
  ['another provider', [keyed('secretbox', 'c'), keyed('aesgcm', 'a')], /^platform:enc:secretbox:v1:c:/],
  ['plain text', [PLAIN, keyed('aesgcm', 'a')], /^PV/],
])('a Secret that is written unchanged is stored with %s once that is configured', async (_title, providers, expected) => {
  await expectRewrite(await storeOf(keyed('aesgcm', 'a'), PLAIN), expected, ...providers);
});

describe('with the wrong key', () => {
  const REASON = 'cipher: message authentication failed';
  const failed = (text: string): readonly unknown[] => [500, 'InternalError', `Internal error occurred: ${text}`];
  const OF_LIST = `unable to transform key "/registry/secrets/default/s": ${REASON}`;
  const BUSY = [429, 'TooManyRequests', 'storage is (re)initializing'];
  const EXISTS = [409, 'AlreadyExists', 'secrets "s" already exists'];

  const store = useResource(() => storeOf(named('aesgcm', 'key', 'a'), PLAIN));
  const server = useResource(
    () => serve(store(), named('aesgcm', 'key', 'b')),
    ({ stop }) => stop(),
  );
  const statusOf = async (path: string): Promise<number> => (await server().api.get(path)).status;

  // As recorded of the reference server.
  test.each<[string, string, Call, readonly unknown[]]>([
    ['a get', `${SECRETS}/s`, {}, failed(REASON)],
    ['a cached get', `${SECRETS}/s?resourceVersion=0`, {}, failed(REASON)],
    ['an update', `${SECRETS}/s`, { method: 'PUT', body: { metadata: { name: 's' }, stringData: { a: 'x' } } }, failed(REASON)],
    ['a patch', `${SECRETS}/s`, { method: 'PATCH', type: MERGE_PATCH, body: { metadata: { labels: { a: 'b' } } } }, failed(REASON)],
    ['a create', SECRETS, { method: 'POST', body: { metadata: { name: 's' } } }, EXISTS],
    ['a delete', `${SECRETS}/s`, { method: 'DELETE' }, failed(REASON)],
    ['a list', '/api/v1/secrets', {}, BUSY],
    ['a cached list', '/api/v1/secrets?resourceVersion=0', {}, BUSY],
    ['a page', '/api/v1/secrets?limit=1', {}, failed(OF_LIST)],
    ['a list of another namespace', '/api/v1/namespaces/platform-system/secrets', {}, BUSY],
    ['a watch', '/api/v1/secrets?watch=1', {}, BUSY],
    ['a watch from 0', '/api/v1/secrets?watch=1&resourceVersion=0', {}, BUSY],
    ['a delete of the collection', SECRETS, { method: 'DELETE' }, failed(OF_LIST)],
  ])('%s of the Secret is rejected', async (_title, path, options, expected) => {
    const answer = await server().api.call(path, options);
    expect([answer.status, answer.json['reason'], answer.message]).toEqual(expected);
  });

  it('other objects are served, and the server is live but not ready', async () => {
    expect((await createSecret(server().api, 'other')).status).toBe(201);
    const paths = [`${SECRETS}/other`, '/api/v1/configmaps', '/healthz', '/readyz'];
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 200, 200, 500]);
  });

  it('the Secret is served once the right key is configured', async () => {
    server().write(named('aesgcm', 'key', 'b'), named('aesgcm', 'key', 'a'));
    await waitUntil('the Secret', async () => (await statusOf(`${SECRETS}/s`)) === 200);
    expect(await Promise.all(['/api/v1/secrets', '/readyz'].map(statusOf))).toEqual([200, 200]);
  });

  it('an invalid configuration leaves the previous one in use', async () => {
    server().write();
    const [live] = server().configurations.configurations;
    await waitUntil('the fault', () => live?.fault !== undefined);
    expect(live?.fault).toContain('at least one resources[0].providers is required');
    expect(await statusOf(`${SECRETS}/s`)).toBe(200);
    expect((await createSecret(server().api, 'third')).status).toBe(201);
    expect(await stored(store(), 'third')).toMatch(/^platform:enc:aesgcm:v1:key:/);
  });
});

test('without a configuration an encrypted Secret is answered with an error', async () => {
  const api = await startFixture({}, await storeOf(keyed('aesgcm', 'a'), PLAIN));
  const text = expect.stringContaining('identity transformer tried to read encrypted data');
  expect(await api.get(`${SECRETS}/s`)).toMatchObject({ status: 500, text });
  await api.stop();
});

test('a value is decrypted once, however often it is read', async () => {
  const { api, encryption, stop } = await serve(new MemoryStore(), keyed('aesgcm', 'a'));
  await createSecret(api);
  await api.get(`${SECRETS}/s`);
  const before = joined(encryption.metrics.expose());
  for (let time = 0; time < 5; time++) {
    await api.get(`${SECRETS}/s`);
    await api.get(SECRETS);
  }
  expect(joined(encryption.metrics.expose())).toBe(before);
  const metrics = await api.metrics();
  expect(metrics).toMatch(
    /apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="platform:enc:aesgcm:v1:",status="OK"\} \d/,
  );
  expect(metrics).toContain('apiserver_storage_transformation_duration_seconds_bucket{transformation_type="from_storage"');
  await stop();
});
