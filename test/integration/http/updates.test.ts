/**
 * Replays requests about updates and deletion (test/recordings/update-steps.ts, delete-steps.ts) whose answers were recorded from release 1.31.1 by
 * test/recordings/updates.ts: status, warnings and the whole body, ids and times masked.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DELETE_STEPS } from '../../recordings/delete-steps';
import { masked } from '../../recordings/masked';
import { isBody, type Json } from '../../recordings/reference';
import { PATCH_MEDIA } from '../../recordings/spelling';
import { UPDATE_STEPS, type RequestStep } from '../../recordings/update-steps';
import { call, startFixture, type Fixture } from './fixture';

interface Recorded {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body: Json;
}

const rows = readFileSync(join(__dirname, 'updates-answers.jsonl'), 'utf8').trimEnd().split('\n');
const recorded = rows.map((row): Recorded => JSON.parse(row));

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

let next = 0;

describe.each(Object.entries({ ...UPDATE_STEPS, ...DELETE_STEPS }))('%s', (name, steps) => {
  const namespace = `updates-${name}`;
  const seen = { version: '', uid: '' };
  beforeAll(async () => {
    await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: namespace } }) });
  });

  it.each(steps.map((step) => [`${step.method} ${step.path}: ${step.note}`, step, recorded[next++]] as const))(
    '%s',
    async (_title, step, expected) => {
      expect(await perform(step, namespace, seen)).toEqual(expected);
    },
  );
});

async function perform(step: RequestStep, namespace: string, seen: { version: string; uid: string }): Promise<Recorded> {
  const fill = (text: string): string => text.replaceAll('$NS', namespace).replaceAll('$RV', seen.version).replaceAll('$UID', seen.uid);
  const path = fill(step.path.startsWith('/') ? step.path : `/api/v1/namespaces/$NS/${step.path}`);
  const answer = await call(fixture, path, {
    method: step.method,
    headers: {
      'content-type': step.type === undefined ? 'application/json' : (PATCH_MEDIA[step.type] ?? step.type),
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
  const warnings = [...(answer.headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) =>
    quoted.replace(/\\(.)/g, '$1'),
  );
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
