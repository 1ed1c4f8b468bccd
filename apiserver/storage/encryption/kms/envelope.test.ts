/** KMS v2 envelope encryption; recordings compare values, errors and health with the reference server. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { ENCRYPTED_PREFIXES } from '../../../../shared/names/dialect';
import { systemRandomBytes, systemRandom } from '../../../../shared/runtime/random';
import { casesOf, recordingOf } from '../../../../test/replay/recording';
import { anything, either, nothing, number, shape, text, truth } from '../../../../test/replay/shape';
import { decoded, masked, messageBytes } from '../../../../test/support/kms-plugin';
import { ManualClock } from '../../../../test/support/manual-clock';
import { aesGcm, TransformFault } from '../ciphers';
import { EncryptionRules, type RowRules } from '../rules';
import { CONFIRMED_MS, POLL_MS } from './current-seed';
import { KmsEnvelope } from './envelope';
import { MOST_SEEDS, RETRY_MS } from './known-seeds';
import { encryptAnswer, statusAnswer } from './messages';
import { KmsFault, type KmsSealed, type KmsService, type KmsStatus } from './service';

const PLACE = '/registry/secrets/default/s';

/** A service whose answers tests choose. */
class FakeService implements KmsService {
  status_: KmsStatus | Error = { version: 'v2', healthz: 'ok', keyId: 'k1' };
  annotations: ReadonlyMap<string, Buffer> = new Map([['ver.kms.test', Buffer.from('1')]]);
  encrypts: ((usual: KmsSealed) => KmsSealed) | undefined;
  decrypts: ((sealed: KmsSealed) => Buffer) | undefined;
  readonly calls: string[] = [];
  isClosed = false;

  async status(): Promise<KmsStatus> {
    this.calls.push('status');
    if (this.status_ instanceof Error) throw this.status_;
    return this.status_;
  }

  async encrypt(plain: Buffer): Promise<KmsSealed> {
    this.calls.push('encrypt');
    const keyId = this.status_ instanceof Error ? '' : this.status_.keyId;
    const usual = { ciphertext: masked(plain), keyId, annotations: this.annotations };
    return this.encrypts?.(usual) ?? usual;
  }

  async decrypt(sealed: KmsSealed): Promise<Buffer> {
    this.calls.push('decrypt');
    return this.decrypts?.(sealed) ?? masked(sealed.ciphertext);
  }

  close(): void {
    this.isClosed = true;
  }

  count(call: string): number {
    return this.calls.filter((one) => one === call).length;
  }
}

interface Told {
  readonly service: FakeService;
  readonly clock: ManualClock;
  readonly envelope: KmsEnvelope;
  readonly doing: (string | undefined)[];
  readonly sizes: number[];
  readonly counts: Record<'missed' | 'recovered' | 'replaced', number>;
  readonly badKeys: string[];
}

async function started(change: (service: FakeService) => void = () => undefined): Promise<Told> {
  const service = new FakeService();
  change(service);
  const clock = new ManualClock();
  const doing: (string | undefined)[] = [];
  const sizes: number[] = [];
  const badKeys: string[] = [];
  const counts = { missed: 0, recovered: 0, replaced: 0 };
  const envelope = new KmsEnvelope({
    name: 'NAME',
    service,
    clock,
    random: systemRandomBytes,
    uuid: () => systemRandom.uuid(),
    meter: {
      used: () => undefined,
      named: () => undefined,
      badKeyId: (word) => void badKeys.push(word),
      missed: () => void (counts.missed += 1),
      known: (size) => void sizes.push(size),
      madeSeed: () => undefined,
    },
    doing: (fault) => void doing.push(fault),
    replaced: () => void (counts.replaced += 1),
    recovered: () => void (counts.recovered += 1),
  });
  await envelope.start();
  return { service, clock, envelope, doing, sizes, counts, badKeys };
}

async function open(
  envelope: KmsEnvelope,
  sealed: Buffer,
  place = PLACE,
): Promise<{ readonly value: string; readonly isOutdated: boolean }> {
  await envelope.prepare(sealed);
  const { value, isOutdated } = envelope.open(sealed, place);
  return { value: value.toString(), isOutdated };
}

/** A value as another server has written it, under a seed of its own. */
function foreign(seed: Buffer, members: Readonly<Record<string, unknown>> = {}, plain = 'other'): Buffer {
  const info = systemRandomBytes(32);
  const key = createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
  return messageBytes('EncryptedObject', {
    encryptedData: Buffer.concat([info, aesGcm(key, systemRandomBytes).seal(Buffer.from(plain), PLACE)]),
    keyID: 'k1',
    encryptedDEKSource: masked(seed),
    annotations: { 'ver.kms.test': Buffer.from('1') },
    encryptedDEKSourceType: 1,
    ...members,
  });
}

