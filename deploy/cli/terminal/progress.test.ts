import { createTestHost } from '../../../test/support/command-host';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { Progress } from './progress';

describe('Progress', () => {
  it('redraws the step with its seconds until it ends', () => {
    const clock = new ManualClock();
    const host = createTestHost({ directory: '/', clock, isTerminal: true });
    const progress = new Progress('starting', host);
    clock.advance(1_200);
    const drawn = host.printed.errors;
    expect(drawn).toMatch(/starting … 0\.0 s.*starting … 1\.2 s$/s);
    progress.end();
    progress.end();
    clock.advance(5_000);
    expect(host.printed.errors).toBe(`${drawn}\r\u001B[K`);
  });

  it('writes nothing without a terminal', () => {
    const clock = new ManualClock();
    const host = createTestHost({ directory: '/', clock });
    const progress = new Progress('starting', host);
    clock.advance(5_000);
    progress.clear();
    progress.end();
    expect(host.printed.errors).toBe('');
  });
});
