/** Notification of file changes: with real files and events, and with a manual clock where events are missing. */
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

/** A new folder for each test, and a file in it, which does not exist yet. */
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'watched-'));
  file = path.join(folder, 'a');
});
afterEach(() => rmSync(folder, { recursive: true }));

const setUp = () => ({ clock: new ManualClock(), onChange: jest.fn(() => Promise.resolve()) });

describe('watchFiles without events', () => {
  const events = noFileEvents;

  it('reports each write, creation and removal within a minute, until it is stopped', async () => {
    const { clock, onChange } = setUp();
    const end = watchFiles({ paths: [file], clock, onChange, events });
    await clock.advanceAsync(120_000);
    expect(onChange).toHaveBeenCalledTimes(0);
    writeFileSync(file, 'one');
    await clock.advanceAsync(120_000);
    expect(onChange).toHaveBeenCalledTimes(1);
    rmSync(file);
    await clock.advanceAsync(120_000);
    expect(onChange).toHaveBeenCalledTimes(2);
    end();
    writeFileSync(file, 'two');
    await clock.advanceAsync(120_000);
    expect(onChange).toHaveBeenCalledTimes(2);
    expect(clock.pending).toBe(0);
  });

  it('compares contents: reports a write that keeps size and mtime, and ignores a new mtime alone', async () => {
    const { clock, onChange } = setUp();
    writeFileSync(file, 'one');
    const { atime, mtime } = statSync(file);
    const end = watchFiles({ paths: [file], clock, onChange, events });
    writeFileSync(file, 'two');
    utimesSync(file, atime, mtime);
    await clock.advanceAsync(60_000);
    expect(onChange).toHaveBeenCalledTimes(1);
    utimesSync(file, new Date(0), new Date(0));
    await clock.advanceAsync(60_000);
    expect(onChange).toHaveBeenCalledTimes(1);
    end();
  });

  it('does not read a pipe', async () => {
    const { clock, onChange } = setUp();
    execFileSync('mkfifo', [file]);
    const end = watchFiles({ paths: [file], clock, onChange, events });
    await clock.advanceAsync(60_000);
    expect(onChange).toHaveBeenCalledTimes(0);
    end();
  });

  it('calls onChange every ten seconds while isReloadDue returns true', async () => {
    const { clock, onChange } = setUp();
    let isDue = false;
    const end = watchFiles({ paths: [file], clock, onChange, events, isReloadDue: () => isDue });
    await clock.advanceAsync(10_000);
    isDue = true;
    await clock.advanceAsync(20_000);
    expect(onChange).toHaveBeenCalledTimes(2);
    end();
  });

  it('sets no further timer when it is stopped during a callback', async () => {
    const { clock } = setUp();
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
    const { clock, onChange } = setUp();
    const seen = contentStamp([file]);
    writeFileSync(file, 'one');
    const end = watchFiles({ paths: [file], clock, onChange, events, knownStamp: seen });
    await clock.advanceAsync(100);
    expect(onChange).toHaveBeenCalledTimes(1);
    end();
  });
});

describe('watchFiles with events', () => {
  it('reads a file 100 ms after the last event, and runs one callback at a time', async () => {
    const { clock } = setUp();
    let notify: () => void = () => undefined;
    let openWatches = 0;
    /** Ends each callback that was started, in the order of the starts. */
    const finish: (() => void)[] = [];
    const slow = (): Promise<void> => new Promise((resolve) => finish.push(resolve));
    const events: FileEvents = (_paths, notifier) => {
      notify = notifier;
      openWatches += 1;
      return () => void (openWatches -= 1);
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
    expect(finish).toHaveLength(2);
    expect(openWatches).toBe(1);
    end();
    expect(openWatches).toBe(0);
    expect(clock.pending).toBe(0);
  });

  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  /** Mounts a volume as the kubelet does: the file is a link through the link `..data`, which is swapped. */
  const mount = (version: string): void => {
    mkdirSync(path.join(folder, version));
    write(path.join(version, 'a'), version);
    symlinkSync(version, path.join(folder, '..next'));
    renameSync(path.join(folder, '..next'), path.join(folder, '..data'));
  };

  it.each<[string, prepare: () => void, change: () => void]>([
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
  ])('reports a file that %s', async (_name, prepare, change) => {
    const { onChange } = setUp();
    prepare();
    const end = watchFiles({ paths: [file], clock: systemClock, onChange });
    try {
      change();
      await waitUntil('the change to be noticed', () => onChange.mock.calls.length > 0);
    } finally {
      end();
    }
  });
});
