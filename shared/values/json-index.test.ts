import { JsonIndex } from './json-index';

const placesIn = (text: string): JsonIndex => new JsonIndex(Buffer.from(text));

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
])('JsonPlaces restores %s', (text) => {
  const places = placesIn(text);
  expect(places.toJson(places.root)).toEqual(JSON.parse(text));
});

test('JsonPlaces keeps 64-bit integers exact', () => {
  const long = [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n];
  expect(placesIn(`[${long.join(',')},9223372036854775808]`).toJson(0)).toEqual([...long, 9_223_372_036_854_775_808]);
});

test('JsonPlaces iterates over the fields of an object and the items of a list', () => {
  const places = placesIn('{"first":[1,"two",{"x":3}],"<":"\\u003c"}');
  const first = places.firstChild(places.root);
  const second = places.nextSibling(places.valueOfName(first));
  expect([places.text(first), places.text(second), places.nextSibling(places.valueOfName(second))]).toEqual([
    'first',
    '<',
    places.nextSibling(places.root),
  ]);
  const spellings: string[] = [];
  const list = places.valueOfName(first);
  for (let item = places.firstChild(list); item < places.nextSibling(list); item = places.nextSibling(item))
    spellings.push(places.spelling(item));
  expect(spellings).toEqual(['1', '"two"', '{"x":3}']);
  expect([places.isEscaped(places.valueOfName(second)), places.spelling(places.valueOfName(second))]).toEqual([true, '"\\u003c"']);
});

test('JsonPlaces reads 100,000 short values and a depth of 100,000', () => {
  const many = `[${'1,'.repeat(100_000)}1]`;
  expect(placesIn(many).toJson(0)).toHaveLength(100_001);
  const places = placesIn('['.repeat(100_000) + ']'.repeat(100_000));
  expect([places.end(places.root), places.typeOf(places.root)]).toEqual([200_000, 'list']);
});

test.each(['', ' ', '{"a":1', '["a', '["a\\"]'])('JsonPlaces rejects %j', (text) => {
  expect(() => placesIn(text)).toThrow();
});
