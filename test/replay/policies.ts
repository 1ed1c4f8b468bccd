/**
 * Records what the reference server makes of admission policies, their bindings and parameters:
 *   (start the reference with --audit-policy-file and --audit-log-path, so that requests in the namespace `recorded` are logged)
 *   REFERENCE_URL=… AUDIT_LOG=audit.log node deploy/scripts/run.mjs test/replay/policies.js
 * admission-policies.test.ts replays the recording.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../shared/runtime/clock';
import { writeRecording } from './recording';
import { ask, hangUp, isBody, type Body, type Json } from './reference';
import { CASES } from './policies/cases';
import { openNamespace, runCase, type Asked } from './policies/run';

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
      if (isBody(event)) return event['annotations'] ?? {};
      await systemClock.sleep(LOGGED_MS);
    }
    return {};
  },
};

async function record(): Promise<void> {
  const wanted = process.argv[2];
  await openNamespace(server);
  const lines: Body[] = [];
  for (const one of CASES) {
    if (wanted !== undefined && !one.title.includes(wanted)) continue;
    process.stderr.write(`${one.title}\n`);
    lines.push(await runCase(server, one));
  }
  if (wanted === undefined) writeRecording('admission/policies', lines);
  else for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
}

void record().finally(hangUp);
