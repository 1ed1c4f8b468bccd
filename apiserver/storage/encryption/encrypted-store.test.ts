/** The encrypted store: stored and returned values, provider selection, rotation, and unreadable values. */
import * as salsa from '@noble/ciphers/salsa.js';
import { systemRandomBytes } from '../../../shared/runtime/random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { useForEachTest } from '../../../test/support/use-resource';
import { prefixRange, type Store, type StoreEvent } from '../store';
import { unreadableReason } from '../unreadable-value';
import { createAesCbcCipher, createAesGcmCipher, createSecretboxCipher, TransformError, type Cipher } from './ciphers';
import { createEncryptedStore } from './encrypted-store';
import { EncryptionRules } from './encryption-rules';
import type { EncryptionRule, Envelope, TransformMetricsRecorder, ValueProvider } from './value-transformer';

const clock = new ManualClock();
const secretOf = (letter: string, length = 32): Buffer => Buffer.alloc(length, letter);
const CREATE_CIPHER = {
  aescbc: (secret: Buffer): Cipher => createAesCbcCipher(secret, systemRandomBytes),
  aesgcm: (secret: Buffer): Cipher => createAesGcmCipher(secret, systemRandomBytes),
  secretbox: (secret: Buffer): Cipher => createSecretboxCipher(salsa, secret, systemRandomBytes),
};
type Type = keyof typeof CREATE_CIPHER;
const UNKNOWN_KEY = 'no matching key was found';
/** A provider with keys of the given names; the secret of each repeats its letter. */
const keyProvider = (type: Type, ...keys: readonly (readonly [name: string, letter: string])[]): ValueProvider => ({
  type: 'keys',
  prefix: `${type}:v1:`,
  unknownKey: UNKNOWN_KEY,
  keys: keys.map(([name, letter]) => ({ name, fingerprint: letter, cipher: CREATE_CIPHER[type](secretOf(letter)) })),
});
const plain: ValueProvider = { type: 'plain' };
const secrets = (...providers: readonly ValueProvider[]): EncryptionRule => ({ resources: ['secrets'], providers });

const PREFIX = '/registry/';
const resourceOf = (key: string): string | undefined => /^\/registry\/([a-z.]+)\//.exec(key)?.[1];

function rulesWith(rows: readonly EncryptionRule[], observeTransform: TransformMetricsRecorder['observeTransform'] = jest.fn()) {
  return new EncryptionRules(rows, { dialect: 'platform', clock, metrics: { observeTransform } });
}

/** The store behind encryption by these rules. */
function encrypted(store: Store, ...rows: readonly EncryptionRule[]): Store {
  const rules = rulesWith(rows);
  return encryptedBy(() => rules, store);
}

const encryptedBy = (rules: () => EncryptionRules, store: Store): Store =>
  createEncryptedStore(store, { rules, resourceOf, clock, yieldNow: () => Promise.resolve() });

const SECRET_KEY = '/registry/secrets/default/s';
const put = (store: Store, key: string, value: string): Promise<unknown> =>
  store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] });
const read = async (store: Store, key: string): Promise<string | undefined> => (await store.get(key)).kv?.value.toString('latin1');
const reasonAt = async (store: Store, key: string): Promise<string | undefined> => {
  const { kv } = await store.get(key);
  return kv === undefined ? undefined : unreadableReason(kv.value);
};

const inner = useForEachTest(
  () => new MemoryStore(clock),
  (store) => store.close(),
);

/** Envelopes that need a key, which is fetched when `finishFetches` is called. They append their name to decrypted values. */
function fetchingEnvelopes() {
  const fetchedNames = new Set<string>();
  const pending: (() => void)[] = [];
  const envelopeOf = (name: string): Envelope => ({
    encrypt: (value) => value,
    prepare: () =>
      fetchedNames.has(name)
        ? undefined
        : new Promise((resolve) => {
            pending.push(() => {
              fetchedNames.add(name);
              resolve();
            });
          }),
    decrypt(ciphertext) {
      if (!fetchedNames.has(name)) throw new TransformError(`${name} has not been fetched`);
      return { value: Buffer.from(`${ciphertext.toString()} by ${name}`), isStale: false };
    },
  });
  return { envelopeOf, finishFetches: (): void => pending.splice(0).forEach((finish) => finish()) };
}

