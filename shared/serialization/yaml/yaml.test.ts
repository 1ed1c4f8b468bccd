/** YAML parsing: values and errors of upstream, limits, and the emission of YAML. */
import fc from 'fast-check';
import { systemClock } from '../../runtime/clock';
import { fieldErrors } from '../json/field-errors';
import { ParseError } from '../json/parse-error';
import { parseYaml } from './yaml';
import { stringifyYaml } from './yaml-output';
import { anyCharacter } from '../../../test/support/any-character';

const parse = (text: string): ReturnType<typeof parseYaml> => parseYaml(Buffer.from(text, 'utf8'), systemClock);
const value = async (text: string): Promise<unknown> => (await parse(text)).value;

test.each<[string, unknown]>([
  ['a: yes\nb: off\nc: y', { a: true, b: false, c: true }],
  ['a: 0x10\nb: 0o17\nc: 017\nd: 1_000\ne: 0b11', { a: 16, b: 15, c: 15, d: 1000, e: 3 }],
  ['a: 1e3\nb: 80.0\nc: 9007199254740993\nd: 99999999999999999999', { a: 1000, b: 80, c: 9007199254740993n, d: 1e20 }],
  ['a: ~\nb:\nc: null\nd: ""', { a: null, b: null, c: null, d: '' }],
  ['a: 2001-01-01\nb: 1:30\nc: 1.2.3\nd: 08', { a: '2001-01-01', b: '1:30', c: '1.2.3', d: 8 }],
  ['1: x\ntrue: w\n1.5: z', { '1': 'x', true: 'w', '1.5': 'z' }],
  ['a: !!str 1\nb: !!binary YQ==\nc: !foo x', { a: '1', b: 'a', c: 'x' }],
  ['a: &x {k: 1}\nb: *x\nc: {<<: *x, k: 2}', { a: { k: 1 }, b: { k: 1 }, c: { k: 2 } }],
  ['a: |\n  x\n   y\nb: >-\n  x\n  y', { a: 'x\n y\n', b: 'x y' }],
  ['a: 1\n---\na: 2', { a: 1 }],
  ['', null],
  ['{"a":1,}', { a: 1 }],
])('parseYaml parses %j', async (text, expected) => {
  expect(await value(text)).toEqual(expected);
});

/** Recorded from release 1.31.1. */
test.each([
  ['a: b: c', 'yaml: mapping values are not allowed in this context'],
  ['a: "x', 'yaml: found unexpected end of stream'],
  ['a: *x', "yaml: unknown anchor 'x' referenced"],
  ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
  ['a: @x', 'yaml: found character that cannot start any token'],
  ['\ta: 1', 'yaml: found character that cannot start any token'],
  ['metadata:\n  name: a\n bad: x', 'yaml: line 2: did not find expected key'],
  ['a: "\\q"', 'yaml: found unknown escape character'],
  ['a: .inf', 'json: unsupported value: +Inf'],
  ['a: 1\n\x01b: 2', 'yaml: control characters are not allowed'],
])('parseYaml rejects %j with the error of upstream', async (text, message) => {
  await expect(parse(text)).rejects.toThrow(new ParseError(message));
});

test('parseYaml reports duplicate keys with their lines, also in JSON', async () => {
  const parsed = await parse('metadata:\n  name: a\n  name: b\ndata:\n  k: x\n  k: y\nfoo: 1\n');
  expect(fieldErrors(parsed, ['foo'], 'strict')).toEqual([
    'yaml: unmarshal errors:\n  line 3: key "name" already set in map\n  line 6: key "k" already set in map',
    'unknown field "foo"',
  ]);
  expect(fieldErrors(parsed, ['foo'], 'warn')[1]).toBe('line 6: key "k" already set in map');
  expect((await parse('{"a":1,"a":2}')).duplicates).toEqual(['line 1: key "a" already set in map']);
});

test('parseYaml rejects excessive aliasing', async () => {
  const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`);
  await expect(parse(`l0: &l0 [x]\n${levels.join('\n')}`)).rejects.toThrow(new ParseError('yaml: document contains excessive aliasing'));
});

test('parseYaml limits the nesting depth', async () => {
  await expect(parse(`a: ${'['.repeat(5000)}`)).rejects.toThrow(ParseError);
});

test('parseYaml rejects invalid UTF-8', async () => {
  await expect(parseYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff]), systemClock)).rejects.toThrow('yaml: invalid leading UTF-8 octet');
});

test('parseYaml reads what stringifyYaml writes', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string(),
    fc.constantFrom('yes', '1', '1e3', '~', '- a', 'a: b', 'x\n', '\n', ' x\ny', '2024-01-01', '.inf'),
  );
  const tree = fc.letrec<{ node: unknown; object: Record<string, unknown> }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('node'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('<<', 'yes', '1', '')), tie('node'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  })).object;
  await fc.assert(
    fc.asyncProperty(tree, async (object) => {
      const written = stringifyYaml(JSON.parse(JSON.stringify(object)));
      expect(await value(`# not json\n${written}`)).toEqual(JSON.parse(JSON.stringify(object)));
    }),
  );
});

test('stringifyYaml writes the style of upstream', () => {
  expect(
    stringifyYaml({
      b: [{ y: 1, x: { z: [] } }, 'a: b', ['n']],
      a10: 'yes',
      a2: 'multi\nline\n',
      time: '2024-01-01T00:00:00Z',
      empty: {},
      none: null,
      quote: "it's: so",
      long: `${'word '.repeat(20)}end`,
    }),
  ).toBe(`a2: |
  multi
  line
a10: "yes"
b:
- x:
    z: []
  "y": 1
- 'a: b'
- - "n"
empty: {}
long: word word word word word word word word word word word word word word word word
  word word word word end
none: null
quote: 'it''s: so'
time: "2024-01-01T00:00:00Z"
`);
});
