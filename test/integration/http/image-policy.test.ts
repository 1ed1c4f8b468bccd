/** A webhook that judges images, over HTTPS and with the kubeconfig of its plug-in: replays what the reference server did (test/replay/image-policy.ts). */
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
import { takeAll } from '../../replay/image-policy/steps';
import { casesOf } from '../../replay/recording';
import type { Body } from '../../replay/reference';
import { body } from '../../replay/shape';
import { auditedServer } from './audited-server';
import { startFixture, type Fixture } from './fixture';

/** What of a recorded answer is in our words: what upstream says of JSON, and of a connection that ends. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'fault rubbish': 'the answer of the image policy webhook is no object',
  'fault cut': ': EOF',
  'a fault again': 'the answer of the image policy webhook is no object',
};

const textOf = (value: Body[string] | undefined): string => (typeof value === 'string' ? value : '');

/** A server that has no time is asked again here. */
const ASKED_AGAIN = 'fault plain-503';

describe.each(['closed', 'open'])('%s to those who are not answered', (mode) => {
  let folder: string;
  let images: ImageServer;
  let fixture: Fixture;
  let files: ConfigurationFiles;
  let taken: readonly Body[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-policy-'));
    images = await startImageServer();
    const kubeconfig = join(folder, 'images.kubeconfig');
    writeFileSync(kubeconfig, imageKubeconfig(images));
    writeFileSync(join(folder, 'images.yaml'), imageConfiguration(kubeconfig, mode === 'open'));
    const admission = await readAdmissionConfiguration(join(folder, 'images.yaml'), systemClock);
    const { imagePolicy } = admission;
    if (imagePolicy === undefined) throw new Error('no image policy');
    files = new ConfigurationFiles(systemClock, silentLogger);
    const parts = { clock: systemClock, random: systemRandom, logger: silentLogger, configurations: files };
    const imageReviews = await openImageReviews(imagePolicy, parts);
    const audited = auditedServer();
    fixture = await startFixture({
      naming: 'kubernetes',
      audit: audited.auditor,
      admission,
      imageReviews,
      plugins: { enabled: ['ImagePolicyWebhook'], disabled: [] },
    });
    taken = await takeAll(audited.over(fixture), images);
  });

  afterAll(async () => {
    await fixture.stop();
    files.close();
    await images.close();
    rmSync(folder, { recursive: true });
  });

  const recorded = casesOf(`admission/image-policy-${mode}`, body);
  it.each(recorded.map((line, index) => [textOf(line['title']), index, line] as const))('%s', (title, index, expected) => {
    const words = OTHERWISE[title];
    const message = expected['message'];
    const ours = title === ASKED_AGAIN ? { ...taken[index], asked: expected['asked'] } : taken[index];
    if (words === undefined || message === undefined) return expect(ours).toEqual(expected);
    return expect(ours).toEqual({ ...expected, message: expect.stringContaining(words) });
  });
});
