/**
 * Replays decoding errors for one wrong value in an object of every kind, recorded from release 1.31.1
 * (objects/mutations).
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { isObject, stringAt, type JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import { canonicalApiVersion } from '../../../shared/names/dialect';
import { parseJsonInSteps } from '../../../shared/serialization';
import { runStepsSync } from '../../../shared/scheduling/steps';
import { readRecording } from '../../../test/replay/recording';
import { isRecordedMutation, mutatedText } from '../../../test/support/objects/mutation';
import { createdObjects, isObjectsHead } from '../../../test/support/objects/recorded-objects';
import { buildResources } from '../resources';
import { decodeBody } from '../object/decode-body';
import { createResourceInfoLookup, type ResourceInfo } from '../object/resource-info';
import { strategyFor } from '../../server/wiring/strategies';

const RECORDED = readRecording('objects/mutations', isObjectsHead, isRecordedMutation).cases;

const objects = new Map<string, JsonObject>();
for (const { note, sent } of createdObjects()) {
  if (note === 'everything') objects.set(stringAt(sent, 'kind') ?? '', sent);
}

const infoOf = createResourceInfoLookup('/registry', 'kubernetes', strategyFor);
const resources = buildResources().builtInResources;

function infoFor(kind: string): ResourceInfo {
  const apiVersion = canonicalApiVersion(stringAt(objects.get(kind), 'apiVersion') ?? '');
  const resource = resources.find(({ row }) => row.kind === kind && apiVersionOf(row) === apiVersion);
  if (resource === undefined) throw new Error(`no ${kind}`);
  return infoOf(resource);
}

/** The error message without the common prefix of the kind. */
function refusalOf(kind: string, text: string): string | undefined {
  const info = infoFor(kind);
  const { value, ...parsed } = runStepsSync(parseJsonInSteps(Buffer.from(text)));
  if (!isObject(value)) throw new Error('a body is an object');
  try {
    decodeBody(info, { value, ...parsed }, 'Strict', () => undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message = '' } = error.status;
    return message.slice(message.indexOf(' cannot be handled as a ') + ` cannot be handled as a ${kind}: `.length);
  }
}

test.each(RECORDED.map((row) => [`${row.kind} ${row.path.join('.')} = ${row.value}`, row] as const))(
  'the decoder reports the recorded error for %s',
  (_, { kind, refusal, ...mutation }) => {
    expect(refusalOf(kind, mutatedText(objects.get(kind) ?? {}, mutation))).toBe(refusal);
  },
);

test('the recording has at least 300 errors and covers every kind', () => {
  expect(RECORDED.filter(({ refusal }) => refusal !== undefined).length).toBeGreaterThanOrEqual(300);
  expect(new Set(RECORDED.map(({ kind }) => kind)).size).toBe(objects.size);
});
