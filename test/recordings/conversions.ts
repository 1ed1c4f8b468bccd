/**
 * Records what the reference server asks conversion webhooks, and what it makes of their answers:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/recordings/conversions.js
 * conversion-webhooks.test.ts replays the recording.
 */
import { startConversionServer } from '../support/conversion-server';
import { CASES } from './conversions/cases';
import { openNamespace, removeDefinition, runCase, type Asked } from './conversions/run';
import { writeRecording } from './recording';
import { ask, hangUp, type Body } from './reference';

const server: Asked = {
  async send(method, path, headers, body) {
    const { code, bytes, warnings } = await ask(method, path, headers, Buffer.from(body));
    return { code, text: bytes.toString(), warnings };
  },
};

async function record(): Promise<void> {
  const wanted = process.argv[2];
  const webhook = await startConversionServer();
  await openNamespace(server);
  const lines: Body[] = [];
  for (const one of CASES) {
    if (wanted !== undefined && !one.title.includes(wanted)) continue;
    process.stderr.write(`${one.title}\n`);
    lines.push(await runCase(server, webhook, one));
  }
  await removeDefinition(server);
  await webhook.close();
  if (wanted === undefined) writeRecording('custom/conversions', lines);
  else for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
}

void record().finally(hangUp);
