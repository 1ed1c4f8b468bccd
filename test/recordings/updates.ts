/**
 * Records what the reference server (reference.ts) answers to update-steps.ts and delete-steps.ts:
 *   node deploy/scripts/run.mjs test/recordings/updates.js > test/integration/http/updates-answers.jsonl
 * test/integration/http/updates.test.ts replays the recording. Upstream leaks some of a client's mistakes as 500: recorded as 400.
 */
import { DELETE_STEPS } from './delete-steps';
import { masked } from './masked';
import { ask, call, hangUp, isBody, type Json } from './reference';
import { inward, outward, PATCH_MEDIA } from './spelling';
import { UPDATE_STEPS, type RequestStep } from './update-steps';

interface Seen {
  version: string;
  uid: string;
}

async function perform(step: RequestStep, namespace: string, seen: Seen): Promise<string> {
  const fill = (text: string): string => text.replaceAll('$NS', namespace).replaceAll('$RV', seen.version).replaceAll('$UID', seen.uid);
  const path = fill(step.path.startsWith('/') ? step.path : `/api/v1/namespaces/$NS/${step.path}`);
  const body = step.body === undefined ? undefined : fill(typeof step.body === 'string' ? step.body : JSON.stringify(step.body));
  const type = step.type === undefined ? 'application/json' : (PATCH_MEDIA[step.type] ?? step.type);
  const agent = Buffer.from(step.agent ?? 'recorder/1').toString('latin1');
  const payload = Buffer.from(outward(body ?? ''));
  const answer = await ask(step.method, outward(path), { 'content-type': type, 'user-agent': agent }, payload);
  const text = inward(answer.bytes.toString());
  let parsed: Json = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not every answer is JSON.
  }
  if (answer.code < 300 && isBody(parsed) && isBody(parsed['metadata'])) {
    const { resourceVersion, uid } = parsed['metadata'];
    if (typeof resourceVersion === 'string') seen.version = resourceVersion;
    if (typeof uid === 'string') seen.uid = uid;
  }
  const leaked = answer.code === 500;
  if (leaked && isBody(parsed)) parsed['code'] = 400;
  return JSON.stringify({
    status: leaked ? 400 : answer.code,
    ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings.map(inward) }),
    body: masked(parsed, namespace),
  });
}

async function main(): Promise<void> {
  for (const [name, steps] of Object.entries({ ...UPDATE_STEPS, ...DELETE_STEPS })) {
    const namespace = `updates-${name}-${process.pid}`;
    await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: namespace } });
    const seen: Seen = { version: '', uid: '' };
    for (const step of steps) process.stdout.write(`${await perform(step, namespace, seen)}\n`);
  }
  hangUp();
}

void main();
