/**
 * The admission plug-ins as one ordered chain: all that may change an object, then all that may refuse it. What each of them does is in its own
 * file; which there are, in plugins.ts. Never waits where a plug-in has nothing to wait for.
 */
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

export interface AdmissionPlugins {
  readonly mutating: readonly MutatingPlugin[];
  readonly validating: readonly ValidatingPlugin[];
  readonly reserving?: ReservingPlugin;
}

export function createAdmission(plugins: AdmissionPlugins): Admission {
  const { reserving } = plugins;
  const asked = [...plugins.mutating, ...plugins.validating];
  const all = [...asked, ...(reserving === undefined ? [] : [reserving])];
  return {
    looksInto: (question) => all.some((plugin) => plugin.handles(question.operation) && plugin.looksInto?.(question) !== false),
    asksOthers: (question) => asked.some((plugin) => plugin.asksOthers?.(question) === true),
    counts: (question) => reserving?.looksInto?.({ ...question, operation: 'CREATE' }) === true,
    mutate: (request) => inOrder(plugins.mutating, request, (plugin) => plugin.mutate(request)),
    validate: (request) => inOrder(plugins.validating, request, (plugin) => plugin.validate(request)),
    reserve: (request) => (reserving?.handles(request.operation) === true ? reserving.reserve(request) : undefined),
  };
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
