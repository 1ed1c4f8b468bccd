/**
 * Drivers of recordings about webhooks: admission webhooks (`admission-webhooks`), conversion webhooks
 * (`conversion-webhooks`) and the webhook of the plug-in ImagePolicyWebhook (`image-policy`). They start the webhooks
 * on this machine's loopback interface, which the server must reach.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startConversionServer } from '../../../support/servers/conversion-server';
import { startReviewServer } from '../../../support/servers/review-server';
import { isConversionCase, isConversionHead } from '../../conversions/conversion-case';
import { createNamespace, removeDefinition, runConversionCase } from '../../conversions/run-case';
import { isImageCase, isImagePolicyHead, runImageCases } from '../../image-policy/run-case';
import { imageConfiguration, imageKubeconfig, startImageServer } from '../../image-policy/server';
import { readRecording } from '../../recording';
import { listOf, shape, text } from '../../shape';
import { isWebhookCase, prepareWebhookCases, runWebhookCase } from '../../webhooks/run-case';
import { fromEnvironment, waitForServer } from '../environment';
import { withRecordedOrder } from '../recorded-order';
import type { ReferenceServer } from '../reference-server';
import { auditedTarget, requestTarget } from '../targets';

export async function recordAdmissionWebhooks(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, shape({ format: text }, { serverFlags: listOf(text) }), isWebhookCase);
  const target = auditedTarget(server);
  const webhooks = await startReviewServer();
  try {
    await prepareWebhookCases(target);
    const lines: unknown[] = [head];
    for (const line of cases) lines.push(withRecordedOrder(await runWebhookCase(target, webhooks, line), line));
    return lines;
  } finally {
    await webhooks.close();
  }
}

export async function recordConversionWebhooks(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isConversionHead, isConversionCase);
  const target = requestTarget(server);
  const webhook = await startConversionServer();
  try {
    await createNamespace(target);
    const lines: unknown[] = [head];
    for (const line of cases) lines.push(withRecordedOrder(await runConversionCase(target, webhook, head, line), line));
    await removeDefinition(target);
    return lines;
  } finally {
    await webhook.close();
  }
}

/**
 * Writes `images.yaml` for `--admission-control-config-file`. Needs a server without cached responses of the webhook.
 */
export async function recordImagePolicy(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isImagePolicyHead, isImageCase);
  const folder = fromEnvironment('RECORD_FOLDER');
  const images = await startImageServer(Number(fromEnvironment('WEBHOOK_PORT')));
  try {
    const kubeconfig = join(folder, 'images.kubeconfig');
    const configuration = join(folder, 'images.yaml');
    writeFileSync(kubeconfig, imageKubeconfig(images));
    writeFileSync(configuration, imageConfiguration(kubeconfig, head.defaultAllow));
    await waitForServer(server, [configuration]);
    return [head, ...(await runImageCases(auditedTarget(server), images, head, cases))];
  } finally {
    await images.close();
  }
}
