/** Secrets under the key of a KMS plug-in: what is stored, and what clients are answered when the plug-in is slow, away, or wrong. */
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { createAesGcmCipher } from '../../../apiserver/storage/encryption/ciphers';
import type { Store } from '../../../apiserver/storage/store';
import { systemRandomBytes } from '../../../shared/runtime/random';
import { casesOf } from '../../replay/recording';
import { either, nothing, number, shape, text } from '../../replay/shape';
import { describeWithEtcd } from '../../support/etcd';
import { KmsPlugin, masked, messageBytes, type PluginBehaviour } from '../../support/kms-plugin';
import { MemoryStore } from '../../support/memory-store';
import { waitUntil } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';
import {
  createSecret,
  dataOf,
  ENCODED,
  expectRewrite,
  keyed,
  openVisibleEmbedded,
  openVisibleEtcd,
  PLAIN,
  SECRETS,
  serve,
  stored,
  storeOf,
  VALUE,
  versionOf,
  type Provider,
  type VisibleStore,
} from './encrypted-fixture';

const folder = useFolder('kms');
const plugins: KmsPlugin[] = [];
afterAll(() => plugins.forEach((one) => one.stop()));

function plugin(): KmsPlugin {
  const made = new KmsPlugin(path.join(folder, `kms-${plugins.length}.sock`));
  plugins.push(made);
  return made;
}

const kms = (one: KmsPlugin, name = 'key-box'): Provider => ({ kms: { apiVersion: 'v2', name, endpoint: one.endpoint, timeout: '1s' } });

async function expectHidden({ store, seen, dispose }: VisibleStore): Promise<void> {
  const box = await plugin().start();
  const first = await serve(store, kms(box), PLAIN);
  for (const name of ['s', 't']) expect((await createSecret(first.api, name)).status).toBe(201);
  expect(await stored(store)).toMatch(/^platform:enc:kms:v2:key-box:/);
  expect([box.count('Encrypt'), box.count('Decrypt')]).toEqual([1, 0]);
  await first.stop();
  const second = await serve(store, kms(box));
  for (const name of ['s', 't']) expect(await dataOf(second.api, name)).toEqual({ a: ENCODED });
  expect([box.count('Encrypt'), box.count('Decrypt')]).toEqual([2, 1]);
  // The same key: nothing is outdated.
  const before = await second.api.get(`${SECRETS}/s`);
  expect(versionOf(await second.api.put(`${SECRETS}/s`, before.text))).toBe(versionOf(before));
  await second.stop();
  const bytes = await seen();
  expect(bytes).toContain('platform:enc:kms:v2:key-box:');
  for (const hidden of [VALUE, ENCODED, ...box.seeds.map((seed) => seed.toString('latin1'))]) expect(bytes).not.toContain(hidden);
  await dispose();
}

test('the embedded store contains neither Secrets nor the seed, and another server reads them', async () =>
  expectHidden(await openVisibleEmbedded()));
describeWithEtcd('etcd', () => {
  test('contains neither Secrets nor the seed, and another server reads them', async () => expectHidden(await openVisibleEtcd()));
});

describe('a Secret that is written unchanged', () => {
  const one = plugin();
  const other = plugin();
  beforeAll(() => Promise.all([one.start(), other.start()]));

  test.each<readonly [string, readonly Provider[], readonly Provider[], RegExp]>([
    ['one plug-in to another', [kms(one)], [kms(other, 'new-box'), kms(one)], /^platform:enc:kms:v2:new-box:/],
    ['a local key to a plug-in', [keyed('aescbc', 'a')], [kms(one), keyed('aescbc', 'a')], /^platform:enc:kms:v2:key-box:/],
    ['a plug-in to a local key', [kms(one)], [keyed('secretbox', 'a'), kms(one)], /^platform:enc:secretbox:v1:a:/],
    ['a plug-in to plain text', [kms(one)], [PLAIN, kms(one)], /^PV/],
    ['plain text to a plug-in', [PLAIN], [kms(one), PLAIN], /^platform:enc:kms:v2:key-box:/],
  ])('moves from %s', async (_title, before, after, expected) => {
    await expectRewrite(await storeOf(...before), expected, ...after);
  });

  test('moves to another key of the same plug-in', async () => {
    const store = await storeOf(kms(one));
    one.keyId = 'key-2';
    expect(await stored(store)).not.toContain('key-2');
    await expectRewrite(store, /key-2/, kms(one));
  });
});

/** A value that another server has written under a seed that nobody here knows. */
function foreign(seed = systemRandomBytes(32), name = 's'): Buffer {
  const place = `/registry/secrets/default/${name}`;
  const info = systemRandomBytes(32);
  const key = createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
  const members = {
    encryptedData: Buffer.concat([info, createAesGcmCipher(key, systemRandomBytes).encrypt(Buffer.from('no object'), place)]),
    keyID: 'key-1',
    encryptedDEKSource: masked(seed),
    encryptedDEKSourceType: 1,
  };
  return Buffer.concat([Buffer.from('k8s:enc:kms:v2:key-box:'), messageBytes('EncryptedObject', members)]);
}

const put = (store: Store, name: string, value: Buffer): Promise<unknown> =>
  store.transact({ compare: [], operations: [{ type: 'put', key: `/registry/secrets/default/${name}`, value }] });

