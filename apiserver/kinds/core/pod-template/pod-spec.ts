/**
 * What the spec of a Pod may look like, wherever it stands: in a Pod or in the template of a workload. Errors come in upstream's order. Never
 * judges metadata, nor what only a Pod or only a template may not have.
 */
import { duplicateValue } from '../../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { checkAffinity } from './affinity';
import { checkFormat, checkLabelKey, checkOptional, checkRequiredChoice, type Errors } from '../../rules/checks';
import { checkRange } from '../../rules/numbers';
import { checkContainers } from './containers';
import { checkDnsConfig, checkDnsPolicy, checkHostAliases } from './dns';
import { checkHostProcess } from './host-process';
import { checkOperatingSystem } from './operating-system';
import { checkResources } from './resources';
import { checkPodSecurityContext } from './security-context';
import { checkSpread } from './spread';
import { checkTolerations } from './tolerations';
import { checkVolumes } from './volumes';
import type { CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

/** `place` = the path of the spec (`spec`, `spec.template.spec`). */
export function checkPodSpec(spec: CoreV1PodSpec, place: string, podName: string | undefined, errors: Errors): void {
  const volumes = checkVolumes(spec, place, podName, errors);
  checkContainers(spec, place, volumes, errors);
  checkRequiredChoice(spec, 'restartPolicy', place, ['Always', 'OnFailure', 'Never'], errors);
  checkDnsPolicy(spec, place, errors);
  const selector = spec.nodeSelector;
  if (selector !== undefined) validateLabels(selector, `${place}.nodeSelector`, errors);
  checkPodSecurityContext(spec, place, errors);
  checkAffinity(spec, place, errors);
  checkDnsConfig(spec, place, errors);
  checkGates(spec, place, errors);
  checkSpread(spec, place, errors);
  checkHostProcess(spec, place, errors);
  checkNames(spec, place, errors);
  checkTolerations(spec.tolerations ?? [], `${place}.tolerations`, errors);
  checkHostAliases(spec, place, errors);
  checkScheduling(spec, place, errors);
  checkOperatingSystem(spec, place, errors);
}

function checkGates(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  spec.readinessGates?.forEach((gate, index) =>
    checkLabelKey(gate.conditionType ?? '', `${place}.readinessGates[${index}].conditionType`, errors),
  );
  const names = new Set<string>();
  spec.schedulingGates?.forEach((gate, index) => {
    const field = `${place}.schedulingGates[${index}]`;
    const name = gate.name ?? '';
    checkLabelKey(name, field, errors);
    if (names.has(name)) errors.push(duplicateValue(field, name));
    names.add(name);
  });
}

const LONGEST_DEADLINE = 2_147_483_647;

function checkNames(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  checkOptional(spec, 'serviceAccountName', place, errors, checkDnsSubdomain);
  checkOptional(spec, 'nodeName', place, errors, checkDnsSubdomain);
  checkRange(spec.activeDeadlineSeconds, `${place}.activeDeadlineSeconds`, 1, LONGEST_DEADLINE, errors);
  checkOptional(spec, 'hostname', place, errors, checkDnsLabel);
  checkOptional(spec, 'subdomain', place, errors, checkDnsLabel);
}

const PREEMPTION = ['PreemptLowerPriority', 'Never'];

function checkScheduling(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  checkOptional(spec, 'priorityClassName', place, errors, checkDnsSubdomain);
  const runtime = spec.runtimeClassName;
  if (runtime !== undefined) checkFormat(runtime, `${place}.runtimeClassName`, checkDnsSubdomain, errors);
  if (spec.preemptionPolicy !== undefined) checkRequiredChoice(spec, 'preemptionPolicy', place, PREEMPTION, errors);
  const overhead = spec.overhead;
  if (overhead !== undefined) checkResources({ limits: overhead }, `${place}.overhead`, errors);
}
