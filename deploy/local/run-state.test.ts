import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseRunnerOptions } from '../../test/support/runner-options';
import { useFolder } from '../../test/support/use-resource';
import { layoutOf } from './plan';
import { describeRun, readRunState, removeRunState, writeRunState } from './run-state';

const folder = useFolder('run-state');
/** The parent of this process, which lives as long as the test. The id of this process does not count as a live one. */
const supervisorPid = process.ppid;

function setUp() {
  const dataDir = mkdtempSync(path.join(folder, 'data-'));
  mkdirSync(path.join(dataDir, 'run'));
  const optionsOf = (...argv: string[]) => parseRunnerOptions([`--data-dir=${dataDir}`, ...argv]);
  const writeSupervisorPid = (pid: number): void => writeFileSync(layoutOf(dataDir).supervisor, `${pid}\n`);
  return { dataDir, optionsOf, writeSupervisorPid };
}

describe('readRunState', () => {
  it('returns the state that the live supervisor wrote', () => {
    const { dataDir, optionsOf, writeSupervisorPid } = setUp();
    writeSupervisorPid(supervisorPid);
    const options = optionsOf('--replicas=2', '--etcd-servers=http://a:1', '--secure-port=7000', '--insecure-port=9000');
    const state = { ...describeRun(options, '/logs', Date.UTC(2026, 0, 1)), pid: supervisorPid };
    writeRunState(dataDir, state);
    expect(readRunState(layoutOf(dataDir))).toEqual({
      kind: 'ready',
      state: {
        pid: supervisorPid,
        startedAt: '2026-01-01T00:00:00.000Z',
        replicas: [
          { name: 'apiserver-0', address: 'https://127.0.0.1:7000', insecureAddress: 'http://127.0.0.1:9000' },
          { name: 'apiserver-1', address: 'https://127.0.0.1:7001', insecureAddress: 'http://127.0.0.1:9001' },
        ],
        etcdServers: ['http://a:1'],
        logs: '/logs',
      },
    });
  });

  it('returns `starting` while the state is that of another supervisor', () => {
    const { dataDir, optionsOf, writeSupervisorPid } = setUp();
    writeSupervisorPid(supervisorPid);
    // describeRun states the pid of this process, which is not the supervisor of the folder.
    writeRunState(dataDir, describeRun(optionsOf(), '', 0));
    expect(readRunState(layoutOf(dataDir))).toEqual({ kind: 'starting', pid: supervisorPid });
  });

  it.each(['', '[]', '{', '{"pid":"1"}'])('returns `starting` while the state file is %j', (text) => {
    const { dataDir, writeSupervisorPid } = setUp();
    writeSupervisorPid(supervisorPid);
    writeFileSync(layoutOf(dataDir).state, text);
    expect(readRunState(layoutOf(dataDir)).kind).toBe('starting');
  });

  it('returns `stopped` without a live supervisor', () => {
    const { dataDir, optionsOf } = setUp();
    expect(readRunState(layoutOf(dataDir))).toEqual({ kind: 'stopped' });
    writeRunState(dataDir, { ...describeRun(optionsOf(), '', 0), pid: supervisorPid });
    expect(readRunState(layoutOf(dataDir))).toEqual({ kind: 'stopped' });
  });

  it('returns `starting` after the state is removed', () => {
    const { dataDir, optionsOf, writeSupervisorPid } = setUp();
    writeSupervisorPid(supervisorPid);
    writeRunState(dataDir, { ...describeRun(optionsOf(), '', 0), pid: supervisorPid });
    expect(readRunState(layoutOf(dataDir)).kind).toBe('ready');
    removeRunState(dataDir);
    expect(readRunState(layoutOf(dataDir)).kind).toBe('starting');
  });
});
