import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { silentLogger } from '../../../shared/runtime/logger';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { stopAfterTest, useFolder } from '../../../test/support/use-resource';
import { etcdCredentialFiles } from './client-credential-files';

const folder = useFolder('etcd-files');
const stopWatching = stopAfterTest((stop: () => unknown) => stop());

/** Credentials that are read from files with the pair `first`; `second` is another pair of the same authority. */
async function openCredentialFiles() {
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
  stopWatching(files.watch(clock, silentLogger));
  const pairOf = ({ certificate, key }: Credential) => ({ certificate, key });
  /** The credentials in use after a reload of the files. */
  const reload = async () => {
    clock.advance(60_000);
    await flushPromises(5);
    return { certificate: files.current().cert?.toString(), key: files.current().key?.toString() };
  };
  return { paths, first: pairOf(first), second: pairOf(second), reload };
}

it('etcdCredentialFiles keeps the old credentials while certificate and key do not match', async () => {
  const { paths, first, second, reload } = await openCredentialFiles();
  writeFileSync(paths.key, second.key);
  expect(await reload()).toEqual(first);
});

it('etcdCredentialFiles keeps the old credentials while the authority is unusable', async () => {
  const { paths, first, second, reload } = await openCredentialFiles();
  writeFileSync(paths.key, second.key);
  writeFileSync(paths.cert, second.certificate);
  writeFileSync(paths.ca, 'no certificate');
  expect(await reload()).toEqual(first);
});

it('etcdCredentialFiles switches to new credentials when certificate and key match', async () => {
  const { paths, second, reload } = await openCredentialFiles();
  writeFileSync(paths.key, second.key);
  await reload();
  writeFileSync(paths.cert, second.certificate);
  expect(await reload()).toEqual(second);
});

it('etcdCredentialFiles returns no credentials without files', () => {
  expect(etcdCredentialFiles({ ca: '', cert: '', key: '' }).current()).toEqual({});
});

it('etcdCredentialFiles throws for an unusable file', () => {
  const file = path.join(folder, 'ca.crt');
  writeFileSync(file, 'no certificate');
  expect(() => etcdCredentialFiles({ ca: file, cert: '', key: '' })).toThrow(file);
});

it('etcdCredentialFiles throws for a missing file', () => {
  expect(() => etcdCredentialFiles({ ca: '', cert: path.join(folder, 'missing.crt'), key: '' })).toThrow('missing.crt');
});
