/**
 * The order in which validation errors of an object are reported. A kind chooses one list of stages for creates, by
 * default `CREATE.usual`, and one per endpoint for updates, by default `UPDATE.change`. Errors of a stage that occurs twice are reported twice, as upstream does.
 * Validation itself is in write/steps/run-stages.ts.
 */

/** A part of the validation of an object. */
export type Stage =
  /**
   * General validation of ObjectMeta (upstream's ValidateObjectMeta), such as labels, annotations and owner references.
   * Without the name on updates, which cannot change it.
   */
  | 'metadata'
  /** What upstream's ValidateObjectMetaUpdate validates again: like `metadata` without the format of finalizers. */
  | 'changed-metadata'
  /** `generateName` as part of a path, for an object that has a name. Upstream validates it on every update. */
  | 'path-prefix'
  /** `generateName` in the format of the kind's names. On creates `metadata` covers it. */
  | 'name-prefix'
  /** General validation of changes of ObjectMeta. */
  | 'metadata-change'
  /** Most kinds require a domain in finalizers. */
  | 'finalizers'
  /** `Strategy.validateEarly`. */
  | 'early'
  /** `Strategy.validate`: the whole object. */
  | 'object'
  /** `UpdateRules.validate` of the endpoint. */
  | 'change';

/** Groups of stages in order. A group is validated only when the earlier groups have no errors. */
export type Stages = readonly (readonly Stage[])[];

/** What rest.BeforeUpdate validates for every kind. */
const GENERAL_UPDATE: readonly Stage[] = ['path-prefix', 'metadata', 'metadata-change', 'changed-metadata'];
const METADATA_UPDATE: readonly Stage[] = ['metadata-change', 'changed-metadata', 'finalizers'];
const NEW_METADATA: readonly Stage[] = ['metadata', 'finalizers'];
const WHOLE_OBJECT: readonly Stage[] = ['name-prefix', ...NEW_METADATA, 'object'];

/** Stages of creates. */
export const CREATE = {
  usual: [WHOLE_OBJECT],
  earlyFirst: [['early', ...WHOLE_OBJECT]],
  /** The stage `object` alone comes first: metadata is validated only when the rules of the kind find no error. */
  bareObjectThenMetadata: [['object'], ['metadata']],
} as const satisfies Record<string, Stages>;

/**
 * Stages of updates. Every list begins with {@link GENERAL_UPDATE}; the name states what follows, in order:
 * - `object`: {@link WHOLE_OBJECT};
 * - `change`: {@link METADATA_UPDATE} and the stage `change`; in a name that ends in `ChangeAlone`, the stage only;
 * - other words are explained at the list.
 */
export const UPDATE = {
  change: [[...GENERAL_UPDATE, ...METADATA_UPDATE, 'change']],
  /** The stages of a new object's metadata stand in the place of {@link METADATA_UPDATE}. */
  newMetadataThenChange: [[...GENERAL_UPDATE, 'name-prefix', ...NEW_METADATA, 'change']],
  /** {@link NEW_METADATA} comes before {@link METADATA_UPDATE}. */
  metadataTwiceThenChange: [[...GENERAL_UPDATE, ...NEW_METADATA, ...METADATA_UPDATE, 'change']],
  /** The stage `early` comes before {@link METADATA_UPDATE}. */
  earlyThenChange: [[...GENERAL_UPDATE, 'early', ...METADATA_UPDATE, 'change']],
  changeThenObject: [[...GENERAL_UPDATE, ...METADATA_UPDATE, 'change', ...WHOLE_OBJECT]],
  /** {@link METADATA_UPDATE} comes before the object instead of before the change. */
  metadataThenObjectThenChange: [[...GENERAL_UPDATE, ...METADATA_UPDATE, ...WHOLE_OBJECT, 'change']],
  objectThenChange: [[...GENERAL_UPDATE, ...WHOLE_OBJECT, ...METADATA_UPDATE, 'change']],
  /** `bareObject`: the stage `object` alone. It stands between {@link METADATA_UPDATE} and the stage `change`. */
  bareObjectThenChange: [[...GENERAL_UPDATE, ...METADATA_UPDATE, 'object', 'change']],
  objectAlone: [[...GENERAL_UPDATE, ...WHOLE_OBJECT]],
  /** {@link METADATA_UPDATE} stands between two validations of the object. */
  objectAroundMetadataThenChange: [[...GENERAL_UPDATE, ...WHOLE_OBJECT, ...METADATA_UPDATE, ...WHOLE_OBJECT, 'change']],
  objectTwiceThenChange: [[...GENERAL_UPDATE, ...WHOLE_OBJECT, ...WHOLE_OBJECT, ...METADATA_UPDATE, 'change']],
  objectThenChangeAlone: [[...GENERAL_UPDATE, ...WHOLE_OBJECT, 'change']],
  objectTwiceThenChangeAlone: [[...GENERAL_UPDATE, ...WHOLE_OBJECT, ...WHOLE_OBJECT, 'change']],
  changeAlone: [[...GENERAL_UPDATE, 'change']],
} as const satisfies Record<string, Stages>;
