/** Secrets under the key of a service that stands behind a socket: what lies in the store, and what clients are told when the service is slow, away, or wrong. */
import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { aesGcm } from '../../../apiserver/storage/encryption/ciphers';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import type { Store } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemBytes, systemRandom } from '../../../shared/runtime/random';
import { casesOf } from '../../replay/recording';
import { either, nothing, number, shape, text } from '../../replay/shape';
import { describeWithEtcd, startEtcd } from '../../support/etcd';
import { KmsPlugin, masked, messageBytes, type PluginBehaviour } from '../../support/kms-plugin';
import { MemoryStore } from '../../support/memory-store';
import { waitUntil } from '../../support/programs';
import {
  contentOf,
  create,
  folder,
  keyed,
  objectOf,
  PLAIN,
  SECRETS,
  serve,
  stored,
  useEncryptionFolder,
  type Provider,
  type Served,
} from './encrypted-fixture';
import { type Answer } from './call';
import { type Fixture } from './fixture';

useEncryptionFolder();

const VALUE = 'nobody-may-read-this';
const HIDDEN = [VALUE, Buffer.from(VALUE).toString('base64')];

let plugins = 0;
const started: KmsPlugin[] = [];
function plugin(): KmsPlugin {
  const made = new KmsPlugin(path.join(folder, `kms-${++plugins}.sock`));
  started.push(made);
  return made;
}
afterAll(() => started.forEach((one) => one.stop()));

const kms = (one: KmsPlugin, name = 'key-box'): Provider => ({ kms: { apiVersion: 'v2', name, endpoint: one.endpoint, timeout: '1s' } });
const valueOf = async (api: Fixture, name = 's'): Promise<unknown> => objectOf(await api.get(`${SECRETS}/${name}`))['data'];
const messageOf = ({ text: body }: Answer): unknown => JSON.parse(body).message;

describe.each<readonly [string, () => Promise<{ readonly store: Store; seen(): Promise<string>; end(): Promise<void> }>]>([
  [
    'the embedded store',
    async () => {
      const directory = mkdtempSync(path.join(folder, 'embedded-'));
      const store = await openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });
      return { store, seen: async () => contentOf(directory), end: () => store.close() };
    },
  ],
])('%s', (_name, open) => holdsNoSecret(open));

describeWithEtcd('etcd', () =>
  holdsNoSecret(async () => {
    const server = await startEtcd();
    const store = await openEtcdStore({ endpoints: [server.endpoint], clock: systemClock, random: systemRandom });
    return {
      store,
      async seen() {
        const { kvs } = await store.range({ start: '\0', end: '\u{10ffff}' });
        return kvs.map(({ value }) => value.toString('latin1')).join('');
      },
      async end() {
        await store.close();
        await server.dispose();
      },
    };
  }),
);

function holdsNoSecret(open: () => Promise<{ readonly store: Store; seen(): Promise<string>; end(): Promise<void> }>): void {
  test('holds no Secret that can be read, nor the seed, and another server reads what this one has written', async () => {
    const { store, seen, end } = await open();
    const box = await plugin().start();
    const first = await serve(store, kms(box), PLAIN);
    expect((await create(first.api, 's', VALUE)).status).toBe(201);
    expect((await create(first.api, 't', VALUE)).status).toBe(201);
    expect(await stored(store, 's')).toMatch(/^platform:enc:kms:v2:key-box:/);
    expect([box.count('Encrypt'), box.count('Decrypt')]).toEqual([1, 0]);
    await first.stop();
    const second = await serve(store, kms(box));
    expect(await valueOf(second.api)).toEqual({ a: HIDDEN[1] });
    expect(await valueOf(second.api, 't')).toEqual({ a: HIDDEN[1] });
    expect([box.count('Encrypt'), box.count('Decrypt')]).toEqual([2, 1]);
    // The same key: nothing is outdated.
    const before = await second.api.get(`${SECRETS}/s`);
    const written = await second.api.put(`${SECRETS}/s`, before.text);
    expect(objectOf(written)['metadata']).toEqual(objectOf(before)['metadata']);
    await second.stop();
    const bytes = await seen();
    expect(bytes).toContain('platform:enc:kms:v2:key-box:');
    for (const hidden of [...HIDDEN, ...box.seeds.map((seed) => seed.toString('latin1'))]) expect(bytes).not.toContain(hidden);
    await end();
  });
}

