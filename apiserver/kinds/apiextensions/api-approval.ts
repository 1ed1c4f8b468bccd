/**
 * Validates the API approval annotation, which definitions in protected groups need: those below the domains of upstream
 * and of this server. The status condition that follows from it is left to `apiserver/custom-resources`.
 */
import { invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import { parseGoUrl } from '../../../shared/values/network/go-url';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import { API_APPROVAL, isProtectedGroup } from '../../../shared/names/dialect';
import type { ApiextensionsV1CustomResourceDefinition } from '../../../shared/api/types/generated/members';

/** State of the approval annotation. `value` is its text, `detail` the text of the error. */
export type ApiApproval =
  | { readonly type: 'approved' | 'unapproved'; readonly value: string }
  | { readonly type: 'wrong'; readonly value: string; readonly detail: string }
  | { readonly type: 'missing'; readonly detail: string };

const [ANNOTATION] = API_APPROVAL.annotations;
const RULE = `protected groups must have approval annotation "${ANNOTATION}"`;

/** `undefined` for a group that is not protected. The annotation may have either spelling. */
export function parseApiApproval(group: string, annotations: JsonObject | undefined): ApiApproval | undefined {
  if (!isProtectedGroup(group)) return undefined;
  const value = API_APPROVAL.annotations.map((name) => stringAt(annotations, name) ?? '').find((text) => text !== '');
  if (value === undefined) return { type: 'missing', detail: `${RULE}, see ${API_APPROVAL.link}` };
  if (value.startsWith('unapproved')) return { type: 'unapproved', value };
  if (isAbsoluteUrl(value)) return { type: 'approved', value };
  return { type: 'wrong', value, detail: `${RULE} with either a URL or a reason starting with "unapproved", see ${API_APPROVAL.link}` };
}

export function checkApiApproval({ spec, metadata }: ApiextensionsV1CustomResourceDefinition, errors: Errors): void {
  const approval = parseApiApproval(spec?.group ?? '', metadata?.annotations ?? undefined);
  const field = `metadata.annotations[${ANNOTATION}]`;
  if (approval?.type === 'missing') errors.push(requiredValue(field, approval.detail));
  if (approval?.type === 'wrong') errors.push(invalidValue(field, approval.value, approval.detail));
}

function isAbsoluteUrl(text: string): boolean {
  const parsed = parseGoUrl(text);
  return parsed.type === 'good' && parsed.url.scheme !== '' && parsed.url.host !== '';
}