const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof TransformFault) return error.message;
    throw error;
  }
  return 'nothing';
};

describe('KMS-encrypted value', () => {
  it('contains its encrypted seed and is read again without a call of the service', async () => {
    const { service, envelope, counts } = await started();
    const one = envelope.seal(Buffer.from('hidden'), PLACE);
    const two = envelope.seal(Buffer.from('hidden'), PLACE);
    expect(one.toString('latin1')).not.toContain('hidden');
    expect(two.equals(one)).toBe(false);
    expect(decoded('EncryptedObject', one)).toMatchObject({ keyID: 'k1', encryptedDEKSourceType: 1 });
    expect(envelope.prepare(one)).toBeUndefined();
    expect(await open(envelope, one)).toEqual({ value: 'hidden', isOutdated: false });
    expect(await open(envelope, two)).toEqual({ value: 'hidden', isOutdated: false });
    expect(faultOf(() => envelope.open(one, '/registry/secrets/default/other'))).toBe('cipher: message authentication failed');
    expect(service.calls).toEqual(['status', 'encrypt']);
    expect(counts.missed).toBe(0);
  });

  it('of another server causes one decrypt call for all values of one seed', async () => {
    const { service, envelope } = await started();
    const seed = systemRandomBytes(32);
    const values = Array.from({ length: 50 }, (_, at) => foreign(seed, {}, `value ${at}`));
    const read = await Promise.all(values.map((value) => open(envelope, value)));
    expect(read.map(({ value }) => value)).toEqual(values.map((_, at) => `value ${at}`));
    expect(service.count('decrypt')).toBe(1);
  });
});

describe('KMS envelope reads or rejects as the reference server does', () => {
  const { head, cases } = recordingOf(
    'encryption/kms-values',
    shape({ provider: text, keyId: text }),
    shape({
      title: text,
      place: text,
      value: text,
      code: number,
      message: either(text, nothing),
      rewritten: either(truth, nothing),
      decrypts: number,
    }),
  );
  let told: Told;
  let row: RowRules;
  beforeAll(async () => {
    told = await started((service) => (service.status_ = { version: 'v2', healthz: 'ok', keyId: head.keyId }));
    const provider = { type: 'envelope', head: `kms:v2:${head.provider}:`, envelope: told.envelope } as const;
    const rules = new EncryptionRules([{ resources: ['secrets'], providers: [provider] }], {
      dialect: 'kubernetes',
      clock: told.clock,
      meter: { transformed: () => undefined },
    });
    const found = rules.of('secrets');
    if (found === undefined) throw new Error('no row');
    row = found;
  });

  it.each(cases)('$title', async ({ place, value, code, message, rewritten }) => {
    const bytes = Buffer.from(value, 'base64');
    expect(bytes.toString('latin1')).toMatch(new RegExp(`^${ENCRYPTED_PREFIXES.kubernetes}kms:`));
    await row.prepare(bytes);
    if (code === 200) {
      const { value: plain, isOutdated } = row.open(bytes, place);
      expect(plain.toString('latin1')).toContain('Secret');
      expect(isOutdated).toBe(rewritten);
    } else {
      expect(`Internal error occurred: ${faultOf(() => row.open(bytes, place))}`).toBe(message);
    }
  });
});

const ANSWER = either(
  either(nothing, shape({ code: number, details: text })),
  either(
    shape({ raw: text }),
    either(shape({ version: text, healthz: text, keyId: text }), shape({ keyId: text, ciphertext: anything, annotations: anything })),
  ),
);

