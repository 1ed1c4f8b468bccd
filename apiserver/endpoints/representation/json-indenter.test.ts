/** The indented text of generated and of selected JSON. */
import fc from 'fast-check';
import { indentJson, JsonIndenter } from './json-indenter';

it('JsonIndenter indents any JSON as JSON.stringify does, wherever it is split', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 7 }), (value, size) => {
      const compact = Buffer.from(JSON.stringify(value));
      const expected = JSON.stringify(value, null, 2);
      expect(indentJson(compact).toString()).toBe(expected);
      const indenter = new JsonIndenter();
      const parts: Buffer[] = [];
      for (let start = 0; start < compact.length; start += size) parts.push(indenter.next(compact.subarray(start, start + size)));
      expect(Buffer.concat(parts).toString()).toBe(expected);
    }),
  );
});

it('indentJson keeps numbers and escapes unchanged', () => {
  expect(indentJson(Buffer.from('{"a":9223372036854775807,"b":"\\u003c\\"{"}')).toString()).toBe(
    '{\n  "a": 9223372036854775807,\n  "b": "\\u003c\\"{"\n}',
  );
});
