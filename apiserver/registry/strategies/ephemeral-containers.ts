/** `pods/ephemeralcontainers`: containers for looking into a running pod may be added, and nothing else changes. */
import { duplicate, forbiddenField, invalidValue, notFoundValue, required, type FieldError } from '../../../shared/api/field-error';
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { dnsLabel } from '../../../shared/api/names';

const FIELD = 'spec.ephemeralContainers';

/** What asks for guarantees that such a container does not get. */
const NOT_FOR_THEM = ['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'resizePolicy', 'restartPolicy'];

export function validateEphemeralContainers(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const [now, before] = [containers(pod, 'ephemeralContainers'), containers(old, 'ephemeralContainers')];
  const ofState = stateErrors(pod, now);
  return ofState.length > 0 ? ofState : changeErrors(now, before);
}

function containers(pod: JsonObject, member: string): readonly JsonObject[] {
  return (arrayAt(objectAt(pod, 'spec'), member) ?? []).filter(isObject);
}

const nameOf = (container: JsonObject): string => stringAt(container, 'name') ?? '';

function stateErrors(pod: JsonObject, ephemeral: readonly JsonObject[]): readonly FieldError[] {
  const targets = new Set([...containers(pod, 'containers'), ...containers(pod, 'initContainers')].map(nameOf));
  const volumes = new Set(containers(pod, 'volumes').map(nameOf));
  const taken = new Set(targets);
  return ephemeral.flatMap((container, index) => {
    const at = `${FIELD}[${index}]`;
    const name = nameOf(container);
    const target = stringAt(container, 'targetContainerName') ?? '';
    const errors = [
      ...nameErrors(`${at}.name`, name, taken),
      ...((stringAt(container, 'image') ?? '') === '' ? [required(`${at}.image`)] : []),
      ...mountErrors(container, volumes, at),
      ...(target === '' || targets.has(target) ? [] : [notFoundValue(`${at}.targetContainerName`, target)]),
      ...unwanted(container).map((member) => forbiddenField(`${at}.${member}`, 'cannot be set for an Ephemeral Container')),
    ];
    taken.add(name);
    return errors;
  });
}

function nameErrors(field: string, name: string, taken: ReadonlySet<string>): readonly FieldError[] {
  if (name === '') return [required(field)];
  const faults = dnsLabel(name).map((text) => invalidValue(field, name, text));
  return taken.has(name) ? [...faults, duplicate(field, name)] : faults;
}

function unwanted(container: JsonObject): readonly string[] {
  const resources = objectAt(container, 'resources') ?? {};
  return [...NOT_FOR_THEM.filter((member) => isSet(container, member)), ...(Object.keys(resources).length > 0 ? ['resources'] : [])];
}

function isSet(container: JsonObject, member: string): boolean {
  const value = own(container, member);
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function mountErrors(container: JsonObject, volumes: ReadonlySet<string>, at: string): readonly FieldError[] {
  return (arrayAt(container, 'volumeMounts') ?? []).filter(isObject).flatMap((mount, index) => {
    const field = `${at}.volumeMounts[${index}]`;
    const missing = volumes.has(nameOf(mount)) ? [] : [notFoundValue(`${field}.name`, nameOf(mount))];
    const below = ['subPath', 'subPathExpr'].filter((member) => (stringAt(mount, member) ?? '') !== '');
    return [...missing, ...below.map((member) => forbiddenField(`${field}.${member}`, 'cannot be set for an Ephemeral Container'))];
  });
}

function changeErrors(now: readonly JsonObject[], before: readonly JsonObject[]): readonly FieldError[] {
  return before.flatMap((old) => {
    const kept = now.find((container) => nameOf(container) === nameOf(old));
    if (kept !== undefined && equalJson(kept, old)) return [];
    return [
      forbiddenField(FIELD, `existing ephemeral containers "${nameOf(old)}" may not be ${kept === undefined ? 'removed' : 'changed'}\n`),
    ];
  });
}
