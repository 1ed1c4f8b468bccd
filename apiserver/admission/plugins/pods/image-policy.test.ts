/**
 * Caching, spellings and defaults of ImagePolicyWebhook; test/integration/http/image-policy.test.ts replays the
 * responses of a webhook.
 */
import type { Dialect } from '../../../../shared/names/dialect';
import type { JsonObject } from '../../../../shared/values/json';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { imagePolicySettings, imagePolicyWebhook, type SendImageReview } from './image-policy';

const MINUTE_MS = 60_000;
const settings = imagePolicySettings({ imagePolicy: { kubeConfigFile: 'f' } });
const clock = new ManualClock();
/** The reviews of the current test. */
const sentReviews: JsonObject[] = [];
beforeEach(() => (sentReviews.length = 0));

/** A webhook that always responds with this review, or that fails. */
const respondWith =
  (response: JsonObject | { readonly error: string }): SendImageReview =>
  (body) => {
    sentReviews.push(JSON.parse(body.toString()) as JsonObject);
    return Promise.resolve('error' in response && typeof response.error === 'string' ? { error: response.error } : bytesOf(response));
  };

const bytesOf = (response: object): { readonly bytes: Buffer } => ({ bytes: Buffer.from(JSON.stringify(response)) });

interface FixtureOptions {
  /** Metadata of the validated pods. */
  readonly metadata?: JsonObject;
  readonly dialect?: Dialect;
  readonly defaultAllow?: boolean;
}

/** `validate` passes a pod with one image through the plug-in; `annotations` are the audit annotations that it added. */
function createFixture(send: SendImageReview, { metadata = {}, dialect = 'platform', defaultAllow = false }: FixtureOptions = {}) {
  const plugin = imagePolicyWebhook({ settings: { ...settings, defaultAllow }, send, dialect, clock });
  const annotations: Record<string, string> = {};
  const context = { warn: () => undefined, addAuditAnnotation: (name: string, value: string) => void (annotations[name] = value) };
  const request = (image: string) =>
    admissionRequest({ kind: 'Pod', name: 'p', context, object: { metadata, spec: { containers: [{ name: 'c', image }] } } });
  return { annotations, validate: async (image = 'i') => plugin.validate(request(image)) };
}

describe('ImagePolicyWebhook', () => {
  test('caches an allowed review for five minutes', async () => {
    const { validate } = createFixture(respondWith({ status: { allowed: true } }));
    await validate();
    clock.advance(5 * MINUTE_MS - 1);
    await validate();
    expect(sentReviews).toHaveLength(1);
    clock.advance(1);
    await validate();
    expect(sentReviews).toHaveLength(2);
  });

  test('caches a denied review for 30 seconds', async () => {
    const { validate } = createFixture(respondWith({ status: { allowed: false } }));
    await expect(validate()).rejects.toThrow('one or more images rejected');
    clock.advance(30_000 - 1);
    await expect(validate()).rejects.toThrow('one or more images rejected');
    expect(sentReviews).toHaveLength(1);
    clock.advance(1);
    await expect(validate()).rejects.toThrow('one or more images rejected');
    expect(sentReviews).toHaveLength(2);
  });

  test('does not cache a failure', async () => {
    const { validate } = createFixture(respondWith({ error: 'away' }));
    await expect(validate()).rejects.toThrow('pods "p" is forbidden: away');
    await expect(validate()).rejects.toThrow('away');
    expect(sentReviews).toHaveLength(2);
  });

  test('admits with the failed-open audit annotation when the webhook fails and defaultAllow is true', async () => {
    const { validate, annotations } = createFixture(respondWith({ error: 'away' }), { defaultAllow: true });
    await validate();
    expect(annotations).toEqual({ 'imagepolicywebhook.image-policy.platform.io/failed-open': 'true' });
  });

  test('sends one review for concurrent equal requests', async () => {
    const { validate } = createFixture(respondWith({ status: { allowed: true } }));
    await Promise.all([validate(), validate(), validate()]);
    expect(sentReviews).toHaveLength(1);
  });

  test.each<[dialect: Dialect, apiVersion: string, name: string]>([
    ['platform', 'imagepolicy.platform.io/v1alpha1', 'a.image-policy.platform.io/x'],
    ['kubernetes', 'imagepolicy.k8s.io/v1alpha1', 'a.image-policy.k8s.io/x'],
  ])('sends the %s spelling for annotations in either spelling', async (dialect, apiVersion, name) => {
    for (const given of ['a.image-policy.k8s.io/x', 'a.image-policy.platform.io/x'])
      await createFixture(respondWith({ apiVersion, kind: 'ImageReview', status: { allowed: true } }), {
        metadata: { annotations: { [given]: '1', other: '2' } },
        dialect,
      }).validate();
    const spec = { containers: [{ image: 'i' }], annotations: { [name]: '1' }, namespace: 'ns' };
    const review: unknown = expect.objectContaining({ apiVersion, kind: 'ImageReview', spec });
    expect(sentReviews).toEqual([review, review]);
  });

  test('prefers the spelling of the webhook when an annotation is present in both', async () => {
    const podAnnotations = { 'a.image-policy.k8s.io/x': 'k', 'a.image-policy.platform.io/x': 'p' };
    await createFixture(respondWith({ status: { allowed: true } }), {
      metadata: { annotations: podAnnotations },
      dialect: 'kubernetes',
    }).validate();
    const [review] = sentReviews;
    expect(review).toMatchObject({ spec: { annotations: { 'a.image-policy.k8s.io/x': 'k' } } });
  });

  test('accepts a response in the other spelling', async () => {
    const response = { apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview', status: { allowed: true } };
    await createFixture(respondWith(response)).validate();
  });
});

test('imagePolicySettings applies defaults to unset durations and reads -1 as zero', () => {
  expect(settings).toEqual({ kubeConfigFile: 'f', allowMs: 300_000, denyMs: 30_000, retryMs: 500, defaultAllow: false });
  const uncached = { kubeConfigFile: 'f', allowTTL: -1, denyTTL: -1, retryBackoff: -1, defaultAllow: true };
  expect(imagePolicySettings({ imagePolicy: uncached })).toMatchObject({ allowMs: 0, denyMs: 0, retryMs: 0, defaultAllow: true });
});
