/** Certificate authorities as other tools create them, with keys of several types and forms. */
import { createPublicKey, generateKeyPairSync, webcrypto, type KeyObject } from 'node:crypto';
import { loadX509, type Credential } from '../../shared/runtime/pki';

export type KeyForm = 'pkcs1' | 'pkcs8' | 'sec1';

export interface ForeignKey {
  readonly type: string;
  readonly form: KeyForm;
  readonly signsCertificates: boolean;
  make(): KeyObject;
  readonly algorithm: webcrypto.RsaHashedImportParams | (webcrypto.EcKeyImportParams & { readonly hash: string }) | webcrypto.Algorithm;
}

const rsa = (modulusLength: number, form: KeyForm): ForeignKey => ({
  type: `RSA ${modulusLength}`,
  form,
  signsCertificates: true,
  make: () => generateKeyPairSync('rsa', { modulusLength }).privateKey,
  algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
});
const ec = (namedCurve: string, hash: string, form: KeyForm): ForeignKey => ({
  type: namedCurve,
  form,
  signsCertificates: true,
  make: () => generateKeyPairSync('ec', { namedCurve }).privateKey,
  algorithm: { name: 'ECDSA', namedCurve, hash },
});

export const FOREIGN_KEYS: readonly ForeignKey[] = [
  rsa(2_048, 'pkcs1'),
  rsa(2_048, 'pkcs8'),
  rsa(4_096, 'pkcs8'),
  ec('P-256', 'SHA-256', 'sec1'),
  ec('P-256', 'SHA-256', 'pkcs8'),
  ec('P-384', 'SHA-384', 'sec1'),
  ec('P-521', 'SHA-512', 'pkcs8'),
  {
    type: 'Ed25519',
    form: 'pkcs8',
    signsCertificates: false,
    make: () => generateKeyPairSync('ed25519').privateKey,
    algorithm: { name: 'Ed25519' },
  },
];

/** Self-signed, valid for ten years from `now`. Its key identifier is not a digest of the key, as with some tools. */
export async function foreignAuthority({ make, form, algorithm }: ForeignKey, now: number): Promise<Credential> {
  const x509 = await loadX509();
  const key = make();
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const publicDer = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const publicKey = await webcrypto.subtle.importKey('spki', publicDer, algorithm, true, ['verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=foreign-ca',
    notBefore: new Date(now - 1_000),
    notAfter: new Date(now + 3_650 * 86_400_000),
    keys: { privateKey, publicKey },
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.SubjectKeyIdentifierExtension('00112233445566778899aabbccddeeff'),
    ],
  });
  return { certificate: `${certificate.toString('pem').trimEnd()}\n`, key: key.export({ type: form, format: 'pem' }).toString() };
}
