/**
 * The format of recorded authorization decisions (`"format": "access-decisions"`): a line with stored objects begins a
 * set, and each of the following lines is a decision under these objects.
 */
import { readRecording } from '../recording';
import type { Body } from '../json-response';
import { body, either, listOf, oneOf, shape, text } from '../shape';

interface StoredObject {
  readonly collection: string;
  readonly object: Body;
  /** Written to the status subresource after the creation. */
  readonly status?: Body;
}

interface Decision {
  /** The spec of a SubjectAccessReview. */
  readonly spec: Body;
  /** `{}` when it is not recorded yet. */
  readonly status: Body;
}

export interface DecisionSet {
  readonly stored: readonly StoredObject[];
  readonly decisions: readonly Decision[];
}

const isHead = shape({ format: oneOf('access-decisions'), about: text }, { serverFlags: listOf(text) });
const isStored = shape({ stored: listOf(shape({ collection: text, object: body }, { status: body })) });
const isDecision = shape({ spec: body, status: body });

/** The head and the sets in the order of the recording. The decisions of a set hold while its objects are stored. */
export function decisionSets(recording: string): { readonly head: object; readonly sets: readonly DecisionSet[] } {
  const { head, cases } = readRecording(recording, isHead, either(isStored, isDecision));
  const sets: { readonly stored: readonly StoredObject[]; readonly decisions: Decision[] }[] = [];
  for (const line of cases) {
    if ('stored' in line) sets.push({ stored: line.stored, decisions: [] });
    else sets.at(-1)?.decisions.push(line);
  }
  return { head, sets };
}
