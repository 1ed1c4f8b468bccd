/**
 * Records what the reference server (reference.ts) answers to update-steps.ts, delete-steps.ts and patch-order-steps.ts:
 *   node deploy/scripts/run.mjs test/replay/updates.js
 * test/integration/http/updates.test.ts replays the recording.
 */
import { DELETE_QUERY_STEPS, DELETE_STEPS } from './delete-steps';
import { HOSTILE_STEPS } from './hostile-steps';
import { LIST_TYPE_STEPS } from './list-type-steps';
import { PATCH_ORDER_STEPS } from './patch-order-steps';
import { recordStep, type RecordedStep, type Seen } from './record-step';
import { writeRecording } from './recording';
import { call, hangUp } from './reference';
import { UPDATE_STEPS } from './update-steps';

async function main(): Promise<void> {
  const recorded: RecordedStep[] = [];
  for (const [name, steps] of Object.entries({
    ...UPDATE_STEPS,
    ...DELETE_STEPS,
    ...PATCH_ORDER_STEPS,
    ...DELETE_QUERY_STEPS,
    ...HOSTILE_STEPS,
    ...LIST_TYPE_STEPS,
  })) {
    const namespace = `updates-${name}-${process.pid}`;
    await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: namespace } });
    const seen: Seen = { version: '', uid: '' };
    for (const step of steps) recorded.push(await recordStep(step, namespace, seen));
  }
  writeRecording('writes/updates', recorded);
  hangUp();
}

void main();
