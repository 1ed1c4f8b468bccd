import { lstatSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readKubeconfig } from '../../../shared/client/kubeconfig/kubeconfig';
import { createTestHost } from '../../../test/support/command-host';
import { useFolder } from '../../../test/support/use-resource';
import { formatKubeconfig } from '../../cluster/kubeconfig';
import { kubeconfig } from './kubeconfig';

const PEM = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const FLAGS = { 'data-dir': 'data', merge: true, kubeconfig: '', context: 'platform', 'set-current-context': true, overwrite: false };
const folder = useFolder('kubeconfig');

/** A working directory with the data folder of a control plane, which has the file `source`. */
function setUp() {
  const directory = mkdtempSync(path.join(folder, 'work-'));
  const source = path.join(directory, 'data/admin.kubeconfig');
  mkdirSync(path.dirname(source));
  writeFileSync(
    source,
    formatKubeconfig({
      server: 'https://127.0.0.1:7443',
      authority: PEM,
      user: 'platform-admin',
      credential: { certificate: PEM, key: 'key' },
    }),
  );
  return { directory, source };
}

describe('platform kubeconfig', () => {
  it('prints the file', async () => {
    const { directory, source } = setUp();
    const host = createTestHost({ directory });
    expect(await kubeconfig({ ...FLAGS, merge: false }, host)).toBe(0);
    expect(host.printed.output).toBe(readFileSync(source, 'utf8'));
  });

  it('fails before the control plane was started', async () => {
    const { directory } = setUp();
    const other = { ...FLAGS, 'data-dir': 'other' };
    await expect(kubeconfig(other, createTestHost({ directory }))).rejects.toThrow(`${directory}/other/admin.kubeconfig does not exist`);
  });
});

describe('platform kubeconfig --merge', () => {
  it.each([
    [{ KUBECONFIG: ':first:second' }, '', 'first'],
    [{ HOME: 'HOME' }, '', 'HOME/.kube/config'],
    [{ KUBECONFIG: 'first' }, 'given', 'given'],
  ])('with %j and --kubeconfig=%j creates the private file %s', async (environment, given, file) => {
    const { directory } = setUp();
    const absolute = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace('HOME', `${directory}/HOME`)]),
    );
    const host = createTestHost({ directory, environment: absolute });
    expect(await kubeconfig({ ...FLAGS, kubeconfig: given }, host)).toBe(0);
    const target = path.join(directory, file);
    expect(readKubeconfig(target).servers[0]?.href).toBe('https://127.0.0.1:7443/');
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(host.printed.output).toBe(`the context platform is the current context of ${target}\n`);
    expect(() => statSync(`${target}.lock`)).toThrow('ENOENT');
  });

  it('keeps the mode of the file and a symbolic link to it', async () => {
    const { directory } = setUp();
    writeFileSync(path.join(directory, 'real'), '{}', { mode: 0o640 });
    symlinkSync('real', path.join(directory, 'link'));
    await kubeconfig({ ...FLAGS, kubeconfig: 'link' }, createTestHost({ directory }));
    expect(lstatSync(path.join(directory, 'link')).isSymbolicLink()).toBe(true);
    expect(statSync(path.join(directory, 'real')).mode & 0o777).toBe(0o640);
    expect(readKubeconfig(path.join(directory, 'real')).servers).toHaveLength(1);
  });

  it('changes nothing while another program holds the lock, or when the file is no kubeconfig', async () => {
    const { directory } = setUp();
    const target = path.join(directory, 'config');
    writeFileSync(target, 'kind: Pod\n');
    const merge = () => kubeconfig({ ...FLAGS, kubeconfig: 'config' }, createTestHost({ directory }));
    await expect(merge()).rejects.toThrow(`${target} is a "Pod" and no Config`);
    writeFileSync(`${target}.lock`, '');
    await expect(merge()).rejects.toThrow(`${target}.lock exists`);
    expect(readFileSync(target, 'utf8')).toBe('kind: Pod\n');
  });
});
