/**
 * Masks what differs between two runs of a scenario: UIDs, times, resource versions, generated names and template hashes.
 * A mask names the object that it stands for, such as `<uid of web>`, so that references stay comparable.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { TIME_PATTERN, UID_PATTERN } from '../normalize/volatile-patterns';
import { isBody, membersOf, metadataOf, type Body, type Json } from '../json-response';
import { describeCertificate } from './describe-certificate';

/** The suffix of names of Events. */
const EVENT_NAME_SUFFIX = /\.[0-9a-f]{16}$/;
/** Names within a message. */
const HYPHENATED_WORDS = /[a-z0-9]+(?:-[a-z0-9]+)+/g;
/** The generated name of an object that was rejected. */
const REJECTED_POD = /(pods "[^"]*-)[a-z0-9]{0,5}(?=" is forbidden)/;
/** The characters that the server adds to the prefix of a generated name. */
const RANDOM_SUFFIX_LENGTH = 5;
/** A label of pods and of the revisions of DaemonSets. */
const POD_REVISION = 'controller-revision-hash';
/** Labels of ReplicaSets and of ControllerRevisions. */
const HASHES = ['pod-template-hash', 'controller.kubernetes.io/hash'];
/** A time with an offset from UTC. */
const TIME_WITH_OFFSET = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[+-]\d\d:\d\d)/g;
/** The suffix of names of a CronJob's Jobs: the scheduled minute since 1970. */
const SCHEDULED_MINUTE = /-\d{8}\b/g;
/** Header, claims and signature; the claims are captured. */
const JSON_WEB_TOKEN = /^[\w-]+\.([\w-]+)\.[\w-]+$/;
const CERTIFICATE = '-----BEGIN CERTIFICATE-----';

const OMITTED_METADATA: ReadonlySet<string> = new Set([
  'resourceVersion',
  'uid',
  'managedFields',
  'creationTimestamp',
  'generation',
  'generateName',
  'selfLink',
]);
/** Whether the member `name` of an object that is found under `member` is left out. */
const isOmitted = (member: string, name: string): boolean =>
  member === 'metadata' ? OMITTED_METADATA.has(name) : member === 'involvedObject' && name === 'resourceVersion';
/** Whether the member is the resource version of a referenced object. */
const isReferencedVersion = (reference: Body, name: string): boolean => name === 'resourceVersion' && reference['uid'] !== undefined;

/** Lists without a meaningful order. */
const UNORDERED: ReadonlySet<string> = new Set(['endpoints', 'addresses', 'notReadyAddresses', 'ports', 'subsets']);
/** An annotation that depends on which of two watches delivers a change first; other tests cover its rules. */
export const TRIGGER_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The masks of one scenario. They grow with each object that the scenario is returned. */
export class ScenarioMasks {
  /** The mask of an object's uid in recordings, by uid. */
  private readonly masksByUid = new Map<string, string>();
  /** The uid by mask, for bodies that refer to other objects. */
  private readonly uidsByMask = new Map<string, string>();
  /** The mask of each generated name. */
  private readonly generatedNames = new Map<string, string>();
  /** Prefixes of generated names, because some objects are deleted before they are observed. */
  private readonly generatedPrefixes = new Set<string>();
  /** The mask of each template hash. */
  private readonly hashMasks = new Map<string, string>();

  /** `namespace` is masked as `$NS`; `clock` is that of the server, by which certificates are valid. */
  constructor(
    private readonly namespace: string,
    private readonly clock: Clock,
  ) {}

  /** Remembers the uid, the generated name and the template hashes of an object; other values are ignored. */
  remember(value: Json): void {
    if (!isBody(value)) return;
    const { uid, name, generateName, labels } = metadataOf(value);
    if (typeof uid !== 'string' || typeof name !== 'string') return;
    const isRevision = value['revision'] !== undefined;
    for (const label of isRevision ? [...HASHES, POD_REVISION] : HASHES) {
      const hash = membersOf(labels)[label];
      if (typeof hash === 'string' && !this.hashMasks.has(hash)) this.hashMasks.set(hash, `<hash ${this.hashMasks.size + 1}>`);
    }
    // Pods of a StatefulSet also have a `generateName`.
    const isGenerated =
      typeof generateName === 'string' && name.startsWith(generateName) && name.length === generateName.length + RANDOM_SUFFIX_LENGTH;
    if (isGenerated) {
      this.generatedNames.set(name, this.maskHashes(`${generateName}*`));
      this.generatedPrefixes.add(generateName);
    }
    const shownName = isGenerated ? `${generateName}*` : name;
    const uidMask = `<uid of ${shownName}>`.replaceAll(this.namespace, '$NS');
    this.masksByUid.set(uid, uidMask);
    this.uidsByMask.set(uidMask, uid);
  }

