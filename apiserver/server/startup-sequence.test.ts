/** The order in which startup steps start and stop, also when one fails or does not complete. */
import { startSequentially, type StartupStep } from './startup-sequence';

/** The steps a, b and c, which write to `log`. A step with a promise in `waits` is complete when that is fulfilled. */
function stepsOf(log: string[], waits: Readonly<Record<string, Promise<void>>> = {}): StartupStep[] {
  return ['a', 'b', 'c'].map((name) => ({
    name,
    start() {
      log.push(`start ${name}`);
      const complete = waits[name];
      return { ...(complete === undefined ? {} : { complete }), stop: () => void log.push(`stop ${name}`) };
    },
  }));
}

const never = new Promise<void>(() => undefined);

it('startSequentially starts the steps one after another and stops them in reverse, once', async () => {
  const log: string[] = [];
  const sequence = startSequentially(stepsOf(log));
  await sequence.complete;
  sequence.stop();
  sequence.stop();
  expect(log).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
});

it('startSequentially starts a step when the one before is complete, and stops an incomplete step', async () => {
  const log: string[] = [];
  const sequence = startSequentially(stepsOf(log, { b: never }), ({ name }) => log.push(`${name} is complete`));
  await Promise.resolve();
  await Promise.resolve();
  expect(log).toEqual(['start a', 'a is complete', 'start b']);
  sequence.stop();
  expect(log).toEqual(['start a', 'a is complete', 'start b', 'stop b', 'stop a']);
});

it('startSequentially starts no further step after it was stopped', async () => {
  const log: string[] = [];
  let completeFirst: () => void = () => undefined;
  const sequence = startSequentially(stepsOf(log, { a: new Promise((resolve) => (completeFirst = resolve)) }));
  sequence.stop();
  completeFirst();
  await sequence.complete;
  expect(log).toEqual(['start a', 'stop a']);
});

it.each<[string, StartupStep['start']]>([
  [
    'throws',
    () => {
      throw new Error('no room');
    },
  ],
  ['rejects', () => ({ complete: Promise.reject(new Error('no room')), stop: () => undefined })],
])('startSequentially rejects with the name of the step that %s, and starts none after it', async (_title, start) => {
  const log: string[] = [];
  const [first, , last] = stepsOf(log);
  const sequence = startSequentially([first!, { name: 'the second', start }, last!]);
  await expect(sequence.complete).rejects.toThrow('the second could not be started: no room');
  expect(log).toEqual(['start a']);
});
