import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { silentLogger } from '../../runtime/logger';
import { ConfigError } from './client-config';
import { fileBackedKubeconfig } from './file-backed-kubeconfig';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'kubeconfig-file-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => path.join(folder, name);
const write = (name: string, text: string): void => writeFileSync(at(name), text);

/** Writes a kubeconfig that refers to the files `client.crt` and `client.key`. */
function writeKubeconfig(server: string): void {
  const config = {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  write('kubeconfig', JSON.stringify(config));
}

it('fileBackedKubeconfig returns a new configuration when the file or a certificate that it names changes, and keeps the last valid one', async () => {
  const clock = new ManualClock();
  write('client.crt', 'certificate');
  write('client.key', 'key');
  writeKubeconfig('https://one');
  const kubeconfig = fileBackedKubeconfig(at('kubeconfig'));
  const end = kubeconfig.watch(clock, silentLogger);
  const passMinute = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };
  const first = kubeconfig.current();
  writeKubeconfig('https://one');
  await passMinute();
  expect(kubeconfig.current()).toBe(first);
  write('client.crt', 'another one');
  await passMinute();
  const second = kubeconfig.current();
  expect(second).not.toBe(first);
  expect(second.tls.cert).toBe('another one');
  expect(second.servers[0]?.host).toBe('one');
  writeKubeconfig('https://other');
  await passMinute();
  expect(kubeconfig.current().servers[0]?.host).toBe('other');
  write('kubeconfig', '{');
  await passMinute();
  expect(kubeconfig.current().servers[0]?.host).toBe('other');
  end();
});

it('fileBackedKubeconfig throws a ConfigError when the file is missing at the start', () => {
  expect(() => fileBackedKubeconfig(at('missing'))).toThrow(ConfigError);
});
