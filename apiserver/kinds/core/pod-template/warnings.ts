/**
 * What is worth a warning about a pod or a template that is stored nevertheless, in upstream's order and words: what is deprecated or without effect,
 * what hides something, what can hardly be meant.
 */
import { appendAll } from '../../../../shared/values/append';
import { quote } from '../../../../shared/values/quote';
import { parseQuantity } from '../../../../shared/values/quantity';
import { oldLabelsOf, warnOfKey, warnOfNodeSelector, warnOfNodeSelectorTerm } from '../node/old-labels';
import { byMeaning, knownAnnotations } from './annotations';
import { warnOfOldSources } from './old-sources';
import { portWarnings } from './port-warnings';
import { stringAt } from '../../../../shared/values/json';
import type {
  CoreV1Container,
  CoreV1PodAffinityTerm,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
} from '../../../../shared/api/types/generated/members';

type Warnings = string[];

/** `place` = the path of the object that has metadata and spec, with a dot; '' for a Pod. */
export function podWarnings(object: CoreV1PodTemplateSpec, place: string): readonly string[] {
  const spec = object.spec ?? {};
  const at = `${place}spec`;
  const known = byMeaning(knownAnnotations(object.metadata?.annotations));
  const warnings: Warnings = [];
  warnOfLabels(spec, at, warnings);
  warnOfNodeAffinity(spec, at, warnings);
  warnOfSpread(spec, at, warnings);
  const annotated = (text: string, ...names: readonly string[]): void => {
    for (const name of names) {
      const found = known.get(name);
      if (found !== undefined) warnings.push(`${place}metadata.annotations[${found.key}]: ${text}`);
    }
  };
  annotated('non-functional in v1.16+; use the "priorityClassName" field instead', 'scheduler.alpha.platform.io/critical-pod');
  annotated(
    'non-functional in v1.11+; use the "sysctls" field instead',
    'security.alpha.platform.io/sysctls',
    'security.alpha.platform.io/unsafe-sysctls',
  );
  warnOfVolumes(spec, at, warnings);
  warnOfRepetition(spec, at, warnings);
  warnOfFractions(spec.overhead, ['memory', 'ephemeral-storage'], `${at}.overhead`, warnings);
  if (spec.securityContext?.seccompProfile === undefined) {
    annotated(OLD_SECCOMP, 'seccomp.security.alpha.platform.io/pod');
  }
  for (const list of ['initContainers', 'containers'] as const) {
    spec[list]?.forEach((container, index) => {
      const name = container.name ?? '';
      const context = container.securityContext;
      if (context?.seccompProfile === undefined) annotated(OLD_SECCOMP, `container.seccomp.security.alpha.platform.io/${name}`);
      if (place !== '' && context?.appArmorProfile === undefined) {
        annotated(OLD_APP_ARMOR, `container.apparmor.security.beta.platform.io/${name}`);
      }
      warnOfContainer(container, `${at}.${list}[${index}]`, warnings);
    });
  }
  appendAll(warnings, portWarnings(spec, at));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  warnOfPodAffinity(spec, at, warnings);
  return warnings;
}

const OLD_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead';

