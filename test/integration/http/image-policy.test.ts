/**
 * Replays pods that an ImagePolicyWebhook reviews over HTTPS, as recorded from release 1.31.1
 * (admission/image-policy-*).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAdmissionConfiguration } from '../../../apiserver/options/admission-configuration';
import { openImagePolicyWebhook } from '../../../apiserver/options/image-policy-webhook';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { imageConfiguration, imageKubeconfig, startImageServer } from '../../replay/image-policy/server';
import { isImageCase, isImagePolicyHead, runImageCases } from '../../replay/image-policy/run-case';
import { readRecording } from '../../replay/recording';
import { useClosable, useFolder, useResource } from '../../support/use-resource';
import { useServer } from './fixture';
import { auditedServer } from './request-targets';

/** Messages about invalid JSON and closed connections are worded differently here. */
const DEVIATING_MESSAGES: Readonly<Record<string, string>> = {
  'fault rubbish': 'the response of the image policy webhook is not an object',
  'fault cut': ': EOF',
  'a fault again': 'the response of the image policy webhook is not an object',
};

/** This server retries a webhook that responds with 503. */
const RETRIED_CASE = 'fault plain-503';

describe.each(['closed', 'open'])('an image policy webhook that fails %s', (mode) => {
  const { head, cases } = readRecording(`admission/image-policy-${mode}`, isImagePolicyHead, isImageCase);
  const folder = useFolder('image-policy');
  const images = useClosable(() => startImageServer());
  const files = useClosable(() => new ConfigurationFiles(systemClock, silentLogger));
  const audited = auditedServer();
  const api = useServer(async () => {
    const kubeconfig = join(folder, 'images.kubeconfig');
    writeFileSync(kubeconfig, imageKubeconfig(images()));
    writeFileSync(join(folder, 'images.yaml'), imageConfiguration(kubeconfig, head.defaultAllow));
    const admission = await readAdmissionConfiguration(join(folder, 'images.yaml'), systemClock);
    const { imagePolicy } = admission;
    if (imagePolicy === undefined) throw new Error('no image policy');
    const parts = { clock: systemClock, random: systemRandom, logger: silentLogger, configurations: files() };
    const imageReviews = await openImagePolicyWebhook(imagePolicy, parts);
    const plugins = { enabled: ['ImagePolicyWebhook'], disabled: [] };
    return { naming: 'kubernetes', audit: audited.auditor, admission, imageReviews, plugins };
  });
  const replayedCases = useResource(() => runImageCases(audited.targetFor(api), images(), head, cases));

  it.each(cases.map((recorded, index) => [recorded.title, index, recorded] as const))(
    'gives the case "%s" the recorded response',
    (title, index, { answer: expected }) => {
      const deviation = DEVIATING_MESSAGES[title];
      const response = replayedCases()[index]?.answer;
      const actual = title === RETRIED_CASE ? { ...response, asked: expected?.asked } : response;
      if (deviation === undefined || expected?.message === undefined) return expect(actual).toEqual(expected);
      return expect(actual).toEqual({ ...expected, message: expect.stringContaining(deviation) });
    },
  );
});