  /** The text with the uids of objects in place of their masks, for requests that refer to other objects. */
  withUids(text: string): string {
    return text.replace(/<uid of [^>]+>/g, (mask) => this.uidsByMask.get(mask) ?? mask);
  }

  /** `member` is the name under which the value was found; `unordered` are further lists without a meaningful order. */
  mask(value: Json, member = '', unordered: readonly string[] = []): Json {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.mask(item, '', unordered));
      return UNORDERED.has(member) || unordered.includes(member) ? items.sort(byText) : items;
    }
    if (isBody(value)) {
      const copy: Body = {};
      const names = Object.keys(value).map((name) => [name.replaceAll(this.namespace, '$NS'), name] as const);
      for (const [shown, name] of names.sort(byText)) {
        if (isOmitted(member, name) || isReferencedVersion(value, name)) continue;
        if (member === 'annotations' && name === TRIGGER_ANNOTATION) continue;
        if (name === 'annotations' && isOnly(value[name] ?? null, TRIGGER_ANNOTATION)) continue;
        copy[shown] = this.mask(value[name] ?? null, name, unordered);
      }
      return copy;
    }
    const certificate = member === 'certificate' && typeof value === 'string' ? describeCertificate(value, this.clock.now()) : undefined;
    if (certificate !== undefined) return this.mask(certificate);
    // This server's descriptions are worded differently.
    if (member.endsWith('/description')) return '<description>';
    return typeof value === 'string' ? this.maskText(value) : value;
  }

  /** Texts in base64 are masked by what they encode: tokens of service accounts, the namespace and certificates. */
  private maskText(text: string): string {
    const decoded = Buffer.from(text, 'base64').toString();
    const [, claims] = JSON_WEB_TOKEN.exec(decoded) ?? [];
    if (claims !== undefined) return `<token ${this.maskText(Buffer.from(claims, 'base64url').toString())}>`;
    if (decoded === this.namespace) return '<$NS in base64>';
    if (decoded.startsWith(CERTIFICATE)) return '<certificates>';
    const maskWord = (word: string): string => this.generatedNames.get(word) ?? this.maskGeneratedName(word);
    const withoutGeneratedNames = this.generatedNames.get(text) ?? text.replace(HYPHENATED_WORDS, maskWord);
    const masked = withoutGeneratedNames
      .replace(REJECTED_POD, '$1*')
      .replace(UID_PATTERN, (uid) => this.masksByUid.get(uid) ?? '<uid>')
      .replaceAll(this.namespace, '$NS')
      .replace(EVENT_NAME_SUFFIX, '.*')
      .replace(TIME_PATTERN, '<time>')
      .replace(TIME_WITH_OFFSET, '<time>')
      .replace(SCHEDULED_MINUTE, '-<minute>');
    return this.maskHashes(masked);
  }

  /** Masks a word that consists of a known prefix and a suffix, although no object with this name has been returned. */
  private maskGeneratedName(word: string): string {
    const prefix = word.slice(0, -RANDOM_SUFFIX_LENGTH);
    return word.length > RANDOM_SUFFIX_LENGTH && this.generatedPrefixes.has(prefix) ? `${prefix}*` : word;
  }

  private maskHashes(text: string): string {
    let masked = text;
    for (const [hash, mask] of this.hashMasks) masked = masked.replaceAll(hash, mask);
    return masked;
  }
}

/** Whether the value has no other members. */
const isOnly = (value: Json, name: string): boolean => isBody(value) && Object.keys(value).every((key) => key === name);

/** Sorts by the JSON text of the values. */
export function byText(a: Json | readonly string[], b: Json | readonly string[]): number {
  const textA = JSON.stringify(a);
  const textB = JSON.stringify(b);
  if (textA === textB) return 0;
  return textA < textB ? -1 : 1;
}
