/** The encrypted store: stored and returned values, provider selection, rotation, and unreadable values. */
import * as salsa from '@noble/ciphers/salsa.js';
import { systemRandomBytes } from '../../../shared/runtime/random';
import { ManualClock } from '../../../test/support/manual-clock';
import { MemoryStore } from '../../../test/support/memory-store';
import { prefixRange, type KeyValue, type Store, type StoreEvent } from '../store';
import { unreadableReason } from '../unreadable';
import { aesCbc, aesGcm, secretbox, TransformFault, type Cipher } from './ciphers';
import { encryptedStore } from './encrypted-store';
import { EncryptionRules, type EncryptionRow, type Envelope, type ValueProvider } from './rules';

const clock = new ManualClock();
const secretOf = (letter: string, length = 32): Buffer => Buffer.alloc(length, letter);
const MAKE = {
  aescbc: (secret: Buffer): Cipher => aesCbc(secret, systemRandomBytes),
  aesgcm: (secret: Buffer): Cipher => aesGcm(secret, systemRandomBytes),
  secretbox: (secret: Buffer): Cipher => secretbox(salsa, secret, systemRandomBytes),
};
type Type = keyof typeof MAKE;
const UNKNOWN = 'no matching key was found';
const keyed = (type: Type, ...keys: readonly (readonly [name: string, letter: string])[]): ValueProvider => ({
  type: 'keys',
  head: `${type}:v1:`,
  unknownKey: UNKNOWN,
  keys: keys.map(([name, letter]) => ({ name, cipher: MAKE[type](secretOf(letter)) })),
});
const plain: ValueProvider = { type: 'plain' };
const secrets = (...providers: readonly ValueProvider[]): EncryptionRow => ({ resources: ['secrets'], providers });

const PREFIX = '/registry/';
const resourceOf = (key: string): string | undefined => /^\/registry\/([a-z.]+)\//.exec(key)?.[1];

let counted: string[] = [];

function over(store: Store, ...rows: readonly EncryptionRow[]): Store {
  const meter = {
    transformed: (direction: string, prefix: string, outcome: string) => void counted.push(`${direction} ${prefix} ${outcome}`),
  };
  const rules = new EncryptionRules(rows, { dialect: 'platform', clock, meter });
  return encryptedStore(store, { rules: () => rules, resourceOf, clock, yieldNow: () => Promise.resolve() });
}

const S = '/registry/secrets/default/s';
const put = (store: Store, key: string, value: string): Promise<unknown> =>
  store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] });
const read = async (store: Store, key: string): Promise<string | undefined> => (await store.get(key)).kv?.value.toString('latin1');
const reasonAt = async (store: Store, key: string): Promise<string | undefined> => {
  const { kv } = await store.get(key);
  return kv === undefined ? undefined : unreadableReason(kv.value);
};

let below: MemoryStore;
beforeEach(() => {
  below = new MemoryStore(clock);
  counted = [];
});
afterEach(() => below.close());

it('encrypted store applies the current rules, also when they change while a key is being fetched', async () => {
  const known = new Set<string>();
  const waiting: (() => void)[] = [];
  const answered = (): void => waiting.splice(0).forEach((answer) => answer());
  const envelope = (name: string): Envelope => ({
    seal: (value) => value,
    prepare() {
      if (known.has(name)) return undefined;
      return new Promise((resolve) => {
        waiting.push(() => {
          known.add(name);
          resolve();
        });
      });
    },
    open(sealed) {
      if (!known.has(name)) throw new TransformFault(`${name} has not been asked`);
      return { value: Buffer.from(`${sealed.toString()} by ${name}`), isOutdated: false };
    },
  });
  const rulesOf = (name: string): EncryptionRules =>
    new EncryptionRules([secrets({ type: 'envelope', head: 'kms:v2:k:', envelope: envelope(name) })], {
      dialect: 'platform',
      clock,
      meter: { transformed: () => undefined },
    });
  let rules = rulesOf('old');
  const store = encryptedStore(below, { rules: () => rules, resourceOf, clock, yieldNow: () => Promise.resolve() });
  await put(below, S, 'platform:enc:kms:v2:k:value');
  const reading = read(store, S);
  const seen: string[] = [];
  const watch = store.watch(prefixRange(PREFIX), 1, {
    events: (events) => events.forEach((event) => event.type === 'put' && seen.push(event.value.toString())),
    progress: () => undefined,
    compacted: () => undefined,
    connection: () => undefined,
  });
  await clock.advanceAsync(1);
  rules = rulesOf('new');
  for (let time = 0; time < 4; time++) {
    answered();
    await clock.advanceAsync(1);
  }
  expect(await reading).toBe('value by new');
  expect(seen).toEqual(['value by new']);
  watch.close();
});

