/**
 * Replays patches whose results were recorded from release 1.31.1 (the object as it was, the patch, and either what changed as a
 * merge patch, or the text with which the patch or the patched object was refused; of PodTemplates the template stands as a pod).
 */
import { recordedAnswers } from '../../../test/recordings/answers';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../values/json';
import { applyDefaults, decodeObject } from '../../api/types';
import { mergeObject } from '../merge-patch';
import { misfit, StrategicFault, strategicMerge } from '.';

const recorded = recordedAnswers<JsonObject>('patch/strategic-merge');

type Outcome = { readonly object: JsonObject } | { readonly fault: string } | { readonly misfit: string };

function canonical(type: string, value: JsonObject): JsonObject {
  const { object } = decodeObject(type, value);
  applyDefaults(type, object);
  return object;
}

function outcome(type: string, original: JsonObject, patch: JsonObject): Outcome {
  let merged: JsonObject;
  try {
    merged = strategicMerge(type, original, patch);
  } catch (error) {
    if (error instanceof StrategicFault) return { fault: error.message };
    throw error;
  }
  const fault = misfit(type, merged);
  return fault === undefined ? { object: canonical(type, merged) } : { misfit: fault };
}

function expected(type: string, original: JsonObject, row: JsonObject): Outcome {
  const fault = stringAt(row, 'fault');
  if (fault !== undefined) return { fault };
  const unfit = stringAt(row, 'misfit');
  if (unfit !== undefined) return { misfit: unfit };
  const changes = objectAt(row, 'changes');
  if (changes === undefined) throw new Error('a recorded case says nothing of its end');
  return { object: canonical(type, mergeObject(original, changes)) };
}

const cases = (arrayAt(recorded, 'cases') ?? []).flatMap((row): (readonly [string, string, JsonObject, JsonObject, JsonObject])[] => {
  if (!isObject(row)) return [];
  const name = stringAt(row, 'original') ?? '';
  const entry = objectAt(objectAt(recorded, 'originals'), name);
  const original = objectAt(entry, 'object');
  const patch = objectAt(row, 'patch');
  if (original === undefined || patch === undefined) throw new Error(`${name} is not recorded`);
  return [[`${name} ${JSON.stringify(patch)}`, stringAt(entry, 'type') ?? '', original, patch, row]];
});

test('the recording is there', () => {
  expect(cases.length).toBeGreaterThan(200);
});

test.each(cases)('%s', (_name, type, original, patch, row) => {
  const before = JSON.stringify([original, patch]);
  expect(outcome(type, original, patch)).toEqual(expected(type, original, row));
  expect(JSON.stringify([original, patch])).toBe(before);
});
