/**
 * Replays requests for definitions and custom objects that were recorded from release 1.31.1 (custom/requests,
 * custom/versions, custom/order).
 */
import { isDeepStrictEqual } from 'node:util';
import { isBody, type Body, type Json } from '../../replay/json-response';
import type { RecordedResponse, RecordedRequest } from '../../replay/requests/request-recording';
import { comparableResponse, withDeviation } from '../../support/deviations/request-deviations';
import { replayRequests } from './replay-requests';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const comparable = (response: RecordedResponse, recorded: RecordedResponse): RecordedResponse =>
  comparableResponse({ ...response, body: withoutManagers(response.body, recorded.body) }, recorded);

/** The conditions of a definition are written in the background. */
function isPending({ method, path }: RecordedRequest, response: RecordedResponse, recorded: RecordedResponse): boolean {
  if (method !== 'GET' || !path.startsWith(`${DEFINITIONS}/`)) return false;
  return !isDeepStrictEqual(conditionsOf(response), conditionsOf(recorded));
}

/**
 * Release 1.31.1 drops managedFields when an object is written in a version that does not have all of its fields: where
 * the recording has none, they are not compared.
 */
function withoutManagers(response: Json, recorded: Json): Json {
  if (Array.isArray(response))
    return response.map((item, index) => withoutManagers(item, Array.isArray(recorded) ? (recorded[index] ?? null) : null));
  if (!isBody(response) || !isBody(recorded)) return response;
  const { metadata, items, ...others } = response;
  const isManaged = !isBody(recorded['metadata']) || 'managedFields' in recorded['metadata'];
  return {
    ...others,
    ...(metadata === undefined ? {} : { metadata: isManaged || !isBody(metadata) ? metadata : without(metadata, 'managedFields') }),
    ...(items === undefined ? {} : { items: withoutManagers(items, recorded['items'] ?? null) }),
  };
}

const without = (body: Body, member: string): Body => Object.fromEntries(Object.entries(body).filter(([name]) => name !== member));
const conditionsOf = ({ body }: RecordedResponse): Json =>
  isBody(body) && isBody(body['status']) ? (body['status']['conditions'] ?? null) : null;

for (const recording of ['custom/requests', 'custom/versions']) replayRequests([recording], { withDeviation, comparable, isPending });
replayRequests(['custom/order']);
