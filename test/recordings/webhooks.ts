/**
 * Records what the reference server asks webhooks, and what it makes of their answers:
 *   (start the reference with --audit-policy-file and --audit-log-path, so that requests in the namespace `recorded` are logged at the level Request, without the
 *   admission plug-in ServiceAccount, and with --enable-aggregator-routing)
 *   REFERENCE_URL=… AUDIT_LOG=audit.log node deploy/scripts/run.mjs test/recordings/webhooks.js
 * admission-webhooks.test.ts replays the recording.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../shared/runtime/clock';
import { startReviewServer } from '../support/review-server';
import { writeRecording } from './recording';
import { ask, hangUp, isBody, type Body, type Json } from './reference';
import { CASES } from './webhooks/cases';
import { openNamespace, runCase, type Asked } from './webhooks/run';

const LOG = process.env['AUDIT_LOG'] ?? 'audit.log';
const LOGGED_MS = 5;
const ROUNDS = 40;

const server: Asked = {
  async send(method, path, headers, body) {
    const { code, bytes, warnings } = await ask(method, path, headers, Buffer.from(body));
    return { code, text: bytes.toString(), warnings };
  },
  async annotations(auditId) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const line = readFileSync(LOG, 'utf8')
        .split('\n')
        .reverse()
        .find((text) => text.includes(`"${auditId}"`) && text.includes('ResponseComplete'));
      const event: Json = line === undefined ? null : JSON.parse(line);
      if (isBody(event)) return ofWebhooks(event['annotations'] ?? {});
      await systemClock.sleep(LOGGED_MS);
    }
    return {};
  },
};

const ofWebhooks = (annotations: Json): Body =>
  isBody(annotations)
    ? Object.fromEntries(
        Object.entries(annotations).filter(([name]) => !/^(?:authorization|apiserver|authentication|pod-security)\./.test(name)),
      )
    : {};

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
