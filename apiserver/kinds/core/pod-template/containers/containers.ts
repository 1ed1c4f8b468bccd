/**
 * Validates ordinary, init and ephemeral containers: names are unique among all of them, host ports among the ordinary
 * ones and within each init container. The parts of a container are validated by the other files of this folder.
 */
import { duplicateValue, forbiddenField, invalidValue, notFoundValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { isEmptyObject } from '../../../../../shared/values/json';
import { checkDnsLabel } from '../../../../../shared/values/name-formats';
import { checkEnum, checkRequired, checkRequiredEnum, forbidMembers, isSet, type Errors } from '../../../rules/checks';
import { checkEnv } from './environment';
import { checkLifecycle, checkProbe } from './handlers';
import { checkVolumeMounts, type VolumesByName } from '../volumes/volume-mounts';
import { checkHostNetworkPorts, checkHostPorts, checkContainerPorts } from './ports';
import { checkResources } from './resources';
import { checkSecurityContext } from './security-context';
import type { CoreV1Container, CoreV1PodSpec } from '../../../../../shared/api/types/generated/members';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const TERMINATION_MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** The parts of a Pod that the rules of its containers need. */
interface PodContext {
  readonly volumes: VolumesByName;
  /** The termination grace period in seconds. */
  readonly gracePeriod: number | bigint;
  /** Names of the containers seen so far. */
  readonly names: Set<string>;
}

/** `volumes`: the valid volumes of the Pod. `fieldPath` is the path of the spec. */
export function checkContainers(spec: CoreV1PodSpec, fieldPath: string, volumes: VolumesByName, errors: Errors): void {
  const pod = { volumes, gracePeriod: spec.terminationGracePeriodSeconds ?? 0, names: new Set<string>() };
  const containers = spec.containers ?? [];
  const field = `${fieldPath}.containers`;
  if (containers.length === 0) errors.push(requiredValue(field));
  containers.forEach((container, index) => checkContainer(container, `${field}[${index}]`, pod, errors));
  const usedHostPorts = new Set<string>();
  containers.forEach((container, index) => checkHostPorts(container, `${field}[${index}]`, usedHostPorts, errors));
  const initContainers = spec.initContainers ?? [];
  initContainers.forEach((container, index) => checkInitContainer(container, `${fieldPath}.initContainers[${index}]`, pod, errors));
  checkEphemeralContainers(spec, fieldPath, pod, errors);
  if (spec.hostNetwork === true) {
    containers.forEach((container, index) => checkHostNetworkPorts(container, `${field}[${index}]`, errors));
  }
}

function checkContainer(container: CoreV1Container, fieldPath: string, pod: PodContext, errors: Errors): void {
  checkSharedMembers(container, fieldPath, pod, errors);
  checkUniqueName(container, fieldPath, pod, errors);
  checkLifecycle(container, fieldPath, pod.gracePeriod, errors);
  for (const probe of PROBES) checkProbe(container, probe, fieldPath, errors);
  if (isSet(container, 'restartPolicy')) {
    errors.push(forbiddenField(`${fieldPath}.restartPolicy`, 'may not be set for non-init containers'));
  }
}

/** Members that an init container may have only with `restartPolicy: Always`. */
const RESTARTABLE_ONLY = ['lifecycle', ...PROBES] as const;

function checkInitContainer(container: CoreV1Container, fieldPath: string, pod: PodContext, errors: Errors): void {
  checkSharedMembers(container, fieldPath, pod, errors);
  checkEnum(container, 'restartPolicy', fieldPath, ['Always'], errors);
  checkUniqueName(container, fieldPath, pod, errors);
  checkHostPorts(container, fieldPath, new Set(), errors);
  if (container.restartPolicy !== 'Always') {
    forbidMembers(container, RESTARTABLE_ONLY, fieldPath, 'may not be set for init containers without restartPolicy=Always', errors);
    return;
  }
  checkLifecycle(container, fieldPath, pod.gracePeriod, errors);
  for (const probe of PROBES) checkProbe(container, probe, fieldPath, errors);
}

/** Members that ephemeral containers do not support. */
const FORBIDDEN_IN_EPHEMERAL = ['restartPolicy', ...PROBES, 'lifecycle'] as const;
const NOT_IN_EPHEMERAL_TEXT = 'cannot be set for an Ephemeral Container';

function checkEphemeralContainers(spec: CoreV1PodSpec, fieldPath: string, pod: PodContext, errors: Errors): void {
  const ephemeral = spec.ephemeralContainers ?? [];
  if (ephemeral.length === 0) return;
  // Copied before the ephemeral containers add their names: they cannot target each other.
  const targets = new Set(pod.names);
  ephemeral.forEach((container, index) => {
    const field = `${fieldPath}.ephemeralContainers[${index}]`;
    checkSharedMembers(container, field, pod, errors);
    const image = container.image ?? '';
    if (image !== image.trim()) errors.push(imageWhitespaceError(`${field}.image`, image));
    checkUniqueName(container, field, pod, errors);
    const target = container.targetContainerName ?? '';
    if (target !== '' && !targets.has(target)) errors.push(notFoundValue(`${field}.targetContainerName`, target));
    checkForbiddenInEphemeral(container, field, errors);
  });
}

function checkForbiddenInEphemeral(container: CoreV1Container, fieldPath: string, errors: Errors): void {
  if (container.ports !== undefined) errors.push(forbiddenField(`${fieldPath}.ports`, NOT_IN_EPHEMERAL_TEXT));
  if (!isEmptyObject(container.resources ?? {})) errors.push(forbiddenField(`${fieldPath}.resources`, NOT_IN_EPHEMERAL_TEXT));
  forbidMembers(container, FORBIDDEN_IN_EPHEMERAL, fieldPath, NOT_IN_EPHEMERAL_TEXT, errors);
  container.volumeMounts?.forEach((mount, index) => {
    for (const member of ['subPath', 'subPathExpr'] as const) {
      if ((mount[member] ?? '') !== '') errors.push(forbiddenField(`${fieldPath}.volumeMounts[${index}].${member}`, NOT_IN_EPHEMERAL_TEXT));
    }
  });
}

export const imageWhitespaceError = (field: string, image: string): Errors[number] =>
  invalidValue(field, image, 'must not have leading or trailing whitespace');

function checkUniqueName(container: CoreV1Container, fieldPath: string, { names }: PodContext, errors: Errors): void {
  const name = container.name ?? '';
  if (names.has(name)) errors.push(duplicateValue(`${fieldPath}.name`, name));
  names.add(name);
}

/** Checks the members that all three sorts of containers have; that names are unique is left to {@link checkUniqueName}. */
function checkSharedMembers(container: CoreV1Container, fieldPath: string, pod: PodContext, errors: Errors): void {
  checkRequired(container, 'name', fieldPath, errors, checkDnsLabel);
  if ((container.image ?? '') === '') errors.push(requiredValue(`${fieldPath}.image`));
  checkRequiredEnum(container, 'terminationMessagePolicy', fieldPath, TERMINATION_MESSAGE_POLICIES, errors);
  checkContainerPorts(container, fieldPath, errors);
  checkEnv(container, fieldPath, errors);
  checkVolumeMounts(container, fieldPath, pod.volumes, errors);
  checkRequiredEnum(container, 'imagePullPolicy', fieldPath, PULL_POLICIES, errors);
  checkResources(container.resources, `${fieldPath}.resources`, errors);
  checkSecurityContext(container.securityContext, `${fieldPath}.securityContext`, errors);
}
