/**
 * Records what the reference server asks the webhook that judges images, and what it makes of the answers:
 *   node deploy/scripts/run.mjs test/replay/image-policy.js FOLDER PORT closed|open
 * writes FOLDER/images.yaml, starts the webhook, and waits for the reference at REFERENCE_URL, a fresh one that is then to be started with
 *   --enable-admission-plugins=ImagePolicyWebhook --admission-control-config-file=FOLDER/images.yaml --audit-policy-file=… --audit-log-path=AUDIT_LOG
 * `closed` and `open`: what becomes of those who are not answered. image-policy.test.ts replays the recording.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { auditedReference } from './audited-reference';
import { imageConfiguration, imageKubeconfig, startImageServer } from './image-policy/server';
import { takeAll } from './image-policy/steps';
import { writeRecording } from './recording';
import { ask, hangUp } from './reference';

const READY_MS = 200;

async function isReady(): Promise<boolean> {
  try {
    return (await ask('GET', '/readyz')).code === 200;
  } catch {
    return false;
  }
}

async function record([folder = '', port = '', mode = '']: readonly string[]): Promise<void> {
  const images = await startImageServer(Number(port));
  const kubeconfig = join(folder, 'images.kubeconfig');
  writeFileSync(kubeconfig, imageKubeconfig(images));
  writeFileSync(join(folder, 'images.yaml'), imageConfiguration(kubeconfig, mode === 'open'));
  while (!(await isReady())) await systemClock.sleep(READY_MS);
  const lines = await takeAll(auditedReference(process.env['AUDIT_LOG'] ?? 'audit.log'), images);
  await images.close();
  writeRecording(`admission/image-policy-${mode}`, lines);
}

void record(process.argv.slice(2)).finally(hangUp);
