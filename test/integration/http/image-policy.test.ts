/** Replays pods that the webhook of the plug-in ImagePolicyWebhook reviews, over HTTPS, as recorded from release 1.31.1 (admission/image-policy-*). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAdmissionConfiguration } from '../../../apiserver/options/admission-configuration';
import { openImageReviews } from '../../../apiserver/options/image-reviews';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { imageConfiguration, imageKubeconfig, startImageServer, type ImageServer } from '../../replay/image-policy/server';
import { isImageCase, isImagePolicyHead, runImageCases, type ImageCase } from '../../replay/image-policy/run-case';
import { recordingOf } from '../../replay/recording';
import { auditedServer } from './audited-server';
import { type Fixture, startFixture } from './fixture';

/** Messages about invalid JSON and closed connections are worded differently here. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'fault rubbish': 'the answer of the image policy webhook is no object',
  'fault cut': ': EOF',
  'a fault again': 'the answer of the image policy webhook is no object',
};

/** This server retries a webhook that answers 503. */
const ASKED_AGAIN = 'fault plain-503';

describe.each(['closed', 'open'])('a webhook that fails %s', (mode) => {
  const { head, cases } = recordingOf(`admission/image-policy-${mode}`, isImagePolicyHead, isImageCase);
  let folder: string;
  let images: ImageServer;
  let api: Fixture;
  let files: ConfigurationFiles;
  let answered: readonly ImageCase[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-policy-'));
    images = await startImageServer();
    const kubeconfig = join(folder, 'images.kubeconfig');
    writeFileSync(kubeconfig, imageKubeconfig(images));
    writeFileSync(join(folder, 'images.yaml'), imageConfiguration(kubeconfig, head.defaultAllow));
    const admission = await readAdmissionConfiguration(join(folder, 'images.yaml'), systemClock);
    const { imagePolicy } = admission;
    if (imagePolicy === undefined) throw new Error('no image policy');
    files = new ConfigurationFiles(systemClock, silentLogger);
    const parts = { clock: systemClock, random: systemRandom, logger: silentLogger, configurations: files };
    const imageReviews = await openImageReviews(imagePolicy, parts);
    const audited = auditedServer();
    api = await startFixture({
      naming: 'kubernetes',
      audit: audited.auditor,
      admission,
      imageReviews,
      plugins: { enabled: ['ImagePolicyWebhook'], disabled: [] },
    });
    answered = await runImageCases(audited.over(api), images, head, cases);
  });

  afterAll(async () => {
    await api.stop();
    files.close();
    await images.close();
    rmSync(folder, { recursive: true });
  });

  it.each(cases.map((recorded, index) => [recorded.title, index, recorded] as const))('%s', (title, index, { answer: expected }) => {
    const words = OTHERWISE[title];
    const answer = answered[index]?.answer;
    const ours = title === ASKED_AGAIN ? { ...answer, asked: expected?.asked } : answer;
    if (words === undefined || expected?.message === undefined) return expect(ours).toEqual(expected);
    return expect(ours).toEqual({ ...expected, message: expect.stringContaining(words) });
  });
});
