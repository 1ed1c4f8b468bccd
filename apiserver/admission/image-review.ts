/** A question about images as an ImageReview, and what was answered. Asks nobody. */
import { apiVersionInDialect, canonicalApiVersion, IMAGE_POLICY_ANNOTATION_INFIX, type Dialect } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';

const KIND = 'ImageReview';
const VERSION = 'imagepolicy.platform.io/v1alpha1';

/** The lists of containers whose images count. */
const LISTS: Readonly<Record<'pod' | 'ephemeral', readonly string[]>> = {
  pod: ['containers', 'initContainers'],
  ephemeral: ['ephemeralContainers'],
};

export interface ImagePlace {
  readonly namespace: string;
  readonly subresource: string | undefined;
}

/** `spec`, `metadata` = of the pod. */
export function reviewSpec(spec: JsonObject, metadata: JsonObject, { namespace, subresource }: ImagePlace, dialect: Dialect): JsonObject {
  const containers = LISTS[subresource === undefined ? 'pod' : 'ephemeral']
    .flatMap((list) => arrayAt(spec, list) ?? [])
    .filter(isObject)
    .map((container): JsonObject => ({ image: stringAt(container, 'image') ?? '' }));
  const annotations = meantFor(objectAt(metadata, 'annotations') ?? {}, dialect);
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    namespace,
  };
}

/** The annotations that are meant for the webhook, under the names that it knows. One that bears such a name already comes before one that is given it. */
function meantFor(annotations: JsonObject, dialect: Dialect): JsonObject {
  const mark = IMAGE_POLICY_ANNOTATION_INFIX[dialect];
  const meant = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(annotations)) {
    const found = Object.values(IMAGE_POLICY_ANNOTATION_INFIX).find((one) => name.includes(one));
    if (found === undefined || (found !== mark && own(annotations, name.replace(found, mark)) !== undefined)) continue;
    meant.set(name.replace(found, mark), value);
  }
  return Object.fromEntries([...meant].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The body to be sent. */
export function reviewBody(spec: JsonObject, dialect: Dialect): Buffer {
  const apiVersion = apiVersionInDialect(dialect, VERSION);
  return Buffer.from(JSON.stringify({ kind: KIND, apiVersion, metadata: { creationTimestamp: null }, spec, status: { allowed: false } }));
}

export interface ImageVerdict {
  readonly allowed: boolean;
  readonly reason: string;
  /** For the audit log. */
  readonly notes: readonly (readonly [name: string, value: string])[];
}

const MOST_NOTES = 100;
const LONGEST_NOTE = 256 * 1024;

/** What is wrong with an answer, in upstream's words, or what it says. One that says nothing refuses. */
export function readImageVerdict(bytes: Buffer): ImageVerdict | { readonly fault: string } {
  const review = parsed(bytes);
  if (!isObject(review)) return { fault: 'the answer of the image policy webhook is no object' };
  const [kind, version] = [stringAt(review, 'kind') ?? '', stringAt(review, 'apiVersion') ?? ''];
  if ((kind !== '' || version !== '') && (kind !== KIND || canonicalApiVersion(version) !== VERSION))
    return {
      fault: `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:100"`,
    };
  const status = objectAt(review, 'status') ?? {};
  const [allowed, reason] = [own(status, 'allowed') ?? false, own(status, 'reason') ?? ''];
  if (typeof allowed !== 'boolean') return { fault: misfit('allowed', 'bool', allowed) };
  if (typeof reason !== 'string') return { fault: misfit('reason', 'string', reason) };
  const notes = Object.entries(objectAt(status, 'auditAnnotations') ?? {})
    .slice(0, MOST_NOTES)
    .flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.slice(0, LONGEST_NOTE)] as const] : []));
  return { allowed, reason, notes };
}

function parsed(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
}

function misfit(member: string, type: string, value: JsonValue): string {
  const is = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${is} into Go struct field ImageReviewStatus.status.${member} of type ${type}`;
}
