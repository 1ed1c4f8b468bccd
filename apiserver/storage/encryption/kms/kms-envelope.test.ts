/** KMS v2 envelope encryption. Recordings compare values, errors and health with the reference server. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { ENCRYPTED_PREFIXES } from '../../../../shared/names/dialect';
import { systemRandomBytes, systemRandom } from '../../../../shared/runtime/random';
import { readCases, readRecording } from '../../../../test/replay/recording';
import { anything, either, nullValue, number, shape, text, boolean } from '../../../../test/replay/shape';
import { decodeMessage, maskSecret, encodeMessage } from '../../../../test/support/servers/kms-plugin';
import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { createAesGcmCipher, TransformError } from '../ciphers';
import { EncryptionRules, type ValueTransformer } from '../encryption-rules';
import { SEED_VALIDITY_MS, POLL_INTERVAL_MS } from './dek-seed-rotator';
import { KmsEnvelope } from './kms-envelope';
import { MAX_CACHED_DEKS, RETRY_MS } from './dek-cache';
import { decodeEncryptResponse, decodeStatusResponse } from './messages';
import { KmsError, type EncryptedDekSource, type KmsService, type KmsStatus } from './kms-service';

const STORAGE_KEY = '/registry/secrets/default/s';

/** A KMS plug-in with responses set by the tests. */
class FakeService implements KmsService {
  nextStatus: KmsStatus | Error = { version: 'v2', healthz: 'ok', keyId: 'k1' };
  annotations: ReadonlyMap<string, Buffer> = new Map([['ver.kms.test', Buffer.from('1')]]);
  encryptHook: ((usual: EncryptedDekSource) => EncryptedDekSource) | undefined;
  decryptHook: ((source: EncryptedDekSource) => Buffer) | undefined;
  readonly calls: string[] = [];
  isClosed = false;

  async status(): Promise<KmsStatus> {
    this.calls.push('status');
    if (this.nextStatus instanceof Error) throw this.nextStatus;
    return this.nextStatus;
  }

  async encrypt(plain: Buffer): Promise<EncryptedDekSource> {
    this.calls.push('encrypt');
    const keyId = this.nextStatus instanceof Error ? '' : this.nextStatus.keyId;
    const usual = { ciphertext: maskSecret(plain), keyId, annotations: this.annotations };
    return this.encryptHook?.(usual) ?? usual;
  }

  async decrypt(source: EncryptedDekSource): Promise<Buffer> {
    this.calls.push('decrypt');
    return this.decryptHook?.(source) ?? maskSecret(source.ciphertext);
  }

  close(): void {
    this.isClosed = true;
  }

  count(call: string): number {
    return this.calls.filter((name) => name === call).length;
  }
}

interface Fixture {
  readonly service: FakeService;
  readonly clock: ManualClock;
  readonly envelope: KmsEnvelope;
  readonly healthChanges: (string | undefined)[];
  readonly sizes: number[];
  readonly counts: Record<'missed' | 'recovered' | 'replaced', number>;
  readonly badKeys: string[];
}

async function startEnvelope(configure: (service: FakeService) => void = () => undefined): Promise<Fixture> {
  const service = new FakeService();
  configure(service);
  const clock = new ManualClock();
  const healthChanges: (string | undefined)[] = [];
  const sizes: number[] = [];
  const badKeys: string[] = [];
  const counts = { missed: 0, recovered: 0, replaced: 0 };
  const envelope = new KmsEnvelope({
    name: 'NAME',
    service,
    clock,
    random: systemRandomBytes,
    uuid: () => systemRandom.uuid(),
    metrics: {
      recordKeyUse: () => undefined,
      recordStatusKeyId: () => undefined,
      recordInvalidKeyId: (word) => void badKeys.push(word),
      recordCacheMiss: () => void (counts.missed += 1),
      setCacheSize: (size) => void sizes.push(size),
      observeSeedGeneration: () => undefined,
    },
    onHealthChange: (fault) => void healthChanges.push(fault),
    onSeedRotated: () => void (counts.replaced += 1),
    onRecovered: () => void (counts.recovered += 1),
  });
  await envelope.start();
  return { service, clock, envelope, healthChanges, sizes, counts, badKeys };
}

