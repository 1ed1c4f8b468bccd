/**
 * Warnings about Pods and Pod templates, in upstream's order and words: deprecated or ineffective fields, definitions
 * that hide others, and likely mistakes. Rejects nothing.
 */
import { appendAll } from '../../../../shared/values/append';
import { quote } from '../../../../shared/values/text/quote';
import { parseQuantity } from '../../../../shared/values/quantity';
import { findDeprecatedNodeLabels, warnOfNodeLabel, warnOfNodeSelector, warnOfNodeSelectorTerm } from '../node/deprecated-node-labels';
import { APP_ARMOR_ANNOTATION_PREFIX, byCanonicalName, knownAnnotations } from './annotations';
import { warnOfDeprecatedSources } from './volumes/deprecated-volume-sources';
import { portWarnings } from './port-warnings';
import { stringAt } from '../../../../shared/values/json';
import type {
  CoreV1Container,
  CoreV1PodAffinityTerm,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
} from '../../../../shared/api/types/generated/members';

type Warnings = string[];

/** Adds a warning about each of the named annotations that the object has. */
type AnnotationWarner = (text: string, ...names: readonly string[]) => void;

/** `fieldPath` is the prefix of `metadata` and `spec`, with a final dot; '' for a Pod. */
export function podWarnings(object: CoreV1PodTemplateSpec, fieldPath: string): readonly string[] {
  const spec = object.spec ?? {};
  const specPath = `${fieldPath}spec`;
  const known = byCanonicalName(knownAnnotations(object.metadata?.annotations));
  const warnings: Warnings = [];
  warnOfNodeLabels(spec, specPath, warnings);
  warnOfNodeAffinity(spec, specPath, warnings);
  warnOfTopologySpread(spec, specPath, warnings);
  const warnOfAnnotations: AnnotationWarner = (text, ...names) => {
    for (const name of names) {
      const annotation = known.get(name);
      if (annotation !== undefined) warnings.push(`${fieldPath}metadata.annotations[${annotation.key}]: ${text}`);
    }
  };
  warnOfAnnotations('non-functional in v1.16+; use the "priorityClassName" field instead', 'scheduler.alpha.platform.io/critical-pod');
  warnOfAnnotations(
    'non-functional in v1.11+; use the "sysctls" field instead',
    'security.alpha.platform.io/sysctls',
    'security.alpha.platform.io/unsafe-sysctls',
  );
  warnOfVolumes(spec, specPath, warnings);
  warnOfDuplicates(spec, specPath, warnings);
  warnOfFractionalBytes(spec.overhead, ['memory', 'ephemeral-storage'], `${specPath}.overhead`, warnings);
  if (spec.securityContext?.seccompProfile === undefined) {
    warnOfAnnotations(SECCOMP_ANNOTATION_WARNING, 'seccomp.security.alpha.platform.io/pod');
  }
  for (const list of ['initContainers', 'containers'] as const) {
    spec[list]?.forEach((container, index) => {
      warnOfProfileAnnotations(container, warnOfAnnotations, { isTemplate: fieldPath !== '' });
      warnOfContainer(container, `${specPath}.${list}[${index}]`, warnings);
    });
  }
  appendAll(warnings, portWarnings(spec, specPath));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(`${specPath}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  warnOfPodAffinity(spec, specPath, warnings);
  return warnings;
}

const SECCOMP_ANNOTATION_WARNING = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const APP_ARMOR_ANNOTATION_WARNING = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** Skips the AppArmor annotations of Pods, about which `appArmorAnnotationWarnings` warns. */
function warnOfProfileAnnotations(
  { name = '', securityContext: context }: CoreV1Container,
  warnOfAnnotations: AnnotationWarner,
  { isTemplate }: { readonly isTemplate: boolean },
): void {
  if (context?.seccompProfile === undefined) {
    warnOfAnnotations(SECCOMP_ANNOTATION_WARNING, `container.seccomp.security.alpha.platform.io/${name}`);
  }
  if (isTemplate && context?.appArmorProfile === undefined) {
    warnOfAnnotations(APP_ARMOR_ANNOTATION_WARNING, APP_ARMOR_ANNOTATION_PREFIX + name);
  }
}

function warnOfNodeLabels(spec: CoreV1PodSpec, fieldPath: string, warnings: Warnings): void {
  for (const { key, advice } of findDeprecatedNodeLabels(Object.keys(spec.nodeSelector ?? {}))) {
    warnings.push(`${fieldPath}.nodeSelector[${key}]: ${advice}`);
  }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function warnOfNodeAffinity(spec: CoreV1PodSpec, fieldPath: string, warnings: Warnings): void {
  const affinity = spec.affinity?.nodeAffinity;
  if (affinity === undefined) return;
  const field = `${fieldPath}.affinity.nodeAffinity`;
  warnOfNodeSelector(affinity[REQUIRED], `${field}.${REQUIRED}`, warnings);
  affinity[PREFERRED]?.forEach(({ preference }, index) =>
    warnOfNodeSelectorTerm(preference, `${field}.${PREFERRED}[${index}].preference`, warnings),
  );
}

const NULL_SELECTOR_WARNING = 'a null labelSelector results in matching no pod';

function warnOfTopologySpread(spec: CoreV1PodSpec, fieldPath: string, warnings: Warnings): void {
  spec.topologySpreadConstraints?.forEach((constraint, index) => {
    const field = `${fieldPath}.topologySpreadConstraints[${index}]`;
    warnOfNodeLabel(constraint.topologyKey ?? '', `${field}.topologyKey`, warnings);
    if (constraint.labelSelector === undefined) warnings.push(`${field}.labelSelector: ${NULL_SELECTOR_WARNING}`);
  });
}

function warnOfPodAffinity(spec: CoreV1PodSpec, fieldPath: string, warnings: Warnings): void {
  const affinity = spec.affinity;
  if (affinity === undefined) return;
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity[member];
    const warnOfNullSelector = (term: CoreV1PodAffinityTerm | undefined, field: string): void => {
      if (term?.labelSelector === undefined) warnings.push(`${field}.labelSelector: ${NULL_SELECTOR_WARNING}`);
    };
    const field = `${fieldPath}.affinity.${member}`;
    terms?.[REQUIRED]?.forEach((term, index) => warnOfNullSelector(term, `${field}.${REQUIRED}[${index}]`));
    terms?.[PREFERRED]?.forEach((preference, index) =>
      warnOfNullSelector(preference.podAffinityTerm, `${field}.${PREFERRED}[${index}].podAffinityTerm`),
    );
  }
}

function warnOfVolumes(spec: CoreV1PodSpec, fieldPath: string, warnings: Warnings): void {
  spec.volumes?.forEach((volume, index) => {
    const field = `${fieldPath}.volumes[${index}]`;
    warnOfDeprecatedSources(volume, field, warnings);
    const resources = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
    for (const member of ['requests', 'limits'] as const) {
      const resourcesPath = `${field}.ephemeral.volumeClaimTemplate.spec.resources.${member}`;
      warnOfFractionalBytes(resources?.[member], ['storage'], resourcesPath, warnings);
    }
  });
}

function warnOfDuplicates(spec: CoreV1PodSpec, fieldPath: string, warnings: Warnings): void {
  const warnOfDuplicateValues = (values: readonly string[] | undefined, list: string, member: string): void => {
    const seen = new Set<string>();
    values?.forEach((value, index) => {
      if (seen.has(value)) warnings.push(`${fieldPath}.${list}[${index}].${member}: duplicate ${member} ${quote(value)}`);
      seen.add(value);
    });
  };
  warnOfDuplicateValues(
    spec.hostAliases?.map(({ ip }) => ip ?? ''),
    'hostAliases',
    'ip',
  );
  warnOfDuplicateValues(
    spec.imagePullSecrets?.map(({ name }) => name ?? ''),
    'imagePullSecrets',
    'name',
  );
  spec.imagePullSecrets?.forEach((secret, index) => {
    if ((secret.name ?? '') === '') warnings.push(`${fieldPath}.imagePullSecrets[${index}].name: invalid empty name ""`);
  });
}

type Quantities = Record<string, string>;

const NANOS_PER_BYTE = 1_000_000_000n;
/** A decimal point, or the suffix of a unit below one. A quantity without these is an integer. */
const FRACTION_MARK = /[mnu.]/;

/** Warns about quantities that are not whole bytes. `names`: the resources that are measured in bytes. */
function warnOfFractionalBytes(quantities: Quantities | undefined, names: readonly string[], fieldPath: string, warnings: Warnings): void {
  if (quantities === undefined) return;
  for (const name of names) {
    const text = stringAt(quantities, name);
    if (text === undefined || !FRACTION_MARK.test(text) || parseQuantity(text).nanos % NANOS_PER_BYTE === 0n) continue;
    warnings.push(`${fieldPath}[${name}]: fractional byte value ${quote(text)} is invalid, must be an integer`);
  }
}

function warnOfContainer(container: CoreV1Container, fieldPath: string, warnings: Warnings): void {
  const resources = container.resources;
  if (resources !== undefined) {
    for (const name of ['memory', 'ephemeral-storage'] as const) {
      for (const member of ['limits', 'requests'] as const) {
        warnOfFractionalBytes(resources[member], [name], `${fieldPath}.resources.${member}`, warnings);
      }
    }
  }
  warnOfHiddenEnvVars(container, fieldPath, warnings);
}

/** Warns about variables that redefine an earlier one, except when they refer to it: then the redefinition is intended. */
function warnOfHiddenEnvVars(container: CoreV1Container, fieldPath: string, warnings: Warnings): void {
  const variables = container.env ?? [];
  if (variables.length < 2) return;
  const seen = new Set<string>();
  variables.forEach((variable, index) => {
    const name = variable.name ?? '';
    if (seen.has(name) && !(variable.value ?? '').includes(`$(${name})`)) {
      warnings.push(`${fieldPath}.env[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`);
    }
    seen.add(name);
  });
}
