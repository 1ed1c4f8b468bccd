/**
 * Priority: sets the priority and preemption policy of a pod from its PriorityClass or the default one, and rejects
 * other values. Also keeps the default PriorityClass unique and the system classes undeletable.
 */
import type { CoreV1PodSpec, SchedulingV1PriorityClass } from '../../../../shared/api/types/generated/members';
import { forbidden } from '../../../../shared/api/errors/status';
import type { Entry } from '../../../cache/cache';
import { SYSTEM_PRIORITY_CLASSES } from '../../../kinds/scheduling/priority-class';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { podMutatingPlugin, newForbidden, ON_CREATE_OR_UPDATE } from '../../pod-plugin';

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
    if (request.operation === 'UPDATE') carryOverPriority(spec, request.oldObject?.spec ?? {});
    else setPriority(request, spec, priorityOf(request, spec.priorityClassName ?? '', classes()));
  });
}

/** Keeps the values set at creation when a client that does not know the fields omits them. */
function carryOverPriority(spec: CoreV1PodSpec, { priority, preemptionPolicy }: CoreV1PodSpec): void {
  if (priority !== undefined) spec.priority ??= priority;
  if (preemptionPolicy !== undefined) spec.preemptionPolicy ??= preemptionPolicy;
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
    const object: SchedulingV1PriorityClass = parseEntry(entry).object;
    if (object.globalDefault !== true) continue;
    const candidate = readPriority(entry.key, object);
    if (lowest === undefined || candidate.value < lowest.value) lowest = candidate;
  }
  return lowest;
}

const readPriority = (
  className: string,
  { value = 0, preemptionPolicy = DEFAULT_PREEMPTION_POLICY }: SchedulingV1PriorityClass,
): Priority => ({ className, value, preemptionPolicy });

function setPriority(request: AdmissionRequest, spec: CoreV1PodSpec, { className, value, preemptionPolicy }: Priority): void {
  const { priority: givenValue, preemptionPolicy: givenPolicy } = spec;
  if (givenValue !== undefined && givenValue !== value)
    throw newForbidden(request, contradiction('integer', 'priority', givenValue, value));
  if (givenPolicy !== undefined && givenPolicy !== preemptionPolicy)
    throw newForbidden(request, contradiction('string', 'PreemptionPolicy', givenPolicy, preemptionPolicy));
  if (className !== '') spec.priorityClassName = className;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

const contradiction = (type: string, member: string, given: number | string, computed: number | string): string =>
  `the ${type} value of ${member} (${given}) must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`;

const isPriorityClass = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === 'scheduling.platform.io' && row.resource === 'priorityclasses' && subresource === undefined;

/** Rejects a second default class, and the deletion of system classes. */
export function priorityClassValidation(classes: () => PriorityClasses): ValidatingPlugin {
  const systemClassProtection = systemPriorityClassProtection();
  return {
    name: NAME,
    handles: () => true,
    inspectsObject: (target) => target.operation !== 'DELETE' && isPriorityClass(target),
    validate(request) {
      if (request.operation === 'DELETE') return systemClassProtection.validate(request);
      const { object }: AdmissionRequest<SchedulingV1PriorityClass> = request;
      if (!isPriorityClass(request) || object?.globalDefault !== true) return undefined;
      const currentDefault = defaultPriority(classes())?.className;
      if (currentDefault === undefined || currentDefault === object.metadata?.name) return undefined;
      throw newForbidden(request, `PriorityClass ${currentDefault} is already marked as default. Only one default can exist`);
    },
  };
}

/** Rejects the deletion of a system PriorityClass, whether or not it is stored. */
function systemPriorityClassProtection(): ValidatingPlugin {
  return {
    name: NAME,
    handles: (operation) => operation === 'DELETE',
    inspectsObject: () => false,
    validate({ resource: { row }, name }) {
      const { group, resource } = row;
      if (group === 'scheduling.platform.io' && resource === 'priorityclasses' && SYSTEM_PRIORITY_CLASSES.has(name)) {
        throw forbidden({ group, resource }, name, 'this is a system priority class and cannot be deleted');
      }
      return undefined;
    },
  };
}