describe('keys that are replaced', () => {
  const one = plugin();
  const other = plugin();
  beforeAll(() => Promise.all([one.start(), other.start()]));

  test.each<readonly [string, readonly Provider[], readonly Provider[], RegExp]>([
    ['one service and another', [kms(one)], [kms(other, 'new-box'), kms(one)], /^platform:enc:kms:v2:new-box:/],
    ['a local key and a service', [keyed('aescbc', 'a')], [kms(one), keyed('aescbc', 'a')], /^platform:enc:kms:v2:key-box:/],
    ['a service and a local key', [kms(one)], [keyed('secretbox', 'a'), kms(one)], /^platform:enc:secretbox:v1:a:/],
    ['a service and plain text', [kms(one)], [PLAIN, kms(one)], /^PV/],
    ['plain text and a service', [PLAIN], [kms(one), PLAIN], /^platform:enc:kms:v2:key-box:/],
  ])('%s: what is written unchanged is written anew, once', async (_title, before, after, expected) => {
    const store = new MemoryStore();
    const first = await serve(store, ...before);
    await create(first.api, 's', VALUE);
    await first.stop();
    const { api, stop } = await serve(store, ...after);
    const found = await api.get(`${SECRETS}/s`);
    expect(objectOf(found)['data']).toEqual({ a: HIDDEN[1] });
    const written = await api.put(`${SECRETS}/s`, found.text);
    expect(written.status).toBe(200);
    expect(await stored(store, 's')).toMatch(expected);
    const again = await api.put(`${SECRETS}/s`, written.text);
    expect(objectOf(again)['metadata']).toEqual(objectOf(written)['metadata']);
    await stop();
  });

  test('another key of the same service counts as another', async () => {
    const store = new MemoryStore();
    const first = await serve(store, kms(one));
    await create(first.api, 's', VALUE);
    await first.stop();
    one.keyId = 'key-2';
    const { api, stop } = await serve(store, kms(one));
    const before = await stored(store, 's');
    const found = await api.get(`${SECRETS}/s`);
    await api.put(`${SECRETS}/s`, found.text);
    const after = await stored(store, 's');
    expect([before.includes('key-2'), after.includes('key-2')]).toEqual([false, true]);
    await stop();
  });
});

/** A value that another server has written under a seed that nobody here knows. */
function foreign(seed = systemBytes(32), name = 's'): Buffer {
  const place = `/registry/secrets/default/${name}`;
  const info = systemBytes(32);
  const key = createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
  const members = {
    encryptedData: Buffer.concat([info, aesGcm(key, systemBytes).seal(Buffer.from('no object'), place)]),
    keyID: 'key-1',
    encryptedDEKSource: masked(seed),
    encryptedDEKSourceType: 1,
  };
  return Buffer.concat([Buffer.from('k8s:enc:kms:v2:key-box:'), messageBytes('EncryptedObject', members)]);
}

const put = (store: Store, name: string, value: Buffer): Promise<unknown> =>
  store.transact({ compare: [], operations: [{ type: 'put', key: `/registry/secrets/default/${name}`, value }] });

describe('what cannot be decrypted', () => {
  const isAnswer = either(either(shape({ code: number, details: text }), shape({ length: number })), either(shape({ raw: text }), text));
  const cases = casesOf(
    'encryption/kms-decryptions',
    shape({ title: text, answer: isAnswer, code: number, message: text, page: either(text, nothing) }),
  );
  const box = plugin();
  const store = new MemoryStore();
  let served: Served;
  beforeAll(async () => {
    await box.start();
    served = await serve(store, kms(box), PLAIN);
  });
  afterAll(() => served.stop());

  const behaviourOf = (answer: (typeof cases)[number]['answer']): PluginBehaviour => {
    if (typeof answer === 'string') return () => 'never';
    if ('code' in answer) return () => ({ failure: answer });
    if ('raw' in answer) return () => ({ raw: Buffer.from(answer.raw, 'base64') });
    return () => ({ plaintext: Buffer.alloc(answer.length, 7) });
  };

  test.each(cases)('$title', async ({ answer, code, message }) => {
    box.behave('Decrypt', behaviourOf(answer));
    if (answer === 'away') box.stop();
    // Nobody who did not answer is asked again at once.
    await waitUntil('the message', async () => {
      await put(store, 's', foreign());
      const told = await served.api.get(`${SECRETS}/s`);
      return told.status === code && String(messageOf(told)).replace(box.path, 'SOCKET') === message;
    });
  });
});

