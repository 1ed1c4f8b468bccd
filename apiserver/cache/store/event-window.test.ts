/** The limits of the event window, and its positions. */
import type { Entry } from '../cache';
import { ChangeLog, EventWindow, RecordedChange } from './event-window';

const entry = (key: string, size: number): Entry => ({
  key,
  revision: 1,
  bytes: Buffer.alloc(size),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

/** Bytes of the state that a change replaces, and what the window counts for such a change. */
const ENTRY_BYTES = 1000;
const CHANGE_COST = ENTRY_BYTES + 256;

interface ChangeOptions {
  readonly arrivedAt?: number;
  /** Bytes of the replaced state. */
  readonly size?: number;
}

/** Records a deletion of `a/one`. */
function change(
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
    const window = new EventWindow({ ageMs: 1000, bytes: 3 * CHANGE_COST }, (element) => released.push(element));
    const firstLog = new ChangeLog();
    const secondLog = new ChangeLog();
    const first = change(window, firstLog, 1);
    change(window, secondLog, 2);
    change(window, firstLog, 3);
    window.trim(0);
    expect([window.size, window.bytes]).toEqual([3, 3 * CHANGE_COST]);
    change(window, secondLog, 4);
    window.trim(0);
    expect([firstLog.floor, secondLog.floor, firstLog.size, secondLog.size]).toEqual([1, 0, 1, 2]);
    expect(released).toEqual([first.previous]);
    change(window, secondLog, 5);
    window.trim(0);
    expect([firstLog.floor, secondLog.floor]).toEqual([1, 2]);
  });

  it('drops changes over the maximum age', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    change(window, log, 1);
    change(window, log, 2, { arrivedAt: 500 });
    window.trim(1000);
    expect(log.size).toBe(2);
    window.trim(1001);
    expect([log.size, log.floor]).toEqual([1, 1]);
  });

  it('drops at most two thousand changes per trim', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    for (let revision = 1; revision <= 5_000; revision += 1) change(window, log, revision, { size: 1 });
    const left = [1, 2, 3].map(() => {
      window.trim(2000);
      return [log.size, log.floor];
    });
    expect(left).toEqual([
      [3_000, 2_000],
      [1_000, 4_000],
      [0, 5_000],
    ]);
  });

  it('stays consistent when a type starts a new log', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const before = new ChangeLog();
    const otherLog = new ChangeLog();
    change(window, before, 1);
    change(window, otherLog, 2);
    change(window, before, 3);
    const after = new ChangeLog(10);
    change(window, after, 11, { arrivedAt: 900 });
    expect([window.size, window.bytes, after.floor]).toEqual([4, 4 * CHANGE_COST, 10]);
    window.trim(1500);
    expect([window.size, before.size, after.floor, after.size, otherLog.floor, otherLog.size]).toEqual([1, 0, 10, 1, 2, 0]);
    window.trim(5000);
    expect([window.size, window.bytes, after.floor]).toEqual([0, 0, 11]);
  });

  it('positionAfter finds the first change after a revision', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    for (const revision of [2, 4, 4, 8]) change(window, log, revision);
    expect([1, 2, 3, 4, 7, 8, 9].map((revision) => log.positionAfter(revision))).toEqual([0, 1, 1, 3, 3, 4, 4]);
  });

  it('drops the frames of older changes', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    const changes = Array.from({ length: 6 }, (_, revision) => change(window, log, revision, { size: 1024 * 1024 }));
    for (const element of changes) element.frames.set('x', Buffer.alloc(1));
    expect(changes[5]?.frames.size).toBe(1);
    expect(changes[0]?.frames.size).toBe(0);
  });
});
