/**
 * The admission chain: runs all mutating plug-ins in order, then all validating ones, and records how long each takes.
 * Stays synchronous unless a plug-in returns a promise. `plugins/default-admission.ts` decides which plug-ins run.
 */
import type { Clock } from '../../shared/runtime/clock';
import { measureTime } from '../../shared/runtime/measure-time';
import type { Admission, AdmissionOperation, AdmissionTarget, AdmissionRequest, ReservingPlugin } from '../registry/admission';

/** The members that plug-ins of both steps share. */
interface Plugin {
  readonly name: string;
  /** Called again for every request, so the result may change at run time, for example with the first webhook. */
  handles(operation: AdmissionOperation): boolean;
  /** Whether the plug-in reads more of the object than its name; absent = it does. */
  inspectsObject?(target: AdmissionTarget): boolean;
  /** Whether the plug-in may call a webhook; absent = it never does. */
  callsWebhooks?(target: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean;
}

/** A plug-in of the step `admit`. */
export interface MutatingPlugin extends Plugin {
  /** May change `request.object` in place. Throws or rejects with a StatusError to reject the request. */
  mutate(request: AdmissionRequest): Promise<void> | undefined;
}

/** A plug-in of the step `validate`, which runs after all mutating plug-ins. */
export interface ValidatingPlugin extends Plugin {
  /** Changes nothing. Throws or rejects with a StatusError to reject the request. */
  validate(request: AdmissionRequest): Promise<void> | undefined;
}

/** Records the duration of plug-ins and steps, and whether they reject. */
export interface AdmissionMetrics {
  readonly clock: Pick<Clock, 'monotonic'>;
  /**
   * Returns the observer of one time series, in milliseconds; called once per series. `name` is `undefined` for the
   * whole step.
   */
  durationObserver(
    name: string | undefined,
    step: AdmissionStep,
    operation: AdmissionOperation,
    outcome: AdmissionOutcome,
  ): ObserveDuration;
}

type ObserveDuration = (ms: number) => void;

type AdmissionOutcome = 'admitted' | 'rejected';

/** The label of the step in metrics. */
export type AdmissionStep = 'admit' | 'validate';

/** The enabled plug-ins of a chain, in the order in which they run. */
export interface AdmissionPlugins {
  readonly mutating: readonly MutatingPlugin[];
  readonly validating: readonly ValidatingPlugin[];
  /** Runs after both steps, when the write is about to be committed; absent = nothing is reserved. */
  readonly reserving?: ReservingPlugin;
  /** Absent = durations are not recorded. */
  readonly metrics?: AdmissionMetrics | undefined;
}

/**
 * `mutate`, `validate` and `reserve` skip the plug-ins that do not handle the operation, and stop at the first
 * rejection.
 */
export function createAdmissionChain(plugins: AdmissionPlugins): Admission {
  const { reserving, metrics = NO_METRICS } = plugins;
  const mutatingAndValidating = [...plugins.mutating, ...plugins.validating];
  const allPlugins = [...mutatingAndValidating, ...(reserving === undefined ? [] : [reserving])];
  const admit = new ChainStep('admit', plugins.mutating, (plugin, request) => plugin.mutate(request), metrics);
  const validate = new ChainStep('validate', plugins.validating, (plugin, request) => plugin.validate(request), metrics);
  const reserveDurations = new Map<AdmissionOperation, PluginDurations>();
  return {
    inspectsObject: (target) => allPlugins.some((plugin) => plugin.handles(target.operation) && plugin.inspectsObject?.(target) !== false),
    callsWebhooks: (target) => mutatingAndValidating.some((plugin) => plugin.callsWebhooks?.(target) === true),
    // ResourceQuota counts the other objects of the namespace. It counts more kinds on CREATE than on UPDATE.
    dependsOnOtherObjects: (target) => reserving?.inspectsObject({ operation: 'CREATE', ...target }) === true,
    mutate: (request) => admit.run(request),
    validate: (request) => validate.run(request),
    reserve: (request) => {
      const { operation } = request;
      if (reserving?.handles(operation) !== true) return undefined;
      // Upstream's ResourceQuota is a validating plug-in, so the metrics of this step have the label `validate`.
      const durations = getOrCreate(reserveDurations, operation, () => new PluginDurations(metrics, reserving.name, 'validate', operation));
      return measureTime(
        metrics.clock,
        () => reserving.reserve(request),
        (startedAt, endedAt, outcome) => durations.record(endedAt - startedAt, outcome === 'failed' ? 'rejected' : 'admitted'),
      );
    },
  };
}

/** Records nothing. */
const NO_METRICS: AdmissionMetrics = { clock: { monotonic: () => 0 }, durationObserver: () => () => undefined };

/** The duration observers of one plug-in or step. Each series is created at its first observation. */
class PluginDurations {
  private observeAdmitted: ObserveDuration | undefined;
  private observeRejected: ObserveDuration | undefined;

