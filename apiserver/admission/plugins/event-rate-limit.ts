/**
 * EventRateLimit: limits the rate of creations and updates of core Events per server, namespace, user, or source and
 * involved object. A request that one limit rejects still takes a token from the other limits (upstream behaviour).
 */
import type { InvalidField } from '../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../shared/configuration/read-configuration';
import { integerSchema, listSchema, objectSchema, enumSchema, type ValueOf } from '../../../shared/configuration/schema';
import { TokenBucket } from '../../../shared/client/rate-limiter';
import { StatusError } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { CoreV1Event } from '../../../shared/api/types/generated/members';
import type { AdmissionRequest } from '../../registry/admission';
import type { ValidatingPlugin } from '../chain';

const MAX_INT32 = 2_147_483_647;
/** Number of buckets of a limit with a `cacheSize` that is absent or 0. */
const DEFAULT_CACHE_SIZE = 4_096;
/** Greatest `cacheSize`, so that clients with many names cannot fill the memory. */
const MAX_CACHE_SIZE = 65_536;

const LIMIT_SCHEMA = objectSchema(
  {
    type: enumSchema('Server', 'Namespace', 'User', 'SourceAndObject'),
    qps: integerSchema(1, MAX_INT32),
    burst: integerSchema(1, MAX_INT32),
  },
  { cacheSize: integerSchema(0, MAX_CACHE_SIZE) },
);
const CONFIGURATION_SCHEMA = objectSchema({ limits: listSchema(LIMIT_SCHEMA, 1) }, {});

/** The configured limits; each type occurs at most once. */
export type EventLimits = ValueOf<typeof CONFIGURATION_SCHEMA>['limits'];
type EventLimit = EventLimits[number];

/** The format of the plug-in's configuration file. */
export const EVENT_LIMIT_FORMAT: ConfigurationFormat<ValueOf<typeof CONFIGURATION_SCHEMA>> = {
  kind: 'Configuration',
  apiVersions: ['eventratelimit.admission.platform.io/v1alpha1'],
  schema: CONFIGURATION_SCHEMA,
  validate: ({ limits }) => limitErrors(limits),
};

function limitErrors(limits: EventLimits): readonly InvalidField[] {
  const errors: InvalidField[] = [];
  const seenTypes = new Set<string>();
  for (const [index, { type, qps, burst }] of limits.entries()) {
    if (burst < qps) errors.push({ path: `limits[${index}].burst`, reason: 'must not be less than qps' });
    if (seenTypes.has(type)) errors.push({ path: `limits[${index}].type`, reason: `${type} may occur only once` });
    seenTypes.add(type);
  }
  return errors;
}

/** The bucket key of a request, by type of limit. */
const KEY_BY_TYPE: Readonly<Record<EventLimit['type'], (request: AdmissionRequest<CoreV1Event>) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => {
    const { source, involvedObject: involved } = object ?? {};
    const sourceParts = [source?.component, source?.host];
    const objectParts = [involved?.kind, involved?.namespace, involved?.name, involved?.uid, involved?.apiVersion];
    // The key is part of the message of the rejection, where upstream joins the parts without a separator.
    return [...sourceParts, ...objectParts].join('');
  },
};

/** Creates the plug-in with full buckets. */
export function eventRateLimit(limits: EventLimits, clock: Clock): ValidatingPlugin {
  const limitBuckets = limits.map((limit) => new LimitBuckets(limit, clock));
  return {
    name: 'EventRateLimit',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: ({ resource: { row } }) => row.group === '' && row.resource === 'events',
    validate(request) {
      const { resource, subresource, dryRun } = request;
      const isEvent = resource.row.group === '' && resource.row.resource === 'events' && subresource === undefined;
      if (!isEvent || dryRun) return undefined;
      const exceeded = limitBuckets.flatMap((bucketsOfLimit) => bucketsOfLimit.takeToken(request) ?? []);
      if (exceeded.length === 0) return undefined;
      const list = exceeded.join(', ');
      throw new StatusError('TooManyRequests', `Too many requests: ${exceeded.length === 1 ? list : `[${list}]`}`);
    },
  };
}

/** The token buckets of one limit, by the keys of {@link KEY_BY_TYPE}. Evicts the least recently used bucket. */
class LimitBuckets {
  /** In order of last use, because {@link takeToken} moves a bucket to the end. */
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly maxBuckets: number;

  constructor(
    private readonly limit: EventLimit,
    private readonly clock: Clock,
  ) {
    this.maxBuckets = limit.cacheSize === undefined || limit.cacheSize === 0 ? DEFAULT_CACHE_SIZE : limit.cacheSize;
  }

  /** Takes a token from the bucket of the request. Returns an error text when the bucket is empty. */
  takeToken(request: AdmissionRequest): string | undefined {
    const { type, qps, burst } = this.limit;
    const key = KEY_BY_TYPE[type](request);
    const bucket = this.buckets.get(key) ?? new TokenBucket(this.clock, qps, burst);
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > this.maxBuckets) this.evictLeastRecentlyUsed();
    return bucket.tryTake() ? undefined : `limit reached on type ${type} for key ${key}`;
  }

  private evictLeastRecentlyUsed(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