describe.each(['aescbc', 'aesgcm', 'secretbox'] as const)('encryption with %s', (type) => {
  it('stores ciphertext and returns plaintext', async () => {
    const store = over(below, secrets(keyed(type, ['key1', 'a']), plain));
    await put(store, S, 'a plain value');
    const stored = (await read(below, S)) ?? '';
    expect(stored.startsWith(`platform:enc:${type}:v1:key1:`)).toBe(true);
    expect(stored).not.toContain('plain value');
    expect(await read(store, S)).toBe('a plain value');
    expect((await store.range(prefixRange(PREFIX))).kvs.map(({ value }) => value.toString())).toEqual(['a plain value']);
    expect(counted.slice(0, 2)).toEqual([`to_storage key1: OK`, `to_storage platform:enc:${type}:v1: OK`]);
  });

  it('encrypts the same value differently each time', async () => {
    const store = over(below, secrets(keyed(type, ['key1', 'a'])));
    await put(store, S, 'v');
    const first = await read(below, S);
    await put(store, S, 'v');
    expect(await read(below, S)).not.toBe(first);
  });

  it('round-trips values of any length', async () => {
    const store = over(below, secrets(keyed(type, ['key1', 'a'])));
    for (const length of [1, 15, 16, 17, 4096]) {
      await put(store, S, 'x'.repeat(length));
      expect(await read(store, S)).toBe('x'.repeat(length));
    }
  });

  it('reports why a value is unreadable, and reads other values', async () => {
    await put(over(below, secrets(keyed(type, ['key1', 'a']))), S, 'v');
    await put(below, '/registry/configmaps/default/c', 'c');
    const other = over(below, secrets(keyed(type, ['key1', 'b'])));
    const told = {
      aescbc: 'invalid padding on input',
      aesgcm: 'cipher: message authentication failed',
      secretbox: 'output array was not large enough for encryption',
    };
    // A wrong key finds a right padding by chance, once in 256 times.
    if (type !== 'aescbc') expect(await reasonAt(other, S)).toBe(told[type]);
    expect(await read(other, '/registry/configmaps/default/c')).toBe('c');
    expect(await reasonAt(over(below, secrets(keyed(type, ['key2', 'a']))), S)).toBe(UNKNOWN);
    expect(await reasonAt(over(below, secrets(plain)), S)).toBe('no matching prefix found');
    expect(await reasonAt(over(below), S)).toBe('identity transformer tried to read encrypted data');
  });

  it('rejects truncated values when the cipher is authenticated', async () => {
    const store = over(below, secrets(keyed(type, ['key1', 'a'])));
    await put(store, S, 'v'.repeat(40));
    const whole = (await below.get(S)).kv?.value ?? Buffer.alloc(0);
    const head = `platform:enc:${type}:v1:key1:`.length;
    for (let length = head; length < whole.length; length++) {
      await below.transact({ compare: [], operations: [{ type: 'put', key: S, value: whole.subarray(0, length) }] });
      // What is left of whole blocks without a proof may look like a value.
      if (type === 'aescbc') await store.get(S);
      else expect(await reasonAt(store, S)).toBeDefined();
    }
  });
});

it('encryption with aesgcm binds a value to its key in the store', async () => {
  const store = over(below, secrets(keyed('aesgcm', ['key1', 'a'])));
  await put(store, S, 'v');
  const { kv } = await below.get(S);
  await below.transact({ compare: [], operations: [{ type: 'put', key: `${S}2`, value: kv?.value ?? Buffer.alloc(0) }] });
  expect(await reasonAt(store, `${S}2`)).toBe('cipher: message authentication failed');
});

it('encrypted store reads values with the prefix of the other spelling and marks them as outdated', async () => {
  const value = Buffer.concat([Buffer.from('k8s:enc:aesgcm:v1:key1:'), MAKE.aesgcm(secretOf('a')).seal(Buffer.from('v'), S)]);
  await below.transact({ compare: [], operations: [{ type: 'put', key: S, value }] });
  const store = over(below, secrets(keyed('aesgcm', ['key1', 'a'])));
  expect(await read(store, S)).toBe('v');
  expect((await store.outdated?.(S))?.value.toString()).toBe('v');
});

describe('encryption rule', () => {
  const rows: readonly EncryptionRow[] = [
    { resources: ['secrets', 'roles.rbac'], providers: [keyed('aescbc', ['first', 'a'])] },
    { resources: ['secrets', '*.rbac'], providers: [keyed('aescbc', ['second', 'a'])] },
    { resources: ['*.'], providers: [keyed('aescbc', ['core', 'a'])] },
    { resources: ['*.*'], providers: [keyed('aescbc', ['all', 'a'])] },
  ];
  it.each([
    ['secrets', 'first'],
    ['roles.rbac', 'first'],
    ['bindings.rbac', 'second'],
    ['configmaps', 'core'],
    ['crontabs.stable.example.com', 'all'],
  ])('of %s is the first that matches: %s', async (resource, name) => {
    await put(over(below, ...rows), `/registry/${resource}/n`, 'v');
    expect(await read(below, `/registry/${resource}/n`)).toMatch(new RegExp(`^platform:enc:aescbc:v1:${name}:`));
  });

  it('does not apply to keys that are not objects', async () => {
    const store = over(below, ...rows);
    await put(store, '/registry/tick', '17');
    expect([await read(below, '/registry/tick'), await read(store, '/registry/tick')]).toEqual(['17', '17']);
  });
});

