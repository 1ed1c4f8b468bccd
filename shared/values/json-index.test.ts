import { JsonIndex } from './json-index';

const indexOf = (text: string): JsonIndex => new JsonIndex(Buffer.from(text));

test.each([
  '{}',
  '[]',
  '"a"',
  '-1.5e+30',
  ' { "a" : [ 1 , true , null ] } ',
  '{"a":{"b":[{},[],[[1]],"x"]},"c":false}',
  '{"quote":"\\"","slash":"\\\\","both":"\\\\\\"","line":"a\\nb","code":"\\u003c€😀","ü":"ü"}',
  '{"10":1,"2":2,"__proto__":{"constructor":3}}',
  '[0,-0,1e21,0.000001,9007199254740991,123456789012345678901234567890]',
])('JsonIndex restores %s', (text) => {
  const index = indexOf(text);
  expect(index.toJson(index.root)).toEqual(JSON.parse(text));
});

test('JsonIndex keeps 64-bit integers exact', () => {
  const long = [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n];
  expect(indexOf(`[${long.join(',')},9223372036854775808]`).toJson(0)).toEqual([...long, 9_223_372_036_854_775_808]);
});

test('JsonIndex iterates over the fields of an object and the items of a list', () => {
  const index = indexOf('{"first":[1,"two",{"x":3}],"<":"\\u003c"}');
  const first = index.firstChild(index.root);
  const second = index.nextSibling(index.valueOfName(first));
  expect(index.text(first)).toBe('first');
  expect(index.text(second)).toBe('<');
  const end = index.nextSibling(index.valueOfName(second));
  expect(end).toBe(index.nextSibling(index.root));
  const spellings: string[] = [];
  const list = index.valueOfName(first);
  for (let item = index.firstChild(list); item < index.nextSibling(list); item = index.nextSibling(item))
    spellings.push(index.spelling(item));
  expect(spellings).toEqual(['1', '"two"', '{"x":3}']);
});

test('JsonIndex returns the spelling of a string, and whether it contains escapes', () => {
  const index = indexOf('["\\u003c","plain"]');
  const escaped = index.firstChild(index.root);
  expect(index.spelling(escaped)).toBe('"\\u003c"');
  expect(index.isEscaped(escaped)).toBe(true);
  expect(index.isEscaped(index.nextSibling(escaped))).toBe(false);
});

test('JsonIndex reads 100,000 short values and a depth of 100,000', () => {
  const many = `[${'1,'.repeat(100_000)}1]`;
  expect(indexOf(many).toJson(0)).toHaveLength(100_001);
  const index = indexOf('['.repeat(100_000) + ']'.repeat(100_000));
  expect(index.typeOf(index.root)).toBe('list');
  expect(index.end(index.root)).toBe(200_000);
});

test.each(['', ' ', '{"a":1', '["a', '["a\\"]'])('JsonIndex rejects %j', (text) => {
  expect(() => indexOf(text)).toThrow();
});
