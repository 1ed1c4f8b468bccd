/** The part of recorded answers about versions that is compared: not what is written to flow schemas in the background. */
import { isBody, type Json } from '../../replay/reference';
import type { ReplayOptions } from '../http/replay-requests';
import type { RecordedAnswer } from '../../replay/requests/request-recording';

function comparable(answer: RecordedAnswer): RecordedAnswer {
  return { ...answer, body: comparableBody(answer.body) };
}

function comparableBody(body: Json): Json {
  if (!isBody(body) || body['kind'] !== 'FlowSchema' || !isBody(body['metadata'])) return body;
  const { status: _status, ...rest } = body;
  const { managedFields: _managedFields, ...metadata } = body['metadata'];
  return { ...rest, metadata };
}

export const COMPARING: Pick<ReplayOptions, 'comparable' | 'withDeviation'> = {
  withDeviation: ({ request, answer }) => ({ request, answer: comparable(answer) }),
  comparable,
};
