/**
 * ImagePolicyWebhook: asks a webhook whether the images of a pod, or of ephemeral containers that are added to it, may
 * run. Responses are cached. When the webhook fails, the setting `defaultAllow` decides.
 */
import type { ConfigurationFormat } from '../../../../shared/configuration/read-configuration';
import { booleanSchema, integerSchema, objectSchema, stringSchema, type ValueOf } from '../../../../shared/configuration/schema';
import type { Dialect } from '../../../../shared/names/dialect';
import type { Clock } from '../../../../shared/runtime/clock';
import { ResponseCache, type CacheableResponse } from '../../../../shared/runtime/response-cache';
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { ValidatingPlugin } from '../../chain';
import { imageReviewBody, imageReviewSpec } from './image-review';
import { readImageReviewStatus, type ImageReviewStatus } from './image-review-status';
import { newForbidden } from '../../new-forbidden';

/** Seconds; 0 = the default, -1 = responses are not cached. */
const TTL_SCHEMA = integerSchema(-1, 30 * 60);
/** Milliseconds; 0 = the default, -1 = no delay. */
const RETRY_BACKOFF_SCHEMA = integerSchema(-1, 5 * 60_000);
const FILE_SCHEMA = objectSchema(
  {
    imagePolicy: objectSchema(
      { kubeConfigFile: stringSchema() },
      { allowTTL: TTL_SCHEMA, denyTTL: TTL_SCHEMA, retryBackoff: RETRY_BACKOFF_SCHEMA, defaultAllow: booleanSchema },
    ),
  },
  {},
);

/** The format of the configuration file, which has neither kind nor apiVersion: `kind` only names it in errors. */
export const IMAGE_POLICY_FORMAT: ConfigurationFormat<ValueOf<typeof FILE_SCHEMA>> = {
  kind: 'configuration of ImagePolicyWebhook',
  apiVersions: [],
  schema: FILE_SCHEMA,
};

/** The content of the configuration file, with defaults. */
export interface ImagePolicySettings {
  readonly kubeConfigFile: string;
  /** Milliseconds for which a review that allows is cached. */
  readonly allowMs: number;
  /** Milliseconds for which a review that denies is cached. */
  readonly denyMs: number;
  /** Milliseconds before a failed call is retried, when a retry can help. */
  readonly retryMs: number;
  /** Whether pods are admitted when the webhook fails. */
  readonly defaultAllow: boolean;
}

const DEFAULTS = { allowSeconds: 5 * 60, denySeconds: 30, retryMs: 500 } as const;

/** The settings of a validated file. */
export function imagePolicySettings({ imagePolicy }: ValueOf<typeof FILE_SCHEMA>): ImagePolicySettings {
  const { kubeConfigFile, allowTTL = 0, denyTTL = 0, retryBackoff = 0, defaultAllow = false } = imagePolicy;
  return {
    kubeConfigFile,
    allowMs: orDefault(allowTTL, DEFAULTS.allowSeconds) * 1_000,
    denyMs: orDefault(denyTTL, DEFAULTS.denySeconds) * 1_000,
    retryMs: orDefault(retryBackoff, DEFAULTS.retryMs),
    defaultAllow,
  };
}

/** 0 selects the default, and -1 means 0. */
const orDefault = (configured: number, defaultValue: number): number => (configured === 0 ? defaultValue : Math.max(0, configured));

/** Sends a review and resolves with the response, or with an error text. Never rejects. */
export type SendImageReview = (body: Buffer) => Promise<{ readonly bytes: Buffer } | { readonly error: string }>;

/** How the webhook is called, and what its failure leads to. */
export interface ImagePolicyDependencies {
  readonly settings: ImagePolicySettings;
  readonly send: SendImageReview;
  /** The spelling that is sent; responses are accepted in either spelling. */
  readonly dialect: Dialect;
  readonly clock: Clock;
}

/** Limits of the cache of reviews; the least recently used is dropped. */
const MAX_CACHED_REVIEWS = 1_024;
const MAX_CACHE_BYTES = 16 * 1024 * 1024;
/** Reviews with a longer key are not cached: the author of a pod chooses its annotations, which are part of the key. */
const MAX_CACHED_KEY_LENGTH = 64 * 1024;
/** Reviews in flight; further ones fail as if the webhook had failed. */
const MAX_CONCURRENT_REVIEWS = 1_000;
/** Memory of a cache entry without its contents. */
const ENTRY_OVERHEAD_BYTES = 512;

/** The decision of the webhook, or why there is none. */
type ReviewOutcome = ImageReviewStatus | { readonly error: string };

const isImageRequest = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && (subresource === undefined || subresource === 'ephemeralcontainers');

const TOO_MANY_REVIEWS: ReviewOutcome = { error: 'too many images are being reviewed' };
const ANNOTATION_PREFIX = 'imagepolicywebhook.image-policy.platform.io';

/** Creates the plug-in with an empty cache. */
export function imagePolicyWebhook({ settings, send, dialect, clock }: ImagePolicyDependencies): ValidatingPlugin {
  const reviews = new ResponseCache<ReviewOutcome>({
    clock,
    maxEntries: MAX_CACHED_REVIEWS,
    maxBytes: MAX_CACHE_BYTES,
    maxConcurrent: MAX_CONCURRENT_REVIEWS,
  });

  async function fetchReview(key: string, body: Buffer): Promise<CacheableResponse<ReviewOutcome>> {
    const reply = await send(body);
    const response = 'error' in reply ? reply : readImageReviewStatus(reply.bytes);
    const bytes = ENTRY_OVERHEAD_BYTES + key.length + ('bytes' in reply ? reply.bytes.length : 0);
    const isCacheable = !('error' in response) && key.length <= MAX_CACHED_KEY_LENGTH;
    if (!isCacheable) return { response, ttlMs: 0, bytes };
    return { response, ttlMs: response.allowed ? settings.allowMs : settings.denyMs, bytes };
  }

  async function review(request: AdmissionRequest<CoreV1Pod>): Promise<void> {
    const spec = imageReviewSpec(request.object ?? {}, { namespace: request.namespace, subresource: request.subresource }, dialect);
    const key = JSON.stringify(spec);
    // `undefined` when MAX_CONCURRENT_REVIEWS are in flight.
    const pending = reviews.getOrFetch(key, () => fetchReview(key, imageReviewBody(spec, dialect)));
    applyOutcome(await (pending ?? TOO_MANY_REVIEWS), request, settings.defaultAllow);
  }

  return {
    name: 'ImagePolicyWebhook',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isImageRequest,
    callsWebhooks: isImageRequest,
    validate: (request) => (isImageRequest(request) ? review(request) : undefined),
  };
}

/** Annotates the audit event, and throws when the images may not run. */
function applyOutcome(outcome: ReviewOutcome, request: AdmissionRequest, defaultAllow: boolean): void {
  const addAnnotation = (name: string, value: string): void => request.context.addAuditAnnotation?.(`${ANNOTATION_PREFIX}/${name}`, value);
  if ('error' in outcome) {
    if (!defaultAllow) throw newForbidden(request, outcome.error);
    addAnnotation('failed-open', 'true');
    return;
  }
  for (const [name, value] of outcome.auditAnnotations)
    if (checkQualifiedName(`${ANNOTATION_PREFIX}/${name}`).length === 0) addAnnotation(name, value);
  if (outcome.allowed) return;
  const { reason } = outcome;
  throw newForbidden(
    request,
    reason === '' ? 'one or more images rejected by webhook backend' : `image policy webhook backend denied one or more images: ${reason}`,
  );
}
