/**
 * RuntimeClass: gives a pod the overhead, node selector and tolerations of its RuntimeClass. Rejects a pod when its
 * class does not exist or its overhead differs from that of the class.
 */
import { otherQualifiedName } from '../../../../shared/names/dialect';
import { compareQuantities } from '../../../../shared/values/quantity';
import { arrayAt, equalJson, isEmptyObject, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { ON_CREATE, podMutatingPlugin, podValidatingPlugin, newForbidden } from '../../pod-plugin';

type GetRuntimeClass = (name: string) => Entry | undefined;

const NAME = 'RuntimeClass';

export function runtimeClass(getClass: GetRuntimeClass): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  return {
    mutating: podMutatingPlugin(NAME, ON_CREATE, (request, spec) => {
      const classObject = runtimeClassOf(request, spec, getClass);
      if (classObject === undefined) return;
      setOverhead(request, spec, overheadOf(classObject));
      mergeScheduling(request, spec, objectAt(classObject, 'scheduling') ?? {});
    }),
    validating: podValidatingPlugin(NAME, ON_CREATE, (request, spec) => {
      const classObject = runtimeClassOf(request, spec, getClass);
      const podOverhead = objectAt(spec, 'overhead') ?? {};
      if (!isEmptyObject(podOverhead) && (classObject === undefined || isEmptyObject(overheadOf(classObject))))
        throw newForbidden(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }),
  };
}

function runtimeClassOf(request: AdmissionRequest, spec: JsonObject, getClass: GetRuntimeClass): JsonObject | undefined {
  const name = stringAt(spec, 'runtimeClassName');
  if (name === undefined) return undefined;
  const entry = getClass(name);
  if (entry === undefined) throw newForbidden(request, `pod rejected: RuntimeClass "${name}" not found`);
  return parseEntry(entry).object;
}

const overheadOf = (classObject: JsonObject): JsonObject => objectAt(objectAt(classObject, 'overhead'), 'podFixed') ?? {};

function setOverhead(request: AdmissionRequest, spec: JsonObject, overhead: JsonObject): void {
  if (isEmptyObject(overhead)) return;
  const podOverhead = objectAt(spec, 'overhead') ?? {};
  if (!isEmptyObject(podOverhead) && !isSameOverhead(podOverhead, overhead))
    throw newForbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  spec['overhead'] = { ...overhead };
}

function isSameOverhead(podOverhead: JsonObject, overhead: JsonObject): boolean {
  const names = Object.keys(overhead);
  return (
    names.length === Object.keys(podOverhead).length &&
    names.every((name) => {
      const [a, b] = [stringAt(podOverhead, name), stringAt(overhead, name)];
      return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
    })
  );
}

function mergeScheduling(request: AdmissionRequest, spec: JsonObject, scheduling: JsonObject): void {
  const classSelector = objectAt(scheduling, 'nodeSelector') ?? {};
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  for (const label of Object.keys(classSelector)) {
    const [classValue, podValue] = [
      stringAt(classSelector, label) ?? '',
      stringAt(selector, label) ?? stringAt(selector, otherQualifiedName(label) ?? label),
    ];
    if (podValue !== undefined && podValue !== classValue)
      throw newForbidden(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${label}] = ${classValue}; pod.spec.nodeSelector[${label}] = ${podValue}`,
      );
  }
  if (!isEmptyObject(classSelector)) spec['nodeSelector'] = { ...selector, ...classSelector };
  const tolerations = arrayAt(spec, 'tolerations') ?? [];
  const missing = (arrayAt(scheduling, 'tolerations') ?? []).filter(
    (toleration) => !tolerations.some((existing) => equalJson(existing, toleration)),
  );
  if (missing.length > 0) spec['tolerations'] = [...tolerations, ...missing];
}
