/**
 * Priority: sets the priority and preemption policy of a pod from its PriorityClass or the default one, and rejects
 * other values. Also keeps the default PriorityClass unique and the system classes undeletable.
 */
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { podMutatingPlugin, newForbidden, ON_CREATE_OR_UPDATE } from '../../pod-plugin';
import { systemPriorityClassProtection } from './system-priority-class-protection';

const NAME = 'Priority';
const DEFAULT_PREEMPTION_POLICY = 'PreemptLowerPriority';
const DEFAULT_BYTES = Buffer.from('"globalDefault":true');

/** The current PriorityClasses. */
export interface PriorityClasses {
  get(name: string): Entry | undefined;
  range(): Iterable<Entry>;
}

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

export function podPriority(classes: () => PriorityClasses): MutatingPlugin {
  return podMutatingPlugin(NAME, ON_CREATE_OR_UPDATE, (request, spec) => {
    if (request.operation === 'UPDATE') carryOverPriority(spec, objectAt(request.oldObject, 'spec') ?? {});
    else setPriority(request, spec, priorityOf(request, stringAt(spec, 'priorityClassName') ?? '', classes()));
  });
}

/** Keeps the values set at creation when a client that does not know the fields omits them. */
function carryOverPriority(spec: JsonObject, old: JsonObject): void {
  for (const member of ['priority', 'preemptionPolicy']) {
    const previous = own(old, member);
    if (previous !== undefined && (own(spec, member) ?? null) === null) spec[member] = previous;
  }
}

function priorityOf(request: AdmissionRequest, className: string, classes: PriorityClasses): Priority {
  if (className === '') return defaultPriority(classes) ?? { className, value: 0, preemptionPolicy: DEFAULT_PREEMPTION_POLICY };
  const entry = classes.get(className);
  if (entry === undefined) throw newForbidden(request, `no PriorityClass with name ${className} was found`);
  return readPriority(className, parseEntry(entry).object);
}

/** Only a race can create several default classes; the lowest value is used. */
function defaultPriority(classes: PriorityClasses): Priority | undefined {
  let lowest: Priority | undefined;
  for (const entry of classes.range()) {
    if (!entry.bytes.includes(DEFAULT_BYTES)) continue;
    const { object } = parseEntry(entry);
    if (own(object, 'globalDefault') !== true) continue;
    const candidate = readPriority(entry.key, object);
    if (lowest === undefined || candidate.value < lowest.value) lowest = candidate;
  }
  return lowest;
}

const readPriority = (className: string, object: JsonObject): Priority => ({
  className,
  value: Number(own(object, 'value') ?? 0),
  preemptionPolicy: stringAt(object, 'preemptionPolicy') ?? DEFAULT_PREEMPTION_POLICY,
});

function setPriority(request: AdmissionRequest, spec: JsonObject, { className, value, preemptionPolicy }: Priority): void {
  const [givenValue, givenPolicy] = [own(spec, 'priority') ?? null, own(spec, 'preemptionPolicy') ?? null];
  if (givenValue !== null && givenValue !== value) throw newForbidden(request, contradiction('integer', 'priority', givenValue, value));
  if (givenPolicy !== null && givenPolicy !== preemptionPolicy)
    throw newForbidden(request, contradiction('string', 'PreemptionPolicy', givenPolicy, preemptionPolicy));
  if (className !== '') spec['priorityClassName'] = className;
  spec['priority'] = value;
  spec['preemptionPolicy'] = preemptionPolicy;
}

const contradiction = (type: string, member: string, given: unknown, computed: number | string): string =>
  `the ${type} value of ${member} (${String(given)}) must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`;

const isPriorityClass = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === 'scheduling.platform.io' && row.resource === 'priorityclasses' && subresource === undefined;

/** Validates changes of PriorityClasses. */
export function priorityClassValidation(classes: () => PriorityClasses): ValidatingPlugin {
  const systemClassProtection = systemPriorityClassProtection();
  return {
    name: NAME,
    handles: () => true,
    inspectsObject: (question) => question.operation !== 'DELETE' && isPriorityClass(question),
    validate(request) {
      if (request.operation === 'DELETE') return systemClassProtection.validate(request);
      const { object } = request;
      if (!isPriorityClass(request) || object === undefined || own(object, 'globalDefault') !== true) return undefined;
      const currentDefault = defaultPriority(classes())?.className;
      if (currentDefault === undefined || currentDefault === stringAt(readMetadata(object), 'name')) return undefined;
      throw newForbidden(request, `PriorityClass ${currentDefault} is already marked as default. Only one default can exist`);
    },
  };
}
