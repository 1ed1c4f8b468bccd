import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lockFolder } from '../../../shared/runtime/files/folder-lock';
import { createTestHost } from '../../../test/support/command-host';
import { freePort } from '../../../test/support/ports';
import { useFolder } from '../../../test/support/use-resource';
import { layoutOf } from '../../local/plan';
import { writeRunState } from '../../local/run-state';
import { formatStatus, status, STOPPED_EXIT_CODE, UNKNOWN_EXIT_CODE, type Status } from './status';

const folder = useFolder('status');

function setUp() {
  const directory = mkdtempSync(path.join(folder, 'data-'));
  const statusOf = async () => {
    const host = createTestHost({ directory });
    const code = await status({ 'data-dir': '.', output: 'json' }, host);
    return { code, value: JSON.parse(host.printed.output) as unknown };
  };
  /** The parent of the test's process lives as long as the test. */
  const holdFolder = (): void => {
    mkdirSync(layoutOf(directory).run);
    writeFileSync(layoutOf(directory).supervisor, `${process.ppid}\n`);
  };
  return { directory, statusOf, holdFolder };
}

describe('platform status', () => {
  it('exits with 3 when nothing runs, and still shows the size of the store', async () => {
    const { directory, statusOf } = setUp();
    mkdirSync(layoutOf(directory).store);
    writeFileSync(path.join(layoutOf(directory).store, 'data.mdb'), 'x'.repeat(5_000));
    const { code, value } = await statusOf();
    expect(code).toBe(STOPPED_EXIT_CODE);
    expect(value).toMatchObject({ state: 'stopped', pid: null, store: { kind: 'embedded', bytes: 5_000 }, replicas: [], certificates: [] });
  });

  it('exits with 4 while a process of another container holds the folder, and with 3 after it has released it', async () => {
    const { directory, statusOf, holdFolder } = setUp();
    const { run } = layoutOf(directory);
    const holder = 'process 1 on 1a2b3c4d5e6f';
    holdFolder();
    const lock = lockFolder(run);
    writeFileSync(path.join(run, 'lock'), `${holder}\n`);
    expect(await statusOf()).toMatchObject({ code: UNKNOWN_EXIT_CODE, value: { state: 'unknown', holder, pid: null } });
    lock.release();
    rmSync(layoutOf(directory).supervisor);
    expect(await statusOf()).toMatchObject({ code: STOPPED_EXIT_CODE, value: { state: 'stopped', holder: null } });
  });

  it('exits with 1 while the control plane starts, and when a replica does not respond', async () => {
    const { directory, statusOf, holdFolder } = setUp();
    holdFolder();
    expect(await statusOf()).toMatchObject({ code: 1, value: { state: 'starting', pid: process.ppid } });
    const replicas = [{ name: 'apiserver', address: `https://127.0.0.1:${await freePort()}`, insecureAddress: '' }];
    writeRunState(directory, { pid: process.ppid, startedAt: '2026-01-01T00:00:00Z', replicas, etcdServers: ['http://a:1'], logs: '' });
    expect(await statusOf()).toMatchObject({
      code: 1,
      value: {
        state: 'not ready',
        replicas: [{ ready: false }],
        leaders: [],
        store: { kind: 'etcd', location: 'http://a:1', bytes: null },
      },
    });
  });
});

describe('formatStatus', () => {
  const NOW = Date.UTC(2026, 0, 2);
  const lease = (controller: string, holder: string) => ({ controller, holder, renewedAt: '2026-01-01T23:59:58.000000Z' });
  const running: Status = {
    state: 'running',
    holder: null,
    dataDir: '/d',
    pid: 7,
    startedAt: '2026-01-01T22:00:00Z',
    address: 'https://127.0.0.1:6443',
    replicas: [{ name: 'apiserver', address: 'https://127.0.0.1:6443', insecureAddress: '', ready: true }],
    leaders: [lease('job', 'a'), lease('node', 'b'), lease('deployment', 'a'), lease('cronjob', '')],
    store: { kind: 'etcd', location: 'http://a:1', bytes: 3 << 20 },
    logs: '/d/logs',
    certificates: [
      { name: 'ca', subject: 'platform-ca', issuer: 'platform-ca', expires: '2026-01-02T05:00:00.000Z', remainingMs: 0, isAuthority: true },
    ],
  };

  it('prints facts, then a table for replicas, leaders and certificates', () => {
    expect(formatStatus(running, NOW)).toBe(`state         running (process 7, for 2h)
data folder   /d
address       https://127.0.0.1:6443
store         etcd, 3.0 MiB, http://a:1
logs          /d/logs

REPLICA     ADDRESS                  READY
apiserver   https://127.0.0.1:6443   yes

LEADER   OF                RENEWED
a        job, deployment   2s ago
b        node              2s ago
(none)   cronjob           2s ago

CERTIFICATE   SUBJECT       ISSUER        EXPIRES      REMAINING
ca            platform-ca   (authority)   2026-01-02   expired
`);
  });

  it('names the process of another container that uses the folder', () => {
    const status: Status = { ...running, state: 'unknown', holder: 'process 1 on 1a2b3c4d5e6f', pid: null, startedAt: null };
    expect(formatStatus(status, NOW)).toMatch(/^state +unknown \(process 1 on 1a2b3c4d5e6f uses the folder\)$/m);
  });

  it('counts the controllers of a process that leads many', () => {
    const leaders = ['a', 'b', 'c', 'd'].map((name) => lease(name, 'holder'));
    expect(formatStatus({ ...running, leaders }, NOW)).toContain('holder   4 controllers   2s ago\n');
  });
});
