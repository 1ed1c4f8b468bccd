/** Records requests whose objects a webhook converts (format `conversion-webhooks`). The server must reach this machine's loopback interface. */
import { startConversionServer } from '../../support/conversion-server';
import { isConversionCase, isConversionHead } from '../conversions/case';
import { createNamespace, removeDefinition, runConversionCase } from '../conversions/run-case';
import { recordingOf } from '../recording';
import type { ReferenceServer } from './reference-server';
import { requestTarget } from './targets';

export async function recordConversionWebhooks(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(recording, isConversionHead, isConversionCase);
  const target = requestTarget(server);
  const webhook = await startConversionServer();
  try {
    await createNamespace(target);
    const lines: unknown[] = [head];
    for (const line of cases) lines.push(await runConversionCase(target, webhook, head, line));
    await removeDefinition(target);
    return lines;
  } finally {
    await webhook.close();
  }
}
