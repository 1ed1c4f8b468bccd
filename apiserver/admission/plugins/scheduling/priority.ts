/**
 * Priority: sets the priority and preemption policy of a pod from its PriorityClass, or from the default one, and
 * rejects pods that state other values. Also rejects a second default PriorityClass and the deletion of system classes.
 */
import type { CoreV1PodSpec, SchedulingV1PriorityClass } from '../../../../shared/api/types/generated/members';
import { forbidden } from '../../../../shared/api/errors/status';
import type { Entry } from '../../../cache/cache';
import { SYSTEM_PRIORITY_CLASSES } from '../../../kinds/scheduling/priority-class';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';
import { podMutatingPlugin, ON_CREATE_OR_UPDATE } from '../../pod-plugin';

const NAME = 'Priority';
const DEFAULT_PREEMPTION_POLICY = 'PreemptLowerPriority';
/** Part of the stored bytes of every default class: other classes are skipped without being parsed. */
const DEFAULT_BYTES = Buffer.from('"globalDefault":true');

/** The current PriorityClasses. */
export interface PriorityClasses {
  get(name: string): Entry | undefined;
  range(): Iterable<Entry>;
}

/** The values that a pod gets from its PriorityClass. */
interface Priority {
  /** '' when there is no class. */
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

/** The half for pods. */
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

/** The values of the named class, or of the default one. Throws when the class does not exist. */
function priorityOf(request: AdmissionRequest, className: string, classes: PriorityClasses): Priority {
  if (className === '') return defaultPriority(classes) ?? { className, value: 0, preemptionPolicy: DEFAULT_PREEMPTION_POLICY };
  const entry = classes.get(className);
  if (entry === undefined) throw newForbidden(request, `no PriorityClass with name ${className} was found`);
  return readPriority(className, parseEntry(entry).object);
}

/** The class with `globalDefault`. Several exist only after a race between two writes; then the lowest value is used. */
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

/** Throws when the pod states other values. */
function setPriority(request: AdmissionRequest, spec: CoreV1PodSpec, { className, value, preemptionPolicy }: Priority): void {
  const { priority: podValue, preemptionPolicy: podPolicy } = spec;
  if (podValue !== undefined && podValue !== value) throw newForbidden(request, contradictionText('integer', 'priority', podValue, value));
  if (podPolicy !== undefined && podPolicy !== preemptionPolicy)
    throw newForbidden(request, contradictionText('string', 'PreemptionPolicy', podPolicy, preemptionPolicy));
  if (className !== '') spec.priorityClassName = className;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

/** The error about a pod that states another value than its class. */
const contradictionText = (type: string, member: string, podValue: number | string, computed: number | string): string =>
  `the ${type} value of ${member} (${podValue}) must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`;

/** The half for PriorityClasses. */
export function priorityClassValidation(classes: () => PriorityClasses): ValidatingPlugin {
  return {
    name: NAME,
    handles: () => true,
    inspectsObject: (target) => target.operation !== 'DELETE' && isPriorityClass(target),
    validate(request) {
      if (!isPriorityClass(request)) return undefined;
      if (request.operation === 'DELETE') rejectSystemClassDeletion(request);
      else rejectSecondDefault(request, classes);
      return undefined;
    },
  };
}

const isPriorityClass = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === 'scheduling.platform.io' && row.resource === 'priorityclasses' && subresource === undefined;

/** Rejects by name alone, so that the class need not be stored. */
function rejectSystemClassDeletion({ resource, name }: AdmissionRequest): void {
  const { group, resource: plural } = resource.row;
  if (SYSTEM_PRIORITY_CLASSES.has(name))
    throw forbidden({ group, resource: plural }, name, 'this is a system priority class and cannot be deleted');
}

/** Throws for a default class when another class is the default already. */
function rejectSecondDefault(request: AdmissionRequest<SchedulingV1PriorityClass>, classes: () => PriorityClasses): void {
  const { object } = request;
  if (object?.globalDefault !== true) return;
  const currentDefault = defaultPriority(classes())?.className;
  if (currentDefault === undefined || currentDefault === object.metadata?.name) return;
  throw newForbidden(request, `PriorityClass ${currentDefault} is already marked as default. Only one default can exist`);
}
