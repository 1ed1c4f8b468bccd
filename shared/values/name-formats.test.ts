/** Formats of names, with upstream's messages. */
import fc from 'fast-check';
import {
  namePrefixCheck,
  checkConfigKey,
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  generateName,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkQualifiedName,
  type NameCheck,
} from './name-formats';
import { anyCharacter } from '../../test/support/any-character';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
  "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric " +
  "character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  " +
  "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for " +
  "validation is '[-._a-zA-Z0-9]+')";
const x = (length: number): string => 'x'.repeat(length);

/** With a name, which the titles show. */
const checkSubdomainPrefix: NameCheck = (text) => namePrefixCheck(checkDnsSubdomain)(text);

const CASES: readonly (readonly [check: NameCheck, text: string, messages: readonly string[]])[] = [
  [checkDnsLabel, 'a-1', []],
  [checkDnsLabel, x(63), []],
  [checkDnsLabel, x(64), ['must be no more than 63 characters']],
  [checkDnsLabel, 'a.b', ['must not contain dots']],
  [checkDnsLabel, 'A.b', [LABEL]],
  [checkDnsLabel, '-a', [LABEL]],
  [checkDnsSubdomain, 'a.b-c.1', []],
  [checkDnsSubdomain, 'a..b', [SUBDOMAIN]],
  [checkDnsSubdomain, `${x(254)}.`, ['must be no more than 253 characters', SUBDOMAIN]],
  [checkDns1035Label, '1a', [DNS_1035]],
  [checkLabelValue, '', []],
  [checkLabelValue, 'a_b.C-1', []],
  [checkLabelValue, `${x(63)}-`, ['must be no more than 63 characters', LABEL_VALUE]],
  [checkQualifiedName, 'a.b/C_d', []],
  [checkQualifiedName, '', ['name part must be non-empty', `name part ${QUALIFIED}`]],
  [checkQualifiedName, '/a', ['prefix part must be non-empty']],
  [checkQualifiedName, 'A/b', [`prefix part ${SUBDOMAIN}`]],
  [checkQualifiedName, 'a/', ['name part must be non-empty', `name part ${QUALIFIED}`]],
  [
    checkQualifiedName,
    'a/b/c',
    [`a qualified name ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
  ],
  [checkQualifiedName, x(64), ['name part must be no more than 63 characters']],
  [checkConfigKey, 'a.B_-', []],
  [checkConfigKey, '.', ["must not be '.'"]],
  [checkConfigKey, '..', ["must not be '..'"]],
  [checkConfigKey, '..a', ["must not start with '..'"]],
  [checkConfigKey, 'a b', [CONFIG_KEY]],
  [checkConfigKey, '', [CONFIG_KEY]],
  [checkPathSegment, 'system:foo', []],
  [checkPathSegment, '..', ["may not be '..'"]],
  [checkPathSegment, 'a\0b', ["may not contain '\\x00'"]],
  [checkPathSegment, 'a/b%', ["may not contain '/'", "may not contain '%'"]],
  [checkPortName, 'http-2', []],
  [
    checkPortName,
    '--',
    ['must contain at least one letter (a-z)', 'must not contain consecutive hyphens', 'must not begin or end with a hyphen'],
  ],
  [checkPortName, x(16), ['must be no more than 15 characters']],
  [
    checkPortName,
    'A',
    ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)', 'must contain at least one letter (a-z)'],
  ],
  [checkSubdomainPrefix, 'web-', []],
  [checkSubdomainPrefix, '-', [SUBDOMAIN]],
  [checkSubdomainPrefix, 'web.', [SUBDOMAIN]],
];

it.each(CASES.map(([check, text, messages]) => [check.name, text.slice(0, 40), check, text, messages] as const))(
  '%s returns the messages of upstream for %j',
  (_name, _excerpt, check, text, messages) => {
    expect(check(text)).toEqual(messages);
  },
);

it('generateName makes names of at most 63 bytes that keep their beginning', () => {
  const random = { string: (length: number) => 'b'.repeat(length) };
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (base) => {
      const name = generateName(base, random);
      expect(name.endsWith('bbbbb')).toBe(true);
      if (Buffer.byteLength(base) <= 58) expect(name).toBe(`${base}bbbbb`);
    }),
  );
  expect(Buffer.byteLength(generateName(x(200), random))).toBe(63);
  expect(generateName('é'.repeat(100), random)).toBe(`${'é'.repeat(29)}bbbbb`);
});
