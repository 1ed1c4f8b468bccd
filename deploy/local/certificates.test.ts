import { createPublicKey, generateKeyPairSync, webcrypto, type KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import {
  isIssuedBy,
  coversNames,
  createAuthority,
  issueCertificate,
  loadX509,
  readCertificate,
  type Credential,
} from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { useFolder } from '../../test/support/use-resource';
import { ensureCertificates } from './certificates';
import { ADMINISTRATOR_NAME, formatClusterInfoKubeconfig, formatKubeconfig } from '../cluster/kubeconfig';

type KeyForm = 'pkcs1' | 'pkcs8' | 'sec1';

/** The key of a certificate authority as other tools create it. */
interface ForeignKey {
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

const FOREIGN_KEYS: readonly ForeignKey[] = [
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
async function foreignAuthority({ make, form, algorithm }: ForeignKey, now: number): Promise<Credential> {
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

const DAY_MS = 86_400_000;
const parent = useFolder('pki');

/** `folder` does not exist yet. */
function setUp() {
  const folder = path.join(mkdtempSync(path.join(parent, 'data-')), 'pki');
  const clock = new ManualClock();
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  return { folder, clock, read };
}

describe('ensureCertificates', () => {
  it('creates all files on the first start, readable by the owner only', async () => {
    const { folder, clock, read } = setUp();
    const { authority, admin, made } = await ensureCertificates(folder, clock);
    // Two authorities, the certificates of the API servers and of four clients, and the token signing keys.
    expect(made).toHaveLength(8);
    expect(
      isIssuedBy({ certificate: read('front-proxy-client.crt'), key: read('front-proxy-client.key') }, read('front-proxy-ca.crt')),
    ).toBe(true);
    expect(read('front-proxy-ca.crt')).not.toBe(authority);
    const server = { certificate: read('apiserver.crt'), key: read('apiserver.key') };
    expect(isIssuedBy(server, authority)).toBe(true);
    expect(isIssuedBy(admin, authority)).toBe(true);
    expect(
      coversNames(server.certificate, ['localhost', '127.0.0.1', '::1', 'platform.default.svc', 'kubernetes', 'kubernetes.default']),
    ).toBe(true);
    expect(readCertificate(admin.certificate)).toMatchObject({ commonName: 'platform-admin', organizations: ['system:masters'] });
    for (const name of ['ca.key', 'apiserver.key', 'admin.key', 'sa.key'])
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    expect(read('sa.pub')).toContain('BEGIN PUBLIC KEY');
  });

  it('keeps all files on a later start', async () => {
    const { folder, clock, read } = setUp();
    const first = await ensureCertificates(folder, clock);
    const keys = read('sa.key');
    clock.advance(30 * DAY_MS);
    const second = await ensureCertificates(folder, clock);
    expect(second).toEqual({ ...first, made: [] });
    expect(read('sa.key')).toBe(keys);
  });

  it.each(FOREIGN_KEYS.filter(({ signsCertificates }) => signsCertificates).map((key) => [key.type, key.form, key] as const))(
    'signs with an authority that another tool created with a key of type %s in %s form',
    async (_type, _form, key) => {
      const { folder, clock, read } = setUp();
      const foreign = await foreignAuthority(key, clock.now());
      mkdirSync(folder);
      for (const name of ['ca', 'front-proxy-ca']) {
        writeFileSync(path.join(folder, `${name}.crt`), foreign.certificate);
        writeFileSync(path.join(folder, `${name}.key`), foreign.key);
      }
      const { authority, admin, controllers } = await ensureCertificates(folder, clock);
      expect(authority).toBe(foreign.certificate);
      const server = { certificate: read('apiserver.crt'), key: read('apiserver.key') };
      const proxy = { certificate: read('front-proxy-client.crt'), key: read('front-proxy-client.key') };
      // isIssuedBy also compares the key identifiers.
      for (const leaf of [server, proxy, admin, controllers]) expect(isIssuedBy(leaf, authority)).toBe(true);
      expect((await ensureCertificates(folder, clock)).made).toEqual([]);
    },
  );

  it.each(FOREIGN_KEYS.filter(({ signsCertificates }) => !signsCertificates))(
    'rejects an authority whose key has the type $type with an error that names the file, and replaces nothing',
    async (key) => {
      const { folder, clock, read } = setUp();
      const foreign = await foreignAuthority(key, clock.now());
      mkdirSync(folder);
      writeFileSync(path.join(folder, 'ca.crt'), foreign.certificate);
      writeFileSync(path.join(folder, 'ca.key'), foreign.key);
      await expect(ensureCertificates(folder, clock)).rejects.toThrow(
        `${folder}/ca.key: a certificate authority needs an RSA key, or an ECDSA key on P-256, P-384 or P-521; this key is ed25519; ` +
          `put such a key and its certificate (${folder}/ca.crt) there, or neither`,
      );
      expect(read('ca.key')).toBe(foreign.key);
    },
  );

  it('replaces only the certificate of the API servers when it does not cover their addresses', async () => {
    const { folder, clock, read } = setUp();
    const first = await ensureCertificates(folder, clock, ['10.0.0.1']);
    expect(coversNames(read('apiserver.crt'), ['localhost', '10.0.0.1'])).toBe(true);
    expect((await ensureCertificates(folder, clock, ['10.0.0.1'])).made).toEqual([]);
    const moved = await ensureCertificates(folder, clock, ['fd00::1', '192.0.2.7']);
    expect(moved).toEqual({ ...first, made: ['the certificate of the API servers'] });
    expect(coversNames(read('apiserver.crt'), ['localhost', 'fd00::1', '192.0.2.7'])).toBe(true);
  });

  it('renews leaf certificates before they expire, under the same authority', async () => {
    const { folder, clock } = setUp();
    const first = await ensureCertificates(folder, clock);
    clock.advance(300 * DAY_MS);
    const second = await ensureCertificates(folder, clock);
    expect(second.authority).toBe(first.authority);
    // The certificates of the API servers and of four clients.
    expect(second.made).toHaveLength(5);
    expect(readCertificate(second.admin.certificate).notAfter).toBeGreaterThan(readCertificate(first.admin.certificate).notAfter);
  });

  it('renews the authority and all its certificates, but not the token signing keys', async () => {
    const { folder, clock, read } = setUp();
    const first = await ensureCertificates(folder, clock);
    const keys = read('sa.key');
    clock.advance(3_000 * DAY_MS);
    const second = await ensureCertificates(folder, clock);
    expect(second.authority).not.toBe(first.authority);
    // Two authorities, and the five certificates that they sign.
    expect(second.made).toHaveLength(7);
    expect(isIssuedBy(second.admin, second.authority)).toBe(true);
    expect(read('sa.key')).toBe(keys);
  });

  it('keeps the token signing key when only its public key is missing', async () => {
    const { folder, clock, read } = setUp();
    await ensureCertificates(folder, clock);
    const key = read('sa.key');
    const publicHalf = read('sa.pub');
    rmSync(path.join(folder, 'sa.pub'));
    expect((await ensureCertificates(folder, clock)).made).toEqual(['the public half of the token signing key']);
    expect([read('sa.key'), read('sa.pub')]).toEqual([key, publicHalf]);
  });

  it.each([
    ['apiserver.crt', 'rubbish'],
    ['apiserver.key', ''],
    ['admin.key', 'rubbish'],
    ['ca.crt', 'rubbish'],
  ])('replaces a damaged %s', async (name, text) => {
    const { folder, clock, read } = setUp();
    await ensureCertificates(folder, clock);
    writeFileSync(path.join(folder, name), text);
    const { authority, admin } = await ensureCertificates(folder, clock);
    expect(isIssuedBy(admin, authority)).toBe(true);
    expect(isIssuedBy({ certificate: read('apiserver.crt'), key: read('apiserver.key') }, authority)).toBe(true);
  });

  it.each([
    ['that another authority issued', (issued: Credential) => issued],
    ['without its key', ({ certificate }: Credential) => ({ certificate, key: undefined })],
    ['with a damaged key', ({ certificate }: Credential) => ({ certificate, key: 'rubbish' })],
  ])('rejects an authority %s with an error that names the files, and replaces nothing', async (_case, fileContents) => {
    const { folder, clock, read } = setUp();
    const lifetimeMs = 3_650 * DAY_MS;
    const root = await createAuthority({ subject: { commonName: 'root' }, lifetimeMs, clock });
    const usage = 'server' as const;
    const issued = await issueCertificate({
      authority: root,
      usage,
      subject: { commonName: 'intermediate' },
      names: [],
      lifetimeMs,
      clock,
    });
    const { certificate, key } = fileContents(issued);
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'ca.crt'), certificate);
    if (key !== undefined) writeFileSync(path.join(folder, 'ca.key'), key);
    await expect(ensureCertificates(folder, clock)).rejects.toThrow(
      `${folder}/ca.crt and ${folder}/ca.key have to be a self-signed certificate authority and its key; put such a pair there, or neither`,
    );
    expect(readdirSync(folder).toSorted()).toEqual(key === undefined ? ['ca.crt'] : ['ca.crt', 'ca.key']);
    expect(read('ca.crt')).toBe(certificate);
  });
});

describe('formatKubeconfig', () => {
  const CREDENTIAL = { certificate: 'CERT', key: 'KEY' };

  it('contains the server address, the authority and the credentials', () => {
    expect(formatKubeconfig({ server: 'https://127.0.0.1:6443', authority: 'CA', user: ADMINISTRATOR_NAME, credential: CREDENTIAL }))
      .toBe(`apiVersion: v1
kind: Config
clusters:
- name: platform
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Q0E=
users:
- name: platform-admin
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
contexts:
- name: platform-admin@platform
  context:
    cluster: platform
    user: platform-admin
current-context: platform-admin@platform
preferences: {}
`);
  });

  it('quotes an address that is not a plain scalar of YAML', () => {
    const server = 'https://api.example.com:6443 #x: y\nkind: Other';
    const text = formatKubeconfig({ server, authority: 'CA', user: ADMINISTRATOR_NAME, credential: CREDENTIAL });
    expect(load(text)).toMatchObject({ kind: 'Config', clusters: [{ cluster: { server } }] });
  });
});

test('formatClusterInfoKubeconfig formats a kubeconfig without a user, whose cluster has no name', () => {
  expect(formatClusterInfoKubeconfig('https://127.0.0.1:6443', 'CA')).toBe(`apiVersion: v1
kind: Config
clusters:
- name: ""
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Q0E=
contexts: []
current-context: ""
preferences: {}
users: []
`);
});
