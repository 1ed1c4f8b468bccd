import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestHost } from '../../../test/support/command-host';
import { acquireProcessFile } from '../../local/process-file';
import { reset } from './reset';

let directory: string;
let dataDir: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'reset-'));
  dataDir = path.join(directory, 'data');
  for (const folder of ['run', 'pki', 'store', 'logs']) mkdirSync(path.join(dataDir, folder), { recursive: true });
  for (const file of ['pki/ca.crt', 'store/data.mdb', 'logs/apiserver.log', 'admin.kubeconfig', 'controllers.kubeconfig']) {
    writeFileSync(path.join(dataDir, file), '');
  }
});
afterEach(() => rmSync(directory, { recursive: true }));

const FLAGS = { 'data-dir': 'data', yes: true };
const hostOf = (answer?: string) => createTestHost({ directory, ...(answer !== undefined && { answer }) });

describe('platform reset', () => {
  it('deletes the whole folder', async () => {
    expect(await reset(FLAGS, hostOf())).toBe(0);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('leaves files that the control plane did not create', async () => {
    writeFileSync(path.join(dataDir, 'audit.log'), '');
    const host = hostOf();
    await reset(FLAGS, host);
    expect(readdirSync(dataDir)).toEqual(['audit.log']);
    expect(host.printed.output).toContain('audit.log');
  });

  it.each(['pki/ca.crt', 'run'])('refuses a folder without %s', async (entry) => {
    rmSync(path.join(dataDir, entry), { recursive: true });
    await expect(reset(FLAGS, hostOf())).rejects.toThrow('is not the data folder of a control plane');
    expect(existsSync(path.join(dataDir, 'store/data.mdb'))).toBe(true);
  });

  it.each(['supervisor', 'apiserver-0', 'controllers'])('refuses while the process of %s.pid runs', async (name) => {
    writeFileSync(path.join(dataDir, 'run', `${name}.pid`), `${process.ppid}\n`);
    await expect(reset(FLAGS, hostOf())).rejects.toThrow(`in use by the running process ${process.ppid} (${name})`);
    expect(existsSync(path.join(dataDir, 'store/data.mdb'))).toBe(true);
  });

  it('refuses while a process with the same id in another container runs', async () => {
    const release = acquireProcessFile(path.join(dataDir, 'run/supervisor.pid'));
    await expect(reset(FLAGS, hostOf())).rejects.toThrow(`in use by process ${process.pid} on `);
    expect(existsSync(path.join(dataDir, 'store/data.mdb'))).toBe(true);
    release();
  });

  it.each([
    ['y', true],
    ['YES', true],
    ['', false],
    ['n', false],
    ['yesterday', false],
  ])('asks without --yes; the answer %j deletes: %p', async (answer, isDeleted) => {
    const host = hostOf(answer);
    const outcome = reset({ ...FLAGS, yes: false }, host);
    if (isDeleted) await outcome;
    else await expect(outcome).rejects.toThrow('nothing was deleted');
    expect(host.questions).toEqual([`Delete the certificates and all data in ${dataDir}? [y/N] `]);
    expect(existsSync(dataDir)).toBe(!isDeleted);
  });

  it('needs --yes without a terminal', async () => {
    await expect(reset({ ...FLAGS, yes: false }, hostOf())).rejects.toThrow('confirm with --yes');
    expect(existsSync(dataDir)).toBe(true);
  });

  it('succeeds when there is no folder', async () => {
    expect(await reset({ ...FLAGS, 'data-dir': 'none' }, hostOf())).toBe(0);
  });
});
