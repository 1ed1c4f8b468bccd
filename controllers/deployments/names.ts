/** Names of the annotations and the label by which a Deployment and its sets know each other; read in either spelling, written in the one that the stock command line looks for when it shows revisions or goes back to one. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { LAST_APPLIED_ANNOTATION, canonicalQualifiedName, qualifiedNameInDialect } from '../../shared/names/dialect';
import { objectAt, type JsonObject } from '../../shared/values/json';

export const HASH_LABEL = 'pod-template-hash';

const ANNOTATIONS = {
  revision: 'deployment.platform.io/revision',
  history: 'deployment.platform.io/revision-history',
  desired: 'deployment.platform.io/desired-replicas',
  max: 'deployment.platform.io/max-replicas',
} as const;

type SetAnnotation = keyof typeof ANNOTATIONS;
export type Texts = Readonly<Record<string, string>>;

/** Of a Deployment, and not of its sets. */
const KEPT_BACK: ReadonlySet<string> = new Set([
  ...Object.values(ANNOTATIONS),
  canonicalQualifiedName(LAST_APPLIED_ANNOTATION),
  'deprecated.deployment.rollback.to',
]);

export const annotationsOf = ({ body }: ApiObject): Texts => textsOf(objectAt(objectAt(body, 'metadata'), 'annotations'));

export function textsOf(value: JsonObject | undefined): Texts {
  return Object.fromEntries(Object.entries(value ?? {}).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])));
}

export function annotated(annotations: Texts, name: SetAnnotation): string | undefined {
  for (const [key, value] of Object.entries(annotations)) if (canonicalQualifiedName(key) === ANNOTATIONS[name]) return value;
  return undefined;
}

/** Undefined where it is absent or no number. */
export function annotatedNumber(annotations: Texts, name: 'desired' | 'max'): number | undefined {
  const text = annotated(annotations, name);
  return text !== undefined && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Any integer of 64 bits, as clients write them; nothing where it is absent or none. */
export function annotatedRevision(annotations: Texts): bigint {
  const text = annotated(annotations, 'revision');
  if (text === undefined || !/^[+-]?[0-9]{1,19}$/.test(text)) return 0n;
  const revision = BigInt(text);
  return BigInt.asIntN(64, revision) === revision ? revision : 0n;
}

export function withAnnotation(annotations: Texts, name: SetAnnotation, value: string): Texts {
  const others = Object.entries(annotations).filter(([key]) => canonicalQualifiedName(key) !== ANNOTATIONS[name]);
  return { ...Object.fromEntries(others), [qualifiedNameInDialect('kubernetes', ANNOTATIONS[name])]: value };
}

/** What a set has of its Deployment's annotations. Those that are taken away there stay here: nobody knows whose they were. */
export function copiedAnnotations(of: Texts, to: Texts): Texts {
  const copied = Object.entries(of).filter(([key]) => !KEPT_BACK.has(canonicalQualifiedName(key)));
  return { ...to, ...Object.fromEntries(copied) };
}