async function open(
  envelope: KmsEnvelope,
  ciphertext: Buffer,
  storageKey = STORAGE_KEY,
): Promise<{ readonly value: string; readonly isStale: boolean }> {
  await envelope.prepare(ciphertext);
  const { value, isStale } = envelope.decrypt(ciphertext, storageKey);
  return { value: value.toString(), isStale };
}

/** A value as another server would have written it, with its own seed. */
function encryptedByOtherServer(seed: Buffer, members: Readonly<Record<string, unknown>> = {}, plain = 'other'): Buffer {
  const info = systemRandomBytes(32);
  const key = createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
  return encodeMessage('EncryptedObject', {
    encryptedData: Buffer.concat([info, createAesGcmCipher(key, systemRandomBytes).encrypt(Buffer.from(plain), STORAGE_KEY)]),
    keyID: 'k1',
    encryptedDEKSource: maskSecret(seed),
    annotations: { 'ver.kms.test': Buffer.from('1') },
    encryptedDEKSourceType: 1,
    ...members,
  });
}

const errorOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof TransformError) return error.message;
    throw error;
  }
  return 'nothing';
};

describe('KMS-encrypted value', () => {
  it('contains its encrypted DEK seed and is decrypted without calling the plug-in', async () => {
    const { service, envelope, counts } = await startEnvelope();
    const first = envelope.encrypt(Buffer.from('hidden'), STORAGE_KEY);
    const second = envelope.encrypt(Buffer.from('hidden'), STORAGE_KEY);
    expect(first.toString('latin1')).not.toContain('hidden');
    expect(second.equals(first)).toBe(false);
    expect(decodeMessage('EncryptedObject', first)).toMatchObject({ keyID: 'k1', encryptedDEKSourceType: 1 });
    expect(envelope.prepare(first)).toBeUndefined();
    expect(await open(envelope, first)).toEqual({ value: 'hidden', isStale: false });
    expect(await open(envelope, second)).toEqual({ value: 'hidden', isStale: false });
    expect(errorOf(() => envelope.decrypt(first, '/registry/secrets/default/other'))).toBe('cipher: message authentication failed');
    expect(service.calls).toEqual(['status', 'encrypt']);
    expect(counts.missed).toBe(0);
  });

  it('of another server causes one decrypt call for all values of one seed', async () => {
    const { service, envelope } = await startEnvelope();
    const seed = systemRandomBytes(32);
    const values = Array.from({ length: 50 }, (_, at) => encryptedByOtherServer(seed, {}, `value ${at}`));
    const read = await Promise.all(values.map((value) => open(envelope, value)));
    expect(read.map(({ value }) => value)).toEqual(values.map((_, at) => `value ${at}`));
    expect(service.count('decrypt')).toBe(1);
  });
});

describe('KMS envelope reads or rejects as the reference server does', () => {
  const { head, cases } = readRecording(
    'encryption/kms-values',
    shape({ provider: text, keyId: text }),
    shape({
      title: text,
      place: text,
      value: text,
      code: number,
      message: either(text, nullValue),
      rewritten: either(boolean, nullValue),
      decrypts: number,
    }),
  );
  let fixture: Fixture;
  let transformer: ValueTransformer;
  beforeAll(async () => {
    fixture = await startEnvelope((service) => (service.nextStatus = { version: 'v2', healthz: 'ok', keyId: head.keyId }));
    const provider = { type: 'envelope', prefix: `kms:v2:${head.provider}:`, envelope: fixture.envelope } as const;
    const rules = new EncryptionRules([{ resources: ['secrets'], providers: [provider] }], {
      dialect: 'kubernetes',
      clock: fixture.clock,
      metrics: { observeTransform: () => undefined },
    });
    const match = rules.forResource('secrets');
    if (match === undefined) throw new Error('no row');
    transformer = match;
  });

  it.each(cases)('$title', async ({ place: storageKey, value, code, message, rewritten }) => {
    const bytes = Buffer.from(value, 'base64');
    expect(bytes.toString('latin1')).toMatch(new RegExp(`^${ENCRYPTED_PREFIXES.kubernetes}kms:`));
    await transformer.prepare(bytes);
    if (code === 200) {
      const { value: plain, isStale } = transformer.decrypt(bytes, storageKey);
      expect(plain.toString('latin1')).toContain('Secret');
      expect(isStale).toBe(rewritten);
    } else {
      expect(`Internal error occurred: ${errorOf(() => transformer.decrypt(bytes, storageKey))}`).toBe(message);
    }
  });
});

