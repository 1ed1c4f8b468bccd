/** Sends one step of a scenario to the reference server and writes its answer down. Upstream leaks some of a client's mistakes as 500: recorded as 400. */
import { masked } from './masked';
import { ask, isBody, type Json } from './reference';
import { anything, listOf, number, shape, text, type Check } from './shape';
import * as spelling from './spelling';
import type { RequestStep } from './update-steps';

/** How steps and recording are spelled, to and from the reference server's spelling. */
export interface Spelling {
  outward(text: string): string;
  inward(text: string): string;
  /** What upstream answers with 500 is recorded so. */
  readonly keepsFaults?: true;
}

const CANONICAL: Spelling = spelling;
export const AS_THEY_ARE: Spelling = { outward: (text) => text, inward: (text) => text, keepsFaults: true };

/** What later steps may refer to. */
export interface Seen {
  version: string;
  uid: string;
}

export interface RecordedStep {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body: Json;
}

export const isRecordedStep: Check<RecordedStep> = shape({ status: number, body: anything }, { warnings: listOf(text) });

/** The answer to one step as a case of a recording, in canonical spelling and masked. */
export async function recordStep(
  step: RequestStep,
  namespace: string,
  seen: Seen,
  { inward, outward, keepsFaults }: Spelling = CANONICAL,
): Promise<RecordedStep> {
  const fill = (text: string): string => text.replaceAll('$NS', namespace).replaceAll('$RV', seen.version).replaceAll('$UID', seen.uid);
  const path = fill(step.path.startsWith('/') ? step.path : `/api/v1/namespaces/$NS/${step.path}`);
  const body = step.body === undefined ? undefined : fill(typeof step.body === 'string' ? step.body : JSON.stringify(step.body));
  const type = step.type === undefined ? 'application/json' : (spelling.PATCH_MEDIA[step.type] ?? step.type);
  const agent = Buffer.from(step.agent ?? 'recorder/1').toString('latin1');
  const payload = Buffer.from(outward(body ?? ''));
  const answer = await ask(
    step.method,
    outward(path),
    { 'content-type': type, 'user-agent': agent, ...(step.accept === undefined ? {} : { accept: step.accept }) },
    payload,
  );
  const answered = inward(answer.bytes.toString());
  let parsed: Json = answered;
  try {
    parsed = JSON.parse(answered);
  } catch {
    // Not every answer is JSON.
  }
  if (answer.code < 300 && isBody(parsed) && isBody(parsed['metadata'])) {
    const { resourceVersion, uid } = parsed['metadata'];
    if (typeof resourceVersion === 'string') seen.version = resourceVersion;
    if (typeof uid === 'string') seen.uid = uid;
  }
  const leaked = answer.code === 500 && keepsFaults !== true;
  if (leaked && isBody(parsed)) parsed['code'] = 400;
  return {
    status: leaked ? 400 : answer.code,
    ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings.map(inward) }),
    body: masked(parsed, namespace),
  };
}
