/** Secrets that are kept encrypted: what clients are told, what lies in the store, what happens when keys are replaced or are the wrong ones. */
import { joined } from '../../support/exposition';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import type { Store } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd } from '../../support/etcd';
import { MemoryStore } from '../../support/memory-store';
import { waitUntil } from '../../support/programs';
import { contentOf, create, folder, keyed, named, objectOf, PLAIN, SECRETS, serve, stored, useEncryptionFolder } from './encrypted-fixture';
import { type Answer, type Call } from './call';
import { startFixture } from './fixture';

useEncryptionFolder();

const VALUE = 'nobody-may-read-this';
const HIDDEN = [VALUE, Buffer.from(VALUE).toString('base64')];

test('a reader of the embedded store finds no Secret', async () => {
  const directory = mkdtempSync(path.join(folder, 'embedded-'));
  const open = (): Promise<Store> => openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });
  const store = await open();
  const { api, stop } = await serve(store, keyed('secretbox', 'a'), PLAIN);
  expect((await create(api, 's', VALUE)).status).toBe(201);
  expect((await api.post('/api/v1/namespaces/default/configmaps', '{"metadata":{"name":"c"},"data":{"a":"in-the-open"}}')).status).toBe(
    201,
  );
  await stop();
  await store.close();
  const bytes = contentOf(directory);
  expect(bytes).toContain('in-the-open');
  for (const text of HIDDEN) expect(bytes).not.toContain(text);
  const again = await open();
  const second = await serve(again, keyed('secretbox', 'a'));
  expect(objectOf(await second.api.get(`${SECRETS}/s`))['data']).toEqual({ a: HIDDEN[1] });
  await second.stop();
  await again.close();
});

describeWithEtcd('etcd', () => {
  test('holds no Secret that can be read', async () => {
    const server = await startEtcd();
    const store = await openEtcdStore({ endpoints: [server.endpoint], clock: systemClock, random: systemRandom });
    const { api, stop } = await serve(store, keyed('aesgcm', 'a'), PLAIN);
    expect((await create(api, 's', VALUE)).status).toBe(201);
    expect(await stored(store, 's')).toMatch(/^platform:enc:aesgcm:v1:a:/);
    const { kvs } = await store.range({ start: '\0', end: '\u{10ffff}' });
    const bytes = kvs.map(({ value }) => value.toString('latin1')).join('');
    for (const text of HIDDEN) expect(bytes).not.toContain(text);
    expect(objectOf(await api.get(`${SECRETS}/s`))['data']).toEqual({ a: HIDDEN[1] });
    await stop();
    await store.close();
    await server.dispose();
  });
});

describe('keys that are replaced', () => {
  test.each([
    ['another key', [keyed('aesgcm', 'b', 'a')], /^platform:enc:aesgcm:v1:b:/],
    ['another provider', [keyed('secretbox', 'c'), keyed('aesgcm', 'a')], /^platform:enc:secretbox:v1:c:/],
    ['plain text again', [PLAIN, keyed('aesgcm', 'a')], /^PV/],
  ])('%s: what is written unchanged is written anew, once', async (_title, providers, expected) => {
    const store = new MemoryStore();
    const first = await serve(store, keyed('aesgcm', 'a'), PLAIN);
    await create(first.api, 's', 'v');
    await first.stop();
    const { api, stop } = await serve(store, ...providers);
    const before = await api.get(`${SECRETS}/s`);
    expect(await stored(store, 's')).toMatch(/^platform:enc:aesgcm:v1:a:/);
    const write = (sent: Answer): Promise<Answer> => api.put(`${SECRETS}/s`, sent.text);
    const versionOf = (answer: Answer): string | undefined => objectOf(answer)['metadata']?.['resourceVersion'];
    const dry = await api.put(`${SECRETS}/s?dryRun=All`, before.text);
    expect([dry.status, versionOf(dry)]).toEqual([200, versionOf(before)]);
    const written = await write(before);
    expect(written.status).toBe(200);
    expect(versionOf(written)).not.toBe(versionOf(before));
    expect(await stored(store, 's')).toMatch(expected);
    expect(objectOf(written)['data']).toEqual(objectOf(before)['data']);
    expect(versionOf(await write(written))).toBe(versionOf(written));
    await stop();
  });
});