const RESPONSE = either(
  either(nullValue, shape({ code: number, details: text })),
  either(
    shape({ raw: text }),
    either(shape({ version: text, healthz: text, keyId: text }), shape({ keyId: text, ciphertext: anything, annotations: anything })),
  ),
);

describe('KMS provider health equals that of the reference server', () => {
  const isCase = shape({ title: text, status: RESPONSE, encrypt: RESPONSE, encrypts: boolean, fault: either(text, nullValue) });
  const NAMES: Readonly<Record<number, string>> = { 13: 'Internal', 14: 'Unavailable' };

  it.each(readCases('encryption/kms-providers', isCase))('$title', async ({ status, encrypt, encrypts, fault }) => {
    const { service, envelope } = await startEnvelope((fake) => {
      if (status !== null) {
        if ('code' in status) fake.nextStatus = new KmsError(NAMES[status.code] ?? '', status.details);
        else if ('version' in status) fake.nextStatus = status;
        else if ('raw' in status) fake.nextStatus = errorThrownBy(() => decodeStatusResponse(Buffer.from(status.raw, 'base64')));
      }
      fake.encryptHook = (usual) => {
        if (encrypt === null) return usual;
        if ('code' in encrypt) throw new KmsError(NAMES[encrypt.code] ?? '', encrypt.details);
        if ('raw' in encrypt) return decodeEncryptResponse(Buffer.from(encrypt.raw, 'base64'));
        if (!('ciphertext' in encrypt)) return usual;
        return {
          keyId: encrypt.keyId,
          ciphertext: bytesOf(encrypt.ciphertext, usual.ciphertext),
          annotations: annotationsOf(encrypt.annotations),
        };
      };
    });
    expect(service.count('encrypt')).toBe(encrypts ? 1 : 0);
    const health = await envelope.health();
    expect(health?.replace(/uid="[^"]*"/, 'uid="UID"').replace('Provider NAME is', 'Provider PROVIDER is')).toBe(fault ?? undefined);
    envelope.close();
  });

  const errorThrownBy = (work: () => unknown): Error => {
    try {
      work();
    } catch (error) {
      if (error instanceof Error) return error;
    }
    throw new Error('nothing was thrown');
  };
  const isLength = shape({ length: number });
  const bytesOf = (recorded: unknown, usual: Buffer): Buffer => (isLength(recorded) ? Buffer.alloc(recorded.length, 1) : usual);
  const annotationsOf = (recorded: unknown): Map<string, Buffer> =>
    new Map(
      Object.entries(recorded ?? {}).map(([key, value]: readonly [string, unknown]) => [
        key,
        isLength(value) ? Buffer.alloc(value.length) : Buffer.from(String(value)),
      ]),
    );
});

describe('KMS seed', () => {
  it('is rotated when the key ID changes, which is checked every minute, and then makes old values stale', async () => {
    const { service, clock, envelope, counts } = await startEnvelope();
    const old = envelope.encrypt(Buffer.from('v'), STORAGE_KEY);
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy - 1);
    expect(service.count('status')).toBe(1);
    await clock.advanceAsync(1);
    expect(service.calls).toEqual(['status', 'encrypt', 'status']);
    service.nextStatus = { version: 'v2', healthz: 'ok', keyId: 'k2' };
    expect(await open(envelope, old)).toEqual({ value: 'v', isStale: false });
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy);
    expect(service.count('encrypt')).toBe(2);
    expect(counts.replaced).toBe(2);
    expect(await open(envelope, old)).toEqual({ value: 'v', isStale: true });
    expect(decodeMessage('EncryptedObject', envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toMatchObject({ keyID: 'k2' });
    expect(service.count('decrypt')).toBe(0);
    envelope.close();
    expect([clock.pending, service.isClosed]).toEqual([0, true]);
  });

  it('expires for writes three minutes after the last status response, while known values stay readable', async () => {
    const { service, clock, envelope, healthChanges } = await startEnvelope();
    const ciphertext = envelope.encrypt(Buffer.from('v'), STORAGE_KEY);
    service.nextStatus = new KmsError('Unavailable', 'away');
    await clock.advanceAsync(SEED_VALIDITY_MS - 1);
    envelope.encrypt(Buffer.from('v'), STORAGE_KEY);
    await clock.advanceAsync(1);
    expect(errorOf(() => envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toMatch(
      /^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at 2026-01-01T00:03:00Z \(current time is 2026-01-01T00:03:00Z\)$/,
    );
    expect(await open(envelope, ciphertext)).toEqual({ value: 'v', isStale: false });
    // One poll after a minute, then one every ten seconds.
    expect(service.count('status')).toBe(1 + 1 + (SEED_VALIDITY_MS - POLL_INTERVAL_MS.healthy) / POLL_INTERVAL_MS.unhealthy);
    service.nextStatus = { version: 'v2', healthz: 'ok', keyId: 'k1' };
    await clock.advanceAsync(POLL_INTERVAL_MS.unhealthy);
    envelope.encrypt(Buffer.from('v'), STORAGE_KEY);
    expect(healthChanges).toEqual(['rpc error: code = Unavailable desc = away', undefined]);
    expect(service.count('encrypt')).toBe(1);
  });

  it('stays in use until it expires while rotation fails', async () => {
    const { service, clock, envelope } = await startEnvelope();
    service.nextStatus = { version: 'v2', healthz: 'ok', keyId: 'k2' };
    service.encryptHook = () => {
      throw new KmsError('Internal', 'broken');
    };
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy);
    expect(decodeMessage('EncryptedObject', envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toMatchObject({ keyID: 'k1' });
    expect(await envelope.health()).toMatch(
      /errState=<nil>, errGen=failed to encrypt DEK, error: rpc error: code = Internal desc = broken/,
    );
    await clock.advanceAsync(SEED_VALIDITY_MS - POLL_INTERVAL_MS.healthy);
    expect(errorOf(() => envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toContain('expired at');
  });

  it('rejects writes while there is none', async () => {
    const { envelope, badKeys } = await startEnvelope((service) => (service.nextStatus = { version: 'v2', healthz: 'ok', keyId: '' }));
    expect(errorOf(() => envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toBe('got unexpected nil transformer');
    expect(badKeys).toEqual(['empty']);
  });
});

describe('KMS health', () => {
  it('is checked again only after 20 seconds, and once for concurrent requests', async () => {
    const { service, clock, envelope } = await startEnvelope();
    await Promise.all([envelope.health(), envelope.health()]);
    await clock.advanceAsync(19_000);
    await envelope.health();
    expect(service.count('status')).toBe(1);
    await clock.advanceAsync(1_000);
    service.nextStatus = new KmsError('PermissionDenied', 'go away');
    const repeated = await Promise.all([envelope.health(), envelope.health()]);
    expect(service.count('status')).toBe(2);
    expect(new Set(repeated)).toEqual(
      new Set([
        'failed to perform status section of the healthz check for KMS Provider NAME, error: rpc error: code = PermissionDenied desc = go away',
      ]),
    );
    expect(await envelope.health()).toBe('rpc error: code = PermissionDenied desc = go away');
    await clock.advanceAsync(3_000);
    await envelope.health();
    expect(service.count('status')).toBe(3);
  });
});

describe('undecryptable KMS seed', () => {
  it('is decrypted again after the retry interval; until then the cached error is reported', async () => {
    const { service, clock, envelope } = await startEnvelope();
    const value = encryptedByOtherServer(systemRandomBytes(32));
    service.decryptHook = () => {
      throw new KmsError('PermissionDenied', 'not yours');
    };
    for (let time = 0; time < 3; time++) {
      await envelope.prepare(value);
      expect(errorOf(() => envelope.decrypt(value, STORAGE_KEY))).toBe(
        'failed to decrypt DEK, error: rpc error: code = PermissionDenied desc = not yours',
      );
    }
    expect(service.count('decrypt')).toBe(1);
    service.decryptHook = undefined;
    await clock.advanceAsync(RETRY_MS);
    expect(await open(envelope, value)).toEqual({ value: 'other', isStale: false });
  });

  it('causes one call while the plug-in does not respond, however many seeds there are', async () => {
    const { service, envelope } = await startEnvelope();
    service.decryptHook = () => {
      throw new KmsError('DeadlineExceeded', 'context deadline exceeded');
    };
    for (let at = 0; at < 20; at++) {
      const value = encryptedByOtherServer(systemRandomBytes(32));
      await envelope.prepare(value);
      expect(errorOf(() => envelope.decrypt(value, STORAGE_KEY))).toContain('DeadlineExceeded');
    }
    expect(service.count('decrypt')).toBe(1);
  });

  it('is reported as recovered when the plug-in is available again, after more frequent polls', async () => {
    const { service, clock, envelope, counts } = await startEnvelope();
    service.decryptHook = () => {
      throw new KmsError('Unavailable', 'away');
    };
    const value = encryptedByOtherServer(systemRandomBytes(32));
    await envelope.prepare(value);
    service.nextStatus = new KmsError('Unavailable', 'away');
    await clock.advanceAsync(POLL_INTERVAL_MS.unhealthy);
    expect([service.count('status'), counts.recovered]).toEqual([2, 0]);
    service.nextStatus = { version: 'v2', healthz: 'ok', keyId: 'k1' };
    service.decryptHook = undefined;
    await clock.advanceAsync(POLL_INTERVAL_MS.unhealthy);
    expect(counts.recovered).toBe(1);
    expect(await open(envelope, value)).toEqual({ value: 'other', isStale: false });
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy);
    expect(counts.recovered).toBe(1);
  });
});

it('KMS envelope retries with back-off a seed that the plug-in rejects', async () => {
  const { service, clock, envelope, counts } = await startEnvelope();
  service.decryptHook = () => {
    throw new KmsError('PermissionDenied', 'destroyed');
  };
  const value = encryptedByOtherServer(systemRandomBytes(32));
  for (let minute = 0; minute < 60; minute++) {
    await envelope.prepare(value);
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy);
  }
  expect(counts.recovered).toBeGreaterThan(6);
  expect(counts.recovered).toBeLessThan(14);
});

it('KMS envelope rejects malformed or changed bytes with a TransformError', async () => {
  const { envelope } = await startEnvelope();
  const ciphertext = envelope.encrypt(Buffer.from('value'), STORAGE_KEY);
  const expectRejected = (bytes: Buffer): void => {
    void envelope.prepare(bytes);
    expect(() => envelope.decrypt(bytes, STORAGE_KEY)).toThrow(TransformError);
  };
  for (let end = 0; end < ciphertext.length - 2; end++) expectRejected(ciphertext.subarray(0, end));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => expectRejected(Buffer.from(bytes))));
  fc.assert(
    fc.property(fc.nat(ciphertext.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(ciphertext);
      changed[at] = (changed[at] ?? 0) ^ change;
      void envelope.prepare(changed);
      const fault = errorOf(() => expect(envelope.decrypt(changed, STORAGE_KEY).value.toString()).toBe('value'));
      expect(fault).not.toBe('');
    }),
  );
  for (const read of [decodeEncryptResponse, decodeStatusResponse])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(errorOf(() => read(Buffer.from(bytes)))).not.toBe('');
      }),
    );
});

it('KMS envelope caches a limited number of DEKs and decrypts evicted ones again', async () => {
  const { service, envelope, sizes } = await startEnvelope();
  const values = Array.from({ length: MAX_CACHED_DEKS + 1 }, () => encryptedByOtherServer(systemRandomBytes(32)));
  for (const value of values) expect(await open(envelope, value)).toMatchObject({ value: 'other' });
  expect(Math.max(...sizes)).toBe(MAX_CACHED_DEKS);
  const [first] = values;
  const calls = service.count('decrypt');
  if (first !== undefined) expect(await open(envelope, first)).toMatchObject({ value: 'other' });
  expect(service.count('decrypt')).toBe(calls + 1);
  // The DEK of the current seed may have been evicted as well; values written with it stay readable.
  expect(await open(envelope, envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toEqual({ value: 'v', isStale: false });
});