  constructor(
    private readonly metrics: AdmissionMetrics,
    private readonly name: string | undefined,
    private readonly step: AdmissionStep,
    private readonly operation: AdmissionOperation,
  ) {}

  record(ms: number, outcome: AdmissionOutcome): void {
    if (outcome === 'rejected') {
      this.observeRejected ??= this.createObserver(outcome);
      this.observeRejected(ms);
    } else {
      this.observeAdmitted ??= this.createObserver(outcome);
      this.observeAdmitted(ms);
    }
  }

  private createObserver(outcome: AdmissionOutcome): ObserveDuration {
    return this.metrics.durationObserver(this.name, this.step, this.operation, outcome);
  }
}

/** The plug-ins of a step with their duration observers for one operation. */
interface StepPlugins<P> {
  readonly rows: readonly { readonly plugin: P; readonly durations: PluginDurations }[];
  readonly stepDurations: PluginDurations;
}

type CallPlugin<P> = (plugin: P, request: AdmissionRequest) => Promise<void> | undefined;

/**
 * Runs one request through the plug-ins of a step. Reads the clock once between two plug-ins: most plug-ins ignore the
 * request, so that the clock is their main cost.
 */
class ChainRun<P extends Plugin> {
  private readonly startedAt: number;
  /** When the previous plug-in finished. */
  private pluginStartedAt: number;

  constructor(
    private readonly stepPlugins: StepPlugins<P>,
    private readonly request: AdmissionRequest,
    private readonly call: CallPlugin<P>,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    this.startedAt = this.pluginStartedAt = clock.monotonic();
  }

  /** Runs the plug-ins from this index on. Returns `undefined` when all of them were synchronous. */
  runFrom(first: number): Promise<void> | undefined {
    const { rows, stepDurations } = this.stepPlugins;
    for (let index = first; index < rows.length; index++) {
      const next = rows[index];
      if (next === undefined || !next.plugin.handles(this.request.operation)) continue;
      const { plugin, durations } = next;
      let pending: Promise<void> | undefined;
      try {
        pending = this.call(plugin, this.request);
      } catch (error) {
        this.recordRejected(durations);
        throw error;
      }
      if (pending !== undefined) return this.continueAfter(pending, durations, index + 1);
      this.recordAdmitted(durations);
    }
    stepDurations.record(this.pluginStartedAt - this.startedAt, 'admitted');
    return undefined;
  }

  /** Runs the plug-ins from the index `next` on when the pending one has finished. */
  private continueAfter(pending: Promise<void>, durations: PluginDurations, next: number): Promise<void> {
    return pending.then(
      () => {
        this.recordAdmitted(durations);
        return this.runFrom(next);
      },
      (error: unknown) => {
        this.recordRejected(durations);
        throw error;
      },
    );
  }

  private recordAdmitted(durations: PluginDurations): void {
    const now = this.clock.monotonic();
    durations.record(now - this.pluginStartedAt, 'admitted');
    this.pluginStartedAt = now;
  }

  private recordRejected(durations: PluginDurations): void {
    const now = this.clock.monotonic();
    durations.record(now - this.pluginStartedAt, 'rejected');
    this.stepPlugins.stepDurations.record(now - this.startedAt, 'rejected');
  }
}

/** One of the two steps of the chain. */
class ChainStep<P extends Plugin> {
  private readonly pluginsByOperation = new Map<AdmissionOperation, StepPlugins<P>>();

  constructor(
    private readonly step: AdmissionStep,
    private readonly plugins: readonly P[],
    private readonly call: CallPlugin<P>,
    private readonly metrics: AdmissionMetrics,
  ) {}

  run(request: AdmissionRequest): Promise<void> | undefined {
    const stepPlugins = getOrCreate(this.pluginsByOperation, request.operation, () => this.createStepPlugins(request.operation));
    return new ChainRun(stepPlugins, request, this.call, this.metrics.clock).runFrom(0);
  }

  private createStepPlugins(operation: AdmissionOperation): StepPlugins<P> {
    const { metrics, step } = this;
    return {
      rows: this.plugins.map((plugin) => ({ plugin, durations: new PluginDurations(metrics, plugin.name, step, operation) })),
      stepDurations: new PluginDurations(metrics, undefined, step, operation),
    };
  }
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}
