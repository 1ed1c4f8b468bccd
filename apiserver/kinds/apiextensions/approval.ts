/** Groups that bear the product's name are its community's: whoever defines a resource in one says who has agreed to it, or that nobody has. */
import { invalidValue, required } from '../../../shared/api/errors/field-error';
import { parseUrl } from '../../../shared/values/go-url';
import { stringAt } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import { APPROVAL, isProtectedGroup } from '../../../shared/names/dialect';
import type { ApiextensionsV1CustomResourceDefinition } from '../../../shared/api/types/generated/members';

export function checkApproval(object: ApiextensionsV1CustomResourceDefinition, errors: Errors): void {
  if (!isProtectedGroup(object.spec?.group ?? '')) return;
  const annotations = object.metadata?.annotations;
  const said = APPROVAL.annotations.map((name) => stringAt(annotations, name) ?? '').find((text) => text !== '');
  const [name = ''] = APPROVAL.annotations;
  const field = `metadata.annotations[${name}]`;
  const rule = `protected groups must have approval annotation "${name}"`;
  if (said === undefined) errors.push(required(field, `${rule}, see ${APPROVAL.link}`));
  else if (!said.startsWith('unapproved') && !isWholeUrl(said)) {
    errors.push(invalidValue(field, said, `${rule} with either a URL or a reason starting with "unapproved", see ${APPROVAL.link}`));
  }
}

function isWholeUrl(text: string): boolean {
  const parsed = parseUrl(text);
  return parsed.type === 'good' && parsed.url.scheme !== '' && parsed.url.host !== '';
}
