/**
 * EventRateLimit: limits the rate of writes of core Events per server, namespace, user, or source and involved object.
 * A rejected request takes a token from every limit all the same (upstream behaviour).
 */
import type { ConfigurationFormat } from '../../../shared/configuration/read-configuration';
import { integerSchema, listSchema, objectSchema, enumSchema, type ValueOf } from '../../../shared/configuration/schema';
import { TokenBucket } from '../../../shared/client/rate-limiter';
import { StatusError } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { CoreV1Event } from '../../../shared/api/types/generated/members';
import type { AdmissionRequest } from '../../registry/admission';
import type { ValidatingPlugin } from '../chain';

const MAX_INT32 = 2_147_483_647;
/** Number of buckets per limit, by default and at most; the least recently used bucket is evicted. */
const DEFAULT_CACHE_SIZE = 4_096;
const MAX_CACHE_SIZE = 65_536;

const LIMIT = objectSchema(
  {
    type: enumSchema('Server', 'Namespace', 'User', 'SourceAndObject'),
    qps: integerSchema(1, MAX_INT32),
    burst: integerSchema(1, MAX_INT32),
  },
  { cacheSize: integerSchema(0, MAX_CACHE_SIZE) },
);
const SCHEMA = objectSchema({ limits: listSchema(LIMIT, 1) }, {});

/** The configured limits; each type occurs at most once. */
export type EventLimits = ValueOf<typeof SCHEMA>['limits'];
type EventLimit = EventLimits[number];

/** The format of the plug-in's configuration file. */
export const EVENT_LIMIT_FORMAT: ConfigurationFormat<ValueOf<typeof SCHEMA>> = {
  kind: 'Configuration',
  apiVersions: ['eventratelimit.admission.platform.io/v1alpha1'],
  schema: SCHEMA,
  validate: ({ limits }) =>
    limits.flatMap(({ type, qps, burst }, index) => [
      ...(burst < qps ? [{ path: `limits[${index}].burst`, reason: 'must not be less than qps' }] : []),
      ...(limits.findIndex((other) => other.type === type) < index
        ? [{ path: `limits[${index}].type`, reason: `${type} may occur only once` }]
        : []),
    ]),
};

/** The bucket key of a request, by type of limit. */
const KEY_BY_TYPE: Readonly<Record<EventLimit['type'], (request: AdmissionRequest<CoreV1Event>) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => {
    const { source, involvedObject: involved } = object ?? {};
    return [source?.component, source?.host, involved?.kind, involved?.namespace, involved?.name, involved?.uid, involved?.apiVersion].join(
      '',
    );
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
      const message = exceeded.length === 1 ? exceeded.join() : `[${exceeded.join(', ')}]`;
      throw new StatusError('TooManyRequests', `Too many requests: ${message}`);
    },
  };
}

class LimitBuckets {
  /** In order of last use. */
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly maxBuckets: number;

  constructor(
    private readonly limit: EventLimit,
    private readonly clock: Clock,
  ) {
    this.maxBuckets = limit.cacheSize === undefined || limit.cacheSize === 0 ? DEFAULT_CACHE_SIZE : limit.cacheSize;
  }

  /** Takes a token. Returns the message of the rejection, or `undefined` when a token was left. */
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