function warnOfLabels(spec: CoreV1PodSpec, place: string, warnings: Warnings): void {
  for (const [key, advice] of oldLabelsOf(Object.keys(spec.nodeSelector ?? {}))) warnings.push(`${place}.nodeSelector[${key}]: ${advice}`);
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function warnOfNodeAffinity(spec: CoreV1PodSpec, place: string, warnings: Warnings): void {
  const affinity = spec.affinity?.nodeAffinity;
  if (affinity === undefined) return;
  const field = `${place}.affinity.nodeAffinity`;
  warnOfNodeSelector(affinity[REQUIRED], `${field}.${REQUIRED}`, warnings);
  affinity[PREFERRED]?.forEach(({ preference }, index) =>
    warnOfNodeSelectorTerm(preference, `${field}.${PREFERRED}[${index}].preference`, warnings),
  );
}

const MATCHES_NOTHING = 'a null labelSelector results in matching no pod';

function warnOfSpread(spec: CoreV1PodSpec, place: string, warnings: Warnings): void {
  spec.topologySpreadConstraints?.forEach((constraint, index) => {
    const field = `${place}.topologySpreadConstraints[${index}]`;
    warnOfKey(constraint.topologyKey ?? '', `${field}.topologyKey`, warnings);
    if (constraint.labelSelector === undefined) warnings.push(`${field}.labelSelector: ${MATCHES_NOTHING}`);
  });
}

function warnOfPodAffinity(spec: CoreV1PodSpec, place: string, warnings: Warnings): void {
  const affinity = spec.affinity;
  if (affinity === undefined) return;
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity[member];
    const say = (term: CoreV1PodAffinityTerm | undefined, field: string): void => {
      if (term?.labelSelector === undefined) warnings.push(`${field}.labelSelector: ${MATCHES_NOTHING}`);
    };
    const field = `${place}.affinity.${member}`;
    terms?.[REQUIRED]?.forEach((term, index) => say(term, `${field}.${REQUIRED}[${index}]`));
    terms?.[PREFERRED]?.forEach((one, index) => say(one.podAffinityTerm, `${field}.${PREFERRED}[${index}].podAffinityTerm`));
  }
}

function warnOfVolumes(spec: CoreV1PodSpec, place: string, warnings: Warnings): void {
  spec.volumes?.forEach((volume, index) => {
    const field = `${place}.volumes[${index}]`;
    warnOfOldSources(volume, field, warnings);
    const resources = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
    for (const member of ['requests', 'limits'] as const) {
      const at = `${field}.ephemeral.volumeClaimTemplate.spec.resources.${member}`;
      warnOfFractions(resources?.[member], ['storage'], at, warnings);
    }
  });
}

function warnOfRepetition(spec: CoreV1PodSpec, place: string, warnings: Warnings): void {
  const repeated = (values: readonly string[] | undefined, list: string, member: string): void => {
    const seen = new Set<string>();
    values?.forEach((value, index) => {
      if (seen.has(value)) warnings.push(`${place}.${list}[${index}].${member}: duplicate ${member} ${quote(value)}`);
      seen.add(value);
    });
  };
  repeated(
    spec.hostAliases?.map(({ ip }) => ip ?? ''),
    'hostAliases',
    'ip',
  );
  repeated(
    spec.imagePullSecrets?.map(({ name }) => name ?? ''),
    'imagePullSecrets',
    'name',
  );
  spec.imagePullSecrets?.forEach((secret, index) => {
    if ((secret.name ?? '') === '') warnings.push(`${place}.imagePullSecrets[${index}].name: invalid empty name ""`);
  });
}

type Amounts = Record<string, string>;

function warnOfFractions(amounts: Amounts | undefined, names: readonly string[], place: string, warnings: Warnings): void {
  if (amounts === undefined) return;
  for (const name of names) warnOfFraction(amounts, name, place, warnings);
}

/** Only amounts in thousandths or less can be no integer in the canonical spelling. */
function warnOfFraction(amounts: Amounts, name: string, place: string, warnings: Warnings): void {
  const text = stringAt(amounts, name);
  if (text === undefined || !/[mnu.]/.test(text) || parseQuantity(text).nanos % 1_000_000_000n === 0n) return;
  warnings.push(`${place}[${name}]: fractional byte value ${quote(text)} is invalid, must be an integer`);
}

function warnOfContainer(container: CoreV1Container, place: string, warnings: Warnings): void {
  const resources = container.resources;
  if (resources !== undefined) {
    for (const name of ['memory', 'ephemeral-storage'] as const) {
      for (const member of ['limits', 'requests'] as const) {
        warnOfFractions(resources[member], [name], `${place}.resources.${member}`, warnings);
      }
    }
  }
  warnOfHiddenVariables(container, place, warnings);
}

/** A variable that makes use of the one that it hides is meant so. */
function warnOfHiddenVariables(container: CoreV1Container, place: string, warnings: Warnings): void {
  const variables = container.env ?? [];
  if (variables.length < 2) return;
  const seen = new Set<string>();
  variables.forEach((variable, index) => {
    const name = variable.name ?? '';
    if (seen.has(name) && !(variable.value ?? '').includes(`$(${name})`)) {
      warnings.push(`${place}.env[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`);
    }
    seen.add(name);
  });
}
