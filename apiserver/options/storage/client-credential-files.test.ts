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
  const present = (): readonly (string | undefined)[] => [files.current().cert?.toString(), files.current().key?.toString()];
  const waitForReload = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };

  writeFileSync(paths.key, second.key);
  await waitForReload();
  expect(present()).toEqual([first.certificate, first.key]);
  writeFileSync(paths.ca, 'no certificate');
  writeFileSync(paths.cert, second.certificate);
  await waitForReload();
  expect(present()).toEqual([first.certificate, first.key]);
  writeFileSync(paths.ca, authority.certificate);
  await waitForReload();
  expect(present()).toEqual([second.certificate, second.key]);
  stop();
});

it('etcdCredentialFiles accepts no files, and throws for unusable or missing files', async () => {
  const none = etcdCredentialFiles({ ca: '', cert: '', key: '' });
  expect(none.current()).toEqual({});
  const file = path.join(folder, 'ca.crt');
  writeFileSync(file, 'no certificate');
  expect(() => etcdCredentialFiles({ ca: file, cert: '', key: '' })).toThrow(file);
  expect(() => etcdCredentialFiles({ ca: '', cert: path.join(folder, 'missing.crt'), key: '' })).toThrow('missing.crt');
});
