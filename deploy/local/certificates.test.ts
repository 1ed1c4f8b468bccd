import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { belongsTogether, covers, readCertificate } from '../../shared/runtime/pki';
import { ManualClock } from '../../test/support/manual-clock';
import { FOREIGN_KEYS, foreignAuthority } from '../../test/support/foreign-authority';
import { ensureCertificates } from './certificates';
import { ADMINISTRATOR, kubeconfig } from '../cluster/kubeconfig';

const day = 86_400_000;
let folder: string;

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'pki-')), 'pki');
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

function read(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

describe('ensureCertificates', () => {
  it('makes everything on the first start, readable by the owner only', async () => {
    const { authority, admin, made } = await ensureCertificates(folder, new ManualClock());
    expect(made).toHaveLength(7);
    expect(
      belongsTogether({ certificate: read('front-proxy-client.crt'), key: read('front-proxy-client.key') }, read('front-proxy-ca.crt')),
    ).toBe(true);
    expect(read('front-proxy-ca.crt')).not.toBe(authority);
    const server = { certificate: read('apiserver.crt'), key: read('apiserver.key') };
    expect(belongsTogether(server, authority)).toBe(true);
    expect(belongsTogether(admin, authority)).toBe(true);
    expect(covers(server.certificate, ['localhost', '127.0.0.1', '::1', 'platform.default.svc', 'kubernetes', 'kubernetes.default'])).toBe(
      true,
    );
    expect(readCertificate(admin.certificate)).toMatchObject({ commonName: 'platform-admin', organizations: ['system:masters'] });
    for (const name of ['ca.key', 'apiserver.key', 'admin.key', 'sa.key'])
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    expect(read('sa.pub')).toContain('BEGIN PUBLIC KEY');
  });

  it('keeps everything on a later start', async () => {
    const clock = new ManualClock();
    const first = await ensureCertificates(folder, clock);
    const keys = read('sa.key');
    clock.advance(30 * day);
    const second = await ensureCertificates(folder, clock);
    expect(second).toEqual({ ...first, made: [] });
    expect(read('sa.key')).toBe(keys);
  });

  it.each(FOREIGN_KEYS.filter(({ signsCertificates }) => signsCertificates).map((key) => [key.type, key.form, key] as const))(
    'signs with an authority that another tool created with a key of type %s in %s form',
    async (_type, _form, key) => {
      const clock = new ManualClock();
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
      // belongsTogether also compares the key identifiers.
      for (const leaf of [server, proxy, admin, controllers]) expect(belongsTogether(leaf, authority)).toBe(true);
      expect((await ensureCertificates(folder, clock)).made).toEqual([]);
    },
  );

  it.each(FOREIGN_KEYS.filter(({ signsCertificates }) => !signsCertificates))(
    'rejects an authority whose key has the type $type with an error that names the file, and replaces nothing',
    async (key) => {
      const clock = new ManualClock();
      const foreign = await foreignAuthority(key, clock.now());
      mkdirSync(folder);
      writeFileSync(path.join(folder, 'ca.crt'), foreign.certificate);
      writeFileSync(path.join(folder, 'ca.key'), foreign.key);
      await expect(ensureCertificates(folder, clock)).rejects.toThrow(
        `${folder}/ca.key: an authority signs with an RSA key, or an ECDSA key on P-256, P-384 or P-521; this key is ed25519; ` +
          `put such a key and its certificate (${folder}/ca.crt) there, or neither`,
      );
      expect(read('ca.key')).toBe(foreign.key);
    },
  );

  it('replaces the certificate of the API servers alone when it does not cover where they are reached', async () => {
    const clock = new ManualClock();
    const first = await ensureCertificates(folder, clock, ['10.0.0.1']);
    expect(covers(read('apiserver.crt'), ['localhost', '10.0.0.1'])).toBe(true);
    expect((await ensureCertificates(folder, clock, ['10.0.0.1'])).made).toEqual([]);
    const moved = await ensureCertificates(folder, clock, ['fd00::1', '192.0.2.7']);
    expect(moved).toEqual({ ...first, made: ["the API servers' certificate"] });
    expect(covers(read('apiserver.crt'), ['localhost', 'fd00::1', '192.0.2.7'])).toBe(true);
  });

  it('renews end certificates before they run out, under the same authority', async () => {
    const clock = new ManualClock();
    const first = await ensureCertificates(folder, clock);
    clock.advance(300 * day);
    const second = await ensureCertificates(folder, clock);
    expect(second.authority).toBe(first.authority);
    expect(second.made).toHaveLength(4);
    expect(readCertificate(second.admin.certificate).notAfter).toBeGreaterThan(readCertificate(first.admin.certificate).notAfter);
  });

  it('renews the authority, and with it all certificates, but not the signing keys', async () => {
    const clock = new ManualClock();
    const first = await ensureCertificates(folder, clock);
    const keys = read('sa.key');
    clock.advance(3_000 * day);
    const second = await ensureCertificates(folder, clock);
    expect(second.authority).not.toBe(first.authority);
    expect(second.made).toHaveLength(6);
    expect(belongsTogether(second.admin, second.authority)).toBe(true);
    expect(read('sa.key')).toBe(keys);
  });

  it('keeps the signing key when only its public half is lost', async () => {
    const clock = new ManualClock();
    await ensureCertificates(folder, clock);
    const [key, publicHalf] = [read('sa.key'), read('sa.pub')];
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
    const clock = new ManualClock();
    await ensureCertificates(folder, clock);
    writeFileSync(path.join(folder, name), text);
    const { authority, admin } = await ensureCertificates(folder, clock);
    expect(belongsTogether(admin, authority)).toBe(true);
    expect(belongsTogether({ certificate: read('apiserver.crt'), key: read('apiserver.key') }, authority)).toBe(true);
  });
});

describe('kubeconfig', () => {
  it('carries address, authority and credentials', () => {
    const text = kubeconfig('https://127.0.0.1:6443', 'CA', ADMINISTRATOR, { certificate: 'CERT', key: 'KEY' });
    expect(text).toContain('    server: https://127.0.0.1:6443\n');
    const data = [...text.matchAll(/-data: (.*)/g)].map(([, value]) => Buffer.from(value ?? '', 'base64').toString());
    expect(data).toEqual(['CA', 'CERT', 'KEY']);
    expect(text).toContain('current-context: platform-admin@platform');
  });
});
