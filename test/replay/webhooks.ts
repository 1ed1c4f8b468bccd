/**
 * Records what the reference server asks webhooks, and what it makes of their answers:
 *   (start the reference with --audit-policy-file and --audit-log-path, so that requests in the namespace `recorded` are logged at the level Request, without the
 *   admission plug-in ServiceAccount, and with --enable-aggregator-routing)
 *   REFERENCE_URL=… AUDIT_LOG=audit.log node deploy/scripts/run.mjs test/replay/webhooks.js
 * admission-webhooks.test.ts replays the recording.
 */
import { startReviewServer } from '../support/review-server';
import { auditedReference } from './audited-reference';
import { writeRecording } from './recording';
import { hangUp, type Body } from './reference';
import { CASES } from './webhooks/cases';
import { openNamespace, runCase } from './webhooks/run';

const server = auditedReference(process.env['AUDIT_LOG'] ?? 'audit.log');

async function record(): Promise<void> {
  const wanted = process.argv[2];
  const webhooks = await startReviewServer();
  await openNamespace(server);
  const lines: Body[] = [];
  for (const one of CASES) {
    if (wanted !== undefined && !one.title.includes(wanted)) continue;
    process.stderr.write(`${one.title}\n`);
    lines.push(await runCase(server, webhooks, one));
  }
  await webhooks.close();
  if (wanted === undefined) writeRecording('admission/webhooks', lines);
  else for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
}

void record().finally(hangUp);
