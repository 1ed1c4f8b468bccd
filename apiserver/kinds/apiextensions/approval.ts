/** Groups that bear the product's name are its community's: whoever defines a resource in one says who has agreed to it, or that nobody has. */
import { invalidValue, required, type FieldError } from '../../../shared/api/errors/field-error';
import { parseUrl } from '../../../shared/values/go-url';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { APPROVAL, isProtectedGroup } from '../../../shared/names/dialect';

export function approvalErrors(object: JsonObject): readonly FieldError[] {
  const group = stringAt(objectAt(object, 'spec'), 'group') ?? '';
  if (!isProtectedGroup(group)) return [];
  const annotations = objectAt(readMetadata(object), 'annotations');
  const said = APPROVAL.annotations.map((name) => stringAt(annotations, name) ?? '').find((text) => text !== '');
  const [name = ''] = APPROVAL.annotations;
  const field = `metadata.annotations[${name}]`;
  const rule = `protected groups must have approval annotation "${name}"`;
  if (said === undefined) return [required(field, `${rule}, see ${APPROVAL.link}`)];
  if (said.startsWith('unapproved') || isWholeUrl(said)) return [];
  return [invalidValue(field, said, `${rule} with either a URL or a reason starting with "unapproved", see ${APPROVAL.link}`)];
}

function isWholeUrl(text: string): boolean {
  const parsed = parseUrl(text);
  return parsed.type === 'good' && parsed.url.scheme !== '' && parsed.url.host !== '';
}
