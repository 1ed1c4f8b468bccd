/**
 * How label keys and values are spelled, with upstream's sentences for what is wrong. Used by selectors; never looks at objects.
 */

const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?';
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const NAME_PATTERN = new RegExp(`^${NAME}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const VALUE_PATTERN = new RegExp(`^(${NAME})?$`);

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  `alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const MAX_NAME = 63;
const MAX_SUBDOMAIN = 253;

/** What is wrong with a label key (`name` or `example.com/name`); empty when nothing is. */
export function labelKeyFaults(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [`a qualified name ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts[parts.length - 1] ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const faults: string[] = [];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  if (name === '') faults.push('name part must be non-empty');
  else if (Buffer.byteLength(name) > MAX_NAME) faults.push(`name part must be no more than ${MAX_NAME} characters`);
  if (!NAME_PATTERN.test(name)) faults.push(`name part ${NAME_RULE}`);
  return faults;
}

/** What is wrong with a label value; empty when nothing is. */
export function labelValueFaults(value: string): string[] {
  const faults: string[] = [];
  if (Buffer.byteLength(value) > MAX_NAME) faults.push(`must be no more than ${MAX_NAME} characters`);
  if (!VALUE_PATTERN.test(value)) faults.push(VALUE_RULE);
  return faults;
}

function subdomainFaults(text: string): string[] {
  const faults: string[] = [];
  if (Buffer.byteLength(text) > MAX_SUBDOMAIN) faults.push(`must be no more than ${MAX_SUBDOMAIN} characters`);
  if (!SUBDOMAIN_PATTERN.test(text)) faults.push(SUBDOMAIN_RULE);
  return faults;
}
