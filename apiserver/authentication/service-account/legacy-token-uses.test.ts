import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { legacyTokenUseRecorder } from './legacy-token-uses';

const MINUTE = 60_000;
const S = { namespace: 'ns', name: 's' };

let clock: ManualClock;
let marked: string[];
let failures: string[];
let answer: () => Promise<void>;
let used: ReturnType<typeof legacyTokenUseRecorder>;

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 0, 2, 23, 58));
  marked = [];
  failures = [];
  answer = () => Promise.resolve();
  used = legacyTokenUseRecorder({
    clock,
    recordLastUsed: ({ name }, day) => {
      marked.push(`${name} ${day}`);
      return answer();
    },
    onError: (message) => void failures.push(message),
  });
});

it('legacy token use is recorded as the UTC date when the Secret has an older one', async () => {
  for (const day of ['2026-01-02', '2026-01-03']) used(S, day);
  expect(marked).toEqual([]);
  used(S, '2026-01-04');
  await flushPromises(3);
  expect(marked).toEqual(['s 2026-01-02']);
  clock.advance(2 * MINUTE);
  used(S, '2026-01-02');
  expect(marked).toEqual(['s 2026-01-02', 's 2026-01-03']);
});

it('legacy token use is written once and retried after a minute when the write fails', async () => {
  answer = () => Promise.reject(new Error('no'));
  for (let round = 0; round < 100; round += 1) used(S, '');
  await flushPromises(3);
  expect(marked).toHaveLength(1);
  expect(failures).toEqual(['the use of the token in secret ns/s could not be recorded']);
  clock.advance(MINUTE - 1);
  used(S, '');
  expect(marked).toHaveLength(1);
  clock.advance(1);
  used(S, '');
  expect(marked).toHaveLength(2);
});

it('legacy token use has at most four concurrent writes and records a skipped use at the next one', async () => {
  const release: (() => void)[] = [];
  answer = () => new Promise((resolve) => release.push(resolve));
  const secretNames = Array.from({ length: 5000 }, (_item, index) => ({ namespace: 'ns', name: `s${index}` }));
  for (const secret of secretNames) used(secret, '');
  expect(marked).toHaveLength(4);
  for (const go of release.splice(0)) go();
  await flushPromises(3);
  for (const secret of secretNames) used(secret, '');
  expect(marked).toHaveLength(8);
  expect(new Set(marked).size).toBe(8);
});
