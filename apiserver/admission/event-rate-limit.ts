/**
 * No more Events are written than the configuration allows: on this server, in a namespace, by a user, by one source about one object. A refusal takes a turn from every limit all
 * the same, as upstream's does.
 */
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { integerSchema, listSchema, objectSchema, enumSchema, type ValueOf } from '../../shared/configuration/schema';
import { TokenBucket } from '../../shared/client/rate-limit';
import { StatusError } from '../../shared/api/errors/status';
import type { Clock } from '../../shared/runtime/clock';
import { objectAt, stringAt } from '../../shared/values/json';
import type { AdmissionRequest } from '../registry/admission';
import type { ValidatingPlugin } from './chain';

const MOST = 2_147_483_647;
/** Of each limit, those whose turns are remembered where nothing is said, and at most: the one not heard of for longest is forgotten. */
const USUALLY_REMEMBERED = 4_096;
const MOST_REMEMBERED = 65_536;

const LIMIT = objectSchema(
  { type: enumSchema('Server', 'Namespace', 'User', 'SourceAndObject'), qps: integerSchema(1, MOST), burst: integerSchema(1, MOST) },
  { cacheSize: integerSchema(0, MOST_REMEMBERED) },
);
const SCHEMA = objectSchema({ limits: listSchema(LIMIT, 1) }, {});

export type EventLimits = ValueOf<typeof SCHEMA>['limits'];
type EventLimit = EventLimits[number];

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

/** Whom a limit is for. */
const KEYS: Readonly<Record<EventLimit['type'], (request: AdmissionRequest) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) =>
    [
      ...['component', 'host'].map((member) => stringAt(objectAt(object, 'source') ?? {}, member)),
      ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((member) => stringAt(objectAt(object, 'involvedObject') ?? {}, member)),
    ].join(''),
};

export function eventRateLimit(limits: EventLimits, clock: Clock): ValidatingPlugin {
  const buckets = limits.map((limit) => new Buckets(limit, clock));
  return {
    name: 'EventRateLimit',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: ({ resource: { row } }) => row.group === '' && row.resource === 'events',
    validate(request) {
      const { resource, subresource, dryRun } = request;
      if (resource.row.group !== '' || resource.row.resource !== 'events' || subresource !== undefined || dryRun) return undefined;
      const faults = buckets.flatMap((one) => one.take(request) ?? []);
      if (faults.length === 0) return undefined;
      const told = faults.length === 1 ? faults.join() : `[${faults.join(', ')}]`;
      throw new StatusError('TooManyRequests', `Too many requests: ${told}`);
    },
  };
}

class Buckets {
  /** The one heard of last comes last. */
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly remembered: number;

  constructor(
    private readonly limit: EventLimit,
    private readonly clock: Clock,
  ) {
    this.remembered = limit.cacheSize === undefined || limit.cacheSize === 0 ? USUALLY_REMEMBERED : limit.cacheSize;
  }

  /** What there is to say when no turn is left. */
  take(request: AdmissionRequest): string | undefined {
    const { type, qps, burst } = this.limit;
    const key = KEYS[type](request);
    const bucket = this.buckets.get(key) ?? new TokenBucket(this.clock, qps, burst);
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > this.remembered) this.forgetOldest();
    return bucket.tryTake() ? undefined : `limit reached on type ${type} for key ${key}`;
  }

  private forgetOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
