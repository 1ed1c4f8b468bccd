/** How long a seed is used for writes, and how often the plug-in is asked for its key ID and health. */
import { decodeMessage } from '../../../../test/support/servers/kms-plugin';
import { decryptValue, errorOf, startEnvelope, STORAGE_KEY } from '../../../../test/support/store/kms-envelope-fixture';
import { POLL_INTERVAL_MS, SEED_VALIDITY_MS } from './dek-seed-rotator';
import { KmsError } from './kms-service';

describe('KMS seed', () => {
  it('is rotated when the key ID changes, which is checked every minute, and then makes old values stale', async () => {
    const { service, clock, envelope, counts } = await startEnvelope();
    const old = envelope.encrypt(Buffer.from('v'), STORAGE_KEY);
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy - 1);
    expect(service.count('status')).toBe(1);
    await clock.advanceAsync(1);
    expect(service.calls).toEqual(['status', 'encrypt', 'status']);
    service.nextStatus = { version: 'v2', healthz: 'ok', keyId: 'k2' };
    expect(await decryptValue(envelope, old)).toEqual({ value: 'v', isStale: false });
    await clock.advanceAsync(POLL_INTERVAL_MS.healthy);
    expect(service.count('encrypt')).toBe(2);
    expect(counts.replaced).toBe(2);
    expect(await decryptValue(envelope, old)).toEqual({ value: 'v', isStale: true });
    expect(decodeMessage('EncryptedObject', envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toMatchObject({ keyID: 'k2' });
    expect(service.count('decrypt')).toBe(0);
    envelope.close();
    expect(clock.pending).toBe(0);
    expect(service.isClosed).toBe(true);
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
    expect(await decryptValue(envelope, ciphertext)).toEqual({ value: 'v', isStale: false });
    // One poll at the start, one after a minute, then one every ten seconds for two minutes.
    expect(service.count('status')).toBe(1 + 1 + 12);
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
    const { envelope, invalidKeyIds } = await startEnvelope(
      (service) => (service.nextStatus = { version: 'v2', healthz: 'ok', keyId: '' }),
    );
    expect(errorOf(() => envelope.encrypt(Buffer.from('v'), STORAGE_KEY))).toBe('got unexpected nil transformer');
    expect(invalidKeyIds).toEqual(['empty']);
  });
});

describe('KMS health', () => {
  it('is checked again only after 20 seconds, or 3 seconds after a failure, and once for concurrent requests', async () => {
    const { service, clock, envelope } = await startEnvelope();
    await Promise.all([envelope.health(), envelope.health()]);
    await clock.advanceAsync(19_000);
    await envelope.health();
    expect(service.count('status')).toBe(1);
    await clock.advanceAsync(1_000);
    service.nextStatus = new KmsError('PermissionDenied', 'go away');
    const repeated = await Promise.all([envelope.health(), envelope.health()]);
    expect(service.count('status')).toBe(2);
    const error =
      'failed to perform status section of the healthz check for KMS Provider NAME, error: rpc error: code = PermissionDenied desc = go away';
    expect(repeated).toEqual([error, error]);
    // A result that was cached has no prefix.
    expect(await envelope.health()).toBe('rpc error: code = PermissionDenied desc = go away');
    await clock.advanceAsync(3_000);
    await envelope.health();
    expect(service.count('status')).toBe(3);
  });
});
