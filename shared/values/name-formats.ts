/**
 * Checks the formats of names, label keys and values, as in k8s.io/apimachinery/pkg/util/validation. Each check returns
 * the messages of upstream in the same order, and an empty list for a valid text. The caller adds the path of the
 * field.
 */

/** Returns the messages about an invalid text. */
export type NameCheck = (text: string) => readonly string[];

const NONE: readonly string[] = [];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const LABEL_PATTERN = new RegExp(`^(?:${LABEL})$`);
const SUBDOMAIN_PATTERN = new RegExp(`^(?:${SUBDOMAIN})$`);
const DNS_1035_PATTERN = new RegExp(`^(?:${DNS_1035})$`);
const QUALIFIED_PATTERN = new RegExp(`^(?:${QUALIFIED})$`);
const LABEL_VALUE_PATTERN = new RegExp(`^(?:${LABEL_VALUE})$`);
const CONFIG_KEY_PATTERN = new RegExp(`^(?:${CONFIG_KEY})$`);

/** `<text> (e.g. 'a',  or 'b', regex used for validation is '<pattern>')`; upstream has two spaces before "or". */
export function patternMessage(text: string, pattern: string, ...examples: readonly string[]): string {
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** The message of upstream for a text with more than `max` characters. */
export const tooLongMessage = (max: number): string => `must be no more than ${max} characters`;

const LABEL_TEXT = patternMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  'my-name',
  '123-abc',
);
const SUBDOMAIN_TEXT = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    'and must start and end with an alphanumeric character',
  SUBDOMAIN,
  'example.com',
);
const DNS_1035_TEXT = patternMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
    'and end with an alphanumeric character',
  DNS_1035,
  'my-name',
  'abc-123',
);
const QUALIFIED_RULE = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_TEXT = patternMessage(QUALIFIED_RULE, QUALIFIED, 'MyName', 'my.name', '123-abc');
const LABEL_VALUE_TEXT = patternMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    'and must start and end with an alphanumeric character',
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);
const CONFIG_KEY_TEXT = patternMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  CONFIG_KEY,
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** Limit of a label of a DNS name (RFC 1123), in UTF-8 bytes like the other limits. */
const MAX_LABEL_LENGTH = 63;
/** Limit of a name in the DNS (RFC 1123). */
const MAX_SUBDOMAIN_LENGTH = 253;
/** Limit of a service name (RFC 6335). */
const MAX_PORT_NAME_LENGTH = 15;

/** Limits are in UTF-8 bytes, as upstream. */
function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function checkFormat(text: string, max: number, pattern: RegExp, message: string): readonly string[] {
  if (text.length <= max && pattern.test(text)) return NONE;
  return [...(byteLength(text) > max ? [tooLongMessage(max)] : NONE), ...(pattern.test(text) ? NONE : [message])];
}

/** A text that would be valid as a subdomain gets a message of its own. */
export const checkDnsLabel: NameCheck = (text) =>
  checkFormat(text, MAX_LABEL_LENGTH, LABEL_PATTERN, SUBDOMAIN_PATTERN.test(text) ? 'must not contain dots' : LABEL_TEXT);
export const checkDnsSubdomain: NameCheck = (text) => checkFormat(text, MAX_SUBDOMAIN_LENGTH, SUBDOMAIN_PATTERN, SUBDOMAIN_TEXT);
export const checkDns1035Label: NameCheck = (text) => checkFormat(text, MAX_LABEL_LENGTH, DNS_1035_PATTERN, DNS_1035_TEXT);
export const checkLabelValue: NameCheck = (text) => checkFormat(text, MAX_LABEL_LENGTH, LABEL_VALUE_PATTERN, LABEL_VALUE_TEXT);

const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const WILDCARD_PATTERN = new RegExp(`^(?:${WILDCARD})$`);
const WILDCARD_TEXT = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric " +
    "characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD,
  '*.example.com',
);
export const checkWildcardSubdomain: NameCheck = (text) => checkFormat(text, MAX_SUBDOMAIN_LENGTH, WILDCARD_PATTERN, WILDCARD_TEXT);

/** A domain of at least two labels, with or without a final dot. Each message has the invalid part of the domain. */
export function checkFullyQualifiedDomainName(text: string): readonly { readonly part: string; readonly message: string }[] {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const errors = checkDnsSubdomain(name);
  if (errors.length > 0) return errors.map((message) => ({ part: name, message }));
  const labels = name.split('.');
  if (labels.length < 2) return [{ part: name, message: 'should be a domain with at least two segments separated by dots' }];
  return labels.flatMap((part) => checkDnsLabel(part).map((message) => ({ part, message })));
}