describe('a value that cannot be decrypted', () => {
  const isAnswer = either(either(shape({ code: number, details: text }), shape({ length: number })), either(shape({ raw: text }), text));
  const recorded = shape({ title: text, answer: isAnswer, code: number, message: text, page: either(text, nothing) });
  const cases = casesOf('encryption/kms-decryptions', recorded);
  const box = plugin();
  const store = new MemoryStore();
  const served = useResource(
    async () => serve(store, kms(await box.start()), PLAIN),
    ({ stop }) => stop(),
  );

  const behaviourOf = (answer: (typeof cases)[number]['answer']): PluginBehaviour => {
    if (typeof answer === 'string') return () => 'never';
    if ('code' in answer) return () => ({ failure: answer });
    if ('raw' in answer) return () => ({ raw: Buffer.from(answer.raw, 'base64') });
    return () => ({ plaintext: Buffer.alloc(answer.length, 7) });
  };

  test.each(cases)('is answered with the recorded error: $title', async ({ answer, code, message }) => {
    box.behave('Decrypt', behaviourOf(answer));
    if (answer === 'away') box.stop();
    // A plug-in that did not answer is not asked again at once.
    await waitUntil('the message', async () => {
      await put(store, 's', foreign());
      const told = await served().api.get(`${SECRETS}/s`);
      return told.status === code && String(told.message).replace(box.path, 'SOCKET') === message;
    });
  });
});

describe('a plug-in that is away at the start', () => {
  const box = plugin();
  const served = useResource(
    async () => {
      const store = await storeOf(kms(await box.start()));
      box.stop();
      return serve(store, kms(box), kms(plugin(), 'never-there'), PLAIN);
    },
    ({ stop }) => stop(),
  );
  const get = (place: string) => served().api.get(place);

  it('keeps the server from being ready, but not from being live and from serving other objects', async () => {
    const paths = ['/readyz', '/healthz', '/livez', '/api/v1/configmaps'];
    expect(await Promise.all(paths.map(async (place) => (await get(place)).status))).toEqual([500, 500, 200, 200]);
    expect((await get('/readyz?verbose')).text).toContain('[-]kms-providers failed: reason withheld\n');
    expect((await get('/livez?verbose')).text).not.toContain('kms');
    const away =
      /rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix \S+: connect: no such file or directory"/;
    const told = (await get('/healthz/kms-providers')).text;
    expect(told).toMatch(/^internal server error: \[kms-provider-0: .*, kms-provider-1: .*\]\n$/);
    expect(told).toMatch(away);
    expect((await get(`${SECRETS}/s`)).refusal).toEqual([500, expect.stringMatching(away)]);
    const message = 'Internal error occurred: got unexpected nil transformer';
    expect((await createSecret(served().api, 't')).refusal).toEqual([500, message]);
  });

  it('is used as soon as it is there', async () => {
    await box.start();
    await waitUntil('the Secret', async () => (await get(`${SECRETS}/s`)).status === 200, 15_000);
    expect(await dataOf(served().api)).toEqual({ a: ENCODED });
    expect((await createSecret(served().api, 't')).status).toBe(201);
    expect((await get('/api/v1/secrets')).status).toBe(200);
    expect((await get('/healthz/kms-providers')).text).toMatch(/^internal server error: kms-provider-1: /);
  });
});

test('while a plug-in is away, known Secrets can be read and new ones written as long as the seed is valid', async () => {
  const box = await plugin().start();
  const { api, stop } = await serve(new MemoryStore(), kms(box), PLAIN);
  await createSecret(api);
  box.stop();
  expect(await dataOf(api)).toEqual({ a: ENCODED });
  expect((await createSecret(api, 't')).status).toBe(201);
  expect(await dataOf(api, 't')).toEqual({ a: ENCODED });
  expect((await api.get('/api/v1/secrets')).status).toBe(200);
  await stop();
});

test('a changed configuration is used once its plug-ins are healthy, and the previous one until then', async () => {
  const [one, other] = [await plugin().start(), plugin()];
  const store = new MemoryStore();
  const { api, write, configurations, stop } = await serve(store, kms(one), PLAIN);
  await createSecret(api);
  write(kms(other, 'new-box'), kms(one));
  const [live] = configurations.configurations;
  await waitUntil('the fault', () => live?.fault !== undefined, 15_000);
  expect(live?.fault).toMatch(/^health check for new transformers failed: kms-provider-0: rpc error: code = DeadlineExceeded/);
  expect((await api.get('/readyz')).status).toBe(200);
  await createSecret(api, 'before');
  expect(await stored(store, 'before')).toMatch(/^platform:enc:kms:v2:key-box:/);
  await other.start();
  await waitUntil('the reload', () => live?.fault === undefined, 15_000);
  await createSecret(api, 'after');
  expect(await stored(store, 'after')).toMatch(/^platform:enc:kms:v2:new-box:/);
  expect(await dataOf(api)).toEqual({ a: ENCODED });
  // The one that stayed was not asked for another seed.
  expect(one.count('Encrypt')).toBe(1);
  await stop();
});

test('metrics count the calls of plug-ins and the keys of values', async () => {
  const { api, stop } = await serve(new MemoryStore(), kms(await plugin().start()), PLAIN);
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
