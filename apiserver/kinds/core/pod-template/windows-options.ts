/** What a security context says for Windows. */
import { invalidValue } from '../../../../shared/api/errors/field-error';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { checkFormat, type Errors } from '../../rules/checks';
import type { CoreV1PodSecurityContext, CoreV1SecurityContext } from '../../../../shared/api/types/generated/members';

const LARGEST_SPEC_KIB = 64;
const LONGEST_DOMAIN = 256;
const LONGEST_USER = 104;
const CONTROL = /[\u0000-\u001f\u007f]/;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const ONLY_DOTS = /^[. ]+$/;
const NOT_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

export function checkWindowsOptions(context: CoreV1PodSecurityContext | CoreV1SecurityContext, contextPlace: string, errors: Errors): void {
  const options = context.windowsOptions;
  if (options === undefined) return;
  const place = `${contextPlace}.windowsOptions`;
  const name = options.gmsaCredentialSpecName;
  if (name !== undefined) checkFormat(name, `${place}.gmsaCredentialSpecName`, checkDnsSubdomain, errors);
  const spec = options.gmsaCredentialSpec;
  const specField = `${place}.gmsaCredentialSpec`;
  if (spec === '') errors.push(invalidValue(specField, spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && Buffer.byteLength(spec) > LARGEST_SPEC_KIB * 1024) {
    errors.push(invalidValue(specField, spec, `gmsaCredentialSpec size must be under ${LARGEST_SPEC_KIB} KiB`));
  }
  const user = options.runAsUserName;
  if (user === undefined) return;
  for (const text of userFaults(user)) errors.push(invalidValue(`${place}.runAsUserName`, user, `runAsUserName${text}`));
}

/** `user` or `domain\user`. */
function userFaults(name: string): readonly string[] {
  if (name === '') return [' cannot be an empty string'];
  if (CONTROL.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const [domain = '', user] = parts;
  if (user === undefined) return wordFaults(domain);
  return [...domainFaults(domain), ...wordFaults(user)];
}

function domainFaults(domain: string): readonly string[] {
  const faults: string[] = [];
  if (Buffer.byteLength(domain) >= LONGEST_DOMAIN) faults.push(`'s Domain length must be under ${LONGEST_DOMAIN} characters`);
  if (!NETBIOS.test(domain) && !DNS.test(domain)) faults.push("'s Domain doesn't match the NetBios nor the DNS format");
  return faults;
}

function wordFaults(user: string): readonly string[] {
  if (user === '') return ["'s User cannot be empty"];
  const faults: string[] = [];
  if (Buffer.byteLength(user) > LONGEST_USER) faults.push(`'s User length must not be longer than ${LONGEST_USER} characters`);
  if (ONLY_DOTS.test(user)) faults.push("'s User cannot contain only periods or spaces");
  if (NOT_IN_USER.test(user)) faults.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return faults;
}
