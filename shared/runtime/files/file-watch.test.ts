import { mkdtempSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { noFileEvents } from '../../../test/support/no-file-events';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { waitUntil } from '../../../test/support/programs';
import { systemClock } from '../clock';
import type { FileEvents } from './file-events';
import { contentStamp, watchFiles } from './file-watch';

let folder: string;
let file: string;
let clock: ManualClock;
let changes: number;
const changed = async (): Promise<void> => void (changes += 1);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'watched-'));
  file = path.join(folder, 'a');
  clock = new ManualClock();
  changes = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('watchFiles without events', () => {
  const events = noFileEvents;

  it('reports each write, creation and removal within a minute, until it is stopped', async () => {
    const end = watchFiles({ paths: [file], clock, onChange: changed, events });
    await clock.advanceAsync(120_000);
    expect(changes).toBe(0);
    writeFileSync(file, 'one');
    await clock.advanceAsync(120_000);
    expect(changes).toBe(1);
    rmSync(file);
    await clock.advanceAsync(120_000);
    expect(changes).toBe(2);
    end();
    writeFileSync(file, 'two');
    await clock.advanceAsync(120_000);
    expect([changes, clock.pending]).toEqual([2, 0]);
  });

  it('compares contents: reports a write that keeps size and mtime, and ignores a new mtime alone', async () => {
    writeFileSync(file, 'one');
    const { atime, mtime } = statSync(file);
    const end = watchFiles({ paths: [file], clock, onChange: changed, events });
    writeFileSync(file, 'two');
    utimesSync(file, atime, mtime);
    await clock.advanceAsync(60_000);
    expect(changes).toBe(1);
    utimesSync(file, new Date(0), new Date(0));
    await clock.advanceAsync(60_000);
    expect(changes).toBe(1);
    end();
  });

  it('does not read a pipe', async () => {
    execFileSync('mkfifo', [file]);
    const end = watchFiles({ paths: [file], clock, onChange: changed, events });
    await clock.advanceAsync(60_000);
    expect(changes).toBe(0);
    end();
  });

  it('calls back every ten seconds while due() is true', async () => {
    let isDue = false;
    const end = watchFiles({ paths: [file], clock, onChange: changed, events, isReloadDue: () => isDue });
    await clock.advanceAsync(10_000);
    isDue = true;
    await clock.advanceAsync(20_000);
    expect(changes).toBe(2);
    end();
  });

  it('sets no further timer when it is stopped during a callback', async () => {
    let finish: () => void = () => undefined;
    const slow = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    const end = watchFiles({ paths: [], clock, isReloadDue: () => true, onChange: slow, events });
    await clock.advanceAsync(10_000);
    end();
    finish();
    await clock.advanceAsync(60_000);
    expect(clock.pending).toBe(0);
  });

  it('reports a change since the given stamp immediately', async () => {
    const seen = contentStamp([file]);
    writeFileSync(file, 'one');
    const end = watchFiles({ paths: [file], clock, onChange: changed, events, knownStamp: seen });
    await clock.advanceAsync(100);
    expect(changes).toBe(1);
    end();
  });
});

describe('watchFiles with events', () => {
  it('reads a file 100 ms after the last event, and runs one callback at a time', async () => {
    let notify: () => void = () => undefined;
    let followed = 0;
    const finish: (() => void)[] = [];
    const slow = (): Promise<void> => new Promise((resolve) => finish.push(resolve));
    const events: FileEvents = (_paths, notifier) => {
      notify = notifier;
      followed += 1;
      return () => void (followed -= 1);
    };
    const end = watchFiles({ paths: [file], clock, onChange: slow, events });
    for (const text of ['half', 'whole']) {
      writeFileSync(file, text);
      notify();
      await clock.advanceAsync(99);
    }
    expect(finish).toHaveLength(0);
    await clock.advanceAsync(1);
    expect(finish).toHaveLength(1);
    writeFileSync(file, 'next');
    notify();
    await clock.advanceAsync(100);
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await flushPromises();
    expect([finish.length, followed]).toEqual([2, 1]);
    end();
    expect([followed, clock.pending]).toEqual([0, 0]);
  });

  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  /** Mounts a volume as the kubelet does: the file is a link through the link `..data`, which is swapped. */
  const mount = (version: string): void => {
    mkdirSync(path.join(folder, version));
    write(path.join(version, 'a'), version);
    symlinkSync(version, path.join(folder, '..next'));
    renameSync(path.join(folder, '..next'), path.join(folder, '..data'));
  };

  it.each<[string, () => void, () => void]>([
    ['is written', () => write('a', 'one'), () => write('a', 'two')],
    ['is created', () => undefined, () => write('a', 'one')],
    ['is removed', () => write('a', 'one'), () => rmSync(file)],
    [
      'is replaced',
      () => write('a', 'one'),
      () => {
        write('b', 'two');
        renameSync(path.join(folder, 'b'), file);
      },
    ],
    [
      'is a link to another folder, where it is written',
      () => {
        mkdirSync(path.join(folder, 'other'));
        write('other/target', 'one');
        symlinkSync(path.join(folder, 'other/target'), file);
      },
      () => write('other/target', 'two'),
    ],
    [
      'is in a volume that the kubelet updates',
      () => {
        mount('..1');
        symlinkSync('..data/a', file);
      },
      () => mount('..2'),
    ],
  ])('reports a file that %s', async (_name, before, then) => {
    before();
    const end = watchFiles({ paths: [file], clock: systemClock, onChange: changed });
    try {
      then();
      await waitUntil('the change to be noticed', () => changes > 0);
    } finally {
      end();
    }
  });
});
