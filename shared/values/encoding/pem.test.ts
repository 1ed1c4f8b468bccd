import { firstPemBlock } from './pem';

const GOOD = '-----BEGIN A-----\naGVs\nbG8=\n-----END A-----\n';
const read = (text: string) => {
  const block = firstPemBlock(text);
  return block && [block.type, block.bytes.toString()];
};

test.each([
  ['from a text with one block', GOOD],
  ['from a text with two blocks', `${GOOD}${GOOD.replaceAll(' A', ' B')}`],
  ['between other lines', `a: b\n${GOOD}c`],
  ['with blanks at the ends of lines', GOOD.replaceAll('\n', ' \t\r\n')],
  ['without a line break at the end', GOOD.trimEnd()],
  ['with headers', GOOD.replace('\n', '\na: b\nc:d\n\n')],
  ['after a BEGIN line without its END line', `-----BEGIN B-----\n${GOOD}`],
  ['after a malformed block', `-----BEGIN B-----\n!\n-----END B-----\n${GOOD}`],
])('firstPemBlock reads the first valid block %s', (_, text) => expect(read(text)).toEqual(['A', 'hello']));

test.each([
  ['an empty text', ''],
  ['a block without an END line', GOOD.slice(0, 30)],
  ['a block with the END line of another type', GOOD.replace('END A', 'END B')],
  ['an indented BEGIN line', ` ${GOOD}`],
  ['a BEGIN line after a lone carriage return', `a\r${GOOD}`],
  ['incomplete base64', GOOD.replace('=', '')],
  ['characters outside base64', GOOD.replace('aGVs', 'aG_s')],
])('firstPemBlock returns undefined for %s', (_, text) => expect(read(text)).toBeUndefined());

test('firstPemBlock searches for each END line once, however many BEGIN lines there are', () => {
  const find = jest.spyOn(String.prototype, 'indexOf');
  firstPemBlock(`${'-----BEGIN A-----\n'.repeat(10_000)}-----END B-----`);
  firstPemBlock('-----BEGIN A-----\n'.repeat(10_000));
  expect(find.mock.calls.filter(([wanted]) => wanted === '-----END ')).toHaveLength(2);
  find.mockRestore();
});

test('firstPemBlock decodes no block that contains another BEGIN line, however many there are', () => {
  const clean = jest.spyOn(String.prototype, 'replace');
  expect(read(`${'-----BEGIN A-----\n'.repeat(10_000)}!\n-----END A-----\n${GOOD}`)).toEqual(['A', 'hello']);
  expect(clean.mock.calls.length).toBeLessThanOrEqual(2);
  clean.mockRestore();
});
