import { withRecordedOrder } from './recorded-order';

const recorded = { code: 422, causes: [{ field: 'b' }, { field: 'a' }] };

test('an answer with the same causes and members in another order keeps the recorded order', () => {
  expect(withRecordedOrder({ causes: [{ field: 'a' }, { field: 'b' }], code: 422 }, recorded)).toBe(recorded);
});

test.each([
  ['another cause', { code: 422, causes: [{ field: 'a' }, { field: 'c' }] }],
  ['a repeated cause', { code: 422, causes: [{ field: 'b' }, { field: 'a' }, { field: 'a' }] }],
  ['another code', { ...recorded, code: 400 }],
])('an answer with %s replaces the recorded one', (_, next) => {
  expect(withRecordedOrder(next, recorded)).toBe(next);
});

test('an answer with another list in another order replaces the recorded one', () => {
  const next = { items: [2, 1] };
  expect(withRecordedOrder(next, { items: [1, 2] })).toBe(next);
});

test('an answer that was not recorded is kept as it is', () => {
  expect(withRecordedOrder(recorded, undefined)).toBe(recorded);
});
