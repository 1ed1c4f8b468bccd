/**
 * A webhook says which images may run. It is asked about pods and about their ephemeral containers, by images, namespace and the annotations that are meant for it, and
 * what it has said counts for a while. What happens where it does not answer is configured. Understands no image.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { booleanSchema, integerSchema, objectSchema, stringSchema, type ValueOf } from '../../shared/configuration/schema';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { ResponseCache, type CacheableResponse } from '../../shared/runtime/response-cache';
import { objectAt } from '../../shared/values/json';
import { checkQualifiedName } from '../../shared/values/name-formats';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { ValidatingPlugin } from './chain';
import { readImageVerdict, reviewBody, reviewSpec, type ImageVerdict } from './image-review';
import { refused } from './pod-creation';

/** Seconds; -1 = it does not count. */
const TTL = integerSchema(-1, 30 * 60);
const SCHEMA = objectSchema(
  {
    imagePolicy: objectSchema(
      { kubeConfigFile: stringSchema() },
      { allowTTL: TTL, denyTTL: TTL, retryBackoff: integerSchema(-1, 5 * 60_000), defaultAllow: booleanSchema },
    ),
  },
  {},
);

export const IMAGE_POLICY_FORMAT: ConfigurationFormat<ValueOf<typeof SCHEMA>> = {
  kind: 'configuration of ImagePolicyWebhook',
  apiVersions: [],
  schema: SCHEMA,
};

export interface ImagePolicySettings {
  readonly kubeConfigFile: string;
  /** How long it counts that images may run, and that they may not. */
  readonly allowMs: number;
  readonly denyMs: number;
  /** Before it is asked again where that may help. */
  readonly retryMs: number;
  /** Who is not answered may run them. */
  readonly defaultAllow: boolean;
}

const USUAL = { allowSeconds: 5 * 60, denySeconds: 30, retryMs: 500 } as const;

export function imagePolicySettings({ imagePolicy }: ValueOf<typeof SCHEMA>): ImagePolicySettings {
  const { kubeConfigFile, allowTTL = 0, denyTTL = 0, retryBackoff = 0, defaultAllow = false } = imagePolicy;
  return {
    kubeConfigFile,
    allowMs: given(allowTTL, USUAL.allowSeconds) * 1_000,
    denyMs: given(denyTTL, USUAL.denySeconds) * 1_000,
    retryMs: given(retryBackoff, USUAL.retryMs),
    defaultAllow,
  };
}

/** 0 = nothing is said. */
const given = (said: number, usual: number): number => (said === 0 ? usual : Math.max(0, said));

/** Never rejects; a fault is in words. */
export type AskImages = (body: Buffer) => Promise<{ readonly bytes: Buffer } | { readonly fault: string }>;

export interface ImagePolicyParts {
  readonly settings: ImagePolicySettings;
  readonly ask: AskImages;
  /** Of what is sent; either is understood in answers. */
  readonly dialect: Dialect;
  readonly clock: Clock;
}

const KEPT = 1_024;
const KEPT_BYTES = 16 * 1024 * 1024;
/** A question that its asker made so long is not kept. */
const LONGEST_KEPT = 64 * 1024;
/** Questions under way. */
const AT_ONCE = 1_000;
/** What an answer of no length costs in memory. */
const BASE_BYTES = 512;

type Outcome = ImageVerdict | { readonly fault: string };

const isAboutImages = ({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
  row.group === '' && row.resource === 'pods' && (subresource === undefined || subresource === 'ephemeralcontainers');

export function imagePolicyWebhook({ settings, ask, dialect, clock }: ImagePolicyParts): ValidatingPlugin {
  const answers = new ResponseCache<Outcome>({ clock, maxEntries: KEPT, maxBytes: KEPT_BYTES, maxConcurrent: AT_ONCE });

  async function answerOf(key: string, body: Buffer): Promise<CacheableResponse<Outcome>> {
    const reply = await ask(body);
    const response = 'fault' in reply ? reply : readImageVerdict(reply.bytes);
    const bytes = BASE_BYTES + key.length + ('bytes' in reply ? reply.bytes.length : 0);
    if ('fault' in response || key.length > LONGEST_KEPT) return { response, ttlMs: 0, bytes };
    return { response, ttlMs: response.allowed ? settings.allowMs : settings.denyMs, bytes };
  }

  async function judge(request: AdmissionRequest): Promise<void> {
    const spec = reviewSpec(
      objectAt(request.object, 'spec') ?? {},
      readMetadata(request.object ?? {}),
      { namespace: request.namespace, subresource: request.subresource },
      dialect,
    );
    const key = JSON.stringify(spec);
    const outcome = await (answers.getOrFetch(key, () => answerOf(key, reviewBody(spec, dialect))) ?? TOO_MANY);
    decide(outcome, request, settings.defaultAllow);
  }

  return {
    name: 'ImagePolicyWebhook',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: isAboutImages,
    callsWebhooks: isAboutImages,
    validate: (request) => (isAboutImages(request) ? judge(request) : undefined),
  };
}

const TOO_MANY: Outcome = { fault: 'too many images are being reviewed' };
const NOTES = 'imagepolicywebhook.image-policy.platform.io';

function decide(outcome: Outcome, request: AdmissionRequest, defaultAllow: boolean): void {
  const { addAuditAnnotation } = request.context;
  const note = (name: string, value: string): void => addAuditAnnotation?.call(request.context, `${NOTES}/${name}`, value);
  if ('fault' in outcome) {
    if (!defaultAllow) throw refused(request, outcome.fault);
    note('failed-open', 'true');
    return;
  }
  for (const [name, value] of outcome.notes) if (checkQualifiedName(`${NOTES}/${name}`).length === 0) note(name, value);
  if (outcome.allowed) return;
  const { reason } = outcome;
  throw refused(
    request,
    reason === '' ? 'one or more images rejected by webhook backend' : `image policy webhook backend denied one or more images: ${reason}`,
  );
}
