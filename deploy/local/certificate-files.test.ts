import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { coversNames, isIssuedBy, readCertificate } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { useFolder } from '../../test/support/use-resource';
import { formatKubeconfig } from '../cluster/kubeconfig';
import { listCertificates, renewableIn, renewCertificates } from './certificate-files';
import { ensureCertificates } from './certificates';
import { layoutOf } from './plan';

const DAY = 86_400_000;
const folder = useFolder('certificate-files');

/** A data folder with certificates and kubeconfigs. */
async function setUp() {
  const layout = layoutOf(mkdtempSync(path.join(folder, 'data-')));
  const clock = new ManualClock();
  const { authority, admin, controllers } = await ensureCertificates(layout.pki, clock, ['192.0.2.1', 'fd00::1']);
  writeFileSync(
    layout.kubeconfig,
    formatKubeconfig({ server: 'https://127.0.0.1:7443', authority, user: 'platform-admin', credential: admin }),
  );
  writeFileSync(
    layout.controllersKubeconfig,
    formatKubeconfig({ server: 'https://127.0.0.1:7443', authority, user: 'controllers', credential: controllers }),
  );
  const read = (file: string): string => readFileSync(path.join(layout.pki, file), 'utf8');
  const credentialOf = (name: string) => ({ certificate: read(`${name}.crt`), key: read(`${name}.key`) });
  return { layout, clock, read, credentialOf };
}

describe('listCertificates', () => {
  it('lists every certificate with its issuer and the time that is left', async () => {
    const { layout, clock } = await setUp();
    clock.advance(5 * DAY);
    const listed = listCertificates(layout, clock);
    expect(listed.map(({ name, issuer, isAuthority }) => [name, issuer, isAuthority])).toEqual([
      ['admin', 'platform-ca', false],
      ['apiserver', 'platform-ca', false],
      ['ca', 'platform-ca', true],
      ['controllers', 'platform-ca', false],
      ['front-proxy-ca', 'platform-front-proxy-ca', true],
      ['front-proxy-client', 'platform-front-proxy-ca', false],
      ['kubelet-client', 'platform-ca', false],
    ]);
    expect(listed[0]).toMatchObject({ subject: 'platform-admin', expires: '2027-01-01T00:00:00.000Z', remainingMs: 360 * DAY });
  });

  it('is empty without a folder', () => {
    expect(listCertificates(layoutOf('/nowhere'), new ManualClock())).toEqual([]);
  });
});

describe('renewCertificates', () => {
  it('replaces certificates and keys, not the authorities', async () => {
    const { layout, clock, read, credentialOf } = await setUp();
    const names = renewableIn(layout);
    expect(names).toEqual(['apiserver', 'admin', 'controllers', 'front-proxy-client', 'kubelet-client']);
    const before = names.map((name) => credentialOf(name));
    const authorities = [read('ca.crt'), read('front-proxy-ca.crt')];
    clock.advance(100 * DAY);
    await renewCertificates(layout, names, clock);
    for (const [index, name] of names.entries()) {
      const renewed = credentialOf(name);
      expect(renewed.key).not.toBe(before[index]?.key);
      expect(isIssuedBy(renewed, read(name === 'front-proxy-client' ? 'front-proxy-ca.crt' : 'ca.crt'))).toBe(true);
      expect(readCertificate(renewed.certificate).notAfter).toBe(clock.now() + 365 * DAY);
      expect(statSync(path.join(layout.pki, `${name}.key`)).mode & 0o777).toBe(0o600);
    }
    expect([read('ca.crt'), read('front-proxy-ca.crt')]).toEqual(authorities);
  });

  it('keeps the names of the API servers and the identity of clients', async () => {
    const { layout, clock, read } = await setUp();
    await renewCertificates(layout, ['apiserver', 'admin'], clock);
    expect(coversNames(read('apiserver.crt'), ['localhost', '127.0.0.1', '::1', '192.0.2.1', 'fd00::1'])).toBe(true);
    expect(readCertificate(read('admin.crt'))).toMatchObject({ commonName: 'platform-admin', organizations: ['system:masters'] });
  });

  it('writes the renewed certificate into its kubeconfig', async () => {
    const { layout, clock, read } = await setUp();
    await renewCertificates(layout, ['admin'], clock);
    const { servers, tls } = readKubeconfig(layout.kubeconfig);
    expect(servers[0]?.href).toBe('https://127.0.0.1:7443/');
    expect(String(tls.cert)).toBe(read('admin.crt'));
    await renewCertificates(layout, ['controllers'], clock);
    expect(String(readKubeconfig(layout.controllersKubeconfig).tls.cert)).toBe(read('controllers.crt'));
  });

  it.each([
    ['an authority', 'ca', /no certificate "ca" that can be renewed/],
    ['an unknown name', 'constructor', /no certificate "constructor"/],
  ])('refuses %s and changes nothing', async (_title, name, message) => {
    const { layout, clock, read } = await setUp();
    const before = read('admin.crt');
    await expect(renewCertificates(layout, ['admin', name], clock)).rejects.toThrow(message);
    expect(read('admin.crt')).toBe(before);
  });

  it('refuses when the key of the authority is missing', async () => {
    const { layout, clock } = await setUp();
    rmSync(path.join(layout.pki, 'ca.key'));
    await expect(renewCertificates(layout, ['admin'], clock)).rejects.toThrow(/ca\.key does not exist/);
  });
});
