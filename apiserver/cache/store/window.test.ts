import type { Entry } from '../cache';
import { ChangeLog, EventWindow, RecordedChange } from './window';

const entry = (key: string, size: number): Entry => ({
  key,
  revision: 1,
  bytes: Buffer.alloc(size),
  labels: {},
  fields: {},
  dialectSensitive: false,
});

function change(window: EventWindow, log: ChangeLog, revision: number, arrived = 0, size = 1000): RecordedChange {
  const made = new RecordedChange(revision, 'a/one', undefined, entry('a/one', size), arrived, window.frames);
  window.record(log, made);
  return made;
}

describe('the recent-event window', () => {
  it('drops the oldest over all types when it holds too much, and each type knows how far back it reaches', () => {
    const released: unknown[] = [];
    const window = new EventWindow({ ageMs: 1000, bytes: 3 * 1256 }, (one) => released.push(one));
    const one = new ChangeLog();
    const two = new ChangeLog();
    const first = change(window, one, 1);
    change(window, two, 2);
    change(window, one, 3);
    window.trim(0);
    expect([window.size, window.bytes]).toEqual([3, 3 * 1256]);
    change(window, two, 4);
    window.trim(0);
    expect([one.floor, two.floor, one.size, two.size]).toEqual([1, 0, 1, 2]);
    expect(released).toEqual([first.previous]);
    change(window, two, 5);
    window.trim(0);
    expect([one.floor, two.floor]).toEqual([1, 2]);
  });

  it('drops what is too old', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    change(window, log, 1, 0);
    change(window, log, 2, 500);
    window.trim(1000);
    expect(log.size).toBe(2);
    window.trim(1001);
    expect([log.size, log.floor]).toEqual([1, 1]);
  });

  it('drops two thousand changes at a time', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    for (let revision = 1; revision <= 5_000; revision += 1) change(window, log, revision, 0, 1);
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

  it('keeps its books when a type begins a new log in between', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const before = new ChangeLog();
    const two = new ChangeLog();
    change(window, before, 1, 0);
    change(window, two, 2, 0);
    change(window, before, 3, 0);
    const after = new ChangeLog(10);
    change(window, after, 11, 900);
    expect([window.size, window.bytes, after.floor]).toEqual([4, 4 * 1256, 10]);
    window.trim(1500);
    expect([window.size, before.size, after.floor, after.size, two.floor, two.size]).toEqual([1, 0, 10, 1, 2, 0]);
    window.trim(5000);
    expect([window.size, window.bytes, after.floor]).toEqual([0, 0, 11]);
  });

  it('finds the first change after a revision', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    for (const revision of [2, 4, 4, 8]) change(window, log, revision);
    expect([1, 2, 3, 4, 7, 8, 9].map((revision) => log.after(revision))).toEqual([0, 1, 1, 3, 3, 4, 4]);
  });

  it('lets go of the frames of older changes', () => {
    const window = new EventWindow({ ageMs: 1000, bytes: 1e9 }, () => undefined);
    const log = new ChangeLog();
    const changes = Array.from({ length: 6 }, (_, i) => change(window, log, i, 0, 1024 * 1024));
    for (const one of changes) one.frames.set('x', Buffer.alloc(1));
    expect(changes[5]?.frames.size).toBe(1);
    expect(changes[0]?.frames.size).toBe(0);
  });
});
