import { slowStartBatch } from './slow-start';

test('slowStartBatch doubles its batches until one of them fails', async () => {
  const calls: number[] = [];
  const call = async (index: number): Promise<void> => {
    calls.push(index);
    if (index === 4) throw new Error('refused');
  };
  // The batches are 0, then 1 and 2, then 3 to 6.
  expect(await slowStartBatch(100, call)).toMatchObject({ succeeded: 6, error: { message: 'refused' } });
  expect(calls).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('slowStartBatch makes as many calls as requested when none fails', async () => {
  const calls: number[] = [];
  const call = async (index: number): Promise<void> => void calls.push(index);
  expect(await slowStartBatch(4, call)).toEqual({ succeeded: 4, error: undefined });
  expect(calls).toEqual([0, 1, 2, 3]);
  expect(await slowStartBatch(0, call)).toEqual({ succeeded: 0, error: undefined });
  expect(calls).toHaveLength(4);
});
