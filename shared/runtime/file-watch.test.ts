import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock } from '../../test/support/manual-clock';
import { watchFiles } from './file-watch';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'watched-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('tells once of each change, of a file that comes and of one that goes, until it is ended', async () => {
  const clock = new ManualClock();
  const file = path.join(folder, 'a');
  let changes = 0;
  const changed = async (): Promise<void> => void (changes += 1);
  const end = watchFiles({ paths: [file], clock, changed });
  await clock.advanceAsync(30_000);
  expect(changes).toBe(0);
  writeFileSync(file, 'one');
  await clock.advanceAsync(30_000);
  expect(changes).toBe(1);
  rmSync(file);
  await clock.advanceAsync(30_000);
  expect(changes).toBe(2);
  end();
  writeFileSync(file, 'two');
  await clock.advanceAsync(30_000);
  expect([changes, clock.pending]).toEqual([2, 0]);
});

it('ends for good while a change is being dealt with', async () => {
  const clock = new ManualClock();
  let dealt: () => void = () => undefined;
  const changed = (): Promise<void> => new Promise((resolve) => (dealt = resolve));
  const end = watchFiles({ paths: [], clock, due: () => true, changed });
  await clock.advanceAsync(10_000);
  end();
  dealt();
  await clock.advanceAsync(60_000);
  expect(clock.pending).toBe(0);
});