describe('a service that is away at the start', () => {
  const box = plugin();
  const store = new MemoryStore();
  let served: Served;
  beforeAll(async () => {
    await box.start();
    const before = await serve(store, kms(box));
    await create(before.api, 's', VALUE);
    await before.stop();
    box.stop();
    served = await serve(store, kms(box), kms(plugin(), 'never-there'), PLAIN);
  });
  afterAll(() => served.stop());
  const health = (place: string): Promise<Answer> => served.api.get(place);

  it('keeps the server from being ready, but not from living and from serving what is not encrypted', async () => {
    expect((await health('/readyz')).status).toBe(500);
    expect((await health('/readyz?verbose')).text).toContain('[-]kms-providers failed: reason withheld\n');
    expect((await health('/healthz')).status).toBe(500);
    expect((await health('/livez')).status).toBe(200);
    expect((await health('/livez?verbose')).text).not.toContain('kms');
    const away =
      /rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix \S+: connect: no such file or directory"/;
    const told = (await health('/healthz/kms-providers')).text;
    expect(told).toMatch(/^internal server error: \[kms-provider-0: .*, kms-provider-1: .*\]\n$/);
    expect(told).toMatch(away);
    expect((await served.api.get('/api/v1/configmaps')).status).toBe(200);
    const get = await served.api.get(`${SECRETS}/s`);
    expect(get.status).toBe(500);
    expect(messageOf(get)).toMatch(away);
    const written = await create(served.api, 't', VALUE);
    expect([written.status, messageOf(written)]).toEqual([500, 'Internal error occurred: got unexpected nil transformer']);
  });

  it('is found when it is there', async () => {
    await box.start();
    await waitUntil('the Secret', async () => (await served.api.get(`${SECRETS}/s`)).status === 200, 15_000);
    expect(await valueOf(served.api)).toEqual({ a: HIDDEN[1] });
    expect((await create(served.api, 't', VALUE)).status).toBe(201);
    expect((await served.api.get('/api/v1/secrets')).status).toBe(200);
    const { text: told } = await health('/healthz/kms-providers');
    expect(told).toMatch(/^internal server error: kms-provider-1: /);
  });
});

test('a service that goes away, hangs or is replaced leaves what is known as it is, and writing too, as long as its seed is good', async () => {
  const box = await plugin().start();
  const { api, stop } = await serve(new MemoryStore(), kms(box), PLAIN);
  await create(api, 's', VALUE);
  box.stop();
  expect(await valueOf(api)).toEqual({ a: HIDDEN[1] });
  expect((await create(api, 't', VALUE)).status).toBe(201);
  expect(await valueOf(api, 't')).toEqual({ a: HIDDEN[1] });
  expect((await api.get('/api/v1/secrets')).status).toBe(200);
  await stop();
});

describe('a configuration that is read again', () => {
  it('is used when its services are well, and the old one until then', async () => {
    const [one, other] = [await plugin().start(), plugin()];
    const store = new MemoryStore();
    const { api, write, configurations, stop } = await serve(store, kms(one), PLAIN);
    await create(api, 's', VALUE);
    write(kms(other, 'new-box'), kms(one));
    const [live] = configurations.all;
    await waitUntil('the fault', () => live?.fault !== undefined, 15_000);
    expect(live?.fault).toMatch(/^health check for new transformers failed: kms-provider-0: rpc error: code = DeadlineExceeded/);
    expect((await api.get('/readyz')).status).toBe(200);
    await create(api, 'before', VALUE);
    expect(await stored(store, 'before')).toMatch(/^platform:enc:kms:v2:key-box:/);
    await other.start();
    await waitUntil('the reload', () => live?.fault === undefined, 15_000);
    await create(api, 'after', VALUE);
    expect(await stored(store, 'after')).toMatch(/^platform:enc:kms:v2:new-box:/);
    expect(await valueOf(api)).toEqual({ a: HIDDEN[1] });
    // The one that stayed was not asked for another seed.
    expect(one.count('Encrypt')).toBe(1);
    await stop();
  });
});

test('metrics tell what services are asked, and under which keys values lie', async () => {
  const box = await plugin().start();
  const { api, stop } = await serve(new MemoryStore(), kms(box), PLAIN);
  await create(api, 's', VALUE);
  await api.get(`${SECRETS}/s`);
  const metrics = (await api.get('/metrics')).text;
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
