/**
 * Records what the reference server writes into its audit log:
 *   node deploy/scripts/run.mjs test/replay/audit.js policy > policy.yaml
 *   (start the reference with --audit-policy-file=policy.yaml --audit-log-path=audit.log, on an empty store)
 *   REFERENCE_URL=… AUDIT_LOG=audit.log node deploy/scripts/run.mjs test/replay/audit.js
 * audit.test.ts replays the recording.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../shared/runtime/clock';
import { AUDIT_POLICY, AUDIT_STEPS } from './audit-steps';
import { withoutLatency } from './masked';
import { writeRecording } from './recording';
import { hangUp, isBody, type Body, type Json } from './reference';
import { sendStep } from './request-step';

/** What is signed is nobody's to keep. */
const TOKEN = /\bey[\w-]+\.[\w-]+\.[\w-]+/g;
const LOGGED_MS = 1000;

async function record(log: string): Promise<void> {
  for (const [index, step] of AUDIT_STEPS.entries()) await sendStep(step, { 'audit-id': `step-${index}`, 'user-agent': 'recorder' });
  await systemClock.sleep(LOGGED_MS);
  const lines = readFileSync(log, 'utf8')
    .replace(TOKEN, '<token>')
    .split('\n')
    .filter((line) => line !== '');
  const events = lines.map((line): Json => JSON.parse(line)).filter(isBody);
  const of = (id: string): readonly Body[] => events.filter(({ auditID }) => auditID === id).map(withoutLatency);
  writeRecording(
    'audit/events',
    AUDIT_STEPS.map(({ name }, index) => ({ step: name, events: of(`step-${index}`) })),
  );
}

if (process.argv[2] === 'policy') process.stdout.write(`${JSON.stringify(AUDIT_POLICY)}\n`);
else void record(process.env['AUDIT_LOG'] ?? 'audit.log').finally(hangUp);
