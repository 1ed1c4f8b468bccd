/** Puts together what keeps and sends traces. Loaded only where a configuration asks for it: the packages behind it are heavy. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import type { Store } from '../storage/store';
import { BoundedExport, type ExportLimits, type MutableCounts } from './bounded-export';
import { MILLION, receiverOf, type TracingConfiguration } from './configuration';
import { RequestTracing } from './request-tracing';
import type { Tracing } from './span';
import { TracedStore } from './traced-store';

export interface TracingSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Absent = as usual; for tests. */
  readonly limits?: Partial<ExportLimits>;
}

export interface OpenedTracing {
  readonly tracing: Tracing;
  over(store: Store, isEtcd: boolean): Store;
  /** From now on; what has ended by then still goes where it was to go. */
  use(configuration: TracingConfiguration): void;
  /** Sends what there is. */
  flush(): Promise<void>;
  /** Sends what there is, as far as that is done in time. */
  close(): Promise<void>;
}

const LIMITS: ExportLimits = { waiting: 2_048, batch: 512, delayMs: 5_000, timeoutMs: 10_000 };
/** Of names, addresses and agents, which clients choose. */
const LONGEST_VALUE = 4_096;
const MOST_EVENTS = 128;
const LAST_MS = 3_000;

/** A receiver that is not there is told in the log when spans are to be sent. */
export function openTracing(configuration: TracingConfiguration, surroundings: TracingSurroundings): OpenedTracing {
  const { clock, random } = surroundings;
  const counts: MutableCounts = { exported: 0, failed: 0, dropped: 0 };
  const resource = resourceFromAttributes({ 'service.name': 'apiserver', 'service.instance.id': `apiserver-${random.uuid()}` });
  const open = (wanted: TracingConfiguration): TracerProvider => providerOf(wanted, surroundings, resource, counts);
  let provider = open(configuration);
  const tracing = new RequestTracing(provider.getTracer(SCOPE), counts, clock);
  return {
    tracing,
    over: (store, isEtcd) => new TracedStore(store, tracing, isEtcd),
    use(wanted) {
      const former = provider;
      provider = open(wanted);
      tracing.tracer = provider.getTracer(SCOPE);
      former.shutdown().catch(ignore);
    },
    flush: () => provider.forceFlush(),
    // Whoever does not take the last spans in time does without them.
    close: () => withTimeout(provider.shutdown().catch(ignore), clock, LAST_MS, ignore),
  };
}

const SCOPE = 'apiserver';

function ignore(): void {
  // What could not be sent has been counted and told.
}

function providerOf(
  { endpoint, samplingRatePerMillion = 0 }: TracingConfiguration,
  surroundings: TracingSurroundings,
  resource: Resource,
  counts: MutableCounts,
): TracerProvider {
  const { logger } = surroundings;
  const limits = { ...LIMITS, ...surroundings.limits };
  const receiver = receiverOf(endpoint);
  if ('reason' in receiver) throw new Error(`endpoint: ${receiver.reason}`);
  const exporter: SpanExporter = new OTLPTraceExporter({ url: `http://${receiver.address}`, timeoutMillis: limits.timeoutMs });
  const spans = new BoundedExport(exporter, limits, counts, (fault) => {
    if (fault === undefined) logger.info('traces are sent again', { receiver: receiver.address });
    else logger.warn('traces cannot be sent, they are dropped', { receiver: receiver.address, error: fault });
  });
  return new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplingRatePerMillion / MILLION) }),
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE, eventCountLimit: MOST_EVENTS, linkCountLimit: 1 },
    spanProcessors: [spans],
  });
}
