import { firstPemBlock } from './pem';

const GOOD = '-----BEGIN A-----\naGVs\nbG8=\n-----END A-----\n';
const read = (text: string) => {
  const block = firstPemBlock(text);
  return block && [block.type, block.bytes.toString()];
};

test.each([
  ['a block', GOOD],
  ['the first of two', `${GOOD}${GOOD.replaceAll(' A', ' B')}`],
  ['words around it', `a: b\n${GOOD}c`],
  ['blanks at the ends of lines', GOOD.replaceAll('\n', ' \t\r\n')],
  ['no line breaks at the end', GOOD.trimEnd()],
  ['headers', GOOD.replace('\n', '\na: b\nc:d\n\n')],
  ['a beginning without an end of its own', `-----BEGIN B-----\n${GOOD}`],
  ['a block that is broken before it', `-----BEGIN B-----\n!\n-----END B-----\n${GOOD}`],
])('%s', (_, text) => expect(read(text)).toEqual(['A', 'hello']));

test.each([
  ['nothing', ''],
  ['no end', GOOD.slice(0, 30)],
  ['another end', GOOD.replace('END A', 'END B')],
  ['a line that is indented', ` ${GOOD}`],
  ['a sign too few', GOOD.replace('=', '')],
  ['other signs', GOOD.replace('aGVs', 'aG_s')],
])('none: %s', (_, text) => expect(read(text)).toBeUndefined());

test('a text is searched once, however many beginnings it has', () => {
  const find = jest.spyOn(String.prototype, 'indexOf');
  firstPemBlock(`${'-----BEGIN A-----\n'.repeat(10_000)}-----END B-----`);
  firstPemBlock('-----BEGIN A-----\n'.repeat(10_000));
  expect(find.mock.calls.filter(([wanted]) => wanted === '-----END ')).toHaveLength(2);
  find.mockRestore();
});
