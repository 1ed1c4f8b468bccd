/**
 * Creates the tracer provider, exporter and sampler of the server. Loaded only when tracing is configured, because the
 * OpenTelemetry packages are large.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import type { Store } from '../storage/store';
import { BoundedSpanProcessor, type ExportLimits, type MutableSpanCounts } from './bounded-span-processor';
import { SAMPLING_DENOMINATOR, parseTraceEndpoint, type TracingConfiguration } from './tracing-configuration';
import { RequestTracing } from './request-tracing';
import type { Tracing } from './span';
import { TracedStore } from './traced-store';

/** What tracing needs from the server, whatever its configuration. */
export interface TracingDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Replaces some of the default limits. */
  readonly limits?: Partial<ExportLimits>;
}

/** Tracing in use. Its owner closes it. */
export interface OpenedTracing {
  readonly tracing: Tracing;
  /** A store that traces its calls. */
  wrapStore(store: Store, options: { readonly isEtcd: boolean }): Store;
  /**
   * Applies another configuration; spans that have ended are still exported by the previous one. Throws when the
   * endpoint is invalid, and keeps the previous configuration.
   */
  applyConfiguration(configuration: TracingConfiguration): void;
  /** Exports all ended spans. */
  flush(): Promise<void>;
  /** Exports all ended spans, within a time limit. */
  close(): Promise<void>;
}

const DEFAULT_LIMITS: ExportLimits = { maxQueueSize: 2_048, maxBatchSize: 512, delayMs: 5_000, timeoutMs: 10_000 };
/** Limit for names, addresses and user agents, which clients choose. */
const MAX_ATTRIBUTE_LENGTH = 4_096;
/** OpenTelemetry's default. */
const MAX_EVENTS_PER_SPAN = 128;
/** Time for the export of the last spans at a shutdown. */
const SHUTDOWN_TIMEOUT_MS = 3_000;

const INSTRUMENTATION_SCOPE = 'apiserver';

/** Starts tracing. Throws when the endpoint is invalid. An unreachable receiver is logged when spans are exported, not here. */
export function openTracing(configuration: TracingConfiguration, dependencies: TracingDependencies): OpenedTracing {
  const { clock, random } = dependencies;
  const counts: MutableSpanCounts = { exported: 0, failed: 0, dropped: 0 };
  const resource = resourceFromAttributes({ 'service.name': 'apiserver', 'service.instance.id': `apiserver-${random.uuid()}` });
  const createProviderFor = (next: TracingConfiguration): TracerProvider => createProvider(next, dependencies, resource, counts);
  let provider = createProviderFor(configuration);
  const tracing = new RequestTracing(provider.getTracer(INSTRUMENTATION_SCOPE), counts, clock);
  return {
    tracing,
    wrapStore: (store, options) => new TracedStore(store, tracing, options),
    applyConfiguration(next) {
      const previous = provider;
      provider = createProviderFor(next);
      tracing.tracer = provider.getTracer(INSTRUMENTATION_SCOPE);
      previous.shutdown().catch(ignore);
    },
    flush: () => provider.forceFlush(),
    // Spans that are not exported in time are lost.
    close: () => withTimeout(provider.shutdown().catch(ignore), clock, SHUTDOWN_TIMEOUT_MS, ignore),
  };
}

function ignore(): void {
  // Failed spans have been counted and logged.
}

function createProvider(
  { endpoint, samplingRatePerMillion = 0 }: TracingConfiguration,
  dependencies: TracingDependencies,
  resource: Resource,
  counts: MutableSpanCounts,
): TracerProvider {
  const { logger } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  const receiver = parseTraceEndpoint(endpoint);
  if ('reason' in receiver) throw new Error(`endpoint: ${receiver.reason}`);
  const exporter: SpanExporter = new OTLPTraceExporter({ url: `http://${receiver.address}`, timeoutMillis: limits.timeoutMs });
  const spans = new BoundedSpanProcessor(exporter, limits, counts, (error) => {
    if (error === undefined) logger.info('traces are sent again', { receiver: receiver.address });
    else logger.warn('traces cannot be sent and are dropped', { receiver: receiver.address, error });
  });
  return new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplingRatePerMillion / SAMPLING_DENOMINATOR) }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH, eventCountLimit: MAX_EVENTS_PER_SPAN, linkCountLimit: 1 },
    spanProcessors: [spans],
  });
}
