/**
 * Tests the address and credentials that a webhook takes from a kubeconfig, and how they follow changes of the files.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { noFileEvents } from '../../test/support/no-file-events';
import { removeFolder, temporaryFolder } from '../../test/support/programs';
import { useForEachTest } from '../../test/support/use-resource';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { ConfigurationFiles } from '../../shared/configuration/configuration-files';
import { silentLogger } from '../../shared/runtime/logger';
import { createAuthority, issueCertificate } from '../../shared/pki/certificates';
import { openWebhook, type KubeconfigWebhook } from './webhooks';

const folder = useForEachTest(() => temporaryFolder('webhook-files'), removeFolder);
const fileOf = (name: string): string => path.join(folder(), name);
const clock = useForEachTest(() => new ManualClock());
const configurations = useForEachTest(
  () => new ConfigurationFiles(clock(), silentLogger, noFileEvents),
  (opened) => opened.close(),
);

/** Writes a kubeconfig with the user and the server, which names the certificate authority `ca.crt`. */
function write(user: object, server = 'https://127.0.0.1:1/review'): void {
  const config = {
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  writeFileSync(fileOf('kubeconfig'), JSON.stringify(config));
}

const LIFETIME_MS = 1e9;

/** Writes a new certificate authority, and a client certificate with its key. */
async function writeCertificates(): Promise<void> {
  const subject = { commonName: 'x' };
  const authority = await createAuthority({ subject, lifetimeMs: LIFETIME_MS, clock: clock() });
  const { certificate, key } = await issueCertificate({ authority, subject, usage: 'client', lifetimeMs: LIFETIME_MS, clock: clock() });
  writeFileSync(fileOf('ca.crt'), authority.certificate);
  writeFileSync(fileOf('client.crt'), certificate);
  writeFileSync(fileOf('client.key'), key);
}

const random = { float: () => 0, uuid: () => '', string: () => '' };
const open = (): Promise<KubeconfigWebhook> =>
  openWebhook('review', fileOf('kubeconfig'), { clock: clock(), configurations: configurations(), random });
const waitForReload = (): Promise<void> => clock().advanceAsync(60_000);
const reloadError = (): string | undefined => configurations().configurations[0]?.error;

it('openWebhook keeps its connections when a kubeconfig is written with the same content', async () => {
  await writeCertificates();
  write({ token: 'one' });
  const webhook = await open();
  const { address } = webhook;
  write({ token: 'one' });
  await waitForReload();
  expect(webhook.address).toBe(address);
});

it('openWebhook follows changes of the server and the token in the kubeconfig', async () => {
  await writeCertificates();
  write({ token: 'one' });
  const webhook = await open();
  expect(webhook.address.path).toBe('/review');
  expect(webhook.address.authorization()).toBe('Bearer one');
  write({ token: 'two' }, 'https://127.0.0.1:1/other?x=y');
  await waitForReload();
  expect(webhook.address.path).toBe('/other?x=y');
  expect(webhook.address.authorization()).toBe('Bearer two');
});

it('openWebhook keeps the previous configuration while a changed kubeconfig is unusable', async () => {
  await writeCertificates();
  write({ token: 'one' });
  const webhook = await open();
  writeFileSync(fileOf('kubeconfig'), '{');
  await waitForReload();
  expect(webhook.address.path).toBe('/review');
  expect(reloadError()).toContain('is not YAML');
});

/** A webhook that has read the token `one` from its tokenFile, which is read at the first use. */
async function openWithTokenFile() {
  await writeCertificates();
  writeFileSync(fileOf('token'), 'one');
  write({ tokenFile: 'token' });
  const webhook = await open();
  expect(webhook.address.authorization()).toBe('Bearer one');
  return webhook;
}

it('openWebhook uses a changed token of the tokenFile', async () => {
  const webhook = await openWithTokenFile();
  writeFileSync(fileOf('token'), 'second');
  await waitForReload();
  expect(webhook.address.authorization()).toBe('Bearer second');
});

it('openWebhook keeps the token when the tokenFile is removed', async () => {
  const webhook = await openWithTokenFile();
  rmSync(fileOf('token'));
  await waitForReload();
  expect(webhook.address.authorization()).toBe('Bearer one');
  expect(reloadError()).toContain('cannot read');
});

it('openWebhook opens new connections when its client certificate changes, and closes the old ones after 30 s', async () => {
  await writeCertificates();
  write({ 'client-certificate': 'client.crt', 'client-key': 'client.key' });
  const webhook = await open();
  const { transport } = webhook.address;
  const closed = jest.spyOn(transport, 'close');
  await writeCertificates();
  await waitForReload();
  expect(webhook.address.transport).not.toBe(transport);
  expect(closed).not.toHaveBeenCalled();
  await clock().advanceAsync(30_000);
  expect(closed).toHaveBeenCalledTimes(1);
});

it('openWebhook fails when the kubeconfig names missing files', async () => {
  write({ tokenFile: 'token' });
  await expect(open()).rejects.toThrow(`cannot read ${fileOf('ca.crt')}`);
});
