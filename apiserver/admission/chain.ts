/**
 * The admission plug-ins as one ordered chain: all that may change an object, then all that may refuse it. What each of them does is in its own
 * file; which there are, in plugins.ts. Never waits where a plug-in has nothing to wait for.
 */
import type { Clock } from '../../shared/runtime/clock';
import { measureTime } from '../../shared/runtime/measure-time';
import type { Admission, AdmissionOperation, AdmissionTarget, AdmissionRequest, ReservingPlugin } from '../registry/admission';

interface Plugin {
  readonly name: string;
  /** Whether it looks at more of an object than its name; absent = it does. */
  inspectsObject?(question: AdmissionTarget): boolean;
  /** Whether it may ask somebody outside; absent = never. */
  callsWebhooks?(question: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean;
}

export interface MutatingPlugin extends Plugin {
  handles(operation: AdmissionOperation): boolean;
  mutate(request: AdmissionRequest): Promise<void> | undefined;
}

export interface ValidatingPlugin extends Plugin {
  handles(operation: AdmissionOperation): boolean;
  validate(request: AdmissionRequest): Promise<void> | undefined;
}

/** Hears how long plug-ins take, and whether they refuse. */
export interface AdmissionMeter {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whom to tell each time, in milliseconds; asked for once. `name` undefined = all of the step together. */
  series(name: string | undefined, step: AdmissionStep, operation: AdmissionOperation, hasRefused: boolean): Series;
}

type Series = (ms: number) => void;

export type AdmissionStep = 'admit' | 'validate';

export interface AdmissionPlugins {
  readonly mutating: readonly MutatingPlugin[];
  readonly validating: readonly ValidatingPlugin[];
  readonly reserving?: ReservingPlugin;
  /** Absent = nobody wants to know. */
  readonly meter?: AdmissionMeter | undefined;
}

export function createAdmission(plugins: AdmissionPlugins): Admission {
  const { reserving, meter = UNMETERED } = plugins;
  const asked = [...plugins.mutating, ...plugins.validating];
  const all = [...asked, ...(reserving === undefined ? [] : [reserving])];
  const admit = new Step('admit', plugins.mutating, (plugin, request) => plugin.mutate(request), meter);
  const validate = new Step('validate', plugins.validating, (plugin, request) => plugin.validate(request), meter);
  const reserved = new Map<AdmissionOperation, Times>();
  return {
    inspectsObject: (question) => all.some((plugin) => plugin.handles(question.operation) && plugin.inspectsObject?.(question) !== false),
    callsWebhooks: (question) => asked.some((plugin) => plugin.callsWebhooks?.(question) === true),
    dependsOnOtherObjects: (question) => reserving?.inspectsObject?.({ ...question, operation: 'CREATE' }) === true,
    mutate: (request) => admit.run(request),
    validate: (request) => validate.run(request),
    reserve: (request) => {
      const { operation } = request;
      if (reserving?.handles(operation) !== true) return undefined;
      const times = orMade(reserved, operation, () => new Times(meter, reserving.name, 'validate', operation));
      return measureTime(
        meter.clock,
        () => reserving.reserve(request),
        (from, until, hasRefused) => times.took(until - from, hasRefused),
      );
    },
  };
}

const UNMETERED: AdmissionMeter = { clock: { monotonic: () => 0 }, series: () => () => undefined };

/** Where the times of one plug-in go. A series is there from its first time on. */
class Times {
  private admitted: Series | undefined;
  private refused: Series | undefined;

  constructor(
    private readonly meter: AdmissionMeter,
    private readonly name: string | undefined,
    private readonly step: AdmissionStep,
    private readonly operation: AdmissionOperation,
  ) {}

  took(ms: number, hasRefused: boolean): void {
    if (hasRefused) (this.refused ??= this.meter.series(this.name, this.step, this.operation, true))(ms);
    else (this.admitted ??= this.meter.series(this.name, this.step, this.operation, false))(ms);
  }
}

interface Handling {
  readonly name: string;
  /** It may change its mind: who has nothing to do handles nothing. */
  handles(operation: AdmissionOperation): boolean;
}

/** The plug-ins of a step, and where their times go at an operation. */
interface Line<P> {
  readonly rows: readonly { readonly plugin: P; readonly times: Times }[];
  readonly whole: Times;
}

type Ask<P> = (plugin: P, request: AdmissionRequest) => Promise<void> | undefined;

/** One request on its way along a line. The clock is read once between two plug-ins: most have nothing to say, and reading it is what they cost. */
class Walk<P extends Handling> {
  private readonly began: number;
  /** When the last plug-in was done. */
  private from: number;

  constructor(
    private readonly line: Line<P>,
    private readonly request: AdmissionRequest,
    private readonly ask: Ask<P>,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    this.began = this.from = clock.monotonic();
  }

  onward(first: number): Promise<void> | undefined {
    const { rows, whole } = this.line;
    for (let index = first; index < rows.length; index++) {
      const next = rows[index];
      if (next === undefined || !next.plugin.handles(this.request.operation)) continue;
      const { plugin, times } = next;
      let pending: Promise<void> | undefined;
      try {
        pending = this.ask(plugin, this.request);
      } catch (error) {
        this.refused(times);
        throw error;
      }
      if (pending !== undefined) return this.waiting(pending, times, index + 1);
      this.admitted(times);
    }
    whole.took(this.from - this.began, false);
    return undefined;
  }

  private waiting(pending: Promise<void>, times: Times, next: number): Promise<void> {
    return pending.then(
      () => {
        this.admitted(times);
        return this.onward(next);
      },
      (error: unknown) => {
        this.refused(times);
        throw error;
      },
    );
  }

  private admitted(times: Times): void {
    const now = this.clock.monotonic();
    times.took(now - this.from, false);
    this.from = now;
  }

  private refused(times: Times): void {
    const now = this.clock.monotonic();
    times.took(now - this.from, true);
    this.line.whole.took(now - this.began, true);
  }
}

/** One of the two ways through the plug-ins. */
class Step<P extends Handling> {
  private readonly lines = new Map<AdmissionOperation, Line<P>>();

  constructor(
    private readonly step: AdmissionStep,
    private readonly plugins: readonly P[],
    private readonly ask: Ask<P>,
    private readonly meter: AdmissionMeter,
  ) {}

  run(request: AdmissionRequest): Promise<void> | undefined {
    const line = orMade(this.lines, request.operation, () => this.lineOf(request.operation));
    return new Walk(line, request, this.ask, this.meter.clock).onward(0);
  }

  private lineOf(operation: AdmissionOperation): Line<P> {
    const { meter, step } = this;
    return {
      rows: this.plugins.map((plugin) => ({ plugin, times: new Times(meter, plugin.name, step, operation) })),
      whole: new Times(meter, undefined, step, operation),
    };
  }
}

function orMade<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
