import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { DelayedPongs } from './delayed-pongs';

/** `sent`: the frames of each write. A letter stands for a frame. */
function openPongs() {
  const clock = new ManualClock();
  const sent: string[] = [];
  const pongs = new DelayedPongs(clock, (frames) => sent.push(frames.toString()));
  return { clock, sent, pongs };
}

describe('DelayedPongs', () => {
  it('sends the pongs together, 20 ms after the first ping', () => {
    const { clock, sent, pongs } = openPongs();
    pongs.add(Buffer.from('a'));
    clock.advance(19);
    pongs.add(Buffer.from('b'));
    expect(sent).toEqual([]);
    clock.advance(1);
    pongs.add(Buffer.from('c'));
    clock.advance(20);
    expect(sent).toEqual(['ab', 'c']);
  });

  it('sends the pongs at once when 16 pings are pending', () => {
    const { sent, pongs } = openPongs();
    for (let index = 0; index < 17; index += 1) pongs.add(Buffer.from('p'));
    expect(sent).toEqual(['p'.repeat(16)]);
  });

  it('sends the pongs once on demand, and none after the connection is closed', () => {
    const { clock, sent, pongs } = openPongs();
    pongs.add(Buffer.from('a'));
    pongs.flush();
    pongs.add(Buffer.from('b'));
    pongs.clear();
    clock.advance(100);
    expect(sent).toEqual(['a']);
  });
});
