/**
 * The annotations and the label that connect a Deployment with its ReplicaSets. They are read in either spelling of the
 * product's name, and written with `kubernetes`, which `kubectl rollout history` and `kubectl rollout undo` look for.
 */
import { LAST_APPLIED_ANNOTATION, canonicalQualifiedName, qualifiedNameInDialect } from '../../shared/names/dialect';
import type { ApiObject } from '../../shared/client/rest/api-object';

/** The label of a ReplicaSet and its pods with the hash of their template; the same in both dialects. */
export const POD_TEMPLATE_HASH_LABEL = 'pod-template-hash';

/** The annotations of rollouts, in canonical spelling. */
const ANNOTATIONS = {
  revision: 'deployment.platform.io/revision',
  revisionHistory: 'deployment.platform.io/revision-history',
  desiredReplicas: 'deployment.platform.io/desired-replicas',
  maxReplicas: 'deployment.platform.io/max-replicas',
} as const;

type RolloutAnnotation = keyof typeof ANNOTATIONS;
export type Annotations = Readonly<Record<string, string>>;

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  ...Object.values(ANNOTATIONS),
  canonicalQualifiedName(LAST_APPLIED_ANNOTATION),
  'deprecated.deployment.rollback.to',
]);

/** The annotations of an object; empty when it has none. */
export const annotationsOf = ({ metadata }: Pick<ApiObject, 'metadata'>): Annotations => metadata.annotations ?? {};

/** Undefined when the annotation is missing in both spellings. */
export function annotationValue(annotations: Annotations, name: RolloutAnnotation): string | undefined {
  for (const [key, value] of Object.entries(annotations)) if (canonicalQualifiedName(key) === ANNOTATIONS[name]) return value;
  return undefined;
}

/** `3` or `-3`, up to 15 digits, which a number holds exactly. */
const REPLICAS = /^-?[0-9]{1,15}$/;
/** `3` or `+3`, up to the digits of a 64-bit integer. */
const REVISION = /^[+-]?[0-9]{1,19}$/;

/** Undefined when the annotation is absent or no such integer. */
export function annotatedReplicas(annotations: Annotations, name: 'desiredReplicas' | 'maxReplicas'): number | undefined {
  const text = annotationValue(annotations, name);
  return text !== undefined && REPLICAS.test(text) ? Number(text) : undefined;
}

/**
 * The revision as a 64-bit integer, because clients may write any; 0 when the annotation is absent or no such integer.
 */
export function annotatedRevision(annotations: Annotations): bigint {
  const text = annotationValue(annotations, 'revision');
  if (text === undefined || !REVISION.test(text)) return 0n;
  const revision = BigInt(text);
  return BigInt.asIntN(64, revision) === revision ? revision : 0n;
}

/** A copy with the annotation, which replaces that in the other spelling. */
export function withAnnotation(annotations: Annotations, name: RolloutAnnotation, value: string): Annotations {
  const others = Object.entries(annotations).filter(([key]) => canonicalQualifiedName(key) !== ANNOTATIONS[name]);
  return { ...Object.fromEntries(others), [qualifiedNameInDialect('kubernetes', ANNOTATIONS[name])]: value };
}

/**
 * The annotations of a ReplicaSet with those of its Deployment copied over them. An annotation that was removed from
 * the Deployment stays on the ReplicaSet, because a user may have set it there.
 */
export function copyDeploymentAnnotations(deploymentAnnotations: Annotations, replicaSetAnnotations: Annotations): Annotations {
  const copied = Object.entries(deploymentAnnotations).filter(([key]) => !NOT_COPIED.has(canonicalQualifiedName(key)));
  return { ...replicaSetAnnotations, ...Object.fromEntries(copied) };
}
