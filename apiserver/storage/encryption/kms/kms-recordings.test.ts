/** Values, errors and health under KMS v2 envelope encryption, as recorded from the reference server. */
import { ENCRYPTED_PREFIXES } from '../../../../shared/names/dialect';
import { readCases, readRecording } from '../../../../test/replay/recording';
import { anything, boolean, either, nullValue, number, shape, text } from '../../../../test/replay/shape';
import { errorOf, startEnvelope } from '../../../../test/support/store/kms-envelope-fixture';
import { useResource } from '../../../../test/support/use-resource';
import { EncryptionRules } from '../encryption-rules';
import { KmsError } from './kms-service';
import { decodeEncryptResponse, decodeStatusResponse } from './messages';

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
  const transformer = useResource(async () => {
    const { envelope, clock } = await startEnvelope(
      (service) => (service.nextStatus = { version: 'v2', healthz: 'ok', keyId: head.keyId }),
    );
    const provider = { type: 'envelope', prefix: `kms:v2:${head.provider}:`, envelope } as const;
    const rules = new EncryptionRules([{ resources: ['secrets'], providers: [provider] }], {
      dialect: 'kubernetes',
      clock,
      metrics: { observeTransform: () => undefined },
    });
    const ofSecrets = rules.forResource('secrets');
    if (ofSecrets === undefined) throw new Error('no rule for secrets');
    return ofSecrets;
  });

  it.each(cases)('$title', async ({ place: storageKey, value, code, message, rewritten }) => {
    const bytes = Buffer.from(value, 'base64');
    expect(bytes.toString('latin1')).toMatch(new RegExp(`^${ENCRYPTED_PREFIXES.kubernetes}kms:`));
    await transformer().prepare(bytes);
    if (code === 200) {
      const { value: plain, isStale } = transformer().decrypt(bytes, storageKey);
      expect(plain.toString('latin1')).toContain('Secret');
      expect(isStale).toBe(rewritten);
    } else {
      expect(`Internal error occurred: ${errorOf(() => transformer().decrypt(bytes, storageKey))}`).toBe(message);
    }
  });
});

/** A response of the plug-in: as usual (null), an error, bytes, or the members of a response to Status or Encrypt. */
const RESPONSE = either(
  either(nullValue, shape({ code: number, details: text })),
  either(
    shape({ raw: text }),
    either(shape({ version: text, healthz: text, keyId: text }), shape({ keyId: text, ciphertext: anything, annotations: anything })),
  ),
);

describe('KMS provider health equals that of the reference server', () => {
  const isCase = shape({ title: text, status: RESPONSE, encrypt: RESPONSE, encrypts: boolean, fault: either(text, nullValue) });
  /** Names of the gRPC codes that the recording contains. */
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
  // The recording has `{ "length": 1025 }` in place of many bytes.
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
