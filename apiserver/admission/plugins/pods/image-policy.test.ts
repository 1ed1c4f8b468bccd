/**
 * Caching, spellings and defaults of ImagePolicyWebhook; test/integration/http/image-policy.test.ts replays its
 * answers.
 */
import type { Dialect } from '../../../../shared/names/dialect';
import type { JsonObject } from '../../../../shared/values/json';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { imagePolicySettings, imagePolicyWebhook, type SendImageReview } from './image-policy';

const MINUTE_MS = 60_000;
const settings = imagePolicySettings({ imagePolicy: { kubeConfigFile: 'f' } });
const clock = new ManualClock();
let sentReviews: JsonObject[];
beforeEach(() => (sentReviews = []));

const respondWith =
  (answer: JsonObject | { readonly error: string }): SendImageReview =>
  (body) => {
    sentReviews.push(JSON.parse(body.toString()) as JsonObject);
    return Promise.resolve('error' in answer && typeof answer.error === 'string' ? { error: answer.error } : bytesOf(answer));
  };

const bytesOf = (answer: object): { readonly bytes: Buffer } => ({ bytes: Buffer.from(JSON.stringify(answer)) });

function createPlugin(send: SendImageReview, metadata: JsonObject = {}, dialect: Dialect = 'platform', defaultAllow = false) {
  const plugin = imagePolicyWebhook({ settings: { ...settings, defaultAllow }, send, dialect, clock });
  const annotations: Record<string, string> = {};
  const context = { warn: () => undefined, addAuditAnnotation: (name: string, value: string) => void (annotations[name] = value) };
  const request = (image: string) =>
    admissionRequest({ kind: 'Pod', name: 'p', context, object: { metadata, spec: { containers: [{ name: 'c', image }] } } });
  return { notes: annotations, judged: async (image = 'i') => plugin.validate(request(image)) };
}

test('ImagePolicyWebhook caches an allowed review for five minutes, a denied one for 30 seconds, and no failure', async () => {
  const allowed = createPlugin(respondWith({ status: { allowed: true } }));
  await allowed.judged();
  clock.advance(5 * MINUTE_MS - 1);
  await allowed.judged();
  expect(sentReviews).toHaveLength(1);
  clock.advance(1);
  await allowed.judged();
  expect(sentReviews).toHaveLength(2);
  const denied = createPlugin(respondWith({ status: { allowed: false } }));
  await expect(denied.judged()).rejects.toThrow('one or more images rejected');
  clock.advance(MINUTE_MS / 2 - 1);
  await expect(denied.judged()).rejects.toThrow('one or more images rejected');
  clock.advance(1);
  await expect(denied.judged()).rejects.toThrow('one or more images rejected');
  expect(sentReviews).toHaveLength(4);
  const failing = createPlugin(respondWith({ error: 'away' }));
  await expect(failing.judged()).rejects.toThrow('pods "p" is forbidden: away');
  await expect(failing.judged()).rejects.toThrow('away');
  expect(sentReviews).toHaveLength(6);
});

test('ImagePolicyWebhook admits with the failed-open audit annotation when the webhook fails and defaultAllow is true', async () => {
  const { judged: validate, notes: annotations } = createPlugin(respondWith({ error: 'away' }), {}, 'platform', true);
  await validate();
  expect(annotations).toEqual({ 'imagepolicywebhook.image-policy.platform.io/failed-open': 'true' });
});

test('ImagePolicyWebhook sends one review for concurrent equal requests', async () => {
  const { judged: validate } = createPlugin(respondWith({ status: { allowed: true } }));
  await Promise.all([validate(), validate(), validate()]);
  expect(sentReviews).toHaveLength(1);
});

test.each<[Dialect, string, string]>([
  ['platform', 'imagepolicy.platform.io/v1alpha1', 'a.image-policy.platform.io/x'],
  ['kubernetes', 'imagepolicy.k8s.io/v1alpha1', 'a.image-policy.k8s.io/x'],
])('ImagePolicyWebhook sends the %s spelling for annotations in either spelling', async (dialect, apiVersion, name) => {
  for (const given of ['a.image-policy.k8s.io/x', 'a.image-policy.platform.io/x'])
    await createPlugin(
      respondWith({ apiVersion, kind: 'ImageReview', status: { allowed: true } }),
      { annotations: { [given]: '1', other: '2' } },
      dialect,
    ).judged();
  const spec = { containers: [{ image: 'i' }], annotations: { [name]: '1' }, namespace: 'ns' };
  expect(sentReviews).toEqual([1, 2].map(() => expect.objectContaining({ apiVersion, kind: 'ImageReview', spec })));
});

test('ImagePolicyWebhook prefers the spelling of the webhook when an annotation is present in both', async () => {
  const podAnnotations = { 'a.image-policy.k8s.io/x': 'k', 'a.image-policy.platform.io/x': 'p' };
  await createPlugin(respondWith({ status: { allowed: true } }), { annotations: podAnnotations }, 'kubernetes').judged();
  expect(sentReviews[0]).toMatchObject({ spec: { annotations: { 'a.image-policy.k8s.io/x': 'k' } } });
});

test('ImagePolicyWebhook accepts a response in the other spelling', async () => {
  const answer = { apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview', status: { allowed: true } };
  await createPlugin(respondWith(answer)).judged();
});

test('ImagePolicyWebhook settings default unset durations and read -1 as zero', () => {
  expect(settings).toEqual({ kubeConfigFile: 'f', allowMs: 300_000, denyMs: 30_000, retryMs: 500, defaultAllow: false });
  const none = { kubeConfigFile: 'f', allowTTL: -1, denyTTL: -1, retryBackoff: -1, defaultAllow: true };
  expect(imagePolicySettings({ imagePolicy: none })).toMatchObject({ allowMs: 0, denyMs: 0, retryMs: 0, defaultAllow: true });
});
