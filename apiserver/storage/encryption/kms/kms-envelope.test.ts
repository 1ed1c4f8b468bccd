/** Values under KMS v2 envelope encryption, with a plug-in that works, is unavailable or refuses to decrypt. */
import fc from 'fast-check';
import { systemRandomBytes } from '../../../../shared/runtime/random';
import { decodeMessage } from '../../../../test/support/servers/kms-plugin';
import {
  decryptValue,
  encryptedByOtherServer,
  errorOf,
  startEnvelope,
  STORAGE_KEY,
} from '../../../../test/support/store/kms-envelope-fixture';
import { TransformError } from '../ciphers';
import { MAX_CACHED_DEKS, RETRY_MS } from './dek-cache';
import { POLL_INTERVAL_MS } from './dek-seed-rotator';
import { KmsError } from './kms-service';
import { decodeEncryptResponse, decodeStatusResponse } from './messages';

describe('KMS-encrypted value', () => {
  it('contains its encrypted DEK seed and is decrypted without calling the plug-in', async () => {
    const { service, envelope, counts } = await startEnvelope();
    const first = envelope.encrypt(Buffer.from('hidden'), STORAGE_KEY);
    const second = envelope.encrypt(Buffer.from('hidden'), STORAGE_KEY);
    expect(first.toString('latin1')).not.toContain('hidden');
    expect(second.equals(first)).toBe(false);
    expect(decodeMessage('EncryptedObject', first)).toMatchObject({ keyID: 'k1', encryptedDEKSourceType: 1 });
    expect(envelope.prepare(first)).toBeUndefined();
    expect(await decryptValue(envelope, first)).toEqual({ value: 'hidden', isStale: false });
    expect(await decryptValue(envelope, second)).toEqual({ value: 'hidden', isStale: false });
    expect(errorOf(() => envelope.decrypt(first, '/registry/secrets/default/other'))).toBe('cipher: message authentication failed');
    expect(service.calls).toEqual(['status', 'encrypt']);
    expect(counts.missed).toBe(0);
  });

  it('of another server causes one decrypt call for all values of one seed', async () => {
    const { service, envelope } = await startEnvelope();
    const seed = systemRandomBytes(32);
    const values = Array.from({ length: 50 }, (_, index) => encryptedByOtherServer(seed, {}, `value ${index}`));
    const read = await Promise.all(values.map((value) => decryptValue(envelope, value)));
    expect(read.map(({ value }) => value)).toEqual(values.map((_, index) => `value ${index}`));
    expect(service.count('decrypt')).toBe(1);
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
    expect(await decryptValue(envelope, value)).toEqual({ value: 'other', isStale: false });
  });

  it('causes one call while the plug-in does not respond, however many seeds there are', async () => {
    const { service, envelope } = await startEnvelope();
    service.decryptHook = () => {
      throw new KmsError('DeadlineExceeded', 'context deadline exceeded');
    };
    for (let seeds = 0; seeds < 20; seeds++) {
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
    expect(service.count('status')).toBe(2);
    expect(counts.recovered).toBe(0);
    service.nextStatus = { version: 'v2', healthz: 'ok', keyId: 'k1' };
    service.decryptHook = undefined;
    await clock.advanceAsync(POLL_INTERVAL_MS.unhealthy);
    expect(counts.recovered).toBe(1);
    expect(await decryptValue(envelope, value)).toEqual({ value: 'other', isStale: false });
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
  // The back-off reaches its limit of ten minutes; without it there would be a retry every minute.
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
  // A change of bytes that are not authenticated, such as annotations, may leave the value readable, but never changes it.
  fc.assert(
    fc.property(fc.nat(ciphertext.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
      const changed = Buffer.from(ciphertext);
      changed[index] = (changed[index] ?? 0) ^ change;
      void envelope.prepare(changed);
      // `errorOf` rethrows any error that is not a TransformError, so also a failed expectation.
      errorOf(() => expect(envelope.decrypt(changed, STORAGE_KEY).value.toString()).toBe('value'));
    }),
  );
});

it.each([
  ['Encrypt', decodeEncryptResponse],
  ['Status', decodeStatusResponse],
])('decoder of KMS responses to %s throws only TransformErrors for any bytes', (_method, decode) => {
  // `errorOf` rethrows any other error.
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void errorOf(() => decode(Buffer.from(bytes)))));
});

it('KMS envelope caches a limited number of DEKs and decrypts evicted ones again', async () => {
  const { service, envelope, sizes } = await startEnvelope();
  const values = Array.from({ length: MAX_CACHED_DEKS + 1 }, () => encryptedByOtherServer(systemRandomBytes(32)));
  for (const value of values) expect(await decryptValue(envelope, value)).toMatchObject({ value: 'other' });
  expect(Math.max(...sizes)).toBe(MAX_CACHED_DEKS);
  const [first] = values;
  const calls = service.count('decrypt');
  if (first !== undefined) expect(await decryptValue(envelope, first)).toMatchObject({ value: 'other' });
  expect(service.count('decrypt')).toBe(calls + 1);
  // The DEK of the current seed may have been evicted as well; values written with it stay readable.
  expect(await decryptValue(envelope, envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toEqual({ value: 'v', isStale: false });
});
