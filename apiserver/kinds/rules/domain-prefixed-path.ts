/**
 * Validates domain-prefixed paths such as `acme.io/foo`, by which objects name the controllers that manage them. The
 * value is required.
 */
import { invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import { checkDnsSubdomain, checkUrlPath } from '../../../shared/values/name-formats';
import { checkFormat, type Errors } from './checks';

export function checkDomainPrefixedPath(value: string, field: string, errors: Errors): void {
  if (value === '') {
    errors.push(requiredValue(field));
    return;
  }
  const slash = value.indexOf('/');
  const domain = slash === -1 ? '' : value.slice(0, slash);
  const path = value.slice(slash + 1);
  if (domain === '' || path === '') {
    errors.push(invalidValue(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
    return;
  }
  checkFormat(domain, field, checkDnsSubdomain, errors);
  checkFormat(path, field, checkUrlPath, errors);
}
