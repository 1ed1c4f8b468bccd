import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { DelayedPongs } from './delayed-pongs';

let clock: ManualClock;
let sent: string[];
let pongs: DelayedPongs;

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  pongs = new DelayedPongs(clock, (frames) => sent.push(frames.toString()));
});

describe('DelayedPongs', () => {
  it('sends the pongs together, 20 ms after the first ping', () => {
    pongs.add(Buffer.from('a'));
    clock.advance(19);
    pongs.add(Buffer.from('b'));
    expect(sent).toEqual([]);
    clock.advance(1);
    pongs.add(Buffer.from('c'));
    clock.advance(20);
    expect(sent).toEqual(['ab', 'c']);
  });

  it('sends the pongs at once when many pings are pending', () => {
    for (let index = 0; index < 17; index += 1) pongs.add(Buffer.from('p'));
    expect(sent).toEqual(['p'.repeat(16)]);
  });

  it('sends the pongs once on demand, and none after the connection is closed', () => {
    pongs.add(Buffer.from('a'));
    pongs.flush();
    pongs.add(Buffer.from('b'));
    pongs.clear();
    clock.advance(100);
    expect(sent).toEqual(['a']);
  });
});
