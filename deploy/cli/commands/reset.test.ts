import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTestHost } from '../../../test/support/command-host';
import { useFolder } from '../../../test/support/use-resource';
import { acquireProcessFile } from '../../local/process-file';
import { reset } from './reset';

const FLAGS = { 'data-dir': 'data', yes: true };
const root = useFolder('reset');

/** The data folder of a stopped control plane. */
function setUp() {
  const directory = mkdtempSync(path.join(root, 'work-'));
  const dataDir = path.join(directory, 'data');
  for (const folder of ['run', 'pki', 'store', 'logs']) mkdirSync(path.join(dataDir, folder), { recursive: true });
  for (const file of ['pki/ca.crt', 'store/data.mdb', 'logs/apiserver.log', 'admin.kubeconfig', 'controllers.kubeconfig']) {
    writeFileSync(path.join(dataDir, file), '');
  }
  const hostOf = (confirmation?: string) => createTestHost({ directory, ...(confirmation !== undefined && { confirmation }) });
  return { dataDir, hostOf };
}

describe('platform reset', () => {
  it('deletes the whole folder', async () => {
    const { dataDir, hostOf } = setUp();
    expect(await reset(FLAGS, hostOf())).toBe(0);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('leaves files that the control plane did not create', async () => {
    const { dataDir, hostOf } = setUp();
    writeFileSync(path.join(dataDir, 'audit.log'), '');
    const host = hostOf();
    await reset(FLAGS, host);
    expect(readdirSync(dataDir)).toEqual(['audit.log']);
    expect(host.printed.output).toContain('audit.log');
  });

  it.each(['pki/ca.crt', 'run'])('refuses a folder without %s', async (entry) => {
    const { dataDir, hostOf } = setUp();
    rmSync(path.join(dataDir, entry), { recursive: true });
    await expect(reset(FLAGS, hostOf())).rejects.toThrow('is not the data folder of a control plane');
    expect(existsSync(path.join(dataDir, 'store/data.mdb'))).toBe(true);
  });

  it.each(['supervisor', 'apiserver-0', 'controllers'])('refuses while the process of %s.pid runs', async (name) => {
    const { dataDir, hostOf } = setUp();
    // The parent of this process lives as long as the test. The id of this process does not count as a live one.
    writeFileSync(path.join(dataDir, 'run', `${name}.pid`), `${process.ppid}\n`);
    await expect(reset(FLAGS, hostOf())).rejects.toThrow(`in use by the running process ${process.ppid} (${name})`);
    expect(existsSync(path.join(dataDir, 'store/data.mdb'))).toBe(true);
  });

  // In every container the first process has the id 1. Here this process is both.
  it('refuses while a process with the same id in another container runs', async () => {
    const { dataDir, hostOf } = setUp();
    const release = acquireProcessFile(path.join(dataDir, 'run/supervisor.pid'));
    await expect(reset(FLAGS, hostOf())).rejects.toThrow(`in use by process ${process.pid} on `);
    expect(existsSync(path.join(dataDir, 'store/data.mdb'))).toBe(true);
    release();
  });

  it.each(['y', 'YES'])('asks without --yes, and deletes after the reply %j', async (confirmation) => {
    const { dataDir, hostOf } = setUp();
    const host = hostOf(confirmation);
    await reset({ ...FLAGS, yes: false }, host);
    expect(host.questions).toEqual([`Delete the certificates and all data in ${dataDir}? [y/N] `]);
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each(['', 'n', 'yesterday'])('asks without --yes, and deletes nothing after the reply %j', async (confirmation) => {
    const { dataDir, hostOf } = setUp();
    const host = hostOf(confirmation);
    await expect(reset({ ...FLAGS, yes: false }, host)).rejects.toThrow('nothing was deleted');
    expect(host.questions).toEqual([`Delete the certificates and all data in ${dataDir}? [y/N] `]);
    expect(existsSync(dataDir)).toBe(true);
  });

  it('needs --yes without a terminal', async () => {
    const { dataDir, hostOf } = setUp();
    await expect(reset({ ...FLAGS, yes: false }, hostOf())).rejects.toThrow('confirm with --yes');
    expect(existsSync(dataDir)).toBe(true);
  });

  it('succeeds when there is no folder', async () => {
    const { hostOf } = setUp();
    expect(await reset({ ...FLAGS, 'data-dir': 'none' }, hostOf())).toBe(0);
  });
});
