/** Sends the steps of a recording (test/replay) to a server of this process. */
import { masked } from '../../replay/masked';
import type { RecordedStep, Seen } from '../../replay/record-step';
import { isBody, type Json } from '../../replay/reference';
import { PATCH_MEDIA } from '../../replay/spelling';
import type { RequestStep } from '../../replay/update-steps';
import { call, warningsOf, type Fixture } from './fixture';

/** Sends a step's request and gives back what a recording has of its answer. */
export async function replay(fixture: Fixture, step: RequestStep, namespace: string, seen: Seen): Promise<RecordedStep> {
  const fill = (text: string): string => text.replaceAll('$NS', namespace).replaceAll('$RV', seen.version).replaceAll('$UID', seen.uid);
  const path = fill(step.path.startsWith('/') ? step.path : `/api/v1/namespaces/$NS/${step.path}`);
  const answer = await call(fixture, path, {
    local: true,
    method: step.method,
    headers: {
      'content-type': step.type === undefined ? 'application/json' : (PATCH_MEDIA[step.type] ?? step.type),
      ...(step.accept === undefined ? {} : { accept: step.accept }),
      'user-agent': Buffer.from(step.agent ?? 'recorder/1').toString('latin1'),
    },
    ...(step.body === undefined ? {} : { body: Buffer.from(fill(typeof step.body === 'string' ? step.body : JSON.stringify(step.body))) }),
  });
  const body = parsed(answer.text);
  if (answer.status < 300 && isBody(body) && isBody(body['metadata'])) {
    const { resourceVersion, uid } = body['metadata'];
    if (typeof resourceVersion === 'string') seen.version = resourceVersion;
    if (typeof uid === 'string') seen.uid = uid;
  }
  const warnings = warningsOf(answer);
  return {
    status: answer.status,
    ...(warnings.length === 0 ? {} : { warnings }),
    body: masked(body, namespace),
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
