/**
 * Records what PodSecurity says of pods, workloads and namespaces:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/pod-security.js
 * The reference is a fresh one without the plug-in ServiceAccount and without controllers. test/integration/http/pod-security.test.ts replays it.
 */
import { SECURITY_SUITES } from './pod-security-steps';
import { writeRecording } from './recording';
import { call, hangUp, type Json } from './reference';

const SETTLED_MS = 150;

async function main(): Promise<void> {
  for (const [name, steps] of Object.entries(SECURITY_SUITES)) {
    const lines: Json[] = [];
    for (const step of steps) {
      const { code, body, warnings } = await call(step.method, step.path, step.type ?? 'application/json', step.body);
      const refusal = code < 400 ? {} : { message: body['message'] ?? null, reason: body['reason'] ?? null };
      lines.push({ ...step, answer: { code, warnings: [...warnings], ...refusal } });
      // The reference decides with what it has seen.
      if (!step.path.endsWith('dryRun=All')) await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    }
    writeRecording(`admission/${name}`, lines);
  }
  hangUp();
}

void main();