describe('KMS provider health equals that of the reference server', () => {
  const isCase = shape({ title: text, status: ANSWER, encrypt: ANSWER, encrypts: truth, fault: either(text, nothing) });
  const NAMES: Readonly<Record<number, string>> = { 13: 'Internal', 14: 'Unavailable' };

  it.each(casesOf('encryption/kms-providers', isCase))('$title', async ({ status, encrypt, encrypts, fault }) => {
    const { service, envelope } = await started((fake) => {
      if (status !== null) {
        if ('code' in status) fake.status_ = new KmsFault(NAMES[status.code] ?? '', status.details);
        else if ('version' in status) fake.status_ = status;
        else if ('raw' in status) fake.status_ = thrown(() => statusAnswer(Buffer.from(status.raw, 'base64')));
      }
      fake.encrypts = (usual) => {
        if (encrypt === null) return usual;
        if ('code' in encrypt) throw new KmsFault(NAMES[encrypt.code] ?? '', encrypt.details);
        if ('raw' in encrypt) return encryptAnswer(Buffer.from(encrypt.raw, 'base64'));
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

  const thrown = (work: () => unknown): Error => {
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
  it('is replaced when the key ID changes, checked every minute, and then makes old values outdated', async () => {
    const { service, clock, envelope, counts } = await started();
    const old = envelope.seal(Buffer.from('v'), PLACE);
    await clock.advanceAsync(POLL_MS.well - 1);
    expect(service.count('status')).toBe(1);
    await clock.advanceAsync(1);
    expect(service.calls).toEqual(['status', 'encrypt', 'status']);
    service.status_ = { version: 'v2', healthz: 'ok', keyId: 'k2' };
    expect(await open(envelope, old)).toEqual({ value: 'v', isOutdated: false });
    await clock.advanceAsync(POLL_MS.well);
    expect(service.count('encrypt')).toBe(2);
    expect(counts.replaced).toBe(2);
    expect(await open(envelope, old)).toEqual({ value: 'v', isOutdated: true });
    expect(decoded('EncryptedObject', envelope.seal(Buffer.from('v'), PLACE))).toMatchObject({ keyID: 'k2' });
    expect(service.count('decrypt')).toBe(0);
    envelope.close();
    expect([clock.pending, service.isClosed]).toEqual([0, true]);
  });

  it('expires for writes three minutes after the last status of the service, and known values stay readable', async () => {
    const { service, clock, envelope, doing } = await started();
    const sealed = envelope.seal(Buffer.from('v'), PLACE);
    service.status_ = new KmsFault('Unavailable', 'away');
    await clock.advanceAsync(CONFIRMED_MS - 1);
    envelope.seal(Buffer.from('v'), PLACE);
    await clock.advanceAsync(1);
    expect(faultOf(() => envelope.seal(Buffer.from('v'), PLACE))).toMatch(
      /^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at 2026-01-01T00:03:00Z \(current time is 2026-01-01T00:03:00Z\)$/,
    );
    expect(await open(envelope, sealed)).toEqual({ value: 'v', isOutdated: false });
    // The first minute's poll, then every ten seconds.
    expect(service.count('status')).toBe(1 + 1 + (CONFIRMED_MS - POLL_MS.well) / POLL_MS.unwell);
    service.status_ = { version: 'v2', healthz: 'ok', keyId: 'k1' };
    await clock.advanceAsync(POLL_MS.unwell);
    envelope.seal(Buffer.from('v'), PLACE);
    expect(doing).toEqual(['rpc error: code = Unavailable desc = away', undefined]);
    expect(service.count('encrypt')).toBe(1);
  });

  it('stays in use until it expires while a new one cannot be created', async () => {
    const { service, clock, envelope } = await started();
    service.status_ = { version: 'v2', healthz: 'ok', keyId: 'k2' };
    service.encrypts = () => {
      throw new KmsFault('Internal', 'broken');
    };
    await clock.advanceAsync(POLL_MS.well);
    expect(decoded('EncryptedObject', envelope.seal(Buffer.from('v'), PLACE))).toMatchObject({ keyID: 'k1' });
    expect(await envelope.health()).toMatch(
      /errState=<nil>, errGen=failed to encrypt DEK, error: rpc error: code = Internal desc = broken/,
    );
    await clock.advanceAsync(CONFIRMED_MS - POLL_MS.well);
    expect(faultOf(() => envelope.seal(Buffer.from('v'), PLACE))).toContain('expired at');
  });

  it('rejects writes while it does not exist', async () => {
    const { envelope, badKeys } = await started((service) => (service.status_ = { version: 'v2', healthz: 'ok', keyId: '' }));
    expect(faultOf(() => envelope.seal(Buffer.from('v'), PLACE))).toBe('got unexpected nil transformer');
    expect(badKeys).toEqual(['empty']);
  });
});

describe('KMS health', () => {
  it('is checked again only after 20 seconds, once for concurrent requests', async () => {
    const { service, clock, envelope } = await started();
    await Promise.all([envelope.health(), envelope.health()]);
    await clock.advanceAsync(19_000);
    await envelope.health();
    expect(service.count('status')).toBe(1);
    await clock.advanceAsync(1_000);
    service.status_ = new KmsFault('PermissionDenied', 'go away');
    const fresh = await Promise.all([envelope.health(), envelope.health()]);
    expect(service.count('status')).toBe(2);
    expect(new Set(fresh)).toEqual(
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
  it('is decrypted again after the retry interval and reported with the cached error until then', async () => {
    const { service, clock, envelope } = await started();
    const value = foreign(systemRandomBytes(32));
    service.decrypts = () => {
      throw new KmsFault('PermissionDenied', 'not yours');
    };
    for (let time = 0; time < 3; time++) {
      await envelope.prepare(value);
      expect(faultOf(() => envelope.open(value, PLACE))).toBe(
        'failed to decrypt DEK, error: rpc error: code = PermissionDenied desc = not yours',
      );
    }
    expect(service.count('decrypt')).toBe(1);
    service.decrypts = undefined;
    await clock.advanceAsync(RETRY_MS);
    expect(await open(envelope, value)).toEqual({ value: 'other', isOutdated: false });
  });

  it('causes one call while the service does not respond, however many seeds there are', async () => {
    const { service, envelope } = await started();
    service.decrypts = () => {
      throw new KmsFault('DeadlineExceeded', 'context deadline exceeded');
    };
    for (let at = 0; at < 20; at++) {
      const value = foreign(systemRandomBytes(32));
      await envelope.prepare(value);
      expect(faultOf(() => envelope.open(value, PLACE))).toContain('DeadlineExceeded');
    }
    expect(service.count('decrypt')).toBe(1);
  });

  it('is reported as recovered when the service is available again, which is then checked more often', async () => {
    const { service, clock, envelope, counts } = await started();
    service.decrypts = () => {
      throw new KmsFault('Unavailable', 'away');
    };
    const value = foreign(systemRandomBytes(32));
    await envelope.prepare(value);
    service.status_ = new KmsFault('Unavailable', 'away');
    await clock.advanceAsync(POLL_MS.unwell);
    expect([service.count('status'), counts.recovered]).toEqual([2, 0]);
    service.status_ = { version: 'v2', healthz: 'ok', keyId: 'k1' };
    service.decrypts = undefined;
    await clock.advanceAsync(POLL_MS.unwell);
    expect(counts.recovered).toBe(1);
    expect(await open(envelope, value)).toEqual({ value: 'other', isOutdated: false });
    await clock.advanceAsync(POLL_MS.well);
    expect(counts.recovered).toBe(1);
  });
});

it('KMS envelope retries a seed that the service keeps rejecting with back-off', async () => {
  const { service, clock, envelope, counts } = await started();
  service.decrypts = () => {
    throw new KmsFault('PermissionDenied', 'destroyed');
  };
  const value = foreign(systemRandomBytes(32));
  for (let minute = 0; minute < 60; minute++) {
    await envelope.prepare(value);
    await clock.advanceAsync(POLL_MS.well);
  }
  expect(counts.recovered).toBeGreaterThan(6);
  expect(counts.recovered).toBeLessThan(14);
});

it('KMS envelope rejects any malformed or changed bytes with a TransformFault', async () => {
  const { envelope } = await started();
  const sealed = envelope.seal(Buffer.from('value'), PLACE);
  const tried = (bytes: Buffer): void => {
    void envelope.prepare(bytes);
    expect(() => envelope.open(bytes, PLACE)).toThrow(TransformFault);
  };
  for (let end = 0; end < sealed.length - 2; end++) tried(sealed.subarray(0, end));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => tried(Buffer.from(bytes))));
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ change;
      void envelope.prepare(changed);
      const fault = faultOf(() => expect(envelope.open(changed, PLACE).value.toString()).toBe('value'));
      expect(fault).not.toBe('');
    }),
  );
  for (const read of [encryptAnswer, statusAnswer])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(faultOf(() => read(Buffer.from(bytes)))).not.toBe('');
      }),
    );
});

it('KMS envelope caches a limited number of seeds and decrypts evicted ones again', async () => {
  const { service, envelope, sizes } = await started();
  const values = Array.from({ length: MOST_SEEDS + 1 }, () => foreign(systemRandomBytes(32)));
  for (const value of values) expect(await open(envelope, value)).toMatchObject({ value: 'other' });
  expect(Math.max(...sizes)).toBe(MOST_SEEDS);
  const [first] = values;
  const calls = service.count('decrypt');
  if (first !== undefined) expect(await open(envelope, first)).toMatchObject({ value: 'other' });
  expect(service.count('decrypt')).toBe(calls + 1);
  // The one in use may have been forgotten like any other: values that were written with it are read all the same.
  expect(await open(envelope, envelope.seal(Buffer.from('v'), PLACE))).toEqual({ value: 'v', isOutdated: false });
});
