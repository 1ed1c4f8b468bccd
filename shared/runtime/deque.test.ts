import { Deque } from './deque';

/** More than the removed positions that a deque keeps. */
const MANY = 5_000;

const dequeOf = (count: number): Deque<number> => {
  const deque = new Deque<number>();
  for (let item = 0; item < count; item += 1) deque.push(item);
  return deque;
};

it('Deque returns items from the front in order, also while others are added', () => {
  const deque = dequeOf(MANY);
  const returned: (number | undefined)[] = [];
  for (let item = 0; item < MANY; item += 1) {
    returned.push(deque.shift());
    deque.push(MANY + item);
  }
  expect(returned).toEqual(Array.from({ length: MANY }, (_, item) => item));
  expect(deque.size).toBe(MANY);
  expect(deque.at(0)).toBe(MANY);
  expect(deque.at(MANY - 1)).toBe(2 * MANY - 1);
});

it('Deque returns items from both ends until it is empty', () => {
  const deque = dequeOf(5);
  expect(deque.shift()).toBe(0);
  expect(deque.pop()).toBe(4);
  expect(deque.pop()).toBe(3);
  expect(deque.shift()).toBe(1);
  expect(deque.pop()).toBe(2);
  expect(deque.size).toBe(0);
  expect(deque.pop()).toBeUndefined();
  expect(deque.shift()).toBeUndefined();
});

it('Deque holds new items after it became empty from the back', () => {
  const deque = dequeOf(2);
  deque.shift();
  deque.pop();
  deque.push(7);
  expect(deque.at(0)).toBe(7);
  expect(deque.size).toBe(1);
});

it('Deque is empty after clear', () => {
  const deque = dequeOf(3);
  deque.shift();
  deque.clear();
  expect(deque.size).toBe(0);
  expect(deque.shift()).toBeUndefined();
});
