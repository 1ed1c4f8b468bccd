/**
 * Replays strategic merge patches that were recorded from release 1.31.1. A case names the original object and has the
 * patch with its outcome. The template of a PodTemplate is recorded as a Pod.
 */
import { readRecording } from '../../../test/replay/recording';
import { body, mapOf, shape, text, type Check } from '../../../test/replay/shape';
import type { JsonObject } from '../../values/json';
import { applyDefaults, decodeObject } from '../../api/types';
import { mergeObject } from '../merge-patch';
import { findTypeError, StrategicMergeError, strategicMerge } from '.';

/** A case; exactly one of `changes`, `fault` and `misfit` is present. */
interface Recorded {
  /** The name of the original object in the head of the recording. */
  readonly original: string;
  readonly patch: JsonObject;
  /** A JSON merge patch from the original to the patched object. */
  readonly changes?: JsonObject;
  /** The message that rejected the patch. */
  readonly fault?: string;
  /** The message that rejected the patched object. */
  readonly misfit?: string;
}

const isRecorded: Check<Recorded> = shape({ original: text, patch: body }, { changes: body, fault: text, misfit: text });
const { head, cases: recorded } = readRecording(
  'patch/strategic-merge',
  shape({ originals: mapOf(shape({ type: text, object: body })) }),
  isRecorded,
);

type Outcome = { readonly object: JsonObject } | { readonly fault: string } | { readonly misfit: string };

/** Decoded and defaulted, as the recorded object is. */
function canonical(type: string, value: JsonObject): JsonObject {
  const { object } = decodeObject(type, value);
  applyDefaults(type, object);
  return object;
}

function outcomeOf(type: string, original: JsonObject, patch: JsonObject): Outcome {
  let merged: JsonObject;
  try {
    merged = strategicMerge(type, original, patch);
  } catch (error) {
    if (error instanceof StrategicMergeError) return { fault: error.message };
    throw error;
  }
  const typeError = findTypeError(type, merged);
  return typeError === undefined ? { object: canonical(type, merged) } : { misfit: typeError };
}

function recordedOutcome(type: string, original: JsonObject, { fault, misfit, changes }: Recorded): Outcome {
  if (fault !== undefined) return { fault };
  if (misfit !== undefined) return { misfit };
  if (changes === undefined) throw new Error('a recorded case has no outcome');
  return { object: canonical(type, mergeObject(original, changes)) };
}

const cases = recorded.map((row): readonly [string, string, JsonObject, JsonObject, Recorded] => {
  const original = head.originals[row.original];
  if (original === undefined) throw new Error(`${row.original} is not recorded`);
  return [`${row.original} ${JSON.stringify(row.patch)}`, original.type, original.object, row.patch, row];
});

test('the recording of strategic merge patches has more than 200 cases', () => {
  expect(cases.length).toBeGreaterThan(200);
});

test.each(cases)('strategicMerge gives the recorded result for %s', (_name, type, original, patch, row) => {
  const before = JSON.stringify([original, patch]);
  expect(outcomeOf(type, original, patch)).toEqual(recordedOutcome(type, original, row));
  expect(JSON.stringify([original, patch])).toBe(before);
});
