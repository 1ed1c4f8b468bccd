/** Pods that name a runtime class get its overhead and what it says of nodes. A class that does not exist is refused, and an overhead that is not the class's. */
import { otherQualifiedName } from '../../shared/names/dialect';
import { compareQuantities } from '../../shared/values/quantity';
import { arrayAt, equalJson, isEmptyObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { NEW_PODS, podMutation, podValidation, refused } from './pod-creation';

type FindClass = (name: string) => Entry | undefined;

const NAME = 'RuntimeClass';

/** `find`: a RuntimeClass by its name. */
export function runtimeClass(find: FindClass): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  return {
    mutating: podMutation(NAME, NEW_PODS, (request, spec) => {
      const found = classOf(request, spec, find);
      if (found === undefined) return;
      giveOverhead(request, spec, overheadOf(found));
      place(request, spec, objectAt(found, 'scheduling') ?? {});
    }),
    validating: podValidation(NAME, NEW_PODS, (request, spec) => {
      const found = classOf(request, spec, find);
      const given = objectAt(spec, 'overhead') ?? {};
      if (!isEmptyObject(given) && (found === undefined || isEmptyObject(overheadOf(found))))
        throw refused(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }),
  };
}

function classOf(request: AdmissionRequest, spec: JsonObject, find: FindClass): JsonObject | undefined {
  const name = stringAt(spec, 'runtimeClassName');
  if (name === undefined) return undefined;
  const entry = find(name);
  if (entry === undefined) throw refused(request, `pod rejected: RuntimeClass "${name}" not found`);
  return parseEntry(entry).object;
}

const overheadOf = (found: JsonObject): JsonObject => objectAt(objectAt(found, 'overhead'), 'podFixed') ?? {};

function giveOverhead(request: AdmissionRequest, spec: JsonObject, overhead: JsonObject): void {
  if (isEmptyObject(overhead)) return;
  const given = objectAt(spec, 'overhead') ?? {};
  if (!isEmptyObject(given) && !isSame(given, overhead))
    throw refused(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  spec['overhead'] = { ...overhead };
}

function isSame(given: JsonObject, overhead: JsonObject): boolean {
  const names = Object.keys(overhead);
  return (
    names.length === Object.keys(given).length &&
    names.every((name) => {
      const [a, b] = [stringAt(given, name), stringAt(overhead, name)];
      return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
    })
  );
}

function place(request: AdmissionRequest, spec: JsonObject, scheduling: JsonObject): void {
  const wanted = objectAt(scheduling, 'nodeSelector') ?? {};
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  for (const label of Object.keys(wanted)) {
    const [theirs, own] = [
      stringAt(wanted, label) ?? '',
      stringAt(selector, label) ?? stringAt(selector, otherQualifiedName(label) ?? label),
    ];
    if (own !== undefined && own !== theirs)
      throw refused(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${label}] = ${theirs}; pod.spec.nodeSelector[${label}] = ${own}`,
      );
  }
  if (!isEmptyObject(wanted)) spec['nodeSelector'] = { ...selector, ...wanted };
  const tolerations = arrayAt(spec, 'tolerations') ?? [];
  const more = (arrayAt(scheduling, 'tolerations') ?? []).filter((toleration) => !tolerations.some((own) => equalJson(own, toleration)));
  if (more.length > 0) spec['tolerations'] = [...tolerations, ...more];
}
