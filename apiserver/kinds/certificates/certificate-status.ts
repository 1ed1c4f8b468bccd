/** What may be said of a certificate request's status: approvals through one endpoint, the certificate and failures through the other. */
import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { timestamp } from '../../../shared/api/metadata/object-meta';

const FIELD = 'status.conditions';
const DECISIONS = ['Approved', 'Denied'];
/** Conditions that stay. */
const LASTING = [...DECISIONS, 'Failed'];

const conditionsOf = (object: JsonObject): readonly JsonObject[] =>
  (arrayAt(objectAt(object, 'status'), 'conditions') ?? []).filter(isObject);
const typeOf = (condition: JsonObject): string => stringAt(condition, 'type') ?? '';
const has = (object: JsonObject, type: string): boolean => conditionsOf(object).some((condition) => typeOf(condition) === type);

/** Fills in the times that a client leaves to the server. `now` since 1970. */
export function stampConditions(object: JsonObject, old: JsonObject, now: number): void {
  for (const condition of conditionsOf(object)) {
    condition['lastUpdateTime'] ??= timestamp(now);
    if (stringAt(condition, 'lastTransitionTime') !== undefined) continue;
    const before = conditionsOf(old).find((other) => typeOf(other) === typeOf(condition) && other['status'] === condition['status']);
    condition['lastTransitionTime'] = stringAt(before, 'lastTransitionTime') ?? timestamp(now);
  }
}

/** Errors of the conditions themselves. */
export function conditionErrors(object: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return conditionsOf(object).flatMap((condition, index) => {
    const type = typeOf(condition);
    const status = stringAt(condition, 'status') ?? '';
    const errors = [
      ...(type === '' ? [required(`${FIELD}[${index}].type`)] : []),
      ...statusErrors(`${FIELD}[${index}].status`, type, status),
      ...(seen.has(type) ? [duplicate(`${FIELD}[${index}].type`, type)] : []),
      ...exclusionErrors(`${FIELD}[${index}].type`, type, seen),
    ];
    seen.add(type);
    return errors;
  });
}

function statusErrors(field: string, type: string, status: string): readonly FieldError[] {
  if (status === '') return [required(field)];
  const supported = LASTING.includes(type) ? ['True'] : ['True', 'False', 'Unknown'];
  return supported.includes(status) ? [] : [notSupported(field, status, supported)];
}

function exclusionErrors(field: string, type: string, seen: ReadonlySet<string>): readonly FieldError[] {
  const isSecond = DECISIONS.includes(type) && DECISIONS.some((other) => other !== type && seen.has(other));
  return isSecond ? [invalidValue(field, type, 'Approved and Denied conditions are mutually exclusive')] : [];
}

/** Through `approval` decisions may be added, through `status` they may not; what lasts is never removed. */
export function conditionChangeErrors(object: JsonObject, old: JsonObject, mayDecide: boolean): readonly FieldError[] {
  const removed = LASTING.filter((type) => has(old, type) && !has(object, type)).map((type) => forbidden(`remove`, type));
  const added = mayDecide ? [] : DECISIONS.filter((type) => has(object, type) && !has(old, type)).map((type) => forbidden(`add`, type));
  return [...removed, ...added];
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
  for (const { 1: type = '', index } of [...text.matchAll(END)].reverse()) {
    const places = ends.get(type);
    if (places === undefined) ends.set(type, [index]);
    else places.push(index);
  }
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

export function certificateErrors(object: JsonObject): readonly FieldError[] {
  const certificate = stringAt(objectAt(object, 'status'), 'certificate') ?? '';
  if (certificate === '') return [];
  const blocks = pemBlocks(Buffer.from(certificate, 'base64').toString('latin1'));
  const other = blocks.find((type) => type !== 'CERTIFICATE');
  const text =
    other === undefined
      ? blocks.length === 0
        ? 'must contain at least one CERTIFICATE PEM block'
        : undefined
      : `only CERTIFICATE PEM blocks are allowed, found "${other}"`;
  return text === undefined ? [] : [invalidValue('status.certificate', SHOWN, text)];
}

/** An issued certificate stays. */
export function certificateChangeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [now, before] = [object, old].map((each) => stringAt(objectAt(each, 'status'), 'certificate') ?? '');
  return before === '' || now === before
    ? []
    : [forbiddenField('status.certificate', 'updates may not modify existing certificate content')];
}
