/** Replays the recorded answers to requests for custom resources of release 1.31.1: status, warnings and the whole body, ids and times masked. */
import { isDeepStrictEqual } from 'node:util';
import { isBody, type Body, type Json } from '../../replay/reference';
import { replayRequests } from './replay-requests';
import type { RecordedAnswer, RecordedRequest, RequestCase } from '../../replay/requests/request-recording';
import { comparableAnswer, withDeviation } from '../../support/deviating-steps';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

for (const recording of ['custom/requests', 'custom/versions'])
  replayRequests([recording], { withDeviation: expected, comparable, isPending });

replayRequests(['custom/order']);

function expected(recorded: RequestCase): RequestCase {
  const { request, answer } = withDeviation(recorded);
  return { request, answer: withSortedConditions(answer) };
}

function comparable(answer: RecordedAnswer, recorded: RecordedAnswer): RecordedAnswer {
  const sorted = withSortedConditions(answer);
  const owned = { ...sorted, body: withoutManagers(sorted.body, recorded.body) };
  return withServerFault(comparableAnswer(owned, recorded), recorded);
}

/** Release 1.31.1 answers 500 to some faults of clients, this server 400. */
function withServerFault(answer: RecordedAnswer, { status }: RecordedAnswer): RecordedAnswer {
  if (answer.status !== 400 || status !== 500) return answer;
  return { ...answer, status, body: isBody(answer.body) ? { ...answer.body, code: status } : answer.body };
}

/** The conditions of a definition are written in the background. */
function isPending({ method, path }: RecordedRequest, answer: RecordedAnswer, recorded: RecordedAnswer): boolean {
  if (method !== 'GET' || !path.startsWith(`${DEFINITIONS}/`)) return false;
  return !isDeepStrictEqual(conditionsOf(withSortedConditions(answer)), conditionsOf(recorded));
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

/** The controllers of release 1.31.1 write the conditions of a definition in any order. */
function withSortedConditions(answer: RecordedAnswer): RecordedAnswer {
  const { body } = answer;
  if (!isBody(body) || body['kind'] !== 'CustomResourceDefinition' || !isBody(body['status'])) return answer;
  const conditions = body['status']['conditions'];
  if (!Array.isArray(conditions)) return answer;
  const typeOf = (condition: Json): string => JSON.stringify(isBody(condition) ? condition['type'] : '');
  const sorted = [...conditions].sort((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
  return { ...answer, body: { ...body, status: { ...body['status'], conditions: sorted } } };
}
