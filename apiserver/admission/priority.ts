/**
 * Pods get the number and the policy of their priority class, or of the default one, and bring neither along themselves. There is one default class at most, and the
 * classes that every cluster has stay.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { podMutation, refused, WRITTEN_PODS } from './pod-creation';
import { systemPriorities } from './system-priorities';

const NAME = 'Priority';
const USUAL_POLICY = 'PreemptLowerPriority';
const DEFAULT_BYTES = Buffer.from('"globalDefault":true');

/** The PriorityClasses that there are at this moment. */
export interface PriorityClasses {
  get(name: string): Entry | undefined;
  range(): Iterable<Entry>;
}

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly policy: string;
}

export function podPriority(classes: () => PriorityClasses): MutatingPlugin {
  return podMutation(NAME, WRITTEN_PODS, (request, spec) => {
    if (request.operation === 'UPDATE') keep(spec, objectAt(request.oldObject, 'spec') ?? {});
    else give(request, spec, priorityOf(request, stringAt(spec, 'priorityClassName') ?? '', classes()));
  });
}

/** What was given at the creation stays, also where a client that does not know of it leaves it out. */
function keep(spec: JsonObject, old: JsonObject): void {
  for (const member of ['priority', 'preemptionPolicy']) {
    const before = own(old, member);
    if (before !== undefined && (own(spec, member) ?? null) === null) spec[member] = before;
  }
}

function priorityOf(request: AdmissionRequest, className: string, classes: PriorityClasses): Priority {
  if (className === '') return defaultAmong(classes) ?? { className, value: 0, policy: USUAL_POLICY };
  const entry = classes.get(className);
  if (entry === undefined) throw refused(request, `no PriorityClass with name ${className} was found`);
  return readPriority(className, parseEntry(entry).object);
}

/** Of several, which only a race leaves behind, the lowest. */
function defaultAmong(classes: PriorityClasses): Priority | undefined {
  let best: Priority | undefined;
  for (const entry of classes.range()) {
    if (!entry.bytes.includes(DEFAULT_BYTES)) continue;
    const { object } = parseEntry(entry);
    if (own(object, 'globalDefault') !== true) continue;
    const found = readPriority(entry.key, object);
    if (best === undefined || found.value < best.value) best = found;
  }
  return best;
}

const readPriority = (className: string, object: JsonObject): Priority => ({
  className,
  value: Number(own(object, 'value') ?? 0),
  policy: stringAt(object, 'preemptionPolicy') ?? USUAL_POLICY,
});

function give(request: AdmissionRequest, spec: JsonObject, { className, value, policy }: Priority): void {
  const [givenValue, givenPolicy] = [own(spec, 'priority') ?? null, own(spec, 'preemptionPolicy') ?? null];
  if (givenValue !== null && givenValue !== value) throw refused(request, contradiction('integer', 'priority', givenValue, value));
  if (givenPolicy !== null && givenPolicy !== policy)
    throw refused(request, contradiction('string', 'PreemptionPolicy', givenPolicy, policy));
  if (className !== '') spec['priorityClassName'] = className;
  spec['priority'] = value;
  spec['preemptionPolicy'] = policy;
}

const contradiction = (type: string, member: string, given: unknown, computed: number | string): string =>
  `the ${type} value of ${member} (${String(given)}) must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`;

const isClass = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === 'scheduling.platform.io' && row.resource === 'priorityclasses' && subresource === undefined;

/** Judges changes of the classes themselves. */
export function priorityClasses(classes: () => PriorityClasses): ValidatingPlugin {
  const system = systemPriorities();
  return {
    name: NAME,
    handles: () => true,
    inspectsObject: (question) => question.operation !== 'DELETE' && isClass(question),
    validate(request) {
      if (request.operation === 'DELETE') return system.validate(request);
      const { object } = request;
      if (!isClass(request) || object === undefined || own(object, 'globalDefault') !== true) return undefined;
      const other = defaultAmong(classes())?.className;
      if (other === undefined || other === stringAt(readMetadata(object), 'name')) return undefined;
      throw refused(request, `PriorityClass ${other} is already marked as default. Only one default can exist`);
    },
  };
}