describe('the wrong key', () => {
  const REASON = 'cipher: message authentication failed';
  let store: MemoryStore;
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    store = new MemoryStore();
    const right = await serve(store, named('aesgcm', 'key', 'a'), PLAIN);
    await create(right.api, 's', 'v');
    await right.stop();
    server = await serve(store, named('aesgcm', 'key', 'b'));
  });
  afterAll(() => server.stop());

  const ask = async (place: string, options: Call = {}): Promise<readonly [number, unknown, unknown]> => {
    const answer = await server.api.call(place, options);
    const { message, reason }: { readonly message?: string; readonly reason?: string } = JSON.parse(answer.text);
    return [answer.status, reason, message];
  };
  const told = (text: string): readonly unknown[] => [500, 'InternalError', `Internal error occurred: ${text}`];
  const OF_LIST = `unable to transform key "/registry/secrets/default/s": ${REASON}`;
  const BUSY = [429, 'TooManyRequests', 'storage is (re)initializing'];
  const MERGE = { 'content-type': 'application/merge-patch+json' };

  // As recorded of the reference server.
  test.each<[string, string, Call, readonly unknown[]]>([
    ['get', `${SECRETS}/s`, {}, told(REASON)],
    ['cached get', `${SECRETS}/s?resourceVersion=0`, {}, told(REASON)],
    ['update', `${SECRETS}/s`, { method: 'PUT', body: '{"metadata":{"name":"s"},"stringData":{"a":"x"}}' }, told(REASON)],
    ['patch', `${SECRETS}/s`, { method: 'PATCH', headers: MERGE, body: '{"metadata":{"labels":{"a":"b"}}}' }, told(REASON)],
    ['create', SECRETS, { method: 'POST', body: '{"metadata":{"name":"s"}}' }, [409, 'AlreadyExists', 'secrets "s" already exists']],
    ['delete', `${SECRETS}/s`, { method: 'DELETE' }, told(REASON)],
    ['list', '/api/v1/secrets', {}, BUSY],
    ['cached list', '/api/v1/secrets?resourceVersion=0', {}, BUSY],
    ['page', '/api/v1/secrets?limit=1', {}, told(OF_LIST)],
    ['list of another namespace', '/api/v1/namespaces/platform-system/secrets', {}, BUSY],
    ['watch', '/api/v1/secrets?watch=1', {}, BUSY],
    ['watch from 0', '/api/v1/secrets?watch=1&resourceVersion=0', {}, BUSY],
    ['deletion of all', SECRETS, { method: 'DELETE' }, told(OF_LIST)],
  ])('%s', async (_title, place, options, expected) => {
    expect(await ask(place, options)).toEqual(expected);
  });

  it('leaves the rest as it is', async () => {
    expect((await create(server.api, 'other', 'v')).status).toBe(201);
    expect((await server.api.get(`${SECRETS}/other`)).status).toBe(200);
    expect((await server.api.get('/api/v1/configmaps')).status).toBe(200);
    expect((await server.api.get('/healthz')).status).toBe(200);
    expect((await server.api.get('/readyz')).status).toBe(500);
  });

  it('is forgotten once the right one is there', async () => {
    server.write(named('aesgcm', 'key', 'b'), named('aesgcm', 'key', 'a'));
    await waitUntil('the Secret', async () => (await server.api.get(`${SECRETS}/s`)).status === 200);
    expect((await server.api.get('/api/v1/secrets')).status).toBe(200);
    expect((await server.api.get('/readyz')).status).toBe(200);
  });

  it('keeps the old configuration where the new one is none, and counts that', async () => {
    server.write();
    const [live] = server.configurations.all;
    await waitUntil('the fault', () => live?.fault !== undefined);
    expect(live?.fault).toContain('at least one resources[0].providers is required');
    expect((await server.api.get(`${SECRETS}/s`)).status).toBe(200);
    expect((await create(server.api, 'third', 'v')).status).toBe(201);
    expect(await stored(store, 'third')).toMatch(/^platform:enc:aesgcm:v1:key:/);
  });
});

test('without a configuration what is encrypted is not shown as something else', async () => {
  const store = new MemoryStore();
  const right = await serve(store, keyed('aesgcm', 'a'), PLAIN);
  await create(right.api, 's', 'v');
  await right.stop();
  const api = await startFixture({}, store);
  const answer = await api.get(`${SECRETS}/s`);
  expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('identity transformer tried to read encrypted data')]);
  await api.stop();
});

test('what has been read once is not decrypted again', async () => {
  const { api, encryption, stop } = await serve(new MemoryStore(), keyed('aesgcm', 'a'));
  await create(api, 's', 'v');
  await api.get(`${SECRETS}/s`);
  const before = joined(encryption.metrics.exposed());
  for (let time = 0; time < 5; time++) {
    await api.get(`${SECRETS}/s`);
    await api.get(SECRETS);
  }
  expect(joined(encryption.metrics.exposed())).toBe(before);
  const metrics = (await api.get('/metrics')).text;
  expect(metrics).toMatch(
    /apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="platform:enc:aesgcm:v1:",status="OK"\} \d/,
  );
  expect(metrics).toContain('apiserver_storage_transformation_duration_seconds_bucket{transformation_type="from_storage"');
  await stop();
});
