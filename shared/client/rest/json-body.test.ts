import { mayHaveLongNumber, parseBody } from './json-body';

describe('mayHaveLongNumber', () => {
  const LONG_NUMBERS = ['9007199254740993', '-9007199254740993', '0.1234567890123456', '12.1234567890123456', '1e400', '1.5E+300'];

  test.each(LONG_NUMBERS)('is true for %s as a value, a member and an item', (number) => {
    for (const text of [number, ` ${number}`, `{"a":${number}}`, `{"a" : ${number}}`, `[${number}]`, `[1,\n${number}]`])
      expect([text, mayHaveLongNumber(text)]).toEqual([text, true]);
  });

  test('is false for short numbers, and for digits in strings', () => {
    const digest = `sha256:${'1234567890'.repeat(6)}abcd`;
    const uid = '0a0a0a0a-1e123-4e567-8e901-2e3456789012';
    const text = JSON.stringify({ port: 443, weight: 1e21, items: [1, -2.5], imageID: digest, uid, time: '1234567890123456789' });
    expect(mayHaveLongNumber(text.replace('1e+21', '1e21'))).toBe(false);
  });
});

test('parseBody keeps integers that a double cannot hold', () => {
  expect(parseBody('{"a":[9007199254740993],"b":"9007199254740993"}')).toEqual({ a: [9007199254740993n], b: '9007199254740993' });
});
