/** The containers of a pod: what holds for all of them, and what for ordinary, init and ephemeral ones. */
import { duplicateValue, forbiddenField, invalidValue, notFoundValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { isEmptyObject } from '../../../../shared/values/json';
import { checkDnsLabel } from '../../../../shared/values/name-formats';
import { checkChoice, checkRequired, checkRequiredChoice, forbidSet, isSet, type Errors } from '../../rules/checks';
import { checkVariables } from './environment';
import { checkLifecycle, checkProbe } from './handlers';
import { checkMounts, type Volumes } from './mounts';
import { checkHostNetworkPorts, checkHostPorts, checkPorts } from './ports';
import { checkResources } from './resources';
import { checkSecurityContext } from './security-context';
import type { CoreV1Container, CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** What the rules of one container need to know of its pod. */
interface Surroundings {
  readonly volumes: Volumes;
  readonly grace: number | bigint;
  /** The names of the containers so far. */
  readonly names: Set<string>;
}

export function checkContainers(spec: CoreV1PodSpec, place: string, volumes: Volumes, errors: Errors): void {
  const around = { volumes, grace: spec.terminationGracePeriodSeconds ?? 0, names: new Set<string>() };
  const containers = spec.containers ?? [];
  const field = `${place}.containers`;
  if (containers.length === 0) errors.push(requiredValue(field));
  containers.forEach((container, index) => checkContainer(container, `${field}[${index}]`, around, errors));
  const taken = new Set<string>();
  containers.forEach((container, index) => checkHostPorts(container, `${field}[${index}]`, taken, errors));
  const initial = spec.initContainers ?? [];
  initial.forEach((container, index) => checkInitContainer(container, `${place}.initContainers[${index}]`, around, errors));
  checkEphemeralContainers(spec, place, around, errors);
  if (spec.hostNetwork === true) {
    containers.forEach((container, index) => checkHostNetworkPorts(container, `${field}[${index}]`, errors));
  }
}

function checkContainer(container: CoreV1Container, place: string, around: Surroundings, errors: Errors): void {
  checkCommon(container, place, around, errors);
  checkUnique(container, place, around, errors);
  checkLifecycle(container, place, around.grace, errors);
  for (const probe of PROBES) checkProbe(container, probe, place, errors);
  if (isSet(container, 'restartPolicy')) {
    errors.push(forbiddenField(`${place}.restartPolicy`, 'may not be set for non-init containers'));
  }
}

const RESTARTABLE_ONLY = ['lifecycle', ...PROBES] as const;

function checkInitContainer(container: CoreV1Container, place: string, around: Surroundings, errors: Errors): void {
  checkCommon(container, place, around, errors);
  checkChoice(container, 'restartPolicy', place, ['Always'], errors);
  checkUnique(container, place, around, errors);
  checkHostPorts(container, place, new Set(), errors);
  if (container.restartPolicy !== 'Always') {
    forbidSet(container, RESTARTABLE_ONLY, place, 'may not be set for init containers without restartPolicy=Always', errors);
    return;
  }
  checkLifecycle(container, place, around.grace, errors);
  for (const probe of PROBES) checkProbe(container, probe, place, errors);
}

/** What asks for guarantees that an ephemeral container does not get. */
const NOT_EPHEMERAL = ['restartPolicy', ...PROBES, 'lifecycle'] as const;
const EPHEMERAL_TEXT = 'cannot be set for an Ephemeral Container';

function checkEphemeralContainers(spec: CoreV1PodSpec, place: string, around: Surroundings, errors: Errors): void {
  const ephemeral = spec.ephemeralContainers ?? [];
  if (ephemeral.length === 0) return;
  const targets = new Set(around.names);
  ephemeral.forEach((container, index) => {
    const field = `${place}.ephemeralContainers[${index}]`;
    checkCommon(container, field, around, errors);
    const image = container.image ?? '';
    if (image !== image.trim()) errors.push(spacedImage(`${field}.image`, image));
    checkUnique(container, field, around, errors);
    const target = container.targetContainerName ?? '';
    if (target !== '' && !targets.has(target)) errors.push(notFoundValue(`${field}.targetContainerName`, target));
    checkUnwanted(container, field, errors);
  });
}

function checkUnwanted(container: CoreV1Container, place: string, errors: Errors): void {
  if (container.ports !== undefined) errors.push(forbiddenField(`${place}.ports`, EPHEMERAL_TEXT));
  if (!isEmptyObject(container.resources ?? {})) errors.push(forbiddenField(`${place}.resources`, EPHEMERAL_TEXT));
  forbidSet(container, NOT_EPHEMERAL, place, EPHEMERAL_TEXT, errors);
  container.volumeMounts?.forEach((mount, index) => {
    for (const member of ['subPath', 'subPathExpr'] as const) {
      if ((mount[member] ?? '') !== '') errors.push(forbiddenField(`${place}.volumeMounts[${index}].${member}`, EPHEMERAL_TEXT));
    }
  });
}

export const spacedImage = (field: string, image: string): Errors[number] =>
  invalidValue(field, image, 'must not have leading or trailing whitespace');

function checkUnique(container: CoreV1Container, place: string, { names }: Surroundings, errors: Errors): void {
  const name = container.name ?? '';
  if (names.has(name)) errors.push(duplicateValue(`${place}.name`, name));
  names.add(name);
}

function checkCommon(container: CoreV1Container, place: string, around: Surroundings, errors: Errors): void {
  checkRequired(container, 'name', place, errors, checkDnsLabel);
  if ((container.image ?? '') === '') errors.push(requiredValue(`${place}.image`));
  checkRequiredChoice(container, 'terminationMessagePolicy', place, MESSAGE_POLICIES, errors);
  checkPorts(container, place, errors);
  checkVariables(container, place, errors);
  checkMounts(container, place, around.volumes, errors);
  checkRequiredChoice(container, 'imagePullPolicy', place, PULL_POLICIES, errors);
  checkResources(container.resources, `${place}.resources`, errors);
  checkSecurityContext(container.securityContext, `${place}.securityContext`, errors);
}
