/** Caching, spellings and defaults of ImagePolicyWebhook; test/integration/http/image-policy.test.ts replays its answers. */
import type { Dialect } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import { admissionRequest } from '../../test/support/admission-request';
import { ManualClock } from '../../test/support/manual-clock';
import { imagePolicySettings, imagePolicyWebhook, type AskImages } from './image-policy';

const MINUTE_MS = 60_000;
const settings = imagePolicySettings({ imagePolicy: { kubeConfigFile: 'f' } });
const clock = new ManualClock();
let asked: JsonObject[];
beforeEach(() => (asked = []));

const answering =
  (answer: JsonObject | { readonly fault: string }): AskImages =>
  (body) => {
    asked.push(JSON.parse(body.toString()) as JsonObject);
    return Promise.resolve('fault' in answer && typeof answer.fault === 'string' ? { fault: answer.fault } : bytesOf(answer));
  };

const bytesOf = (answer: object): { readonly bytes: Buffer } => ({ bytes: Buffer.from(JSON.stringify(answer)) });

function judge(ask: AskImages, metadata: JsonObject = {}, dialect: Dialect = 'platform', defaultAllow = false) {
  const plugin = imagePolicyWebhook({ settings: { ...settings, defaultAllow }, ask, dialect, clock });
  const notes: Record<string, string> = {};
  const context = { warn: () => undefined, addAuditAnnotation: (name: string, value: string) => void (notes[name] = value) };
  const request = (image: string) =>
    admissionRequest({ kind: 'Pod', name: 'p', context, object: { metadata, spec: { containers: [{ name: 'c', image }] } } });
  return { notes, judged: async (image = 'i') => plugin.validate(request(image)) };
}

test('ImagePolicyWebhook caches an allowed review for five minutes, a denied one for 30 seconds, and no failure', async () => {
  const allowed = judge(answering({ status: { allowed: true } }));
  await allowed.judged();
  clock.advance(5 * MINUTE_MS - 1);
  await allowed.judged();
  expect(asked).toHaveLength(1);
  clock.advance(1);
  await allowed.judged();
  expect(asked).toHaveLength(2);
  const denied = judge(answering({ status: { allowed: false } }));
  await expect(denied.judged()).rejects.toThrow('one or more images rejected');
  clock.advance(MINUTE_MS / 2 - 1);
  await expect(denied.judged()).rejects.toThrow('one or more images rejected');
  clock.advance(1);
  await expect(denied.judged()).rejects.toThrow('one or more images rejected');
  expect(asked).toHaveLength(4);
  const failing = judge(answering({ fault: 'away' }));
  await expect(failing.judged()).rejects.toThrow('pods "p" is forbidden: away');
  await expect(failing.judged()).rejects.toThrow('away');
  expect(asked).toHaveLength(6);
});

test('ImagePolicyWebhook admits with the failed-open audit annotation when the webhook fails and defaultAllow is true', async () => {
  const { judged, notes } = judge(answering({ fault: 'away' }), {}, 'platform', true);
  await judged();
  expect(notes).toEqual({ 'imagepolicywebhook.image-policy.platform.io/failed-open': 'true' });
});

test('ImagePolicyWebhook sends one review for concurrent equal requests', async () => {
  const { judged } = judge(answering({ status: { allowed: true } }));
  await Promise.all([judged(), judged(), judged()]);
  expect(asked).toHaveLength(1);
});

test.each<[Dialect, string, string]>([
  ['platform', 'imagepolicy.platform.io/v1alpha1', 'a.image-policy.platform.io/x'],
  ['kubernetes', 'imagepolicy.k8s.io/v1alpha1', 'a.image-policy.k8s.io/x'],
])('ImagePolicyWebhook sends the %s spelling for annotations in either spelling', async (dialect, apiVersion, name) => {
  for (const given of ['a.image-policy.k8s.io/x', 'a.image-policy.platform.io/x'])
    await judge(
      answering({ apiVersion, kind: 'ImageReview', status: { allowed: true } }),
      { annotations: { [given]: '1', other: '2' } },
      dialect,
    ).judged();
  const spec = { containers: [{ image: 'i' }], annotations: { [name]: '1' }, namespace: 'ns' };
  expect(asked).toEqual([1, 2].map(() => expect.objectContaining({ apiVersion, kind: 'ImageReview', spec })));
});

test('ImagePolicyWebhook prefers the spelling of the webhook when an annotation is present in both', async () => {
  const annotations = { 'a.image-policy.k8s.io/x': 'k', 'a.image-policy.platform.io/x': 'p' };
  await judge(answering({ status: { allowed: true } }), { annotations }, 'kubernetes').judged();
  expect(asked[0]).toMatchObject({ spec: { annotations: { 'a.image-policy.k8s.io/x': 'k' } } });
});

test('ImagePolicyWebhook accepts a response in the other spelling', async () => {
  const answer = { apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview', status: { allowed: true } };
  await judge(answering(answer)).judged();
});

test('ImagePolicyWebhook settings default unset durations and read -1 as zero', () => {
  expect(settings).toEqual({ kubeConfigFile: 'f', allowMs: 300_000, denyMs: 30_000, retryMs: 500, defaultAllow: false });
  const none = { kubeConfigFile: 'f', allowTTL: -1, denyTTL: -1, retryBackoff: -1, defaultAllow: true };
  expect(imagePolicySettings({ imagePolicy: none })).toMatchObject({ allowMs: 0, denyMs: 0, retryMs: 0, defaultAllow: true });
});
