/**
 * Validates the Windows options of security contexts: the credential spec of a group managed service account, and the
 * form of the user's name. That the user exists is not checked.
 */
import { invalidValue } from '../../../../../shared/api/errors/field-error';
import { checkDnsSubdomain } from '../../../../../shared/values/name-formats';
import { checkFormat, type Errors } from '../../../rules/checks';
import type { CoreV1PodSecurityContext, CoreV1SecurityContext } from '../../../../../shared/api/types/generated/members';

const MAX_SPEC_KIB = 64;
/** In bytes; a domain must be shorter. */
const MAX_DOMAIN_LENGTH = 256;
/** In bytes. */
const MAX_USER_LENGTH = 104;
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;
/** A domain as a NetBIOS name: at most 15 characters and no dot first, such as `CORP 1`. */
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
/** One part of a DNS name, in either case: `Corp` in `Corp.example.com`. */
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
/** A domain as a DNS name, such as `Corp.example.com`. */
const DNS = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const ONLY_DOTS = /^[. ]+$/;
/** A character that Windows allows in no user name, such as `:`. */
const NOT_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

export function checkWindowsOptions(context: CoreV1PodSecurityContext | CoreV1SecurityContext, contextPath: string, errors: Errors): void {
  const options = context.windowsOptions;
  if (options === undefined) return;
  const fieldPath = `${contextPath}.windowsOptions`;
  const name = options.gmsaCredentialSpecName;
  if (name !== undefined) checkFormat(name, `${fieldPath}.gmsaCredentialSpecName`, checkDnsSubdomain, errors);
  const spec = options.gmsaCredentialSpec;
  const specField = `${fieldPath}.gmsaCredentialSpec`;
  if (spec === '') errors.push(invalidValue(specField, spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && Buffer.byteLength(spec) > MAX_SPEC_KIB * 1024) {
    errors.push(invalidValue(specField, spec, `gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`));
  }
  const user = options.runAsUserName;
  if (user === undefined) return;
  for (const text of runAsUserNameErrors(user)) errors.push(invalidValue(`${fieldPath}.runAsUserName`, user, `runAsUserName${text}`));
}

/** The errors of a name `user` or `domain\user`, as the ends of messages that begin with the field's name. */
function runAsUserNameErrors(name: string): readonly string[] {
  if (name === '') return [' cannot be an empty string'];
  if (CONTROL_CHARACTERS.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const [domain = '', user] = parts;
  if (user === undefined) return userErrors(domain);
  return [...domainErrors(domain), ...userErrors(user)];
}

function domainErrors(domain: string): readonly string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(domain) >= MAX_DOMAIN_LENGTH) errors.push(`'s Domain length must be under ${MAX_DOMAIN_LENGTH} characters`);
  if (!NETBIOS.test(domain) && !DNS.test(domain)) errors.push("'s Domain doesn't match the NetBios nor the DNS format");
  return errors;
}

function userErrors(user: string): readonly string[] {
  if (user === '') return ["'s User cannot be empty"];
  const errors: string[] = [];
  if (Buffer.byteLength(user) > MAX_USER_LENGTH) errors.push(`'s User length must not be longer than ${MAX_USER_LENGTH} characters`);
  if (ONLY_DOTS.test(user)) errors.push("'s User cannot contain only periods or spaces");
  if (NOT_IN_USER.test(user)) errors.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return errors;
}
