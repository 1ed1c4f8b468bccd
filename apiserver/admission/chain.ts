/**
 * The admission plug-ins as one ordered chain: all that may change an object, then all that may refuse it. What each of them does is in its own
 * file; which there are, in plugins.ts. Never waits where a plug-in has nothing to wait for.
 */
import type { Clock } from '../../shared/runtime/clock';
import { timed } from '../../shared/runtime/timed';
import type { Admission, AdmissionOperation, AdmissionQuestion, AdmissionRequest, ReservingPlugin } from '../registry/admission';

interface Plugin {
  readonly name: string;
  /** Whether it looks at more of an object than its name; absent = it does. */
  looksInto?(question: AdmissionQuestion): boolean;
  /** Whether it may ask somebody outside; absent = never. */
  asksOthers?(question: Pick<AdmissionQuestion, 'resource' | 'subresource'>): boolean;
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
  /** `name` undefined = all of the step together. */
  took(name: string | undefined, step: AdmissionStep, operation: AdmissionOperation, ms: number, hasRefused: boolean): void;
}

export type AdmissionStep = 'admit' | 'validate';

export interface AdmissionPlugins {
  readonly mutating: readonly MutatingPlugin[];
  readonly validating: readonly ValidatingPlugin[];
  readonly reserving?: ReservingPlugin;
  /** Absent = nobody wants to know. */
  readonly meter?: AdmissionMeter | undefined;
}

export function createAdmission(plugins: AdmissionPlugins): Admission {
  const { reserving, meter } = plugins;
  const asked = [...plugins.mutating, ...plugins.validating];
  const all = [...asked, ...(reserving === undefined ? [] : [reserving])];
  return {
    looksInto: (question) => all.some((plugin) => plugin.handles(question.operation) && plugin.looksInto?.(question) !== false),
    asksOthers: (question) => asked.some((plugin) => plugin.asksOthers?.(question) === true),
    counts: (question) => reserving?.looksInto?.({ ...question, operation: 'CREATE' }) === true,
    mutate: (request) =>
      measured(meter, undefined, 'admit', request, () =>
        inOrder(plugins.mutating, request, (plugin) => measured(meter, plugin.name, 'admit', request, () => plugin.mutate(request))),
      ),
    validate: (request) =>
      measured(meter, undefined, 'validate', request, () =>
        inOrder(plugins.validating, request, (plugin) => measured(meter, plugin.name, 'validate', request, () => plugin.validate(request))),
      ),
    reserve: (request) =>
      reserving?.handles(request.operation) === true
        ? measured(meter, reserving.name, 'validate', request, () => reserving.reserve(request))
        : undefined,
  };
}

function measured<T>(
  meter: AdmissionMeter | undefined,
  name: string | undefined,
  step: AdmissionStep,
  { operation }: AdmissionRequest,
  work: () => Promise<T> | undefined,
): Promise<T> | undefined {
  if (meter === undefined) return work();
  return timed(meter.clock, work, (from, until, hasRefused) => meter.took(name, step, operation, until - from, hasRefused));
}

function inOrder<P extends { handles(operation: AdmissionOperation): boolean }>(
  plugins: readonly P[],
  request: AdmissionRequest,
  run: (plugin: P) => Promise<void> | undefined,
): Promise<void> | undefined {
  for (let index = 0; index < plugins.length; index++) {
    const plugin = plugins[index];
    if (plugin === undefined || !plugin.handles(request.operation)) continue;
    const pending = run(plugin);
    if (pending !== undefined) return pending.then(() => inOrder(plugins.slice(index + 1), request, run));
  }
  return undefined;
}
