/** Request bodies that differ from an object in one value, for recorded responses of the decoder to such values. */
import { either, listOf, number, shape, text, type Check } from '../../replay/shape';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';

export interface Mutation {
  /** Member names and indexes; the last may be a member that does not exist yet. */
  readonly path: readonly (string | number)[];
  /** JSON text, so that every spelling of a number survives. */
  readonly value: string;
}

/** A mutation of the full object of a kind, and the decoder's response. */
export interface RecordedMutation extends Mutation {
  readonly kind: string;
  /** What follows `… cannot be handled as a <kind>: ` in the error; absent when the decoder accepts the value. */
  readonly refusal?: string;
}

export const isRecordedMutation: Check<RecordedMutation> = shape(
  { kind: text, path: listOf(either(text, number)), value: text },
  { refusal: text },
);

/** Stands in the copy for the value, which is JSON text and may not survive a parser; no object contains this string. */
const MARK = '\u0001mutation\u0001';

/** The JSON text of `object` with the mutation's value at the mutation's path. Throws when nothing in `object` can hold the last step of the path. */
export function mutatedText(object: JsonObject, { path, value }: Mutation): string {
  const copy = structuredClone(object);
  setMark(copy, path);
  return JSON.stringify(copy).replace(JSON.stringify(MARK), () => value);
}

/** Puts the mark at the path; changes `object`. */
function setMark(object: JsonObject, path: readonly (string | number)[]): void {
  let holder: JsonValue | undefined = object;
  for (const step of path.slice(0, -1)) {
    if (Array.isArray(holder)) holder = holder[Number(step)];
    else holder = isObject(holder) ? holder[step] : undefined;
  }
  const last = path.at(-1) ?? '';
  if (Array.isArray(holder)) holder[Number(last)] = MARK;
  else if (isObject(holder)) holder[last] = MARK;
  else throw new Error(`nothing holds ${path.join('.')}`);
}
