/** Parsing and evaluation of label selectors, with upstream's errors and, for any text, by properties. */
import fc from 'fast-check';
import { compileLabelSelector, formatLabelSelector, parseLabelSelector, type LabelRequirement } from './label-selector';

const NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  " +
  "or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const QUALIFIED_RULE = `${NAME_RULE.replace('name part', 'a qualified name')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const PREFIX_RULE =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const INTEGER_RULE = "for 'Gt', 'Lt' operators, the value must be an integer";
const OPERATORS = 'in, notin, =, ==, !=, gt, lt';
const FIRST = "expected: !, identifier, or 'end of string'";
const SEPARATOR = "expected: ',' or 'end of string'";
const FOLLOWING = "expected: identifier after ','";
const LONG = 'a'.repeat(70);

/** Recorded from release 1.31.1. */
const REJECTED: readonly (readonly [selector: string, message: string])[] = [
  ['=x', `found '=', ${FIRST}`],
  ['(a)', `found '(', ${FIRST}`],
  [')', `found ')', ${FIRST}`],
  [',a', `found ',', ${FIRST}`],
  ['!=x', `found '!=', ${FIRST}`],
  ['==', `found '==', ${FIRST}`],
  ['a=b c', `found 'c', ${SEPARATOR}`],
  ['a=b=c', `found '=', ${SEPARATOR}`],
  ['a=b in', `found 'in', ${SEPARATOR}`],
  ['a=b)', `found ')', ${SEPARATOR}`],
  ['a=b!c', `found '!', ${SEPARATOR}`],
  ['a = in (b)', `found '(', ${SEPARATOR}`],
  ['a in (b)c', `found 'c', ${SEPARATOR}`],
  ['a in (b))', `found ')', ${SEPARATOR}`],
  ['a in (b)\0)', `found ')', ${SEPARATOR}`],
  ['a=\0b c', `found 'c', ${SEPARATOR}`],
  ['!a=b', `found '=', ${SEPARATOR}`],
  ['!a in (b)', `found 'in', ${SEPARATOR}`],
  ['a>1>2', `found '>', ${SEPARATOR}`],
  ['a,', `found '', ${FOLLOWING}`],
  ['a=,', `found '', ${FOLLOWING}`],
  ['a in (b),', `found '', ${FOLLOWING}`],
  ['a,,b', `found ',', ${FOLLOWING}`],
  ['a,=b', `found '=', ${FOLLOWING}`],
  ['a!=b,!=c', `found '!=', ${FOLLOWING}`],
  ['a b', `unable to parse requirement: found 'b', expected: ${OPERATORS}`],
  ['a not in (x)', `unable to parse requirement: found 'not', expected: ${OPERATORS}`],
  ['a!', `unable to parse requirement: found '!', expected: ${OPERATORS}`],
  ['a(b)', `unable to parse requirement: found '(', expected: ${OPERATORS}`],
  ['a\0b', `unable to parse requirement: found 'b', expected: ${OPERATORS}`],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['!!a', "unable to parse requirement: found '!', expected: identifier"],
  ['!,', "unable to parse requirement: found ',', expected: identifier"],
  ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ['a=!b', "unable to parse requirement: found '!', expected: identifier"],
  ['a>=1', "unable to parse requirement: found '=', expected: identifier"],
  ['a=>1', "unable to parse requirement: found '>', expected: identifier"],
  ['a=(b)', "unable to parse requirement: found '(', expected: identifier"],
  ['a>)', "unable to parse requirement: found ')', expected: identifier"],
  ['a in', "unable to parse requirement: found '' expected: '('"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in in', "unable to parse requirement: found 'in' expected: '('"],
  ['a notin', "unable to parse requirement: found '' expected: '('"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['a in (!b)', "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
  ['a in ((b))', "unable to parse requirement: found '(', expected: ',', ')' or identifier"],
  ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a in (b=c)', "unable to parse requirement: found '=', expected: ',' or ')'"],
  ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
  ['a in (,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
  ['a>', `unable to parse requirement: values[0]: Invalid value: "": ${INTEGER_RULE}`],
  ['a>,b', `unable to parse requirement: values[0]: Invalid value: "": ${INTEGER_RULE}`],
  ['a<1.5', `unable to parse requirement: values[0]: Invalid value: "1.5": ${INTEGER_RULE}`],
  ['a>9223372036854775808', `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": ${INTEGER_RULE}`],
  ['a>-1', `unable to parse requirement: values[0][a]: Invalid value: "-1": ${VALUE_RULE}`],
  [
    'a>_x',
    `unable to parse requirement: [values[0]: Invalid value: "_x": ${INTEGER_RULE}, values[0][a]: Invalid value: "_x": ${VALUE_RULE}]`,
  ],
  ['a=_b', `unable to parse requirement: values[0][a]: Invalid value: "_b": ${VALUE_RULE}`],
  ['a=é', `unable to parse requirement: values[0][a]: Invalid value: "é": ${VALUE_RULE}`],
  [`a=${LONG}`, `unable to parse requirement: values[0][a]: Invalid value: "${LONG}": must be no more than 63 characters`],
  [`a=${LONG}_`, `unable to parse requirement: values[0][a]: Invalid value: "${LONG}_": must be no more than 63 characters; ${VALUE_RULE}`],
  [
    'a in (c,_b,_a)',
    `unable to parse requirement: [values[0][a]: Invalid value: "_a": ${VALUE_RULE}, values[1][a]: Invalid value: "_b": ${VALUE_RULE}]`,
  ],
  ['_a>x', `unable to parse requirement: <nil>: Invalid value: "_a": ${NAME_RULE}`],
  ['a\vb', `unable to parse requirement: <nil>: Invalid value: "a\\vb": ${NAME_RULE}`],
  ['"a"', `unable to parse requirement: <nil>: Invalid value: "\\"a\\"": ${NAME_RULE}`],
  ['a/', `unable to parse requirement: <nil>: Invalid value: "a/": name part must be non-empty; ${NAME_RULE}`],
  ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ['a/b/c', `unable to parse requirement: <nil>: Invalid value: "a/b/c": ${QUALIFIED_RULE}`],
  ['A.B/c', `unable to parse requirement: <nil>: Invalid value: "A.B/c": ${PREFIX_RULE}`],
  ['-.x/_', `unable to parse requirement: <nil>: Invalid value: "-.x/_": ${PREFIX_RULE}; ${NAME_RULE}`],
  [LONG, `unable to parse requirement: <nil>: Invalid value: "${LONG}": name part must be no more than 63 characters`],
];

test.each(REJECTED)('parseLabelSelector rejects %j with the error of upstream', (selector, message) => {
  expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ name: 'SelectorError', message }));
});

const requirement = (key: string, operator: LabelRequirement['operator'], ...values: string[]): LabelRequirement => ({
  key,
  operator,
  values,
});

/** Accepted by release 1.31.1. */
const PARSED: readonly (readonly [selector: string, requirements: readonly LabelRequirement[]])[] = [
  [' \t', []],
  ['\0', []],
  ['a', [requirement('a', 'exists')]],
  ['! a', [requirement('a', 'absent')]],
  ['a=', [requirement('a', '=', '')]],
  ['a==in', [requirement('a', '=', 'in')]],
  ['a!=,b', [requirement('a', '!=', ''), requirement('b', 'exists')]],
  ['in in (in)', [requirement('in', 'in', 'in')]],
  ['notin', [requirement('notin', 'exists')]],
  ['a in ()', [requirement('a', 'in')]],
  ['a in (,)', [requirement('a', 'in', '')]],
  ['a in (c,,b,c)', [requirement('a', 'in', '', 'b', 'c')]],
  ['a\t\tin\n(\rx\t)', [requirement('a', 'in', 'x')]],
  ['a>007,b<5', [requirement('a', '>', '007'), requirement('b', '<', '5')]],
  ['a=b\0,c', [requirement('a', '=', 'b'), requirement('c', 'exists')]],
  ['a=b\0\0c', [requirement('a', '=', 'b')]],
  ['a=b \0 c', [requirement('a', '=', 'b')]],
];

test.each(PARSED)('parseLabelSelector parses %j', (selector, requirements) => {
  expect(parseLabelSelector(selector)).toEqual(requirements);
});

test('parseLabelSelector limits the length and the number of requirements', () => {
  expect(() => parseLabelSelector('a'.repeat(65_537))).toThrow('longer than');
  expect(() => parseLabelSelector(Array.from({ length: 513 }, (_, i) => `k${i}`).join(','))).toThrow('more than');
});

const matches = (selector: string, labels: Record<string, string>): boolean => compileLabelSelector(parseLabelSelector(selector))(labels);

test.each([
  ['', {}, true],
  ['a=b', { a: 'b' }, true],
  ['a=b', {}, false],
  ['a=', {}, false],
  ['a=', { a: '' }, true],
  ['a!=b', {}, true],
  ['a!=b', { a: 'b' }, false],
  ['a in ()', { a: 'b' }, false],
  ['a notin ()', { a: 'b' }, true],
  ['a notin (b)', {}, true],
  ['a notin (b)', { a: 'b' }, false],
  ['a,!b', { a: '' }, true],
  ['a,!b', { a: '', b: '' }, false],
  ['a>5', { a: '6' }, true],
  ['a>5', { a: '5' }, false],
  ['a>5', { a: 'x' }, false],
  ['a>5', {}, false],
  ['a<5', { a: '-3' }, true],
  ['a>9007199254740992', { a: '9007199254740993' }, true],
  ['a=b,a=c', { a: 'b' }, false],
  ['constructor', {}, false],
  ['!toString', {}, true],
])('compileLabelSelector evaluates %j on the labels %j to %s', (selector, labels: Record<string, string>, expected) => {
  expect(matches(selector, labels)).toBe(expected);
});

test('compileLabelSelector matches a platform or kubernetes label key in either spelling and prefers the exact one', () => {
  expect(matches('kubernetes.io/service-name=s', { 'platform.io/service-name': 's' })).toBe(true);
  expect(matches('platform.io/service-name=s', { 'kubernetes.io/service-name': 's' })).toBe(true);
  expect(matches('platform.io/service-name=s', { 'kubernetes.io/service-name': 's', 'platform.io/service-name': 't' })).toBe(false);
  expect(matches('!endpointslice.kubernetes.io/managed-by', { 'endpointslice.platform.io/managed-by': 'x' })).toBe(false);
  expect(matches('example.io/service-name=s', { 'platform.io/service-name': 's' })).toBe(false);
});

const word = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,6}[a-z0-9])?$/);
const anyKey = fc.oneof(
  word,
  fc
    .tuple(
      word.filter((prefix) => /^[a-z0-9]+$/.test(prefix)),
      word,
    )
    .map(([prefix, name]) => `${prefix}.io/${name}`),
);
const distinct = fc.uniqueArray(fc.oneof(word, fc.constant('')), { maxLength: 4 }).map((values) => [...values].sort());
const integers = fc.nat().map(String);
const anyRequirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key: anyKey, operator: fc.constantFrom('exists' as const, 'absent' as const), values: fc.constant([]) }),
  fc.record({
    key: anyKey,
    operator: fc.constantFrom('=' as const, '!=' as const),
    values: fc.oneof(word, fc.constant('')).map((value) => [value]),
  }),
  fc.record({
    key: anyKey,
    operator: fc.constantFrom('in' as const, 'notin' as const),
    values: distinct.filter((values) => values.join() !== ''),
  }),
  fc.record({ key: anyKey, operator: fc.constantFrom('>' as const, '<' as const), values: integers.map((value) => [value]) }),
);

