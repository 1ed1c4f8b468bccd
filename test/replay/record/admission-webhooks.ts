/** Records requests that admission webhooks review (format `admission-webhooks`). The server must reach this machine's loopback interface. */
import { startReviewServer } from '../../support/review-server';
import { recordingOf } from '../recording';
import { listOf, shape, text } from '../shape';
import { isWebhookCase, prepareWebhookCases, runWebhookCase } from '../webhooks/run-case';
import type { ReferenceServer } from './reference-server';
import { auditedTarget } from './targets';

export async function recordAdmissionWebhooks(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(recording, shape({ format: text }, { serverFlags: listOf(text) }), isWebhookCase);
  const target = auditedTarget(server);
  const webhooks = await startReviewServer();
  try {
    await prepareWebhookCases(target);
    const lines: unknown[] = [head];
    for (const line of cases) lines.push(await runWebhookCase(target, webhooks, line));
    return lines;
  } finally {
    await webhooks.close();
  }
}
