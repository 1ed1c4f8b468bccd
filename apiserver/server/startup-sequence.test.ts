import { startInOrder, type StartStep } from './startup-sequence';

function stepsOf(log: string[], waits: Readonly<Record<string, Promise<void>>> = {}): StartStep[] {
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

it('starts one after the other and stops in reverse', async () => {
  const log: string[] = [];
  const sequence = startInOrder(stepsOf(log));
  await sequence.complete;
  sequence.stop();
  sequence.stop();
  expect(log).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
});

it('starts the next only when the one before is complete, and stops what is still on its way', async () => {
  const log: string[] = [];
  const sequence = startInOrder(stepsOf(log, { b: never }), ({ name }) => log.push(`${name} is there`));
  await Promise.resolve();
  await Promise.resolve();
  expect(log).toEqual(['start a', 'a is there', 'start b']);
  sequence.stop();
  expect(log).toEqual(['start a', 'a is there', 'start b', 'stop b', 'stop a']);
});

it('starts nothing more once it was stopped', async () => {
  const log: string[] = [];
  let arrive: () => void = () => undefined;
  const sequence = startInOrder(stepsOf(log, { a: new Promise((resolve) => (arrive = resolve)) }));
  sequence.stop();
  arrive();
  await sequence.complete;
  expect(log).toEqual(['start a', 'stop a']);
});

it.each<[string, StartStep['start']]>([
  [
    'throws',
    () => {
      throw new Error('no room');
    },
  ],
  ['rejects', () => ({ complete: Promise.reject(new Error('no room')), stop: () => undefined })],
])('names the step that %s, and starts none after it', async (_, start) => {
  const log: string[] = [];
  const [first, , last] = stepsOf(log);
  const sequence = startInOrder([first!, { name: 'the second', start }, last!]);
  await expect(sequence.complete).rejects.toThrow('the second could not be started: no room');
  expect(log).toEqual(['start a']);
});
