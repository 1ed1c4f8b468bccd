/**
 * Validates Pod specs, in Pods and in templates, in upstream's order. Does not validate metadata, nor the rules that
 * apply only to Pods or only to templates.
 */
import { duplicateValue } from '../../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { checkAffinity } from './affinity';
import { checkFormat, checkLabelKey, checkIfNotEmpty, checkRequiredEnum, type Errors } from '../../rules/checks';
import { checkRange } from '../../rules/numbers';
import { checkContainers } from './containers/containers';
import { checkDnsConfig, checkDnsPolicy, checkHostAliases } from './dns';
import { checkHostProcess } from './containers/host-process';
import { checkOperatingSystem } from './operating-system';
import { checkResources } from './containers/resources';
import { checkPodSecurityContext } from './containers/security-context';
import { checkTopologySpreadConstraints } from './topology-spread';
import { checkTolerations } from './tolerations';
import { checkVolumes } from './volumes/volumes';
import type { CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

/** `fieldPath` is the path of the spec (`spec`, `spec.template.spec`). `podName` is `undefined` in templates. */
export function checkPodSpec(spec: CoreV1PodSpec, fieldPath: string, podName: string | undefined, errors: Errors): void {
  const volumes = checkVolumes(spec, fieldPath, podName, errors);
  checkContainers(spec, fieldPath, volumes, errors);
  checkRequiredEnum(spec, 'restartPolicy', fieldPath, ['Always', 'OnFailure', 'Never'], errors);
  checkDnsPolicy(spec, fieldPath, errors);
  const selector = spec.nodeSelector;
  if (selector !== undefined) validateLabels(selector, `${fieldPath}.nodeSelector`, errors);
  checkPodSecurityContext(spec, fieldPath, errors);
  checkAffinity(spec, fieldPath, errors);
  checkDnsConfig(spec, fieldPath, errors);
  checkGates(spec, fieldPath, errors);
  checkTopologySpreadConstraints(spec, fieldPath, errors);
  checkHostProcess(spec, fieldPath, errors);
  checkNamesAndDeadline(spec, fieldPath, errors);
  checkTolerations(spec.tolerations ?? [], `${fieldPath}.tolerations`, errors);
  checkHostAliases(spec, fieldPath, errors);
  checkScheduling(spec, fieldPath, errors);
  checkOperatingSystem(spec, fieldPath, errors);
}

function checkGates(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  spec.readinessGates?.forEach((gate, index) =>
    checkLabelKey(gate.conditionType ?? '', `${fieldPath}.readinessGates[${index}].conditionType`, errors),
  );
  const names = new Set<string>();
  spec.schedulingGates?.forEach((gate, index) => {
    const field = `${fieldPath}.schedulingGates[${index}]`;
    const name = gate.name ?? '';
    checkLabelKey(name, field, errors);
    if (names.has(name)) errors.push(duplicateValue(field, name));
    names.add(name);
  });
}

const MAX_DEADLINE_SECONDS = 2_147_483_647;

function checkNamesAndDeadline(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  checkIfNotEmpty(spec, 'serviceAccountName', fieldPath, errors, checkDnsSubdomain);
  checkIfNotEmpty(spec, 'nodeName', fieldPath, errors, checkDnsSubdomain);
  checkRange(spec.activeDeadlineSeconds, `${fieldPath}.activeDeadlineSeconds`, 1, MAX_DEADLINE_SECONDS, errors);
  checkIfNotEmpty(spec, 'hostname', fieldPath, errors, checkDnsLabel);
  checkIfNotEmpty(spec, 'subdomain', fieldPath, errors, checkDnsLabel);
}

const PREEMPTION = ['PreemptLowerPriority', 'Never'];

function checkScheduling(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  checkIfNotEmpty(spec, 'priorityClassName', fieldPath, errors, checkDnsSubdomain);
  const runtime = spec.runtimeClassName;
  if (runtime !== undefined) checkFormat(runtime, `${fieldPath}.runtimeClassName`, checkDnsSubdomain, errors);
  if (spec.preemptionPolicy !== undefined) checkRequiredEnum(spec, 'preemptionPolicy', fieldPath, PREEMPTION, errors);
  const overhead = spec.overhead;
  if (overhead !== undefined) checkResources({ limits: overhead }, `${fieldPath}.overhead`, errors);
}