/** The values of the events that a watch of all keys delivers from now on. */
function watchedValues(store: Store): { readonly values: readonly string[]; close(): void } {
  const values: string[] = [];
  const watch = store.watch(prefixRange(PREFIX), 1, {
    events: (events) => events.forEach((event) => event.type === 'put' && values.push(event.value.toString())),
    progress: () => undefined,
    compacted: () => undefined,
    connection: () => undefined,
  });
  return { values, close: () => watch.close() };
}

it('encrypted store applies the current rules, also when they change while a key is being fetched', async () => {
  const { envelopeOf, finishFetches } = fetchingEnvelopes();
  const rulesOf = (name: string): EncryptionRules =>
    rulesWith([secrets({ type: 'envelope', prefix: 'kms:v2:k:', envelope: envelopeOf(name) })]);
  let rules = rulesOf('old');
  const store = encryptedBy(() => rules, inner());
  await put(inner(), SECRET_KEY, 'platform:enc:kms:v2:k:value');
  const reading = read(store, SECRET_KEY);
  const watched = watchedValues(store);
  await clock.advanceAsync(1);
  rules = rulesOf('new');
  // The read and the watch each fetch the old key, then the new one.
  for (let fetch = 0; fetch < 4; fetch += 1) {
    finishFetches();
    await clock.advanceAsync(1);
  }
  expect(await reading).toBe('value by new');
  expect(watched.values).toEqual(['value by new']);
  watched.close();
});

describe.each(['aescbc', 'aesgcm', 'secretbox'] as const)('encryption with %s', (type) => {
  it('stores ciphertext and returns plaintext', async () => {
    const store = encrypted(inner(), secrets(keyProvider(type, ['key1', 'a']), plain));
    await put(store, SECRET_KEY, 'a plain value');
    const stored = (await read(inner(), SECRET_KEY)) ?? '';
    expect(stored.startsWith(`platform:enc:${type}:v1:key1:`)).toBe(true);
    expect(stored).not.toContain('plain value');
    expect(await read(store, SECRET_KEY)).toBe('a plain value');
    expect((await store.range(prefixRange(PREFIX))).kvs.map(({ value }) => value.toString())).toEqual(['a plain value']);
  });

  it('records each encryption under the name of the key and under the prefix of the value', async () => {
    const observeTransform = jest.fn();
    const rules = rulesWith([secrets(keyProvider(type, ['key1', 'a']))], observeTransform);
    await put(
      encryptedBy(() => rules, inner()),
      SECRET_KEY,
      'a plain value',
    );
    expect(observeTransform.mock.calls).toEqual([
      ['to_storage', 'key1:', 'OK', expect.any(Number)],
      ['to_storage', `platform:enc:${type}:v1:`, 'OK', expect.any(Number)],
    ]);
  });

  it('encrypts the same value differently each time', async () => {
    const store = encrypted(inner(), secrets(keyProvider(type, ['key1', 'a'])));
    await put(store, SECRET_KEY, 'v');
    const first = await read(inner(), SECRET_KEY);
    await put(store, SECRET_KEY, 'v');
    expect(await read(inner(), SECRET_KEY)).not.toBe(first);
  });

  it('round-trips values of any length', async () => {
    const store = encrypted(inner(), secrets(keyProvider(type, ['key1', 'a'])));
    for (const length of [1, 15, 16, 17, 4096]) {
      await put(store, SECRET_KEY, 'x'.repeat(length));
      expect(await read(store, SECRET_KEY)).toBe('x'.repeat(length));
    }
  });

  it('reports why a value is unreadable, and reads other values', async () => {
    await put(encrypted(inner(), secrets(keyProvider(type, ['key1', 'a']))), SECRET_KEY, 'v');
    await put(inner(), '/registry/configmaps/default/c', 'c');
    const otherStore = encrypted(inner(), secrets(keyProvider(type, ['key1', 'b'])));
    const expectedReasons = {
      aescbc: 'invalid padding on input',
      aesgcm: 'cipher: message authentication failed',
      secretbox: 'output array was not large enough for encryption',
    };
    // A wrong key yields valid padding by chance, once in 256 times.
    if (type !== 'aescbc') expect(await reasonAt(otherStore, SECRET_KEY)).toBe(expectedReasons[type]);
    expect(await read(otherStore, '/registry/configmaps/default/c')).toBe('c');
    expect(await reasonAt(encrypted(inner(), secrets(keyProvider(type, ['key2', 'a']))), SECRET_KEY)).toBe(UNKNOWN_KEY);
    expect(await reasonAt(encrypted(inner(), secrets(plain)), SECRET_KEY)).toBe('no matching prefix found');
    expect(await reasonAt(encrypted(inner()), SECRET_KEY)).toBe('identity transformer tried to read encrypted data');
  });

  it('reports truncated values as unreadable when the cipher is authenticated', async () => {
    const store = encrypted(inner(), secrets(keyProvider(type, ['key1', 'a'])));
    await put(store, SECRET_KEY, 'v'.repeat(40));
    const storedValue = (await inner().get(SECRET_KEY)).kv?.value ?? Buffer.alloc(0);
    const head = `platform:enc:${type}:v1:key1:`.length;
    for (let length = head; length < storedValue.length; length++) {
      await inner().transact({ compare: [], operations: [{ type: 'put', key: SECRET_KEY, value: storedValue.subarray(0, length) }] });
      // Whole blocks without authentication may decrypt to a value.
      if (type === 'aescbc') await store.get(SECRET_KEY);
      else expect(await reasonAt(store, SECRET_KEY)).toBeDefined();
    }
  });
});

