/**
 * Validates status updates of CertificateSigningRequests: approval conditions through `approval`, certificate and
 * failures through `status`.
 */
import { appendToKey } from '../../../shared/values/append';
import { duplicateValue, forbiddenField, invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { setTransitionTimes } from '../../../shared/api/metadata/conditions';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { checkRequiredEnum, CONDITION_STATUSES, type Errors } from '../rules/checks';
import type {
  CertificatesV1CertificateSigningRequest,
  CertificatesV1CertificateSigningRequestCondition,
} from '../../../shared/api/types/generated/members';

const CONDITIONS_FIELD = 'status.conditions';
const APPROVAL_CONDITIONS = ['Approved', 'Denied'];
const PERMANENT_CONDITIONS = [...APPROVAL_CONDITIONS, 'Failed'];

type Request = CertificatesV1CertificateSigningRequest;

const conditionsOf = (object: Request): readonly CertificatesV1CertificateSigningRequestCondition[] => object.status?.conditions ?? [];
const hasCondition = (object: Request, type: string): boolean => conditionsOf(object).some((condition) => condition.type === type);

/** Sets missing times of conditions. `now` in milliseconds since 1970. */
export function setConditionTimes(object: Request, old: Request, now: number): void {
  for (const condition of conditionsOf(object)) condition.lastUpdateTime ??= formatTimestamp(now);
  setTransitionTimes(conditionsOf(object), conditionsOf(old), now);
}

export function checkConditions(object: Request, errors: Errors): void {
  const seen = new Set<string>();
  conditionsOf(object).forEach((condition, index) => {
    const fieldPath = `${CONDITIONS_FIELD}[${index}]`;
    const type = condition.type ?? '';
    if (type === '') errors.push(requiredValue(`${fieldPath}.type`));
    checkRequiredEnum(condition, 'status', fieldPath, PERMANENT_CONDITIONS.includes(type) ? ['True'] : CONDITION_STATUSES, errors);
    if (seen.has(type)) errors.push(duplicateValue(`${fieldPath}.type`, type));
    const hasOtherApproval = APPROVAL_CONDITIONS.some((other) => other !== type && seen.has(other));
    if (APPROVAL_CONDITIONS.includes(type) && hasOtherApproval) {
      errors.push(invalidValue(`${fieldPath}.type`, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    seen.add(type);
  });
}

/** `mayApprove`: whether approval conditions may be added. Permanent conditions are never removed. */
export function checkConditionUpdate(
  object: Request,
  old: Request,
  { mayApprove }: { readonly mayApprove: boolean },
  errors: Errors,
): void {
  for (const type of PERMANENT_CONDITIONS) {
    if (hasCondition(old, type) && !hasCondition(object, type)) errors.push(conditionUpdateError('remove', type));
  }
  if (mayApprove) return;
  for (const type of APPROVAL_CONDITIONS) {
    if (hasCondition(object, type) && !hasCondition(old, type)) errors.push(conditionUpdateError('add', type));
  }
}

const conditionUpdateError = (verb: string, type: string): FieldError =>
  forbiddenField(CONDITIONS_FIELD, `updates may not ${verb} a condition of type "${type}"`);

const REDACTED = '<certificate data>';

/** `-----BEGIN CERTIFICATE-----`, up to the end of the line. */
const BEGIN_LINE = /-----BEGIN (?<type>[^-]*)-----\r?\n/g;
/** `-----END CERTIFICATE-----` */
const END_LINE = /-----END (?<type>[^-]*)-----/g;

/**
 * The types of the complete PEM blocks: each begin line with the next end line of its type. Lines within a block are part
 * of its content. Takes time in proportion to the text.
 */
function pemBlockTypes(text: string): readonly string[] {
  // The positions of end lines from last to first, so that the next one is popped from the end.
  const endsByType = new Map<string, number[]>();
  for (const { groups, index } of [...text.matchAll(END_LINE)].reverse()) appendToKey(endsByType, groups?.['type'] ?? '', index);
  const types: string[] = [];
  let endOfPreviousBlock = 0;
  for (const { 0: line, groups, index } of text.matchAll(BEGIN_LINE)) {
    if (index < endOfPreviousBlock) continue;
    const type = groups?.['type'] ?? '';
    const contentStart = index + line.length;
    const ends = endsByType.get(type) ?? [];
    while ((ends.at(-1) ?? Infinity) < contentStart) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) continue;
    types.push(type);
    endOfPreviousBlock = end;
  }
  return types;
}

export function checkCertificate(object: Request, errors: Errors): void {
  const certificate = object.status?.certificate ?? '';
  if (certificate === '') return;
  const blocks = pemBlockTypes(Buffer.from(certificate, 'base64').toString('latin1'));
  const other = blocks.find((type) => type !== 'CERTIFICATE');
  const addError = (text: string): void => {
    errors.push(invalidValue('status.certificate', REDACTED, text));
  };
  if (other !== undefined) addError(`only CERTIFICATE PEM blocks are allowed, found "${other}"`);
  else if (blocks.length === 0) addError('must contain at least one CERTIFICATE PEM block');
}

/** An absent certificate may be set once. */
export function checkCertificateUnchanged(object: Request, old: Request, errors: Errors): void {
  const current = object.status?.certificate ?? '';
  const previous = old.status?.certificate ?? '';
  if (previous === '' || current === previous) return;
  errors.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'));
}
