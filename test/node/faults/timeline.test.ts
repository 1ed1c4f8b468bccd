/** The times of recorded changes, on a manual clock. */
import { ManualClock } from '../../support/clock/manual-clock';
import { TimelineRecorder } from './timeline';

const NO_OUTAGE = { sent: 0, failed: 0, longestOutage: 0 };

test('TimelineRecorder records changes with the seconds since the first step, and drops earlier ones', () => {
  const clock = new ManualClock();
  const recorder = new TimelineRecorder(clock);
  const change = { subject: 'node n', change: 'Ready Unknown' };
  recorder.record([change]);
  clock.advance(5_000);
  recorder.beginStep('fault');
  clock.advance(1_234);
  recorder.record([change]);
  recorder.beginStep('repair');
  expect(recorder.finish(NO_OUTAGE, NO_OUTAGE)).toEqual({
    steps: [
      { at: 0, name: 'fault' },
      { at: 1.2, name: 'repair' },
    ],
    events: [{ at: 1.2, ...change }],
    requests: NO_OUTAGE,
    service: NO_OUTAGE,
  });
});
