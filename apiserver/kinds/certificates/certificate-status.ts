/** What may be said of a certificate request's status: approvals through one endpoint, the certificate and failures through the other. */
import { appendToKey } from '../../../shared/values/append';
import { duplicateValue, forbiddenField, invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { checkRequiredChoice, CONDITION_STATUSES, type Errors } from '../rules/checks';
import type {
  CertificatesV1CertificateSigningRequest,
  CertificatesV1CertificateSigningRequestCondition,
} from '../../../shared/api/types/generated/members';

const FIELD = 'status.conditions';
const DECISIONS = ['Approved', 'Denied'];
/** Conditions that stay. */
const LASTING = [...DECISIONS, 'Failed'];

type Request = CertificatesV1CertificateSigningRequest;

const conditionsOf = (object: Request): readonly CertificatesV1CertificateSigningRequestCondition[] => object.status?.conditions ?? [];
const has = (object: Request, type: string): boolean => conditionsOf(object).some((condition) => condition.type === type);

/** Fills in the times that a client leaves to the server. `now` since 1970. */
export function stampConditions(object: Request, old: Request, now: number): void {
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= formatTimestamp(now);
    const { type = '', status } = condition;
    condition.lastTransitionTime ??=
      conditionsOf(old).find((other) => (other.type ?? '') === type && other.status === status)?.lastTransitionTime ?? formatTimestamp(now);
  }
}

/** Errors of the conditions themselves. */
export function checkConditions(object: Request, errors: Errors): void {
  const seen = new Set<string>();
  conditionsOf(object).forEach((condition, index) => {
    const place = `${FIELD}[${index}]`;
    const type = condition.type ?? '';
    if (type === '') errors.push(requiredValue(`${place}.type`));
    checkRequiredChoice(condition, 'status', place, LASTING.includes(type) ? ['True'] : CONDITION_STATUSES, errors);
    if (seen.has(type)) errors.push(duplicateValue(`${place}.type`, type));
    const isSecond = DECISIONS.includes(type) && DECISIONS.some((other) => other !== type && seen.has(other));
    if (isSecond) errors.push(invalidValue(`${place}.type`, type, 'Approved and Denied conditions are mutually exclusive'));
    seen.add(type);
  });
}

/** Through `approval` decisions may be added, through `status` they may not; what lasts is never removed. */
export function checkConditionChange(object: Request, old: Request, mayDecide: boolean, errors: Errors): void {
  for (const type of LASTING) if (has(old, type) && !has(object, type)) errors.push(forbidden('remove', type));
  if (mayDecide) return;
  for (const type of DECISIONS) if (has(object, type) && !has(old, type)) errors.push(forbidden('add', type));
}

const forbidden = (verb: string, type: string): FieldError =>
  forbiddenField(FIELD, `updates may not ${verb} a condition of type "${type}"`);

const SHOWN = '<certificate data>';

const BEGINNING = /-----BEGIN ([^-]*)-----\r?\n/g;
const END = /-----END ([^-]*)-----/g;

/** The types of the blocks that begin and end. */
function pemBlocks(text: string): readonly string[] {
  const ends = new Map<string, number[]>();
  // Last ones first, so that the next one is taken from the end of the list.
  for (const { 1: type = '', index } of [...text.matchAll(END)].reverse()) appendToKey(ends, type, index);
  const types: string[] = [];
  let closed = 0;
  for (const { 0: line, 1: type = '', index } of text.matchAll(BEGINNING)) {
    if (index < closed) continue;
    const places = ends.get(type) ?? [];
    while ((places.at(-1) ?? Infinity) < index + line.length) places.pop();
    const end = places.at(-1);
    if (end === undefined) continue;
    types.push(type);
    closed = end;
  }
  return types;
}

export function checkCertificate(object: Request, errors: Errors): void {
  const certificate = object.status?.certificate ?? '';
  if (certificate === '') return;
  const blocks = pemBlocks(Buffer.from(certificate, 'base64').toString('latin1'));
  const other = blocks.find((type) => type !== 'CERTIFICATE');
  const refuse = (text: string): void => void errors.push(invalidValue('status.certificate', SHOWN, text));
  if (other !== undefined) refuse(`only CERTIFICATE PEM blocks are allowed, found "${other}"`);
  else if (blocks.length === 0) refuse('must contain at least one CERTIFICATE PEM block');
}

/** An issued certificate stays. */
export function checkCertificateChange(object: Request, old: Request, errors: Errors): void {
  const [now, before] = [object.status?.certificate ?? '', old.status?.certificate ?? ''];
  if (before === '' || now === before) return;
  errors.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'));
}
