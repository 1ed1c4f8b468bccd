import { ManualClock } from '../../test/support/manual-clock';
import { Turns, type Priority, type TurnScheduler } from './event-loop-scheduler';

/** An event loop whose turns the test takes. */
class Loop implements TurnScheduler {
  private next: (() => void)[] = [];
  private rest: (() => void)[] = [];

  inNextTurn(run: () => void): void {
    this.next.push(run);
  }

  afterwards(run: () => void): void {
    this.rest.push(run);
  }

  async turn(): Promise<void> {
    const due = this.next;
    this.next = [];
    for (const run of due) run();
    for (let runs = 0; runs < 100; runs += 1) {
      await Promise.resolve();
      await Promise.resolve();
      const run = this.rest.shift();
      if (run === undefined) return;
      run();
    }
  }
}

const setUp = () => {
  const clock = new ManualClock();
  const loop = new Loop();
  const done: string[] = [];
  const turns = new Turns(clock, loop);
  /** Somebody who works for `costMs` when he is let on. */
  const come = (name: string, priority: Priority, flow = 'one', costMs = 0.125): void => {
    const work = (): void => {
      clock.advance(costMs);
      done.push(name);
    };
    const turn = turns.take(priority, flow);
    if (turn === undefined) work();
    else void turn.then(work);
  };
  return { clock, loop, done, turns, come };
};

it('lets on at once as long as the turn is short, and the others half a millisecond at a time', async () => {
  const { loop, done, come, turns } = setUp();
  for (let index = 0; index < 12; index += 1) come(String(index), 'usual');
  expect(done).toEqual(['0', '1', '2', '3']);
  expect(turns.waiting('usual')).toBe(8);
  await loop.turn();
  expect(done).toHaveLength(8);
  await loop.turn();
  expect(done).toEqual(Array.from({ length: 12 }, (_, index) => String(index)));
  await loop.turn();
  come('later', 'bulk');
  expect(done).toHaveLength(13);
});

it('lets the urgent go first, though nobody for ever', async () => {
  const { loop, done, come } = setUp();
  come('first', 'usual', 'one', 1);
  for (let index = 0; index < 20; index += 1) {
    come('bulk', 'bulk');
    come('usual', 'usual');
    come('urgent', 'urgent');
  }
  for (let turn = 0; turn < 3; turn += 1) await loop.turn();
  const count = (name: string): number => done.filter((other) => other === name).length;
  expect(done.slice(1, 4)).toEqual(['urgent', 'urgent', 'urgent']);
  expect([count('urgent'), count('usual'), count('bulk')]).toEqual([9, 2, 1]);
});

it('does not let somebody pass those who wait', async () => {
  const { loop, done, come, clock } = setUp();
  come('first', 'usual', 'one', 1);
  come('second', 'usual');
  await loop.turn();
  clock.advance(1);
  come('third', 'usual');
  come('fourth', 'usual');
  expect(done).toEqual(['first', 'second']);
  await loop.turn();
  expect(done).toEqual(['first', 'second', 'third', 'fourth']);
});

it('gives every flow its turn, however many wait in another', async () => {
  const { loop, done, come } = setUp();
  come('first', 'usual', 'greedy', 1);
  for (let index = 0; index < 100; index += 1) come('greedy', 'usual', 'greedy');
  come('modest', 'usual', 'modest');
  await loop.turn();
  expect(done).toContain('modest');
});

it('lets those who have worked on go behind those who come', async () => {
  const { loop, done, come, turns, clock } = setUp();
  const walk = async (): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      clock.advance(2);
      done.push(`slice ${slice}`);
      await turns.wait('walker');
    }
  };
  void walk();
  come('short', 'urgent');
  await loop.turn();
  await loop.turn();
  expect(done).toEqual(['slice 0', 'short', 'slice 1', 'slice 2']);
});

it('lets all of a turn pass for those who rest, however short it is', async () => {
  const { loop, done, come, turns, clock } = setUp();
  const rest = async (): Promise<void> => {
    for (let time = 0; time < 3; time += 1) {
      clock.advance(2);
      await turns.wait('writer');
    }
    done.push('rested');
  };
  void rest();
  expect(turns.waiting('bulk')).toBe(1);
  await loop.turn();
  come('comes in the first turn', 'usual');
  await loop.turn();
  come('comes in the second', 'usual');
  await loop.turn();
  expect(done.at(-1)).toBe('rested');
  expect(done).toHaveLength(3);
});

/** Works in pieces of 20 ms. */
const laborious = (
  { turns, clock, done }: Pick<ReturnType<typeof setUp>, 'clock' | 'done' | 'turns'>,
  flow: string,
  pieces: number,
): void => {
  void (async () => {
    for (let piece = 0; piece < pieces; piece += 1) {
      await turns.wait(flow);
      clock.advance(20);
      done.push('piece');
    }
  })();
};

it('lets whole requests through between two long pieces, whoever has them to do', async () => {
  const fixture = setUp();
  const { loop, clock, come } = fixture;
  for (let index = 0; index < 10; index += 1) laborious(fixture, `flow ${index}`, 3);
  const waits: number[] = [];
  for (let request = 0; request < 10; request += 1) {
    const began = clock.monotonic();
    for (let turn = 0; turn < 4; turn += 1) {
      come('part of a request', 'usual');
      await loop.turn();
    }
    waits.push(clock.monotonic() - began);
  }
  expect(Math.max(...waits)).toBeLessThan(25);
});

it('does all that is laborious, however many short ones come', async () => {
  const fixture = setUp();
  const { loop, done, come } = fixture;
  for (let index = 0; index < 10; index += 1) laborious(fixture, 'one', 3);
  for (let turn = 0; turn < 130; turn += 1) {
    for (let index = 0; index < 20; index += 1) come('short', 'usual');
    await loop.turn();
  }
  expect(done.filter((name) => name === 'piece')).toHaveLength(30);
});

it('does not let a list begin before others have been let through', async () => {
  const fixture = setUp();
  const { loop, done, come } = fixture;
  laborious(fixture, 'one', 1);
  await loop.turn();
  await loop.turn();
  come('list', 'bulk');
  come('short', 'usual');
  expect(done).toEqual(['piece', 'short']);
  for (let turn = 0; turn < 4; turn += 1) await loop.turn();
  expect(done).toEqual(['piece', 'short', 'list']);
});