test('parseLabelSelector reads what formatLabelSelector writes', () => {
  fc.assert(
    fc.property(fc.array(anyRequirement, { maxLength: 5 }), (requirements) => {
      expect(parseLabelSelector(formatLabelSelector(requirements))).toEqual(requirements);
    }),
  );
});

test('compileLabelSelector evaluates an operator as the negation of its opposite and a comma as a conjunction', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const value = fc.constantFrom('', 'x', 'y', '1');
  const labels = fc.dictionary(key, value);
  fc.assert(
    fc.property(key, fc.uniqueArray(value), value, labels, (k, values, single, object) => {
      expect(matches(`${k} in (${values.join(',')})`, object)).toBe(!matches(`${k} notin (${values.join(',')})`, object));
      expect(matches(`${k}=${single}`, object)).toBe(!matches(`${k}!=${single}`, object));
      expect(matches(k, object)).toBe(!matches(`!${k}`, object));
      expect(matches(`${k}=${single},a!=x`, object)).toBe(matches(`${k}=${single}`, object) && matches('a!=x', object));
    }),
  );
});

test('parseLabelSelector throws only SelectorErrors, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'in', 'notin', '=', '!', '(', ')', ',', '<', '>', ' ', '\0', '_', '1', '/') }),
      (text) => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          expect(error).toHaveProperty('name', 'SelectorError');
        }
      },
    ),
  );
});
