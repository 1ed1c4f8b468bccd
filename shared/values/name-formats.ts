/**
 * The formats of names, keys and values: each check returns upstream's messages, in upstream's order; an empty list means that the text is good.
 * Never says where in an object the text stands.
 */

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

/** `<text> (e.g. 'a',  or 'b', regex used for validation is '<pattern>')`: two blanks before "or", as upstream prints it. */
export function patternMessage(text: string, pattern: string, ...examples: readonly string[]): string {
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

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

/** The texts count UTF-8 bytes; a text that is shorter than the bound in UTF-16 and all ASCII needs no counting. */
function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function check(text: string, max: number, pattern: RegExp, message: string): readonly string[] {
  if (text.length <= max && pattern.test(text)) return NONE;
  return [...(bytes(text) > max ? [tooLongMessage(max)] : NONE), ...(pattern.test(text) ? NONE : [message])];
}

/** A text that would be good but for its dots is told so. */
export const dnsLabel: NameCheck = (text) =>
  check(text, 63, LABEL_PATTERN, SUBDOMAIN_PATTERN.test(text) ? 'must not contain dots' : LABEL_TEXT);
export const dnsSubdomain: NameCheck = (text) => check(text, 253, SUBDOMAIN_PATTERN, SUBDOMAIN_TEXT);
export const dns1035Label: NameCheck = (text) => check(text, 63, DNS_1035_PATTERN, DNS_1035_TEXT);
export const labelValue: NameCheck = (text) => check(text, 63, LABEL_VALUE_PATTERN, LABEL_VALUE_TEXT);

const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const WILDCARD_PATTERN = new RegExp(`^(?:${WILDCARD})$`);
const WILDCARD_TEXT = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric " +
    "characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD,
  '*.example.com',
);
export const wildcardSubdomain: NameCheck = (text) => check(text, 253, WILDCARD_PATTERN, WILDCARD_TEXT);

/** A domain of two labels or more, with or without a dot at its end; what is wrong may be only a part of it. */
export function fullyQualifiedName(text: string): readonly { readonly part: string; readonly text: string }[] {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const wrong = dnsSubdomain(name);
  if (wrong.length > 0) return wrong.map((message) => ({ part: name, text: message }));
  const labels = name.split('.');
  if (labels.length < 2) return [{ part: name, text: 'should be a domain with at least two segments separated by dots' }];
  return labels.flatMap((part) => dnsLabel(part).map((message) => ({ part, text: message })));
}

/** A name that stands in a path: whatever does not change the path. */
export const pathSegment: NameCheck = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return pathSegmentPrefix(text);
};

const NO_PART_OF_PATHS: readonly (readonly [character: string, text: string])[] = [
  ['/', "may not contain '/'"],
  ['%', "may not contain '%'"],
  // Upstream takes it; in our keys it marks the place just after one.
  ['\0', "may not contain '\\x00'"],
];

/** The same for the beginning of a name. */
export const pathSegmentPrefix: NameCheck = (text) => {
  const found = NO_PART_OF_PATHS.filter(([character]) => text.includes(character));
  return found.length === 0 ? NONE : found.map(([, complaint]) => complaint);
};

/** `[prefix/]name`: keys of labels and annotations, finalizers, application protocols. */
export const qualifiedName: NameCheck = (text) => {
  const slash = text.indexOf('/');
  if (slash < 0) return qualifiedPart(text);
  if (text.indexOf('/', slash + 1) >= 0) {
    return [`a qualified name ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const prefix = text.slice(0, slash);
  const messages = prefix === '' ? ['prefix part must be non-empty'] : dnsSubdomain(prefix).map((message) => `prefix part ${message}`);
  const part = qualifiedPart(text.slice(slash + 1));
  return messages.length === 0 ? part : [...messages, ...part];
};

function qualifiedPart(name: string): readonly string[] {
  if (name.length <= 63 && QUALIFIED_PATTERN.test(name)) return NONE;
  const messages: string[] = [];
  if (name === '') messages.push('name part must be non-empty');
  else if (bytes(name) > 63) messages.push(`name part ${tooLongMessage(63)}`);
  if (!QUALIFIED_PATTERN.test(name)) messages.push(`name part ${QUALIFIED_TEXT}`);
  return messages;
}

const URL_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const URL_PATH_PATTERN = new RegExp(`^(?:${URL_PATH})$`);

/** The path of a URL as far as its signs go. */
export const urlPath: NameCheck = (text) =>
  URL_PATH_PATTERN.test(text) ? NONE : [`Invalid path (regex used for validation is '${URL_PATH}')`];

/** A key of a ConfigMap or Secret. */
export const configKey: NameCheck = (text) => {
  const messages = [...check(text, 253, CONFIG_KEY_PATTERN, CONFIG_KEY_TEXT)];
  if (text === '.') messages.push("must not be '.'");
  else if (text === '..') messages.push("must not be '..'");
  else if (text.startsWith('..')) messages.push("must not start with '..'");
  return messages;
};

/** An IANA service name: the name of a container port. */
export const portName: NameCheck = (text) => {
  const messages: string[] = [];
  if (bytes(text) > 15) messages.push(tooLongMessage(15));
  if (!/^[-a-z0-9]*$/.test(text) || text === '') messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(text)) messages.push('must contain at least one letter (a-z)');
  if (text.includes('--')) messages.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
};

/** A name that may still get a random suffix: its last dash does not count (`web-` is good although no name ends in a dash). */
export function asPrefix(format: NameCheck): NameCheck {
  return (text) => format(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LONGEST_BASE = 58;

/** `base`, cut to 58 bytes, and five random characters. */
export function generateName(base: string, random: { string(length: number, alphabet: string): string }): string {
  const cut = bytes(base) > LONGEST_BASE ? Buffer.from(base).subarray(0, LONGEST_BASE).toString() : base;
  return cut + random.string(5, SUFFIX_ALPHABET);
}
