import { FairQueue } from './fair-queue';

it('FairQueue returns items of the flows in turn, and those of one flow in order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  queue.add('b', 'b1');
  expect(queue.size).toBe(4);
  expect(queue.peek()).toBe('a1');
  expect(queue.dequeue()).toBe('a1');
  queue.add('c', 'c1');
  expect([queue.dequeue(), queue.dequeue(), queue.dequeue(), queue.dequeue()]).toEqual(['b1', 'a2', 'c1', 'a3']);
});

it('FairQueue returns undefined when it is empty', () => {
  const queue = new FairQueue<string>();
  queue.add('a', 'a1');
  queue.dequeue();
  expect(queue.size).toBe(0);
  expect(queue.peek()).toBeUndefined();
  expect(queue.dequeue()).toBeUndefined();
});
