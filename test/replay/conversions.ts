/**
 * Records what the reference server asks conversion webhooks, and what it makes of their answers:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/conversions.js custom/conversion-owners
 * writes that recording, or shows those cases of it that have the second argument in their title. conversion-webhooks.test.ts replays the recording.
 */
import { errorCode } from '../../shared/runtime/error-code';
import { startConversionServer } from '../support/conversion-server';
import { openNamespace, removeDefinition, runCase, type Asked } from './conversions/run';
import { SUITES } from './conversions/suites';
import { writeRecording } from './recording';
import { ask, hangUp, type Body } from './reference';

const server: Asked = {
  async send(method, path, headers, body, opened) {
    try {
      const { code, bytes, warnings } = await ask(method, path, headers, Buffer.from(body), opened);
      return { code, text: bytes.toString(), warnings };
    } catch (error) {
      // Some that have waited too long are not answered at all.
      if (errorCode(error) === 'ECONNRESET') return { code: 0, text: '', warnings: [] };
      throw error;
    }
  },
};

async function record(): Promise<void> {
  const [, , suite = 'custom/conversions', wanted] = process.argv;
  const webhook = await startConversionServer();
  await openNamespace(server);
  const lines: Body[] = [];
  for (const one of SUITES[suite] ?? []) {
    if (wanted !== undefined && !one.title.includes(wanted)) continue;
    process.stderr.write(`${one.title}\n`);
    lines.push(await runCase(server, webhook, one));
  }
  await removeDefinition(server);
  await webhook.close();
  if (wanted === undefined) writeRecording(suite, lines);
  else for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
}

void record().finally(hangUp);
