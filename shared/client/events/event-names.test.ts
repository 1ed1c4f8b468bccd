import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { systemRandom } from '../../runtime/random';
import { EventNames } from './event-names';

test('EventNames returns distinct names that sort in the order of their creation', () => {
  const clock = new ManualClock();
  const names = new EventNames({ clock, random: systemRandom });
  const made = Array.from({ length: 100 }, (_, index) => {
    if (index % 10 === 0) clock.advance(1);
    return names.create('p');
  });
  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(made.length);
  for (const name of made) expect(name).toMatch(/^p\.[0-9a-f]{16}$/);
});

test('EventNames encodes the time of creation in the name', () => {
  const clock = new ManualClock();
  const [, time = ''] = new EventNames({ clock, random: new FixedRandom() }).create('p').split('.');
  expect(BigInt(`0x${time}`)).toBe(BigInt(clock.now()) * 1_000_000n);
});

test('EventNames makes no name that sorts after those of the next millisecond, even for 2,000 at a time', () => {
  const clock = new ManualClock();
  const names = new EventNames({ clock, random: new FixedRandom(0.9999) });
  let last = '';
  for (let count = 0; count < 2_000; count += 1) last = names.create('p');
  clock.advance(1);
  expect(last < new EventNames({ clock, random: new FixedRandom() }).create('p')).toBe(true);
});
