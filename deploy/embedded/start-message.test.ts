import { isStartMessage } from './start-message';

test.each([
  { type: 'ready', connection: {} },
  { type: 'failed', message: 'no' },
])('isStartMessage accepts %j', (value) => {
  expect(isStartMessage(value)).toBe(true);
});

test.each([[null], [undefined], ['ready'], [{}], [{ type: 'log' }]])('isStartMessage rejects %j', (value) => {
  expect(isStartMessage(value)).toBe(false);
});
