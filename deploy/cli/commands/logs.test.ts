import { appendFileSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTestHost } from '../../../test/support/command-host';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { useFolder } from '../../../test/support/use-resource';
import { layoutOf } from '../../local/plan';
import { writeRunState } from '../../local/run-state';
import { logs } from './logs';

const FLAGS = { 'data-dir': '.', follow: false, tail: -1 };
const parent = useFolder('logs');

/** A data folder `directory` with the folder of its logs. */
function setUp() {
  const directory = mkdtempSync(path.join(parent, 'data-'));
  const folder = path.join(directory, 'logs');
  mkdirSync(folder);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  const printed = async (flags: Partial<typeof FLAGS>, ...operands: string[]): Promise<string> => {
    const host = createTestHost({ directory });
    expect(await logs({ ...FLAGS, ...flags }, operands, host)).toBe(0);
    return host.printed.output;
  };
  return { directory, folder, write, printed };
}

describe('platform logs', () => {
  it('prints the previous and the current file of a program', async () => {
    const { write, printed } = setUp();
    write('apiserver.log.1', 'a\n');
    write('apiserver.log', 'b\n');
    write('controllers.log', 'c\n');
    expect(await printed({}, 'apiserver')).toBe('a\nb\n');
  });

  it('prints a heading before each of several files', async () => {
    const { write, printed } = setUp();
    write('controllers.log', 'c\n');
    write('apiserver-0.log', 'a\n');
    write('apiserver-1.log', '');
    write('other.txt', 'x');
    expect(await printed({})).toBe('==> apiserver-0.log <==\na\n\n==> controllers.log <==\nc\n');
    expect(await printed({}, 'apiserver')).toBe('==> apiserver-0.log <==\na\n');
  });

  it.each([
    [2, 'b\nc\n'],
    [9, 'a\nb\nc\n'],
    [0, ''],
  ])('prints the last %d lines', async (tail, text) => {
    const { write, printed } = setUp();
    write('apiserver.log.1', 'a\nb\n');
    write('apiserver.log', 'c\n');
    expect(await printed({ tail }, 'apiserver')).toBe(text);
  });

  it('fails without logs, and for a control plane in the foreground', async () => {
    const { directory, folder } = setUp();
    const run = () => logs(FLAGS, ['apiserver'], createTestHost({ directory }));
    await expect(run()).rejects.toThrow(`there are no logs in ${folder}`);
    const layout = layoutOf(directory);
    mkdirSync(layout.run);
    writeFileSync(layout.supervisor, `${process.ppid}\n`);
    writeRunState(directory, { pid: process.ppid, startedAt: '', replicas: [], etcdServers: [], logs: '' });
    await expect(run()).rejects.toThrow('runs in the foreground');
  });
});

describe('platform logs --follow', () => {
  it('prints new lines, also after a rotation, until SIGINT', async () => {
    const { directory, folder, write } = setUp();
    const clock = new ManualClock();
    const host = createTestHost({ directory, clock });
    write('apiserver.log', 'a\n');
    const file = path.join(folder, 'apiserver.log');
    const following = logs({ ...FLAGS, follow: true, tail: 0 }, ['apiserver'], host);
    appendFileSync(file, 'b\n');
    await clock.advanceAsync(200);
    appendFileSync(file, 'c\n');
    renameSync(file, `${file}.1`);
    await clock.advanceAsync(200);
    writeFileSync(file, 'd\n');
    await clock.advanceAsync(200);
    expect(host.printed.output).toBe('b\nc\nd\n');
    host.signal('SIGINT');
    expect(await following).toBe(0);
  });
});
