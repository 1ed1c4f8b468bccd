/**
 * RuntimeClass: gives a pod the overhead, node selector and tolerations of its RuntimeClass. Rejects a pod when its
 * class does not exist or its overhead differs from that of the class.
 */
import { valueInEitherSpelling } from '../../../../shared/names/spellings';
import { compareQuantities } from '../../../../shared/values/quantity';
import type { CoreV1PodSpec, NodeV1RuntimeClass, NodeV1Scheduling } from '../../../../shared/api/types/generated/members';
import { equalJson, isEmptyObject, ownMember } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';
import { ON_CREATE, podMutatingPlugin, podValidatingPlugin } from '../../pod-plugin';

/** The class of this name from this replica's cache. */
type GetRuntimeClass = (name: string) => Entry | undefined;

const NAME = 'RuntimeClass';

/** The mutating half applies the class to new pods. The validating half rejects an overhead that no class defines. */
export function runtimeClass(getClass: GetRuntimeClass): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  return {
    mutating: podMutatingPlugin(NAME, ON_CREATE, (request, spec) => {
      const classObject = runtimeClassOf(request, spec, getClass);
      if (classObject === undefined) return;
      setOverhead(request, spec, overheadOf(classObject));
      mergeScheduling(request, spec, classObject.scheduling ?? {});
    }),
    validating: podValidatingPlugin(NAME, ON_CREATE, (request, spec) => {
      const classObject = runtimeClassOf(request, spec, getClass);
      const { overhead: podOverhead = {} } = spec;
      const hasClassOverhead = classObject !== undefined && !isEmptyObject(overheadOf(classObject));
      if (!isEmptyObject(podOverhead) && !hasClassOverhead)
        throw newForbidden(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }),
  };
}

/** `undefined` when the pod names no class. Throws when the class does not exist. */
function runtimeClassOf(
  request: AdmissionRequest,
  { runtimeClassName: name }: CoreV1PodSpec,
  getClass: GetRuntimeClass,
): NodeV1RuntimeClass | undefined {
  if (name === undefined) return undefined;
  const entry = getClass(name);
  if (entry === undefined) throw newForbidden(request, `pod rejected: RuntimeClass "${name}" not found`);
  return parseEntry(entry).object;
}

type Amounts = Readonly<Record<string, string>>;

const overheadOf = ({ overhead }: NodeV1RuntimeClass): Amounts => overhead?.podFixed ?? {};

/** Throws when the pod states another overhead than its class. */
function setOverhead(request: AdmissionRequest, spec: CoreV1PodSpec, overhead: Amounts): void {
  if (isEmptyObject(overhead)) return;
  const { overhead: podOverhead = {} } = spec;
  if (!isEmptyObject(podOverhead) && !isSameOverhead(podOverhead, overhead))
    throw newForbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  spec.overhead = { ...overhead };
}

function isSameOverhead(podOverhead: Amounts, overhead: Amounts): boolean {
  const names = Object.keys(overhead);
  if (names.length !== Object.keys(podOverhead).length) return false;
  return names.every((name) => {
    const podAmount = ownMember(podOverhead, name);
    const classAmount = ownMember(overhead, name);
    return podAmount !== undefined && classAmount !== undefined && compareQuantities(podAmount, classAmount) === 0;
  });
}

/** Adds the node selector and the tolerations of the class. Rejects the pod when it selects another value of a label. */
function mergeScheduling(request: AdmissionRequest, spec: CoreV1PodSpec, scheduling: NodeV1Scheduling): void {
  const { nodeSelector: classSelector = {} } = scheduling;
  const { nodeSelector: selector = {}, tolerations = [] } = spec;
  for (const [label, classValue] of Object.entries(classSelector)) {
    const podValue = valueInEitherSpelling(selector, label);
    if (podValue !== undefined && podValue !== classValue)
      throw newForbidden(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${label}] = ${classValue}; pod.spec.nodeSelector[${label}] = ${podValue}`,
      );
  }
  if (!isEmptyObject(classSelector)) spec.nodeSelector = { ...selector, ...classSelector };
  const missing = (scheduling.tolerations ?? []).filter((toleration) => !tolerations.some((existing) => equalJson(existing, toleration)));
  if (missing.length > 0) spec.tolerations = [...tolerations, ...missing];
}
