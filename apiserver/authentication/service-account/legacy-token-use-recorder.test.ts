/** How often the use of a token in a Secret is written, with a manual clock. */
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { legacyTokenUseRecorder } from './legacy-token-use-recorder';

const MINUTE_MS = 60_000;
const SECRET = { namespace: 'ns', name: 's' };

/**
 * A recorder at two minutes before midnight UTC of 2026-01-02. `write` completes each write; `writes` lists the writes as
 * `name day`.
 */
function createFixture(write: () => Promise<void> = () => Promise.resolve()) {
  const clock = new ManualClock(Date.UTC(2026, 0, 2, 23, 58));
  const writes: string[] = [];
  const failures: string[] = [];
  const recordUse = legacyTokenUseRecorder({
    clock,
    recordLastUsed: ({ name }, day) => {
      writes.push(`${name} ${day}`);
      return write();
    },
    onError: (message) => void failures.push(message),
  });
  return { clock, writes, failures, recordUse };
}

describe('legacy token use', () => {
  it('is recorded as the UTC date unless the Secret has this date or the next one', async () => {
    const { clock, writes, recordUse } = createFixture();
    for (const day of ['2026-01-02', '2026-01-03']) recordUse(SECRET, day);
    expect(writes).toEqual([]);
    recordUse(SECRET, '2026-01-04');
    await flushPromises(3);
    expect(writes).toEqual(['s 2026-01-02']);
    clock.advance(2 * MINUTE_MS);
    recordUse(SECRET, '2026-01-02');
    expect(writes).toEqual(['s 2026-01-02', 's 2026-01-03']);
  });

  it('is written once and retried after a minute when the write fails', async () => {
    const { clock, writes, failures, recordUse } = createFixture(() => Promise.reject(new Error('no')));
    for (let use = 0; use < 100; use += 1) recordUse(SECRET, '');
    await flushPromises(3);
    expect(writes).toHaveLength(1);
    expect(failures).toEqual(['the use of the token in secret ns/s could not be recorded']);
    clock.advance(MINUTE_MS - 1);
    recordUse(SECRET, '');
    expect(writes).toHaveLength(1);
    clock.advance(1);
    recordUse(SECRET, '');
    expect(writes).toHaveLength(2);
  });

  it('has at most four concurrent writes and records a skipped use at the next one', async () => {
    const releases: (() => void)[] = [];
    const { writes, recordUse } = createFixture(() => new Promise((resolve) => releases.push(resolve)));
    const secrets = Array.from({ length: 5000 }, (_, index) => ({ namespace: 'ns', name: `s${index}` }));
    for (const secret of secrets) recordUse(secret, '');
    expect(writes).toHaveLength(4);
    for (const release of releases.splice(0)) release();
    await flushPromises(3);
    for (const secret of secrets) recordUse(secret, '');
    expect(writes).toHaveLength(8);
    expect(new Set(writes).size).toBe(8);
  });
});
