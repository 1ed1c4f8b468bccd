/**
 * In which order a client is told what is wrong with an object. Every kind says so with one list of stages; what is found in a stage that stands in
 * the list twice is told twice, as upstream does. Judges nothing itself.
 */

export type Stage =
  /** The general rules for metadata: name, labels, annotations, owners. */
  | 'metadata'
  /** The same without the form of finalizers, which upstream does not ask of a change. */
  | 'changed-metadata'
  /** What stands before generated names, of an object that has its name: as part of a path, which is asked of every update. */
  | 'path-prefix'
  /** The same as the kind has its names. Of a new object its metadata tell. */
  | 'name-prefix'
  /** The general rules for a change of metadata. */
  | 'metadata-change'
  /** Finalizers need a domain, in most kinds. */
  | 'finalizers'
  /** `Strategy.validateEarly`. */
  | 'early'
  /** `Strategy.validate`: the whole object. */
  | 'object'
  /** `UpdateRules.validate`: the change, as the endpoint sees it. */
  | 'change';

/** Stages in their order. A later group is looked at only when nothing was found in the earlier ones. */
export type Stages = readonly (readonly Stage[])[];

/** What upstream's general part says of every update before the kind has its say. */
const GENERAL: readonly Stage[] = ['path-prefix', 'metadata', 'metadata-change', 'changed-metadata'];
const OF_METADATA: readonly Stage[] = ['metadata-change', 'changed-metadata', 'finalizers'];
const OF_NEW_METADATA: readonly Stage[] = ['metadata', 'finalizers'];
const OF_OBJECT: readonly Stage[] = ['name-prefix', ...OF_NEW_METADATA, 'object'];

/** Of new objects. */
export const CREATE = {
  usual: [OF_OBJECT],
  earlyFirst: [['early', ...OF_OBJECT]],
  /** Metadata is looked at only when the kind's own rules found nothing. */
  objectAlone: [['object'], ['metadata']],
} as const satisfies Record<string, Stages>;

/** Of updates. The whole object is judged where `object` stands in the name. */
export const UPDATE = {
  change: [[...GENERAL, ...OF_METADATA, 'change']],
  newMetadataThenChange: [[...GENERAL, 'name-prefix', ...OF_NEW_METADATA, 'change']],
  /** The kind's names may be anything. */
  metadataTwiceThenChange: [[...GENERAL, ...OF_NEW_METADATA, ...OF_METADATA, 'change']],
  earlyThenChange: [[...GENERAL, 'early', ...OF_METADATA, 'change']],
  changeThenObject: [[...GENERAL, ...OF_METADATA, 'change', ...OF_OBJECT]],
  metadataThenObjectThenChange: [[...GENERAL, ...OF_METADATA, ...OF_OBJECT, 'change']],
  objectThenChange: [[...GENERAL, ...OF_OBJECT, ...OF_METADATA, 'change']],
  /** Metadata are judged with the change alone. */
  bareObjectThenChange: [[...GENERAL, ...OF_METADATA, 'object', 'change']],
  objectAlone: [[...GENERAL, ...OF_OBJECT]],
  objectAroundMetadataThenChange: [[...GENERAL, ...OF_OBJECT, ...OF_METADATA, ...OF_OBJECT, 'change']],
  objectTwiceThenChange: [[...GENERAL, ...OF_OBJECT, ...OF_OBJECT, ...OF_METADATA, 'change']],
  /** The metadata is not judged again with the change. */
  objectThenChangeAlone: [[...GENERAL, ...OF_OBJECT, 'change']],
  objectTwiceThenChangeAlone: [[...GENERAL, ...OF_OBJECT, ...OF_OBJECT, 'change']],
  changeAlone: [[...GENERAL, 'change']],
} as const satisfies Record<string, Stages>;