describe('key rotation', () => {
  const old = keyed('aescbc', ['key1', 'a']);
  const outdated = async (store: Store): Promise<boolean> => (await store.outdated?.(S)) !== undefined;

  it.each<[string, ValueProvider[], boolean]>([
    ['written with the current write key', [old], false],
    ['written with a key behind a new key of its provider', [keyed('aescbc', ['key2', 'b'], ['key1', 'a'])], true],
    ['written by a provider behind another one', [keyed('aesgcm', ['key1', 'b']), old], true],
    ['written by a provider behind identity', [plain, old], true],
  ])('reads a value %s, and reports it as outdated unless it is current', async (_title, providers, expected) => {
    await put(over(below, secrets(old)), S, 'v');
    const store = over(below, secrets(...providers));
    expect(await read(store, S)).toBe('v');
    expect(await outdated(store)).toBe(expected);
    await put(store, S, 'v');
    expect(await outdated(store)).toBe(false);
  });

  it('reports a plaintext value as outdated only when the first provider encrypts', async () => {
    await put(below, S, 'v');
    expect(await outdated(over(below, secrets(old, plain)))).toBe(true);
    expect(await outdated(over(below, secrets(plain, old)))).toBe(false);
    expect(await outdated(over(below))).toBe(false);
  });

  it('finds the right provider among keys of one name', async () => {
    await put(over(below, secrets(old)), S, 'v');
    expect(await read(over(below, secrets(keyed('aesgcm', ['key1', 'b']), keyed('aescbc', ['key1', 'a']))), S)).toBe('v');
  });
});

it('encrypted store decrypts the current values of a transaction that did not commit', async () => {
  const store = over(below, secrets(keyed('aesgcm', ['key1', 'a'])));
  await put(store, S, 'v');
  const result = await store.transact({ compare: [{ key: S, modRevision: 0 }], operations: [] });
  expect(result.committed ? [] : result.current.map((kv?: KeyValue) => kv?.value.toString())).toEqual(['v']);
});

describe('watch of an encrypted store', () => {
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  function watched(store: Store): { readonly seen: string[]; close(): void } {
    const seen: string[] = [];
    const watch = store.watch(prefixRange(PREFIX), 1, {
      events: (events: readonly StoreEvent[], through) => {
        const shown = events.map((event) => (event.type === 'put' ? `${event.revision}=${event.value.toString()}` : `-${event.revision}`));
        seen.push(`${shown.join(' ')} (${through})`);
      },
      progress: (revision) => void seen.push(`progress ${revision}`),
      compacted: () => undefined,
      connection: () => undefined,
    });
    return { seen, close: () => watch.close() };
  }

  it('decrypts the values of events', async () => {
    const store = over(below, secrets(keyed('aesgcm', ['key1', 'a'])));
    await put(store, S, 'one');
    const { seen, close } = watched(store);
    await put(store, S, 'two');
    await store.transact({ compare: [], operations: [{ type: 'delete', key: S }] });
    await settle();
    close();
    expect(seen.join(' ')).toContain('2=one');
    expect(seen.join(' ')).toContain('3=two');
    expect(seen.join(' ')).toContain('-4');
  });

  it('keeps the order of events while a key is being fetched', async () => {
    let answer: () => void = () => undefined;
    let isKnown = false;
    const asked = new Promise<void>((resolve) => (answer = resolve)).then(() => void (isKnown = true));
    const envelope: Envelope = {
      seal: (value) => value,
      prepare: () => (isKnown ? undefined : asked),
      open: (value) => ({ value, isOutdated: false }),
    };
    const store = over(below, secrets({ type: 'envelope', head: 'kms:v2:k:', envelope }));
    await put(store, '/registry/configmaps/a', 'before');
    await put(store, S, 'held');
    await put(store, '/registry/configmaps/b', 'after');
    const { seen, close } = watched(store);
    await settle();
    expect(seen.join(' ')).toContain('2=before');
    expect(seen.join(' ')).not.toContain('after');
    answer();
    await settle();
    close();
    const all = seen.join(' ');
    expect(all.indexOf('3=held')).toBeLessThan(all.indexOf('4=after'));
    expect(all).toContain('3=held');
  });
});