it('encryption with aesgcm binds a value to its key in the store', async () => {
  const store = encrypted(inner(), secrets(keyProvider('aesgcm', ['key1', 'a'])));
  await put(store, SECRET_KEY, 'v');
  const { kv } = await inner().get(SECRET_KEY);
  await inner().transact({ compare: [], operations: [{ type: 'put', key: `${SECRET_KEY}2`, value: kv?.value ?? Buffer.alloc(0) }] });
  expect(await reasonAt(store, `${SECRET_KEY}2`)).toBe('cipher: message authentication failed');
});

it('encrypted store reads values with the prefix of the other dialect and reports them as stale', async () => {
  const value = Buffer.concat([
    Buffer.from('k8s:enc:aesgcm:v1:key1:'),
    CREATE_CIPHER.aesgcm(secretOf('a')).encrypt(Buffer.from('v'), SECRET_KEY),
  ]);
  await inner().transact({ compare: [], operations: [{ type: 'put', key: SECRET_KEY, value }] });
  const store = encrypted(inner(), secrets(keyProvider('aesgcm', ['key1', 'a'])));
  expect(await read(store, SECRET_KEY)).toBe('v');
  expect((await store.getStale?.(SECRET_KEY))?.value.toString()).toBe('v');
});

describe('encryption rule', () => {
  const rows: readonly EncryptionRule[] = [
    { resources: ['secrets', 'roles.rbac'], providers: [keyProvider('aescbc', ['first', 'a'])] },
    { resources: ['secrets', '*.rbac'], providers: [keyProvider('aescbc', ['second', 'a'])] },
    { resources: ['*.'], providers: [keyProvider('aescbc', ['core', 'a'])] },
    { resources: ['*.*'], providers: [keyProvider('aescbc', ['all', 'a'])] },
  ];
  it.each([
    ['secrets', 'first'],
    ['roles.rbac', 'first'],
    ['bindings.rbac', 'second'],
    ['configmaps', 'core'],
    ['crontabs.stable.example.com', 'all'],
  ])('of %s is the first that matches: %s', async (resource, name) => {
    await put(encrypted(inner(), ...rows), `/registry/${resource}/n`, 'v');
    expect(await read(inner(), `/registry/${resource}/n`)).toMatch(new RegExp(`^platform:enc:aescbc:v1:${name}:`));
  });

  it('does not apply to keys that are not API objects', async () => {
    const store = encrypted(inner(), ...rows);
    await put(store, '/registry/tick', '17');
    expect(await read(inner(), '/registry/tick')).toBe('17');
    expect(await read(store, '/registry/tick')).toBe('17');
  });
});

