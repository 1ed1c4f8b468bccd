/**
 * What is worth a warning about a pod or a template that is stored nevertheless, in upstream's order and words: what is deprecated or without effect,
 * what hides something, what can hardly be meant.
 */
import { append } from '../../../../shared/values/append';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { quote } from '../../../../shared/values/quote';
import { parseQuantity } from '../../../../shared/values/quantity';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { listed } from '../../rules/field-rules';
import { annotationNamed, knownAnnotations } from './annotations';
import { integerAt, textAt } from '../../rules/checks';
import { portWarnings } from './port-warnings';

type Warnings = string[];

/** `place` = the path of the object that has metadata and spec, with a dot; '' for a Pod. */
export function podWarnings(object: JsonObject, place: string): readonly string[] {
  const spec = objectAt(object, 'spec') ?? {};
  const at = `${place}spec`;
  const known = knownAnnotations(objectAt(readMetadata(object), 'annotations'));
  const warnings: Warnings = [];
  warnOfLabels(spec, at, warnings);
  warnOfNodeAffinity(spec, at, warnings);
  warnOfSpread(spec, at, warnings);
  const annotated = (text: string, ...names: readonly string[]): void => {
    for (const name of names) {
      const found = annotationNamed(known, name);
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
  warnOfFractions(objectAt(spec, 'overhead'), ['memory', 'ephemeral-storage'], `${at}.overhead`, warnings);
  if (objectAt(objectAt(spec, 'securityContext'), 'seccompProfile') === undefined) {
    annotated(OLD_SECCOMP, 'seccomp.security.alpha.platform.io/pod');
  }
  for (const list of ['initContainers', 'containers']) {
    listed(spec, list).forEach((container, index) => {
      const name = textAt(container, 'name');
      const context = objectAt(container, 'securityContext');
      if (objectAt(context, 'seccompProfile') === undefined) annotated(OLD_SECCOMP, `container.seccomp.security.alpha.platform.io/${name}`);
      if (place !== '' && objectAt(context, 'appArmorProfile') === undefined) {
        annotated(OLD_APP_ARMOR, `container.apparmor.security.beta.platform.io/${name}`);
      }
      warnOfContainer(container, `${at}.${list}[${index}]`, warnings);
    });
  }
  append(warnings, portWarnings(spec, at));
  if ((integerAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) {
    warnings.push(`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  warnOfPodAffinity(spec, at, warnings);
  return warnings;
}

const OLD_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** Labels of nodes that have a newer name; both in the canonical spelling. */
const OLD_LABELS: readonly (readonly [old: string, newer: string, since: string])[] = [
  ['beta.platform.io/os', 'platform.io/os', 'v1.14'],
  ['beta.platform.io/arch', 'platform.io/arch', 'v1.14'],
  ['failure-domain.beta.platform.io/zone', 'topology.platform.io/zone', 'v1.17'],
  ['failure-domain.beta.platform.io/region', 'topology.platform.io/region', 'v1.17'],
  ['beta.platform.io/instance-type', 'node.platform.io/instance-type', 'v1.17'],
];

/** The newer name is spelled as the older one was. */
function oldLabel(key: string, [old, newer, since]: (typeof OLD_LABELS)[number]): string | undefined {
  if (!key.includes('/') || canonicalQualifiedName(key) !== old) return undefined;
  const product = old.slice(old.indexOf('beta.') + 'beta.'.length, old.indexOf('/'));
  const spelled = key.slice(key.indexOf('beta.') + 'beta.'.length, key.indexOf('/'));
  return `deprecated since ${since}; use ${quote(newer.replace(product, spelled))} instead`;
}

function warnOfLabels(spec: JsonObject, place: string, warnings: Warnings): void {
  const keys = Object.keys(objectAt(spec, 'nodeSelector') ?? {});
  if (keys.length === 0) return;
  for (const label of OLD_LABELS) {
    for (const key of keys) {
      const text = oldLabel(key, label);
      if (text !== undefined) warnings.push(`${place}.nodeSelector[${key}]: ${text}`);
    }
  }
}

function warnOfKey(key: string, field: string, warnings: Warnings): void {
  for (const label of OLD_LABELS) {
    const text = oldLabel(key, label);
    if (text !== undefined) warnings.push(`${field}: ${key} is ${text}`);
  }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function warnOfNodeAffinity(spec: JsonObject, place: string, warnings: Warnings): void {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  if (affinity === undefined) return;
  const ofTerm = (term: JsonObject | undefined, field: string): void =>
    listed(term, 'matchExpressions').forEach((expression, index) =>
      warnOfKey(textAt(expression, 'key'), `${field}.matchExpressions[${index}].key`, warnings),
    );
  const field = `${place}.affinity.nodeAffinity`;
  listed(objectAt(affinity, REQUIRED), 'nodeSelectorTerms').forEach((term, index) =>
    ofTerm(term, `${field}.${REQUIRED}.nodeSelectorTerms[${index}]`),
  );
  listed(affinity, PREFERRED).forEach((preference, index) =>
    ofTerm(objectAt(preference, 'preference'), `${field}.${PREFERRED}[${index}].preference`),
  );
}

const MATCHES_NOTHING = 'a null labelSelector results in matching no pod';

function warnOfSpread(spec: JsonObject, place: string, warnings: Warnings): void {
  listed(spec, 'topologySpreadConstraints').forEach((constraint, index) => {
    const field = `${place}.topologySpreadConstraints[${index}]`;
    warnOfKey(textAt(constraint, 'topologyKey'), `${field}.topologyKey`, warnings);
    if (objectAt(constraint, 'labelSelector') === undefined) warnings.push(`${field}.labelSelector: ${MATCHES_NOTHING}`);
  });
}

function warnOfPodAffinity(spec: JsonObject, place: string, warnings: Warnings): void {
  const affinity = objectAt(spec, 'affinity');
  if (affinity === undefined) return;
  for (const member of ['podAffinity', 'podAntiAffinity']) {
    const terms = objectAt(affinity, member);
    const say = (term: JsonObject | undefined, field: string): void => {
      if (objectAt(term, 'labelSelector') === undefined) warnings.push(`${field}.labelSelector: ${MATCHES_NOTHING}`);
    };
    const field = `${place}.affinity.${member}`;
    listed(terms, REQUIRED).forEach((term, index) => say(term, `${field}.${REQUIRED}[${index}]`));
    listed(terms, PREFERRED).forEach((one, index) =>
      say(objectAt(one, 'podAffinityTerm'), `${field}.${PREFERRED}[${index}].podAffinityTerm`),
    );
  }
}

const OLD_SOURCES: readonly (readonly [member: string, text: string, shown?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function warnOfVolumes(spec: JsonObject, place: string, warnings: Warnings): void {
  listed(spec, 'volumes').forEach((volume, index) => {
    const field = `${place}.volumes[${index}]`;
    for (const [member, text, shown = member] of OLD_SOURCES) {
      if (objectAt(volume, member) !== undefined) warnings.push(`${field}.${shown}: ${text}`);
    }
    const claim = objectAt(objectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate'), 'spec');
    const resources = objectAt(claim, 'resources');
    for (const member of ['requests', 'limits']) {
      const at = `${field}.ephemeral.volumeClaimTemplate.spec.resources.${member}`;
      warnOfFractions(objectAt(resources, member), ['storage'], at, warnings);
    }
  });
}

function warnOfRepetition(spec: JsonObject, place: string, warnings: Warnings): void {
  const repeated = (list: string, member: string): void => {
    const seen = new Set<string>();
    listed(spec, list).forEach((item, index) => {
      const value = textAt(item, member);
      if (seen.has(value)) warnings.push(`${place}.${list}[${index}].${member}: duplicate ${member} ${quote(value)}`);
      seen.add(value);
    });
  };
  repeated('hostAliases', 'ip');
  repeated('imagePullSecrets', 'name');
  listed(spec, 'imagePullSecrets').forEach((secret, index) => {
    if (textAt(secret, 'name') === '') warnings.push(`${place}.imagePullSecrets[${index}].name: invalid empty name ""`);
  });
}

function warnOfFractions(amounts: JsonObject | undefined, names: readonly string[], place: string, warnings: Warnings): void {
  if (amounts === undefined) return;
  for (const name of names) warnOfFraction(amounts, name, place, warnings);
}

/** Only amounts in thousandths or less can be no integer in the canonical spelling. */
function warnOfFraction(amounts: JsonObject, name: string, place: string, warnings: Warnings): void {
  const text = stringAt(amounts, name);
  if (text === undefined || !/[mnu.]/.test(text) || parseQuantity(text).nanos % 1_000_000_000n === 0n) return;
  warnings.push(`${place}[${name}]: fractional byte value ${quote(text)} is invalid, must be an integer`);
}

function warnOfContainer(container: JsonObject, place: string, warnings: Warnings): void {
  const resources = objectAt(container, 'resources');
  if (resources !== undefined) {
    for (const name of ['memory', 'ephemeral-storage']) {
      for (const member of ['limits', 'requests']) {
        warnOfFractions(objectAt(resources, member), [name], `${place}.resources.${member}`, warnings);
      }
    }
  }
  warnOfHiddenVariables(container, place, warnings);
}

/** A variable that makes use of the one that it hides is meant so. */
function warnOfHiddenVariables(container: JsonObject, place: string, warnings: Warnings): void {
  const variables = (arrayAt(container, 'env') ?? []).filter(isObject);
  if (variables.length < 2) return;
  const seen = new Set<string>();
  variables.forEach((variable, index) => {
    const name = textAt(variable, 'name');
    if (seen.has(name) && !textAt(variable, 'value').includes(`$(${name})`)) {
      warnings.push(`${place}.env[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`);
    }
    seen.add(name);
  });
}
