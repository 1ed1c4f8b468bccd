/** Replays the recorded answers to requests for custom resources of release 1.31.1: status, warnings and the whole body, ids and times masked. */
import { isDeepStrictEqual } from 'node:util';
import { isBody, type Body, type Json } from '../../replay/reference';
import { replayRequests } from './replay-requests';
import type { RecordedAnswer, RecordedRequest } from '../../replay/requests/request-recording';
import { comparableAnswer, withDeviation } from '../../support/deviating-steps';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const comparable = (answer: RecordedAnswer, recorded: RecordedAnswer): RecordedAnswer =>
  comparableAnswer({ ...answer, body: withoutManagers(answer.body, recorded.body) }, recorded);

/** The conditions of a definition are written in the background. */
function isPending({ method, path }: RecordedRequest, answer: RecordedAnswer, recorded: RecordedAnswer): boolean {
  if (method !== 'GET' || !path.startsWith(`${DEFINITIONS}/`)) return false;
  return !isDeepStrictEqual(conditionsOf(answer), conditionsOf(recorded));
}

/**
 * Release 1.31.1 drops managedFields when an object is written in a version that does not have all of its fields: where the recording has none, they are not
 * compared.
 */
function withoutManagers(answer: Json, recorded: Json): Json {
  if (Array.isArray(answer))
    return answer.map((item, index) => withoutManagers(item, Array.isArray(recorded) ? (recorded[index] ?? null) : null));
  if (!isBody(answer) || !isBody(recorded)) return answer;
  const { metadata, items, ...others } = answer;
  const isManaged = !isBody(recorded['metadata']) || 'managedFields' in recorded['metadata'];
  return {
    ...others,
    ...(metadata === undefined ? {} : { metadata: isManaged || !isBody(metadata) ? metadata : without(metadata, 'managedFields') }),
    ...(items === undefined ? {} : { items: withoutManagers(items, recorded['items'] ?? null) }),
  };
}

function without(body: Body, member: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== member));
}

function conditionsOf({ body }: RecordedAnswer): Json {
  return isBody(body) && isBody(body['status']) ? (body['status']['conditions'] ?? null) : null;
}

for (const recording of ['custom/requests', 'custom/versions']) replayRequests([recording], { withDeviation, comparable, isPending });

replayRequests(['custom/order']);
