import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from '../../../shared/runtime/logger';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { etcdCredentialFiles } from './client-credential-files';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'etcd-files-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('etcdCredentialFiles switches to new credentials when certificate and key match, and keeps the old ones until then', async () => {
  const clock = new ManualClock();
  const common = { lifetimeMs: 3_600_000, clock };
  const authority = await createAuthority({ ...common, subject: { commonName: 'ca' } });
  const issue = (): Promise<Credential> =>
    issueCertificate({ ...common, authority, usage: 'client', subject: { commonName: 'apiserver' } });
  const first = await issue();
  const second = await issue();
  const paths = { ca: path.join(folder, 'ca.crt'), cert: path.join(folder, 'client.crt'), key: path.join(folder, 'client.key') };
  writeFileSync(paths.ca, authority.certificate);
  writeFileSync(paths.cert, first.certificate);
  writeFileSync(paths.key, first.key);
  const files = etcdCredentialFiles(paths);
  const stop = files.watch(clock, silentLogger);
  const current = () => ({ certificate: files.current().cert?.toString(), key: files.current().key?.toString() });
  const firstPair = { certificate: first.certificate, key: first.key };
  const secondPair = { certificate: second.certificate, key: second.key };
  const waitForReload = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };

  // The new key does not match the certificate.
  writeFileSync(paths.key, second.key);
  await waitForReload();
  expect(current()).toEqual(firstPair);
  // The certificate matches, but the authority is unusable.
  writeFileSync(paths.ca, 'no certificate');
  writeFileSync(paths.cert, second.certificate);
  await waitForReload();
  expect(current()).toEqual(firstPair);
  writeFileSync(paths.ca, authority.certificate);
  await waitForReload();
  expect(current()).toEqual(secondPair);
  stop();
});

it('etcdCredentialFiles returns no credentials without files', () => {
  expect(etcdCredentialFiles({ ca: '', cert: '', key: '' }).current()).toEqual({});
});

it('etcdCredentialFiles throws for unusable and for missing files', () => {
  const file = path.join(folder, 'ca.crt');
  writeFileSync(file, 'no certificate');
  expect(() => etcdCredentialFiles({ ca: file, cert: '', key: '' })).toThrow(file);
  expect(() => etcdCredentialFiles({ ca: '', cert: path.join(folder, 'missing.crt'), key: '' })).toThrow('missing.crt');
});
