/** The changes that the event window drops at its limits, and the positions of those that it keeps. */
import type { Entry } from '../cache';
import { ChangeLog, EventWindow, RecordedChange } from './event-window';

/** An entry with so many bytes. */
const entry = (key: string, size: number): Entry => ({
  key,
  revision: 1,
  bytes: Buffer.alloc(size),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

/** Bytes of the state that a change replaces. */
const ENTRY_BYTES = 1000;
/** What the window counts for such a change: the bytes and a constant. */
const CHANGE_COST = 1256;

interface ChangeOptions {
  readonly arrivedAt?: number;
  /** Bytes of the replaced state. */
  readonly size?: number;
}

/** Records a deletion of `a/one`, at 0 ms and of 1,000 bytes by default. */
function recordChange(
  window: EventWindow,
  log: ChangeLog,
  revision: number,
  { arrivedAt = 0, size = ENTRY_BYTES }: ChangeOptions = {},
): RecordedChange {
  const recorded = new RecordedChange(revision, 'a/one', undefined, entry('a/one', size), arrivedAt, window.frames);
  window.record(log, recorded);
  return recorded;
}

describe('EventWindow', () => {
  it('drops the oldest changes over all types when it exceeds its size, and updates the floor of each log', () => {
    const released: unknown[] = [];
    const window = new EventWindow({ ageMs: 1000, bytes: 3 * CHANGE_COST }, (state) => released.push(state));
    const firstLog = new ChangeLog();
    const secondLog = new ChangeLog();
    const first = recordChange(window, firstLog, 1);
    recordChange(window, secondLog, 2);
    recordChange(window, firstLog, 3);
    window.trim(0);
    expect(window.size).toBe(3);
    expect(window.bytes).toBe(3 * CHANGE_COST);
    recordChange(window, secondLog, 4);
    window.trim(0);
    expect(firstLog).toMatchObject({ floor: 1, size: 1 });
    expect(secondLog).toMatchObject({ floor: 0, size: 2 });
    expect(released).toEqual([first.previous]);
    recordChange(window, secondLog, 5);
    window.trim(0);
    expect(firstLog.floor).toBe(1);
    expect(secondLog.floor).toBe(2);
  });

  it('drops changes over the maximum age', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    recordChange(window, log, 1);
    recordChange(window, log, 2, { arrivedAt: 500 });
    window.trim(1000);
    expect(log.size).toBe(2);
    window.trim(1001);
    expect(log).toMatchObject({ floor: 1, size: 1 });
  });

  it('drops at most two thousand changes per trim', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    for (let revision = 1; revision <= 5_000; revision += 1) recordChange(window, log, revision);
    window.trim(2000);
    expect(log).toMatchObject({ floor: 2_000, size: 3_000 });
    window.trim(2000);
    expect(log).toMatchObject({ floor: 4_000, size: 1_000 });
    window.trim(2000);
    expect(log).toMatchObject({ floor: 5_000, size: 0 });
  });

  it('counts the changes of an old log of a type until they are too old', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const oldLog = new ChangeLog();
    const newLog = new ChangeLog(10);
    const otherLog = new ChangeLog();
    recordChange(window, oldLog, 1);
    recordChange(window, otherLog, 2);
    recordChange(window, oldLog, 3);
    recordChange(window, newLog, 11, { arrivedAt: 900 });
    expect(window).toMatchObject({ size: 4, bytes: 4 * CHANGE_COST });
    expect(newLog.floor).toBe(10);
    window.trim(1500);
    expect(window.size).toBe(1);
    expect(oldLog.size).toBe(0);
    expect(newLog).toMatchObject({ floor: 10, size: 1 });
    expect(otherLog).toMatchObject({ floor: 2, size: 0 });
    window.trim(5000);
    expect(window).toMatchObject({ size: 0, bytes: 0 });
    expect(newLog.floor).toBe(11);
  });

  it('positionAfter finds the first change after a revision', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    // The changes at the positions 0 to 3.
    for (const revision of [2, 4, 4, 8]) recordChange(window, log, revision);
    expect(log.positionAfter(1)).toBe(0);
    expect(log.positionAfter(2)).toBe(1);
    expect(log.positionAfter(3)).toBe(1);
    expect(log.positionAfter(4)).toBe(3);
    expect(log.positionAfter(7)).toBe(3);
    expect(log.positionAfter(8)).toBe(4);
    expect(log.positionAfter(9)).toBe(4);
  });

  it('drops the frames of the oldest changes when changes with frames exceed 4 MiB', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    const changes = Array.from({ length: 6 }, (_, revision) => recordChange(window, log, revision, { size: 1024 * 1024 }));
    for (const change of changes) change.frames.set('json', Buffer.alloc(1));
    const [oldest, newest] = [changes.at(0), changes.at(-1)];
    expect(newest?.frames.size).toBe(1);
    expect(oldest?.frames.size).toBe(0);
  });
});
