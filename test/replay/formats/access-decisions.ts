/**
 * The format of recorded authorization decisions (`"format": "access-decisions"`): a line with stored objects begins a
 * set, and each of the following lines is a decision under these objects.
 */
import { readRecording } from '../recording';
import { body, either, listOf, oneOf, shape, text, type Checked } from '../shape';

const isHead = shape({ format: oneOf('access-decisions'), about: text }, { serverFlags: listOf(text) });
/** The `status` is written to the status subresource after the creation. */
const isStored = shape({ stored: listOf(shape({ collection: text, object: body }, { status: body })) });
/** The spec and the status of a SubjectAccessReview; the status is `{}` when it is not recorded yet. */
const isDecision = shape({ spec: body, status: body });

export interface DecisionSet extends Checked<typeof isStored> {
  readonly decisions: readonly Checked<typeof isDecision>[];
}

/** The head and the sets in the order of the recording. The decisions of a set hold while its objects are stored. */
export function decisionSets(recording: string): { readonly head: object; readonly sets: readonly DecisionSet[] } {
  const { head, cases } = readRecording(recording, isHead, either(isStored, isDecision));
  const sets: (DecisionSet & { readonly decisions: Checked<typeof isDecision>[] })[] = [];
  for (const line of cases) {
    if ('stored' in line) sets.push({ stored: line.stored, decisions: [] });
    else sets.at(-1)?.decisions.push(line);
  }
  return { head, sets };
}
