/**
 * The search for values that a new encryption configuration could not read, on an in-memory store with ciphertexts of
 * real ciphers.
 */
import { createHash } from 'node:crypto';
import { flushPromises, ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { useForEachTest } from '../../../test/support/use-resource';
import { createTypeRangeLookup } from '../../cache/store/type-lookups';
import type { StoreEvent } from '../store';
import { createAesGcmCipher } from './ciphers';
import { EncryptionRules } from './encryption-rules';
import type { EncryptionRule, ValueProvider } from './value-transformer';
import { findLostKeys } from './find-lost-keys';
import { observeMissingKeys } from './missing-key-observer';
import type { MissingKeyCount } from './missing-keys';

const clock = new ManualClock();
/** Constant "random" bytes. */
const random = (bytes: number): Buffer => Buffer.alloc(bytes, 7);

/** `a` is the key `a` with a secret that repeats that text; `a=b` is the key `a` with a secret that repeats `b`. */
function keys(...names: readonly string[]): ValueProvider {
  const parsed = names.map((text) => {
    const [name = '', letter = name] = text.split('=');
    const secret = Buffer.alloc(32, letter);
    return { name, fingerprint: createHash('sha256').update(secret).digest('hex'), cipher: createAesGcmCipher(secret, random) };
  });
  return { type: 'keys', prefix: 'aesgcm:v1:', keys: parsed, unknownKey: 'no key' };
}
const PLAIN: ValueProvider = { type: 'plain' };
const kms = (name: string): ValueProvider => ({
  type: 'envelope',
  prefix: `kms:v2:${name}:`,
  envelope: {
    encrypt: (plaintext) => plaintext,
    prepare: () => undefined,
    decrypt: (ciphertext) => ({ value: ciphertext, isStale: false }),
  },
});

const createRules = (rows: readonly EncryptionRule[]): EncryptionRules =>
  new EncryptionRules(rows, { dialect: 'platform', clock, metrics: { observeTransform: () => undefined } });
const rules = (resource: string, ...providers: readonly ValueProvider[]): EncryptionRules =>
  createRules([{ resources: [resource], providers }]);

/** `segment` is where the keys of a resource lie below the prefix. */
const TYPES = [
  { name: 'configmaps', segment: 'configmaps', namespaced: true },
  { name: 'secrets', segment: 'secrets', namespaced: true },
  { name: 'services', segment: 'services/specs', namespaced: true },
];
const typeOf = createTypeRangeLookup('/registry', TYPES);

const store = useForEachTest(() => new MemoryStore());

/** Writes a value encrypted by the given rules. */
async function write(key: string, encryption: EncryptionRules): Promise<void> {
  const transformer = encryption.forResource(typeOf(key)?.name ?? '');
  const plain = Buffer.from('value');
  const value = transformer === undefined ? plain : transformer.encrypt(plain, key);
  await store().transact({ compare: [], operations: [{ type: 'put', key, value }] });
}

const find = async (current: EncryptionRules, next: EncryptionRules): Promise<readonly MissingKeyCount[]> =>
  (await findLostKeys({ store: store(), prefix: '/registry', typeOf, current, next, clock })).counts;

describe('findLostKeys', () => {
  it('counts the objects of a key that is taken away', async () => {
    const current = rules('secrets', keys('new', 'old'), PLAIN);
    for (let index = 0; index < 150; index++) await write(`/registry/secrets/default/s${index}`, rules('secrets', keys('old')));
    await write('/registry/secrets/default/other', current);
    await write('/registry/configmaps/default/c', current);
    expect(await find(current, rules('secrets', keys('new'), PLAIN))).toEqual([
      { resource: 'secrets', provider: 'aesgcm', key: 'old', objects: 150 },
    ]);
    expect(await find(current, rules('secrets', keys('old', 'new'), PLAIN))).toEqual([]);
  });

  it.each<[change: string, current: EncryptionRules, next: EncryptionRules, lost: Partial<MissingKeyCount>]>([
    ['a resource is left out', rules('secrets', keys('a')), createRules([]), { provider: 'aesgcm', key: 'a' }],
    ['identity is taken away', createRules([]), rules('secrets', keys('a')), { provider: 'identity', key: '' }],
    ['a KMS provider is taken away', rules('secrets', kms('k')), rules('secrets', kms('l')), { provider: 'kms', key: 'k' }],
    ['the secret of a key is changed', rules('secrets', keys('a')), rules('secrets', keys('a=b')), { provider: 'aesgcm', key: 'a' }],
  ])('counts an object of the current rules when %s', async (_change, current, next, lost) => {
    await write('/registry/secrets/default/s', current);
    expect(await find(current, next)).toEqual([{ resource: 'secrets', objects: 1, ...lost }]);
  });

  it.each<[change: string, current: EncryptionRules, next: EncryptionRules]>([
    ['a second secret gets the name of a key', rules('secrets', keys('a')), rules('secrets', keys('a=b', 'a'))],
    ['identity is taken away and nothing is plain', rules('secrets', keys('a'), PLAIN), rules('secrets', keys('a'))],
  ])('counts nothing when %s', async (_change, current, next) => {
    await write('/registry/secrets/default/s', current);
    expect(await find(current, next)).toEqual([]);
  });

  it('does not count what the current rules cannot read either, so that a wrong secret can be corrected', async () => {
    await write('/registry/secrets/default/s', rules('secrets', keys('a')));
    expect(await find(rules('secrets', keys('a=wrong')), rules('secrets', keys('a')))).toEqual([]);
    expect(await find(rules('secrets', keys('b')), rules('secrets', keys('c')))).toEqual([]);
  });

  it('reads values only of resources that lose a key, also of custom resources and types that share a segment', async () => {
    const current = createRules([{ resources: ['widgets.stable.example.com', 'services'], providers: [keys('a'), PLAIN] }]);
    for (const key of [
      '/registry/stable.example.com/widgets/default/w',
      '/registry/services/specs/default/s',
      '/registry/secrets/default/s',
    ])
      await write(key, current);
    await store().transact({ compare: [], operations: [{ type: 'put', key: '/registry/platform-format', value: Buffer.from('{}') }] });
    const ranges = jest.spyOn(store(), 'range');
    const counts = await find(current, rules('secrets', keys('a'), PLAIN));
    expect(counts.map(({ resource, objects }) => [resource, objects])).toEqual([
      ['services', 1],
      ['widgets.stable.example.com', 1],
    ]);
    expect(ranges.mock.calls.filter(([{ keysOnly }]) => keysOnly !== true).map(([{ start }]) => start)).toEqual([
      '/registry/services/specs/default/s',
      '/registry/stable.example.com/widgets/default/w',
    ]);
  });

  it('reads values that are written during the check, also of a resource that was read before', async () => {
    const current = createRules([{ resources: ['secrets', 'configmaps'], providers: [keys('new'), keys('old')] }]);
    const next = createRules([{ resources: ['secrets', 'configmaps'], providers: [keys('old')] }]);
    await write('/registry/configmaps/default/c', rules('configmaps', keys('old')));
    await write('/registry/configmaps/default/d', rules('configmaps', keys('old')));
    await write('/registry/secrets/default/s', rules('secrets', keys('old')));
    const range = store().range.bind(store());
    let writes = 0;
    // The first read of Secrets, which follow ConfigMaps, is preceded by a write of a ConfigMap.
    jest.spyOn(store(), 'range').mockImplementation(async (request) => {
      if (request.start.startsWith('/registry/secrets/') && writes++ === 0) await write('/registry/configmaps/default/d', current);
      return range(request);
    });
    expect(await find(current, next)).toEqual([{ resource: 'configmaps', provider: 'aesgcm', key: 'new', objects: 1 }]);
  });

  it('ends while values are written all the time', async () => {
    const current = rules('secrets', keys('new', 'old'));
    const range = store().range.bind(store());
    let writes = 0;
    jest.spyOn(store(), 'range').mockImplementation(async (request) => {
      await write(`/registry/secrets/default/s${writes++}`, current);
      return range(request);
    });
    expect(await find(current, rules('secrets', keys('new')))).toEqual([]);
    expect(writes).toBeLessThan(100);
  });
});

describe('observeMissingKeys', () => {
  const resourceOf = (key: string): string | undefined => typeOf(key)?.name;
  const readAll = (read: Pick<MemoryStore, 'range'>): Promise<unknown> => read.range({ start: '/', end: '0' });

  it('counts each value with a missing key once, until it has finished', async () => {
    for (const name of ['s', 't']) await write(`/registry/secrets/default/${name}`, rules('secrets', keys('old')));
    const observed = observeMissingKeys(store(), { rules: () => rules('secrets', keys('new')), resourceOf });
    await readAll(observed.store);
    await readAll(observed.store);
    expect(observed.finish().counts).toEqual([{ resource: 'secrets', provider: 'aesgcm', key: 'old', objects: 2 }]);
    expect(observed.finish().counts).toEqual([]);
  });

  it('counts what a watch delivered last of each key', async () => {
    const old = rules('secrets', keys('old'));
    const current = rules('secrets', keys('new'));
    for (const name of ['rewritten', 'deleted', 'left']) await write(`/registry/secrets/default/${name}`, old);
    await write('/registry/secrets/default/rewritten', current);
    await store().transact({ compare: [], operations: [{ type: 'delete', key: '/registry/secrets/default/deleted' }] });
    const observed = observeMissingKeys(store(), { rules: () => current, resourceOf });
    const delivered: string[] = [];
    const ignore = (): void => undefined;
    const sink = { events: (events: readonly StoreEvent[]) => events.forEach(({ key }) => delivered.push(key)), progress: ignore };
    const watch = observed.store.watch({ start: '/', end: '0' }, 1, { ...sink, compacted: ignore, connection: ignore });
    await flushPromises();
    expect(delivered).toHaveLength(5);
    expect(observed.finish().counts).toMatchObject([{ objects: 1 }]);
    await write('/registry/secrets/default/later', old);
    await flushPromises();
    expect(delivered).toHaveLength(6);
    watch.close();
  });

  it('counts encrypted values when no encryption is configured', async () => {
    await write('/registry/configmaps/default/c', createRules([]));
    await write('/registry/secrets/default/s', rules('secrets', keys('a')));
    const observed = observeMissingKeys(store(), { rules: undefined, resourceOf });
    await readAll(observed.store);
    expect(observed.finish().counts).toEqual([{ resource: 'secrets', provider: 'aesgcm', key: 'a', objects: 1 }]);
  });
});
