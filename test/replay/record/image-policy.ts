/** Records the plug-in ImagePolicyWebhook (format `image-policy`): writes `images.yaml` for `--admission-control-config-file`, and needs a fresh server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isImageCase, isImagePolicyHead, runImageCases } from '../image-policy/run-case';
import { imageConfiguration, imageKubeconfig, startImageServer } from '../image-policy/server';
import { recordingOf } from '../recording';
import { fromEnvironment, waitForServer } from './environment';
import type { ReferenceServer } from './reference-server';
import { auditedTarget } from './targets';

export async function recordImagePolicy(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(recording, isImagePolicyHead, isImageCase);
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