/** A name that is a segment of URLs and storage keys. */
export const checkPathSegment: NameCheck = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return checkPathSegmentPrefix(text);
};

const FORBIDDEN_IN_PATHS: readonly (readonly [character: string, text: string])[] = [
  ['/', "may not contain '/'"],
  ['%', "may not contain '%'"],
  // Accepted by upstream; in storage keys of this server NUL marks the position after a key.
  ['\0', "may not contain '\\x00'"],
];

/** As {@link checkPathSegment}, for the prefix of a name (`generateName`): it may be `.` or `..`. */
export const checkPathSegmentPrefix: NameCheck = (text) => {
  const violations = FORBIDDEN_IN_PATHS.filter(([character]) => text.includes(character));
  return violations.length === 0 ? NONE : violations.map(([, message]) => message);
};

/** `[prefix/]name`: keys of labels and annotations, finalizers, application protocols. */
export const checkQualifiedName: NameCheck = (text) => {
  const slash = text.indexOf('/');
  if (slash < 0) return checkNamePart(text);
  if (text.indexOf('/', slash + 1) >= 0) {
    return [`a qualified name ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const prefix = text.slice(0, slash);
  const messages = prefix === '' ? ['prefix part must be non-empty'] : checkDnsSubdomain(prefix).map((message) => `prefix part ${message}`);
  const nameMessages = checkNamePart(text.slice(slash + 1));
  return messages.length === 0 ? nameMessages : [...messages, ...nameMessages];
};

function checkNamePart(name: string): readonly string[] {
  if (name.length <= MAX_LABEL_LENGTH && QUALIFIED_PATTERN.test(name)) return NONE;
  const messages: string[] = [];
  if (name === '') messages.push('name part must be non-empty');
  else if (byteLength(name) > MAX_LABEL_LENGTH) messages.push(`name part ${tooLongMessage(MAX_LABEL_LENGTH)}`);
  if (!QUALIFIED_PATTERN.test(name)) messages.push(`name part ${QUALIFIED_TEXT}`);
  return messages;
}

const URL_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const URL_PATH_PATTERN = new RegExp(`^(?:${URL_PATH})$`);

/** A URL path; only its characters are checked. */
export const checkUrlPath: NameCheck = (text) =>
  URL_PATH_PATTERN.test(text) ? NONE : [`Invalid path (regex used for validation is '${URL_PATH}')`];

/** A key of a ConfigMap or Secret. */
export const checkConfigKey: NameCheck = (text) => {
  const messages = [...checkFormat(text, MAX_SUBDOMAIN_LENGTH, CONFIG_KEY_PATTERN, CONFIG_KEY_TEXT)];
  if (text === '.') messages.push("must not be '.'");
  else if (text === '..') messages.push("must not be '..'");
  else if (text.startsWith('..')) messages.push("must not start with '..'");
  return messages;
};

/** An IANA service name: the name of a container port. */
export const checkPortName: NameCheck = (text) => {
  const messages: string[] = [];
  if (byteLength(text) > MAX_PORT_NAME_LENGTH) messages.push(tooLongMessage(MAX_PORT_NAME_LENGTH));
  if (!/^[-a-z0-9]*$/.test(text) || text === '') messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(text)) messages.push('must contain at least one letter (a-z)');
  if (text.includes('--')) messages.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
};

/**
 * The format of a name prefix (`generateName`): it may end in a dash, because a random suffix follows. As upstream, the
 * check replaces the dash and the character before it by a letter.
 */
export function namePrefixCheck(format: NameCheck): NameCheck {
  return (text) => format(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

/** Upstream's alphabet of generated names: without vowels and digits that resemble them. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** Characters that the server appends to `generateName`. */
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = MAX_LABEL_LENGTH - SUFFIX_LENGTH;

/** `base`, truncated to 58 bytes, followed by five random characters. */
export function generateName(base: string, random: { string(length: number, alphabet: string): string }): string {
  const prefix = byteLength(base) > MAX_BASE_LENGTH ? Buffer.from(base).subarray(0, MAX_BASE_LENGTH).toString() : base;
  return prefix + random.string(SUFFIX_LENGTH, SUFFIX_ALPHABET);
}
