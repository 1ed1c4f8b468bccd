/** Which differences of a new response keep the recorded one: none but an order without meaning. */
import { withRecordedOrder } from './recorded-order';

const recorded = { code: 422, causes: [{ field: 'b' }, { field: 'a' }] };

test('withRecordedOrder keeps the recorded response when only the order of causes and members differs', () => {
  expect(withRecordedOrder({ causes: [{ field: 'a' }, { field: 'b' }], code: 422 }, recorded)).toBe(recorded);
});

test.each([
  ['another cause', { code: 422, causes: [{ field: 'a' }, { field: 'c' }] }],
  ['a repeated cause', { code: 422, causes: [{ field: 'b' }, { field: 'a' }, { field: 'a' }] }],
  ['another code', { ...recorded, code: 400 }],
])('withRecordedOrder returns the new response when it has %s', (_, next) => {
  expect(withRecordedOrder(next, recorded)).toBe(next);
});

test('withRecordedOrder returns the new response when the order of another list differs', () => {
  const next = { items: [2, 1] };
  expect(withRecordedOrder(next, { items: [1, 2] })).toBe(next);
});

test('withRecordedOrder returns the new response when none is recorded', () => {
  expect(withRecordedOrder(recorded, undefined)).toBe(recorded);
});