describe('key rotation', () => {
  const old = keyProvider('aescbc', ['key1', 'a']);
  const isStale = async (store: Store): Promise<boolean> => (await store.getStale?.(SECRET_KEY)) !== undefined;

  it.each<[string, ValueProvider[], boolean]>([
    ['written with the current write key', [old], false],
    ['written with a key behind a new key of its provider', [keyProvider('aescbc', ['key2', 'b'], ['key1', 'a'])], true],
    ['written by a provider behind another one', [keyProvider('aesgcm', ['key1', 'b']), old], true],
    ['written by a provider behind identity', [plain, old], true],
  ])('reads a value %s, and reports it as stale unless it is current', async (_title, providers, expected) => {
    await put(encrypted(inner(), secrets(old)), SECRET_KEY, 'v');
    const store = encrypted(inner(), secrets(...providers));
    expect(await read(store, SECRET_KEY)).toBe('v');
    expect(await isStale(store)).toBe(expected);
    await put(store, SECRET_KEY, 'v');
    expect(await isStale(store)).toBe(false);
  });

  it('reports a plaintext value as stale only when the first provider encrypts', async () => {
    await put(inner(), SECRET_KEY, 'v');
    expect(await isStale(encrypted(inner(), secrets(old, plain)))).toBe(true);
    expect(await isStale(encrypted(inner(), secrets(plain, old)))).toBe(false);
    expect(await isStale(encrypted(inner()))).toBe(false);
  });

  it('tries each provider that has a key of the name', async () => {
    await put(encrypted(inner(), secrets(old)), SECRET_KEY, 'v');
    expect(
      await read(encrypted(inner(), secrets(keyProvider('aesgcm', ['key1', 'b']), keyProvider('aescbc', ['key1', 'a']))), SECRET_KEY),
    ).toBe('v');
  });
});

it('encrypted store decrypts the current values of a transaction that did not commit', async () => {
  const store = encrypted(inner(), secrets(keyProvider('aesgcm', ['key1', 'a'])));
  await put(store, SECRET_KEY, 'v');
  const result = await store.transact({ compare: [{ key: SECRET_KEY, modRevision: 0 }], operations: [] });
  expect(result).toMatchObject({ committed: false, current: [{ value: Buffer.from('v') }] });
});

describe('watch of an encrypted store', () => {
  const flushMicrotasks = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  /** A line of the log is one call of the sink: `2=one 3=two -4 (4)` are two puts and a deletion through revision 4. */
  function startWatch(store: Store): { readonly log: string[]; close(): void } {
    const log: string[] = [];
    const watch = store.watch(prefixRange(PREFIX), 1, {
      events: (events: readonly StoreEvent[], through) => {
        const lines = events.map((event) => (event.type === 'put' ? `${event.revision}=${event.value.toString()}` : `-${event.revision}`));
        log.push(`${lines.join(' ')} (${through})`);
      },
      progress: (revision) => void log.push(`progress ${revision}`),
      compacted: () => undefined,
      connection: () => undefined,
    });
    return { log, close: () => watch.close() };
  }

  it('decrypts the values of events', async () => {
    const store = encrypted(inner(), secrets(keyProvider('aesgcm', ['key1', 'a'])));
    await put(store, SECRET_KEY, 'one');
    const { log, close } = startWatch(store);
    await put(store, SECRET_KEY, 'two');
    await store.transact({ compare: [], operations: [{ type: 'delete', key: SECRET_KEY }] });
    await flushMicrotasks();
    close();
    expect(log.join(' ')).toContain('2=one');
    expect(log.join(' ')).toContain('3=two');
    expect(log.join(' ')).toContain('-4');
  });

  it('delivers events in order while a key is being fetched', async () => {
    let respond: () => void = () => undefined;
    let isKnown = false;
    const fetched = new Promise<void>((resolve) => (respond = resolve)).then(() => void (isKnown = true));
    const envelope: Envelope = {
      encrypt: (value) => value,
      prepare: () => (isKnown ? undefined : fetched),
      decrypt: (value) => ({ value, isStale: false }),
    };
    const store = encrypted(inner(), secrets({ type: 'envelope', prefix: 'kms:v2:k:', envelope }));
    await put(store, '/registry/configmaps/a', 'before');
    await put(store, SECRET_KEY, 'held');
    await put(store, '/registry/configmaps/b', 'after');
    const { log, close } = startWatch(store);
    await flushMicrotasks();
    expect(log.join(' ')).toContain('2=before');
    expect(log.join(' ')).not.toContain('after');
    respond();
    await flushMicrotasks();
    close();
    const text = log.join(' ');
    expect(text.indexOf('3=held')).toBeLessThan(text.indexOf('4=after'));
    expect(text).toContain('3=held');
  });
});
